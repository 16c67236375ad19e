/* memsys/cache/prefetch.c: when prefetches leave a cache, and what caches above say to them (classic-memory 4.8,
 * 13.2). No recorded run has an upper cache that answers a prefetch: these timelines are derived by hand. */
#include "memsys/cache/cache.h"
#include "memsys/cache/cache_params.h"
#include "memsys/prefetch/prefetch_params.h"
#include "tests/support/unit.h"

#define PERIOD 500
#define MEMORY_PS 10000

struct seen {
    uint64_t when_ps, address;
    unsigned command;
};

enum upper_answer { NOT_CACHED, CACHED, DIRTY_IN_WRITE_QUEUE };

/* Below answers MEMORY_PS later; above answers snoops as the test sets it, with data on request. */
struct bench {
    struct sim sim;
    struct cache cache;
    struct below port;
    struct above answer_to;
    struct seen sent[64], answered[64];
    unsigned sent_count, answered_count, snoop_count;
    bool refuse_below;
    enum upper_answer upper;
    struct packet *upper_response;       /* what a dirty line above is answered with */
    struct packet_queue memory;
};

static struct bench bench;

static bool below_recv_request(void *self, struct packet *packet, unsigned port)
{
    (void)self;
    (void)port;
    if (bench.refuse_below)
        return false;
    if (packet_is(packet, ATTR_EVICTION)) {
        packet_give(bench.sim.packets, packet);
        return true;
    }
    bench.sent[bench.sent_count++] = (struct seen){sim_now_ps(&bench.sim), packet->address, packet->command};
    packet_make_response(packet);
    packet_queue_push(&bench.memory, packet, sim_now_ps(&bench.sim) + MEMORY_PS);
    return true;
}

static bool memory_transmit(void *owner, struct packet *packet)
{
    (void)owner;
    return bench.answer_to.ops->recv_response(bench.answer_to.self, packet, 0);
}

static bool above_recv_response(void *self, struct packet *packet, unsigned port)
{
    (void)self;
    (void)port;
    bench.answered[bench.answered_count++] = (struct seen){sim_now_ps(&bench.sim), packet->address, packet->command};
    packet_give(bench.sim.packets, packet);
    return true;
}

static void above_snoop(void *self, struct packet *packet, unsigned port)
{
    (void)self;
    (void)port;
    if (packet->command != CMD_HardPFReq)
        return;
    bench.snoop_count++;
    assert_true(packet->express_snoop);
    packet->block_cached = bench.upper == CACHED;
    if (bench.upper == DIRTY_IN_WRITE_QUEUE) {
        packet->cache_responding = true;
        bench.upper_response = packet_take_copy(bench.sim.packets, packet, true);
        packet_make_response(bench.upper_response);
    }
}

static void ignore_retry(void *self, unsigned port)
{
    (void)self;
    (void)port;
}

static bool unused_snoop_response(void *self, struct packet *packet, unsigned port)
{
    (void)self;
    (void)packet;
    (void)port;
    fail_msg("no snoop response was due");
    return false;
}

static int set_up(void **state)
{
    static const struct below_ops below_ops = {below_recv_request, ignore_retry, unused_snoop_response};
    static const struct above_ops above_ops = {above_recv_response, ignore_retry, above_snoop, ignore_retry, NULL};
    struct cache_params const params = {.size_bytes = 16 * 64, .assoc = 4, .tag_latency_cyc = 2, .data_latency_cyc = 2,
                                        .response_latency_cyc = 2, .mshrs = 4, .targets_per_mshr = 3,
                                        .demand_mshr_reserve = 1, .write_buffers = 2, .clock_ps = PERIOD};
    struct prefetcher_params const prefetcher = {.type = PREFETCHER_TAGGED, .degree = 2, .latency_cyc = 1,
                                                 .queue_size = 32};

    bench = (struct bench){.upper = NOT_CACHED};
    sim_init(&bench.sim, 64);
    sim_add_requestor(&bench.sim, "cpu.data");
    assert_int_equal(cache_init(&bench.cache, &bench.sim, "l2", &params).kind, FAULT_NONE);
    assert_int_equal(cache_add_prefetcher(&bench.cache, &prefetcher).kind, FAULT_NONE);
    assert_int_equal(cache_start(&bench.cache).kind, FAULT_NONE);
    assert_int_equal(packet_queue_init(&bench.memory, &bench.sim, memory_transmit, NULL, false).kind, FAULT_NONE);
    bench.cache.above = (struct above){.ops = &above_ops, .is_snooping = true};
    bench.cache.below = (struct below){.ops = &below_ops};
    bench.port = cache_below_port(&bench.cache);
    bench.answer_to = cache_above_port(&bench.cache);
    return 0;
}

static int tear_down(void **state)
{
    cache_free(&bench.cache);
    packet_queue_free(&bench.memory);
    assert_int_equal(bench.sim.packets->outstanding, 0);    /* every packet came back */
    sim_free(&bench.sim);
    return 0;
}

static void run_until(uint64_t tick_ps)
{
    while (event_queue_step(&bench.sim.events, tick_ps))
        ;
    bench.sim.events.now_ps = tick_ps;
}

static void read_at(uint64_t address)
{
    struct request const request = {.address = address, .size_bytes = 8, .requestor = 1};
    struct packet *const packet = packet_take(bench.sim.packets, &request, CMD_ReadReq);

    assert_true(bench.port.ops->recv_request(bench.port.self, packet, bench.port.port));
}

static void expect(const struct seen *seen, enum command command, uint64_t address, uint64_t when_ps)
{
    assert_string_equal(command_table[seen->command].name, command_table[command].name);
    assert_int_equal(seen->address, address);
    assert_int_equal(seen->when_ps, when_ps);
}

static const struct prefetcher_stats *stats(void)
{
    return &bench.cache.prefetcher->stats;
}

/* Candidates are ready after 1 cycle, the miss after 2. With 4 MSHRs, 1 kept for demand, "allocated < mshrs - 1 -
 * reserve" lets one prefetch go beside the miss. The next one goes 1 tick after the first response. */
static void prefetch_leaves_while_mshrs_are_free(void **state)
{
    const struct cache_command_stats *const prefetches =
        cache_command_stats(&bench.cache, CMD_HardPFReq, bench.cache.prefetcher->requestor);

    read_at(0x1008);
    run_until(9999);
    assert_int_equal(bench.sent_count, 2);
    expect(&bench.sent[0], CMD_ReadSharedReq, 0x1040, 500);
    expect(&bench.sent[1], CMD_ReadSharedReq, 0x1000, 1000);
    run_until(30000);
    assert_int_equal(bench.sent_count, 3);
    expect(&bench.sent[2], CMD_ReadSharedReq, 0x1080, 10501);
    assert_int_equal(bench.answered_count, 1);           /* no requester above waits for prefetches */
    expect(&bench.answered[0], CMD_ReadResp, 0x1008, 12000);
    assert_int_equal(stats()->issued, 2);
    assert_int_equal(stats()->demand_mshr_misses, 1);
    assert_int_equal(prefetches->mshr_misses, 2);
    assert_int_equal(bench.snoop_count, 2);
}

/* A first use counts and trains; a second one does neither. A line evicted before any use counts as unused. */
static void first_use_clears_the_mark(void **state)
{
    struct packet snoop;
    struct request const request = {.address = 0x1080, .size_bytes = 64, .requestor = 1};

    read_at(0x1000);
    run_until(30000);
    read_at(0x1040);
    read_at(0x1048);
    run_until(60000);
    assert_int_equal(stats()->useful, 1);
    assert_int_equal(stats()->identified, 4);            /* 1040 1080, then 1080 10c0 */
    assert_int_equal(stats()->hit_in_cache, 1);
    assert_int_equal(stats()->unused, 0);
    packet_init(&snoop, &request, CMD_ReadExReq);
    bench.answer_to.ops->recv_snoop(bench.answer_to.self, &snoop, 0);
    assert_int_equal(stats()->unused, 1);
}

/* "if blockCached: remove the prefetch target and send nothing in this attempt" */
static void line_above_needs_no_prefetch(void **state)
{
    bench.upper = CACHED;
    read_at(0x1000);
    run_until(30000);
    assert_int_equal(bench.snoop_count, 2);              /* the second a tick later, the MSHR being free again */
    assert_int_equal(bench.sent_count, 1);
    expect(&bench.sent[0], CMD_ReadSharedReq, 0x1000, 1000);
    assert_int_equal(bench.cache.mshr_count, 0);
    assert_int_equal(stats()->issued, 2);
}

/* "If a demand request joined meanwhile the entry simply stays" */
static void demand_that_joined_continues(void **state)
{
    bench.refuse_below = true;
    read_at(0x1000);
    run_until(600);                                      /* the prefetch of 0x1040 was refused at 500 */
    assert_int_equal(bench.cache.mshr_count, 2);
    read_at(0x1048);
    run_until(2000);
    bench.refuse_below = false;
    bench.upper = CACHED;
    bench.answer_to.ops->recv_request_retry(bench.answer_to.self, 0);
    run_until(9999);
    assert_int_equal(bench.sent_count, 2);
    expect(&bench.sent[0], CMD_ReadSharedReq, 0x1040, 2001);     /* keeps its place before the older request */
    expect(&bench.sent[1], CMD_ReadSharedReq, 0x1000, 2002);
    run_until(30000);
    assert_int_equal(bench.answered_count, 2);
    expect(&bench.answered[0], CMD_ReadResp, 0x1048, 13500);     /* 12001, next edge, 2 cycles */
    expect(&bench.answered[1], CMD_ReadResp, 0x1000, 13501);     /* 12002: the same tick, but one packet a tick */
}

/* "it answers (cacheResponding): MSHR goes in service and the snoop response is handled by recvResp" */
static void dirty_line_above_is_the_answer(void **state)
{
    bench.upper = DIRTY_IN_WRITE_QUEUE;
    read_at(0x1000);
    run_until(700);
    assert_int_equal(bench.sent_count, 0);
    assert_int_equal(bench.snoop_count, 1);
    assert_int_equal(bench.cache.mshr_count, 2);
    bench.upper = NOT_CACHED;
    assert_true(bench.port.ops->recv_snoop_response(bench.port.self, bench.upper_response, bench.port.port));
    assert_int_equal(bench.cache.mshr_count, 1);
    run_until(30000);
    assert_int_equal(bench.sent_count, 2);
    expect(&bench.sent[0], CMD_ReadSharedReq, 0x1000, 1000);
    expect(&bench.sent[1], CMD_ReadSharedReq, 0x1080, 1001);     /* the MSHR is free for the next candidate */
    read_at(0x1040);
    assert_int_equal(stats()->useful, 1);
    assert_int_equal(cache_command_stats(&bench.cache, CMD_ReadReq, 1)->hits, 1);
}

/* ---- struct prefetch_figures */
static void read_line_at(uint64_t address)
{
    struct request const request = {.address = address, .size_bytes = 64, .requestor = 1};
    struct packet *const packet = packet_take(bench.sim.packets, &request, CMD_ReadSharedReq);

    assert_true(bench.port.ops->recv_request(bench.port.self, packet, bench.port.port));
}

static void expect_figures(uint64_t issued, uint64_t filled, uint64_t useful, uint64_t late, uint64_t pollution)
{
    const struct prefetch_figures *const figures = &bench.cache.prefetcher->figures;

    assert_int_equal(figures->issued, issued);
    assert_int_equal(figures->filled, filled);
    assert_int_equal(figures->useful, useful);
    assert_int_equal(figures->late, late);
    assert_int_equal(figures->pollution, pollution);
}

/* A mostly exclusive cache gives its line away with the first use; the reference counts it as unused. */
static void use_counts_in_an_exclusive_cache(void **state)
{
    bench.cache.is_mostly_exclusive = true;
    read_line_at(0x1000);
    run_until(30000);
    expect_figures(2, 2, 0, 0, 0);
    read_line_at(0x1040);
    expect_figures(2, 2, 1, 0, 0);
    assert_int_equal(tags_find(&bench.cache.tags, 0x1040), BLOCK_NONE);
    assert_int_equal(stats()->useful, 0);
    assert_int_equal(stats()->unused, 1);
}

/* The second read meets the prefetch under way; the third finds a line that was used already. */
static void demand_that_meets_a_prefetch_is_late(void **state)
{
    read_at(0x1000);
    run_until(5000);
    expect_figures(1, 0, 0, 0, 0);
    read_at(0x1040);
    read_at(0x1048);
    run_until(14000);
    expect_figures(3, 1, 1, 1, 0);
    read_at(0x1048);
    expect_figures(3, 1, 1, 1, 0);
    assert_int_equal(stats()->useful, 0);
}

/* A store that joins a prefetch of a shared line is deferred, and late all the same. */
static void deferred_store_is_late(void **state)
{
    struct request const request = {.address = 0x1040, .size_bytes = 8, .requestor = 1};

    read_at(0x1000);
    run_until(5000);
    assert_true(bench.port.ops->recv_request(bench.port.self, packet_take(bench.sim.packets, &request, CMD_WriteReq),
                                             bench.port.port));
    run_until(60000);
    assert_int_equal(bench.cache.prefetcher->figures.late, 1);
    assert_int_equal(bench.cache.prefetcher->figures.useful, 1);
}

/* Of prefetches sent before the reset nothing counts, whether their lines are there or still to come. */
static void figures_begin_with_the_reset(void **state)
{
    read_at(0x1000);
    run_until(10800);                                    /* 0x1040 is there, 0x1080 under way */
    expect_figures(2, 1, 0, 0, 0);
    cache_reset_stats(&bench.cache);
    run_until(30000);
    read_at(0x1040);                                     /* proposes 0x1080 and 0x10c0 */
    read_at(0x1080);                                     /* 0x10c0 and 0x1100 */
    expect_figures(0, 0, 0, 0, 0);
    assert_int_equal(stats()->useful, 2);                /* the reference's accuracy is above 1 here */
    run_until(90000);
    expect_figures(2, 2, 0, 0, 0);
    read_at(0x10c0);
    expect_figures(2, 2, 1, 0, 0);
}

/* Four reads fill a set; a prefetch displaces the oldest line, whose next miss is the prefetcher's fault, once. */
static void misses_to_displaced_lines_are_pollution(void **state)
{
    for (unsigned i = 0; i < 4; i++) {
        read_at(0x10040 + i * UINT64_C(0x10000));
        run_until((i + 1) * UINT64_C(100000));
    }
    cache_reset_stats(&bench.cache);
    read_at(0x91000);                                    /* prefetches 0x91040 */
    run_until(500000);
    assert_int_equal(tags_find(&bench.cache.tags, 0x10040), BLOCK_NONE);
    expect_figures(2, 2, 0, 0, 0);
    read_at(0x10040);
    assert_int_equal(bench.cache.prefetcher->figures.pollution, 1);
    run_until(600000);
    read_at(0xa0040);
    read_at(0x20040);                                    /* the demand miss displaced it */
    run_until(700000);
    assert_int_equal(bench.cache.prefetcher->figures.pollution, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(prefetch_leaves_while_mshrs_are_free, set_up, tear_down),
        cmocka_unit_test_setup_teardown(first_use_clears_the_mark, set_up, tear_down),
        cmocka_unit_test_setup_teardown(line_above_needs_no_prefetch, set_up, tear_down),
        cmocka_unit_test_setup_teardown(demand_that_joined_continues, set_up, tear_down),
        cmocka_unit_test_setup_teardown(dirty_line_above_is_the_answer, set_up, tear_down),
        cmocka_unit_test_setup_teardown(use_counts_in_an_exclusive_cache, set_up, tear_down),
        cmocka_unit_test_setup_teardown(demand_that_meets_a_prefetch_is_late, set_up, tear_down),
        cmocka_unit_test_setup_teardown(deferred_store_is_late, set_up, tear_down),
        cmocka_unit_test_setup_teardown(figures_begin_with_the_reset, set_up, tear_down),
        cmocka_unit_test_setup_teardown(misses_to_displaced_lines_are_pollution, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
