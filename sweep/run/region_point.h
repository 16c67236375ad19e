/* A workload of regions: its file, its checks, and a point of a sweep that runs it.
 *
 * Use: region_workload_find in place of workload_find; region_workload_check with what else the run wants;
 * region_point_run; region_workload_close in place of workload_close. A workload that is not of regions passes through
 * the first and the last as it is.
 * Figures: those of run_point: the statistics of the whole program, estimated, that metrics are made of, and what
 * sweep/results/sample.h adds. */
#ifndef SWEEP_RUN_REGION_POINT_H
#define SWEEP_RUN_REGION_POINT_H

#include <stdio.h>

#include "base/fault.h"
#include "replay/regions/estimate.h"
#include "replay/session/session.h"
#include "replay/source/workload.h"
#include "sweep/run/region_warm.h"

/* FAULT_INPUT: a damaged file of regions, one of another trace, or one beside other traces. */
struct fault region_workload_find(struct workload *workload, const char *name, const char *const *paths, size_t count,
                                  const struct workload_options *options);
void region_workload_close(struct workload *workload);

/* FAULT_INPUT: limits of whole runs, or what else is for these (run_extra), with regions. extra: its name, or NULL. */
struct fault region_workload_check(const struct workload *workload, const struct session_limits *limits,
                                   const char *extra);
/* How its regions begin: the name of a method of region_warm.h; NULL: as usual, as without this call. To be called
 * before workload_hash. FAULT_INPUT: it is none. */
struct fault region_workload_warm(struct workload *workload, const char *name);
/* Can regions be added until an interval is narrow enough? FAULT_INPUT: the set has none. */
struct fault region_workload_check_until(const struct workload *workload);
/* Which of a set's regions are run if `regions` are wanted: of each stratum a share at random, two at least, and those
 * of a smaller number are among those of a larger one. Returns how many. */
size_t region_point_choose(const struct region_set *set, size_t regions, bool *wanted);
/* Instructions of all regions with their warm-ups. */
uint64_t region_workload_instructions(const struct workload *workload);

/* FAULT_INPUT: regions on cores that are not detailed. */
struct fault region_point_check(const struct workload *workload, const struct system_config *config);

struct region_point {
    const struct system_config *config;  /* finished */
    const struct workload *workload;
    struct engine_options engine;
    size_t jobs;                         /* regions at a time */
    double confidence;                   /* in percent */
    size_t regions;                      /* that are wanted at least, of each stratum a share; 0: all */
    const char *kept;                    /* file for the statistics of regions that were run; NULL: none */
};

struct fault region_point_run(const struct region_point *point, FILE *figures);
/* The figures alone, of an estimate that was made. */
struct fault region_point_write(const struct estimate *estimate, double confidence_percent, FILE *figures);

#endif
