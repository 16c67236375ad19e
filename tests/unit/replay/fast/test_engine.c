/* Engines (memsys/sim/sim_engine.h, replay/session/session_engine.h): fast paths singly and in pairs, of random
 * systems and traces, against the plain engine: all statistics, the tick at which the run ends, and, where it is
 * written, the event log. Which fast paths a run does not use, and why. */
#include "replay/config/config.h"
#include "replay/config/system_config.h"
#include "replay/record/stats_json.h"
#include "replay/session/session_engine.h"
#include "replay/source/trace_pair.h"
#include "tests/support/random_numbers.h"
#include "tests/support/unit.h"

#define TRACES "tests/traces/training/"

enum { MOST_CORES = 3, SEEDS = 12, SEEDS_WITHOUT_TLB = 8 };

struct outcome {
    enum system_state state;
    uint64_t end_ps, log_lines, log_hash;
    struct engine_reasons unused;
    char *figures;
};

static uint64_t hash_text(uint64_t hash, const char *text)
{
    for (; text && *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return hash;
}

static void note_line(void *context, uint64_t tick_ps, const char *component, const char *what, const char *command,
                      uint64_t address, const char *details)
{
    struct outcome *const outcome = context;
    uint64_t hash = hash_text(outcome->log_hash ^ tick_ps, component);

    hash = hash_text(hash_text(hash, what), command);
    outcome->log_hash = hash_text((hash ^ address) * UINT64_C(0x9e3779b97f4a7c15), details);
    outcome->log_lines++;
}

struct one_run {
    const char *system;
    const char *const *paths;
    const char *engine;
    bool is_logged;
    uint64_t piece_ps;               /* not 0: it is stopped each time this number of picoseconds has passed */
};

static void load(struct system_config *config, const char *text)
{
    config_defaults(config);
    assert_string_equal(fault_text(config_load_text(config, "test", text, strlen(text))), "");
    assert_string_equal(fault_text(config_finish(config)), "");
}

static void run_to_the_end(struct system *system, const struct one_run *one, struct outcome *outcome)
{
    uint64_t until_ps = one->piece_ps;

    do {
        outcome->state = system_run(system, one->piece_ps ? until_ps : TICK_NEVER - 1, UINT64_MAX, 0);
        until_ps += one->piece_ps;
    } while (outcome->state == SYSTEM_RUNNING);
    if (outcome->state == SYSTEM_FAILED)
        fail_msg("%s: %s; of\n%s", one->engine, fault_text(system->fault), one->system);
}

static void write_figures(struct system *system, struct outcome *outcome)
{
    size_t length;
    FILE *const file = open_memstream(&outcome->figures, &length);

    assert_non_null(file);
    outcome->end_ps = system_now_ps(system);
    outcome->unused = system->engine.unused;
    stats_json_write(file, &system->stats, outcome->end_ps);
    assert_int_equal(fclose(file), 0);
}

static struct outcome run(const struct one_run *one)
{
    static struct system_config config;
    struct trace_pair pairs[MOST_CORES] = {0};
    struct trace_input inputs[MOST_CORES] = {0};
    struct system_traces traces[MOST_CORES] = {0};
    struct outcome outcome = {0};
    struct engine_options options;
    struct system_engine engine;
    struct system *system;
    struct fault fault;

    load(&config, one->system);
    for (unsigned i = 0; i < config.core_count; i++) {
        assert_true(WORKS(fault, trace_pair_find(&pairs[i], one->paths[i])));
        assert_true(WORKS(fault, trace_input_open(&inputs[i], &pairs[i], &traces[i].records, &traces[i].fetches)));
        traces[i].tick_scale = 1;
    }
    assert_string_equal(fault_text(engine_parse(one->engine, &options)), "");
    engine = engine_of(options, one->is_logged, one->piece_ps != 0);
    system = system_create(&config, traces, NULL, &engine, &fault);
    if (!system)
        fail_msg("%s", fault_text(fault));
    if (one->is_logged)
        system->sim.log = (struct log_sink){note_line, &outcome};
    assert_int_equal(system_add_stats(system).kind, FAULT_NONE);
    run_to_the_end(system, one, &outcome);
    write_figures(system, &outcome);
    system_destroy(system);
    for (unsigned i = 0; i < config.core_count; i++) {
        trace_input_close(&inputs[i]);
        trace_pair_close(&pairs[i]);
    }
    return outcome;
}

static void expect_same(const struct one_run *one, const struct outcome *plain)
{
    struct outcome const fast = run(one);

    if (fast.end_ps != plain->end_ps || strcmp(fast.figures, plain->figures) != 0
        || (one->is_logged && (fast.log_lines != plain->log_lines || fast.log_hash != plain->log_hash)))
        fail_msg("%s to %llu, plain to %llu; log %llu lines, %llu, hashes %s; figures %s; of\n%s", one->engine,
                 (unsigned long long)fast.end_ps, (unsigned long long)plain->end_ps,
                 (unsigned long long)fast.log_lines, (unsigned long long)plain->log_lines,
                 fast.log_hash == plain->log_hash ? "equal" : "differ",
                 strcmp(fast.figures, plain->figures) == 0 ? "equal" : "differ", one->system);
    free(fast.figures);
}

/* ---- random systems */

static const char *choose(const char *const *texts, unsigned count)
{
    return texts[random_below(count)];
}
#define CHOOSE(...)                                                                                                    \
    choose((const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static size_t write_cache(char *text, size_t size, const char *name, const char *bytes, const char *more)
{
    return (size_t)snprintf(text, size, "%s: {size: %s, assoc: %s, tag_latency: %s, data_latency: %s, mshrs: %s, "
                            "targets_per_mshr: %s, write_buffers: %s, replacement: %s%s%s}\n", name, bytes,
                            CHOOSE("2", "4"), CHOOSE("1", "4"), CHOOSE("1", "4", "20"), CHOOSE("1", "4", "20"),
                            CHOOSE("1", "2", "20"), CHOOSE("1", "8"), CHOOSE("lru", "lru", "lru", "lru", "fifo"),
                            CHOOSE("", "", "", ", prefetcher: stride", ", write_allocator: yes"), more);
}

static const char *any_tlb(void)
{
    return CHOOSE(", tlb: {l1d: {entries: 4, mshrs: 1}, l2: none, walker: {at: l1d, outstanding: 1}}",
                  ", tlb: {l1d: {entries: 4}, l1i: {entries: 8}, l2: {entries: 24}, walker: {at: l2, caches: none}}",
                  ", tlb: {l1d: {entries: 8, targets_per_mshr: 1}, walker: {outstanding: 2, caches: {level2: 1}}}");
}

/* tlb: more keys of cpu */
static void write_system(char *text, size_t size, const char *tlb)
{
    unsigned const cores = 1 + (unsigned)random_below(MOST_CORES);
    bool const is_own = random_below(2);
    size_t used = (size_t)snprintf(text, size, "cores: %u\nsystem_clock: %s\n"
                                   "cpu: {rob: %s, load_buffer: %s, store_buffer: %s, offset_step: 512MiB%s}\n"
                                   "memory_bus: {width: %s}\n", cores, CHOOSE("1GHz", "1.3GHz"),
                                   CHOOSE("16", "40", "192"), CHOOSE("2", "32"), CHOOSE("2", "32"),
                                   tlb, CHOOSE("8B", "16B"));

    used += write_cache(text + used, size - used, "l1i", CHOOSE("1KiB", "32KiB"), "");
    used += write_cache(text + used, size - used, "l1d", CHOOSE("1KiB", "4KiB", "32KiB"), "");
    if (random_below(3) > 0)
        used += write_cache(text + used, size - used, "l2", CHOOSE("8KiB", "12KiB", "256KiB"),
                            is_own ? ", private: yes" : CHOOSE("", ", clusivity: mostly_excl"));
    if (!is_own || random_below(2)) {
        snprintf(text + used, size - used, "memory: {%s, size: 2GiB}\n",
                 CHOOSE("device: DDR4_2400_8x8", "device: DDR3_1600_8x8", "type: simple"));
        return;
    }
    used += (size_t)snprintf(text + used, size - used, "memories:\n");
    for (unsigned i = 0; i < cores; i++)
        used += (size_t)snprintf(text + used, size - used, "  - {device: DDR4_2400_8x8, base: %uMiB, size: 512MiB}\n",
                                 512 * i);
}

/* All, each alone, and each two: from neither, and from all without them. */
static void expect_all_engines(const struct one_run *plain_run)
{
#define NAME(name, help) #name,
    static const char *const paths[] = {ENGINE_FAST_PATHS(NAME)};
#undef NAME
    size_t const count = sizeof paths / sizeof *paths;
    struct one_run one = *plain_run;
    struct outcome plain;
    char name[80];

    one.engine = "plain";
    plain = run(&one);
    one.engine = "fast";
    expect_same(&one, &plain);
    one.engine = name;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j <= i; j++) {
            snprintf(name, sizeof name, i == j ? "plain+%s" : "plain+%s+%s", paths[i], paths[j]);
            expect_same(&one, &plain);
            if (random_below(3) > 0)
                continue;
            snprintf(name, sizeof name, i == j ? "fast-%s" : "fast-%s-%s", paths[i], paths[j]);
            expect_same(&one, &plain);
        }
    free(plain.figures);
}

static void no_fast_path_changes_anything(void **state)
{
    static const char *const programs[] = {TRACES "hashjoin.pack", TRACES "matmul.pack", TRACES "memops.pack",
                                           TRACES "nbody.pack", TRACES "spmv.pack"};

    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        const char *paths[MOST_CORES];
        char text[4096];

        random_state = seed;
        write_system(text, sizeof text, seed > SEEDS_WITHOUT_TLB ? any_tlb() : "");
        for (unsigned i = 0; i < MOST_CORES; i++)
            paths[i] = programs[random_below(sizeof programs / sizeof *programs)];
        expect_all_engines(&(struct one_run){.system = text, .paths = paths, .is_logged = seed % 3 == 0,
                                             .piece_ps = seed % 5 == 0 ? 1000000 : 0});
    }
}

/* ---- unused values */

#define CORES(count) "cores: " #count "\ncpu: {offset_step: 512MiB}\nl2: {private: yes}\nmemory: {size: 2GiB}\n"

static struct engine_reasons unused_of(const char *text, const char *engine, bool is_logged)
{
    static const char *const paths[] = {TRACES "nbody.pack", TRACES "spmv.pack", TRACES "matmul.pack"};
    struct outcome const outcome
        = run(&(struct one_run){.system = text, .paths = paths, .engine = engine, .is_logged = is_logged});

    free(outcome.figures);
    return outcome.unused;
}

static void a_run_lists_unused_settings(void **state)
{
    struct engine_reasons unused;

    unused = unused_of(CORES(1), "fast", false);
    assert_null(unused.hits);
    assert_null(unused.memo);
    assert_string_equal(unused.lookahead, "there is one core");
    unused = unused_of(CORES(1), "fast", true);
    assert_null(unused.hits);
    assert_string_equal(unused.memo, "the event log shows each event, in the order of one queue");
    unused = unused_of(CORES(1), "fast-hits", false);
    assert_string_equal(unused.memo, "it needs the fast path hits");
    unused = unused_of(CORES(2), "fast", false);
    assert_null(unused.lookahead);
    assert_string_equal(unused.domains, "cores share a memory");
    assert_string_equal(unused.memo, "others drive the memory system, too");
    unused = unused_of(CORES(2), "plain", true);
    assert_memory_equal(&unused, &(struct engine_reasons){0}, sizeof unused);
    unused = unused_of("cpu: {tlb: yes}\n", "fast", false);
    assert_string_equal(unused.hits, "a TLB stands between core and caches");
    assert_string_equal(unused.memo, "a TLB stands between core and caches");
    assert_null(unused.buses);
    unused = unused_of("cores: 2\ncpu: {tlb: yes, offset_step: 512MiB}\nl2: {private: yes}\nmemory: {size: 2GiB}\n",
                       "fast", false);
    assert_string_equal(unused.lookahead, "a TLB stands between core and caches");
    unused = unused_of(CORES(2) "l1d: {replacement: fifo}\n", "plain+hits", false);
    assert_string_equal(unused.hits, "an L1 has a prefetcher, or another replacement than lru");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_fast_path_changes_anything),
        cmocka_unit_test(a_run_lists_unused_settings),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
