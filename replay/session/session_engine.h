/* Binds fast paths to systems: the one place outside the folders fast/ that knows them.
 *
 * Use: engine_of with the properties of a run that are known beforehand, and system_create with its result;
 * system->engine.unused then has the reason for each requested fast path that the run does not use.
 * Ownership: plain values. */
#ifndef REPLAY_SESSION_SESSION_ENGINE_H
#define REPLAY_SESSION_SESSION_ENGINE_H

#include "replay/system/system.h"

/* is_logged: system->sim.log will be set before the run. is_interrupted: the run will be looked at or stopped before
 * its end, other than by max_events. */
struct system_engine engine_of(struct engine_options options, bool is_logged, bool is_interrupted);

/* Those of the fast paths that leave every request to the caches themselves, whose watches see it then. */
struct engine_options engine_watched(struct engine_options options);

/* How a walk over a trace goes (replay/warm/warm_walk.h); NULL: by instructions. */
const struct warm_walk_way *engine_walk(const struct engine_options *options);
/* Controllers of DRAM commands, before they are made. */
void engine_bind_commands(struct cmd_config *config, const struct engine_options *options);
/* A memory controller without a system. */
struct fault engine_bind_controller(struct mem_ctrl *controller, const struct engine_options *options);
/* A GPU's memory, with its own controllers if it is alone, before it starts. */
struct fault engine_bind_gpu(struct gpu_run *gpu, const struct engine_options *options);

enum { ENGINE_NOTE_BYTES = 240 };

/* Which fast paths a run does not use because it is logged or looked at, and why: a line without end. False: none. */
bool engine_note(const struct system_engine *engine, char text[ENGINE_NOTE_BYTES]);

#endif
