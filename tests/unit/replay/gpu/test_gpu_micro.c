/* Micro-kernels on the systems of configs/gpu with their whole memory: what a kernel was made to show must come out as
 * configured. The kernels are generated here. */
#include "memsys/gpu/hash.h"
#include "replay/config/config.h"
#include "replay/config/system_config.h"
#include "replay/config/unloaded.h"
#include "tests/support/gpu_kernels.h"
#include "tests/support/unit.h"

#define FULL UINT32_MAX
#define HEAP UINT64_C(0x7f0000000000)

static const char *const systems[] = {"qv100", "titanx", "rtx2060", "rtx3070", "a100", "h100"};

enum { SYSTEMS = sizeof systems / sizeof systems[0] };

struct bench {
    struct system_config config;
    struct gpu_kernels kernels;
    struct gpu_run *run;
};

static void start(struct bench *bench, const char *system)
{
    char path[64];
    struct fault fault;

    snprintf(path, sizeof path, "configs/gpu/%s.yaml", system);
    fault = config_read(&bench->config, path, NULL, 0);
    if (fault.kind != FAULT_NONE)
        print_message("%s\n", fault_text(fault));
    assert_int_equal(fault.kind, FAULT_NONE);
    gpu_kernels_init(&bench->kernels);
}

static void run(struct bench *bench)
{
    struct gpu_source const source = gpu_kernels_source(&bench->kernels);
    struct fault const fault = gpu_run_create(&bench->run, NULL, &bench->config.gpu, &bench->config.memories[0], NULL,
                                              &source, NULL);

    if (fault.kind != FAULT_NONE)
        print_message("%s\n", fault_text(fault));
    assert_int_equal(fault.kind, FAULT_NONE);
    gpu_run_start(bench->run);
    if (gpu_run_step(bench->run, TICK_NEVER, UINT64_MAX) != GPU_RUN_FINISHED)
        print_message("%s\n", fault_text(bench->run->fault));
    assert_int_equal(gpu_run_state(bench->run), GPU_RUN_FINISHED);
}

static void finish(struct bench *bench)
{
    gpu_run_destroy(bench->run);
    gpu_kernels_free(&bench->kernels);
}

/* ---- latencies */

enum { SHORT = 20, LONG = 148, BANKS = 4096 };

static void evenly(uint64_t step_bytes, uint64_t addresses[LONG])
{
    for (unsigned i = 0; i < LONG; i++)
        addresses[i] = HEAP + i * step_bytes;
}

/* Each in a bank of its own, which nothing has opened. */
static void in_closed_banks(const struct system_config *config, uint64_t addresses[LONG])
{
    const struct gpu_l2_params *const l2 = &config->gpu.l2;
    unsigned const pseudo = config->memories[0].type == MEMORY_HBM_PSEUDO;
    bool is_taken[BANKS] = {false};
    struct gpu_hash hash;
    unsigned count = 0;

    assert_int_equal(gpu_hash_init(&hash, l2).kind, FAULT_NONE);
    for (uint64_t address = HEAP; count < LONG; address += pseudo ? 64 : 128) {
        struct gpu_slice_place const place = gpu_hash_slice(&hash, address);
        uint64_t const bank = ((place.slice / l2->slices) << hash.bank.width | gpu_hash_dram(&hash, place.key).bank)
                            << pseudo | (address / 64 & pseudo);

        assert_true(bank < BANKS);
        if (!is_taken[bank])
            addresses[count++] = address;
        is_taken[bank] = true;
    }
}

/* A chain of loads by one lane; wavefronts of GCN3 wait where they say so. */
static void add_chase(struct gpu_kernels *kernels, const char *opcode, const uint64_t *addresses, unsigned steps)
{
    bool const is_gcn3 = strchr(opcode, '_') != NULL;
    struct gpu_test_kernel *const kernel = gpu_kernels_add(kernels, is_gcn3 ? GPU_ISA_GCN3 : GPU_ISA_SASS, 1, 32);
    uint32_t const load = gpu_kernels_static(kernel, opcode, "R1 > R1", 4);
    uint32_t const wait = gpu_kernels_static(kernel, "S_WAITCNT", "", 0);

    for (unsigned i = 0; i < steps; i++) {
        gpu_kernels_execute(kernel, 0, 0, load, 1, addresses[i], 0);
        if (is_gcn3)
            gpu_kernels_execute(kernel, 0, 0, wait, FULL, 0, 0);
    }
}

/* Picoseconds a step of a chase, in the second kernel where the first has filled the L2. Refresh and translation are
 * off: a load that waits for them does not find memory unloaded. */
static double chase_ps(const char *system, const char *opcode, const uint64_t addresses[LONG], bool is_second)
{
    uint64_t cycles[2];
    double period_ps = 0;

    for (unsigned i = 0; i < 2; i++) {
        struct bench bench;

        start(&bench, system);
        bench.config.memories[0].dram.tRFC_ps = 0;
        bench.config.memories[0].dram.tREFI_ps = UINT64_C(1000000000000);
        bench.config.gpu.tlb.page_bytes = 0;
        for (unsigned kernel = 0; kernel <= is_second; kernel++)
            add_chase(&bench.kernels, opcode, addresses, i ? LONG : SHORT);
        run(&bench);
        cycles[i] = bench.run->kernels[is_second].cycles;
        period_ps = (double)bench.config.gpu.core_clock_ps;
        finish(&bench);
    }
    return (double)(cycles[1] - cycles[0]) * period_ps / (LONG - SHORT);
}

static void expect_within_a_cycle(const char *system, const char *what, double ours_ps, uint64_t configured_ps,
                                  uint64_t cycle_ps)
{
    double const differ_ps = ours_ps - (double)configured_ps;

    if (differ_ps > 1.5 * (double)cycle_ps || differ_ps < -1.5 * (double)cycle_ps)
        print_message("%s, %s: %.1f ps, configured %llu ps\n", system, what, ours_ps,
                      (unsigned long long)configured_ps);
    assert_true(differ_ps <= 1.5 * (double)cycle_ps && differ_ps >= -1.5 * (double)cycle_ps);
}

static void a_pointer_chase_gives_the_configured_latencies(void **state)
{
    for (unsigned i = 0; i < SYSTEMS; i++) {
        struct system_config config;
        uint64_t same[LONG], lines[LONG], banks[LONG], cycle_ps;
        struct gpu_latencies latencies;
        char path[64];

        snprintf(path, sizeof path, "configs/gpu/%s.yaml", systems[i]);
        assert_int_equal(config_read(&config, path, NULL, 0).kind, FAULT_NONE);
        cycle_ps = config.gpu.core_clock_ps;
        latencies = unloaded_gpu_latencies(&config.gpu, &config.memories[0]);
        evenly(0, same);
        evenly(128, lines);
        in_closed_banks(&config, banks);
        expect_within_a_cycle(systems[i], "shared memory", chase_ps(systems[i], "LDS", same, false),
                              latencies.shared_ps, cycle_ps);
        expect_within_a_cycle(systems[i], "L1",
                              chase_ps(systems[i], config.gpu.l1.skip_global ? "LDL" : "LDG.E", same, false),
                              latencies.l1_ps, cycle_ps);
        expect_within_a_cycle(systems[i], "L2", chase_ps(systems[i], "LDG.E", lines, true), latencies.l2_ps, cycle_ps);
        expect_within_a_cycle(systems[i], "DRAM", chase_ps(systems[i], "LDG.E", banks, false), latencies.dram_ps,
                              cycle_ps);
    }
}

/* S_WAITCNT takes a cycle of its own, and the next load waits for its scheduler's turn. */
static uint64_t with_wait_ps(const struct gpu_params *gpu, uint64_t latency_ps)
{
    uint64_t const turns = gpu->sm.issue_rotates ? gpu->sm.schedulers : 1;

    return round_up(latency_ps + gpu->core_clock_ps, turns * gpu->core_clock_ps);
}

static void a_pointer_chase_of_wavefronts(void **state)
{
    uint64_t same[LONG], lines[LONG], banks[LONG], cycle_ps;
    struct gpu_latencies latencies;
    struct system_config config;

    assert_int_equal(config_read(&config, "configs/gpu/r9nano.yaml", NULL, 0).kind, FAULT_NONE);
    cycle_ps = config.gpu.core_clock_ps;
    latencies = unloaded_gpu_latencies(&config.gpu, &config.memories[0]);
    evenly(0, same);
    evenly(128, lines);
    in_closed_banks(&config, banks);
    expect_within_a_cycle("r9nano", "LDS", chase_ps("r9nano", "DS_READ_B32", same, false),
                          with_wait_ps(&config.gpu, latencies.shared_ps), cycle_ps);
    expect_within_a_cycle("r9nano", "L1", chase_ps("r9nano", "FLAT_LOAD_DWORD", same, false),
                          with_wait_ps(&config.gpu, latencies.l1_ps), cycle_ps);
    expect_within_a_cycle("r9nano", "L2", chase_ps("r9nano", "FLAT_LOAD_DWORD", lines, true),
                          with_wait_ps(&config.gpu, latencies.l2_ps), cycle_ps);
    expect_within_a_cycle("r9nano", "DRAM", chase_ps("r9nano", "FLAT_LOAD_DWORD", banks, false),
                          with_wait_ps(&config.gpu, latencies.dram_ps), cycle_ps);
}

/* ---- bandwidth */

/* Every lane loads 16 bytes, block by block: the DRAM's bandwidth from the first answer on, as a share of its peak. */
static double streaming_share(const char *system, uint32_t blocks_an_sm)
{
    bool const is_gcn3 = strcmp(system, "r9nano") == 0;
    uint32_t const warps = is_gcn3 ? 4 : 8;
    struct bench bench;
    struct gpu_test_kernel *kernel;
    const struct memory_params *memory;
    uint32_t load, blocks;
    double bytes, peak, seconds;

    start(&bench, system);
    bench.config.gpu.tlb.page_bytes = 0;     /* pages are known: walks of new ones are not DRAM's bandwidth */
    blocks = blocks_an_sm * (uint32_t)bench.config.gpu.sms;
    kernel = gpu_kernels_add(&bench.kernels, is_gcn3 ? GPU_ISA_GCN3 : GPU_ISA_SASS, blocks, 256);
    load = gpu_kernels_static(kernel, is_gcn3 ? "FLAT_LOAD_DWORDX4" : "LDG.E.128", "R1 > R4", 16);
    for (uint32_t block = 0; block < blocks; block++)
        for (uint32_t warp = 0; warp < warps; warp++)
            gpu_kernels_execute(kernel, block, warp, load, is_gcn3 ? UINT64_MAX : FULL,
                                HEAP + ((uint64_t)block * warps + warp) * (4096 / warps), 16);
    run(&bench);
    memory = &bench.config.memories[0];
    bytes = (double)bench.run->kernels[0].counts.dram_reads * (double)bench.config.gpu.l2.cache.sector_bytes;
    seconds = 1e-12 * (double)(bench.run->kernels[0].end_ps - bench.run->kernels[0].start_ps -
                               unloaded_gpu_latencies(&bench.config.gpu, memory).dram_ps);
    peak = peak_memory_bandwidth(memory);
    finish(&bench);
    return bytes / seconds / peak;
}

static void streaming_comes_near_the_peak(void **state)
{
    for (unsigned i = 0; i <= SYSTEMS; i++) {
        const char *const system = i < SYSTEMS ? systems[i] : "r9nano";
        /* TITAN X chooses slices at random: a long stream loads its channels evenly. */
        double const share = streaming_share(system, strcmp(system, "titanx") == 0 ? 240 : 24);

        if (share < 0.85 || share > 0.95)
            print_message("%s streams at %.3f of its peak\n", system, share);
        assert_true(share >= 0.85 && share <= 0.95);
    }
}

/* ---- shared memory, barriers, masks, streams */

static void conflicts_of_degree_n_cost_n(void **state)
{
    static const int64_t strides[] = {4, 8, 16, 32, 64, 128};

    for (unsigned i = 0; i < SYSTEMS; i++) {
        uint64_t without = 0;

        for (unsigned power = 0; power < 6; power++) {
            struct bench bench;
            struct gpu_test_kernel *kernel;
            uint32_t load;

            start(&bench, systems[i]);
            kernel = gpu_kernels_add(&bench.kernels, GPU_ISA_SASS, 1, 32);
            load = gpu_kernels_static(kernel, "LDS", "R1 > R1", 4);
            for (unsigned step = 0; step < 100; step++)
                gpu_kernels_execute(kernel, 0, 0, load, FULL, 0, strides[power]);
            run(&bench);
            without = power ? without : bench.run->kernels[0].cycles;
            assert_int_equal(bench.run->kernels[0].cycles - without, 100 * ((UINT64_C(1) << power) - 1));
            finish(&bench);
        }
    }
}

/* 32 warps that reach a barrier one after the other, 100 times: each round lasts as long as its slowest warp's chain of
 * 50 additions, wherever that is. */
static void barriers_hold(void **state)
{
    for (unsigned i = 0; i < SYSTEMS; i++) {
        struct bench bench;
        struct gpu_test_kernel *kernel;
        uint64_t chain_cyc;
        uint32_t add, barrier;

        start(&bench, systems[i]);
        kernel = gpu_kernels_add(&bench.kernels, GPU_ISA_SASS, 1, 1024);
        add = gpu_kernels_static(kernel, "FADD", "R1 > R1", 0);
        barrier = gpu_kernels_static(kernel, "BAR.SYNC", "", 0);
        for (unsigned round = 0; round < 100; round++)
            for (uint32_t warp = 0; warp < 32; warp++) {
                for (unsigned step = 0; warp == round % 32 && step < 50; step++)
                    gpu_kernels_execute(kernel, 0, warp, add, FULL, 0, 0);
                gpu_kernels_execute(kernel, 0, warp, barrier, FULL, 0, 0);
            }
        run(&bench);
        chain_cyc = 50 * (bench.config.gpu.units[GPU_UNIT_SP].latency_cyc + bench.config.gpu.sm.pipeline_cyc);
        assert_in_range(bench.run->kernels[0].cycles - bench.config.gpu.launch_latency_cyc, 100 * (chain_cyc - 10),
                        100 * (chain_cyc + 12));
        assert_int_equal(bench.run->kernels[0].counts.barriers, 3200);
        finish(&bench);
    }
}

/* Lanes in a row, words in a row: the sectors are those of the mask's groups of eight lanes. */
static void a_divergent_mask_touches_the_sectors_it_should(void **state)
{
    static const uint64_t masks[] = {0x1, 0x80000000, 0xff, 0x0ff0, 0x00010000, 0x7ffffffe, 0xffffffff};
    static const uint64_t sectors[] = {1, 1, 1, 2, 1, 4, 4};

    for (unsigned i = 0; i < SYSTEMS; i++)
        for (unsigned j = 0; j < sizeof masks / sizeof masks[0]; j++) {
            struct bench bench;
            struct gpu_test_kernel *kernel;
            uint32_t load;

            start(&bench, systems[i]);
            kernel = gpu_kernels_add(&bench.kernels, GPU_ISA_SASS, 1, 32);
            load = gpu_kernels_static(kernel, "LDG.E", "R1 > R2", 4);
            gpu_kernels_execute(kernel, 0, 0, load, masks[j], HEAP + 4 * (uint64_t)__builtin_ctzll(masks[j]), 4);
            run(&bench);
            assert_int_equal(bench.run->kernels[0].counts.dram_reads, sectors[j]);
            finish(&bench);
        }
}

/* Two kernels that each leave most of the GPU idle: beside each other they take little longer than one. */
static void two_streams_overlap(void **state)
{
    for (unsigned i = 0; i < SYSTEMS; i++) {
        uint64_t end_ps[3];

        for (unsigned way = 0; way < 3; way++) {
            struct bench bench;

            start(&bench, systems[i]);
            for (unsigned kernel = 0; kernel < (way ? 2 : 1); kernel++) {
                struct gpu_test_kernel *const made = gpu_kernels_add(&bench.kernels, GPU_ISA_SASS, 8, 64);
                uint32_t const step = gpu_kernels_static(made, "LDG.E", "R1 > R1", 4);

                made->header.stream = way == 2 ? kernel : 0;
                for (unsigned j = 0; j < 50; j++)
                    gpu_kernels_all(made, step, HEAP + kernel * (1 << 24) + j * 4096, 4);
            }
            run(&bench);
            end_ps[way] = bench.run->done_ps;
            finish(&bench);
        }
        assert_in_range(end_ps[1], 19 * end_ps[0] / 10, 2 * end_ps[0] + end_ps[0] / 10);
        assert_in_range(end_ps[2], end_ps[0], 11 * end_ps[0] / 10);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pointer_chase_gives_the_configured_latencies),
        cmocka_unit_test(a_pointer_chase_of_wavefronts),
        cmocka_unit_test(streaming_comes_near_the_peak),
        cmocka_unit_test(conflicts_of_degree_n_cost_n),
        cmocka_unit_test(barriers_hold),
        cmocka_unit_test(a_divergent_mask_touches_the_sectors_it_should),
        cmocka_unit_test(two_streams_overlap),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
