/* replay/gpu/array.c, gpu_fetch.c, reorder.c: compute units of GCN3 with hand-made kernels and memory of one latency
 * (gpu-traces 14). Cycles are derived by hand from these: a block is dispatched in cycle 0, its first fetch is in cycle
 * 2; instructions lie 16 bytes apart, four a line; vector instructions take 4 cycles, scalar ones 4, branches 3. */
#include "tests/support/gpu_bench.h"
#include "tests/support/unit.h"

enum { HIT_CYC = 11, MISS_CYC = 8, RETURN_CYC = 4, SCALAR_CYC = 19, SCALAR_MISS_CYC = 12, WALK_CYC = 700 };
/* from a fetch that misses to the first cycle in which its instructions issue: the answer counts from the next cycle */
enum { COLD_CYC = MISS_CYC + MEMORY_CYC + 1 + RETURN_CYC + 1 };

static void start_array(struct bench *bench, unsigned sms)
{
    start(bench);
    bench->params.sms = sms;
    bench->params.coalescing = COALESCE_LINES;
    bench->params.sm.scoreboard = 0;
    bench->params.sm.policy = WARP_GTO;
    bench->params.sm.pipeline_cyc = 0;
    bench->params.sm.issue_in_turn = 1;
    bench->params.sm.address_latency_cyc = 8;
    bench->params.sm.shared_latency_cyc = 4;
    bench->params.sm.scalar_latency_cyc = SCALAR_CYC;
    for (unsigned i = 0; i < GPU_UNIT_COUNT; i++)
        bench->params.units[i] = (struct gpu_unit_params){.latency_cyc = 4, .interval_cyc = 4, .count = 4};
    bench->params.units[GPU_UNIT_UNIFORM] = (struct gpu_unit_params){.latency_cyc = 4, .interval_cyc = 1, .count = 1};
    bench->params.units[GPU_UNIT_BRANCH] = (struct gpu_unit_params){.latency_cyc = 3, .interval_cyc = 1, .count = 1};
    bench->params.array.sms = 4;
    bench->params.l1.cache.line_bytes = bench->params.l1.cache.sector_bytes = 64;
    bench->params.l2.cache.line_bytes = bench->params.l2.cache.sector_bytes = 64;
    bench->params.l1.cache.latency_cyc = 69;
    bench->params.l1.cache.merges = 128;
    bench->params.l1.banks = 1;
    bench->params.l1.bank_bytes = 64;
    bench->params.l1.data_latency_cyc = 63;
    bench->params.l1.reorder = 128;
    bench->params.l1.return_latency_cyc = 4;
    bench->params.tlb.page_bytes = 0;
}

static struct gpu_test_kernel *one_wavefront(struct bench *bench)
{
    return gpu_kernels_add(&bench->kernels, GPU_ISA_GCN3, 1, 64);
}

/* Cycles of one wavefront that executes the instructions one after the other, each at its own place. */
static uint64_t cycles_with(uint64_t inst_buffer_bytes, const char *const *program, unsigned count)
{
    struct bench bench;
    struct gpu_test_kernel *kernel;
    uint64_t cycles;

    start_array(&bench, 1);
    bench.params.array.inst_buffer_bytes = inst_buffer_bytes;
    kernel = one_wavefront(&bench);
    for (unsigned i = 0; i < count; i++) {
        bool const loads = strncmp(program[i], "S_LOAD", 6) == 0;

        gpu_kernels_all(kernel, gpu_kernels_static(kernel, program[i], loads ? "S4 > S8" : "", loads ? 4 : 0), 0x10000,
                        0);
    }
    cycles = run(&bench);
    finish(&bench);
    return cycles;
}

static uint64_t cycles_of(const char *const *program, unsigned count)
{
    return cycles_with(256, program, count);
}

/* ---- instructions */

static void a_line_is_fetched_before_its_instructions_issue(void **state)
{
    static const char *const program[] = {"V_NOP", "V_NOP", "V_NOP", "V_NOP", "V_NOP", "V_NOP", "V_NOP", "V_NOP"};

    (void)state;
    /* The first issues when its line is there, and the last is done 4 cycles after its issue. */
    assert_int_equal(cycles_of(program, 4) - cycles_of(program, 1), 3 * 4);
    /* The second line was fetched when the first had come, and is as cold. */
    assert_int_equal(cycles_of(program, 5) - cycles_of(program, 1), COLD_CYC);
    assert_int_equal(cycles_of(program, 8) - cycles_of(program, 5), 3 * 4);
}

/* The branch takes 3 cycles instead of 4 and empties the buffer: its line is fetched again, and hits. */
static void a_branch_empties_the_buffer(void **state)
{
    static const char *const straight[] = {"V_NOP", "S_MOV_B32", "V_NOP"};
    static const char *const branched[] = {"V_NOP", "S_CBRANCH_SCC0", "V_NOP"};

    (void)state;
    assert_int_equal(cycles_with(64, branched, 3) - cycles_with(64, straight, 3), 3 + HIT_CYC + 1 - 4);
    /* The next line is on its way by then: it has to come before another can be fetched. */
    assert_int_equal(cycles_of(branched, 3) - cycles_of(straight, 3), COLD_CYC - 4 + HIT_CYC + 1 - 4);
}

static void neighbours_share_the_cache(void **state)
{
    (void)state;
    for (unsigned apart = 0; apart < 2; apart++) {
        struct bench bench;
        struct gpu_test_kernel *kernel;

        start_array(&bench, 2);
        bench.params.array.sms = apart ? 1 : 2;
        kernel = gpu_kernels_add(&bench.kernels, GPU_ISA_GCN3, 2, 64);
        gpu_kernels_all(kernel, gpu_kernels_static(kernel, "V_NOP", "", 0), 0, 0);
        run(&bench);
        assert_int_equal(counts_of(&bench)->inst_fetches, 2);
        assert_int_equal(counts_of(&bench)->inst_misses, apart ? 2 : 1);
        assert_int_equal(fake.sent_count, apart ? 2 : 1);
        finish(&bench);
    }
}

static void a_buffer_holds_so_much(void **state)
{
    (void)state;
    for (uint64_t lines = 1; lines <= 4; lines *= 2) {
        struct bench bench;
        struct gpu_test_kernel *kernel;
        uint32_t load, wait;

        start_array(&bench, 1);
        bench.params.array.inst_buffer_bytes = 64 * lines;
        kernel = one_wavefront(&bench);
        load = gpu_kernels_static(kernel, "FLAT_LOAD_DWORD", "R1 R2 > R4", 4);
        wait = gpu_kernels_static(kernel, "S_WAITCNT", "", 0);
        for (unsigned i = 0; i < 8; i++) {          /* waits long enough to fetch all that there is room for */
            gpu_kernels_all(kernel, load, 0x10000 + 0x1000 * (uint64_t)i, 4);
            gpu_kernels_all(kernel, wait, 0, 0);
        }
        run(&bench);
        assert_int_equal(counts_of(&bench)->inst_fetches, lines);
        finish(&bench);
    }
}

/* ---- scalar loads */

static void scalar_loads_hit_and_miss(void **state)
{
    static const char *const program[] = {"S_LOAD_DWORD", "S_WAITCNT", "S_LOAD_DWORD", "S_WAITCNT"};
    uint64_t const cold_cyc = SCALAR_MISS_CYC + MEMORY_CYC + 1 + RETURN_CYC;

    (void)state;
    /* What waits for the load issues in the cycle after its data came; the first two differ from one in that. */
    assert_int_equal(cycles_of(program, 4) - cycles_of(program, 2), SCALAR_CYC + 1);
    assert_in_range(cycles_of(program, 2), 2 + COLD_CYC + cold_cyc, 2 + COLD_CYC + cold_cyc + 4);
}

/* ---- the reorder buffer, and requests of the L1 */

/* When the last of `lines` of a load is in the registers, as cycles of the kernel. */
static uint64_t load_cyc(uint64_t in_flight, unsigned lines)
{
    struct bench bench;
    struct gpu_test_kernel *kernel;
    uint64_t cycles;

    start_array(&bench, 1);
    bench.params.l1.in_flight = in_flight;
    kernel = one_wavefront(&bench);
    gpu_kernels_execute(kernel, 0, 0, gpu_kernels_static(kernel, "FLAT_LOAD_DWORD", "R1 R2 > R4", 4),
                        lines == 64 ? UINT64_MAX : (UINT64_C(1) << lines) - 1, 0x10000, 64);
    cycles = run(&bench);
    assert_int_equal(counts_of(&bench)->l1_reads, lines);
    finish(&bench);
    return cycles;
}

/* A miss is in the L1 from 2 cycles before the tags to its answer, which is there MEMORY_CYC + 2 after the tags. */
static void the_l1_has_a_limited_number_of_requests(void **state)
{
    uint64_t const busy_cyc = MEMORY_CYC + 2 + 2;

    (void)state;
    assert_int_equal(load_cyc(0, 8) - load_cyc(0, 1), 7);                 /* one a cycle */
    assert_int_equal(load_cyc(8, 8) - load_cyc(0, 8), 0);
    assert_int_equal(load_cyc(1, 2) - load_cyc(0, 1), busy_cyc);
    assert_int_equal(load_cyc(1, 5) - load_cyc(0, 1), 4 * busy_cyc);
    assert_int_equal(load_cyc(2, 4) - load_cyc(2, 2), busy_cyc);
}

/* Line 0 is there, line 1 comes late: a load of line 0 that follows one of line 1 is answered behind it. */
static void answers_come_in_order(void **state)
{
    uint64_t cycles[2];

    (void)state;
    for (unsigned in_order = 0; in_order < 2; in_order++) {
        struct bench bench;
        struct gpu_test_kernel *kernel;
        uint32_t load, wait;

        start_array(&bench, 1);
        if (!in_order)
            bench.params.l1.reorder = 0;
        kernel = gpu_kernels_add(&bench.kernels, GPU_ISA_GCN3, 1, 128);
        load = gpu_kernels_static(kernel, "FLAT_LOAD_DWORD", "R1 R2 > R4", 4);
        wait = gpu_kernels_static(kernel, "S_WAITCNT", "", 0);
        gpu_kernels_execute(kernel, 0, 0, load, 1, 0x10000, 0);
        gpu_kernels_execute(kernel, 0, 0, wait, 1, 0, 0);
        gpu_kernels_execute(kernel, 0, 0, load, 1, 0x20000, 0);           /* misses */
        gpu_kernels_execute(kernel, 0, 1, load, 1, 0x10000, 0);
        gpu_kernels_execute(kernel, 0, 1, wait, 1, 0, 0);
        for (unsigned i = 0; i < 4; i++) {                                /* hit, one after the other */
            gpu_kernels_execute(kernel, 0, 1, load, 1, 0x10000, 0);
            gpu_kernels_execute(kernel, 0, 1, wait, 1, 0, 0);
        }
        cycles[in_order] = run(&bench);
        finish(&bench);
    }
    /* Without order each of warp 1's hits takes its 144 cycles; in order the first of them waits for warp 0's miss. */
    assert_true(cycles[1] > cycles[0] + 50);
}

/* ---- translation */

static void a_new_page_is_walked_for(void **state)
{
    uint64_t cycles[2];

    (void)state;
    for (unsigned is_on = 0; is_on < 2; is_on++) {
        struct bench bench;
        struct gpu_test_kernel *kernel;

        start_array(&bench, 1);
        bench.params.tlb = (struct gpu_tlb_params){.page_bytes = is_on ? 4096 : 0, .entries = 64, .misses = 4,
                                                   .l1_latency_cyc = 65, .l2_sets = 16, .l2_ways = 4,
                                                   .l2_latency_cyc = 3, .walk_latency_cyc = WALK_CYC};
        kernel = one_wavefront(&bench);
        gpu_kernels_all(kernel, gpu_kernels_static(kernel, "S_LOAD_DWORD", "S4 > S8", 4), 0x10000, 0);
        gpu_kernels_all(kernel, gpu_kernels_static(kernel, "S_WAITCNT", "", 0), 0, 0);
        gpu_kernels_all(kernel, gpu_kernels_static(kernel, "FLAT_LOAD_DWORD", "R1 R2 > R4", 4), 0x20000, 4);
        cycles[is_on] = run(&bench);
        if (is_on)
            assert_int_equal(counts_of(&bench)->tlb_walks, 3);
        finish(&bench);
    }
    /* of the instructions, of the scalar load, of the vector load */
    assert_int_equal(cycles[1] - cycles[0], 3 * (WALK_CYC + 3));
}

/* The second load is of a page that is known, the first of one that is not: the second is answered by memory first. */
static void a_load_with_a_known_page_overtakes(void **state)
{
    struct bench bench;
    struct gpu_test_kernel *kernel;
    uint32_t load, wait;

    (void)state;
    start_array(&bench, 1);
    bench.params.tlb = (struct gpu_tlb_params){.page_bytes = 4096, .entries = 64, .misses = 4, .l1_latency_cyc = 65,
                                               .l2_sets = 16, .l2_ways = 4, .l2_latency_cyc = 3,
                                               .walk_latency_cyc = WALK_CYC};
    kernel = one_wavefront(&bench);
    load = gpu_kernels_static(kernel, "FLAT_LOAD_DWORD", "R1 R2 > R4", 4);
    wait = gpu_kernels_static(kernel, "S_WAITCNT", "", 0);
    gpu_kernels_all(kernel, load, 0x10000, 0);
    gpu_kernels_all(kernel, wait, 0, 0);
    gpu_kernels_all(kernel, load, 0x20000, 0);
    gpu_kernels_all(kernel, load, 0x10040, 0);
    run(&bench);
    for (unsigned i = 0, last = 0; i < fake.sent_count; i++)
        if (fake.sent[i].request.address >= 0x10000) {
            assert_true(last != 0x20000);
            last = (unsigned)fake.sent[i].request.address;
            assert_true(last == 0x10000 || last == 0x10040 || i + 1 == fake.sent_count);
        }
    finish(&bench);
}

/* ---- issue and dispatch */

/* Two wavefronts of one scheduler and of two: a cycle is one scheduler's, which serves each unit once. */
static void schedulers_take_turns(void **state)
{
    uint64_t cycles[2];

    (void)state;
    for (unsigned in_turn = 0; in_turn < 2; in_turn++) {
        struct bench bench;
        struct gpu_test_kernel *kernel;
        uint32_t nop;

        start_array(&bench, 1);
        bench.params.sm.issue_in_turn = in_turn;
        kernel = gpu_kernels_add(&bench.kernels, GPU_ISA_GCN3, 1, 512);    /* eight, on four schedulers */
        nop = gpu_kernels_static(kernel, "S_MOV_B32", "", 0);
        bench.params.units[GPU_UNIT_UNIFORM].count = 4;
        for (unsigned i = 0; i < 32; i++)
            gpu_kernels_all(kernel, nop, 0, 0);
        cycles[in_turn] = run(&bench);
        finish(&bench);
    }
    /* 256 instructions: one a cycle; without turns each wavefront issues every 4 cycles, two on each scheduler. */
    assert_in_range(cycles[0], 2 + COLD_CYC + 124, 2 + COLD_CYC + 150);
    assert_in_range(cycles[1], 2 + COLD_CYC + 252, 2 + COLD_CYC + 280);
}

/* Accesses that find no room in the LD/ST unit wait for it, not for a unit or a turn. Where turns rotate, they do not
 * hold up the other scheduler's instructions. */
static void accesses_wait_for_the_ldst(void **state)
{
    uint64_t cycles[2];

    (void)state;
    for (unsigned rotates = 0; rotates < 2; rotates++) {
        struct bench bench;
        struct gpu_test_kernel *kernel;
        const struct gpu_counts *counts;
        uint32_t load;

        start_array(&bench, 1);
        bench.params.sm.issue_rotates = rotates;
        kernel = gpu_kernels_add(&bench.kernels, GPU_ISA_GCN3, 1, 2048);
        load = gpu_kernels_static(kernel, "FLAT_LOAD_DWORD", "R1 R2 > R4", 4);
        for (unsigned i = 0; i < 32; i++)
            gpu_kernels_all(kernel, load, 0x100000 * i, 64);
        cycles[rotates] = run(&bench);
        counts = counts_of(&bench);
        assert_true(counts->stall_ldst > 10 * counts->stall_unit);
        finish(&bench);
    }
    assert_true(cycles[1] < cycles[0]);
}

static void the_dispatcher_pauses(void **state)
{
    uint64_t cycles[2];

    (void)state;
    for (unsigned pauses = 0; pauses < 2; pauses++) {
        struct bench bench;
        struct gpu_test_kernel *kernel;

        start_array(&bench, 4);
        bench.params.array.sms = 1;
        bench.params.dispatch_pause_cyc = pauses ? 4 : 0;
        kernel = gpu_kernels_add(&bench.kernels, GPU_ISA_GCN3, 4, 6 * 64);
        gpu_kernels_all(kernel, gpu_kernels_static(kernel, "V_NOP", "", 0), 0, 0);
        cycles[pauses] = run(&bench);
        finish(&bench);
    }
    assert_int_equal(cycles[1] - cycles[0], 3 * (6 + 1));    /* as many as wavefronts, which are more than 4 */
}

/* ---- what the tracer lost */

static void a_lost_upper_half_is_mended(void **state)
{
    struct bench bench;
    struct gpu_test_kernel *kernel;
    uint32_t first, lost, both;

    (void)state;
    start_array(&bench, 1);
    kernel = one_wavefront(&bench);
    first = gpu_kernels_static(kernel, "FLAT_LOAD_DWORD", "R1 R2 > R4", 4);
    lost = gpu_kernels_static(kernel, "FLAT_LOAD_DWORD", "R5 R6 > R6", 4);
    both = gpu_kernels_static(kernel, "FLAT_LOAD_DWORDX2", "R5 R6 > R5 R6", 8);
    gpu_kernels_all(kernel, first, UINT64_C(0x300010000), 0);
    gpu_kernels_all(kernel, lost, UINT64_C(0x1700020000), 0);     /* 0x17 was loaded */
    gpu_kernels_all(kernel, both, UINT64_C(0x400030000), 0);
    run(&bench);
    for (unsigned i = 0, at = 0; i < fake.sent_count; i++) {
        static const uint64_t expected[] = {UINT64_C(0x300010000), UINT64_C(0x300020000), UINT64_C(0x400030000)};

        if (fake.sent[i].request.address > UINT32_MAX)
            assert_int_equal(fake.sent[i].request.address, expected[at++]);
    }
    assert_int_equal(bench.run->warning_count, 1);
    finish(&bench);
}

/* The base of the second load was written by it: it is taken to lie where the last one from there did. */
static void a_lost_base_is_mended(void **state)
{
    struct bench bench;
    struct gpu_test_kernel *kernel;

    (void)state;
    start_array(&bench, 1);
    kernel = one_wavefront(&bench);
    gpu_kernels_all(kernel, gpu_kernels_static(kernel, "S_LOAD_DWORD", "S6 S7 > S2", 4), 0x50010, 0);
    gpu_kernels_all(kernel, gpu_kernels_static(kernel, "S_LOAD_DWORD", "S4 S5 > S3", 4), 0x60000, 0);
    gpu_kernels_all(kernel, gpu_kernels_static(kernel, "S_LOAD_DWORD", "S6 S7 > S6", 4), 0x18, 0);
    run(&bench);
    assert_int_equal(counts_of(&bench)->scalar_reads, 3);
    assert_int_equal(counts_of(&bench)->scalar_misses, 2);
    assert_int_equal(bench.run->warning_count, 1);
    finish(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_is_fetched_before_its_instructions_issue),
        cmocka_unit_test(a_branch_empties_the_buffer),
        cmocka_unit_test(neighbours_share_the_cache),
        cmocka_unit_test(a_buffer_holds_so_much),
        cmocka_unit_test(scalar_loads_hit_and_miss),
        cmocka_unit_test(the_l1_has_a_limited_number_of_requests),
        cmocka_unit_test(answers_come_in_order),
        cmocka_unit_test(a_new_page_is_walked_for),
        cmocka_unit_test(a_load_with_a_known_page_overtakes),
        cmocka_unit_test(schedulers_take_turns),
        cmocka_unit_test(accesses_wait_for_the_ldst),
        cmocka_unit_test(the_dispatcher_pauses),
        cmocka_unit_test(a_lost_upper_half_is_mended),
        cmocka_unit_test(a_lost_base_is_mended),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
