/* sweep/measure/agreement_search.h: keys of a known system are found again; what agrees with no value is unknown. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sweep/measure/agreement_search.h"
#include "tests/support/unit.h"

static const unsigned chain_counts[] = {4, 12, 24};
enum { CASES = sizeof chain_counts / sizeof chain_counts[0] };

struct fixture {
    char folder[64];
    struct measurement measurement;
    struct found_system system;
    struct agreement_options options;
    struct agreement *agreement;
};

static struct agreement_key misses_key(void)
{
    static const char *const counts[] = {"32", "4", "10", "16", NULL};
    static const char *const chains[] = {"chains 4", "chains 12", "chains 24", NULL};

    return (struct agreement_key){.keys = {"l1d.mshrs"}, .values = counts, .cases = chains};
}

static struct agreement_key walks_key(void)
{
    static const char *const counts[] = {"4", "1", "16", NULL};
    struct agreement_key key = misses_key();

    key.keys[0] = "cpu.tlb.walker.outstanding";
    key.values = counts;
    return key;
}

/* Measured cycles are those of replays, times `factor`. */
static void measure_by_replays(struct fixture *fixture, double factor)
{
    for (size_t i = 0; i < CASES; i++) {
        struct measured *const measured = &fixture->measurement.list[i];
        double simulated;

        measured->cycles = (struct passes){.count = 0};
        passes_add(&measured->cycles, &(struct pass){1, 1, 0});
        assert_int_equal(agreement_simulate(fixture->agreement, measured, MICRO_REFILL_BYTES).kind, FAULT_NONE);
        simulated = measured->simulated;
        measured->cycles = (struct passes){.count = 0};
        for (unsigned round = 0; round < 3; round++) {
            passes_add(&measured->cycles, &(struct pass){factor * simulated, 1, round});
            passes_end_round(&measured->cycles, factor * simulated);
        }
    }
}

static int set_up(void **state)
{
    static const char *const settings[][2] = {
        {"cpu.model", "detailed"}, {"memory.type", "simple"}, {"memory.latency", "80ns"},
        {"memory.bandwidth", "100GB/s"}, {"memory.size", "1GiB"}, {"l1d.mshrs", "10"},
        {"cpu.tlb.walker.outstanding", "16"}, {"l2.mshrs", "64"}
    };
    struct measurement_options const how = {.passes = 1, .rounds = 1, .memory_bytes = 16 << 20};
    struct fixture *const fixture = calloc(1, sizeof *fixture);

    if (!fixture || measurement_begin(&fixture->measurement, &how).kind != FAULT_NONE)
        return -1;
    snprintf(fixture->folder, sizeof fixture->folder, "/tmp/test-agreement-XXXXXX");
    if (!mkdtemp(fixture->folder))
        return -1;
    for (size_t i = 0; i < CASES; i++)
        measurement_add(&fixture->measurement, &(struct micro_case){.kind = CASE_CHASE, .chains = chain_counts[i],
                        .bytes = fixture->measurement.memory.large_bytes}, "chains %u", chain_counts[i]);
    passes_add(&fixture->measurement.period, &(struct pass){1, 1, 0});
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
        found_set(&fixture->system, settings[i][0], settings[i][1], "known");
    fixture->options = (struct agreement_options){.folder = fixture->folder, .most_s = 600};
    fixture->agreement = agreement_open(&fixture->system, &fixture->measurement, &fixture->options);
    *state = fixture;
    return fixture->agreement ? 0 : -1;
}

static int tear_down(void **state)
{
    struct fixture *const fixture = *state;

    agreement_close(fixture->agreement);
    found_free(&fixture->system);
    measurement_end(&fixture->measurement);
    rmdir(fixture->folder);
    free(fixture);
    return 0;
}

static const char *note_of(const struct fixture *fixture, const char *key)
{
    for (size_t i = 0; i < fixture->system.count; i++)
        if (strcmp(fixture->system.list[i].key, key) == 0)
            return fixture->system.list[i].note;
    return "";
}

/* header: "key after key gets the value with which the replays ... are nearest, ... until no key changes" */
static void keys_of_a_group_are_found_again(void **state)
{
    struct fixture *const fixture = *state;
    struct agreement_key misses = misses_key(), walks = walks_key();
    struct agreement_key *const group[] = {&misses, &walks};
    bool is_changed = false;

    measure_by_replays(fixture, 1);
    assert_int_equal(agreement_choose(fixture->agreement, group, 2, &is_changed).kind, FAULT_NONE);
    assert_true(is_changed);
    assert_int_equal(agreement_settle(fixture->agreement, group, 2).kind, FAULT_NONE);
    assert_string_equal(found_value(&fixture->system, "l1d.mshrs"), "10");
    assert_string_equal(found_value(&fixture->system, "cpu.tlb.walker.outstanding"), "16");
    assert_non_null(strstr(note_of(fixture, "l1d.mshrs"), "replays of chains 4 and 2 more: "));
}

/* header: "makes unknown what does not agree" */
static void what_agrees_with_no_value_is_unknown(void **state)
{
    struct fixture *const fixture = *state;
    struct agreement_key misses = misses_key(), none = walks_key();
    struct agreement_key *const group[] = {&misses}, *const all[] = {&misses, &none};
    bool is_changed = false;

    measure_by_replays(fixture, 1.3);
    assert_int_equal(agreement_choose(fixture->agreement, group, 1, &is_changed).kind, FAULT_NONE);
    assert_int_equal(agreement_settle(fixture->agreement, all, 2).kind, FAULT_NONE);
    assert_null(found_value(&fixture->system, "l1d.mshrs"));
    assert_non_null(strstr(note_of(fixture, "l1d.mshrs"), "is nearest, but does not agree: replays of chains 4"));
    assert_null(found_value(&fixture->system, "cpu.tlb.walker.outstanding"));
}

/* Two cores wait for memory side by side, so that 256 bytes of any of them take half as long. */
static void reads_by_two_cores_are_replayed_at_once(void **state)
{
    struct fixture *const fixture = *state;
    double cycles[2];

    for (unsigned cores = 1; cores <= 2; cores++) {
        struct measured *const measured = measurement_add(
            &fixture->measurement, &(struct micro_case){.kind = CASE_CORES, .number = cores}, "cores %u", cores);

        assert_non_null(measured);
        passes_add(&measured->cycles, &(struct pass){1, 1, 0});
        assert_int_equal(agreement_simulate(fixture->agreement, measured, MICRO_REFILL_BYTES).kind, FAULT_NONE);
        cycles[cores - 1] = measured->simulated;
    }
    if (!(cycles[0] > 0 && cycles[1] > 0.4 * cycles[0] && cycles[1] < 0.7 * cycles[0]))
        fail_msg("one core: %g cycles, two: %g", cycles[0], cycles[1]);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(keys_of_a_group_are_found_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_agrees_with_no_value_is_unknown, set_up, tear_down),
        cmocka_unit_test_setup_teardown(reads_by_two_cores_are_replayed_at_once, set_up, tear_down)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
