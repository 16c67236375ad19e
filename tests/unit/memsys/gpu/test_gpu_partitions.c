/* memsys/gpu/slice.h, gpu_memory.h: an L2 of two partitions. */
#include "memsys/gpu/hash.h"
#include "tests/support/gpu_memory_bench.h"
#include "tests/support/unit.h"

enum { FAR_CYC = 100, CYCLE_PS = 1000, LINES = 512 };

static struct gpu_params two_partitions(void)
{
    struct gpu_params params = plain_params(2, 2, CYCLE_PS);

    params.l2.partitions = 2;
    params.l2.partition_sms = 1;
    params.l2.far_latency_cyc = FAR_CYC;
    return params;
}

static void start_two(struct bench *bench, const struct gpu_params *params)
{
    struct memory_params memory = plain_memory("HBM2_1700_1x128");

    memory.dram.tREFI_ps = UINT64_C(1) << 40;
    start(bench, params, &memory, NULL);
}

/* A line of SM 0's or SM 1's side, the `number`th. */
static uint64_t line_of(const struct gpu_params *params, unsigned side, unsigned number)
{
    struct gpu_hash hash;

    assert_fine(gpu_hash_init(&hash, &params->l2));
    for (uint64_t address = 0x10000;; address += params->l2.interleave_bytes)
        if (gpu_hash_slice(&hash, address).slice / 2 == side && number-- == 0)
            return address;
}

static struct gpu_request asked;

static struct gpu_request as_asked(struct bench *bench, unsigned sm)
{
    (void)bench;
    (void)sm;
    return asked;
}

/* How long the SM's request takes when nothing else is under way. */
static uint64_t time_of(struct bench *bench, unsigned sm, uint64_t address, enum gpu_request_kind kind)
{
    uint64_t took_ps;

    asked = (struct gpu_request){.address = address, .kind = (uint8_t)kind, .byte_mask = UINT32_MAX};
    bench->under_way[!sm] = 1;           /* the other one may not */
    took_ps = run(bench, 1, 1, as_asked);
    bench->under_way[!sm] = 0;
    return took_ps;
}

static void far_lines_are_copied(void **state)
{
    struct gpu_params const params = two_partitions();
    uint64_t const l2_ps = gpu_memory_l2_latency_ps(&params), far_ps = FAR_CYC * CYCLE_PS;
    uint64_t const near = line_of(&params, 0, 0), far = line_of(&params, 1, 0);
    uint64_t dram_ps;
    struct bench bench;

    start_two(&bench, &params);
    dram_ps = gpu_memory_dram_latency_ps(&params, &bench.memory_params);
    assert_int_equal(time_of(&bench, 0, near, GPU_READ), dram_ps);
    assert_int_equal(time_of(&bench, 0, near, GPU_READ), l2_ps);
    assert_int_equal(bench.counts.l2_far_reads, 0);
    assert_int_equal(time_of(&bench, 0, far, GPU_READ), dram_ps + far_ps);
    assert_int_equal(time_of(&bench, 0, far, GPU_READ), l2_ps);          /* the copy */
    assert_int_equal(time_of(&bench, 1, far, GPU_READ), l2_ps);          /* what it was copied from */
    assert_int_equal(time_of(&bench, 1, near, GPU_READ), l2_ps + far_ps);
    assert_int_equal(bench.counts.l2_far_reads, 2);
    assert_int_equal(bench.counts.dram_reads, 2);
    assert_int_equal(bench.counts.l2_reads, 6);
    assert_int_equal(bench.counts.l2_read_hits, 3);
    stop(&bench);
}

static void stores_and_atomics_end_copies(void **state)
{
    struct gpu_params const params = two_partitions();
    uint64_t const l2_ps = gpu_memory_l2_latency_ps(&params), far_ps = FAR_CYC * CYCLE_PS;
    uint64_t const far = line_of(&params, 1, 0);
    struct bench bench;

    for (unsigned i = 0; i < 2; i++) {
        enum gpu_request_kind const kind = i ? GPU_ATOMIC : GPU_WRITE;

        start_two(&bench, &params);
        time_of(&bench, 0, far, GPU_READ);
        assert_int_equal(time_of(&bench, 0, far, GPU_READ), l2_ps);
        assert_int_equal(time_of(&bench, 1, far, kind), l2_ps);
        assert_int_equal(time_of(&bench, 0, far, GPU_READ), l2_ps + far_ps);
        assert_int_equal(time_of(&bench, 0, far, kind), l2_ps + far_ps);
        assert_int_equal(time_of(&bench, 0, far, GPU_READ), l2_ps + far_ps);
        assert_int_equal(bench.counts.dram_reads, 1);
        stop(&bench);
    }
}

/* Of twice what a partition holds, read again and again, an SM finds nothing near, and the lines of the other side
 * there. */
static void copies_take_room(void **state)
{
    struct gpu_params params = two_partitions();
    struct bench bench;

    params.l2.cache.sets = 8;
    params.l2.cache.ways = LINES / 2 / 8 / 2;            /* two slices of a partition: half of the lines */
    for (unsigned of = 1; of <= 2; of++) {
        start_two(&bench, &params);
        for (unsigned turn = 0; turn < 2; turn++)
            for (unsigned n = 0; n < LINES / 4 * of; n++)
                for (unsigned side = 0; side < 2; side++) {
                    if (turn == 1 && n == 0 && side == 0)
                        bench.counts = (struct gpu_counts){0};
                    time_of(&bench, 0, line_of(&params, side, n), GPU_READ);
                }
        print_message("%u: %u hits, %u far, %u from DRAM\n", of, (unsigned)bench.counts.l2_read_hits,
                      (unsigned)bench.counts.l2_far_reads, (unsigned)bench.counts.dram_reads);
        assert_in_range(bench.counts.l2_read_hits, of == 1 ? LINES / 2 * 8 / 10 : 0, of == 1 ? LINES / 2 : LINES / 5);
        assert_in_range(bench.counts.dram_reads, of == 1 ? 0 : LINES / 2 * 8 / 10, of == 1 ? LINES / 10 : LINES / 2);
        stop(&bench);
    }
}

static uint64_t streamed;

static struct gpu_request next_sector(struct bench *bench, unsigned sm)
{
    (void)bench;
    (void)sm;
    return (struct gpu_request){.address = 0x10000 + 32 * streamed++, .kind = GPU_READ, .byte_mask = UINT32_MAX};
}

/* Copies have MSHRs of their own: where MSHRs limit a stream from DRAM, it takes no longer with two partitions. */
static void copies_take_no_mshr_of_dram(void **state)
{
    uint64_t took_ps[2];

    for (unsigned i = 0; i < 2; i++) {
        struct gpu_params params = two_partitions();
        struct bench bench;

        params.l2.partitions = 1 + i;
        params.l2.far_latency_cyc = 0;
        params.l2.cache.mshrs = 4;
        streamed = 0;
        start_two(&bench, &params);
        took_ps[i] = run(&bench, 4000, 64, next_sector);
        stop(&bench);
    }
    print_message("%.3f of the time\n", (double)took_ps[1] / (double)took_ps[0]);
    assert_in_range(took_ps[1] * 100 / took_ps[0], 90, 115);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(far_lines_are_copied),
        cmocka_unit_test(stores_and_atomics_end_copies),
        cmocka_unit_test(copies_take_room),
        cmocka_unit_test(copies_take_no_mshr_of_dram),
    };

    return cmocka_run_group_tests_name("gpu_partitions", tests, NULL, NULL);
}
