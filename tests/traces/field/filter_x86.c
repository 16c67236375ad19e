/* A filter over sorted data: of 64 numbers those below 32 are added up, 200 times. Its branch is not taken 32 times in
 * a row, then taken 32 times. It has 2 bytes, with -DNEAR 6, since the code it jumps over is long. Made with
 *     gcc -O1 -nostdlib -static -fno-pie -no-pie -o filter filter_x86.c && rubato capture -o filter_x86.rbt -- ./filter
 *     gcc -DNEAR ... && rubato capture -o filter_near_x86.rbt -- ./filter */
#ifdef NEAR
#define LONG ".nops 160\n\t"
#else
#define LONG ""
#endif

static int numbers[64];
static volatile long sum;

__attribute__((noreturn)) void _start(void)
{
    for (int i = 0; i < 64; i++)
        numbers[i] = i;
    for (int round = 0; round < 200; round++) {
        long all = 0;

        for (int i = 0; i < 64; i++)
            __asm__ volatile("cmpl $32, %1\n\tjge 1f\n\tadd %2, %0\n\t" LONG "1:"
                             : "+r"(all) : "r"(numbers[i]), "r"((long)numbers[i]));
        sum = all;
    }
    __asm__ volatile("syscall" : : "a"(231), "D"(0));
    __builtin_unreachable();
}
