/* One signal of each kind that ends a block: a load and a store that fault, a division, an illegal instruction, a
 * timer; then a fork, and a crash. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static sigjmp_buf back;
static volatile int caught;
static char *volatile page;
static volatile long number = 5;

static void leave(int signal)
{
    (void)signal;
    caught++;
    siglongjmp(back, 1);
}

static void mend(int signal)
{
    (void)signal;
    caught++;
    mprotect(page, 4096, PROT_READ | PROT_WRITE);
}

static void count(int signal)
{
    (void)signal;
    caught++;
}

int main(void)
{
    const struct itimerval soon = {.it_value.tv_usec = 20000};

    signal(SIGSEGV, leave);
    signal(SIGFPE, leave);
    signal(SIGILL, leave);
    signal(SIGALRM, count);
    if (!sigsetjmp(back, 1))
        number += *(volatile int *)8;
    if (!sigsetjmp(back, 1))
        number = number / (number - 5);
    if (!sigsetjmp(back, 1))
        __builtin_trap();
    signal(SIGSEGV, mend);
    page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    page[5] = 3;
    setitimer(ITIMER_REAL, &soon, NULL);
    while (caught < 5)
        number++;
    if (fork() == 0)
        _exit(0);
    wait(NULL);
    printf("%d\n", caught);
    fflush(stdout);
    signal(SIGSEGV, SIG_DFL);
    *(volatile int *)16 = 1;
    return 0;
}
