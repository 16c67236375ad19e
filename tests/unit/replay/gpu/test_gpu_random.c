/* Random kernels on random SMs: whatever the policy, the caches' sizes and the memory's moods, every run ends, every
 * instruction issues once, every block is given back, and what follows from the trace alone is counted alike. */
#include "replay/config/config.h"
#include "replay/config/system_config.h"
#include "tests/support/gpu_fake_memory.h"
#include "tests/support/gpu_kernels.h"
#include "tests/support/random_numbers.h"
#include "tests/support/unit.h"

enum { SEEDS = 400, MOST_STEPS = 24 };

static const struct { const char *opcode, *registers; uint16_t width; } program[] = {
    {"FFMA", "R1 R2 R3 > R2", 0}, {"IADD3", "R2 R3 > R4", 0}, {"MUFU.RCP", "R4 > R5", 0}, {"DFMA", "R4 R6 > R6", 0},
    {"BRA", "", 0}, {"BAR.SYNC", "", 0}, {"BAR.ARV", "", 0}, {"MEMBAR.GPU", "", 0}, {"EXIT", "", 0},
    {"LDG.E", "R1 > R2", 4}, {"LDG.E.128", "R1 > R3", 16}, {"LDG.E.STRONG.GPU", "R1 > R4", 4}, {"STG.E", "R1 R2", 4},
    {"LDS", "R5 > R6", 4}, {"STS.64", "R5 R6", 8}, {"ATOMG.E.ADD", "R1 > R7", 4}, {"RED.E.ADD", "R1", 4},
    {"ATOMS.ADD", "R1 > R3", 4}, {"LDL", "R1 > R8", 4}, {"STL.64", "R1 R8", 8}, {"LDGSTS.E", "R1", 4},
    {"LDGDEPBAR", "", 0}, {"DEPBAR.LE", "", 0}, {"HFMA2.MMA", "R2 R3 > R9", 0}, {"LD.E", "R1 > R2", 4},
};

enum { PROGRAM = sizeof program / sizeof program[0] };

static struct system_config defaults;

static struct gpu_params random_gpu(void)
{
    struct gpu_params params = defaults.gpu;

    params.sms = 1 + random_below(3);
    params.launch_latency_cyc = random_below(100);
    params.concurrent_streams = random_below(2);
    params.coalescing = random_below(2);
    params.sm.schedulers = UINT64_C(1) << random_below(3);
    params.sm.policy = random_below(3);
    params.sm.issue_width = 1 + random_below(2);
    params.sm.dual_issue_units = random_below(2);
    params.sm.pipeline_cyc = random_below(6);
    params.sm.scoreboard = random_below(4) != 0;
    params.sm.max_blocks = 1 + random_below(8);
    params.sm.max_threads = 1024;
    params.sm.register_banks = 8 * random_below(2);
    for (unsigned i = 0; i < GPU_UNIT_COUNT; i++)
        params.units[i] = (struct gpu_unit_params){
            .latency_cyc = random_below(200), .interval_cyc = 1 + random_below(9),
            .count = random_below(6),
        };
    params.units[random_below(2) ? GPU_UNIT_INT : GPU_UNIT_SP].count++;
    params.l1.cache.write = random_below(2) ? SECTOR_WRITE_THROUGH : SECTOR_LOCAL_BACK_GLOBAL_THROUGH;
    params.l1.cache.alloc = random_below(3);
    params.l1.cache.sets = UINT64_C(1) << random_below(3);
    params.l1.cache.ways = 1 + random_below(6);
    params.l1.cache.mshrs = 1 + random_below(6);
    params.l1.cache.merges = 1 + random_below(4);
    params.l1.cache.miss_queue = 1 + random_below(5);
    params.l1.cache.latency_cyc = random_below(40);
    params.l1.banks = UINT64_C(1) << random_below(3);
    params.l1.skip_global = random_below(4) == 0;
    params.l1.flush = random_below(2);
    params.l1.is_absent = random_below(8) == 0;
    params.l2.is_absent = random_below(4) == 0;
    return params;
}

struct expected {
    uint64_t warp_insts, thread_insts, blocks;
};

static void add_kernel(struct gpu_kernels *kernels, struct expected *expected)
{
    uint32_t const blocks = 1 + (uint32_t)random_below(6), warps = 1 + (uint32_t)random_below(6);
    struct gpu_test_kernel *const kernel = gpu_kernels_add(kernels, GPU_ISA_SASS, blocks, 32 * warps);

    kernel->header.binary_version = 80;
    kernel->header.stream = random_below(2);
    kernel->header.shmem_bytes = random_below(2) * 4096;
    for (unsigned i = 0; i < PROGRAM; i++)
        gpu_kernels_static(kernel, program[i].opcode, program[i].registers, program[i].width);
    for (uint32_t block = 0; block < blocks; block++)
        for (uint32_t warp = 0; warp < warps; warp++)
            for (uint64_t left = random_below(MOST_STEPS); left > 0; left--) {
                uint64_t const mask = random_below(4) ? UINT32_MAX : random_below(UINT64_C(1) << 32);
                int64_t const stride = (int64_t)(4 * random_below(5));

                gpu_kernels_execute(kernel, block, warp, (uint32_t)random_below(PROGRAM), mask,
                                    16 * random_below(64), stride);
                expected->warp_insts++;
                expected->thread_insts += (uint64_t)__builtin_popcountll(mask);
            }
    expected->blocks += blocks;
}

static void run_random(uint64_t seed)
{
    struct gpu_params params;
    struct gpu_kernels kernels;
    struct gpu_source source;
    struct gpu_run *run;
    struct expected expected = {0};
    struct gpu_counts sum = {0};
    struct fault fault;

    random_state = seed;
    params = random_gpu();
    gpu_kernels_init(&kernels);
    for (uint64_t left = 1 + random_below(3); left > 0; left--)
        add_kernel(&kernels, &expected);
    fake = (struct fake_memory){
        .latency_ps = 1 + random_below(300000), .room_after = random_below(4),
    };
    source = gpu_kernels_source(&kernels);
    fault = gpu_run_create(&run, NULL, &params, &defaults.memories[0], NULL, &source, NULL);
    assert_int_equal(fault.kind, FAULT_NONE);
    gpu_run_start(run);
    if (random_below(8) == 0) {
        /* Given up in the middle. */
        gpu_run_step(run, TICK_NEVER, 50);
    } else {
        if (gpu_run_step(run, TICK_NEVER, UINT64_MAX) != GPU_RUN_FINISHED)
            print_message("seed %llu: %s\n", (unsigned long long)seed, fault_text(run->fault));
        assert_int_equal(gpu_run_state(run), GPU_RUN_FINISHED);
        for (size_t i = 0; i < run->kernel_count; i++)
            gpu_counts_add(&sum, &run->kernels[i].counts);
        assert_int_equal(sum.warp_insts, expected.warp_insts);
        assert_int_equal(sum.thread_insts, expected.thread_insts);
        assert_int_equal(sum.blocks, expected.blocks);
        assert_int_equal(sum.l1_reads, sum.l1_read_hits + sum.l1_read_pending_hits + sum.l1_read_misses +
                                           sum.l1_read_sector_misses);
        assert_int_equal(kernels.blocks_held, 0);
    }
    gpu_run_destroy(run);
    assert_int_equal(kernels.blocks_held, 0);
    assert_int_equal(kernels.kernels_open, 0);
    gpu_kernels_free(&kernels);
}

static void random_runs_end_and_count_all(void **state)
{
    config_defaults(&defaults);
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        run_random(seed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_runs_end_and_count_all)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
