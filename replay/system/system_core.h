/* A core of a system, of either model: an elastic one (replay/elastic/) replays records, a detailed one
 * (replay/detailed/) executes instructions. Operations of both go through these functions; code that differs by model
 * (statistics, fast paths of the elastic one) tests core->detailed.
 *
 * Work is counted in records of the elastic core, and in instructions of the detailed one. Times are picoseconds.
 * Ownership: as of both models; core_free takes down what core_make made. */
#ifndef REPLAY_SYSTEM_SYSTEM_CORE_H
#define REPLAY_SYSTEM_SYSTEM_CORE_H

#include "memsys/vm/vm_space.h"
#include "replay/system/system.h"

/* Of one of the two models, as the configuration says; core->name is set. period_ps and such: as of the elastic core;
 * supply and listener of `traces`: of the detailed one. After a fault core_free is due. */
struct fault core_make(struct system_core *core, const struct elastic_cpu_setup *setup,
                       const struct system_config *config, const struct system_traces *traces);
void core_free(struct system_core *core);

/* The core's port, for its L1, and the connection to the component below. */
struct above core_port(struct system_core *core, bool is_fetch);
void core_connect(struct system_core *core, bool is_fetch, const struct below *below);
/* All is joined. `finished` is called when it is done; `reached` when work as core_notify_at said is. */
void core_listen(struct system_core *core, void (*finished)(struct system_core *core),
                 void (*reached)(struct system_core *core));
void core_notify_at(struct system_core *core, uint64_t work);

/* A thread from now on; the fault of a core that could not begin stays in core_fault, too. */
void core_take(struct system_core *core, const struct system_thread *thread);
struct fault core_start(struct system_core *core);
/* Brings statistics that depend on time up to the present; is_whole: also those that samples do not show. */
void core_sync(struct system_core *core, bool is_whole);
void core_add_stats(struct system_core *core, struct stats *stats);

bool core_is_done(const struct system_core *core);
bool core_is_waiting(const struct system_core *core);
uint64_t core_activity(const struct system_core *core);
/* From the start of the run. */
uint64_t core_work(const struct system_core *core);
const struct fault *core_fault(const struct system_core *core);
void core_describe(const struct system_core *core, char *text, size_t size);
/* Of the request that core_describe names; false: it names none. */
bool core_stuck_address(const struct system_core *core, uint64_t *address);
/* Of fetches and of data. */
struct core_requestors { requestor_id inst, data; };
struct core_requestors core_requestors(struct system_core *core);

/* Building a system: components from a configuration, joined. For system.c only. */

/* Fills an all-zero system whose config and engine are set; after a fault system_destroy takes it down. gpu: as in
 * system_create; gpu_done is called, with the system, when the GPU has finished. */
struct fault system_build(struct system *system, const struct system_traces *traces, const struct system_gpu *gpu,
                          void (*gpu_done)(void *system));

/* Address spaces of a system: its memories, and pages:, as memsys/vm/vm_space.h wants them.
 *
 * Use: spaces_make before traces are opened whose addresses are virtual; spaces in it for their processes; it goes into
 * struct system_traces of the cores that replay them, and outlives the system. vm_memory_free. */

struct system_config;

/* config: finished. NULL: FAULT. */
struct vm_memory *spaces_make(const struct system_config *config, struct fault *fault);

/* Are pages placed otherwise than by first touch in pages of 4 KiB, or are the places of their tables needed? If not,
 * MacSim traces are read without spaces. */
bool spaces_are_needed(const struct system_config *config);

/* Applies a file of mappings to a space (proto/insn/v2p.h); "": none. Before its pages are touched. For one space of a
 * memory: those of a second process would lie at the same places, which is a FAULT. */
struct fault spaces_map(struct space *space, const char *file);

#endif
