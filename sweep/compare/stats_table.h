/* Statistics files as tables: gem5's stats.txt, and the output of `replay --stats`, as text or as JSON.
 *
 * Use: stats_table_read, stats_table_find or the lines themselves, stats_table_free. Plain or gzip; text or JSON as
 * the first byte says. A file of several blocks counts by its last one. Values are kept as they are written.
 * Ownership: a table owns its texts.
 * Errors: a file that cannot be read, breaks off, holds no complete block, or a
 * name twice in a block: FAULT_INPUT. */
#ifndef SWEEP_COMPARE_STATS_TABLE_H
#define SWEEP_COMPARE_STATS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"

struct stats_line {
    const char *name, *value;
    const char *shares;              /* "47.85% 94.67%", which follow bins; "" if absent */
    size_t order;                    /* in the file */
};

struct stats_table {
    struct stats_line *lines;        /* by name */
    size_t count;
    char *text;
    bool is_from_json;               /* values may have more digits than stats.txt prints */
};

struct fault stats_table_read(struct stats_table *table, const char *path);
/* The same of bytes in memory; faults call them `name`. The text is changed and becomes the table's; it was
 * made by malloc, and text[length] is 0. */
struct fault stats_table_parse(struct stats_table *table, const char *name, char *text, size_t length);
void stats_table_free(struct stats_table *table);

/* NULL if the name is unknown. */
const struct stats_line *stats_table_find(const struct stats_table *table, const char *name);

/* The figures of a run from a statistics file, under names independent of its writer: gem5 in its classic form
 * (`system.cpu.dcache`), in the standard library's (`board.cache_hierarchy.l1d-cache-0`), with caches called l1d and
 * l2, with the underscores of releases before 21.0, or rubato.
 *
 * Instances of a kind are added up: the L1Ds of all cores, all channels. Caches of address translation and of devices
 * are left out. Figures missing in a file are 0; the tick is never 0 in a file that ended.
 * Units: ticks are picoseconds of a simulator whose simFreq is 10^12, as all of these have. */

enum run_level { RUN_L1I, RUN_L1D, RUN_L2, RUN_L3, RUN_LEVELS };

struct run_cache {
    double accesses;                 /* of cores and the caches above; without evictions */
    double misses;                   /* that asked for a line below; not those that joined one on its way */
    double miss_latency_ps;          /* sum over these */
};

struct run_figures {
    uint64_t ticks;                  /* at which the run ended */
    double half;                     /* of the interval of ticks, as a share of them; 0: not from regions; NAN: none */
    double host_s;
    double instructions;             /* micro-ops where a replay counts those */
    struct run_cache caches[RUN_LEVELS];
    double dram_bytes;               /* read and written */
    double mispredictions;           /* of detailed cores, found at execution, as are the next three: */
    double rescheduled_loads;        /* made again: a store that is still held wrote part of their input */
    double serialising;              /* micro-ops that waited for all before them */
    double non_speculative;          /* fences, atomics: commit waits for them, as they are executed at the head */
};

/* FAULT_INPUT: the file says no final tick. */
struct fault run_figures_of(const struct stats_table *table, const char *path, struct run_figures *figures);

/* Means and shares; 0 where nothing was counted. */
double run_miss_latency_ns(const struct run_figures *figures, enum run_level level);
double run_misses_in_flight(const struct run_figures *figures, enum run_level level);    /* on average over the run */
double run_dram_gb_per_s(const struct run_figures *figures);

#endif
