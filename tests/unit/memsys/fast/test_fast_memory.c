/* memsys/fast/bind_memory.h: random systems of two cores, caches, crossbars and a memory, asked the same random
 * requests with the fast paths hits, fills and buses bound singly, in pairs, all and none: "ticks and statistics are
 * those of packets". All answers of the data side, with their ticks, all statistics, and all lines of the event log
 * are compared with those of none. Once more without a log, since some steps are shorter then. */
#include "memsys/cache/cache_params.h"
#include "memsys/dram/memory_params.h"
#include "memsys/dram/simple_memory.h"
#include "memsys/fast/bind_memory.h"
#include "memsys/fast/cache_try.h"
#include "memsys/noc/noc_params.h"
#include "memsys/policy/policy_params.h"
#include "memsys/prefetch/prefetch_params.h"
#include "memsys/sim/sim_statistics.h"
#include "tests/support/random_numbers.h"
#include "tests/support/unit.h"

enum { CORES = 2, L1S = 2 * CORES, PERIOD = 500, LINES = 40, REQUESTS = 220, SYSTEMS = 60, MOST_LINES = 100000 };

enum { OPTION_HITS = 1, OPTION_FILLS = 2, OPTION_BUSES = 4, OPTION_SETS = 8 };

/* One side of a core: sends its requests in order, each not before its tick, and again when it was refused. */
struct side {
    struct below cache;
    struct event event;
    bool is_data, waits;
    requestor_id requestor;
    unsigned next;
    struct packet *refused;
    struct wish { uint64_t pause_ps; struct request request; enum command command; } wishes[REQUESTS];
};

struct outcome {
    uint64_t hash, log_lines, answers, tries, end_ps;
    char last[160];                      /* of the log */
};

static struct bench {
    struct sim sim;
    struct side sides[L1S];
    struct cache l1[L1S], l2;
    struct crossbar l2bus, membus;
    struct simple_memory memory;
    struct stats stats;
    struct outcome outcome;
} bench;

/* What makes a system and its requests, chosen once for all sets of options. */
static struct plan {
    struct cache_params l1[L1S], l2;
    struct prefetcher_params l1_prefetcher, l2_prefetcher;
    struct wish wishes[L1S][REQUESTS];
    bool has_command_path;
} plan;

static void note(const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        bench.outcome.hash = (bench.outcome.hash ^ ((const uint8_t *)bytes)[i]) * UINT64_C(1099511628211);
}

static void note_number(uint64_t number)
{
    note(&number, sizeof number);
}

static void note_line(void *context, uint64_t tick_ps, const char *component, const char *what, const char *command,
                      uint64_t address, const char *details)
{
    (void)context;
    (void)details;
    assert_true(bench.outcome.log_lines++ < MOST_LINES);
    snprintf(bench.outcome.last, sizeof bench.outcome.last, "%llu %s %s %s 0x%llx", (unsigned long long)tick_ps,
             component, what, command, (unsigned long long)address);
    note(bench.outcome.last, strlen(bench.outcome.last));
}

/* ---- cores */

static void answered(const struct side *side, uint64_t address, uint64_t sequence, unsigned response)
{
    bench.outcome.answers++;
    note_number(sim_now_ps(&bench.sim));
    note_number((uint64_t)(side - bench.sides));
    note_number(address);
    note_number(sequence << 8 | response);
}

static bool recv_response(void *self, struct packet *packet, unsigned port)
{
    const struct side *const side = self;

    (void)port;
    if (side->is_data)
        answered(side, packet->address, packet->request.sequence, packet->command);
    packet_give(bench.sim.packets, packet);
    return true;
}

static void recv_answer(void *self, uint64_t address, uint64_t token)
{
    answered(self, address, token >> 8, (unsigned)(token & 0xff));
}

static void describe(void *self, uint64_t token, struct request *request)
{
    const struct side *const side = self;

    *request = side->wishes[token >> 8].request;
}

static bool try_without_packet(const struct side *side, const struct wish *wish)
{
    struct cache *const cache = below_fast_cache(&side->cache);
    uint64_t const token = (uint64_t)side->next << 8 | command_table[wish->command].response;

    if (!cache || wish->request.flags != 0 || side->refused)
        return false;
    if (!side->is_data)
        return wish->command == CMD_ReadReq && cache_try_fetch(cache, wish->request.address);
    if (wish->command == CMD_WriteReq && wish->request.size_bytes < 64)
        return cache_try_write(cache, wish->request.address, token);
    return wish->command == CMD_ReadReq && cache_try_read(cache, wish->request.address, token);
}

static bool send_packet(struct side *side, const struct wish *wish)
{
    struct packet *const packet = side->refused ? side->refused
                                                : packet_take(bench.sim.packets, &wish->request, wish->command);

    side->refused = side->cache.ops->recv_request(side->cache.self, packet, side->cache.port) ? NULL : packet;
    return !side->refused;
}

static void send_next(void *owner)
{
    struct side *const side = owner;
    const struct wish *const wish = &side->wishes[side->next];

    if (try_without_packet(side, wish))
        bench.outcome.tries++;
    else if (!send_packet(side, wish))
        return;
    if (++side->next < REQUESTS)
        event_schedule(&bench.sim.events, &side->event, sim_now_ps(&bench.sim) + side->wishes[side->next].pause_ps);
}

static void recv_retry(void *self, unsigned port)
{
    struct side *const side = self;

    (void)port;
    if (side->refused)
        event_schedule(&bench.sim.events, &side->event, sim_now_ps(&bench.sim));
}

static void ignore_snoop(void *self, struct packet *packet, unsigned port)
{
    (void)self, (void)packet, (void)port;
}

static void no_retry(void *self, unsigned port)
{
    (void)self, (void)port;
    fail_msg("no retry was due");
}

static struct above side_above(struct side *side)
{
    static const struct above_ops ops = {recv_response, recv_retry, ignore_snoop, no_retry, NULL};
    static const struct above_fast data = {.recv_answer = recv_answer, .describe = describe, .ignores_snoops = true},
                                   fetch = {.ignores_responses = true};

    return (struct above){.ops = &ops, .self = side, .is_snooping = side->is_data, .requestor = side->requestor,
                          .fast = side->is_data ? &data : &fetch};
}

/* ---- plans */

static struct cache_params plan_cache(uint64_t lines)
{
    bool const is_usual = random_below(3) > 0;

    return (struct cache_params){
        .size_bytes = 64 * lines, .assoc = UINT64_C(1) << random_below(3), .clock_ps = PERIOD,
        .tag_latency_cyc = random_below(4), .data_latency_cyc = random_below(4),
        .response_latency_cyc = random_below(4),
        .sequential_access = random_below(2), .mshrs = 1 + random_below(4), .targets_per_mshr = 1 + random_below(4),
        .write_buffers = 1 + random_below(3), .demand_mshr_reserve = random_below(2),
        .writeback_clean = !is_usual && random_below(2), .clusivity = !is_usual && random_below(2),
        .write_allocator = !is_usual && random_below(2), .replacement = is_usual ? REPLACEMENT_LRU : random_below(3)};
}

static struct prefetcher_params plan_prefetcher(void)
{
    return (struct prefetcher_params){
        .type = random_below(4) ? PREFETCHER_NONE : 1 + random_below(PREFETCHER_COUNT - 1),
        .degree = 1 + random_below(4), .distance = random_below(3), .latency_cyc = random_below(4),
        .queue_size = 1 + random_below(16)};
}

static struct wish plan_wish(unsigned side, unsigned number)
{
    struct wish wish = {.pause_ps = random_below(4) ? random_below(3) * PERIOD : random_below(60) * PERIOD / 2};
    uint64_t const kind = side % 2 == 0 ? random_below(100) : 99;

    wish.request = (struct request){.address = 64 * random_below(LINES) + 8 * random_below(8), .size_bytes = 8,
                                    .sequence = number, .pc = 4 * random_below(8), .has_pc = true};
    if (side % 2 == 1)
        wish.request.address += 64 * LINES * random_below(2);
    wish.command = random_below(2) ? CMD_ReadReq : CMD_WriteReq;
    if (side % 2 == 1)
        wish.command = CMD_ReadReq;
    if (kind < 4) {                      /* a whole line */
        wish.request.address &= ~UINT64_C(63);
        wish.request.size_bytes = 64;
        wish.command = CMD_WriteReq;
    } else if (kind < 7) {
        wish.command = random_below(2) ? CMD_SoftPFReq : CMD_SoftPFExReq;
        wish.request.flags = wish.command == CMD_SoftPFReq ? REQUEST_PREFETCH : REQUEST_PREFETCH_EXCLUSIVE;
    } else if (kind < 9) {
        wish.command = CMD_SwapReq;
        wish.request.flags = REQUEST_SWAP;
    } else if (kind < 11) {
        wish.request.address += 64 * 4 * LINES;
        wish.request.flags = REQUEST_UNCACHEABLE;
    } else if (kind < 13) {
        wish.command = random_below(2) ? CMD_LoadLockedReq : CMD_StoreCondReq;
        wish.request.flags = REQUEST_LLSC;
    }
    return wish;
}

static void make_plan(uint64_t seed)
{
    random_state = seed;
    plan = (struct plan){0};
    for (unsigned i = 0; i < L1S; i++) {
        plan.l1[i] = plan_cache(UINT64_C(4) << random_below(2));
        plan.l1[i].read_only = i % 2 == 1;
        for (unsigned j = 0; j < REQUESTS; j++)
            plan.wishes[i][j] = plan_wish(i, j);
    }
    plan.l2 = plan_cache(UINT64_C(8) << random_below(3));
    plan.l2.mshrs += 2;
    plan.l1_prefetcher = plan_prefetcher();
    plan.l2_prefetcher = plan_prefetcher();
    plan.has_command_path = random_below(2);
    for (unsigned i = 0; i < L1S; i++)
        plan.l1[i].read_overwritten = random_below(2);
}

/* ---- systems */

static void must(struct fault fault)
{
    if (fault.kind != FAULT_NONE)
        fail_msg("%s", fault_text(fault));
}

static void connect(struct crossbar *bus, struct cache *cache, const char *name)
{
    cache->below = noc_below(&bus->noc, noc_connect_above(&bus->noc, cache_above_port(cache), name));
}

static void build(bool is_logged)
{
    static const char *const names[L1S] = {"cpu0.dcache", "cpu0.icache", "cpu1.dcache", "cpu1.icache"};
    static const struct noc_role role = {.coherent = true, .snoop_filter = true},
                                      coherency = {.coherent = true, .point_of_coherency = true, .snoop_filter = true,
                                                   .lookup_latency_cyc = 1};
    struct noc_params const bus = {.clock_ps = PERIOD, .width_bytes = 32, .frontend_latency_cyc = 1,
                                        .forward_latency_cyc = 1, .response_latency_cyc = 1,
                                        .snoop_response_latency_cyc = 1, .header_latency_cyc = 1,
                                        .command_path = plan.has_command_path};
    struct memory_params const memory = {.type = MEMORY_SIMPLE, .size_bytes = 1 << 20, .latency_ps = 30000,
                                         .bandwidth_bytes_per_s = UINT64_C(12800000000)};

    sim_init(&bench.sim, 64);
    bench.sim.log.line = is_logged ? note_line : NULL;
    must(event_queue_reserve(&bench.sim.events, L1S));
    must(crossbar_init(&bench.l2bus, &bench.sim, "tol2bus", &bus, &role, L1S, 1));
    must(crossbar_init(&bench.membus, &bench.sim, "membus", &bus, &coherency, 1, 1));
    for (unsigned i = 0; i < L1S; i++) {
        struct side *const side = &bench.sides[i];

        side->is_data = i % 2 == 0;
        side->requestor = sim_add_requestor(&bench.sim, names[i]);
        memcpy(side->wishes, plan.wishes[i], sizeof side->wishes);
        for (unsigned j = 0; j < REQUESTS; j++)
            side->wishes[j].request.requestor = side->requestor;
        event_init(&side->event, send_next, side, EVENT_DEFAULT);
        must(cache_init(&bench.l1[i], &bench.sim, names[i], &plan.l1[i]));
        if (side->is_data)
            must(cache_add_prefetcher(&bench.l1[i], &plan.l1_prefetcher));
        bench.l1[i].above = side_above(side);
        side->cache = cache_below_port(&bench.l1[i]);
        connect(&bench.l2bus, &bench.l1[i], names[i]);
    }
    must(cache_init(&bench.l2, &bench.sim, "l2", &plan.l2));
    must(cache_add_prefetcher(&bench.l2, &plan.l2_prefetcher));
    bench.l2.above = noc_above(&bench.l2bus.noc, noc_connect_below(
        &bench.l2bus.noc, cache_below_port(&bench.l2), "l2", NULL));
    connect(&bench.membus, &bench.l2, "l2");
    must(simple_memory_init(&bench.memory, &bench.sim, "memory", &memory));
    bench.memory.above = noc_above(&bench.membus.noc, noc_connect_below(
        &bench.membus.noc, simple_memory_port(&bench.memory), "memory", NULL));
    for (unsigned i = 0; i < L1S; i++)
        must(cache_start(&bench.l1[i]));
    must(cache_start(&bench.l2));
}

static void bind(unsigned set)
{
    struct engine_options const options = {.hits = (set & OPTION_HITS) != 0, .fills = (set & OPTION_FILLS) != 0,
                                           .buses = (set & OPTION_BUSES) != 0};

    assert_int_equal(noc_bind_fast(&bench.l2bus.noc, &options).kind, FAULT_NONE);
    assert_int_equal(noc_bind_fast(&bench.membus.noc, &options).kind, FAULT_NONE);
    for (unsigned i = 0; i < L1S; i++)
        cache_bind_fast(&bench.l1[i], &options);
    cache_bind_fast(&bench.l2, &options);
    for (unsigned i = 0; i < L1S; i++)
        bench.sides[i].cache.fast = cache_below_fast(&bench.l1[i]);
}

static void note_leaf(void *context, const struct stat_leaf *leaf)
{
    (void)context;
    note(leaf->name, strlen(leaf->name));
    note(&leaf->value, sizeof leaf->value);
}

static void note_stats(void)
{
    stats_init(&bench.stats);
    for (unsigned i = 0; i < L1S; i++)
        cache_add_stats(&bench.l1[i], &bench.stats);
    cache_add_stats(&bench.l2, &bench.stats);
    noc_crossbar.add_stats(&bench.l2bus.noc, &bench.stats);
    noc_crossbar.add_stats(&bench.membus.noc, &bench.stats);
    simple_memory_add_stats(&bench.memory, &bench.stats);
    must(stats_freeze(&bench.stats));
    stats_visit(&bench.stats, bench.outcome.end_ps, STATS_ALL, note_leaf, NULL);
    stats_free(&bench.stats);
}

static void take_down(void)
{
    for (unsigned i = 0; i < L1S; i++)
        cache_free(&bench.l1[i]);
    cache_free(&bench.l2);
    noc_end(&bench.l2bus.noc);
    noc_end(&bench.membus.noc);
    simple_memory_free(&bench.memory);
    assert_int_equal(bench.sim.packets->outstanding, 0);    /* every packet came back */
    sim_free(&bench.sim);
}

static struct outcome run(unsigned set, bool is_logged)
{
    memset(&bench, 0, sizeof bench);
    build(is_logged);
    bind(set);
    for (unsigned i = 0; i < L1S; i++)
        event_schedule(&bench.sim.events, &bench.sides[i].event, 1 + bench.sides[i].wishes[0].pause_ps);
    event_queue_run(&bench.sim.events, UINT64_C(1) << 40, UINT64_MAX);
    for (unsigned i = 0; i < L1S; i++)
        assert_int_equal(bench.sides[i].next, REQUESTS);
    bench.outcome.end_ps = UINT64_C(1) << 40;
    note_stats();
    take_down();
    return bench.outcome;
}

static void any_fast_paths_equal_the_plain_model(void **state)
{
    uint64_t tries = 0, answers = 0;

    for (uint64_t seed = 1; seed <= SYSTEMS; seed++) {
        make_plan(seed);
        for (unsigned is_logged = 0; is_logged < 2; is_logged++) {
            struct outcome const plain = run(0, is_logged);

            assert_int_equal(plain.tries, 0);
            answers += plain.answers;
            for (unsigned set = 1; set < OPTION_SETS; set++) {
                struct outcome const fast = run(set, is_logged);

                if (fast.hash != plain.hash)
                    fail_msg("seed %llu, fast paths %u, log %u: %llu answers, %llu lines; expected %llu, %llu",
                             (unsigned long long)seed, set, is_logged, (unsigned long long)fast.answers,
                             (unsigned long long)fast.log_lines, (unsigned long long)plain.answers,
                             (unsigned long long)plain.log_lines);
                tries += fast.tries;
            }
        }
    }
    assert_true(tries > SYSTEMS * REQUESTS);      /* or this compares nothing */
    assert_true(answers > SYSTEMS * REQUESTS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_fast_paths_equal_the_plain_model)};

    return cmocka_run_group_tests_name("fast paths of memory", tests, NULL, NULL);
}
