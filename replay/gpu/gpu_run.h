/* One GPU run: the commands of a list on a GPU, from the first copy to the end of the last kernel (gpu-traces 10, 11).
 *
 * Use: gpu_run_create; gpu_run_start; gpu_run_step until it says GPU_RUN_FINISHED or GPU_RUN_FAILED (run->fault); look
 * at the results; gpu_run_destroy. A run lives in a simulation of the caller, beside CPU cores or other runs, or makes
 * one of its own. In a simulation of the caller the events may be executed by other code: then gpu_run_is_done says
 * when to stop, options.done is called, and gpu_run_check must be called regularly.
 *
 * Results: run->kernels, one a kernel that was picked, in the order of the list; complete from the kernel's end on.
 * Nothing is printed. Units: ticks are picoseconds, _cyc are cycles of the core clock, sizes bytes. Ownership: the run
 * owns its SMs, memory, results; source, params and options' pointers are the caller's and outlive the run. */
#ifndef REPLAY_GPU_GPU_RUN_H
#define REPLAY_GPU_GPU_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "memsys/gpu/counts.h"
#include "memsys/gpu/gpu_memory.h"
#include "memsys/sim/sim.h"
#include "memsys/sim/sim_statistics.h"
#include "proto/gpu/gpu_trace.h"

/* ---- where commands and kernels come from */

/* As proto/gpu/gpu_trace.h has it; tests and stores give their own. Kernels of several commands may be open at once. */
struct gpu_source {
    const struct gpu_command *commands;
    size_t command_count;
    struct fault (*open)(void *self, const struct gpu_command *command, struct gpu_kernel *kernel);
    enum gpu_step (*next_block)(void *self, struct gpu_kernel *kernel, struct gpu_block **block,
                                struct fault *error);
    void (*free_block)(void *self, struct gpu_block *block);
    void (*close)(void *self, struct gpu_kernel *kernel);
    void *self;
};

/* Kernels as the files of a list, which must stay open. */
struct gpu_source gpu_source_of_list(const struct gpu_list *list);

/* ---- options */

struct gpu_kernel_range {
    uint64_t first, last;                /* kernels of the list, counted from 1; both included */
};

struct gpu_run_options {
    const struct gpu_kernel_range *picked;   /* kernels that run; NULL: all. Copies always take place */
    size_t picked_count;
    bool ignore_copies;                  /* copies have no effect, regardless of params->copies_fill_l2 */
    bool pc_counts;                      /* count per static instruction, too */
    uint64_t stall_cyc;                  /* no progress for that long is a stall; 0: ten million cycles */
    const struct cmd_config *commands;   /* of a channel of its own memory, if that works command by command; its spec
                                            must outlive the run */
    uint64_t max_warp_insts;             /* no instruction issues after that many, and the run is done; 0: no limit */
    /* Called once when the last kernel has finished; may be NULL. Called from an event. */
    void (*done)(void *context);
    void *context;
};

/* ---- results */

/* L(value, name): the resource that limits the blocks of a kernel on an SM */
#define GPU_LIMITS(L)                                                                                                 \
    L(THREADS, threads) L(SHARED, shared) L(REGISTERS, registers) L(BLOCKS, blocks) L(TRACE, trace) L(GRID, grid)

#define GPU_LIMIT_VALUE(value, name) GPU_LIMIT_##value,
enum gpu_limit { GPU_LIMITS(GPU_LIMIT_VALUE) GPU_LIMIT_COUNT };
#undef GPU_LIMIT_VALUE

const char *gpu_limit_name(enum gpu_limit limit);

/* Of one static instruction of a kernel. Two may have the same pc, where executions differ in width or registers. */
struct gpu_pc_counts {
    uint64_t pc;
    uint32_t line;                       /* of the source, 0 if not known */
    char opcode[48];
    uint64_t executions, lanes;
    uint64_t sectors;                    /* requests of global and local accesses; of shared ones, cycles */
    uint64_t latency_cyc;                /* of all executions of loads and atomics, from issue to their last answer */
};

struct gpu_kernel_result {
    uint64_t number;                     /* of the kernels of the list, from 1 */
    uint64_t id, stream;                 /* as the header has them */
    char *name, *file;
    uint32_t grid[3], block[3];
    uint32_t warp_size;                  /* lanes: 32 or 64 */
    uint64_t block_count;                /* blocks the file holds, as far as they were dispatched */
    uint64_t launch_ps;                  /* its launch latency begins */
    uint64_t start_ps;                   /* it is ready for its first block */
    uint64_t end_ps;                     /* its last warp has finished */
    /* As the reference counts gpu_sim_cycle: launch latency included, and where kernels overlap from the end of the one
     * that finished before it. */
    uint64_t cycles;
    uint32_t blocks_per_sm;
    enum gpu_limit limit;
    uint64_t l1_bytes;                   /* size of an SM's L1 during this kernel */
    uint64_t unit_fallbacks;             /* instructions whose unit the GPU lacks: they went to int */
    bool is_done;
    struct gpu_counts counts;
    struct gpu_pc_counts *pcs;           /* of instructions that executed, by pc; NULL without options.pc_counts */
    size_t pc_count;
};

struct gpu_stream_result {
    uint64_t stream;
    uint64_t kernels, cycles;            /* sums */
    uint64_t busy_ps;                    /* sum of end_ps - launch_ps */
    struct gpu_counts counts;
};

enum gpu_run_state { GPU_RUN_RUNNING, GPU_RUN_FINISHED, GPU_RUN_FAILED };

struct gpu_params;
struct gpu_machine;                      /* SMs, dispatcher: replay/gpu/gpu_machine.h */

struct gpu_run {
    struct sim *sim;
    struct gpu_memory *memory;
    struct gpu_kernel_result *kernels;
    size_t kernel_count;
    uint64_t copies, copied_bytes;
    char **warnings;                     /* one line each, ready to print; the first of each kind */
    size_t warning_count;
    uint64_t done_ps;                    /* valid when done */
    struct fault fault;
    struct gpu_machine *machine;
};

/* sim: the caller's, in which line_bytes plays no part; NULL: the run makes one. dram: as gpu_memory_create has it.
 * Faults name the key to change. Opens no kernel. */
struct fault gpu_run_create(struct gpu_run **made, struct sim *sim, const struct gpu_params *params,
                            const struct memory_params *memory, const struct below *dram,
                            const struct gpu_source *source, const struct gpu_run_options *options);
void gpu_run_destroy(struct gpu_run *run);

/* Schedules the first events, at the present tick. */
void gpu_run_start(struct gpu_run *run);

/* Executes events of the run's simulation: until the run is done or failed, past until_ps, or max_events were executed
 * (TICK_NEVER, UINT64_MAX: no such limit). */
enum gpu_run_state gpu_run_step(struct gpu_run *run, uint64_t until_ps, uint64_t max_events);
enum gpu_run_state gpu_run_state(const struct gpu_run *run);
/* After the last step, before statistics are read: memory of DRAM commands has all that happened up to now_ps. */
enum gpu_run_state gpu_run_settle(struct gpu_run *run, uint64_t now_ps);
static inline bool gpu_run_is_done(const struct gpu_run *run)
{
    return gpu_run_state(run) != GPU_RUN_RUNNING;
}

/* The watchdog, when others execute the events: a run without progress for options.stall_cyc, or without anything
 * scheduled in an empty queue, fails with a FAULT_STALL that names kernel, block, warp, pc, opcode and the awaited
 * resource. */
enum gpu_run_state gpu_run_check(struct gpu_run *run);

/* Warp instructions issued so far, by all kernels. */
uint64_t gpu_run_warp_insts(const struct gpu_run *run);

/* Adds `from` to `to`, counter by counter. */
void gpu_counts_add(struct gpu_counts *to, const struct gpu_counts *from);

/* Sums by stream, in the order of first use, of kernels that are done. The array is the caller's to free; NULL when
 * no kernel is done or memory is out (then *count is 0, or SIZE_MAX). */
struct gpu_stream_result *gpu_run_streams(const struct gpu_run *run, size_t *count);

/* Names for the sums of a GPU's counters over its kernels, in the statistics of a system
 * (memsys/sim/sim_statistics.h). */

struct gpu_run_stats {
    const struct gpu_run *run;
    struct gpu_counts before;                /* the sums at the last reset */
};

/* Adds "system.gpu" and its reset hook; both arguments must outlive the registry. */
void gpu_run_add_stats(struct gpu_run_stats *figures, const struct gpu_run *run, struct stats *stats);

/* A choice of kernels of a list, as users write it: "3-7,9", "5-" for all from the fifth on. Counted from 1.
 *
 * Use: begin with {0}, gpu_pick_add any number of times, gpu_pick_check when the list is known, gpu_pick_apply to the
 * options of a run, which borrow it. Ownership: plain values. */

enum { GPU_PICK_MAX = 64 };

struct gpu_pick {
    struct gpu_kernel_range ranges[GPU_PICK_MAX];
    size_t count;                        /* 0: all kernels */
};

/* Joins those of the text to those that are there. False: it is no such text, or they are too many. */
bool gpu_pick_add(struct gpu_pick *pick, const char *text);
/* FAULT_INPUT: a range begins behind the list's end. `what` names the choice and `name` the list. */
struct fault gpu_pick_check(const struct gpu_pick *pick, const struct gpu_list *list, const char *what,
                            const char *name);
void gpu_pick_apply(const struct gpu_pick *pick, struct gpu_run_options *options);

/* The figures that summary and statistics of a GPU run derive from its counters. */

/* What the machine can do at most, and how many warps an SM holds. */
struct gpu_peaks {
    double l2_bytes_per_s, dram_bytes_per_s;         /* 0: not known */
    double warp_insts_per_s;             /* of all schedulers of all SMs */
    uint64_t warp_slots;
};

/* F(name, help); rates are 0 where nothing was counted. */
#define GPU_FIGURES(F)                                                                                                \
    F(ipc, "warp instructions a cycle, of all SMs together")                                                          \
    F(thread_ipc, "thread instructions a cycle")                                                                      \
    F(l1_hit_rate, "of the sectors read from L1s; those on their way are no hits")                                    \
    F(l1_write_hit_rate, "of the sectors written to L1s")                                                             \
    F(l2_hit_rate, "of the sectors read from the L2, atomics included; those on their way are no hits")               \
    F(l2_write_hit_rate, "of the sectors written to the L2")                                                          \
    F(l2_gb_s, "read from and written to the L2, 10^9 bytes a second")                                                \
    F(dram_gb_s, "read from and written to DRAM, 10^9 bytes a second")                                                \
    F(memory_latency_ns, "mean of reads that left the SM")                                                            \
    F(sectors_per_request, "sectors that an instruction on global or local memory accesses, in the mean")             \
    F(l2_bytes, "bytes read from and written to the L2")                                                              \
    F(dram_bytes, "bytes read from and written to DRAM")                                                              \
    F(l2_of_peak, "bandwidth of the L2, of its peak")                                                                 \
    F(dram_of_peak, "bandwidth of DRAM, of its peak")                                                                 \
    F(occupancy, "warps that an SM can hold at once, of its slots")

#define GPU_FIGURE_FIELD(name, help) double name;
struct gpu_figures { GPU_FIGURES(GPU_FIGURE_FIELD) };
#undef GPU_FIGURE_FIELD

/* Of a kernel that is done. Bandwidths are those since it was ready for its first block. */
struct gpu_figures gpu_kernel_figures(const struct gpu_params *params, const struct gpu_peaks *peaks,
                                      const struct gpu_kernel_result *kernel);
/* Bandwidths: over the times of its kernels. Occupancy: weighted by their cycles. */
struct gpu_figures gpu_stream_figures(const struct gpu_params *params, const struct gpu_peaks *peaks,
                                      const struct gpu_run *run, const struct gpu_stream_result *stream);

#endif
