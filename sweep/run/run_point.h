/* One point: a replay of one workload on one system, from nothing to its figures.
 *
 * Figures: one JSON object {"name": number, ...}. Of a system with cores it is the block that `rubato replay --stats
 * FILE.json` writes (replay/record/stats_json.h). Of a GPU alone: simTicks, simSeconds, system.gpu.COUNTER summed
 * over all kernels (memsys/gpu/counts.h), kernelN.cycles and kernelN.FIGURE of each (replay/gpu/figures.h).
 *
 * With `alone` each program runs by itself, too (replay/session/mix.h): mixWeightedSpeedup and so on follow.
 *
 * Use: run_point. Nothing stays open. Two calls with the same arguments write the same bytes. */
#ifndef SWEEP_RUN_RUN_POINT_H
#define SWEEP_RUN_RUN_POINT_H

#include <stdio.h>

#include "replay/session/session.h"

/* config: finished. checks_itself: the caller looks whether the traces changed meanwhile. The output is useless after
 * a fault. */
struct fault run_point(const struct system_config *config, struct workload *workload,
                       const struct session_limits *limits, struct engine_options engine, bool runs_alone,
                       FILE *figures, bool checks_itself);

#endif
