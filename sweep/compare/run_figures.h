/* What a statistics file says of a run, by names that do not depend on who wrote it: gem5 in its classic form
 * (`system.cpu.dcache`), in the standard library's (`board.cache_hierarchy.l1d-cache-0`), with caches called l1d and
 * l2, with the underscores of releases before 21.0, or rubato.
 *
 * Instances of a kind are added up: the L1Ds of all cores, all channels. Caches of address translation and of devices
 * are left out. What a file lacks is 0; the tick is never 0 in a file that ended.
 * Units: ticks are picoseconds of a simulator whose simFreq is 10^12, as all of these have. */
#ifndef SWEEP_COMPARE_RUN_FIGURES_H
#define SWEEP_COMPARE_RUN_FIGURES_H

#include <stdint.h>

#include "base/fault.h"
#include "sweep/compare/stats_table.h"

enum run_level { RUN_L1I, RUN_L1D, RUN_L2, RUN_L3, RUN_LEVELS };

struct run_cache {
    double accesses;                 /* of cores and the caches above; without evictions */
    double misses;                   /* that asked for a line below; not those that joined one on its way */
    double miss_latency_ps;          /* sum over these */
};

struct run_figures {
    uint64_t ticks;                  /* at which the run ended */
    double host_s;
    double instructions;             /* micro-ops where a replay counts those */
    struct run_cache caches[RUN_LEVELS];
    double dram_bytes;               /* read and written */
    double mispredictions;           /* of detailed cores, found at execution, as are the next two: */
    double rescheduled_loads;        /* made again: a store that is still held wrote part of their input */
    double serialising;              /* micro-ops that waited for all before them */
};

/* FAULT_INPUT: the file says no final tick. */
struct fault run_figures_of(const struct stats_table *table, const char *path, struct run_figures *figures);

/* Means and shares; 0 where nothing was counted. */
double run_miss_latency_ns(const struct run_figures *figures, enum run_level level);
double run_misses_in_flight(const struct run_figures *figures, enum run_level level);    /* on average over the run */
double run_dram_gb_per_s(const struct run_figures *figures);

#endif
