/* Shared by the parts of tests/o3-timing: one run of a program on a system of the reference, and the compared figures.
 * See o3_timing.c. */
#ifndef TESTS_O3_TIMING_H
#define TESTS_O3_TIMING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "tests/support/elastic_compare.h"
#include "tests/support/stages.h"

enum { O3_PATH = 4096, O3_NAME = 128, O3_PROBLEM = 1024, O3_MOST_SETTINGS = 64 };

/* What a system is to the means. */
enum o3_kind { O3_BASE, O3_MEMORY, O3_IDEAL, O3_VARIANT, O3_PREDICTOR, O3_COUNTED_PREDICTOR };

/* suffix, name in both statistics below system.cpu, name in our lines, whether it must be equal */
#define O3_COUNTS(C)                                                                                                  \
    C(INSTRUCTIONS, "commitStats0.numInsts", "instructions", true)                                                    \
    C(LOADS, "commitStats0.numLoadInsts", "loads", true)                                                              \
    C(STORES, "commitStats0.numStoreInsts", "stores", true)                                                           \
    C(MISPREDICTS, "commit.branchMispredicts", "mispredicts", false)                                                  \
    C(ORDER_VIOLATIONS, "lsq0.memOrderViolation", "mem_order_violation", false)                                       \
    C(FORWARDED, "lsq0.forwLoads", "forw_loads", false)                                                               \
    C(BLOCKED, "lsq0.blockedByCache", "blocked_by_cache", false)                                                      \
    C(CACHE_LINES, "fetch.cacheLines", "cache_lines", false)                                                          \
    C(CONFLICTING, "MemDepUnit__0.conflictingLoads", "conflicting_loads", false)                                      \
    C(ROB_FULL, "rename.ROBFullEvents", "rob_full", false)                                                            \
    C(IQ_FULL, "rename.IQFullEvents", "iq_full", false)                                                               \
    C(LQ_FULL, "rename.LQFullEvents", "lq_full", false)                                                               \
    C(SQ_FULL, "rename.SQFullEvents", "sq_full", false)

#define O3_COUNT_ENUM(suffix, statistic, name, is_equal) O3_##suffix,
enum o3_count { O3_COUNTS(O3_COUNT_ENUM) O3_COUNT_COUNT };

struct o3_figures {
    double cycles, ticks;
    double counts[O3_COUNT_COUNT];
    bool has_cycles, has_count[O3_COUNT_COUNT];
};

struct o3_options {
    char rubato[O3_PATH], work[O3_PATH];
    const char *oracle, *traces, *model, *suffix;
    const char *settings[O3_MOST_SETTINGS];
    size_t setting_count;
    unsigned jobs;
    bool keep, has_stages;
};

struct o3_run {
    char program[O3_NAME], system[O3_NAME], file[2 * O3_NAME];
    enum o3_kind kind;
    bool is_started, is_done;
    bool is_without_capture;             /* window, elastic: no capture exists, so the run is skipped */
    pid_t process;
    double seconds;                      /* of our processor's time */
    char problem[O3_PROBLEM];            /* "": none */
    struct o3_figures reference, ours;
    bool has_stages;                     /* the reference has a pipeline listing of it */
    struct stage_comparison stages;
    uint64_t first_pc;                   /* of the micro-op that differs first, if one does */
    bool has_probe;                      /* the reference has an elastic trace of it */
    struct elastic_compared elastic;
    double replay_error_sum, replay_error_worst;     /* percent: replays of both elastic traces */
    unsigned replay_count;
};

/* ---- o3_timing_run.c */

/* False: the name is none of a system that is known here. */
bool o3_system_kind(const char *system, enum o3_kind *kind);
/* Its pipeline listing, if the reference has one. */
bool o3_pipeline_path(const struct o3_options *options, const struct o3_run *run, char path[O3_PATH]);
/* Starts ours; problem says why not. */
bool o3_start(const struct o3_options *options, struct o3_run *run);
/* After the process has ended with this status: reads both statistics and listings, and removes our files. */
void o3_finish(const struct o3_options *options, struct o3_run *run, int status);
/* Of statistics; 0: no statistics. */
double o3_final_tick(const char *path);
/* Files that several runs of a program share. */
void o3_remove_shared(const struct o3_options *options, const char *program);

/* ---- o3_timing_probe.c */

/* Where our core's elastic trace goes, if the reference has one of this run. */
bool o3_probe_path(const struct o3_options *options, const struct o3_run *run, char path[O3_PATH]);
/* After the run: compares, replays both, and removes ours. */
void o3_read_probe(const struct o3_options *options, struct o3_run *run);

#endif
