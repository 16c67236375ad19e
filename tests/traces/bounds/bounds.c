/* Programs that one part of a detailed core holds back, whatever else it has: what their traces beside this file are
 * made of. For riscv64, without a library; KERNEL is one of the functions. */
typedef unsigned char u8;
typedef unsigned long u64;

enum { LINE = 64, LINES = 4096 };

static u64 words[LINES * LINE / sizeof(u64)];

/* Instruction queue: misses that could overlap, each with a chain of computations that waits for it there. */
__attribute__((unused)) static u64 queue(void)
{
    u64 sum = 0, place = 1;

    for (int i = 0; i < 800; i++) {
        place = (place * 5 + 3) % LINES;
        __asm__ volatile("ld t0, 0(%1)\n .rept 8\n add t0, t0, %2\n xor t0, t0, %2\n .endr\n add %0, %0, t0" : "+r"(sum)
                         : "r"(words + place * (LINE / sizeof(u64))), "r"(place) : "t0", "memory");
    }
    return sum;
}

/* Front end: 16 computations that need nothing of each other, again and again. */
__attribute__((unused)) static u64 straight(void)
{
    for (int i = 0; i < 400; i++)
        __asm__ volatile(".rept 4\n addi t0, a0, 1\n addi t1, a0, 2\n addi t2, a0, 3\n addi t3, a0, 4\n"
                         "addi t4, a0, 5\n addi t5, a0, 6\n addi t6, a0, 7\n addi a1, a0, 8\n"
                         "addi a2, a0, 9\n addi a3, a0, 10\n addi a4, a0, 11\n addi a5, a0, 12\n"
                         "addi t0, a0, 13\n addi t1, a0, 14\n addi t2, a0, 15\n addi t3, a0, 16\n .endr" ::: "t0", "t1",
                         "t2", "t3", "t4", "t5", "t6", "a1", "a2", "a3", "a4", "a5");
    return 0;
}

/* Serialising: computations between fences, and counters that are read. */
__attribute__((unused)) static u64 fences(void)
{
    u64 sum = 0;

    for (int i = 0; i < 1000; i++) {
        u64 cycle;

        __asm__ volatile("fence rw, rw" ::: "memory");
        __asm__ volatile("rdcycle %0" : "=r"(cycle));
        for (int k = 0; k < 4; k++)
            __asm__ volatile("addi %0, %0, 1" : "+r"(sum));
    }
    return sum;
}

/* Memory order: each load reads what a store before it writes whose address is known late. */
__attribute__((unused)) static u64 collide(void)
{
    u64 sum = 0, one = 1;

    for (u64 i = 0; i < 1500; i++) {
        u64 *const place = words + i % 512;

        __asm__ volatile("mul t0, %1, %2\n mul t0, t0, %2\n mul t0, t0, %2\n sd %3, 0(t0)\n ld t1, 0(%1)\n"
                         "add %0, %0, t1" : "+r"(sum) : "r"(place), "r"(one), "r"(i) : "t0", "t1", "memory");
    }
    return sum;
}

/* Execution units: divisions that need nothing of each other, and have one divider. */
__attribute__((unused)) static u64 divide(void)
{
    for (int i = 0; i < 600; i++)
        __asm__ volatile("div t0, %0, %1\n div t1, %0, %1\n div t2, %0, %1\n div t3, %0, %1" :: "r"(i + 100ul), "r"(7ul)
                         : "t0", "t1", "t2", "t3");
    return 0;
}

/* Instruction fetch: four instructions a line, one of them a load that waits for the last line's. */
__attribute__((unused)) static u64 jumps(void)
{
    u64 *volatile self = (u64 *)&self;

    for (int i = 0; i < 600; i++)
        __asm__ volatile(".option push\n .option norvc\n mv t0, %0\n j 1f\n .balign 64\n .rept 16\n"
                         "1: ld t0, 0(t0)\n addi t1, t0, 1\n addi t2, t1, 1\n j 1f\n .balign 64\n .endr\n"
                         "1: nop\n .option pop" :: "r"(self) : "t0", "t1", "t2", "memory");
    return 0;
}

/* Store queue: three stores to each of many lines. */
__attribute__((unused)) static u64 stores(void)
{
    u64 place = 1;

    for (int i = 0; i < 3000; i++) {
        __asm__ volatile("sd %0, 0(%0)\n sd %0, 8(%0)\n sd %0, 16(%0)" :: "r"(words + place * (LINE / sizeof(u64)))
                         : "memory");
        place = (place * 5 + 3) % LINES;
    }
    return 0;
}

void _start(void)
{
    enum { EXIT = 93 };
    u64 volatile result = KERNEL();
    register u64 a7 __asm__("a7") = EXIT;
    register u64 a0 __asm__("a0") = result & 0;

    __asm__ volatile("ecall" : "+r"(a0) : "r"(a7) : "memory");
}
