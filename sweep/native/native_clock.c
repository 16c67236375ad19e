/* Additions of a register: some cores make those of a small constant in no time. The chains are written in the
 * machine's language, so that a build without optimisation has them, too. */
#include "sweep/native/native_clock.h"

#include <time.h>

enum { ADDITIONS = 20000, TIMES = 100, TRIES = 5 };      /* 200 in a row, TIMES times */

uint64_t native_ticks(void)
{
#if defined __x86_64__
    uint32_t low, high;

    __asm__ volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high) : : "memory");
    return (uint64_t)high << 32 | low;
#elif defined __aarch64__
    uint64_t ticks;

    __asm__ volatile("isb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(ticks) : : "memory");
    return ticks;
#else
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
#endif
}

#if defined __x86_64__
#define ADD(to, step) "add " step ", " to "\n\t"
#define CHANGES : "cc"
#elif defined __aarch64__ || defined __riscv
#define ADD(to, step) "add " to ", " to ", " step "\n\t"
#define CHANGES
#endif

#ifdef ADD

static uint64_t chain_ticks(void)
{
    uint64_t sum = 0, step = 1;
    uint64_t const begin = native_ticks();

    for (int i = 0; i < TIMES; i++)
        __asm__ volatile(".rept 200\n\t" ADD("%0", "%1") ".endr" : "+r"(sum) : "r"(step) CHANGES);
    return native_ticks() - begin;
}

/* As many additions, of eight chains. */
static uint64_t chains_ticks(void)
{
    uint64_t a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0, step = 1;
    uint64_t const begin = native_ticks();

    for (int i = 0; i < TIMES; i++)
        __asm__ volatile(".rept 25\n\t" ADD("%0", "%8") ADD("%1", "%8") ADD("%2", "%8") ADD("%3", "%8")
                         ADD("%4", "%8") ADD("%5", "%8") ADD("%6", "%8") ADD("%7", "%8") ".endr"
                         : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f), "+r"(g), "+r"(h) : "r"(step) CHANGES);
    return native_ticks() - begin;
}

#else

static uint64_t chain_ticks(void)
{
    volatile uint64_t sum = 0;
    uint64_t const begin = native_ticks();

    for (int i = 0; i < ADDITIONS; i++)
        sum = sum + 1;
    return native_ticks() - begin;
}

static uint64_t chains_ticks(void)
{
    return chain_ticks();
}

#endif

static double per_tick(uint64_t (*measure)(void))
{
    uint64_t least = measure();

    for (int i = 1; i < TRIES; i++) {
        uint64_t const ticks = measure();

        least = ticks < least ? ticks : least;
    }
    return (double)ADDITIONS / (double)(least > 0 ? least : 1);
}

double native_cycles_per_tick(void)
{
    return per_tick(chain_ticks);
}

double native_additions_per_tick(void)
{
    return per_tick(chains_ticks);
}

struct native_moment native_now(void)
{
    struct timespec now;
    uint64_t const ticks = native_ticks();

    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (struct native_moment){ticks, (double)now.tv_sec + 1e-9 * (double)now.tv_nsec};
}

double native_ticks_per_s(struct native_moment from, struct native_moment to)
{
    return (double)(to.ticks - from.ticks) / (to.seconds - from.seconds);
}
