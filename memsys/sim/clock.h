/* Clock edges of a component (classic-memory 1.2): the multiples of its period, from tick 0.
 *
 * Use: clock_edge_ps and clock_cycles with a period; on hot paths clock_domain once, and then domain_edge_ps and
 * domain_cycles, which are equal, and do not divide. */
#ifndef MEMSYS_SIM_CLOCK_H
#define MEMSYS_SIM_CLOCK_H

#include <stdint.h>

#include "base/arith.h"

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

/* A period, with the constants that replace the division by it. */
struct clock_domain {
    uint64_t period_ps;
    uint64_t reciprocal;             /* floor((2^64 - 1) / period_ps) */
};

static inline struct clock_domain clock_domain(uint64_t period_ps)
{
    return (struct clock_domain){period_ps, UINT64_MAX / period_ps};
}

static inline uint64_t high_half_u64(uint64_t a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
    __extension__ typedef unsigned __int128 wide;

    return (uint64_t)((wide)a * b >> 64);
#else
    uint64_t const low = UINT32_MAX, cross = (a >> 32) * (b & low) + ((a & low) * (b & low) >> 32);

    return (a >> 32) * (b >> 32) + (cross >> 32) + (((cross & low) + (a & low) * (b >> 32)) >> 32);
#endif
}

/* ticks_ps / period_ps. With reciprocal r, period p, the product (ticks + 1) * r / 2^64 is (ticks + 1) / p less
 * (ticks + 1) * e / (p * 2^64), where e = 2^64 - r * p is 1 to p: above 0, and at most 1 / p as long as
 * ticks + 1 <= r, which for a clock of 2 GHz is ten hours. Its floor then is the quotient. */
static inline uint64_t domain_quotient(struct clock_domain domain, uint64_t ticks_ps)
{
    if (ticks_ps >= domain.reciprocal)
        return ticks_ps / domain.period_ps;
    return high_half_u64(ticks_ps + 1, domain.reciprocal);
}

/* clock_cycles(ticks_ps, domain.period_ps) */
static inline uint64_t domain_cycles(struct clock_domain domain, uint64_t ticks_ps)
{
    return ticks_ps == 0 ? 0 : domain_quotient(domain, ticks_ps + domain.period_ps - 1);
}

/* clock_cycles(ticks_ps, domain.period_ps) of a short time: ticks_ps + period_ps < 2^32. As above, without asking. */
static inline uint64_t domain_short_cycles(struct clock_domain domain, uint64_t ticks_ps)
{
    return high_half_u64(ticks_ps + domain.period_ps, domain.reciprocal);
}

/* clock_edge_ps(now_ps, domain.period_ps, 0) */
static inline uint64_t domain_edge_ps(struct clock_domain domain, uint64_t now_ps)
{
    return domain_quotient(domain, now_ps + domain.period_ps - 1) * domain.period_ps;
}

#endif
