/* Keys of cards that Accel-Sim's systems have not: launch of blocks, turns of the L1, stores that leave. */
#include "tests/support/gpu_bench.h"
#include "tests/support/unit.h"

static void exits(struct gpu_test_kernel *kernel)
{
    gpu_kernels_all(kernel, gpu_kernels_static(kernel, "EXIT", "", 0), 0, 0);
}

static void a_block_begins_after_its_latency(void **state)
{
    struct bench bench;

    start(&bench);
    bench.params.block_latency_cyc = 40;
    exits(one_warp(&bench));
    assert_int_equal(run(&bench), EMPTY_CYC + 40);
    finish(&bench);
}

/* 64 blocks on 32 SMs, which hold all of them at once. */
static uint64_t cycles_of_blocks(uint64_t dispatch_blocks)
{
    struct bench bench;
    uint64_t cycles;

    start(&bench);
    bench.params.sms = 32;
    bench.params.dispatch_blocks = dispatch_blocks;
    exits(gpu_kernels_add(&bench.kernels, GPU_ISA_SASS, 64, 32));
    cycles = run(&bench);
    finish(&bench);
    return cycles;
}

static void so_many_blocks_are_dispatched_in_a_cycle(void **state)
{
    assert_int_equal(cycles_of_blocks(1), cycles_of_blocks(0) + 62);
    assert_int_equal(cycles_of_blocks(4), cycles_of_blocks(0) + 14);
    assert_int_equal(cycles_of_blocks(64), cycles_of_blocks(0));
}

/* Cycles of a warp that stores, and of one instruction behind; the next block begins when it has ended. */
static uint64_t cycles_of_store(bool leaves, const char *behind)
{
    struct bench bench;
    struct gpu_test_kernel *kernel;
    uint64_t cycles;

    start(&bench);
    bench.params.sm.stores_leave = leaves;
    bench.params.sm.max_blocks = 1;
    kernel = gpu_kernels_add(&bench.kernels, GPU_ISA_SASS, 4, 32);
    gpu_kernels_all(kernel, gpu_kernels_static(kernel, "STG.E", "R1 R2", 4), 0x1000, 4);
    gpu_kernels_all(kernel, gpu_kernels_static(kernel, behind, "", 0), 0, 0);
    exits(kernel);
    cycles = run(&bench);
    assert_int_equal(counts_of(&bench)->to_l2_writes, 4 * 4);
    finish(&bench);
    return cycles;
}

static void stores_that_leave_hold_no_warp(void **state)
{
    assert_true(cycles_of_store(false, "NOP") > 4 * MEMORY_CYC);
    assert_in_range(cycles_of_store(true, "NOP"), MEMORY_CYC, 2 * MEMORY_CYC);
    assert_in_range(cycles_of_store(true, "MEMBAR.GPU"), MEMORY_CYC, 2 * MEMORY_CYC);
}

/* What a load of one shape, one of many of 32 warps, takes. */
static uint64_t cycles_of_load(int64_t stride, uint16_t bytes, uint64_t tag_banks)
{
    uint64_t cycles[2];

    for (unsigned i = 0; i < 2; i++) {
        struct bench bench;
        struct gpu_test_kernel *kernel;
        uint32_t load;

        start(&bench);
        bench.params.l1.tag_banks = tag_banks;
        bench.params.l1.banks = 16;
        kernel = gpu_kernels_add(&bench.kernels, GPU_ISA_SASS, 1, 1024);
        load = gpu_kernels_static(kernel, "LDG.E", "R255 > R2", bytes);
        for (unsigned k = 0; k < 16 + 16 * i; k++)
            gpu_kernels_all(kernel, load, 0x1000, stride);
        exits(kernel);
        cycles[i] = run(&bench);
        finish(&bench);
    }
    return (cycles[1] - cycles[0] + 8) / (16 * 32);
}

static void the_larger_of_data_and_tag_turns_counts(void **state)
{
    assert_int_equal(cycles_of_load(4, 4, 4), 1);
    assert_int_equal(cycles_of_load(32, 4, 4), 8);         /* eight words in a data bank, two lines in a tag bank */
    assert_int_equal(cycles_of_load(132, 4, 4), 8);        /* a word in each data bank, eight lines in a tag bank */
    assert_int_equal(cycles_of_load(8, 8, 4), 2);          /* two halves */
    assert_int_equal(cycles_of_load(128, 4, 4), 32);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_begins_after_its_latency),
        cmocka_unit_test(so_many_blocks_are_dispatched_in_a_cycle),
        cmocka_unit_test(stores_that_leave_hold_no_warp),
        cmocka_unit_test(the_larger_of_data_and_tag_turns_counts),
    };

    return cmocka_run_group_tests_name("gpu_cards", tests, NULL, NULL);
}
