/* Clock edges of a component (classic-memory 1.2): the multiples of its period, from tick 0. */
#ifndef MEMSYS_CLOCK_H
#define MEMSYS_CLOCK_H

#include <stdint.h>

/* Tick of the edge `cycles` after the next-or-current edge: edge(n). */
static inline uint64_t clock_edge_ps(uint64_t now_ps, uint64_t period_ps, uint64_t cycles)
{
    return (now_ps + period_ps - 1) / period_ps * period_ps + cycles * period_ps;
}

/* Ticks to whole cycles, rounded up: cyc(d). */
static inline uint64_t clock_cycles(uint64_t ticks_ps, uint64_t period_ps)
{
    return (ticks_ps + period_ps - 1) / period_ps;
}

static inline uint64_t max_u64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static inline uint64_t min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

#endif
