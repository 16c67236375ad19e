/* Accesses whose addresses follow from others of their block, and trap: a handler makes the page whole, and the last
 * one ends the program. No C library, so that each run is the same. */
#include <stddef.h>

enum { PAGE = 4096, NONE = 0, READ = 1, WRITE = 3, EXECUTE = 7 };
enum { MMAP = 9, MPROTECT = 10, SIGACTION = 13, SIGALTSTACK = 131, SIGSEGV = 11 };

static long call(long number, long a, long b, long c, long d, long e, long f)
{
    register long r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;
    long result;

    __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

static char *pages;                      /* three; the middle one is protected */
static char alternate[4 * PAGE];
static int caught;
static long number;

static void mend(int signal)
{
    (void)signal;
    caught++;
    call(MPROTECT, (long)(pages + PAGE), PAGE, WRITE, 0, 0, 0);
}

static void mend_code(int signal)
{
    extern char constant[];

    (void)signal;
    caught++;
    call(MPROTECT, (long)constant & -PAGE, 2 * PAGE, EXECUTE, 0, 0, 0);
}

void restore(void);
__asm__(".text\nrestore: mov $15, %eax\nsyscall\n.p2align 4\nnop\nconstant: .quad 1, 2, 3\n");

static void handle(void (*handler)(int))
{
    const struct { void (*handler)(int); unsigned long flags; void (*restorer)(void); unsigned long mask; } action = {
        handler, 0x04000000 | 0x08000000, restore, 0
    };

    call(SIGACTION, SIGSEGV, (long)&action, 0, 8, 0, 0);
}

static char *protect(int how)
{
    call(MPROTECT, (long)(pages + PAGE), PAGE, how, 0, 0, 0);
    return pages + PAGE;
}

static void run(void)
{
    const struct { void *at; int flags; size_t bytes; } stack = {alternate, 0, sizeof alternate};

    pages = (char *)call(MMAP, 0, 3 * PAGE, WRITE, 0x22, -1, 0);
    call(SIGALTSTACK, (long)&stack, 0, 0, 0, 0, 0);
    handle(mend);
    /* A load, behind one of the page before. */
    __asm__ volatile("mov -8(%0), %%rax; mov (%0), %%rcx; mov 8(%0), %%rdx" :: "r"(protect(NONE))
                     : "rax", "rcx", "rdx");
    /* A store, behind a load of its place, which is allowed; and an update, whose load is. */
    __asm__ volatile("mov -8(%0), %%rax; mov (%0), %%rcx; mov %%rcx, (%0)" :: "r"(protect(READ))
                     : "rax", "rcx", "memory");
    __asm__ volatile("mov -8(%0), %%rax; mov (%0), %%rcx; addq $1, (%0)" :: "r"(protect(READ))
                     : "rax", "rcx", "memory");
    /* A store whose address is sent (it uses another register), after a load of the same location whose address is
     * not. */
    __asm__ volatile("mov %0, %%rdx; and $-1, %%rdx; mov -8(%0), %%rax; mov (%0), %%rcx; mov %%rcx, (%%rdx)"
                     :: "r"(protect(READ)) : "rax", "rcx", "rdx", "memory");
    /* The second of three stores, and the first and the last of them. */
    for (int i = 0; i < 3; i++)
        __asm__ volatile("mov %%rax, (%0); mov %%rax, 8(%0); mov %%rax, 16(%0)" :: "r"(protect(NONE) - 8 * i)
                         : "memory");
    /* 16 bytes. */
    __asm__ volatile("movups -16(%0), %%xmm0; movups %%xmm0, (%0); movups 16(%0), %%xmm0" :: "r"(protect(NONE))
                     : "memory", "xmm0");
    /* Pushes and a call into a page that must not be touched. */
    __asm__ volatile("mov %%rsp, %%rbx; lea 16(%0), %%rsp; push %%rax; push %%rax; push %%rax; push %%rcx; "
                     "pop %%rcx; pop %%rax; call 1f; jmp 2f; 1: ret; 2: mov %%rbx, %%rsp"
                     :: "r"(protect(NONE) + PAGE) : "rbx", "memory");
    /* Numbers beside the code, which lie in a page that holds code and may not be written; then in one that may. */
    handle(mend_code);
    for (int i = 0; i < 3; i++)
        __asm__ volatile("mov constant(%%rip), %%rax; inc %%rax; mov %%rax, constant+8(%%rip); mov %%rax, %0"
                         : "=m"(number) :: "rax", "memory");
    handle(NULL);
    __asm__ volatile("mov -8(%0), %%rax; mov %%rax, (%0); mov %%rax, 8(%0)" :: "r"(protect(READ)) : "rax", "memory");
}

__asm__(".globl _start\n_start: and $-16, %rsp\ncall start\n");

__attribute__((used)) static void start(void)
{
    run();
}
