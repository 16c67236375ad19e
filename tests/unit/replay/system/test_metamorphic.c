/* Inclusion (Mattson et al., "Evaluation techniques for storage hierarchies", IBM Systems Journal 1970): with the
 * sequence of accesses fixed, an LRU cache with more ways and as many sets holds all that the smaller one holds, so it
 * hits wherever the smaller one hits. The sequences are what the L1D and the L2 see in replays of bundled traces. */
#include "replay/config/config.h"
#include "replay/config/system_config.h"
#include "replay/session/session_engine.h"
#include "replay/system/system.h"
#include "tests/support/unit.h"

#define MOST_ACCESSES 100000

struct access {
    uint64_t address;
    unsigned command;
};

/* What one cache was asked, in order. */
struct sequence {
    const char *senders;             /* components above the cache, as in the log, each between blanks */
    struct access accesses[MOST_ACCESSES];
    size_t count;
};

static struct sequence sequence;

static unsigned command_named(const char *name)
{
    unsigned command = 0;

    while (strcmp(command_table[command].name, name) != 0)
        command++;
    return command;
}

static void note_line(void *context, uint64_t tick_ps, const char *component, const char *what, const char *command,
                      uint64_t address, const char *details)
{
    struct sequence *const seen = context;
    char sender[40];

    (void)tick_ps;
    (void)details;
    snprintf(sender, sizeof sender, " %s ", component);
    if (strcmp(what, "send") != 0 || !strstr(seen->senders, sender))
        return;
    assert_in_range(seen->count, 0, MOST_ACCESSES - 1);
    seen->accesses[seen->count++] = (struct access){address, command_named(command)};
}

static void record(const char *senders, const char *trace)
{
    static const char settings[] = "l1d: {size: 1KiB}\nl1i: {size: 1KiB}\nl2: {size: 32KiB, assoc: 4}\n";
    struct fault error = {0};
    struct system_config config;
    struct system_traces traces = {.tick_scale = 1};
    struct reader_records reader_records;
    struct reader_fetches reader_fetches;
    struct dep_reader *records;
    struct packet_reader *fetches;
    struct system_engine const engine = engine_of(engine_fast(), true, false);
    struct system *system;
    struct fault fault;
    char path[256];

    sequence = (struct sequence){.senders = senders};
    config_defaults(&config);
    assert_string_equal(fault_text(config_load_text(&config, "test", settings, strlen(settings))), "");
    assert_string_equal(fault_text(config_finish(&config)), "");
    snprintf(path, sizeof path, "tests/traces/%s/deptrace.proto.gz", trace);
    records = dep_reader_open(path, &error);
    assert_non_null(records);
    snprintf(path, sizeof path, "tests/traces/%s/fetchtrace.proto.gz", trace);
    fetches = packet_reader_open(path, &error);
    assert_non_null(fetches);
    traces.records = record_source_of_reader(&reader_records, records, "deptrace");
    traces.records.window_records = dep_reader_header(records)->window_size;
    traces.fetches = fetch_source_of_reader(&reader_fetches, fetches, "fetchtrace");
    system = system_create(&config, &traces, NULL, &engine, &fault);
    assert_non_null(system);
    system->sim.log = (struct log_sink){note_line, &sequence};
    assert_int_equal(system_run(system, TICK_NEVER - 1, UINT64_MAX, 0), SYSTEM_FINISHED);
    system_destroy(system);
    reader_records_free(&reader_records);
    dep_reader_close(records);
    packet_reader_close(fetches);
    assert_in_range(sequence.count, 1000, MOST_ACCESSES);
}

/* ---- the cache alone: one access after the other, a memory that answers in the next tick */

struct alone {
    struct sim sim;
    struct cache cache;
    struct packet_queue memory;
    struct above answer_to;
};

static bool memory_request(void *self, struct packet *packet, unsigned port)
{
    struct alone *const alone = self;

    (void)port;
    if (packet_is(packet, ATTR_NEEDS_RESPONSE)) {
        packet_make_response(packet);
        packet_queue_push(&alone->memory, packet, sim_now_ps(&alone->sim));
    } else {
        packet_give(alone->sim.packets, packet);
    }
    return true;
}

static bool memory_answer(void *owner, struct packet *packet)
{
    struct alone *const alone = owner;

    return alone->answer_to.ops->recv_response(alone->answer_to.self, packet, alone->answer_to.port);
}

static bool take_answer(void *self, struct packet *packet, unsigned port)
{
    struct alone *const alone = self;

    (void)port;
    packet_give(alone->sim.packets, packet);
    return true;
}

static void no_retry(void *self, unsigned port)
{
    (void)self;
    (void)port;
    fail_msg("nothing is ever refused here");
}

static void no_snoop(void *self, struct packet *packet, unsigned port)
{
    (void)self;
    (void)packet;
    (void)port;
}

static bool no_snoop_response(void *self, struct packet *packet, unsigned port)
{
    (void)self;
    (void)packet;
    (void)port;
    fail_msg("nobody asks the cache");
    return false;
}

static uint64_t misses_of(const struct cache *cache)
{
    uint64_t misses = 0;

    for (unsigned command = 0; command < CMD_COUNT; command++)
        for (unsigned requestor = 0; requestor < cache->requestor_count; requestor++)
            misses += cache_command_stats(cache, command, requestor)->misses;
    return misses;
}

/* missed[i]: did access i miss? Returns how many did. */
static uint64_t replay_alone(const struct sequence *seen, uint64_t sets, uint64_t assoc, bool *missed)
{
    static const struct below_ops below_ops = {memory_request, no_retry, no_snoop_response};
    static const struct above_ops above_ops = {take_answer, no_retry, no_snoop, no_retry, NULL};
    struct cache_params const params = {.size_bytes = sets * assoc * 64, .assoc = assoc, .tag_latency_cyc = 1,
                                        .data_latency_cyc = 1, .response_latency_cyc = 1, .mshrs = 4,
                                        .targets_per_mshr = 4, .write_buffers = 8, .clock_ps = 500,
                                        .replacement = REPLACEMENT_LRU};
    struct alone alone = {0};
    struct below port;
    uint64_t misses = 0;

    sim_init(&alone.sim, 64);
    sim_add_requestor(&alone.sim, "cpu");
    assert_int_equal(cache_init(&alone.cache, &alone.sim, "cache", &params).kind, FAULT_NONE);
    assert_int_equal(cache_start(&alone.cache).kind, FAULT_NONE);
    assert_int_equal(packet_queue_init(&alone.memory, &alone.sim, memory_answer, &alone, false).kind, FAULT_NONE);
    alone.cache.above = (struct above){.ops = &above_ops, .self = &alone};
    alone.cache.below = (struct below){.ops = &below_ops, .self = &alone};
    alone.answer_to = cache_above_port(&alone.cache);
    port = cache_below_port(&alone.cache);
    for (size_t i = 0; i < seen->count; i++) {
        bool const is_line = (command_attributes(seen->accesses[i].command) & ATTR_FROM_CACHE) != 0;
        struct request const request = {.address = seen->accesses[i].address, .size_bytes = is_line ? 64 : 1,
                                        .requestor = is_line ? REQUESTOR_WRITEBACKS : 1};

        assert_true(port.ops->recv_request(port.self, packet_take(alone.sim.packets, &request,
                                                                  (enum command)seen->accesses[i].command), port.port));
        while (event_queue_step(&alone.sim.events, TICK_NEVER - 1))
            ;
        missed[i] = misses_of(&alone.cache) != misses;
        misses = misses_of(&alone.cache);
    }
    assert_int_equal(alone.sim.packets->outstanding, 0);
    cache_free(&alone.cache);
    packet_queue_free(&alone.memory);
    sim_free(&alone.sim);
    return misses;
}

static void more_ways_never_miss_more(const char *senders, const char *trace, uint64_t sets)
{
    bool *const small = calloc(MOST_ACCESSES, sizeof *small), *const large = calloc(MOST_ACCESSES, sizeof *large);
    uint64_t first, before;

    assert_non_null(small);
    assert_non_null(large);
    record(senders, trace);
    first = before = replay_alone(&sequence, sets, 1, small);
    for (uint64_t assoc = 2; assoc <= 32; assoc *= 2) {
        uint64_t const now = replay_alone(&sequence, sets, assoc, large);

        assert_in_range(now, 0, before);
        for (size_t i = 0; i < sequence.count; i++)
            if (large[i] && !small[i])
                fail_msg("%s: access %zu, %s 0x%llx, hits with %u ways and misses with %u", trace, i,
                         command_table[sequence.accesses[i].command].name,
                         (unsigned long long)sequence.accesses[i].address, (unsigned)assoc / 2, (unsigned)assoc);
        memcpy(small, large, MOST_ACCESSES * sizeof *small);
        before = now;
    }
    assert_true(before < first);                 /* the sequence tells sizes apart */
    free(small);
    free(large);
}

static void data_cache_sequences(void **state)
{
    more_ways_never_miss_more(" cpu.data ", "qsort", 4);
    more_ways_never_miss_more(" cpu.data ", "gups", 8);
}

static void second_level_sequences(void **state)
{
    more_ways_never_miss_more(" l1d  l1i ", "qsort", 4);
    more_ways_never_miss_more(" l1d  l1i ", "gups", 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(data_cache_sequences),
                                       cmocka_unit_test(second_level_sequences)};

    return cmocka_run_group_tests_name("metamorphic", tests, NULL, NULL);
}
