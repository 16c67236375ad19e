/* Engines (replay/session/session_engine.h) on random systems of detailed cores, with the bundled instruction traces:
 * all statistics and the tick of the end of the fast engine, and of `idle` beside single other fast paths, against
 * the plain engine. */
#include "replay/config/config.h"
#include "replay/config/system_config.h"
#include "replay/record/stats_json.h"
#include "replay/session/session.h"
#include "tests/support/random_numbers.h"
#include "tests/support/unit.h"

#define TRACES "tests/traces/detailed/"

enum { SEEDS = 20, INSTRUCTIONS = 15000 };

struct outcome {
    uint64_t end_ps;
    char *figures;
};

static const char *choose(const char *const *texts, unsigned count)
{
    return texts[random_below(count)];
}
#define CHOOSE(...)                                                                                                    \
    choose((const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static size_t write_cache(char *text, size_t size, const char *name, const char *bytes)
{
    return (size_t)snprintf(text, size, "%s: {size: %s, assoc: 2, tag_latency: %s, data_latency: %s, mshrs: %s, "
                            "targets_per_mshr: %s, write_buffers: %s%s}\n", name, bytes, CHOOSE("1", "2", "4"),
                            CHOOSE("1", "2", "9"), CHOOSE("1", "2", "20"), CHOOSE("1", "8"), CHOOSE("1", "8"),
                            CHOOSE("", "", ", prefetcher: stride"));
}

static void write_system(char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "cpu_clock: %s\nsystem_clock: %s\ncpu:\n  model: detailed\n"
                                   "  numROBEntries: %s\n  numIQEntries: %s\n  LQEntries: %s\n  SQEntries: %s\n"
                                   "  issueWidth: %s\n  commitWidth: %s\n  fetchToDecodeDelay: %s\n  wrongPath: %s\n"
                                   "  idealFetch: %s\n  branchPred: {type: %s}\n", CHOOSE("2GHz", "1.7GHz", "3GHz"),
                                   CHOOSE("1GHz", "1.3GHz"), CHOOSE("16", "64", "192"), CHOOSE("8", "64"),
                                   CHOOSE("4", "32"), CHOOSE("4", "32"), CHOOSE("2", "8"), CHOOSE("1", "4", "8"),
                                   CHOOSE("1", "5"), CHOOSE("yes", "yes", "no"), CHOOSE("no", "no", "yes"),
                                   CHOOSE("tournament", "local", "gshare", "perfect", "tage_sc_l"));

    used += write_cache(text + used, size - used, "l1i", CHOOSE("1KiB", "32KiB"));
    used += write_cache(text + used, size - used, "l1d", CHOOSE("1KiB", "4KiB", "64KiB"));
    if (random_below(3) > 0)
        used += write_cache(text + used, size - used, "l2", CHOOSE("16KiB", "256KiB"));
    snprintf(text + used, size - used, "memory: {%s}\n",
             CHOOSE("device: DDR4_2400_8x8", "device: DDR3_1600_8x8", "type: simple"));
}

static struct outcome run(const char *text, const char *path, const char *engine)
{
    static struct system_config config;
    struct session_outputs const outputs = {0};
    struct session_request request = {.config = &config, .limits = session_no_limits(), .has_stats = true};
    struct workload workload;
    struct session *session;
    struct outcome outcome = {0};
    size_t length;
    FILE *const file = open_memstream(&outcome.figures, &length);

    assert_non_null(file);
    config_defaults(&config);
    assert_fine(config_load_text(&config, "test", text, strlen(text)));
    assert_fine(config_finish(&config));
    assert_fine(workload_find(&workload, path, &path, 1, NULL));
    assert_fine(engine_parse(engine, &request.engine));
    request.workload = &workload;
    request.limits.max_records = INSTRUCTIONS;
    assert_fine(session_open(&session, &request));
    assert_fine(session_run(session, &outputs));
    outcome.end_ps = session_result(session)->end_ps;
    stats_json_write(file, &session_system(session)->stats, outcome.end_ps);
    assert_int_equal(fclose(file), 0);
    session_close(session);
    workload_close(&workload);
    return outcome;
}

static void no_fast_path_changes_a_detailed_core(void **state)
{
    static const char *const engines[] = {"fast", "plain+idle", "plain+idle+buses", "plain+idle+fills", "fast-idle"};

    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct outcome plain;
        const char *path;
        char text[4096];

        random_state = seed;
        write_system(text, sizeof text);
        path = CHOOSE(TRACES "sort.rbt", TRACES "hash.rbt", TRACES "chase.rbt", TRACES "matrix.rbt");
        plain = run(text, path, "plain");
        for (size_t i = 0; i < COUNT(engines); i++) {
            struct outcome const fast = run(text, path, engines[i]);

            if (fast.end_ps != plain.end_ps || strcmp(fast.figures, plain.figures) != 0)
                fail_msg("%s to %llu, plain to %llu, figures %s; %s on\n%s", engines[i],
                         (unsigned long long)fast.end_ps, (unsigned long long)plain.end_ps,
                         strcmp(fast.figures, plain.figures) == 0 ? "equal" : "differ", path, text);
            free(fast.figures);
        }
        assert_true(strstr(plain.figures, "commitStats0") != NULL);
        free(plain.figures);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_fast_path_changes_a_detailed_core),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
