/* Limits lie between the programs that were judged, far from any: per 1000 micro-ops, reschedulings are below 0.01 or
 * 74 (forward); mispredictions up to 7 (memops), 12 to 31, or 44 and more; lines from memory per misprediction 0.2
 * (hashjoin on base) or 0.5 (on small); serialising ones 0 or 114 (nbody). */
#include "sweep/compare/kinds.h"

#define OVERLAPS_PER_1000 5
#define MISPREDICTIONS_PER_1000 10
#define MANY_MISPREDICTIONS_PER_1000 38
#define LINES_A_MISPREDICTION 0.35
#define SERIALISING_PER_1000 2
#define LINES_PER_1000 5

const struct window_kind_about window_kinds[KIND_COUNT] = {
#define WINDOW_KIND_ABOUT(suffix, name, least, most, why) [KIND_##suffix] = {name, least, most, why},
    WINDOW_KINDS(WINDOW_KIND_ABOUT)
};

double run_memory_lines(const struct run_figures *figures)
{
    const struct run_cache *const last = figures->caches[RUN_L3].accesses > 0 ? &figures->caches[RUN_L3]
                                       : figures->caches[RUN_L2].accesses > 0 ? &figures->caches[RUN_L2]
                                                                              : &figures->caches[RUN_L1D];

    return last->misses;
}

enum window_kind window_kind_of(const struct run_figures *replay)
{
    double const thousands = replay->instructions / 1000, lines = run_memory_lines(replay);

    if (replay->rescheduled_loads > OVERLAPS_PER_1000 * thousands)
        return KIND_OVERLAPS;
    if (replay->mispredictions > MANY_MISPREDICTIONS_PER_1000 * thousands)
        return KIND_MISPREDICTS;
    if (replay->mispredictions > MISPREDICTIONS_PER_1000 * thousands)
        return lines > LINES_A_MISPREDICTION * replay->mispredictions ? KIND_NEXT_LINES : KIND_BRANCHES;
    if (replay->serialising > SERIALISING_PER_1000 * thousands)
        return KIND_SERIAL;
    return lines > LINES_PER_1000 * thousands ? KIND_STREAMS : KIND_COMPUTES;
}
