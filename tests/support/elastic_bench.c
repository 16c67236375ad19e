/* The ideal L1 owes a retry to whom it refused, and pays it 1 ps after an answer made room, as a cache does
 * (elastic-trace 2.2). */
#include "memsys/cache/cache_params.h"
#include "memsys/fast/bind_memory.h"
#include "replay/config/core_params.h"
#include "replay/fast/fast_core.h"
#include "replay/fast/memo.h"
#include "tests/support/elastic_bench.h"
#include "tests/support/unit.h"

enum { PERIOD_PS = 500 };

struct bench bench;

const struct bench_record bench_example_b[] = {
    {.seq = 1, .type = DEP_COMP, .delay = 1000},
    {.seq = 2, .type = DEP_LOAD, .order = {1}, .address = 0x40, .size = 8},
    {.seq = 3, .type = DEP_LOAD, .order = {1}, .address = 0x80, .size = 8},
    {.seq = 4, .type = DEP_COMP, .delay = 500, .registers = {2}},
    {.seq = 5, .type = DEP_COMP, .delay = 500, .registers = {3}},
    {.seq = 6, .type = DEP_COMP, .registers = {4}},
};

const struct bench_record bench_one_store[] = {
    {.seq = 1, .type = DEP_STORE, .delay = 1000, .address = 0x40, .size = 8}};

/* ---- the ideal L1 */

static void l1_answer(void *owner)
{
    struct bench_slot *const slot = owner;
    struct bench_l1 *const l1 = slot->l1;
    struct packet *const packet = slot->packet;

    slot->packet = NULL;
    packet_make_response(packet);
    l1->above.ops->recv_response(l1->above.self, packet, l1->above.port);
    l1->outstanding--;
    if (l1->owes_retry && !l1->retry.scheduled)
        event_schedule(&l1->sim->events, &l1->retry, sim_now_ps(l1->sim) + 1);
}

static void l1_retry(void *owner)
{
    struct bench_l1 *const l1 = owner;

    l1->owes_retry = false;
    l1->above.ops->recv_request_retry(l1->above.self, l1->above.port);
}

static bool l1_request(void *self, struct packet *packet, unsigned port)
{
    struct bench_l1 *const l1 = self;
    struct bench_slot *slot = l1->slots;

    (void)port;
    if (l1->outstanding >= l1->limit || l1->owes_retry) {
        l1->owes_retry = true;
        return false;
    }
    while (slot->packet)
        slot++;
    assert_true(slot < l1->slots + BENCH_SLOTS);
    slot->packet = packet;
    l1->outstanding++;
    l1->last_request = packet->request;
    l1->last_address = packet->address;
    if (l1->latency_ps != BENCH_NEVER)
        event_schedule(&l1->sim->events, &slot->event, sim_now_ps(l1->sim) + l1->latency_ps);
    return true;
}

static const struct below_ops l1_ops = {.recv_request = l1_request};

static struct below l1_init(struct bench_l1 *l1, struct sim *sim, struct above above)
{
    l1->sim = sim;
    l1->above = above;
    event_init(&l1->retry, l1_retry, l1, EVENT_DEFAULT);
    for (int i = 0; i < BENCH_SLOTS; i++) {
        l1->slots[i].l1 = l1;
        event_init(&l1->slots[i].event, l1_answer, &l1->slots[i], EVENT_DEFAULT);
    }
    return (struct below){.ops = &l1_ops, .self = l1};
}

static void l1_free(struct bench_l1 *l1)
{
    for (int i = 0; i < BENCH_SLOTS; i++)
        if (l1->slots[i].packet)
            packet_give(l1->sim->packets, l1->slots[i].packet);
}

/* ---- sources, log */

static uint32_t length(const uint64_t *deps)
{
    uint32_t count = 0;

    while (count < BENCH_DEPS && deps[count])
        count++;
    return count;
}

/* A record as its source gives it. */
struct given {
    struct store_lists lists;
    uint32_t record_distances[2 * BENCH_DEPS], edges[2 * BENCH_DEPS];
    uint64_t seq_distances[2 * BENCH_DEPS];
};

bool bench_is_linked, bench_is_fast;

static struct given last;                    /* the record given last */
static uint8_t given_links[2 * BENCH_DEPS * STORE_LINK_REACH * 2];

/* How many records before `record` the one of a number is, if there are links; else that is not known. */
static uint32_t distance_to(size_t record, uint64_t seq)
{
    for (size_t parent = record; bench_is_linked && parent-- > 0 && bench.records[parent].seq >= seq;)
        if (bench.records[parent].seq == seq)
            return (uint32_t)(record - parent);
    return 0;
}

static void add_dependences(struct given *to, size_t record, const uint64_t *deps, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        to->record_distances[first + i] = distance_to(record, deps[i]);
        to->seq_distances[first + i] = bench.records[record].seq - deps[i];
    }
}

static void make_lists(struct given *to, size_t number)
{
    const struct bench_record *const record = &bench.records[number];

    to->lists = (struct store_lists){
        .record_distance = to->record_distances, .seq_distance = to->seq_distances,
        .rob_dep_count = length(record->order), .reg_dep_count = length(record->registers)};
    add_dependences(to, number, record->order, 0, to->lists.rob_dep_count);
    add_dependences(to, number, record->registers, to->lists.rob_dep_count, to->lists.reg_dep_count);
    store_lists_complete(&to->lists, to->edges, bench.setup.records.known_reach_seq);
}

static bool depends_on(const struct bench_record *record, uint64_t seq)
{
    for (unsigned i = 0; i < BENCH_DEPS; i++)
        if (record->order[i] == seq || record->registers[i] == seq)
            return true;
    return false;
}

/* The links from a record to its children, as a store of one block has them. */
static void add_links(struct store_shape *shape, size_t number)
{
    bool are_early = false;
    uint32_t count = 0;

    for (size_t child = number + 1; child < bench.record_count && child - number <= STORE_LINK_REACH; child++) {
        struct given other;

        if (!depends_on(&bench.records[child], bench.records[number].seq))
            continue;
        make_lists(&other, child);
        for (uint32_t i = 0; i < other.lists.edge_count; i++) {
            bool const is_early
                = other.edges[i] & STORE_EDGE_ORDER && bench.records[child].type != DEP_STORE;
            uint32_t const link = store_link((uint32_t)(child - number), is_early);

            if (store_edge_distance(other.edges[i]) != child - number)
                continue;
            if (count < STORE_NEAR_LINKS)
                shape->links.near[count] = (uint16_t)link;
            bits_store16(given_links + 2 * (size_t)count++, (uint16_t)link);
            are_early |= is_early;
        }
    }
    shape->links.count = (uint8_t)count;
    if (count > STORE_NEAR_LINKS)
        store_set_link_list(&shape->links, given_links, count);
    if (are_early && shape->links.type == DEP_LOAD)
        shape->links.count |= STORE_HAS_EARLY_LINKS;
    shape->link_count = (uint8_t)last.lists.linked_count;
    if (last.lists.edge_count == last.lists.linked_count)
        shape->reach = last.lists.edge_count > 0 ? STORE_LINK_REACH : 0;
}

static enum source_result next_lists(void *self, const struct store_shape *shape, struct store_lists *out,
                                     struct fault *fault)
{
    (void)self, (void)shape, (void)fault;
    *out = last.lists;
    return SOURCE_RECORD;
}

static enum source_result next_record(void *self, struct record_batch *out, struct fault *fault)
{
    static struct store_shape shape;
    static struct store_record given_record;
    size_t const number = bench.records_given;
    const struct bench_record *record;
    uint64_t delay_unit;

    (void)self;
    if (number == bench.fault_at_record) {
        *fault = fault_make(FAULT_INPUT, "deptrace: damaged");
        return SOURCE_FAULT;
    }
    if (number == bench.record_count)
        return SOURCE_END;
    record = &bench.records[bench.records_given++];
    delay_unit = bench_is_linked && record->delay == 0 ? PERIOD_PS : record->delay;    /* 0: not known */
    shape = (struct store_shape){
        .links.type = (uint8_t)record->type, .size_bytes = record->size, .flags = record->flags,
        .weight = record->weight, .pc = 0x1000 + record->seq, .comp_delay = record->delay,
        .is_access = record->type == DEP_LOAD || record->type == DEP_STORE, .reach = UINT16_MAX};
    make_lists(&last, number);
    if (bench_is_linked)
        add_links(&shape, number);
    given_record = (struct store_record){.shape = &shape, .seq_num = record->seq, .p_addr = record->address};
    *out = (struct record_batch){.records = &given_record, .count = 1, .before = bench_is_linked ? (uint32_t)number : 0,
                                 .delay_unit = delay_unit};
    return SOURCE_RECORD;
}

int bench_link(void **state)
{
    bench_is_linked = true;
    return 0;
}

int bench_bind_fast(void **state)
{
    bench_is_fast = true;
    bench_is_linked = false;
    return 0;
}

int bench_bind_fast_link(void **state)
{
    return bench_bind_fast(state) + bench_link(state);
}

static enum source_result next_fetches(void *self, struct store_fetch_batch *out, struct fault *fault)
{
    static struct store_fetch_shape shapes[BENCH_FETCH_BATCH];
    static struct store_fetch given[BENCH_FETCH_BATCH];
    const struct packet_record *const fetches = bench.fetches + bench.fetches_given;
    size_t const left = bench.fetch_count - bench.fetches_given;
    size_t const count = left < BENCH_FETCH_BATCH ? left : BENCH_FETCH_BATCH;

    (void)self;
    (void)fault;
    if (left == 0)
        return SOURCE_END;
    for (size_t i = 0; i < count; i++) {
        shapes[i] = (struct store_fetch_shape){
            .addr = fetches[i].addr, .pc = fetches[i].pc, .cmd = fetches[i].cmd, .size_bytes = fetches[i].size_bytes,
            .flags = fetches[i].flags, .present = fetches[i].present};
        given[i] = (struct store_fetch){&shapes[i], fetches[i].tick};
    }
    *out = (struct store_fetch_batch){.fetches = given, .count = count, .shapes = shapes, .shape_count = count};
    bench.fetches_given += count;
    return SOURCE_RECORD;
}

static void note_line(void *context, uint64_t tick_ps, const char *component, const char *what, const char *command,
                      uint64_t address, const char *details)
{
    struct bench_line *const line = &bench.log[bench.log_count];

    (void)context;
    (void)details;
    if (bench.log_count == BENCH_LOG_LINES)
        return;
    bench.log_count++;
    line->tick = tick_ps;
    line->address = address;
    strncpy(line->component, component, sizeof line->component - 1);
    strncpy(line->what, what, sizeof line->what - 1);
    strncpy(line->command, command, sizeof line->command - 1);
}

static void note_finish(void *context, struct elastic_cpu *cpu)
{
    (void)context;
    bench.finished_calls++;
    bench.finished_ps = sim_now_ps(cpu->sim);
    event_queue_stop(&cpu->sim->events);
}

/* ---- the bench */

static const struct packet_record one_fetch[] = {
    {.tick = 1000, .cmd = 1, .addr = 0x100, .size_bytes = 16, .flags = 0x100}};

static void close_bench(void)
{
    if (!bench.cpu.sim)
        return;
    elastic_cpu_free(&bench.cpu);
    if (bench.cache_mshrs)
        cache_free(&bench.cache);
    l1_free(&bench.l1i);
    l1_free(&bench.l1d);
    assert_int_equal(bench.sim.packets->outstanding, 0);
    sim_free(&bench.sim);
}

int bench_tear_down(void **state)
{
    close_bench();
    memset(&bench, 0, sizeof bench);
    return 0;
}

void bench_prepare(uint64_t window, const struct bench_record *records, size_t count)
{
    close_bench();
    memset(&bench, 0, sizeof bench);
    bench.records = records;
    bench.record_count = count;
    bench.fetches = one_fetch;
    bench.fetch_count = 1;
    bench.fault_at_record = SIZE_MAX;
    bench.l1i.latency_ps = bench.l1d.latency_ps = 2000;
    bench.l1i.limit = bench.l1d.limit = BENCH_SLOTS;
    bench.params = (struct core_params){.rob = 40, .load_buffer = 16, .store_buffer = 16, .freq_multiplier = 1.0};
    bench.setup = (struct elastic_cpu_setup){
        .sim = &bench.sim, .name = "cpu", .period_ps = PERIOD_PS, .line_bytes = 64,
        .params = &bench.params,
        .records = {.batch = next_record, .lists = next_lists, .name = "deptrace", .window_records = window,
                    .known_reach_seq = bench_is_linked ? UINT64_MAX : 0},
        .fetches = {next_fetches, NULL, "fetchtrace"},
        .limits = {.memory_end = 1 << 20}};
}

/* Between the core and `below`, as the core sees it. */
static struct below put_cache(void)
{
    struct cache_params const params = {.size_bytes = 1 << 12, .assoc = 2, .tag_latency_cyc = 2, .data_latency_cyc = 2,
                                        .response_latency_cyc = 2, .mshrs = bench.cache_mshrs, .targets_per_mshr = 4,
                                        .write_buffers = 2, .clock_ps = PERIOD_PS};

    sim_add_requestor(&bench.sim, "cpu.data");
    assert_int_equal(cache_init(&bench.cache, &bench.sim, "l1d", &params).kind, FAULT_NONE);
    bench.cache.above = elastic_cpu_data_port(&bench.cpu);
    bench.cache.above.requestor = 1;
    bench.cpu.data_requestor = 1;
    bench.cache.below = l1_init(&bench.l1d, &bench.sim, cache_above_port(&bench.cache));
    if (!bench.needs_packets)
        accesses_bind_data(&bench.cpu, &bench.cache);
    assert_int_equal(cache_start(&bench.cache).kind, FAULT_NONE);
    if (!bench.needs_packets)
        cache_bind_fast(&bench.cache, &(struct engine_options){.hits = true, .fills = true});
    return cache_below_port(&bench.cache);
}

struct fault bench_start(void)
{
    struct fault fault;

    sim_init(&bench.sim, 64);
    bench.sim.log.line = note_line;
    assert_int_equal(event_queue_reserve(&bench.sim.events, 2 * BENCH_SLOTS + 2).kind, FAULT_NONE);
    fault = elastic_cpu_init(&bench.cpu, &bench.setup);
    if (fault.kind != FAULT_NONE)
        return fault;
    if (bench_is_fast || (bench.cache_mshrs && !bench.needs_packets))
        fault = fast_core_bind(&bench.cpu);
    if (fault.kind != FAULT_NONE)
        return fault;
    bench.cpu.icache = l1_init(&bench.l1i, &bench.sim, elastic_cpu_inst_port(&bench.cpu));
    bench.cpu.dcache = bench.cache_mshrs ? put_cache()
                                         : l1_init(&bench.l1d, &bench.sim, elastic_cpu_data_port(&bench.cpu));
    bench.cpu.finished = note_finish;
    return elastic_cpu_start(&bench.cpu);
}

void bench_run(void)
{
    struct fault const fault = bench_start();

    assert_string_equal(fault_text(fault), "");
    while (event_queue_step(&bench.sim.events, TICK_NEVER))
        ;
    elastic_cpu_sync(&bench.cpu);
}

void bench_run_to_the_end(void)
{
    bench_run();
    assert_string_equal(fault_text(bench.cpu.fault), "");
    assert_int_equal(bench.finished_calls, 1);
    assert_true(elastic_cpu_is_done(&bench.cpu));
    assert_int_equal(bench.cpu.stats.records, bench.record_count);
    assert_int_equal(cpi_stack_total(&bench.cpu.stats.cpi_stack), bench.cpu.stats.num_cycles);
}

uint64_t bench_tick_of(const char *what, uint64_t address, int n)
{
    for (size_t i = 0; i < bench.log_count; i++)
        if (strcmp(bench.log[i].component, "cpu.data") == 0 && strcmp(bench.log[i].what, what) == 0
            && bench.log[i].address == address && n-- == 0)
            return bench.log[i].tick;
    return UINT64_MAX;
}

void bench_expect_fetches(const uint64_t *ticks, size_t count)
{
    size_t found = 0;

    for (size_t i = 0; i < bench.log_count; i++) {
        if (strcmp(bench.log[i].component, "cpu.inst") != 0)
            continue;
        assert_in_range(found, 0, count - 1);
        assert_int_equal(bench.log[i].tick, ticks[found]);
        found++;
    }
    assert_int_equal(found, count);
}

