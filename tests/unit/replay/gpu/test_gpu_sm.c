/* replay/gpu_*.c with hand-made kernels and a memory of fixed latency: cycles of issue, causes of waiting, requests of
 * an SM (gpu-traces 8 to 11, 14). Cycles are derived by hand: a block's first instruction issues 2 cycles after its
 * dispatch, a dependent one latency + 5 later, the last warp ends 5 cycles after its last issue. */
#include "tests/support/gpu_bench.h"
#include "tests/support/unit.h"

/* Cycles of one warp that executes instructions "OPCODE registers", all lanes, and EXIT. */
static uint64_t cycles_of(const char *const (*program)[2], unsigned count)
{
    struct bench bench;
    struct gpu_test_kernel *kernel;
    uint64_t cycles;

    start(&bench);
    kernel = one_warp(&bench);
    for (unsigned i = 0; i < count; i++)
        gpu_kernels_all(kernel, gpu_kernels_static(kernel, program[i][0], program[i][1], 0), 0, 0);
    gpu_kernels_all(kernel, gpu_kernels_static(kernel, "EXIT", "", 0), 0, 0);
    cycles = run(&bench);
    finish(&bench);
    return cycles;
}

/* ---- issue and scoreboard */

static void an_empty_kernel_takes_the_fixed_cost(void **state)
{
    assert_int_equal(cycles_of(NULL, 0), EMPTY_CYC);
}

static void dependent_instructions_are_latency_and_pipeline_apart(void **state)
{
    static const char *const none[][2] = {{"FFMA", "R1 > R2"}, {"FFMA", "R1 > R3"}, {"FFMA", "R1 > R4"}};
    static const char *const raw[][2] = {{"FFMA", "R1 > R2"}, {"FFMA", "R2 > R3"}, {"FFMA", "R3 > R4"}};
    static const char *const waw[][2] = {{"FFMA", "R1 > R2"}, {"FFMA", "R1 > R2"}, {"FFMA", "R1 > R2"}};
    static const char *const war[][2] = {{"FFMA", "R2 > R3"}, {"FFMA", "R1 > R2"}, {"FFMA", "R1 > R1"}};
    static const char *const zero[][2] = {{"FFMA", "R1 > R255"}, {"FFMA", "R255 > R255"}, {"FFMA", "R255 > R4"}};
    uint64_t const free_cyc = cycles_of(none, 3);

    assert_int_equal(cycles_of(raw, 3), free_cyc + 2 * 6);
    assert_int_equal(cycles_of(waw, 3), free_cyc + 2 * 6);
    assert_int_equal(cycles_of(war, 3), free_cyc);
    assert_int_equal(cycles_of(zero, 3), free_cyc);
}

/* Reads of four registers in one bank take a second cycle, of two none. */
static void registers_of_one_bank_are_read_two_a_cycle(void **state)
{
    static const char *const sources[] = {"R4 R6 > R8", "R4 R6 R10 > R8", "R4 R5 R7 > R8"};
    static const uint64_t extra_cyc[] = {0, 1, 0};

    for (unsigned i = 0; i < 3; i++) {
        struct bench bench;
        struct gpu_test_kernel *kernel;

        start(&bench);
        bench.params.sm.register_banks = 8;
        kernel = one_warp(&bench);
        gpu_kernels_all(kernel, gpu_kernels_static(kernel, "FFMA", sources[i], 0), 0, 0);
        gpu_kernels_all(kernel, gpu_kernels_static(kernel, "FADD", "R8 > R9", 0), 0, 0);
        assert_int_equal(run(&bench), 2 + 7 + extra_cyc[i] + 7 + 1);
        finish(&bench);
    }
}

static void a_second_instruction_goes_to_another_unit(void **state)
{
    for (unsigned differs = 0; differs < 2; differs++)
        for (unsigned width = 1; width < 3; width++) {
            struct bench bench;
            struct gpu_test_kernel *kernel;
            uint32_t statics[2];

            start(&bench);
            bench.params.sm.issue_width = width;
            bench.params.sm.dual_issue_units = 1;
            kernel = one_warp(&bench);
            statics[0] = gpu_kernels_static(kernel, "FFMA", "R1 > R2", 0);
            statics[1] = differs ? gpu_kernels_static(kernel, "IADD3", "R1 > R3", 0)
                                 : gpu_kernels_static(kernel, "FADD", "R1 > R3", 0);
            for (unsigned i = 0; i < 10; i++)
                gpu_kernels_all(kernel, statics[i % 2], 0, 0);
            /* The same registers again: only every 7 cycles, so pairs show in the last one. */
            assert_int_equal(run(&bench), 2 + 4 * 7 + (differs && width == 2 ? 0 : 1) + 7 + 1);
            finish(&bench);
        }
}

/* Loads past the L1 leave in the order of issue: `order` says by which warp. */
static void expect_order(enum warp_scheduler policy, unsigned warps, unsigned loads, const uint8_t *order)
{
    struct bench bench;
    struct gpu_test_kernel *kernel;
    uint32_t load;

    start(&bench);
    bench.params.sm.schedulers = 1;
    bench.params.sm.policy = policy;
    kernel = gpu_kernels_add(&bench.kernels, GPU_ISA_SASS, 1, 32 * warps);
    for (unsigned i = 0; i < loads; i++) {
        char registers[16];

        snprintf(registers, sizeof registers, "R1 > R%u", 2 + i);
        load = gpu_kernels_static(kernel, "LDG.E.STRONG.GPU", registers, 4);
        for (unsigned warp = 0; warp < warps; warp++)
            gpu_kernels_execute(kernel, 0, warp, load, 1, (uint64_t)(warp + 1) << 20 | i << 7, 0);
    }
    run(&bench);
    assert_int_equal(fake.sent_count, warps * loads);
    for (unsigned i = 0; i < warps * loads; i++)
        assert_int_equal(fake.sent[i].request.address >> 20, order[i] + 1);
    finish(&bench);
}

static void policies_choose_the_warp(void **state)
{
    static const uint8_t round_robin[] = {0, 1, 2, 0, 1, 2};
    static const uint8_t greedy[] = {0, 0, 1, 1, 2, 2};
    static const uint8_t inner_first[] = {0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7, 8, 8};

    expect_order(WARP_LRR, 3, 2, round_robin);
    expect_order(WARP_GTO, 3, 2, greedy);
    expect_order(WARP_TWO_LEVEL, 9, 2, inner_first);
}

/* ---- barriers, fences, groups */

/* Warp 0 loads, waits for it and reaches the barrier; warp 1 reaches it at once, and loads behind it. The answer is how
 * many cycles lie between the two loads. */
static uint64_t barrier_gap(const char *opcode_of_second)
{
    struct bench bench;
    struct gpu_test_kernel *kernel;
    uint32_t load, use, first, second;
    uint64_t gap;

    start(&bench);
    kernel = gpu_kernels_add(&bench.kernels, GPU_ISA_SASS, 1, 64);
    load = gpu_kernels_static(kernel, "LDG.E.STRONG.GPU", "R1 > R2", 4);
    use = gpu_kernels_static(kernel, "FADD", "R2 > R3", 0);
    first = gpu_kernels_static(kernel, "BAR.SYNC", "", 0);
    second = gpu_kernels_static(kernel, opcode_of_second, "", 0);
    gpu_kernels_execute(kernel, 0, 0, load, 1, 0x1000, 0);
    gpu_kernels_execute(kernel, 0, 0, use, FULL, 0, 0);
    gpu_kernels_execute(kernel, 0, 0, first, FULL, 0, 0);
    gpu_kernels_execute(kernel, 0, 1, second, FULL, 0, 0);
    gpu_kernels_execute(kernel, 0, 1, load, 1, 0x2000, 0);
    run(&bench);
    assert_int_equal(counts_of(&bench)->barriers, strncmp(opcode_of_second, "BAR", 3) == 0 ? 2 : 1);
    assert_int_equal(fake.sent_count, 2);
    gap = (fake.sent[1].sent_ps - fake.sent[0].sent_ps) / CLOCK_PS;
    finish(&bench);
    return gap;
}

static void barriers_hold(void **state)
{
    assert_true(barrier_gap("BAR.SYNC") > MEMORY_CYC);
    assert_true(barrier_gap("BAR.ARV") < 10);
    /* Without one: the first warp's barrier opens when the second warp has ended. */
    assert_true(barrier_gap("NOP") < 10);
}

/* Cycles between a first access and a load, with an instruction in between. */
static uint64_t gap_behind(enum gpu_isa isa, const char *access, const char *registers, const char *between,
                           const char *load)
{
    struct bench bench;
    struct gpu_test_kernel *kernel;
    uint32_t statics[3];
    uint64_t gap;

    start(&bench);
    bench.params.sm.scoreboard = isa == GPU_ISA_SASS;
    bench.params.l1.skip_global = 1;
    kernel = gpu_kernels_add(&bench.kernels, isa, 1, 32);
    statics[0] = gpu_kernels_static(kernel, access, registers, 4);
    statics[1] = gpu_kernels_static(kernel, between, "", 0);
    statics[2] = gpu_kernels_static(kernel, load, isa == GPU_ISA_SASS ? "R1 > R9" : "R1 > R9", 4);
    gpu_kernels_execute(kernel, 0, 0, statics[0], 1, 0x1000, 0);
    gpu_kernels_execute(kernel, 0, 0, statics[1], 1, 0, 0);
    gpu_kernels_execute(kernel, 0, 0, statics[2], 1, 0x2000, 0);
    run(&bench);
    assert_int_equal(fake.sent_count, 2);
    gap = (fake.sent[1].sent_ps - fake.sent[0].sent_ps) / CLOCK_PS;
    finish(&bench);
    return gap;
}

static void fences_wait_for_stores_and_loads(void **state)
{
    assert_true(gap_behind(GPU_ISA_SASS, "STG.E", "R1 R2", "MEMBAR.GPU", "LDG.E") > MEMORY_CYC);
    assert_true(gap_behind(GPU_ISA_SASS, "LDG.E", "R1 > R2", "MEMBAR.GPU", "LDG.E") > MEMORY_CYC);
    assert_true(gap_behind(GPU_ISA_SASS, "STG.E", "R1 R2", "NOP", "LDG.E") < 5);
}

/* gpu-traces 14: no scoreboard, S_WAITCNT waits for all. */
static void gcn3_waits_at_s_waitcnt(void **state)
{
    assert_true(gap_behind(GPU_ISA_GCN3, "FLAT_LOAD_DWORD", "R1 > R2", "S_WAITCNT", "FLAT_LOAD_DWORD") > MEMORY_CYC);
    assert_true(gap_behind(GPU_ISA_GCN3, "FLAT_LOAD_DWORD", "R1 > R9", "V_NOP", "FLAT_LOAD_DWORD") < 20);
}

/* One access a wavefront, past the L1 of vectors; a second load of the line finds it. S_WAITCNT waits for both. */
static void scalar_loads_have_a_cache_of_their_own(void **state)
{
    struct bench bench;
    struct gpu_test_kernel *kernel;
    uint32_t load, wait;

    start(&bench);
    kernel = gpu_kernels_add(&bench.kernels, GPU_ISA_GCN3, 1, 64);
    load = gpu_kernels_static(kernel, "S_LOAD_DWORDX8", "S4 > S8", 32);
    wait = gpu_kernels_static(kernel, "S_WAITCNT", "", 0);
    for (unsigned i = 0; i < 2; i++) {
        gpu_kernels_execute(kernel, 0, 0, load, UINT64_MAX, 0x10000 + 32 * i, 0);
        gpu_kernels_execute(kernel, 0, 0, wait, UINT64_MAX, 0, 0);
    }
    assert_in_range(run(&bench), MEMORY_CYC + bench.params.sm.scalar_latency_cyc,
                    MEMORY_CYC + 2 * bench.params.sm.scalar_latency_cyc + 30);
    assert_int_equal(fake.sent_count, 1);
    assert_int_equal(fake.sent[0].request.address, 0x10000);
    assert_int_equal(counts_of(&bench)->l1_reads, 0);
    assert_int_equal(counts_of(&bench)->global_accesses, 2);
    finish(&bench);
}

static uint64_t copies_gap(int64_t allowed)
{
    struct bench bench;
    struct gpu_test_kernel *kernel;
    uint32_t copy, commit, wait, load;
    uint64_t gap;

    start(&bench);
    bench.params.l1.skip_global = 1;
    kernel = one_warp(&bench);
    kernel->header.binary_version = 80;
    copy = gpu_kernels_static(kernel, "LDGSTS.E", "R1", 4);
    commit = gpu_kernels_static(kernel, "LDGDEPBAR", "", 0);
    wait = gpu_kernels_static(kernel, "DEPBAR.LE", "", 0);
    load = gpu_kernels_static(kernel, "LDG.E", "R1 > R2", 4);
    kernel->statics[wait].immediate = allowed;
    for (unsigned i = 0; i < 2; i++) {
        gpu_kernels_execute(kernel, 0, 0, copy, FULL, 0x1000 * (i + 1), 128);
        gpu_kernels_execute(kernel, 0, 0, commit, FULL, 0, 0);
    }
    gpu_kernels_execute(kernel, 0, 0, wait, FULL, 0, 0);
    gpu_kernels_execute(kernel, 0, 0, load, 1, 0x9000, 0);
    run(&bench);
    assert_int_equal(fake.sent_count, 65);
    gap = (fake.sent[64].sent_ps - fake.sent[0].sent_ps) / CLOCK_PS;
    finish(&bench);
    return gap;
}

/* 32 requests a copy, one a cycle: the first group is there after 31 cycles and the latency, the second 32 later. */
static void waits_for_groups_of_copies(void **state)
{
    assert_in_range(copies_gap(0), 63 + MEMORY_CYC, 63 + MEMORY_CYC + 15);
    assert_in_range(copies_gap(1), 31 + MEMORY_CYC, 31 + MEMORY_CYC + 15);
    assert_in_range(copies_gap(2), 64, 74);
}

/* ---- blocks */

static void check_limit(struct bench *bench, unsigned blocks, enum gpu_limit limit)
{
    gpu_kernels_all(&bench->kernels.kernels[0],
                    gpu_kernels_static(&bench->kernels.kernels[0], "EXIT", "", 0), 0, 0);
    run(bench);
    assert_int_equal(bench->run->kernels[0].blocks_per_sm, blocks);
    assert_string_equal(gpu_limit_name(bench->run->kernels[0].limit), gpu_limit_name(limit));
    assert_int_equal(counts_of(bench)->blocks, bench->kernels.kernels[0].blocks);
    finish(bench);
}

static void blocks_of_an_sm_have_limits(void **state)
{
    struct bench bench;

    start(&bench);
    gpu_kernels_add(&bench.kernels, GPU_ISA_SASS, 100, 250);
    check_limit(&bench, 8, GPU_LIMIT_THREADS);
    start(&bench);
    gpu_kernels_add(&bench.kernels, GPU_ISA_SASS, 100, 32);
    check_limit(&bench, 32, GPU_LIMIT_BLOCKS);
    start(&bench);
    gpu_kernels_add(&bench.kernels, GPU_ISA_SASS, 100, 256)->header.nregs = 61;
    check_limit(&bench, 4, GPU_LIMIT_REGISTERS);
    start(&bench);
    gpu_kernels_add(&bench.kernels, GPU_ISA_SASS, 100, 32)->header.shmem_bytes = 33000;
    check_limit(&bench, 2, GPU_LIMIT_SHARED);
    start(&bench);
    bench.params.sms = 4;
    gpu_kernels_add(&bench.kernels, GPU_ISA_SASS, 10, 32);
    check_limit(&bench, 3, GPU_LIMIT_GRID);
}

static void a_block_larger_than_an_sm_is_reported(void **state)
{
    struct bench bench;

    start(&bench);
    gpu_kernels_add(&bench.kernels, GPU_ISA_SASS, 1, 32)->header.shmem_bytes = 1 << 20;
    assert_int_equal(try_run(&bench), GPU_RUN_FAILED);
    assert_int_equal(bench.run->fault.kind, FAULT_INPUT);
    assert_non_null(strstr(fault_text(bench.run->fault), "gpu.sm.shared"));
    finish(&bench);
}

/* 11: QV100 without shared memory: 128 KiB; with 32 KiB of it, 96. */
static void shared_memory_leaves_the_rest_to_the_l1(void **state)
{
    static const uint64_t shmem[] = {0, 1024, 1025, 30000}, l1_kib[] = {128, 96, 64, 32};

    for (unsigned i = 0; i < 4; i++) {
        struct bench bench;
        struct gpu_test_kernel *kernel;

        start(&bench);
        bench.params.l1.adaptive = 1;
        bench.params.l1.unified_bytes = 128 << 10;
        for (unsigned j = 0; j < 6; j++)
            bench.params.l1.shared_options[j] = (uint64_t[]){0, 8, 16, 32, 64, 96}[j] << 10;
        kernel = gpu_kernels_add(&bench.kernels, GPU_ISA_SASS, 32, 32);
        kernel->header.shmem_bytes = shmem[i];
        gpu_kernels_all(kernel, gpu_kernels_static(kernel, "EXIT", "", 0), 0, 0);
        run(&bench);
        assert_int_equal(bench.run->kernels[0].l1_bytes >> 10, l1_kib[i]);
        finish(&bench);
    }
}

static void warps_without_instructions_and_lanes_end(void **state)
{
    struct bench bench;
    struct gpu_test_kernel *kernel;
    uint32_t load, bar;

    start(&bench);
    kernel = gpu_kernels_add(&bench.kernels, GPU_ISA_SASS, 2, 128);
    load = gpu_kernels_static(kernel, "LDG.E", "R1 > R2", 4);
    bar = gpu_kernels_static(kernel, "BAR.SYNC", "", 0);
    gpu_kernels_execute(kernel, 0, 1, load, 0, 0, 0);
    gpu_kernels_execute(kernel, 0, 1, bar, FULL, 0, 0);
    gpu_kernels_execute(kernel, 0, 1, load, 0, 0, 0);
    run(&bench);
    assert_int_equal(fake.sent_count, 0);
    assert_int_equal(counts_of(&bench)->warps, 8);
    assert_int_equal(counts_of(&bench)->warp_insts, 3);
    assert_int_equal(counts_of(&bench)->thread_insts, 32);
    assert_int_equal(counts_of(&bench)->global_accesses, 0);
    finish(&bench);
}

/* ---- memory */

static struct gpu_counts counts_of_load(enum coalescing rule, enum gpu_isa isa, const char *opcode, uint16_t width,
                                        uint64_t mask, int64_t stride)
{
    struct bench bench;
    struct gpu_test_kernel *kernel;
    struct gpu_counts counts;

    start(&bench);
    bench.params.coalescing = rule;
    if (rule == COALESCE_LINES)
        bench.params.l1.cache.line_bytes = bench.params.l1.cache.sector_bytes = bench.params.l2.cache.sector_bytes = 64;
    kernel = gpu_kernels_add(&bench.kernels, isa, 1, 32);
    gpu_kernels_execute(kernel, 0, 0, gpu_kernels_static(kernel, opcode, "R1 > R2", width), mask, 0x10000, stride);
    run(&bench);
    counts = *counts_of(&bench);
    finish(&bench);
    return counts;
}

static void lanes_become_requests_as_the_architecture_has_it(void **state)
{
    struct gpu_counts counts = counts_of_load(COALESCE_SECTORS, GPU_ISA_SASS, "LDG.E", 4, FULL, 4);

    assert_int_equal(counts.l1_reads, 4);
    assert_int_equal(counts.lines, 1);
    counts = counts_of_load(COALESCE_SECTORS, GPU_ISA_SASS, "LDG.E", 4, FULL, 128);
    assert_int_equal(counts.l1_reads, 32);
    assert_int_equal(counts.lines, 32);
    counts = counts_of_load(COALESCE_SEGMENTS, GPU_ISA_SASS, "LDG.E", 4, FULL, 4);
    assert_int_equal(counts.l1_reads, 4);
    counts = counts_of_load(COALESCE_LINES, GPU_ISA_GCN3, "FLAT_LOAD_DWORD", 4, UINT64_MAX, 4);
    assert_int_equal(counts.l1_reads, 4);
    assert_int_equal(counts.to_l2_reads, 4);
}

static void a_divergent_mask_touches_its_sectors_only(void **state)
{
    struct bench bench;
    struct gpu_test_kernel *kernel;
    uint64_t seen = 0;

    start(&bench);
    kernel = one_warp(&bench);
    /* Lanes 4 to 15: 12 words from the base on, in two sectors. */
    gpu_kernels_execute(kernel, 0, 0, gpu_kernels_static(kernel, "LDG.E", "R1 > R2", 4), 0xfff0, 0x2000, 4);
    run(&bench);
    for (unsigned i = 0; i < fake.sent_count; i++)
        seen |= UINT64_C(1) << ((fake.sent[i].request.address - 0x2000) / 32);
    assert_int_equal(fake.sent_count, 2);
    assert_int_equal(seen, 3);
    finish(&bench);
}

static void neighbours_in_local_memory_lie_side_by_side(void **state)
{
    struct gpu_counts const word = counts_of_load(COALESCE_SECTORS, GPU_ISA_SASS, "LDL", 4, FULL, 0);
    struct gpu_counts const wide = counts_of_load(COALESCE_SECTORS, GPU_ISA_SASS, "LDL.64", 8, FULL, 0);

    assert_int_equal(word.l1_reads, 4);
    assert_int_equal(word.lines, 1);
    assert_int_equal(wide.l1_reads, 8);
}

static void atomics_go_past_the_l1(void **state)
{
    static const char *const opcodes[] = {"ATOMG.E.ADD", "RED.E.ADD"};

    for (unsigned i = 0; i < 2; i++) {
        struct bench bench;
        struct gpu_test_kernel *kernel;
        uint64_t cycles;

        start(&bench);
        kernel = one_warp(&bench);
        gpu_kernels_execute(kernel, 0, 0, gpu_kernels_static(kernel, opcodes[i], i ? "R1" : "R1 > R2", 4), 3, 0x1000,
                            0);
        gpu_kernels_all(kernel, gpu_kernels_static(kernel, "FADD", "R2 > R3", 0), 0, 0);
        cycles = run(&bench);
        /* Two lanes at one address are two operations. */
        assert_int_equal(fake.sent_count, 2);
        assert_int_equal(fake.sent[0].request.kind, GPU_ATOMIC);
        assert_int_equal(counts_of(&bench)->l1_reads + counts_of(&bench)->l1_writes, 0);
        /* One that gives nothing back holds up the end of the warp only. */
        assert_int_equal(cycles > MEMORY_CYC + 18, i == 0);
        finish(&bench);
    }
}

/* Latency of a hit is the L1's + 4; of shared memory its + 5, and one more for each further way of a conflict. */
static void unloaded_latencies_are_the_configured_ones(void **state)
{
    static const struct { const char *opcode; int64_t stride; uint64_t cyc; } rows[] = {
        {"LDG.E", 0, 24}, {"LDG.E", 4, 24}, {"LDG.E", 32, 31}, {"LDG.E", 128, 55}, {"LDS", 4, 25}, {"LDS", 8, 26},
        {"LDS", 128, 56}, {"LDS", 0, 25},
    };

    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t cycles[2];

        for (unsigned more = 0; more < 2; more++) {
            struct bench bench;
            struct gpu_test_kernel *kernel;
            uint32_t load;

            start(&bench);
            kernel = one_warp(&bench);
            load = gpu_kernels_static(kernel, rows[i].opcode, "R1 > R1", 4);
            for (unsigned j = 0; j < 4 + 10 * more; j++)
                gpu_kernels_all(kernel, load, 0, rows[i].stride);
            cycles[more] = run(&bench);
            finish(&bench);
        }
        assert_int_equal(cycles[1] - cycles[0], 10 * rows[i].cyc);
    }
}

/* An L1 with one MSHR, two merges and one place for misses, behind an interconnect that is often full, gives the same
 * counts in the end. */
static void refused_requests_are_retried(void **state)
{
    uint64_t cycles[2], reads[2], sent[2];

    for (unsigned i = 0; i < 2; i++) {
        struct bench bench;
        struct gpu_test_kernel *kernel;

        start(&bench);
        bench.params.l1.cache.miss_queue = bench.params.l1.cache.merges = 256;
        if (i == 1) {
            bench.params.l1.cache.mshrs = bench.params.l1.cache.miss_queue = 1;
            bench.params.l1.cache.merges = 2;
            fake.room_after = 1;
        }
        kernel = gpu_kernels_add(&bench.kernels, GPU_ISA_SASS, 1, 256);
        gpu_kernels_all(kernel, gpu_kernels_static(kernel, "LDG.E", "R1 > R2", 4), 0x1000, 32);
        gpu_kernels_all(kernel, gpu_kernels_static(kernel, "STG.E", "R1 R2", 4), 0x9000, 4);
        cycles[i] = run(&bench);
        reads[i] = counts_of(&bench)->l1_reads;
        sent[i] = counts_of(&bench)->to_l2_reads;
        assert_int_equal(counts_of(&bench)->to_l2_writes, 8 * 4);
        assert_int_equal(counts_of(&bench)->l1_retries > 0, i == 1);
        finish(&bench);
    }
    assert_int_equal(reads[0], 8 * 32);
    assert_int_equal(reads[1], 8 * 32);
    assert_int_equal(sent[0], 32);
    assert_int_equal(sent[1], 32);
    assert_true(cycles[1] > 32 * MEMORY_CYC);
}

/* ---- kernels, streams, stalls */

static void add_chain(struct bench *bench, uint64_t stream)
{
    struct gpu_test_kernel *const kernel = gpu_kernels_add(&bench->kernels, GPU_ISA_SASS, 1, 32);
    uint32_t const step = gpu_kernels_static(kernel, "FFMA", "R1 > R1", 0);

    kernel->header.stream = stream;
    for (unsigned i = 0; i < 100; i++)
        gpu_kernels_all(kernel, step, 0, 0);
}

static void streams_overlap_and_kernels_of_one_do_not(void **state)
{
    uint64_t const alone_cyc = 2 + 100 * 7 + 1;

    for (unsigned i = 0; i < 3; i++) {
        struct bench bench;
        struct gpu_stream_result *streams;
        size_t count;
        uint64_t total;

        start(&bench);
        bench.params.concurrent_streams = i > 0;
        bench.params.launch_latency_cyc = 50;
        add_chain(&bench, 7);
        add_chain(&bench, i == 1 ? 7 : 8);
        run(&bench);
        total = bench.run->kernels[0].cycles + bench.run->kernels[1].cycles;
        assert_int_equal(bench.run->kernels[0].cycles, 50 + alone_cyc);
        assert_int_equal(bench.run->done_ps, total * CLOCK_PS);
        /* On one SM the second block is placed a cycle after the first. */
        assert_int_equal(total, i == 2 ? 50 + alone_cyc + 1 : 2 * (50 + alone_cyc));
        streams = gpu_run_streams(bench.run, &count);
        assert_int_equal(count, i == 1 ? 1 : 2);
        assert_int_equal(streams[0].counts.warp_insts, i == 1 ? 200 : 100);
        free(streams);
        finish(&bench);
    }
}

static void only_picked_kernels_run(void **state)
{
    static const struct gpu_kernel_range second = {2, 2}, none = {9, 10};
    struct bench bench;
    struct gpu_source source;

    start(&bench);
    add_chain(&bench, 0);
    add_chain(&bench, 0);
    bench.options = (struct gpu_run_options){.picked = &second, .picked_count = 1, .pc_counts = true};
    run(&bench);
    assert_int_equal(bench.run->kernel_count, 1);
    assert_int_equal(bench.run->kernels[0].number, 2);
    assert_int_equal(bench.run->kernels[0].pc_count, 1);
    assert_int_equal(bench.run->kernels[0].pcs[0].executions, 100);
    assert_int_equal(bench.run->kernels[0].pcs[0].lanes, 3200);
    gpu_run_destroy(bench.run);
    bench.options.picked = &none;
    source = gpu_kernels_source(&bench.kernels);
    assert_int_equal(gpu_run_create(&bench.run, NULL, &bench.params, &defaults.memories[0], NULL, &source,
                                    &bench.options).kind, FAULT_INPUT);
    gpu_kernels_free(&bench.kernels);
}

static void the_watchdog_names_the_warp_and_its_wait(void **state)
{
    static const char *const words[] = {
        "kernel 1", "made_by_hand", "block 1,0,0", "warp 1", "pc 0x10", "FADD", "register R2", "LDG.E at pc 0x0",
        "lacks 4 answers",
    };
    struct bench bench;
    struct gpu_test_kernel *kernel;
    uint32_t load, use;

    start(&bench);
    fake.is_mute = true;
    kernel = gpu_kernels_add(&bench.kernels, GPU_ISA_SASS, 2, 64);
    load = gpu_kernels_static(kernel, "LDG.E", "R1 > R2", 4);
    use = gpu_kernels_static(kernel, "FADD", "R2 > R3", 0);
    gpu_kernels_execute(kernel, 1, 1, load, FULL, 0x1000, 4);
    gpu_kernels_execute(kernel, 1, 1, use, FULL, 0, 0);
    assert_int_equal(try_run(&bench), GPU_RUN_FAILED);
    assert_int_equal(bench.run->fault.kind, FAULT_STALL);
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (!strstr(fault_text(bench.run->fault), words[i]))
            print_message("\"%s\" is missing in: %s\n", words[i], fault_text(bench.run->fault));
        assert_non_null(strstr(fault_text(bench.run->fault), words[i]));
    }
    finish(&bench);
    assert_int_equal(bench.kernels.blocks_held, 0);
}

/* A run in a simulation of the caller, from a tick that is no edge: the caller's events continue beside it. */
static void told(void *context)
{
    *(bool *)context = true;
}

static void a_run_lives_in_a_simulation_of_the_caller(void **state)
{
    struct bench bench;
    struct gpu_source source;
    struct sim sim;
    bool is_told = false;

    start(&bench);
    add_chain(&bench, 0);
    sim_init(&sim, 64);
    sim.events.now_ps = 10 * CLOCK_PS + 1;
    bench.options = (struct gpu_run_options){.done = told, .context = &is_told};
    source = gpu_kernels_source(&bench.kernels);
    assert_int_equal(gpu_run_create(&bench.run, &sim, &bench.params, &defaults.memories[0], NULL, &source,
                                    &bench.options).kind, FAULT_NONE);
    gpu_run_start(bench.run);
    event_queue_run(&sim.events, TICK_NEVER, UINT64_MAX);
    assert_true(is_told);
    assert_true(gpu_run_is_done(bench.run));
    assert_int_equal(bench.run->kernels[0].cycles, 2 + 100 * 7 + 1);
    assert_int_equal(bench.run->kernels[0].launch_ps, 11 * CLOCK_PS);
    finish(&bench);
    sim_free(&sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_kernel_takes_the_fixed_cost),
        cmocka_unit_test(dependent_instructions_are_latency_and_pipeline_apart),
        cmocka_unit_test(registers_of_one_bank_are_read_two_a_cycle),
        cmocka_unit_test(a_second_instruction_goes_to_another_unit),
        cmocka_unit_test(policies_choose_the_warp),
        cmocka_unit_test(barriers_hold),
        cmocka_unit_test(fences_wait_for_stores_and_loads),
        cmocka_unit_test(gcn3_waits_at_s_waitcnt),
        cmocka_unit_test(scalar_loads_have_a_cache_of_their_own),
        cmocka_unit_test(waits_for_groups_of_copies),
        cmocka_unit_test(blocks_of_an_sm_have_limits),
        cmocka_unit_test(a_block_larger_than_an_sm_is_reported),
        cmocka_unit_test(shared_memory_leaves_the_rest_to_the_l1),
        cmocka_unit_test(warps_without_instructions_and_lanes_end),
        cmocka_unit_test(lanes_become_requests_as_the_architecture_has_it),
        cmocka_unit_test(a_divergent_mask_touches_its_sectors_only),
        cmocka_unit_test(neighbours_in_local_memory_lie_side_by_side),
        cmocka_unit_test(atomics_go_past_the_l1),
        cmocka_unit_test(unloaded_latencies_are_the_configured_ones),
        cmocka_unit_test(refused_requests_are_retried),
        cmocka_unit_test(streams_overlap_and_kernels_of_one_do_not),
        cmocka_unit_test(only_picked_kernels_run),
        cmocka_unit_test(the_watchdog_names_the_warp_and_its_wait),
        cmocka_unit_test(a_run_lives_in_a_simulation_of_the_caller),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
