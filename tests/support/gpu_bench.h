/* SMs with hand-made kernels and a memory of fixed latency: included by ONE file of a test program. Use: start;
 * change params and add kernels; run (or try_run); look at counts and at what `fake` was sent; finish. */
#ifndef TESTS_SUPPORT_GPU_BENCH_H
#define TESTS_SUPPORT_GPU_BENCH_H

#include "replay/config/config.h"
#include "replay/config/system_config.h"
#include "tests/support/gpu_fake_memory.h"
#include "tests/support/gpu_kernels.h"
#include "tests/support/unit.h"

#define FULL UINT32_MAX
#define CLOCK_PS UINT64_C(1000)

enum { MEMORY_CYC = 200, EMPTY_CYC = 8 };    /* a kernel of one EXIT */

struct bench {
    struct gpu_params params;
    struct gpu_run_options options;
    struct gpu_kernels kernels;
    struct gpu_run *run;
};

static struct system_config defaults;

/* One SM, one cycle of launch, units of latency 2 that take an instruction each cycle, an L1 of latency 20. */
static inline void start(struct bench *bench)
{
    *bench = (struct bench){0};
    config_defaults(&defaults);
    bench->params = defaults.gpu;
    bench->params.sms = 1;
    bench->params.core_clock_ps = CLOCK_PS;
    bench->params.launch_latency_cyc = 0;
    bench->params.l1.cache.write = SECTOR_WRITE_THROUGH;
    for (unsigned i = 0; i < GPU_UNIT_COUNT; i++)
        bench->params.units[i] = (struct gpu_unit_params){.latency_cyc = 2, .interval_cyc = 1, .count = 4};
    gpu_kernels_init(&bench->kernels);
    fake = (struct fake_memory){.latency_ps = MEMORY_CYC * CLOCK_PS};
}

static inline struct gpu_test_kernel *one_warp(struct bench *bench)
{
    return gpu_kernels_add(&bench->kernels, GPU_ISA_SASS, 1, 32);
}

static inline enum gpu_run_state try_run(struct bench *bench)
{
    struct gpu_source const source = gpu_kernels_source(&bench->kernels);
    struct fault const fault =
        gpu_run_create(&bench->run, NULL, &bench->params, &defaults.memories[0], NULL, &source, &bench->options);

    if (fault.kind != FAULT_NONE)
        print_message("%s\n", fault_text(fault));
    assert_int_equal(fault.kind, FAULT_NONE);
    gpu_run_start(bench->run);
    return gpu_run_step(bench->run, TICK_NEVER, UINT64_MAX);
}

/* Cycles of the first kernel. */
static inline uint64_t run(struct bench *bench)
{
    enum gpu_run_state const state = try_run(bench);

    if (state != GPU_RUN_FINISHED)
        print_message("%s\n", fault_text(bench->run->fault));
    assert_int_equal(state, GPU_RUN_FINISHED);
    assert_int_equal(bench->kernels.blocks_held, 0);
    assert_int_equal(bench->kernels.kernels_open, 0);
    return bench->run->kernels[0].cycles;
}

static inline void finish(struct bench *bench)
{
    gpu_run_destroy(bench->run);
    gpu_kernels_free(&bench->kernels);
}

static inline const struct gpu_counts *counts_of(const struct bench *bench)
{
    return &bench->run->kernels[0].counts;
}

#endif
