/* The layout of samples as text (JSON), for recordings and for readers in other processes.
 *
 * One object: format, version, interval_ps, words, components (name, part, parent), links (from, to, field, element;
 * -1: none), fields (component, name, kind, unit, help, first, count; limit, elements, states where there are any). No
 * component has two fields of one name.
 *
 * Use: telemetry_text_write; or telemetry_text_read, look at `layout`, telemetry_text_free. A layout that was read has
 * no sources: telemetry_read is not for it.
 * Errors: FAULT_INPUT names the part of the text that is wrong; FAULT_MEMORY. */
#ifndef REPLAY_RECORD_TELEMETRY_TEXT_H
#define REPLAY_RECORD_TELEMETRY_TEXT_H

#include "memsys/cache/cache.h"
#include "memsys/dram/mem_ctrl.h"
#include "memsys/dram/simple_memory.h"
#include "memsys/gpu/watch.h"
#include "memsys/noc/address_heat.h"
#include "memsys/noc/crossbar.h"
#include "memsys/telemetry/telemetry.h"
#include "replay/gpu/gpu_run.h"
#include "replay/system/system.h"

struct telemetry_text {
    struct telemetry layout;
    uint64_t interval_ps;
    void *root;                          /* owns texts of the layout */
    const char ***name_lists;            /* those of fields; NULL for a field without */
};

/* *text is the caller's to free. */
struct fault telemetry_text_write(const struct telemetry *telemetry, uint64_t interval_ps, char **text);
struct fault telemetry_text_read(struct telemetry_text *read, const char *text, size_t length);
void telemetry_text_free(struct telemetry_text *read);

/* The figures of each component of a memory system in a sample (memsys/telemetry/telemetry.h).
 *
 * Each function adds a component under `parent` with its figures and returns its index. Call them when the system is
 * complete. Units: ticks are picoseconds. Ownership: the component must outlive the layout; it is not changed. */

/* Names of fields that links count by. */
#define TELEMETRY_BUS_ABOVE "bytes_above"
#define TELEMETRY_BUS_BELOW "bytes_below"

/* Whose accesses a cache is asked for: all requestors, or, for a private one, a few. */
struct telemetry_requestors {
    unsigned first, count;
};

/* Demand hits and misses are those of `requestors`; a private cache sees no others, and is read faster so. */
uint32_t telemetry_add_cache(struct telemetry *telemetry, uint32_t parent, const struct cache *cache,
                             struct telemetry_requestors requestors);
/* Its fields TELEMETRY_BUS_ABOVE and _BELOW have one element a port. */
uint32_t telemetry_add_noc(struct telemetry *telemetry, uint32_t parent, struct noc *noc);
/* With its channels and their ranks. */
uint32_t telemetry_add_mem_ctrl(struct telemetry *telemetry, uint32_t parent, const struct mem_ctrl *ctrl);
struct cmd_ctrl;
uint32_t telemetry_add_cmd_ctrl(struct telemetry *telemetry, uint32_t parent, const struct cmd_ctrl *ctrl);
uint32_t telemetry_add_simple_memory(struct telemetry *telemetry, uint32_t parent, const struct simple_memory *memory);
/* The rank of a component that telemetry_add_mem_ctrl made of one; NULL of others. */
const struct dram_rank *telemetry_rank_of(const struct telemetry *telemetry, uint32_t component);
/* Fields heat_base, heat_shift, heat of a component. */
void telemetry_add_heat(struct telemetry *telemetry, uint32_t component, const struct address_heat *heat);

/* The layout of samples for a whole system, or for a GPU with its own memory (memsys/telemetry/telemetry.h): cores,
 * caches, buses, memories, the GPU, their connections, bytes moved by requestor, accesses by region of memory.
 *
 * Use: telemetry_system_make or telemetry_gpu_make before the run; then telemetry_read of the layout for each sample,
 * between two calls of system_run or gpu_run_step; telemetry_system_reset where statistics restart;
 * telemetry_system_free at the end, after the run was destroyed. The layout does not change the run: same ticks, same
 * statistics.
 * Units: picoseconds, bytes. Ownership: the system or run must outlive the layout. */

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

/* Adds made->gpu: its SMs, interconnect, slices of the L2, channels (replay/record/telemetry_gpu.c), and the counts of
 * made->watch. `heat`: of the slices' requests to DRAM, or NULL. Returns its index. */
uint32_t telemetry_add_gpu(struct telemetry_system *made, uint32_t parent, struct address_heat *heat);

#endif
