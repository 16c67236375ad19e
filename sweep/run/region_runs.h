/* Runs the regions of a program, or launches of GPU kernels, on one system, several at a time, and estimates from them
 * what all of it would do.
 *
 * Use: region_runs; the estimate is the caller's to free, also after a fault.
 * Each region is a session of its own in a process of its own, so nothing of one is left for another; results are the
 * same for any number of processes. Errors: those of the sessions, the first region's first; a process that was killed;
 * FAULT_STALL, "stopped", where `is_interrupted` said so. */
#ifndef SWEEP_RUN_REGION_RUNS_H
#define SWEEP_RUN_REGION_RUNS_H

#include "replay/regions/estimate.h"
#include "replay/session/session.h"
#include "sweep/run/region_warm.h"

struct region_runs_request {
    const struct system_config *config;  /* finished; of detailed cores, or with a GPU */
    const struct region_set *set;
    const char *trace;                   /* path */
    const struct workload_options *reading;
    struct engine_options engine;
    size_t jobs;                         /* at least 1 */
    double confidence;
    enum region_warm_method warm;
    const bool *wanted;                  /* of each region; NULL: all */
    /* Several times a second, with the regions that are done. True: stop. */
    bool (*is_interrupted)(void *context, size_t done);
    void *context;
};

/* FAULT_INPUT: a system without what these regions run on, or a way to begin that they do not have. where: names the
 * set. */
struct fault region_runs_check(const struct region_set *set, const char *where, const struct system_config *config,
                               enum region_warm_method warm);
struct fault region_runs(const struct region_runs_request *request, struct estimate *estimate);

/* The same for an estimate that was begun and may have some regions already: adds the wanted ones that it lacks, and
 * makes it anew. */
struct fault region_runs_add(const struct region_runs_request *request, struct estimate *estimate);

#endif
