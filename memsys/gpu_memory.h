/* GPU memory below the L1s: interconnect, L2 slices, and the way to DRAM (gpu-traces 10, 12).
 *
 * Use: gpu_memory_create; each SM sends requests when gpu_memory_has_room; answers to reads and atomics, and the
 * acknowledgements of writes, come by the sink's `answer`. gpu_memory_idle tells when nothing is under way.
 * Everything happens in events of `sim`; a component without work has no event.
 *
 * DRAM: one memory controller a channel, made here from memory_params (the code that CPUs use), or, where CPU and GPU
 * share memory, ports of the system that the caller gives. Units: ticks are picoseconds, sizes bytes. Ownership: the
 * memory owns all below the SMs; requests are copied. */
#ifndef MEMSYS_GPU_MEMORY_H
#define MEMSYS_GPU_MEMORY_H

#include "memsys/gpu_counts.h"
#include "memsys/gpu_params.h"
#include "memsys/port.h"
#include "memsys/sim.h"

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
};

struct gpu_memory;

/* dram: ports of the channels if the caller has them (params->l2.channels many, perhaps connected later), else NULL, and
 * controllers are made from `memory`. sim, sink and params are copied or outlive the memory. */
struct fault gpu_memory_create(struct gpu_memory **made, struct sim *sim, const struct gpu_params *params,
                               const struct memory_params *memory, const struct below *dram,
                               const struct gpu_sink *sink);
void gpu_memory_destroy(struct gpu_memory *memory);

/* The two sides of the connection of a channel with a port of the caller, before the run. */
struct above gpu_memory_above(struct gpu_memory *memory, unsigned channel);
void gpu_memory_connect(struct gpu_memory *memory, unsigned channel, struct below dram);

/* Before the run: first refreshes. */
void gpu_memory_startup(struct gpu_memory *memory);

bool gpu_memory_has_room(const struct gpu_memory *memory, unsigned sm);
/* There must be room. */
void gpu_memory_send(struct gpu_memory *memory, const struct gpu_request *request);

/* A copy to the device: the range lies in the L2 from here on, if params->copies_fill_l2. No time passes. */
void gpu_memory_copy(struct gpu_memory *memory, uint64_t address, uint64_t bytes);

/* No request is under way (dirty lines may be in the L2). */
bool gpu_memory_idle(const struct gpu_memory *memory);

/* Unloaded latency from gpu_memory_send to the answer of a read that hits in the L2, or that goes to a closed row. */
uint64_t gpu_memory_l2_latency_ps(const struct gpu_params *params);
uint64_t gpu_memory_dram_latency_ps(const struct gpu_params *params, const struct memory_params *memory);

#endif
