/* Engines on random systems of several cores, detailed ones and ones that replay elastic traces through the window,
 * with a GPU beside some: shared and private L2s, an L3, a memory-side cache, TLBs, prefetchers, clusivities, clocks;
 * whole runs, and ones with a warm-up, an end at any tick, blocks of statistics, a recording, or a user who ends them.
 * All statistics, all blocks, every byte of the recording and the tick of the end of the fast engine against the plain
 * one. What differs is asked for again with single fast paths, so that the message names the guilty one.
 *
 * SYSTEMS=5000 tries 5,000 instead of 300, SEED=7 begins with another one. */
#include <sys/stat.h>
#include <unistd.h>

#include "proto/elastic/elastic_input.h"
#include "replay/config/config.h"
#include "replay/config/system_config.h"
#include "replay/record/stats_json.h"
#include "replay/session/session.h"
#include "tests/support/random_numbers.h"
#include "tests/support/unit.h"

#if defined __SANITIZE_ADDRESS__
enum { SYSTEMS = 60 };
#else
enum { SYSTEMS = 300 };
#endif
enum { MOST_CORES = 5, RECORDS = 1200, SYSTEM_TEXT = 8192, POLLS_A_RUN = 5 };

static char folder[] = "/tmp/rubato-cores-XXXXXX";

/* One run: all that a seed chooses. */
struct trial {
    char text[SYSTEM_TEXT];
    const char *paths[MOST_CORES + 1];
    size_t path_count;
    struct session_limits limits;
    uint64_t interval_ps, sample_ps;
    unsigned polls;                      /* until the user ends it; 0: he does not */
    bool samples_requests;
    bool ends_warm;                      /* at most two cycles or so behind the warm-up, or in the tick of its end */
};

struct outcome {
    uint64_t end_ps;
    bool was_interrupted;
    char *figures;                       /* the blocks, then the final statistics */
    size_t length;
    char *recording;
    size_t recorded;
    struct fault fault;
};

/* ---- what a seed chooses */
static const char *choose(const char *const *texts, unsigned count)
{
    return texts[random_below(count)];
}
#define CHOOSE(...)                                                                                                    \
    choose((const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static size_t write_cache(char *text, const char *name, const char *bytes, const char *more)
{
    return (size_t)snprintf(text, SYSTEM_TEXT / 8,
                            "%s: {size: %s, assoc: %s, tag_latency: %s, data_latency: %s, sequential_access: %s, "
                            "mshrs: %s, targets_per_mshr: %s, write_buffers: %s, replacement: %s%s%s}\n", name, bytes,
                            CHOOSE("2", "4"), CHOOSE("1", "2", "4"), CHOOSE("1", "2", "9"), CHOOSE("no", "yes"),
                            CHOOSE("1", "2", "6", "20"), CHOOSE("1", "8"), CHOOSE("1", "8"),
                            CHOOSE("lru", "lru", "lru", "fifo", "tree_plru", "random"),
                            CHOOSE("", "", "", ", prefetcher: stride", ", prefetcher: tagged",
                                   ", write_allocator: yes"), more);
}

static size_t write_gpu(char *text)
{
    return (size_t)snprintf(text, SYSTEM_TEXT / 4,
                            "gpu:\n  sms: %s\n  core_clock: %s\n  icnt_clock: %s\n  l2_clock: 1GHz\n"
                            "  launch_latency: %s\n  memory: shared\n  memory_base: 4GiB\n"
                            "  sm: {schedulers: 4, max_threads: 1024, max_blocks: 16, registers: 65536, "
                            "shared: 64KiB}\n"
                            "  l1: {sets: 4, ways: 64, write: write_through, write_miss: lazy_fetch, latency: %s}\n"
                            "  l2: {sets: 128, ways: 16, write: write_back, write_miss: lazy_fetch, mshrs: 192, "
                            "merges: 4, channels: 4, slices: 2}\n", CHOOSE("1", "2", "8"), CHOOSE("1GHz", "2GHz"),
                            CHOOSE("1GHz", "1.5GHz"), CHOOSE("0", "100", "2000"), CHOOSE("10", "30"));
}

static void write_system(char *text, unsigned cores, bool is_window, bool has_gpu)
{
    bool const has_l2 = random_below(4) > 0, is_private = random_below(2);
    size_t used = (size_t)snprintf(
        text, SYSTEM_TEXT, "cores: %u\ncpu_clock: %s\nsystem_clock: %s\nexit_first_core: %s\ncpu:\n  model: %s\n"
        "  numROBEntries: %s\n  numIQEntries: %s\n  LQEntries: %s\n  SQEntries: %s\n  issueWidth: %s\n"
        "  commitWidth: %s\n  fetchToDecodeDelay: %s\n  idealFetch: %s\n  offset_step: %s\n%s%s", cores,
        CHOOSE("2GHz", "1GHz", "1.7GHz", "3GHz"), CHOOSE("1GHz", "1.3GHz", "2GHz"), CHOOSE("no", "no", "no", "yes"),
        is_window ? "window" : "detailed", CHOOSE("16", "64", "192"), CHOOSE("8", "64"), CHOOSE("4", "32"),
        CHOOSE("4", "32"), CHOOSE("2", "8"), CHOOSE("1", "4", "8"), CHOOSE("1", "5"), CHOOSE("no", "no", "yes"),
        CHOOSE("512MiB", "512MiB", "0"),
        CHOOSE("  wrongPath: no\n", "  wrongPath: yes\n", "  branchPred: {type: tage_sc_l}\n",
               "  branchPred: {type: perfect}\n"),
        CHOOSE("", "", "", "  tlb: {l1d: {entries: 4, mshrs: 1}, l2: none, walker: {at: l1d, outstanding: 1}}\n",
               "  tlb: {l1d: {entries: 8}, l1i: {entries: 8}, l2: {entries: 24}, walker: {at: l1d}}\n"));

    used += (size_t)snprintf(text + used, SYSTEM_TEXT - used, "  share: yes\npages: {elastic: physical}\n"
                             "cache_bus: {width: %s}\nmemory_bus: {width: %s, forward_latency: %s}\n",
                             CHOOSE("8B", "32B"), CHOOSE("8B", "16B"), CHOOSE("0", "1", "4"));
    used += write_cache(text + used, "l1i", CHOOSE("1KiB", "32KiB"), "");
    used += write_cache(text + used, "l1d", CHOOSE("1KiB", "4KiB", "32KiB"), "");
    if (has_l2)
        used += write_cache(text + used, "l2", CHOOSE("8KiB", "64KiB", "256KiB"),
                            is_private ? CHOOSE(", private: yes", ", private: yes, clusivity: mostly_excl")
                                       : CHOOSE("", ", clusivity: mostly_excl"));
    if (has_l2 && random_below(2))
        used += write_cache(text + used, "l3", CHOOSE("32KiB", "1MiB"), CHOOSE("", ", clusivity: mostly_excl"));
    if (random_below(6) == 0)
        used += write_cache(text + used, "memory_cache", "512KiB", "");
    used += (size_t)snprintf(text + used, SYSTEM_TEXT - used, "memory: {%s, size: 8GiB, channels: %s}\n",
                             CHOOSE("device: DDR4_2400_8x8", "device: DDR3_1600_8x8", "device: DDR5_4400_4x8"),
                             CHOOSE("1", "2"));
    if (has_gpu)
        write_gpu(text + used);
}

static char elastic_paths[3][64];

static void any_trial(struct trial *trial)
{
    bool const is_window = random_below(2), has_gpu = random_below(6) == 0;
    unsigned const cores = 2 + (unsigned)random_below(MOST_CORES - 1);
    uint64_t const some_ps = 1 + random_below(4000000);

    *trial = (struct trial){.limits = session_no_limits()};
    write_system(trial->text, cores, is_window, has_gpu);
    for (unsigned i = 0; i < cores; i++)
        trial->paths[trial->path_count++] = is_window ? elastic_paths[random_below(3)]
            : CHOOSE("tests/traces/detailed/sort.rbt", "tests/traces/detailed/hash.rbt",
                     "tests/traces/detailed/chase.rbt", "tests/traces/detailed/matrix.rbt",
                     "tests/traces/field/filter_x86.rbt", "tests/traces/field/calls_x86.champsim.xz");
    if (has_gpu)
        trial->paths[trial->path_count++] = "tests/traces/gpu/volta-bfs-2blocks";
    trial->limits.max_records = RECORDS / 2 + random_below(RECORDS);
    if (random_below(4) == 0)
        trial->limits.warmup_records = 1 + random_below(trial->limits.max_records);
    else if (random_below(3) == 0 || has_gpu)
        trial->limits.until_ps = random_below(2) ? some_ps : some_ps / 1000 * 1000;
    trial->ends_warm = trial->limits.warmup_records && random_below(2);
    if (random_below(4) == 0)
        trial->interval_ps = 1000 * (1 + random_below(3000));
    if (random_below(4) == 0)
        trial->sample_ps = 1000 + random_below(300000);
    trial->samples_requests = random_below(2);
    if (random_below(5) == 0)
        trial->polls = 1 + (unsigned)random_below(POLLS_A_RUN);
}

/* ---- a run */
struct run {
    FILE *figures;
    unsigned polls_left;
    bool is_counted;
};

static void block(void *context, const struct stats *stats, uint64_t now_ps)
{
    stats_json_write(((struct run *)context)->figures, stats, now_ps);
}

static bool is_interrupted(void *context)
{
    struct run *const run = context;

    return run->is_counted && --run->polls_left == 0;
}

static struct outcome run(const struct trial *trial, const char *engine)
{
    static struct system_config config;
    struct outcome outcome = {.fault = fault_none()};
    struct run run = {.figures = open_memstream(&outcome.figures, &outcome.length), .polls_left = trial->polls,
                      .is_counted = trial->polls > 0};
    FILE *const recording = open_memstream(&outcome.recording, &outcome.recorded);
    struct session_samples const samples = {.record = trial->sample_ps ? recording : NULL, .record_name = "recording",
                                            .interval_ps = trial->sample_ps,
                                            .has_requests = trial->samples_requests};
    struct session_outputs const outputs = {.block = block, .is_interrupted = is_interrupted, .context = &run,
                                            .samples = &samples};
    struct session_request request = {.config = &config, .limits = trial->limits, .has_stats = true,
                                      .interval_ps = trial->interval_ps, .has_samples = trial->sample_ps != 0,
                                      .has_log = trial->sample_ps && trial->samples_requests};
    struct workload workload;
    struct session *session;

    assert_true(run.figures && recording);
    config_defaults(&config);
    assert_fine(config_load_text(&config, "test", trial->text, strlen(trial->text)));
    assert_fine(config_finish(&config));
    assert_fine(workload_find(&workload, "cores", (const char *const *)trial->paths, trial->path_count, NULL));
    assert_fine(engine_parse(engine, &request.engine));
    request.workload = &workload;
    outcome.fault = session_open(&session, &request);
    if (outcome.fault.kind == FAULT_NONE)
        outcome.fault = session_run(session, &outputs);
    if (outcome.fault.kind == FAULT_NONE) {
        outcome.end_ps = session_result(session)->end_ps;
        outcome.was_interrupted = session_result(session)->is_interrupted;
    }
    session_close(session);
    workload_close(&workload);
    fclose(run.figures);
    fclose(recording);
    return outcome;
}

static void free_outcome(struct outcome *outcome)
{
    free(outcome->figures);
    free(outcome->recording);
}

static bool is_same(const struct outcome *first, const struct outcome *second)
{
    return first->end_ps == second->end_ps && strcmp(fault_text(first->fault), fault_text(second->fault)) == 0
        && strcmp(first->figures, second->figures) == 0 && first->recorded == second->recorded
        && memcmp(first->recording, second->recording, first->recorded) == 0;
}

/* ---- what differs */
static void show_difference(const char *engine, const struct outcome *plain, const struct outcome *other)
{
    const char *one = plain->figures, *two = other->figures;

    printf("  %s: to %llu, plain to %llu; recordings of %zu and %zu bytes%s%s%s\n", engine,
           (unsigned long long)other->end_ps, (unsigned long long)plain->end_ps, other->recorded, plain->recorded,
           strcmp(fault_text(plain->fault), fault_text(other->fault)) ? "; " : "", fault_text(plain->fault),
           fault_text(other->fault));
    while (*one && *one == *two)
        one++, two++;
    if (!*one && !*two)
        return;
    while (one > plain->figures && one[-1] != '\n')
        one--, two--;
    printf("    plain %.*s\n    here  %.*s\n", (int)strcspn(one, "\n"), one, (int)strcspn(two, "\n"), two);
}

static void find_guilty(const struct trial *trial, const struct outcome *plain)
{
#define NAMES(name, help) "plain+" #name, "fast-" #name,
    static const char *const engines[] = {"fast", ENGINE_FAST_PATHS(NAMES)};
#undef NAMES

    for (size_t i = 0; i < COUNT(engines); i++) {
        struct outcome other = run(trial, engines[i]);

        if (!is_same(plain, &other))
            show_difference(engines[i], plain, &other);
        free_outcome(&other);
    }
    for (size_t i = 0; i < trial->path_count; i++)
        printf("  %s\n", trial->paths[i]);
    printf("  max %llu, warm-up %llu, until %llu, interval %llu, samples %llu%s, interrupt %u\n%s\n",
           (unsigned long long)trial->limits.max_records, (unsigned long long)trial->limits.warmup_records,
           (unsigned long long)trial->limits.until_ps, (unsigned long long)trial->interval_ps,
           (unsigned long long)trial->sample_ps, trial->samples_requests ? " with requests" : "", trial->polls,
           trial->text);
}

/* A run that a user ended at some tick is one that was to end at that tick, whichever engine it had. */
static bool is_cut(struct trial *trial)
{
    struct outcome fast = run(trial, "fast"), plain;
    bool is_right;

    if (fast.was_interrupted)
        trial->limits.until_ps = fast.end_ps;
    trial->polls = 0;
    plain = run(trial, "plain");
    /* of a warm-up that is not over there are no figures; a run that was to end there is refused */
    is_right = !fast.was_interrupted || plain.fault.kind != FAULT_NONE || fast.end_ps == plain.end_ps;
    free_outcome(&fast);
    free_outcome(&plain);
    return is_right;
}

static void end_warm(struct trial *trial)
{
    struct session_limits const limits = trial->limits;
    struct outcome warm;

    trial->limits.max_records = limits.warmup_records;
    trial->limits.warmup_records = 0;
    warm = run(trial, "plain");
    trial->limits = limits;
    trial->limits.until_ps = warm.end_ps + 500 * random_below(4);
    free_outcome(&warm);
}

static unsigned tally_of_faults;

static bool is_equal(uint64_t seed)
{
    static struct trial trial;
    struct outcome plain, fast;
    bool is_right = true;

    random_state = seed * 7919;
    random_bits();
    any_trial(&trial);
    if (trial.ends_warm)
        end_warm(&trial);
    if (trial.polls)
        is_right = is_cut(&trial);
    plain = run(&trial, "plain");
    fast = run(&trial, "fast");
    if (!is_right || !is_same(&plain, &fast)) {
        printf("seed %llu:\n", (unsigned long long)seed);
        find_guilty(&trial, &plain);
        is_right = false;
    }
    if (plain.fault.kind != FAULT_NONE) {
        tally_of_faults++;
        if (getenv("SHOW"))
            printf("seed %llu: %s\n%s", (unsigned long long)seed, fault_text(plain.fault), trial.text);
    }
    free_outcome(&plain);
    free_outcome(&fast);
    return is_right;
}

static void several_cores_are_the_same(void **state)
{
    const char *const wanted = getenv("SYSTEMS"), *const first_seed = getenv("SEED");
    uint64_t const count = wanted ? strtoull(wanted, NULL, 10) : SYSTEMS;
    uint64_t const first = first_seed ? strtoull(first_seed, NULL, 10) : 1;
    unsigned differing = 0;

    for (uint64_t seed = first; seed < first + count; seed++)
        differing += !is_equal(seed);
    printf("%llu systems, %u refused, %u differ\n", (unsigned long long)count, tally_of_faults, differing);
    assert_int_equal(differing, 0);
    assert_true(tally_of_faults <= count / 20 + 1);
}

/* ---- short elastic traces */
static int set_up(void **state)
{
    static const char *const traces[] = {"qsort", "gups", "triad"};
    static const char *const files[] = {"deptrace.proto.gz", "fetchtrace.proto.gz"};

    if (!mkdtemp(folder))
        return 1;
    for (unsigned i = 0; i < COUNT(traces); i++) {
        char in[2][96], out[2][96];
        struct cut_request const request = {.dep_in = in[0], .fetch_in = in[1], .dep_out = out[0],
                                            .fetch_out = out[1], .behind = 3 * RECORDS};
        struct cut_result result;
        struct fault error;

        snprintf(elastic_paths[i], sizeof elastic_paths[i], "%s/%s", folder, traces[i]);
        if (mkdir(elastic_paths[i], 0700) != 0)
            return 1;
        for (int file = 0; file < 2; file++) {
            snprintf(in[file], sizeof in[file], "tests/traces/%s/%s", traces[i], files[file]);
            snprintf(out[file], sizeof out[file], "%s/%s/%s", folder, traces[i], files[file]);
        }
        if (FAILS(error, cut_traces(&request, &result)))
            fail_msg("%s", fault_text(error));
    }
    return 0;
}

static int tear_down(void **state)
{
    char command[64];

    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(several_cores_are_the_same)};

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
