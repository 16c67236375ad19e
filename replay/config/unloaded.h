/* The limits of a finished system: its peak bandwidth, and how long one load takes on a machine without load.
 *
 * The latencies are those of classic-memory 16.1: core 0 of a cold machine sends one load at tick 0, the only
 * activity; a hit is such a load whose line lies in that cache, a memory access goes to the first memory and finds its
 * bank closed. They are worked out from the parameters alone, hop by hop, with the clock edges met on the way from
 * tick 0; no event is simulated. Exact, with two exceptions: lines of several bursts that the scheduler does not serve
 * in address order (closing rows in several banks), and pseudo-channels whose command windows hold fewer commands than
 * a line needs. DRAM command by command: one access, which was measured when the configuration was finished; lines of
 * several take longer, and so may one that meets no clock edge.
 * Units: ps; bytes a second. Ownership: plain values. The configuration must have passed config_finish. */
#ifndef REPLAY_CONFIG_UNLOADED_H
#define REPLAY_CONFIG_UNLOADED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"
#include "replay/config/config_limits.h"

struct cxl_link_params;
struct gpu_params;
struct memory_params;
struct noc_params;
struct system_config;

/* The way of core 0's loads: its L1D, the caches below, the memory cache if there is one. */
struct unloaded_level {
    const char *name;                /* the configuration's */
    uint64_t hit_ps;
};

struct unloaded_latencies {
    uint64_t l1i_hit_ps;
    unsigned level_count;
    struct unloaded_level levels[CONFIG_MAX_CACHES + 1];
    uint64_t memory_ps;
};

/* The names live as long as the configuration. FAULT_MEMORY. */
struct fault unloaded_latencies(struct unloaded_latencies *latencies, const struct system_config *config);

/* A read of one line, from its arrival at an idle memory to its answer, nothing above the memory counted: its row is
 * open, its bank is closed, another row is open in it. The first access of a cold memory takes longer, as a controller
 * begins as if a burst had just been sent. A simple memory knows one latency. A link counts with both ways.
 * FAULT_MEMORY. */
struct memory_latencies {
    uint64_t row_hit_ps, closed_bank_ps, row_conflict_ps;
};

struct fault unloaded_memory_latencies(struct memory_latencies *latencies, const struct memory_params *memory,
                                       uint64_t line_bytes);

/* From the issue of a load to that of an instruction that needs it, nothing else under way, one sector: shared memory
 * without conflicts, a hit in the L1 (of local memory only, if global loads skip it), a hit in the L2 behind a miss of
 * the L1, DRAM with a closed row. Rounded to cycles as if all clocks rose together; where their periods differ, a run
 * may take a cycle more or less. memory: NULL for a GPU that shares another's memory; dram_ps is 0 then. */
struct gpu_latencies {
    uint64_t shared_ps, l1_ps, l2_ps, dram_ps;
};

struct gpu_latencies unloaded_gpu_latencies(const struct gpu_params *params, const struct memory_params *memory);

/* The link in front of each channel of a memory that has one. */
struct cxl_link_params memory_link(const struct memory_params *memory);
/* Latency of a message with so much data on that link, one way; 0 without a link. */
uint64_t memory_link_ps(const struct memory_params *memory, uint64_t data_bytes);
/* That of the first memory's device; a simple memory has none, and the memory bus's counts. */
uint64_t memory_clock_ps(const struct system_config *config);
/* Of all channels together: a burst in each burst time (classic-memory 12.1); a SimpleMemory's whole ps a byte. */
double peak_memory_bandwidth(const struct memory_params *memory);
/* A sector of each slice in each of its cycles. */
double peak_gpu_l2_bandwidth(const struct gpu_params *gpu);
/* Width times clock of the memory bus, the payload one direction can carry. */
double peak_bus_bandwidth(const struct noc_params *bus);
/* SimpleMemory: bandwidth as whole ps a byte, rounded half up (classic-memory 1.1). */
uint64_t simple_memory_ps_per_byte(uint64_t bandwidth_bytes_per_s);

#endif
