/* What a sample has of a whole system, or of a GPU with memory of its own (memsys/telemetry/telemetry.h): cores,
 * caches, buses, memories, the GPU, how they are joined, who moves how many bytes, where in memory.
 *
 * Use: telemetry_system_make or telemetry_gpu_make before the run; then telemetry_read of the layout for each sample,
 * between two calls of system_run or gpu_run_step; telemetry_system_reset where statistics restart;
 * telemetry_system_free at the end, after the run was destroyed. A run that has such a layout does what it does
 * without: same ticks, same statistics.
 * Units: picoseconds, bytes. Ownership: the system or run must outlive the layout. */
#ifndef REPLAY_RECORD_TELEMETRY_SYSTEM_H
#define REPLAY_RECORD_TELEMETRY_SYSTEM_H

#include "memsys/gpu/watch.h"
#include "memsys/noc/address_heat.h"
#include "memsys/telemetry/telemetry.h"
#include "replay/gpu/run.h"
#include "replay/system/system.h"

struct telemetry_system {
    struct telemetry layout;
    const char **requestor_names;        /* as the layout has them; NULL: a GPU alone */
    struct address_heat heat;            /* of requests that leave the caches */
    struct gpu_watch watch;              /* of the GPU, if there is one */
    struct system *system;               /* NULL: a GPU alone */
    const struct gpu_run *gpu;
    const struct gpu_counts *gpu_before; /* its counters when statistics began; NULL: with the run */
    uint32_t gpu_channels;               /* place of the first of its channels; those of a shared memory follow it */
};

/* Before the first event of the run; *made may not move afterwards. FAULT_MEMORY; telemetry_system_free is due in any
 * case. */
struct fault telemetry_system_make(struct telemetry_system *made, struct system *system);
struct fault telemetry_gpu_make(struct telemetry_system *made, const char *name, const struct gpu_run *run);
void telemetry_system_free(struct telemetry_system *made);

/* Statistics restart now: counters of the next samples began here. */
void telemetry_system_reset(struct telemetry_system *made, uint64_t now_ps);

/* Adds made->gpu: its SMs, interconnect, slices of the L2, channels (replay/record/telemetry_gpu.c), and what
 * made->watch counts of them. `heat`: of what the slices send to DRAM, or NULL. The answer is its place. */
uint32_t telemetry_add_gpu(struct telemetry_system *made, uint32_t parent, struct address_heat *heat);

#endif
