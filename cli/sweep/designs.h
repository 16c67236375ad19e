/* Designs: which combinations of a sweep's axes run, for programs that choose them, such as rubato.Sweep of the Python
 * package.
 *
 * A file of designs is a table: the first line names axes, and may name `system`; each further line is a design, with a
 * value of each. Tabs part the columns, or commas if the first line has no tab. Values are as in the sweep's file, or
 * equal to one (524288 for 512KiB). An axis may be left out if it has a single value.
 *
 * Use: designs_plan in place of plan_make. Faults name file and line. designs_print_axes: the axes as JSON, from
 * which a program chooses. */
#ifndef CLI_SWEEP_DESIGNS_H
#define CLI_SWEEP_DESIGNS_H

#include "sweep/plan/plan.h"

struct fault designs_plan(struct plan **made, const struct spec *spec, struct workload *workloads, const char *version,
                          const char *path);
void designs_print_axes(const struct spec *spec);

#endif
