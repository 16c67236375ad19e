/* memsys/tlb/mmu.h between a core that asks at given times, and caches that answer after 5 ns (virtual-memory 4, 5).
 * A cycle is 1 ns, the L2 TLB takes 7; so a walk of n reads is over 7 + 5n ns after its request came. */
#include "memsys/tlb/mmu.h"
#include "memsys/tlb/tlb_params.h"
#include "memsys/vm/vm_params.h"
#include "tests/support/random_numbers.h"
#include "tests/support/slow_tlb.h"
#include "tests/support/unit.h"

#define NS UINT64_C(1000)
#define MIB (UINT64_C(1) << 20)
#define ANSWER_PS (5 * NS)
#define PAGE VM_PAGE_BYTES
enum { MOST = 4096 };

struct ask {
    uint64_t at_ps, address;
    enum mmu_side_number side;
    uint64_t sent_ps;                    /* when the cache took it; UINT64_MAX: not yet */
    uint64_t answered_ps;
};

static struct bench {
    struct sim sim;
    struct vm_memory *memory;
    struct space *own;
    struct mmu mmu;
    struct ask asks[MOST];
    unsigned count, asked, sent, answered;
    struct event ask_event, answer_event, open_event;
    struct packet *refused[MMU_SIDES];
    struct packet *answers[MOST];        /* ring */
    uint64_t answer_ps[MOST];
    unsigned answer_head, answer_tail;
    uint64_t closed_from_ps, closed_until_ps;    /* caches take nothing */
    bool owes_retry[MMU_SIDES];
    unsigned reads;                      /* of walks */
    uint64_t read_addresses[MOST];
    unsigned retries;
} bench;

/* ---- the caches */
static bool cache_takes(void *self, struct packet *packet, unsigned port)
{
    uint64_t const now_ps = sim_now_ps(&bench.sim);

    (void)self;
    if (now_ps >= bench.closed_from_ps && now_ps < bench.closed_until_ps) {
        bench.owes_retry[port] = true;
        return false;
    }
    if (packet->request.requestor == bench.mmu.requestor) {
        bench.read_addresses[bench.reads++ % MOST] = packet->address;
        assert_int_equal(packet->size_bytes, 8);
    } else {
        struct ask *const ask = &bench.asks[packet->request.sequence];

        assert_true(ask->sent_ps == UINT64_MAX);
        assert_int_equal(ask->side, port);
        assert_int_equal(ask->address, packet->address);
        ask->sent_ps = now_ps;
        bench.sent++;
    }
    packet_make_response(packet);
    bench.answers[bench.answer_tail % MOST] = packet;
    bench.answer_ps[bench.answer_tail++ % MOST] = now_ps + ANSWER_PS;
    if (!bench.answer_event.scheduled)
        event_schedule(&bench.sim.events, &bench.answer_event, now_ps + ANSWER_PS);
    return true;
}

static void answer(void *owner)
{
    uint64_t const now_ps = sim_now_ps(&bench.sim);

    (void)owner;
    while (bench.answer_head != bench.answer_tail && bench.answer_ps[bench.answer_head % MOST] == now_ps) {
        struct packet *const packet = bench.answers[bench.answer_head++ % MOST];
        bool const is_read = packet->request.requestor == bench.mmu.requestor;
        enum mmu_side_number const side = is_read ? MMU_DATA : bench.asks[packet->request.sequence].side;
        struct above const above = mmu_above(&bench.mmu, side);

        assert_true(above.ops->recv_response(above.self, packet, above.port));
    }
    if (bench.answer_head != bench.answer_tail)
        event_schedule(&bench.sim.events, &bench.answer_event, bench.answer_ps[bench.answer_head % MOST]);
}

static void open_caches(void *owner)
{
    (void)owner;
    for (unsigned side = 0; side < MMU_SIDES; side++) {
        struct above const above = mmu_above(&bench.mmu, side);

        if (!bench.owes_retry[side])
            continue;
        bench.owes_retry[side] = false;
        above.ops->recv_request_retry(above.self, above.port);
    }
}

/* ---- the core: each side sends in order, and waits when it is refused */
static void send_from(enum mmu_side_number side);

static bool core_gets(void *self, struct packet *packet, unsigned port)
{
    (void)self;
    (void)port;
    bench.asks[packet->request.sequence].answered_ps = sim_now_ps(&bench.sim);
    bench.answered++;
    packet_give(bench.sim.packets, packet);
    return true;
}

static bool try_send(enum mmu_side_number side, struct packet *packet)
{
    struct below const below = mmu_below(&bench.mmu, side);

    if (below.ops->recv_request(below.self, packet, below.port))
        return true;
    bench.refused[side] = packet;
    return false;
}

static void core_retries(void *self, unsigned port)
{
    struct packet *const packet = bench.refused[port];

    (void)self;
    assert_non_null(packet);             /* called once for a refusal, and not otherwise */
    bench.refused[port] = NULL;
    bench.retries++;
    if (try_send(port, packet))
        send_from(port);
}

static unsigned next_of[MMU_SIDES];

static void send_from(enum mmu_side_number side)
{
    unsigned *const next = &next_of[side];

    for (; *next < bench.count && bench.asks[*next].at_ps <= sim_now_ps(&bench.sim); ++*next) {
        struct ask *const ask = &bench.asks[*next];
        struct request const request = {.address = ask->address, .size_bytes = 8, .sequence = *next, .requestor = 1};

        if (ask->side != side)
            continue;
        if (!try_send(side, packet_take(bench.sim.packets, &request, CMD_ReadReq))) {
            ++*next;
            return;
        }
    }
}

static void ask_now(void *owner)
{
    (void)owner;
    for (unsigned side = 0; side < MMU_SIDES; side++)
        if (!bench.refused[side])
            send_from(side);
    while (bench.asked < bench.count && bench.asks[bench.asked].at_ps <= sim_now_ps(&bench.sim))
        bench.asked++;
    if (bench.asked < bench.count)
        event_schedule(&bench.sim.events, &bench.ask_event, bench.asks[bench.asked].at_ps);
}

static void ignore_snoop(void *self, struct packet *packet, unsigned port)
{
    (void)self, (void)packet, (void)port;
}

static void ignore_retry(void *self, unsigned port)
{
    (void)self, (void)port;
}

static const struct above_ops core_ops = {core_gets, core_retries, ignore_snoop, ignore_retry, NULL};
static const struct below_ops cache_ops = {cache_takes, ignore_retry, NULL};

/* ---- set-up */
static struct tlb_params plain_params(void)
{
    return (struct tlb_params){
        .l1d = {64, 4, 32, 4, 8, 16}, .l1i = {64, 4, 32, 4, 8, 16}, .l2 = {1536, 12, 7},
        .walker = {.at = WALKER_AT_L1D, .outstanding = 4}, .caches = {0, 0, 0, 0}};
}

static void begin(const struct tlb_params *params, enum placement policy, enum huge_pages huge)
{
    static const struct vm_range range = {0, 256 * MIB};
    struct pages_params const pages = {.policy = policy, .huge = huge, .threshold = 8, .colours = 1};
    struct fault fault;

    bench = (struct bench){.closed_from_ps = UINT64_MAX};
    memset(next_of, 0, sizeof next_of);
    sim_init(&bench.sim, 64);
    bench.memory = vm_memory_make(&pages, &range, 1, &fault);
    assert_non_null(bench.memory);
    if (params->walker.nested)
        assert_non_null(vm_memory_add_host(bench.memory, &fault));
    if (policy == PLACEMENT_IDENTITY)
        assert_non_null(bench.own = vm_memory_add_space(bench.memory, "core", true, &fault));
    sim_add_requestor(&bench.sim, "core");       /* 1 */
    assert_fine(mmu_init(&bench.mmu, &(struct mmu_setup){.sim = &bench.sim, .core = "cpu", .period_ps = NS,
                                                         .params = params, .memory = bench.memory, .own = bench.own}));
    for (unsigned side = 0; side < MMU_SIDES; side++)
        mmu_connect(&bench.mmu, side, (struct above){.ops = &core_ops, .port = side},
                    (struct below){.ops = &cache_ops, .port = side});
    event_init(&bench.ask_event, ask_now, NULL, EVENT_DEFAULT);
    event_init(&bench.answer_event, answer, NULL, EVENT_DEFAULT);
    event_init(&bench.open_event, open_caches, NULL, EVENT_DEFAULT);
    assert_fine(event_queue_reserve(&bench.sim.events, 3));
}

static unsigned ask(uint64_t at_ps, enum mmu_side_number side, uint64_t address)
{
    assert_true(bench.count < MOST);
    bench.asks[bench.count] = (struct ask){.at_ps = at_ps, .address = address, .side = side, .sent_ps = UINT64_MAX};
    return bench.count++;
}

static void close_caches(uint64_t from_ps, uint64_t until_ps)
{
    bench.closed_from_ps = from_ps;
    bench.closed_until_ps = until_ps;
    event_schedule(&bench.sim.events, &bench.open_event, until_ps);
}

static void run(void)
{
    if (bench.count > bench.asked)
        event_schedule(&bench.sim.events, &bench.ask_event, bench.asks[bench.asked].at_ps);
    event_queue_run(&bench.sim.events, TICK_NEVER - 1, UINT64_MAX);
    assert_int_equal(bench.sent, bench.count);
    assert_int_equal(bench.answered, bench.count);
    for (unsigned i = 0; i < bench.count; i++)
        assert_int_equal(bench.asks[i].answered_ps, bench.asks[i].sent_ps + ANSWER_PS);
}

static void end(void)
{
    mmu_free(&bench.mmu);
    vm_memory_free(bench.memory);
    assert_int_equal(bench.sim.packets->outstanding, 0);
    sim_free(&bench.sim);
}

#define SENT_AT(number, ns) assert_int_equal(bench.asks[number].sent_ps, (ns) * NS)

/* ---- timelines */
static void a_miss_takes_a_walk_and_a_hit_no_time(void **state)
{
    struct tlb_params const params = plain_params();

    begin(&params, PLACEMENT_IDENTITY, HUGE_NEVER);
    ask(0, MMU_DATA, 0x5008);
    ask(30 * NS, MMU_DATA, 0x5ff8);
    run();
    SENT_AT(0, 7 + 4 * 5);
    SENT_AT(1, 30);
    assert_int_equal(bench.reads, 4);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(bench.read_addresses[i], space_entry(bench.own, 0x5000, 4 - i));
    assert_int_equal(bench.mmu.sides[MMU_DATA].stats.hits, 1);
    assert_int_equal(bench.mmu.sides[MMU_DATA].stats.misses, 1);
    assert_int_equal(bench.mmu.sides[MMU_DATA].stats.waited_ps, 27 * NS);
    assert_int_equal(bench.mmu.stats.walk_latency.sums.sum, 20 * NS);
    end();
}

/* "an L2 TLB": latencies are cycles from the next edge on */
static void the_l2_answers_at_a_clock_edge(void **state)
{
    struct tlb_params params = plain_params();

    params.l1d = (struct tlb_l1_params){1, 1, 1, 1, 8, 16};
    begin(&params, PLACEMENT_IDENTITY, HUGE_NEVER);
    ask(0, MMU_DATA, 0x5000);
    ask(100 * NS, MMU_DATA, 0x6000);             /* takes the only entry */
    ask(200 * NS + 1, MMU_DATA, 0x5000);
    run();
    SENT_AT(1, 127);
    SENT_AT(2, 201 + 7);
    assert_int_equal(bench.mmu.stats.l2_hits, 1);
    assert_int_equal(bench.mmu.stats.l2_misses, 2);
    end();
}

static void misses_on_a_page_are_one_and_keep_their_order(void **state)
{
    struct tlb_params const params = plain_params();

    begin(&params, PLACEMENT_IDENTITY, HUGE_NEVER);
    ask(0, MMU_DATA, 0x5000);
    ask(3 * NS, MMU_DATA, 0x5040);
    ask(20 * NS, MMU_DATA, 0x5080);
    run();
    SENT_AT(0, 27);
    SENT_AT(1, 27);
    SENT_AT(2, 27);
    assert_int_equal(bench.mmu.stats.walks, 1);
    assert_int_equal(bench.mmu.sides[MMU_DATA].stats.misses, 3);
    assert_int_equal(bench.mmu.sides[MMU_DATA].stats.merged, 2);
    assert_int_equal(bench.mmu.sides[MMU_DATA].stats.waited_ps, (27 + 24 + 7) * NS);
    assert_int_equal(bench.mmu.sides[MMU_DATA].stats.stalled_ps, 27 * NS);
    end();
}

static void walks_beyond_the_limit_wait(void **state)
{
    for (uint64_t limit = 1; limit <= 2; limit++) {
        struct tlb_params params = plain_params();

        params.walker.outstanding = limit;
        begin(&params, PLACEMENT_IDENTITY, HUGE_NEVER);
        ask(0, MMU_DATA, 0x5000);
        ask(1 * NS, MMU_DATA, 0x6000);
        run();
        SENT_AT(0, 27);
        SENT_AT(1, limit == 1 ? 27 + 20 : 28);
        assert_int_equal(bench.mmu.stats.queued_ps, limit == 1 ? 19 * NS : 0);
        end();
    }
}

/* A hit overtakes a miss on another page. */
static void hits_pass_while_others_wait(void **state)
{
    struct tlb_params const params = plain_params();

    begin(&params, PLACEMENT_IDENTITY, HUGE_NEVER);
    ask(0, MMU_DATA, 0x5000);
    ask(100 * NS, MMU_DATA, 0x6000);
    ask(101 * NS, MMU_DATA, 0x5000);
    run();
    SENT_AT(1, 127);
    SENT_AT(2, 101);
    end();
}

/* virtual-memory 5.2: an entry of level 2 spares three reads of four, one of level 3 two, one of level 4 one. */
static void walk_caches_spare_reads(void **state)
{
    for (unsigned level = 2; level <= 4; level++) {
        struct tlb_params params = plain_params();

        params.caches = (struct walk_caches_params){level == 4, level == 3, level == 2, 0};
        begin(&params, PLACEMENT_IDENTITY, HUGE_NEVER);
        ask(0, MMU_DATA, 0x5000);
        ask(100 * NS, MMU_DATA, 0x6000);
        run();
        SENT_AT(0, 27);
        SENT_AT(1, 100 + 7 + 5 * (level - 1));
        assert_int_equal(bench.mmu.stats.level2_hits, level == 2);
        assert_int_equal(bench.mmu.stats.level3_hits, level == 3);
        assert_int_equal(bench.mmu.stats.level4_hits, level == 4);
        assert_int_equal(bench.mmu.stats.walk_reads, 4 + level - 1);
        end();
    }
}

/* "entries that a walk reads at least, whatever the walk caches have" */
static void walks_read_their_least(void **state)
{
    for (unsigned least = 1; least <= 4; least++) {
        struct tlb_params params = plain_params();

        params.caches = (struct walk_caches_params){2, 2, 2, 0};
        params.walker.least_reads = least;
        begin(&params, PLACEMENT_IDENTITY, HUGE_NEVER);
        ask(0, MMU_DATA, 0x5000);
        ask(100 * NS, MMU_DATA, 0x6000);
        run();
        SENT_AT(1, 100 + 7 + 5 * least);
        end();
    }
}

/* "a walk's wait for a page, and for a table, that no walk met before": four for the first page, one for its neighbour,
 * none for a page whose walk is repeated. A walk that meets only old entries overtakes one that waits. */
static void a_first_touch_waits(void **state)
{
    for (uint64_t latency = 0; latency <= 3; latency += 3) {
        struct tlb_params params = plain_params();

        params.l1d.entries = params.l1d.assoc = 1;
        params.l2.entries = 0;
        params.walker.latency_cyc = latency;
        params.walker.first_touch_cyc = 200;
        begin(&params, PLACEMENT_IDENTITY, HUGE_NEVER);
        ask(0, MMU_DATA, 0x5000);
        ask(1000 * NS, MMU_DATA, 0x6000);
        ask(2000 * NS, MMU_DATA, 0x7000);
        ask(2001 * NS, MMU_DATA, 0x5000);
        run();
        SENT_AT(0, 4 * (5 + latency + 200));
        SENT_AT(1, 1000 + 4 * (5 + latency) + 200);
        SENT_AT(2, 2000 + 4 * (5 + latency) + 200);
        SENT_AT(3, 2001 + 4 * (5 + latency));
        end();
    }
}

/* walker.latency: 3 ns behind each of four entries; a second walk's beside those of the first */
static void a_walk_takes_its_latency_for_each_entry(void **state)
{
    struct tlb_params params = plain_params();

    params.walker.latency_cyc = 3;
    begin(&params, PLACEMENT_IDENTITY, HUGE_NEVER);
    ask(0, MMU_DATA, 0x5000);
    ask(1 * NS, MMU_DATA, 0x6000);
    run();
    SENT_AT(0, 7 + 4 * (5 + 3));
    SENT_AT(1, 8 + 4 * (5 + 3));
    end();
}

static void both_sides_share_a_walk(void **state)
{
    struct tlb_params const params = plain_params();

    begin(&params, PLACEMENT_IDENTITY, HUGE_NEVER);
    ask(0, MMU_INST, 0x5000);
    ask(2 * NS, MMU_DATA, 0x5100);
    run();
    SENT_AT(0, 27);
    SENT_AT(1, 27);
    assert_int_equal(bench.mmu.stats.walks, 1);
    assert_int_equal(bench.mmu.stats.merged_walks, 1);
    assert_int_equal(bench.mmu.stats.l2_misses, 2);
    end();
}

/* Of a side without room the request is refused, and comes again when there is. */
static void without_room_requests_are_refused(void **state)
{
    struct tlb_params params = plain_params();

    params.l1d.mshrs = 1;
    params.l1d.targets_per_mshr = 2;
    begin(&params, PLACEMENT_IDENTITY, HUGE_NEVER);
    ask(0, MMU_DATA, 0x5000);
    ask(1 * NS, MMU_DATA, 0x5008);
    ask(2 * NS, MMU_DATA, 0x5010);               /* a third one for the page */
    ask(3 * NS, MMU_DATA, 0x6000);
    ask(4 * NS, MMU_DATA, 0x7000);
    run();
    SENT_AT(0, 27);
    SENT_AT(1, 27);
    SENT_AT(2, 27);                              /* by then a hit */
    SENT_AT(3, 27 + 27);
    SENT_AT(4, 27 + 27 + 27);
    assert_int_equal(bench.retries, 2);
    assert_int_equal(bench.mmu.sides[MMU_DATA].stats.refused, 2);
    end();
}

static void refused_walk_reads_are_retried(void **state)
{
    struct tlb_params const params = plain_params();

    begin(&params, PLACEMENT_IDENTITY, HUGE_NEVER);
    close_caches(6 * NS, 9 * NS);                /* the first read is refused */
    ask(0, MMU_DATA, 0x5000);
    run();
    SENT_AT(0, 9 + 20);
    end();
    begin(&params, PLACEMENT_IDENTITY, HUGE_NEVER);
    close_caches(26 * NS, 40 * NS);              /* the request itself, and one that hits, which stays behind it */
    ask(0, MMU_DATA, 0x5000);
    ask(30 * NS, MMU_DATA, 0x5040);
    run();
    SENT_AT(0, 40);
    SENT_AT(1, 40);
    end();
    begin(&params, PLACEMENT_IDENTITY, HUGE_NEVER);
    close_caches(100 * NS, 110 * NS);            /* a hit */
    ask(0, MMU_DATA, 0x5000);
    ask(105 * NS, MMU_DATA, 0x5040);
    run();
    SENT_AT(1, 110);
    assert_int_equal(bench.mmu.sides[MMU_DATA].stats.accesses, 2);
    assert_int_equal(bench.mmu.sides[MMU_DATA].stats.hits, 1);
    end();
}

static void huge_pages_take_three_reads_and_entries_of_their_own(void **state)
{
    struct tlb_params params = plain_params();

    params.l1d.huge_entries = params.l1d.huge_assoc = 1;
    begin(&params, PLACEMENT_IDENTITY, HUGE_ALWAYS);
    ask(0, MMU_DATA, 0x200000);
    ask(100 * NS, MMU_DATA, 0x3ff000);
    ask(200 * NS, MMU_DATA, 0x400000);
    ask(300 * NS, MMU_DATA, 0x200000);
    run();
    SENT_AT(0, 7 + 3 * 5);
    SENT_AT(1, 100);
    SENT_AT(2, 222);
    SENT_AT(3, 307);
    assert_int_equal(bench.mmu.stats.huge_walks, 2);
    end();
}

static void without_an_l2_walks_begin_at_once(void **state)
{
    struct tlb_params params = plain_params();

    params.l2.entries = 0;
    begin(&params, PLACEMENT_IDENTITY, HUGE_NEVER);
    ask(0, MMU_DATA, 0x5000);
    ask(100 * NS, MMU_INST, 0x5000);
    run();
    SENT_AT(0, 20);
    SENT_AT(1, 120);                             /* each side has TLBs of its own */
    assert_int_equal(bench.mmu.stats.l2_accesses, 0);
    end();
}

/* Page tables are frames like others: what no page is, passes. */
static void accesses_outside_pages_pass(void **state)
{
    struct tlb_params const params = plain_params();
    struct fault fault;
    struct space *space;

    begin(&params, PLACEMENT_FIRST_TOUCH, HUGE_NEVER);
    space = vm_memory_add_space(bench.memory, "process", false, &fault);
    assert_non_null(space);
    assert_fine(space_touch(space, 0x7fff12345000, 8));
    assert_fine(space_settle(space));
    ask(0, MMU_DATA, 0x10);                      /* the first frame */
    ask(100 * NS, MMU_DATA, 0x1000);             /* no mapping has this page */
    run();
    SENT_AT(0, 27);
    SENT_AT(1, 100);
    assert_int_equal(bench.read_addresses[3], space_entry(space, 0x7fff12345000, 1));
    assert_int_equal(bench.mmu.sides[MMU_DATA].stats.untranslated, 1);
    end();
}

static void statistics_restart(void **state)
{
    struct tlb_params const params = plain_params();

    begin(&params, PLACEMENT_IDENTITY, HUGE_NEVER);
    ask(0, MMU_DATA, 0x5000);
    run();
    mmu_reset_stats(&bench.mmu, sim_now_ps(&bench.sim));
    ask(100 * NS, MMU_DATA, 0x5000);
    run();
    assert_int_equal(bench.mmu.sides[MMU_DATA].stats.accesses, 1);
    assert_int_equal(bench.mmu.sides[MMU_DATA].stats.hits, 1);
    assert_int_equal(bench.mmu.sides[MMU_DATA].stats.waited_ps, 0);
    assert_int_equal(bench.mmu.stats.walks, 0);
    assert_int_equal(bench.mmu.stats.walk_latency.sums.samples, 0);
    end();
}

/* ---- random requests, one after the other, against a slow model */
static uint64_t any_power(unsigned most)
{
    return UINT64_C(1) << random_below(most + 1);
}

static void random_requests_count_as_in_a_slow_model(void **state)
{
    for (unsigned round = 0; round < 60; round++) {
        uint64_t const way[4] = {1 + random_below(6), 1 + random_below(6), 1 + random_below(6), 1 + random_below(6)};
        struct tlb_params params = plain_params();
        struct space *spaces[2];
        struct fault fault;

        params.l1d = (struct tlb_l1_params){any_power(4) * way[0], way[0], any_power(2) * way[1], way[1], 2, 2};
        params.l1i = (struct tlb_l1_params){any_power(3) * way[2], way[2], any_power(2) * way[1], way[1], 2, 2};
        params.l2 = (struct tlb_l2_params){random_below(4) ? any_power(5) * way[3] : 0, way[3], random_below(9)};
        params.caches = (struct walk_caches_params){random_below(3), random_below(4), random_below(8), 0};
        begin(&params, PLACEMENT_RANDOM, round % 3 == 0 ? HUGE_NEVER : round % 3 == 1 ? HUGE_THRESHOLD : HUGE_ALWAYS);
        model = (struct model){.l2 = params.l2.entries ? array_of(params.l2.entries, params.l2.assoc)
                                                       : array_of(0, 0)};
        model.l1[MMU_DATA][0] = array_of(params.l1d.entries, params.l1d.assoc);
        model.l1[MMU_DATA][1] = array_of(params.l1d.huge_entries, params.l1d.huge_assoc);
        model.l1[MMU_INST][0] = array_of(params.l1i.entries, params.l1i.assoc);
        model.l1[MMU_INST][1] = array_of(params.l1i.huge_entries, params.l1i.huge_assoc);
        model.caches[2] = array_of(params.caches.level2, params.caches.level2);
        model.caches[3] = array_of(params.caches.level3, params.caches.level3);
        model.caches[4] = array_of(params.caches.level4, params.caches.level4);

        static struct { unsigned space; uint64_t address; } asked[1500];

        for (unsigned s = 0; s < 2; s++)
            assert_non_null(spaces[s] = vm_memory_add_space(bench.memory, "process", false, &fault));
        for (unsigned i = 0; i < COUNT(asked); i++) {
            asked[i].space = (unsigned)random_below(2);
            asked[i].address = (random_below(4) << 38) + (random_below(3) << 30) + (random_below(5) << 21)
                               + random_below(random_below(2) ? 6 : 40) * PAGE + random_below(512) * 8;
        }
        for (unsigned s = 0; s < 2; s++) {
            for (unsigned i = 0; i < COUNT(asked); i++)
                if (asked[i].space == s)
                    assert_fine(space_touch(spaces[s], asked[i].address, 8));
            assert_fine(space_settle(spaces[s]));
        }
        for (unsigned i = 0; i < COUNT(asked); i++) {
            uint64_t const place = space_place(spaces[asked[i].space], asked[i].address);
            enum mmu_side_number const side = random_below(3) ? MMU_DATA : MMU_INST;
            bool const is_huge = vm_find(bench.memory, NULL, place).bytes == VM_HUGE_BYTES;

            ask(i * 200 * NS, side, place);
            model_access(side, asked[i].space + 1, asked[i].address, is_huge);
        }
        run();
        for (unsigned side = 0; side < MMU_SIDES; side++) {
            assert_int_equal(bench.mmu.sides[side].stats.hits, model.hits[side]);
            assert_int_equal(bench.mmu.sides[side].stats.misses, model.misses[side]);
        }
        assert_int_equal(bench.mmu.stats.l2_hits, model.l2_hits);
        assert_int_equal(bench.mmu.stats.walks, model.walks);
        assert_int_equal(bench.mmu.stats.huge_walks, model.huge_walks);
        assert_int_equal(bench.mmu.stats.walk_reads, model.reads);
        assert_int_equal(bench.reads, model.reads);
        end();
    }
}

/* Dense requests on small TLBs with caches that close: all come through, of each page and side in their order. */
static void dense_requests_all_come_through(void **state)
{
    for (unsigned round = 0; round < 200; round++) {
        struct tlb_params params = plain_params();
        uint64_t at_ps = 0;

        params.l1d = (struct tlb_l1_params){any_power(3), 1, 1, 1, 1 + random_below(3), 1 + random_below(3)};
        params.l1i = (struct tlb_l1_params){any_power(1), 1, 1, 1, 1 + random_below(2), 1 + random_below(3)};
        params.l2 = (struct tlb_l2_params){random_below(2) ? any_power(4) : 0, 1, random_below(8)};
        params.walker.outstanding = 1 + random_below(3);
        begin(&params, PLACEMENT_IDENTITY, HUGE_NEVER);
        close_caches((20 + random_below(300)) * NS, (330 + random_below(200)) * NS);
        for (unsigned i = 0; i < 600; i++) {
            ask(at_ps, random_below(3) ? MMU_DATA : MMU_INST, random_below(12) * PAGE + i * 8 % PAGE);
            at_ps += random_below(2) ? 0 : random_below(6) * NS / 2;
        }
        run();
        for (unsigned i = 0; i < bench.count; i++)
            for (unsigned k = i + 1; k < bench.count; k++)
                if (bench.asks[i].side == bench.asks[k].side
                    && bench.asks[i].address / PAGE == bench.asks[k].address / PAGE)
                    assert_true(bench.asks[i].sent_ps <= bench.asks[k].sent_ps);
        assert_int_equal(bench.mmu.sides[0].stats.accesses + bench.mmu.sides[1].stats.accesses, bench.count);
        assert_int_equal(bench.mmu.sides[0].miss_count + bench.mmu.sides[1].miss_count, 0);
        assert_int_equal(bench.mmu.walk_count, 0);
        end();
    }
}

/* ---- a host below (virtual-memory 5.6) */

/* Reads of two walks for pages beside each other. */
static void nested_walks(uint64_t nested, uint64_t level2, enum huge_pages huge, unsigned first, unsigned second)
{
    struct tlb_params params = plain_params();

    params.walker.nested = 1;
    params.caches.nested = nested;
    params.caches.level2 = level2;
    begin(&params, PLACEMENT_IDENTITY, huge);
    ask(0, MMU_DATA, 0x5008);
    ask(200 * NS, MMU_DATA, 0x6008);
    run();
    SENT_AT(0, 7 + first * 5);
    SENT_AT(1, 200 + (second > 0 ? 7 + second * 5 : 0));
    assert_int_equal(bench.reads, first + second);
    end();
}

/* "up to (4 + 1) * 4 + 4 = 24 reads, (3 + 1) * 3 + 3 = 15 with huge pages on both sides"; a guest page that the host
 * has translated costs nothing; the walk caches keep upper entries of both */
static void nested_walks_have_two_dimensions(void **state)
{
    nested_walks(0, 0, HUGE_NEVER, 24, 24);
    nested_walks(16, 0, HUGE_NEVER, 24, 4 + 4);
    nested_walks(16, 8, HUGE_NEVER, 4 + 4 + 3 * 1 + 4, 1 + 1);   /* the four tables lie in one region of 2 MiB */
    nested_walks(0, 0, HUGE_ALWAYS, 15, 0);
}

/* ---- prefetches */
static unsigned prefetches_taken;
static uint64_t prefetch_taken, prefetch_taken_ps;

static void take_prefetch(void *self, const struct request *request)
{
    (void)self;
    prefetches_taken++;
    prefetch_taken = request->address;
    prefetch_taken_ps = sim_now_ps(&bench.sim);
}

static bool want_prefetch(uint64_t address)
{
    struct request const request = {.address = address, .size_bytes = 64, .requestor = 7};

    return mmu_translate_prefetch(&bench.mmu, MMU_DATA, &request, 0x5008);
}

/* "A translation that the L1 TLB does not have is looked for like the core's, and fills the TLBs" */
static void a_prefetch_walks_and_fills_the_tlb(void **state)
{
    struct tlb_params const params = plain_params();

    begin(&params, PLACEMENT_IDENTITY, HUGE_NEVER);
    mmu_add_prefetches(&bench.mmu, (struct mmu_prefetches){take_prefetch, NULL, 7});
    prefetches_taken = 0;
    assert_int_equal(mmu_virtual_of(&bench.mmu, 0x5008), 0x5008);
    assert_true(want_prefetch(0x7040));
    assert_int_equal(prefetches_taken, 0);
    ask(40 * NS, MMU_DATA, 0x7ff8);
    run();
    assert_int_equal(prefetches_taken, 1);
    assert_int_equal(prefetch_taken, 0x7040);
    assert_int_equal(prefetch_taken_ps, (7 + 4 * 5) * NS);
    SENT_AT(0, 40);                      /* the core finds it */
    assert_int_equal(bench.reads, 4);
    assert_true(want_prefetch(0x7080));  /* in the same call */
    assert_int_equal(prefetches_taken, 2);
    end();
}

/* "two misses stay free for the core"; a page that is being looked for takes further prefetches; beyond what tables
 * reach there is no page */
static void prefetches_leave_room_for_the_core(void **state)
{
    struct tlb_params params = plain_params();

    params.l1d.mshrs = 4;
    begin(&params, PLACEMENT_IDENTITY, HUGE_NEVER);
    mmu_add_prefetches(&bench.mmu, (struct mmu_prefetches){take_prefetch, NULL, 7});
    prefetches_taken = 0;
    assert_true(want_prefetch(0x7000));
    assert_true(want_prefetch(0x8000));
    assert_false(want_prefetch(0x9000));
    assert_true(want_prefetch(0x8040));
    assert_true(want_prefetch(UINT64_C(1) << 48));
    ask(1 * NS, MMU_DATA, 0xa000);
    ask(1 * NS, MMU_DATA, 0xb000);
    run();
    assert_int_equal(prefetches_taken, 3);
    SENT_AT(0, 8 + 4 * 5);
    end();
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_miss_takes_a_walk_and_a_hit_no_time),
        cmocka_unit_test(the_l2_answers_at_a_clock_edge),
        cmocka_unit_test(misses_on_a_page_are_one_and_keep_their_order),
        cmocka_unit_test(walks_beyond_the_limit_wait),
        cmocka_unit_test(hits_pass_while_others_wait),
        cmocka_unit_test(walk_caches_spare_reads),
        cmocka_unit_test(both_sides_share_a_walk),
        cmocka_unit_test(without_room_requests_are_refused),
        cmocka_unit_test(refused_walk_reads_are_retried),
        cmocka_unit_test(huge_pages_take_three_reads_and_entries_of_their_own),
        cmocka_unit_test(without_an_l2_walks_begin_at_once),
        cmocka_unit_test(accesses_outside_pages_pass),
        cmocka_unit_test(statistics_restart),
        cmocka_unit_test(random_requests_count_as_in_a_slow_model),
        cmocka_unit_test(dense_requests_all_come_through),
        cmocka_unit_test(nested_walks_have_two_dimensions),
        cmocka_unit_test(walks_read_their_least), cmocka_unit_test(a_first_touch_waits),
        cmocka_unit_test(a_walk_takes_its_latency_for_each_entry),
        cmocka_unit_test(a_prefetch_walks_and_fills_the_tlb),
        cmocka_unit_test(prefetches_leave_room_for_the_core),
    };

    random_state = 20261124;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
