/* memsys/cache/cache.h against a scripted core above and a scripted memory below (classic-memory 4). All tests run
 * twice: the second time the core first tries its plain accesses without packets (memsys/fast/cache_try.h). */
#include "memsys/cache/cache_params.h"
#include "memsys/fast/bind_memory.h"
#include "memsys/fast/cache_try.h"
#include "tests/support/unit.h"

#define PERIOD 500
#define MEMORY_PS 10000

struct seen {
    uint64_t when_ps, address;
    unsigned command;
    uint64_t sequence;
};

/* Below answers every request that wants an answer MEMORY_PS later, with payload_ps of payload delay. */
struct bench {
    struct sim sim;
    struct cache cache;
    struct below port;
    struct above answer_to;
    struct seen sent[64], answered[64];
    struct request asked[32];            /* by the core, at its sequence */
    uint64_t last_asked;
    int sent_count, answered_count, retries, served_tries;
    bool refuse_below;
    uint32_t payload_ps;
    bool answer_has_sharers, answer_is_owner;
    struct packet_queue memory;
};

static struct bench bench;
static bool core_tries, core_describes;

static bool below_recv_request(void *self, struct packet *packet, unsigned port)
{
    (void)self;
    (void)port;
    if (bench.refuse_below)
        return false;
    bench.sent[bench.sent_count++] =
        (struct seen){sim_now_ps(&bench.sim), packet->address, packet->command, packet->request.sequence};
    if (packet_is(packet, ATTR_NEEDS_RESPONSE)) {
        packet_make_response(packet);
        packet->payload_delay_ps = bench.payload_ps;
        packet->has_sharers = bench.answer_has_sharers;
        packet->cache_responding = bench.answer_is_owner;
        packet_queue_push(&bench.memory, packet, sim_now_ps(&bench.sim) + MEMORY_PS);
    } else {
        packet_give(bench.sim.packets, packet);
    }
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
    bench.answered[bench.answered_count++] =
        (struct seen){sim_now_ps(&bench.sim), packet->address, packet->command, packet->request.sequence};
    packet_give(bench.sim.packets, packet);
    return true;
}

static void above_recv_answer(void *self, uint64_t address, uint64_t token)
{
    (void)self;
    bench.answered[bench.answered_count++] =
        (struct seen){sim_now_ps(&bench.sim), address, (unsigned)(token & 0xff), token >> 8};
}

static void above_describe(void *self, uint64_t token, struct request *request)
{
    uint64_t const sequence = token >> 8;

    (void)self;
    if ((token & 0xff) == CMD_WriteResp)
        assert_int_equal(sequence, bench.last_asked);    /* a write is described while it is tried, or never */
    assert_true(sequence <= bench.last_asked);
    *request = bench.asked[sequence];
    assert_int_equal(request->sequence, sequence);
}

static void above_retry(void *self, unsigned port)
{
    (void)self;
    (void)port;
    bench.retries++;
}

static void above_snoop(void *self, struct packet *packet, unsigned port)
{
    (void)self;
    (void)packet;
    (void)port;
}

static void unused_retry(void *self, unsigned port)
{
    (void)self;
    (void)port;
    fail_msg("no retry was due");
}

static bool unused_snoop_response(void *self, struct packet *packet, unsigned port)
{
    (void)self;
    (void)packet;
    (void)port;
    fail_msg("no snoop response was due");
    return false;
}

static struct cache_params small_cache(void)
{
    return (struct cache_params){.size_bytes = 4 * 64, .assoc = 2, .tag_latency_cyc = 2, .data_latency_cyc = 2,
                                 .response_latency_cyc = 2, .mshrs = 2, .targets_per_mshr = 3,
                                 .demand_mshr_reserve = 1, .write_buffers = 2, .clock_ps = PERIOD};
}

static void build(const struct cache_params *params)
{
    static const struct below_ops below_ops = {below_recv_request, unused_retry, unused_snoop_response};
    static const struct above_ops above_ops = {above_recv_response, above_retry, above_snoop, unused_retry, NULL};
    static const struct above_fast describing = {.recv_answer = above_recv_answer, .describe = above_describe},
                                   silent = {.recv_answer = above_recv_answer};

    bench = (struct bench){.payload_ps = 0};
    sim_init(&bench.sim, 64);
    sim_add_requestor(&bench.sim, "cpu.data");
    assert_int_equal(cache_init(&bench.cache, &bench.sim, "l1d", params).kind, FAULT_NONE);
    bench.cache.above = (struct above){.ops = &above_ops, .is_snooping = true, .requestor = 1,
                                       .fast = core_describes ? &describing : &silent};
    bench.cache.below = (struct below){.ops = &below_ops};
    assert_int_equal(cache_start(&bench.cache).kind, FAULT_NONE);
    assert_int_equal(packet_queue_init(&bench.memory, &bench.sim, memory_transmit, NULL, false).kind, FAULT_NONE);
    bench.port = cache_below_port(&bench.cache);
    if (core_tries) {
        cache_bind_fast(&bench.cache, &(struct engine_options){.hits = true, .fills = true});
        bench.port.fast = cache_below_fast(&bench.cache);
    }
    bench.answer_to = cache_above_port(&bench.cache);
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

static bool try_access(enum command command, uint64_t address, uint32_t size_bytes, uint64_t sequence)
{
    uint64_t const token = sequence << 8 | command_table[command].response;
    bool served = false;

    if (command == CMD_ReadReq)
        served = cache_try_read(below_fast_cache(&bench.port), address, token);
    else if (command == CMD_WriteReq && size_bytes < 64)
        served = cache_try_write(below_fast_cache(&bench.port), address, token);
    bench.served_tries += served;
    return served;
}

static bool ask(enum command command, uint64_t address, uint32_t size_bytes, uint64_t sequence)
{
    struct request const request = {.address = address, .size_bytes = size_bytes, .requestor = 1,
                                    .sequence = sequence};
    struct packet *packet;

    assert_true(sequence < sizeof bench.asked / sizeof *bench.asked);
    bench.asked[sequence] = request;
    bench.last_asked = sequence;
    if (core_tries && try_access(command, address, size_bytes, sequence))
        return true;
    packet = packet_take(bench.sim.packets, &request, command);
    if (bench.port.ops->recv_request(bench.port.self, packet, bench.port.port))
        return true;
    packet_give(bench.sim.packets, packet);
    return false;
}

/* A core that describes its accesses sends no packet for those that miss, too. */
static void expect_tries(int hits, int misses)
{
    assert_int_equal(bench.served_tries, !core_tries ? 0 : core_describes ? hits + misses : hits);
}

static void expect(const struct seen *seen, enum command command, uint64_t address, uint64_t when_ps)
{
    assert_string_equal(command_table[seen->command].name, command_table[command].name);
    assert_int_equal(seen->address, address);
    assert_int_equal(seen->when_ps, when_ps);
}

/* A miss leaves at edge(T), is answered at edge(Rl) after its fill; a later hit takes max(T, Dl) cycles. */
static void miss_then_hit(void **state)
{
    struct cache_params const params = small_cache();

    build(&params);
    assert_true(ask(CMD_ReadReq, 0x1008, 8, 1));
    run_until(30000);
    assert_int_equal(bench.sent_count, 1);
    expect(&bench.sent[0], CMD_ReadSharedReq, 0x1000, 1000);
    expect(&bench.answered[0], CMD_ReadResp, 0x1008, 12000);    /* 1000 + 10000, then 2 cycles */
    assert_true(ask(CMD_ReadReq, 0x1010, 8, 2));
    run_until(40000);
    expect(&bench.answered[1], CMD_ReadResp, 0x1010, 31000);
    assert_int_equal(cache_command_stats(&bench.cache, CMD_ReadReq, 1)->hits, 1);
    assert_int_equal(cache_command_stats(&bench.cache, CMD_ReadReq, 1)->misses, 1);
    assert_int_equal(cache_command_stats(&bench.cache, CMD_ReadReq, 1)->miss_latency_ps, 12000);
    assert_int_equal(cache_command_stats(&bench.cache, CMD_ReadReq, 1)->mshr_miss_latency_ps, 11000);
    expect_tries(1, 1);
}

/* classic-memory 16.1 "Check of the fill hazard": the wait for the fill comes on top; stores do not wait */
static void hit_on_a_line_that_still_fills(void **state)
{
    struct cache_params const params = small_cache();

    build(&params);
    bench.payload_ps = 2000;
    assert_true(ask(CMD_ReadReq, 0x1000, 8, 1));
    run_until(11000);                               /* filled now, ready at 11000 + 1000 + 2000 = 14000 */
    assert_true(ask(CMD_ReadReq, 0x1000, 8, 2));    /* 6 cycles to wait > 2: 2 + 6 cycles */
    assert_true(ask(CMD_WriteReq, 0x1008, 8, 4));   /* 2 cycles */
    assert_true(ask(CMD_WriteReq, 0x1000, 8, 3));   /* 2 cycles, but behind the earlier answer of the same address */
    run_until(30000);
    assert_int_equal(bench.answered_count, 4);
    assert_int_equal(bench.answered[0].sequence, 1);
    assert_int_equal(bench.answered[0].when_ps, 12000);
    assert_int_equal(bench.answered[1].sequence, 4);
    assert_int_equal(bench.answered[1].when_ps, 12001);    /* one packet a tick */
    assert_int_equal(bench.answered[2].sequence, 2);
    assert_int_equal(bench.answered[2].when_ps, 15000);
    assert_int_equal(bench.answered[3].sequence, 3);
    assert_int_equal(bench.answered[3].when_ps, 15001);
    expect_tries(3, 1);
}

/* "Critical word first": only targets at another offset than the first pay the payload delay */
static void other_words_pay_the_payload(void **state)
{
    struct cache_params const params = small_cache();

    build(&params);
    bench.payload_ps = 2000;
    assert_true(ask(CMD_ReadReq, 0x1008, 8, 1));
    assert_true(ask(CMD_ReadReq, 0x1010, 8, 2));
    assert_true(ask(CMD_ReadReq, 0x1008, 4, 3));
    run_until(30000);
    assert_int_equal(bench.sent_count, 1);
    assert_int_equal(bench.answered[0].sequence, 1);
    assert_int_equal(bench.answered[0].when_ps, 12000);
    assert_int_equal(bench.answered[1].sequence, 3);
    assert_int_equal(bench.answered[1].when_ps, 12001);
    assert_int_equal(bench.answered[2].sequence, 2);
    assert_int_equal(bench.answered[2].when_ps, 14000);
    assert_int_equal(cache_command_stats(&bench.cache, CMD_ReadReq, 1)->mshr_hits, 2);
    expect_tries(0, 3);
}

/* 4.9: the request that fills the last MSHR is accepted, then even hits are refused; one retry, one tick after */
static void full_miss_queue_refuses_everything(void **state)
{
    struct cache_params const params = small_cache();

    build(&params);
    assert_true(ask(CMD_ReadReq, 0x1000, 8, 1));
    run_until(20000);
    assert_true(ask(CMD_ReadReq, 0x2040, 8, 2));
    assert_true(ask(CMD_ReadReq, 0x3000, 8, 3));
    assert_false(ask(CMD_ReadReq, 0x1000, 8, 4));
    assert_int_equal(bench.retries, 0);
    run_until(31000);                               /* sent at 21000, answered at 31000 */
    assert_int_equal(bench.retries, 0);
    assert_false(ask(CMD_ReadReq, 0x1000, 8, 4));   /* unblocked, but a retry is owed */
    run_until(31001);
    assert_int_equal(bench.retries, 1);
    assert_true(ask(CMD_ReadReq, 0x1000, 8, 4));
    assert_int_equal(bench.cache.stats.blocked_causes[BLOCKED_NO_MSHRS], 1);
    assert_int_equal(bench.cache.stats.blocked_cycles[BLOCKED_NO_MSHRS], 22);
    run_until(60000);
}

/* 4.9: the targets of one MSHR run out */
static void full_target_list_blocks(void **state)
{
    struct cache_params const params = small_cache();

    build(&params);
    for (uint64_t i = 1; i <= 3; i++)
        assert_true(ask(CMD_ReadReq, 0x1000 + 8 * i, 8, i));
    assert_false(ask(CMD_ReadReq, 0x1000, 8, 4));
    run_until(30000);
    assert_int_equal(bench.retries, 1);
    assert_int_equal(bench.cache.stats.blocked_causes[BLOCKED_NO_TARGETS], 1);
    assert_int_equal(bench.answered_count, 3);
}

/* 4.7: stores that cover the line before the request leaves turn it into an InvalidateReq */
static void whole_line_of_stores_invalidates(void **state)
{
    struct cache_params params = small_cache();

    params.targets_per_mshr = 20;
    build(&params);
    for (uint64_t i = 0; i < 8; i++)
        assert_true(ask(CMD_WriteReq, 0x1000 + 8 * i, 8, i));
    run_until(30000);
    assert_int_equal(bench.sent_count, 1);
    expect(&bench.sent[0], CMD_InvalidateReq, 0x1000, 1000);
    assert_int_equal(bench.answered_count, 8);
    assert_true(ask(CMD_WriteReq, 0x1000, 8, 9));   /* the line is here and writable */
    assert_int_equal(cache_command_stats(&bench.cache, CMD_WriteReq, 1)->hits, 1);
    run_until(60000);
}

/* The same with read_overwritten: the line is read, and there, writable, when it comes */
static void overwritten_lines_may_be_read(void **state)
{
    struct cache_params params = small_cache();

    params.targets_per_mshr = 20;
    params.read_overwritten = true;
    build(&params);
    for (uint64_t i = 0; i < 8; i++)
        assert_true(ask(CMD_WriteReq, 0x1000 + 8 * i, 8, i));
    assert_true(ask(CMD_WriteReq, 0x2000, 64, 8));
    run_until(60000);
    assert_int_equal(bench.sent_count, 2);
    assert_int_equal(bench.sent[0].command, CMD_ReadExReq);
    assert_int_equal(bench.sent[1].command, CMD_ReadExReq);
    assert_int_equal(bench.answered_count, 9);
    assert_true(ask(CMD_WriteReq, 0x1000, 8, 9));
    assert_true(ask(CMD_WriteReq, 0x2000, 8, 10));
    assert_int_equal(cache_command_stats(&bench.cache, CMD_WriteReq, 1)->hits, 2);
    run_until(90000);
}

/* 4.4: a store of exactly one aligned line is a WriteLineReq */
static void store_of_a_line(void **state)
{
    struct cache_params const params = small_cache();

    build(&params);
    assert_true(ask(CMD_WriteReq, 0x1000, 64, 1));
    run_until(30000);
    expect(&bench.sent[0], CMD_InvalidateReq, 0x1000, 1000);
    assert_int_equal(cache_command_stats(&bench.cache, CMD_WriteLineReq, 1)->misses, 1);
    expect(&bench.answered[0], CMD_WriteResp, 0x1000, 12000);
}

/* 4.7, 4.10: a store behind a read in flight is deferred; if the line arrives shared it becomes an upgrade of its own
 * */
static void store_joins_a_read(void **state)
{
    struct cache_params const params = small_cache();

    build(&params);
    bench.answer_has_sharers = true;
    assert_true(ask(CMD_ReadReq, 0x1000, 8, 1));
    run_until(5000);
    assert_true(ask(CMD_WriteReq, 0x1000, 8, 2));
    run_until(11000);
    bench.answer_has_sharers = false;
    run_until(40000);
    assert_int_equal(bench.sent_count, 2);
    expect(&bench.sent[1], CMD_UpgradeReq, 0x1000, 11001);
    assert_int_equal(bench.answered[0].when_ps, 12000);
    assert_int_equal(bench.answered[1].sequence, 2);
    assert_int_equal(bench.answered[1].when_ps, 22500);    /* 21001, next edge 21500, two cycles */
}

/* 4.10: if the line arrives writable the deferred store is served with it */
static void store_joins_a_read_that_brings_permission(void **state)
{
    struct cache_params const params = small_cache();

    build(&params);
    assert_true(ask(CMD_ReadReq, 0x1000, 8, 1));
    run_until(5000);
    assert_true(ask(CMD_WriteReq, 0x1000, 8, 2));
    run_until(40000);
    assert_int_equal(bench.sent_count, 1);
    assert_int_equal(bench.answered_count, 2);
    assert_int_equal(bench.answered[1].when_ps, 12001);
}

static void fill_line(enum command command, uint64_t address)
{
    assert_true(ask(command, address, 8, 0));
    run_until(sim_now_ps(&bench.sim) + 100000);
}

/* 4.7, 4.10: what joins a store in flight is answered with it, and counts from when it came; the line is dirty then */
static void accesses_join_a_store_in_flight(void **state)
{
    struct cache_params params = small_cache();
    const struct cache_command_stats *counts;

    params.targets_per_mshr = 5;
    build(&params);
    bench.payload_ps = 2000;
    assert_true(ask(CMD_WriteReq, 0x1008, 8, 1));
    run_until(5000);
    assert_true(ask(CMD_ReadReq, 0x1010, 8, 2));
    assert_true(ask(CMD_WriteReq, 0x1018, 8, 3));
    assert_true(ask(CMD_ReadReq, 0x1008, 8, 4));
    run_until(100000);
    assert_int_equal(bench.sent_count, 1);
    expect(&bench.sent[0], CMD_ReadExReq, 0x1000, 1000);
    assert_int_equal(bench.answered_count, 4);
    expect(&bench.answered[0], CMD_WriteResp, 0x1008, 12000);
    expect(&bench.answered[1], CMD_ReadResp, 0x1008, 12001);
    expect(&bench.answered[2], CMD_ReadResp, 0x1010, 14000);
    expect(&bench.answered[3], CMD_WriteResp, 0x1018, 14001);
    assert_int_equal(bench.answered[1].sequence, 4);
    counts = cache_command_stats(&bench.cache, CMD_ReadReq, 1);
    assert_int_equal(counts->misses, 2);
    assert_int_equal(counts->mshr_hits, 2);
    assert_int_equal(counts->miss_latency_ps, (12000 - 5000) + (14000 - 5000));
    counts = cache_command_stats(&bench.cache, CMD_WriteReq, 1);
    assert_int_equal(counts->mshr_hits, 1);
    assert_int_equal(counts->mshr_misses, 1);
    assert_int_equal(counts->miss_latency_ps, 12000 + (14000 - 5000));
    assert_int_equal(counts->mshr_miss_latency_ps, 11000);
    expect_tries(0, 4);
    fill_line(CMD_ReadReq, 0x2000);
    fill_line(CMD_ReadReq, 0x3000);
    expect(&bench.sent[3], CMD_WritebackDirty, 0x1000, bench.sent[3].when_ps);
}

/* 4.7: the same up to the last target that there may be; the one behind is refused */
static void joined_accesses_fill_the_target_list(void **state)
{
    struct cache_params const params = small_cache();

    build(&params);
    assert_true(ask(CMD_WriteReq, 0x1000, 8, 1));
    run_until(5000);
    assert_true(ask(CMD_ReadReq, 0x1008, 8, 2));
    assert_true(ask(CMD_WriteReq, 0x1010, 8, 3));
    assert_false(ask(CMD_ReadReq, 0x1018, 8, 4));
    run_until(30000);
    assert_int_equal(bench.answered_count, 3);
    assert_int_equal(bench.retries, 1);
    assert_int_equal(bench.cache.stats.blocked_causes[BLOCKED_NO_TARGETS], 1);
    assert_int_equal(bench.cache.stats.blocked_cycles[BLOCKED_NO_TARGETS], 12);
}

/* 4.7, 4.11: the line is taken away as soon as it comes: who asks for it after that misses anew */
static void no_request_joins_a_lost_line(void **state)
{
    struct cache_params const params = small_cache();
    struct request const request = {.address = 0x1000, .size_bytes = 64, .requestor = 1};
    struct packet snoop;

    build(&params);
    bench.answer_has_sharers = true;
    assert_true(ask(CMD_ReadReq, 0x1000, 8, 1));
    run_until(4000);
    assert_true(ask(CMD_ReadReq, 0x1008, 8, 2));
    packet_init(&snoop, &request, CMD_ReadExReq);
    snoop.express_snoop = true;
    bench.answer_to.ops->recv_snoop(bench.answer_to.self, &snoop, 0);
    assert_false(snoop.cache_responding);
    run_until(5000);
    assert_true(ask(CMD_ReadReq, 0x1010, 8, 3));
    run_until(60000);
    assert_int_equal(bench.sent_count, 2);
    expect(&bench.sent[1], CMD_ReadSharedReq, 0x1000, 11001);
    assert_int_equal(bench.answered_count, 3);
    expect(&bench.answered[0], CMD_ReadRespWithInvalidate, 0x1000, 12000);
    expect(&bench.answered[1], CMD_ReadRespWithInvalidate, 0x1008, 12001);
    expect(&bench.answered[2], CMD_ReadResp, 0x1010, 22500);
}

/* 4.10, 14: the least recently used way goes; dirty lines are written back, clean ones announced */
static void victims(void **state)
{
    struct cache_params const params = small_cache();

    build(&params);
    fill_line(CMD_WriteReq, 0x1000);
    fill_line(CMD_ReadReq, 0x2000);
    fill_line(CMD_ReadReq, 0x1000);                 /* 0x2000 is the older one now */
    fill_line(CMD_ReadReq, 0x3000);
    fill_line(CMD_ReadReq, 0x4000);
    assert_int_equal(bench.sent_count, 6);
    expect(&bench.sent[3], CMD_CleanEvict, 0x2000, bench.sent[3].when_ps);
    expect(&bench.sent[5], CMD_WritebackDirty, 0x1000, bench.sent[5].when_ps);
    assert_int_equal(bench.cache.stats.replacements, 2);
    assert_int_equal(bench.cache.stats.writebacks, 1);
    /* fill at 311000; the eviction is ready two cycles later */
    assert_int_equal(bench.sent[3].when_ps, 300000 + 1000 + MEMORY_PS + 1000);
}

static void clean_victims_with_data(void **state)
{
    struct cache_params params = small_cache();

    params.writeback_clean = 1;
    build(&params);
    fill_line(CMD_ReadReq, 0x1000);
    fill_line(CMD_ReadReq, 0x2000);
    fill_line(CMD_ReadReq, 0x3000);
    expect(&bench.sent[3], CMD_WritebackClean, 0x1000, bench.sent[3].when_ps);
    assert_int_equal(bench.cache.stats.writebacks, 1);
}

/* 4.8: a pending write-back of the line goes before a miss of the same line */
static void write_back_goes_before_its_own_miss(void **state)
{
    struct cache_params params = small_cache();

    params.write_buffers = 8;
    build(&params);
    fill_line(CMD_WriteReq, 0x1000);
    fill_line(CMD_ReadReq, 0x2000);
    assert_true(ask(CMD_ReadReq, 0x3000, 8, 1));
    run_until(200000 + 1000 + MEMORY_PS);           /* 0x1000 was evicted, not sent yet */
    assert_int_equal(bench.cache.write_count, 1);
    assert_true(ask(CMD_ReadReq, 0x1000, 8, 2));
    run_until(300000);
    assert_string_equal(command_table[bench.sent[3].command].name, "WritebackDirty");
    assert_string_equal(command_table[bench.sent[4].command].name, "ReadSharedReq");
    assert_int_equal(bench.sent[4].address, 0x1000);
    assert_int_equal(bench.sent[4].when_ps, bench.sent[3].when_ps + 1);    /* one packet a tick */
}

/* 4.12: a mostly exclusive cache does not keep what a cache above asked for */
static void mostly_exclusive_fill_goes_through_the_temporary_block(void **state)
{
    struct cache_params params = small_cache();

    params.clusivity = CLUSIVITY_MOSTLY_EXCL;
    build(&params);
    fill_line(CMD_ReadSharedReq, 0x1000);
    assert_int_equal(tags_find(&bench.cache.tags, 0x1000), BLOCK_NONE);
    assert_string_equal(command_table[bench.sent[0].command].name, "ReadCleanReq");
    fill_line(CMD_ReadReq, 0x2000);
    assert_int_not_equal(tags_find(&bench.cache.tags, 0x2000), BLOCK_NONE);
}

/* 4.10: a line that a cache above overwrites is given up; with keep_overwritten it stays, and the dirty data go up */
static void overwritten_lines_stay_if_they_are_kept(void **state)
{
    for (unsigned keeps = 0; keeps <= 1; keeps++) {
        struct cache_params params = small_cache();

        params.keep_overwritten = keeps;
        if (keeps)
            tear_down(NULL);
        build(&params);
        fill_line(CMD_WriteReq, 0x1000);
        assert_true(ask(CMD_InvalidateReq, 0x1000, 64, 1));
        run_until(sim_now_ps(&bench.sim) + 100000);
        assert_int_equal(bench.answered_count, 2);
        assert_int_equal(tags_find(&bench.cache.tags, 0x1000) != BLOCK_NONE, keeps);
        if (keeps)
            assert_false(tags_has(&bench.cache.tags, tags_find(&bench.cache.tags, 0x1000), BLOCK_DIRTY));
    }
}

/* 4.6: an uncacheable access takes an MSHR of its own and leaves nothing behind */
static void uncacheable_read(void **state)
{
    struct cache_params const params = small_cache();
    struct request request = {.address = 0x1008, .size_bytes = 8, .requestor = 1, .flags = REQUEST_UNCACHEABLE};

    build(&params);
    fill_line(CMD_WriteReq, 0x1000);
    assert_true(bench.port.ops->recv_request(bench.port.self,
                                             packet_take(bench.sim.packets, &request, CMD_ReadReq), 0));
    run_until(200000);
    assert_int_equal(bench.sent_count, 3);
    expect(&bench.sent[1], CMD_WritebackDirty, 0x1000, 101000);    /* before its time: the read must not overtake it */
    expect(&bench.sent[2], CMD_ReadReq, 0x1008, 101001);
    assert_int_equal(tags_find(&bench.cache.tags, 0x1000), BLOCK_NONE);
    assert_int_equal(cache_command_stats(&bench.cache, CMD_ReadReq, 1)->mshr_uncacheable, 1);
}

/* 4.6: a software prefetch that misses is answered at hit latency and continues as a packet of its own */
static void software_prefetch_is_answered_early(void **state)
{
    struct cache_params const params = small_cache();

    build(&params);
    assert_true(ask(CMD_SoftPFReq, 0x1000, 8, 1));
    run_until(100000);
    assert_int_equal(bench.answered_count, 1);
    assert_int_equal(bench.answered[0].when_ps, 1000);
    assert_int_not_equal(tags_find(&bench.cache.tags, 0x1000), BLOCK_NONE);
}

/* 4.16: between a locked read and its write, others wait */
static void locked_read_and_write(void **state)
{
    struct cache_params const params = small_cache();

    build(&params);
    assert_true(ask(CMD_LockedRMWReadReq, 0x1000, 8, 1));
    run_until(50000);
    assert_int_equal(bench.answered_count, 1);
    assert_true(ask(CMD_ReadReq, 0x1000, 8, 2));
    run_until(100000);
    assert_int_equal(bench.answered_count, 1);
    assert_true(ask(CMD_LockedRMWWriteReq, 0x1000, 8, 3));
    run_until(150000);
    assert_int_equal(bench.answered_count, 3);
    assert_int_equal(bench.answered[1].sequence, 2);
    assert_int_equal(bench.answered[1].when_ps, 101000);
    assert_int_equal(bench.answered[2].sequence, 3);
    assert_int_equal(bench.cache.mshr_count, 0);
}

/* 4.11: a dirty line answers a read snoop and stays, shared; an invalidating one takes it away */
static void snoops(void **state)
{
    struct cache_params const params = small_cache();
    struct request const request = {.address = 0x1000, .size_bytes = 64};
    struct packet snoop;

    build(&params);
    fill_line(CMD_WriteReq, 0x1000);
    packet_init(&snoop, &request, CMD_CleanEvict);
    snoop.express_snoop = true;
    bench.answer_to.ops->recv_snoop(bench.answer_to.self, &snoop, 0);
    assert_true(snoop.block_cached);
    assert_int_equal(snoop.snoop_delay_ps, 1000);
    packet_init(&snoop, &request, CMD_ReadExReq);
    snoop.express_snoop = true;
    bench.answer_to.ops->recv_snoop(bench.answer_to.self, &snoop, 0);
    assert_true(snoop.cache_responding);
    assert_true(snoop.responder_had_writable);
    assert_int_equal(tags_find(&bench.cache.tags, 0x1000), BLOCK_NONE);
    assert_int_equal(packet_queue_next_ps(&bench.cache.snoop_responses), 101000);
}

static int let_core_try(void **state)
{
    core_tries = true;
    return 0;
}

static int let_core_describe(void **state)
{
    core_describes = true;
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(miss_then_hit, tear_down),
        cmocka_unit_test_teardown(hit_on_a_line_that_still_fills, tear_down),
        cmocka_unit_test_teardown(other_words_pay_the_payload, tear_down),
        cmocka_unit_test_teardown(full_miss_queue_refuses_everything, tear_down),
        cmocka_unit_test_teardown(full_target_list_blocks, tear_down),
        cmocka_unit_test_teardown(whole_line_of_stores_invalidates, tear_down),
        cmocka_unit_test_teardown(overwritten_lines_may_be_read, tear_down),
        cmocka_unit_test_teardown(overwritten_lines_stay_if_they_are_kept, tear_down),
        cmocka_unit_test_teardown(store_of_a_line, tear_down),
        cmocka_unit_test_teardown(store_joins_a_read, tear_down),
        cmocka_unit_test_teardown(store_joins_a_read_that_brings_permission, tear_down),
        cmocka_unit_test_teardown(accesses_join_a_store_in_flight, tear_down),
        cmocka_unit_test_teardown(joined_accesses_fill_the_target_list, tear_down),
        cmocka_unit_test_teardown(no_request_joins_a_lost_line, tear_down),
        cmocka_unit_test_teardown(victims, tear_down),
        cmocka_unit_test_teardown(clean_victims_with_data, tear_down),
        cmocka_unit_test_teardown(write_back_goes_before_its_own_miss, tear_down),
        cmocka_unit_test_teardown(mostly_exclusive_fill_goes_through_the_temporary_block, tear_down),
        cmocka_unit_test_teardown(uncacheable_read, tear_down),
        cmocka_unit_test_teardown(software_prefetch_is_answered_early, tear_down),
        cmocka_unit_test_teardown(locked_read_and_write, tear_down),
        cmocka_unit_test_teardown(snoops, tear_down),
    };

    int failed = cmocka_run_group_tests_name("with packets", tests, NULL, NULL);

    failed += cmocka_run_group_tests_name("with tries", tests, let_core_try, NULL);
    return failed + cmocka_run_group_tests_name("with tries that miss", tests, let_core_describe, NULL);
}
