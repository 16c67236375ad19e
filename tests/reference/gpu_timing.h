/* What the parts of tests/gpu-timing share: tables in tabs, systems of the reference, one run. See gpu_timing.c. */
#ifndef TESTS_GPU_TIMING_H
#define TESTS_GPU_TIMING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "replay/config/config.h"
#include "replay/gpu/gpu_run.h"

enum { TIMING_PATH = 4096, TIMING_PROBLEM = 1024, TIMING_MOST_SETTINGS = 16 };

/* ---- tables (gpu_timing_tsv.c): a line of columns, lines of values */
struct tsv {
    char *text;
    char **cells;                        /* line by line, the columns first */
    size_t columns, rows;                /* rows: without the columns' own */
};

/* False: it is not there, or no such table. */
bool tsv_open(struct tsv *table, const char *folder, const char *name);
void tsv_close(struct tsv *table);
/* "" if there is no such column. */
const char *tsv_text(const struct tsv *table, size_t row, const char *column);
/* 0 if it is not a number. */
double tsv_number(const struct tsv *table, size_t row, const char *column);

/* ---- systems (gpu_timing_run.c) */

/* The shipped *-accelsim system of a configuration of the reference, or of its column in accelsim-config.tsv if none is
 * shipped, changed by options such as "-dram_latency 200" ("" or "-": none). */
bool timing_system(const char *oracle, const char *name, const char *options, struct system_config *config,
                   char problem[TIMING_PROBLEM]);
/* The options of a variant by its name, if accelsim-runs.tsv does not have them. False: unknown. */
bool timing_variant_options(const struct system_config *plain, const char *variant, char *options, size_t size);
/* A shipped system by its name, changed by settings KEY=VALUE. */
bool timing_shipped(const char *name, const char *const *settings, size_t count, struct system_config *config,
                    char problem[TIMING_PROBLEM]);

/* ---- one run */
struct timing_kernel {
    struct gpu_counts counts;
    uint64_t cycles;                     /* without launch latency */
    uint64_t launch_ps, end_ps;
};

struct timing_run {
    struct timing_kernel *kernels;
    size_t count;
    uint64_t time_ps;
};

/* list: or its folder. */
bool timing_run(const struct system_config *config, const char *list, bool with_copies, struct timing_run *run,
                char problem[TIMING_PROBLEM]);
void timing_run_free(struct timing_run *run);

/* ---- micro traces (gpu_timing_micro.c) */

struct timing_micro_result {
    bool has_run;                        /* there are micro traces */
    unsigned exact, exact_of;            /* dep_* above DRAM whose figure is an integer */
    unsigned close, close_of;            /* within 2 %, of those that reach DRAM */
    double worst_pct;                    /* of all dep_* */
    char worst[128];
};

/* Runs all of accelsim-micro.tsv, if it is there, and prints its lines. False: they could not be run, which is
 * printed. */
bool timing_micro(const char *oracle, struct timing_micro_result *result);

#endif
