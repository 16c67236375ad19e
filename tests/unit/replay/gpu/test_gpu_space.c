/* Where an access goes by its opcode and its addresses: generic windows, local memory, unknown opcodes (gpu-traces 6,
 * 8.1, 8.2). */
#include "tests/support/gpu_bench.h"
#include "tests/support/unit.h"

/* 8.1: by the windows of the header, also where shared memory's lies above local memory's. */
static void generic_addresses_go_by_their_window(void **state)
{
    static const uint64_t bases[] = {0x7f0002000010, 0x7f0000000010, 0x7f0009000010};

    for (unsigned i = 0; i < 3; i++) {
        struct bench bench;
        struct gpu_test_kernel *kernel;

        start(&bench);
        kernel = one_warp(&bench);
        kernel->header.shmem_base = 0x7f0002000000;
        kernel->header.local_base = 0x7f0000000000;
        gpu_kernels_execute(kernel, 0, 0, gpu_kernels_static(kernel, "LD.E", "R1 > R2", 4), FULL, bases[i], 4);
        run(&bench);
        assert_int_equal(counts_of(&bench)->shared_accesses, i == 0);
        assert_int_equal(counts_of(&bench)->global_accesses, i != 0);
        assert_int_equal(fake.sent_count > 0 && fake.sent[0].request.address >> 32 == 0, i == 1);
        finish(&bench);
    }
}

/* 8.1: windows end after 16 MiB; lanes of one instruction go where each of them points. */
static void lanes_of_one_instruction_may_disagree(void **state)
{
    static const struct {
        uint64_t shared_base, local_base, first;
        int64_t stride;
        bool shared, global, local;
    } cases[] = {
        {0x7f0002000000, 0x7f0001000000, 0x7f0001ffffc0, 4, true, false, true},
        {0x7f0002000000, 0x7e0000000000, 0x7f0001ffffc0, 4, true, true, false},
        {0x7f0002000000, 0x7e0000000000, 0x7f0002ffffc0, 4, true, true, false},
        {0x7f0002000000, 0x7e0000000000, 0x7e0000ffffc0, 4, false, true, true},
        {0x7f0002000000, 0x7e0000000000, 0x7dffffffffc0, 4, false, true, true},
        {0x7f0002000000, 0x7f0003000000, 0x7f0001800000, 1 << 20, true, true, true},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bench bench;
        struct gpu_test_kernel *kernel;
        bool global = false, local = false;

        start(&bench);
        kernel = one_warp(&bench);
        kernel->header.shmem_base = cases[i].shared_base;
        kernel->header.local_base = cases[i].local_base;
        gpu_kernels_execute(kernel, 0, 0, gpu_kernels_static(kernel, "LD.E", "R1 > R2", 4), FULL, cases[i].first,
                            cases[i].stride);
        run(&bench);
        for (unsigned j = 0; j < fake.sent_count; j++)
            *(fake.sent[j].request.address > 0x700000000000 ? &global : &local) = true;
        assert_int_equal(counts_of(&bench)->shared_accesses, cases[i].shared);
        assert_int_equal(global, cases[i].global);
        assert_int_equal(local, cases[i].local);
        finish(&bench);
    }
}

/* 8.2: words of all threads side by side, then the next word of all; all is read in sectors of 32 bytes. */
static void local_memory_is_interleaved_by_words(void **state)
{
    static const struct {
        unsigned warp, lane;
        uint64_t offset;
        uint64_t words, bytes;           /* expected behind the start: words of all threads, and bytes */
    } cases[] = {
        {0, 0, 0, 0, 0}, {0, 8, 0, 0, 32}, {0, 0, 4, 1, 0}, {0, 16, 12, 3, 64}, {1, 0, 0, 0, 128}, {1, 24, 8, 2, 224}
    };
    uint64_t start_address = 0;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bench bench;
        struct gpu_test_kernel *kernel;

        start(&bench);
        kernel = gpu_kernels_add(&bench.kernels, GPU_ISA_SASS, 1, 64);
        gpu_kernels_execute(kernel, 0, cases[i].warp, gpu_kernels_static(kernel, "LDL", "R1 > R2", 4),
                            UINT64_C(1) << cases[i].lane, cases[i].offset, 0);
        run(&bench);
        assert_int_equal(fake.sent_count, 1);
        if (i == 0)
            start_address = fake.sent[0].request.address;
        assert_int_equal(fake.sent[0].request.address - start_address,
                         4 * cases[i].words * bench.params.sm.max_threads + cases[i].bytes);
        finish(&bench);
    }
}

/* 8.1: "With a base of 0 or missing keys: classify as global and warn" */
static void generic_addresses_without_windows_are_global(void **state)
{
    for (unsigned known = 0; known < 2; known++) {
        struct bench bench;
        struct gpu_test_kernel *kernel;

        start(&bench);
        kernel = one_warp(&bench);
        kernel->header.shmem_base = known ? 0x7f0002000000 : 0;
        kernel->header.local_base = known ? 0x7f0000000000 : 0;
        for (unsigned i = 0; i < 3; i++)
            gpu_kernels_execute(kernel, 0, 0, gpu_kernels_static(kernel, "ST.E", "R1", 4), FULL, 0x100 * i, 4);
        run(&bench);
        assert_int_equal(counts_of(&bench)->shared_accesses, 0);
        assert_int_equal(counts_of(&bench)->global_accesses, 3);
        assert_int_equal(bench.run->warning_count, !known);
        if (!known)
            assert_non_null(strstr(bench.run->warnings[0], "no base of shared or local memory"));
        finish(&bench);
    }
}

/* 6: "unknown opcode: ALU if mem_width = 0, global memory otherwise; count and report" */
static void unknown_opcodes_are_counted_and_named_once(void **state)
{
    struct bench bench;

    start(&bench);
    for (unsigned i = 0; i < 2; i++) {
        struct gpu_test_kernel *const kernel = one_warp(&bench);

        gpu_kernels_all(kernel, gpu_kernels_static(kernel, "QQQ.A", "R1 > R2", 0), 0, 0);
        gpu_kernels_all(kernel, gpu_kernels_static(kernel, "QQQ.A", "R2 > R3", 0), 0, 0);
        gpu_kernels_all(kernel, gpu_kernels_static(kernel, "XYZ", "R2 > R3", 4), 0x10000, 4);
        gpu_kernels_all(kernel, gpu_kernels_static(kernel, "XYZ", "R2 > R3", 0), 0, 0);
        gpu_kernels_all(kernel, gpu_kernels_static(kernel, "EXIT", "", 0), 0, 0);
    }
    run(&bench);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(bench.run->kernels[i].counts.warp_insts, 5);
        assert_int_equal(bench.run->kernels[i].counts.unknown_insts, 4);
        assert_int_equal(bench.run->kernels[i].counts.global_accesses, 1);
    }
    assert_int_equal(bench.run->warning_count, 2);
    assert_non_null(strstr(bench.run->warnings[0], "opcode QQQ.A is not known"));
    assert_non_null(strstr(bench.run->warnings[1], "opcode XYZ is not known"));
    finish(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(generic_addresses_go_by_their_window),
        cmocka_unit_test(lanes_of_one_instruction_may_disagree),
        cmocka_unit_test(local_memory_is_interleaved_by_words),
        cmocka_unit_test(generic_addresses_without_windows_are_global),
        cmocka_unit_test(unknown_opcodes_are_counted_and_named_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
