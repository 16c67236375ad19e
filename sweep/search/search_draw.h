/* Draws: numbers by chance that depend on the seed only, the same on every host.
 *
 * Use: a struct search_draw with any seed; the functions in any order. Source: SplitMix64: Steele, Lea, Flood, "Fast
 * splittable pseudorandom number generators", OOPSLA 2014. */
#ifndef SWEEP_SEARCH_SEARCH_DRAW_H
#define SWEEP_SEARCH_SEARCH_DRAW_H

#include <stddef.h>
#include <stdint.h>

struct search_draw {
    uint64_t state;
};

static inline uint64_t search_draw_bits(struct search_draw *draw)
{
    uint64_t bits = draw->state += 0x9e3779b97f4a7c15u;

    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
    return bits ^ (bits >> 31);
}

/* From 0 to below `count`, which is at least 1. */
static inline size_t search_draw_below(struct search_draw *draw, size_t count)
{
    return (size_t)((search_draw_bits(draw) >> 11) % count);
}

/* From 0 to below 1. */
static inline double search_draw_share(struct search_draw *draw)
{
    return (double)(search_draw_bits(draw) >> 11) * 0x1p-53;
}

#endif
