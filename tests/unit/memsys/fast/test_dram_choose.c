/* memsys/fast/dram_choose.c against memsys/dram/frfcfs.c, and the index against a search of the queues: both are asked
 * at each choice of a random controller under random requests, and must answer the same. */
#include "memsys/dram/page_policy.h"
#include "memsys/dram/dram_schedule.h"
#include "memsys/fast/dram_index.h"
#include "memsys/sim/sim_random.h"
#include "replay/config/device.h"
#include "tests/support/dram_bench.h"
#include "tests/support/unit.h"

enum { SEEDS = 60, REQUESTS = 700 };

static struct random_generator generator;
static uint64_t choices, refusals, hits, others, policies;

static uint32_t below(uint32_t limit)
{
    return random_uniform(&generator, 0, limit - 1);
}

/* The plain scheduler's, after the fast one has said the same. */
static uint32_t choose(const struct dram_channel *channel, const struct dram_queue *queue, uint64_t extra_column_ps)
{
    uint32_t const plain = dram_scheduler_frfcfs.choose(channel, queue, extra_column_ps);
    uint32_t const fast = dram_choose_first_ready(channel, queue, extra_column_ps);

    assert_int_equal(fast, plain);
    choices++;
    refusals += plain == DRAM_NO_BURST;
    if (plain != DRAM_NO_BURST) {
        bool const is_hit = dram_bank_of(channel, &queue->slots[plain])->open_row == queue->slots[plain].row;

        hits += is_hit;
        others += !is_hit;
    }
    return plain;
}

/* The page policy, after a search of the queue has said of the bank what the index does. */
static bool closes_row(const struct dram_channel *channel, const struct dram_queue *queue,
                       const struct dram_burst *burst)
{
    struct dram_channel searching = *channel;
    struct dram_waiting const found = dram_waiting_for(channel, queue, burst);
    struct dram_waiting searched;

    searching.index = NULL;
    searched = dram_waiting_for(&searching, queue, burst);
    assert_int_equal(found.same_row, searched.same_row);
    assert_int_equal(found.other_row, searched.other_row);
    policies++;
    return dram_page_policy_of((enum page_policy)channel->dram->page_policy)(channel, queue, burst);
}

static void random_device(void)
{
    struct dram_params *const dram = &dram_bench.params.dram;
    size_t count = 0;

    while (config_device_name(count))
        count++;
    do
        assert_int_equal(config_device_read(dram, config_device_name(below((uint32_t)count))).kind, FAULT_NONE);
    while (dram->tREFI_ps == PARAM_MISSING);
    dram->ranks_per_channel = 1 + below(4);
    dram->page_policy = below(4);
    dram->read_buffer_size = 8 + below(60);
    dram->write_buffer_size = 16 + below(60);
    dram->max_accesses_per_row = below(2) ? 0 : 2 + below(16);
    dram->enable_dram_powerdown = below(3) == 0;
    dram->tRCD_WR_ps = below(2) ? dram->tRCD_ps : below(30000);
    dram->tRP_ps = below(8) ? dram->tRP_ps : 0;
    dram_bench.params.size_bytes = UINT64_C(1) << 32;
}

/* Few rows of few banks, in bursts: row hits, conflicts and idle times all happen. */
static void send_requests(void)
{
    uint64_t when_ps = 1000;

    for (unsigned i = 0; i < REQUESTS; i++) {
        unsigned const rank = below((uint32_t)dram_bench.params.dram.ranks_per_channel);
        unsigned const bank = below(2) ? below((uint32_t)dram_bench.params.dram.banks_per_rank) : 0;
        uint64_t const column = 64 * below((uint32_t)(dram_bench.ctrl.channels[0].geometry.row_bytes / 64));

        when_ps += below(12) ? below(6000) : below(400) ? below(300000) : UINT64_C(9000000);
        dram_bench_send_at(when_ps, below(3) ? CMD_ReadReq : CMD_WriteReq,
                           dram_bench_address(rank, bank, below(3)) + column);
    }
    dram_bench_run_until(when_ps + UINT64_C(100000000));
    assert_int_equal(dram_bench.sent_count, REQUESTS);
}

static void both_choose_the_same(void **state)
{
    static const struct dram_scheduler both = {.choose = choose};

    for (uint32_t seed = 1; seed <= SEEDS; seed++) {
        random_init(&generator, seed);
        dram_bench_set_up("DDR3_1600_8x8");
        dram_bench.sim.log.line = NULL;
        random_device();
        dram_bench_build();
        assert_int_equal(dram_index_bind(&dram_bench.ctrl.channels[0]).kind, FAULT_NONE);
        dram_bench.ctrl.channels[0].scheduler = &both;
        dram_bench.ctrl.channels[0].closes_row = closes_row;
        send_requests();
        dram_bench_tear_down();
    }
    assert_in_range(choices, UINT64_C(20) * SEEDS, UINT64_MAX);
    assert_in_range(refusals, SEEDS / 2, UINT64_MAX);
    assert_in_range(hits, UINT64_C(5) * SEEDS, UINT64_MAX);
    assert_in_range(others, UINT64_C(5) * SEEDS, UINT64_MAX);
    assert_in_range(policies, UINT64_C(10) * SEEDS, UINT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(both_choose_the_same)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
