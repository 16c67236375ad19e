/* GPU memory below the L1s: interconnect, L2 slices, and the way to DRAM (gpu-traces 10, 12).
 *
 * Use: gpu_memory_create; each SM sends requests when gpu_memory_has_room; answers to reads and atomics, and the
 * acknowledgements of writes, come by the sink's `answer`. gpu_memory_idle is true when no request is under way.
 * Everything happens in events of `sim`; a component without work has no event.
 *
 * DRAM: one memory controller a channel, made here from memory_params (the code that CPUs use), or, where CPU and GPU
 * share memory, ports of the system that the caller gives. To a controller of its own a request goes by row, bank and
 * column of gpu-traces 12.3, regardless of the channels and interleaving in the memory's params; to the caller's port
 * it goes by its real address, reads as ReadReq, writes as WritebackDirty.
 *
 * Counted here, in the counters of the request's kernel: l2_*, dram_*, latency_*. Atomics are reads of the L2 that are
 * also counted as atomics. A dirty line that a request evicts from the L2 counts as written by that request's kernel.
 *
 * Units: ticks are picoseconds, sizes bytes. Ownership: the memory owns all below the SMs; requests are copied, their
 * counters must live until they are answered. */
#ifndef MEMSYS_GPU_GPU_MEMORY_H
#define MEMSYS_GPU_GPU_MEMORY_H

#include "memsys/gpu/counts.h"
#include "memsys/sim/port.h"
#include "memsys/sim/sim.h"

enum gpu_request_kind { GPU_READ, GPU_WRITE, GPU_ATOMIC };

struct gpu_request {
    uint64_t address;                    /* first byte; within one sector */
    uint64_t byte_mask;                  /* of the sector, for writes and atomics */
    uint64_t token;                      /* comes back with the answer */
    struct gpu_counts *counts;           /* of the kernel that it belongs to */
    uint32_t bytes;                      /* of data: a read's answer, a write's payload */
    uint16_t sm;
    uint8_t kind;                        /* enum gpu_request_kind */
};

/* Where answers go: in the tick in which they reach the SM. Never refused. */
struct gpu_sink {
    void (*answer)(void *self, const struct gpu_request *request);
    /* gpu_memory_has_room was false for this SM and is true again. */
    void (*room)(void *self, unsigned sm);
    void *self;
    /* NULL, or, in the fast engine: soon there is this answer. Nothing changes. */
    void (*is_next)(const void *self, const struct gpu_request *request);
};

struct gpu_memory;
struct gpu_params;
struct memory_params;
struct cmd_config;
struct gpu_hooks;

/* dram: ports of the channels if the caller has them (params->l2.channels many, perhaps connected later; `memory` may
 * be NULL then), else NULL, and controllers are made from `memory`, those of DRAM commands with `commands` (of a
 * channel; NULL for other types). sim, and the spec of commands, must outlive the memory, the others are copied. Faults
 * name the key to change. */
struct fault gpu_memory_create(struct gpu_memory **made, struct sim *sim, const struct gpu_params *params,
                               const struct memory_params *memory, const struct cmd_config *commands,
                               const struct below *dram, const struct gpu_sink *sink);
void gpu_memory_destroy(struct gpu_memory *memory);

/* If the caller provides the DRAM ports: gpu_memory_above is the receiver of answers and retries of `channel`;
 * gpu_memory_connect sets its port, if it was not given at creation. */
struct above gpu_memory_above(struct gpu_memory *memory, unsigned channel);
void gpu_memory_connect(struct gpu_memory *memory, unsigned channel, struct below dram);

/* Before the run: first refreshes. */
void gpu_memory_startup(struct gpu_memory *memory);
/* After the run, before statistics of DRAM commands are read: they have all that happened up to now_ps. */
void gpu_memory_settle(struct gpu_memory *memory, uint64_t now_ps);

/* One request of an SM leaves in a cycle of the interconnect; more wait at the SM's port, and so does one whose slice
 * has no room, with all behind it. There is room while fewer than params->icnt_queue wait for their slice. */
bool gpu_memory_has_room(const struct gpu_memory *memory, unsigned sm);
/* There must be room. */
void gpu_memory_send(struct gpu_memory *memory, const struct gpu_request *request);

/* A copy to the device: the range lies in the L2 from here on, if params->copies_fill_l2. No time passes. */
void gpu_memory_copy(struct gpu_memory *memory, uint64_t address, uint64_t bytes);

/* No request is under way (dirty lines may be in the L2). */
bool gpu_memory_idle(const struct gpu_memory *memory);

/* The watch counts from here on, of as many SMs and slices as there are; NULL: none does. */
struct gpu_watch;
void gpu_memory_watch(struct gpu_memory *memory, struct gpu_watch *watch);

/* The fast engine's (gpu_hooks.h); the sink's is_next is called from then on. */
void gpu_memory_bind(struct gpu_memory *memory, const struct gpu_hooks *hooks);

/* The parts of the memory, to look at. */
struct gpu_slices;
struct gpu_channels;
struct gpu_icnt;
const struct gpu_slices *gpu_memory_slices(const struct gpu_memory *memory);
const struct gpu_channels *gpu_memory_channels(const struct gpu_memory *memory);
const struct gpu_icnt *gpu_memory_icnt(const struct gpu_memory *memory);
/* gem5's controller of a channel of the GPU's own; NULL past the last, and for other kinds of memory. */
struct mem_ctrl *gpu_memory_controller(struct gpu_memory *memory, unsigned channel);

/* Unloaded latency from gpu_memory_send, at a tick that is an edge of all clocks, to the answer of a read that hits in
 * the L2, or that goes to a closed row. */
uint64_t gpu_memory_l2_latency_ps(const struct gpu_params *params);
uint64_t gpu_memory_dram_latency_ps(const struct gpu_params *params, const struct memory_params *memory);

#endif
