/* One launch of a list of GPU kernels, behind the launches before it that fill caches.
 *
 * Its figures are those that the list up to it has more than the list up to its warm-up, both from the same first
 * launch: counts and times are differences, averages over time those of the time between. With launches that overlap,
 * its time is that by which the list takes longer. Copies of the list take place. */
#ifndef SWEEP_RUN_KERNEL_REGION_H
#define SWEEP_RUN_KERNEL_REGION_H

#include "sweep/run/region_runs.h"

/* visit: as session_visit_stats calls it. FAULT_INPUT: the system has no GPU with memory of its own. */
struct fault kernel_region_run(const struct region_runs_request *request, const struct region *region,
                               void (*visit)(void *context, const char *name, double value), void *context);

#endif
