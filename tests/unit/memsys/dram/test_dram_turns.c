/* memsys/dram/dram_channel.h, memsys/dram/dram_schedule.h: a stream that is read and written against what follows
 * from timings (gpu-traces 12.5). Data of bursts follow each other without a gap but where the bus turns: tRTW + tCWL
 * - tCL after the last read, tWTR + tCL after the last write. So batches of w writes and r reads take (w + r) tBURST
 * and the two gaps. There are no refreshes, and no row ends. */
#include "memsys/dram/dram_params.h"
#include "tests/support/dram_bench.h"
#include "tests/support/unit.h"

enum { BURSTS = 960, START_PS = 1000000, BATCH = 77, ROW = 8192 };

static int tear_down(void **state)
{
    (void)state;
    dram_bench_tear_down();
    return 0;
}

/* Reads and writes by turns, of four banks each, one after the other: more than the queues hold. No row ends. */
static void set_up_stream(const char *device)
{
    uint64_t burst_bytes;

    dram_bench_set_up(device);
    dram_bench.params.dram.device_rowbuffer_bytes = ROW;
    dram_bench.params.dram.read_buffer_size = dram_bench.params.dram.write_buffer_size = 128;
    dram_bench.params.dram.page_policy = PAGE_OPEN;
    dram_bench.params.dram.max_accesses_per_row = 0;
    dram_bench.params.dram.tREFI_ps = UINT64_C(1) << 40;
    dram_bench.params.controller.write_high_thresh_perc = 80;
    dram_bench.params.controller.write_low_thresh_perc = 20;
    dram_bench.params.controller.min_writes_per_switch = BATCH;
    dram_bench.params.controller.command_window_ps = 128 * dram_bench.params.dram.tCK_ps;
    dram_bench_build();
    burst_bytes = dram_bench.ctrl.channels[0].geometry.burst_bytes;
    for (unsigned i = 0; i < BURSTS; i++) {
        uint64_t const bank_address = dram_bench_address(0, 4 * (i % 2) + i / 2 % 4, 0);

        dram_bench_send_at(START_PS, i % 2 ? CMD_WritebackDirty : CMD_ReadReq, bank_address + i / 8 * burst_bytes)
            ->size_bytes = (uint32_t)burst_bytes;
    }
    dram_bench_run_until(UINT64_C(1) << 39);
    assert_int_equal(dram_bench.burst_count, BURSTS);
}

static uint64_t data_ps(const struct dram_bench_burst *burst)
{
    return burst->ready_ps - dram_bench.params.dram.tBURST_ps;
}

/* From the second batch of writes, when all rows are open, to the last: one begins where reads end. */
static void check_stream(const char *device)
{
    const struct dram_params *const dram = &dram_bench.params.dram;
    uint64_t first_ps = 0, last_ps = 0, bursts = 0, counted = 0, batches = 0, pairs, batch = 0;

    set_up_stream(device);
    for (unsigned i = 1; i < BURSTS; i++) {
        const struct dram_bench_burst *const before = &dram_bench.bursts[i - 1], *const burst = &dram_bench.bursts[i];

        bursts += first_ps != 0;
        if (before->is_read && !burst->is_read) {
            assert_int_equal(data_ps(burst) - before->ready_ps, dram->tRTW_ps + dram->tCWL_ps - dram->tCL_ps);
            if (batches++ == 1)
                first_ps = data_ps(burst);
            last_ps = data_ps(burst);
            counted = bursts;
            batch = 0;
        } else if (!before->is_read && burst->is_read) {
            assert_int_equal(data_ps(burst) - before->ready_ps, dram->tWTR_ps + dram->tCL_ps);
            assert_true(batch + 1 >= BATCH || i > BURSTS / 2);
        }
        batch += !burst->is_read && !before->is_read;
    }
    assert_true(batches >= 4);
    pairs = batches - 2;
    assert_int_equal(last_ps - first_ps, counted * dram->tBURST_ps
                                         + pairs * (dram->tRTW_ps + dram->tCWL_ps + dram->tWTR_ps));
    print_message("%s: %.1f %% of the bus, batches of %.0f bursts\n", device,
                  100.0 * (double)(counted * dram->tBURST_ps) / (double)(last_ps - first_ps),
                  (double)counted / (double)pairs);
}

static void pseudo_channel(void **state)
{
    (void)state;
    check_stream("HBM2_1700_1x64");
}

static void legacy_channel(void **state)
{
    (void)state;
    check_stream("HBM2_1700_1x128");
}

static void hbm_of_the_first_generation(void **state)
{
    (void)state;
    check_stream("HBM_1000_4H_1x128");
}

#define TEST(name) cmocka_unit_test_teardown(name, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(pseudo_channel), TEST(legacy_channel), TEST(hbm_of_the_first_generation)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
