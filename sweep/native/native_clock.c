/* Additions of a register: some cores make those of a small constant in no time. */
#include "sweep/native/native_clock.h"

#include <time.h>

enum { CHAIN = 200, TIMES = 100, TRIES = 5 };

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

#define ADD sum += step; __asm__ volatile("" : "+r"(sum), "+r"(step));
#define ADDS_10 ADD ADD ADD ADD ADD ADD ADD ADD ADD ADD
#define ADDS_100 ADDS_10 ADDS_10 ADDS_10 ADDS_10 ADDS_10 ADDS_10 ADDS_10 ADDS_10 ADDS_10 ADDS_10

static uint64_t chain_ticks(void)
{
    uint64_t sum = 0, step = 1;
    uint64_t const begin = native_ticks();

    for (int i = 0; i < TIMES; i++) {
        ADDS_100
        ADDS_100
    }
    return native_ticks() - begin;
}

#define ADD_TO(sum) sum += step; __asm__ volatile("" : "+r"(sum), "+r"(step));
#define ADD_TO_ALL ADD_TO(a) ADD_TO(b) ADD_TO(c) ADD_TO(d) ADD_TO(e) ADD_TO(f) ADD_TO(g) ADD_TO(h)
#define ADDS_TO_ALL_5 ADD_TO_ALL ADD_TO_ALL ADD_TO_ALL ADD_TO_ALL ADD_TO_ALL
#define ADDS_TO_ALL_25 ADDS_TO_ALL_5 ADDS_TO_ALL_5 ADDS_TO_ALL_5 ADDS_TO_ALL_5 ADDS_TO_ALL_5

/* CHAIN additions, but of eight chains. */
static uint64_t chains_ticks(void)
{
    uint64_t a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0, step = 1;
    uint64_t const begin = native_ticks();

    for (int i = 0; i < TIMES; i++) {
        ADDS_TO_ALL_25
    }
    return native_ticks() - begin;
}

static double per_tick(uint64_t (*measure)(void))
{
    uint64_t least = measure();

    for (int i = 1; i < TRIES; i++) {
        uint64_t const ticks = measure();

        least = ticks < least ? ticks : least;
    }
    return (double)CHAIN * TIMES / (double)(least > 0 ? least : 1);
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
