/* Verdict: the bottleneck of a run, in a sentence with its figures and the next bottleneck, and reasons to doubt its
 * result.
 *
 * The resource that a run waits for most limits its speed, so causes are ranked by their share of the cycles (of
 * elastic cores), of the commit slots (of detailed ones), of the schedulers' cycles (of a GPU). Which stall means
 * which cause, and when a memory counts as saturated, are the rules at the top of verdict.c.
 *
 * Use: verdict_of the figures of a run; texts live as long as the verdict. No allocation. */
#ifndef REPLAY_METRICS_VERDICT_H
#define REPLAY_METRICS_VERDICT_H

#include "replay/metrics/metrics.h"

enum { VERDICT_BOUNDS = 34, VERDICT_DOUBTS = 8, VERDICT_TEXT = 400 };

/* id, text for people */
#define VERDICT_CAUSES(C)                                                                                             \
    C(DRAM_BANDWIDTH, "dram_bandwidth", "DRAM bandwidth")                                                             \
    C(DRAM_BANKS, "dram_banks", "DRAM banks")                                                                         \
    C(DRAM_ACTIVATIONS, "dram_activations", "DRAM activations, tFAW or tRRD")                                         \
    C(DRAM_BANK_GROUP, "dram_bank_group", "accesses to the same DRAM bank group")                                     \
    C(DRAM_TURNS, "dram_turns", "turns of the DRAM data bus")                                                         \
    C(DRAM_REFRESH, "dram_refresh", "DRAM refresh")                                                                   \
    C(DRAM_MITIGATION, "dram_mitigation", "defences against RowHammer")                                               \
    C(DRAM_COMMAND_BUS, "dram_command_bus", "DRAM command bus")                                                       \
    C(DRAM_CHANNEL, "dram_channel", "one memory channel of several")                                                  \
    C(MEMORY_BUS, "memory_bus", "memory bus")                                                                         \
    C(CACHE_MSHRS, "cache_mshrs", "L2 or L3 blocked, no free MSHR")                                                   \
    C(CACHE_TARGETS, "cache_targets", "L2 or L3 blocked, no free target in an MSHR")                                  \
    C(CACHE_WRITE_BUFFERS, "cache_write_buffers", "L2 or L3 blocked, no free write buffer")                           \
    C(TRANSLATION, "translation", "address translation")                                                              \
    C(DRAM_LATENCY, "dram_latency", "DRAM latency of dependent misses")                                               \
    C(CACHE_LATENCY, "cache_latency", "L2 and L3 latency of dependent misses")                                        \
    C(ROB, "rob", "reorder buffer")                                                                                   \
    C(INSTRUCTION_QUEUE, "instruction_queue", "instruction queue")                                                    \
    C(LOAD_QUEUE, "load_queue", "load queue")                                                                         \
    C(STORE_BUFFER, "store_buffer", "store buffer")                                                                   \
    C(L1D_MSHRS, "l1d_mshrs", "L1D blocked, no free MSHR")                                                            \
    C(L1D_TARGETS, "l1d_targets", "L1D blocked, no free target in an MSHR")                                           \
    C(L1D_WRITE_BUFFERS, "l1d_write_buffers", "L1D blocked, no free write buffer")                                    \
    C(MEMORY_ORDER, "memory_order", "memory order of loads and stores")                                               \
    C(L1I, "l1i", "instruction fetch, latency and misses of the L1I")                                                 \
    C(L1I_MSHRS, "l1i_mshrs", "L1I blocked, no free MSHR")                                                            \
    C(L1I_TARGETS, "l1i_targets", "L1I blocked, no free target in an MSHR")                                           \
    C(L1I_WRITE_BUFFERS, "l1i_write_buffers", "L1I blocked, no free write buffer")                                    \
    C(FETCH_TIMES, "fetch_times", "times of instruction fetches in the trace")                                        \
    C(FRONT_END, "front_end", "front end")                                                                            \
    C(MISPREDICTIONS, "mispredictions", "mispredicted branches")                                                      \
    C(SERIALISING, "serialising", "serialising instructions")                                                         \
    C(DEPENDENCES, "dependences", "dependences between computations")                                                 \
    C(UNITS, "units", "execution units")                                                                              \
    C(COMPUTE, "compute", "computation")                                                                              \
    C(GPU_SCOREBOARD, "gpu_scoreboard", "scoreboard, warps wait for loads")                                           \
    C(GPU_RESULTS, "gpu_results", "scoreboard, warps wait for other results")                                         \
    C(GPU_OCCUPANCY, "gpu_occupancy", "occupancy, too few warps to hide load latency")                                \
    C(GPU_GRID, "gpu_grid", "grid, too few blocks to hide load latency")                                              \
    C(GPU_LDST, "gpu_ldst", "load/store unit")                                                                        \
    C(GPU_UNITS, "gpu_units", "execution units")                                                                      \
    C(GPU_BARRIERS, "gpu_barriers", "barriers")                                                                       \
    C(GPU_IDLE, "gpu_idle", "idle, no warp has anything to issue")                                                    \
    C(GPU_ISSUE, "gpu_issue", "issue slots")

#define VERDICT_CAUSE(id, key, title) CAUSE_##id,
enum verdict_cause { VERDICT_CAUSES(VERDICT_CAUSE) CAUSE_COUNT };
#undef VERDICT_CAUSE

struct verdict_bound {
    enum verdict_cause cause;
    double share;                        /* 0 to 1 */
};

/* Of the cores, or of the GPU: bounds by falling share. count 0: no such side. */
struct verdict_side {
    struct verdict_bound bounds[VERDICT_BOUNDS];
    size_t count;
    char text[VERDICT_TEXT];             /* "DRAM bandwidth: 93 % of peak in 71 % of the time, ..." */
};

struct verdict {
    struct verdict_side cores, gpu;
    char doubts[VERDICT_DOUBTS][VERDICT_TEXT];
    size_t doubt_count;
};

/* Facts about a run that its figures do not contain. */
struct verdict_hints {
    bool has_no_dependences;             /* the trace says none */
};

/* Adds the statistics that verdicts and metrics need. */
void verdict_needs(struct metrics_needs *needs);
struct verdict verdict_of(const struct figures *figures, const struct verdict_hints *hints);
/* "dram_bandwidth" */
const char *verdict_key(enum verdict_cause cause);
/* "DRAM bandwidth" */
const char *verdict_title(enum verdict_cause cause);

#endif
