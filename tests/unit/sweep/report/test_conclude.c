/* sweep/report/conclude.h: sentences about small sweeps whose answers are known, since their values are made by a
 * formula: size halves the time up to 4, ways do nothing, and mode does nothing but for one workload. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "replay/metrics/verdict.h"
#include "sweep/report/conclude.h"
#include "sweep/report/remedies.h"
#include "tests/support/unit.h"

enum { SIZES = 4, WAYS = 2, MODES = 2, WORKLOADS = 2, AXES = 4, POINTS = SIZES * WAYS * MODES * WORKLOADS };

static const char *sizes[] = {"1", "2", "4", "8"}, *ways[] = {"2", "4"}, *modes[] = {"slow", "fast"};
static const char *workloads[] = {"chase", "copy"};
static struct effects_axis axes[AXES] = {
    {"size", sizes, SIZES}, {"ways", ways, WAYS}, {"mode", modes, MODES}, {"traces", workloads, WORKLOADS}
};
static uint32_t levels[POINTS * AXES];
static double values[POINTS], relative[POINTS];
static struct space_point points[POINTS];
static struct report_finding findings[POINTS];
static struct report_column column = {.name = "time_ms"};
static struct space space;
static struct report_columns columns;

static double time_of(const uint32_t *level)
{
    double const by_size = level[0] < 2 ? pow(0.5, level[0]) : 0.25;
    double const by_mode = level[2] == 1 && level[3] == 1 ? 0.8 : 1;

    return by_size * by_mode * (level[3] ? 1000 : 1);
}

/* A sweep that is done; of each point the caches are as large as `size` says. */
static void fill(double (*value_of)(const uint32_t *level))
{
    memset(findings, 0, sizeof findings);
    for (uint32_t i = 0; i < POINTS; i++) {
        uint32_t *const level = levels + i * AXES;

        level[0] = i / (WAYS * MODES * WORKLOADS);
        level[1] = i / (MODES * WORKLOADS) % WAYS;
        level[2] = i / WORKLOADS % MODES;
        level[3] = i % WORKLOADS;
        values[i] = value_of(level);
        points[i] = (struct space_point){.number = i + 1, .state = "done",
                                         .cost = {.cache_bytes = 1024 * (double)(1U << level[0]), .channels = 1,
                                                  .peak_bytes_per_s = 1e9}};
        findings[i] = (struct report_finding){.bound = "l1d_mshrs", .cores = "L1D blocked: 60 % of cycles", .gpu = ""};
    }
    space = (struct space){
        .effects = {.axes = axes, .axis_count = AXES, .workload_axis = 3, .levels = levels, .values = values,
                    .relative = relative, .point_count = POINTS},
        .points = points, .done = POINTS};
    columns = (struct report_columns){.list = &column, .count = 1, .values = values, .findings = findings,
                                      .point_count = POINTS};
    effects_relate(&space.effects);
}

static struct conclusions conclude_all(size_t baseline, const char *doubt)
{
    struct conclude_input const input = {.space = &space, .columns = &columns, .doubt = doubt, .baseline = baseline};
    struct conclusions made;

    effects_relate(&space.effects);
    assert_true(conclude(&made, &input));
    return made;
}

static bool says(const struct conclusions *all, enum conclusion_about about, const char *part)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->list[i].about == about && strstr(all->list[i].text, part))
            return true;
    return false;
}

static void assert_says(const struct conclusions *all, enum conclusion_about about, const char *part)
{
    if (says(all, about, part))
        return;
    for (size_t i = 0; i < all->count; i++)
        if (all->list[i].about == about)
            print_message("    %s\n", all->list[i].text);
    fail_msg("%s: nothing says: %s", conclusion_heading(about), part);
}

static size_t count_of(const struct conclusions *all, enum conclusion_about about)
{
    size_t count = 0;

    for (size_t i = 0; i < all->count; i++)
        count += all->list[i].about == about;
    return count;
}

/* Of 4 and 8, equally fast, the first one is the best: mode fast, which is 0.8 for one of two workloads. */
static void the_best_is_compared_with_the_baseline(void **state)
{
    struct conclusions all;

    fill(time_of);
    all = conclude_all(CONCLUDE_FIRST, "");
    assert_says(&all, CONCLUDE_BEST, "point 19 (size 4, ways 2, mode fast): the lowest time_ms of 16 designs, 78 % "
                "lower than point 1, the baseline (size 1, mode slow) in the mean of workloads (chase 75 % lower, copy "
                "80 % lower); it costs caches 4 KiB instead of 1. 3 other designs are within 1 % of it.");
    assert_int_equal(all.list[0].point_count, 2);
    assert_int_equal(points[all.list[0].points[0]].number, 1);
    assert_int_equal(points[all.list[0].points[1]].number, 19);
    conclusions_free(&all);
    all = conclude_all(18, "");
    assert_says(&all, CONCLUDE_BEST, "It is the baseline itself");
    conclusions_free(&all);
}

static void each_workload_has_its_own_best(void **state)
{
    struct conclusions all;

    fill(time_of);
    all = conclude_all(CONCLUDE_FIRST, "");
    assert_says(&all, CONCLUDE_WORKLOADS, "chase, copy: 2 of 2 workloads");
    assert_int_equal(count_of(&all, CONCLUDE_WORKLOADS), 1);
    conclusions_free(&all);
    values[0] = 0.125;                                   /* chase on point 1's design */
    all = conclude_all(CONCLUDE_FIRST, "");
    assert_says(&all, CONCLUDE_WORKLOADS, "for copy: 1 of 2 workloads");
    assert_says(&all, CONCLUDE_WORKLOADS, "chase: point 1 is 50 % lower than it, with size 1, mode slow.");
    conclusions_free(&all);
}

static double nearly(const uint32_t *level)
{
    return time_of(level) * (level[0] == 1 ? 0.25 * 1.015 / 0.5 : 1);    /* size 2: 1.5 % slower than 4 */
}

static double not_nearly(const uint32_t *level)
{
    return time_of(level) * (level[0] == 1 ? 0.25 * 1.025 / 0.5 : 1);
}

/* "Cheapest within 2 %" */
static void the_knee_is_the_cheapest_that_is_nearly_as_good(void **state)
{
    struct conclusions all;

    fill(nearly);
    all = conclude_all(CONCLUDE_FIRST, "");
    assert_says(&all, CONCLUDE_KNEE, "point 11 (size 2): 1.5 % higher than the best; caches 2 KiB instead of 4.");
    conclusions_free(&all);
    fill(not_nearly);
    all = conclude_all(CONCLUDE_FIRST, "");
    assert_says(&all, CONCLUDE_KNEE, "the best itself");
    conclusions_free(&all);
    for (size_t i = 0; i < POINTS; i++)
        points[i].cost = (struct space_cost){.cache_bytes = 4096, .channels = 1, .peak_bytes_per_s = 1e9};
    all = conclude_all(CONCLUDE_FIRST, "");
    assert_int_equal(count_of(&all, CONCLUDE_KNEE), 0);  /* no price, no knee */
    conclusions_free(&all);
}

static void axes_are_told_by_their_effect(void **state)
{
    struct conclusions all;

    fill(time_of);
    all = conclude_all(CONCLUDE_FIRST, "");
    assert_int_equal(count_of(&all, CONCLUDE_MATTERS), 2);
    assert_says(&all, CONCLUDE_MATTERS, "size: with 4 time_ms is 75 % lower than with 1; from 75 % lower to 75 % lower "
                "in the 8 settings of everything else.");
    assert_says(&all, CONCLUDE_MATTERS, "mode: with fast time_ms is 11 % lower than with slow; from the same to 20 % "
                "lower");
    assert_true(strncmp(all.list[3].text, "size", 4) == 0);      /* behind best, workloads, knee: the largest first */
    assert_says(&all, CONCLUDE_NOT, "ways: less than 1 % in every setting of everything else.");
    assert_int_equal(count_of(&all, CONCLUDE_NOT), 1);
    conclusions_free(&all);
}

static double in_one_place(const uint32_t *level)
{
    return time_of(level) * (level[0] == 3 && level[1] == 1 && level[2] == 0 && level[3] == 0 ? 1.06 : 1);
}

static void an_axis_may_matter_in_places_only(void **state)
{
    struct conclusions all;

    fill(in_one_place);
    all = conclude_all(CONCLUDE_FIRST, "");
    assert_says(&all, CONCLUDE_NOT, "ways: 0.36 % in the mean, but in places it does: 6.0 % from point 25 (2) to 29 "
                "(4).");
    conclusions_free(&all);
}

/* Both axes change together, as if they were zipped. */
static void what_never_changes_alone_has_no_effect_of_its_own(void **state)
{
    struct conclusions all;

    fill(time_of);
    for (size_t i = 0; i < POINTS; i++)
        if ((levels[i * AXES] < 2) != (levels[i * AXES + 1] == 0))
            values[i] = NAN;
    all = conclude_all(CONCLUDE_FIRST, "");
    assert_says(&all, CONCLUDE_NOT, "ways: no two points differ in one of these alone");
    conclusions_free(&all);
}

static double together(const uint32_t *level)
{
    return level[0] == 3 && level[2] == 1 ? 0.5 : 1;
}

static void a_pair_that_acts_together_is_named(void **state)
{
    struct conclusions all;

    fill(together);
    all = conclude_all(CONCLUDE_FIRST, "");
    /* one cell of log 2 in four rows and two columns: (1 - 1/4)(1 - 1/2) log 2 beyond both */
    assert_says(&all, CONCLUDE_TOGETHER, "size and mode: a pair of their values is up to 30 %");
    conclusions_free(&all);
    fill(time_of);
    all = conclude_all(CONCLUDE_FIRST, "");
    assert_int_equal(count_of(&all, CONCLUDE_TOGETHER), 0);
    conclusions_free(&all);
}

static void doubts_are_counted_by_their_kind(void **state)
{
    struct conclusions all;

    fill(time_of);
    all = conclude_all(CONCLUDE_FIRST, "");
    assert_says(&all, CONCLUDE_DOUBTS, "nothing that was looked for");
    conclusions_free(&all);
    for (size_t i = 0; i < 9; i++) {
        findings[i].doubts[0] = i % 2 ? "short: only 10 instructions of the l2"
            : "short: only 2000 instructions of the l2";
        findings[i].doubt_count = 1;
    }
    findings[9].doubts[0] = "short: only 10 instructions of the l3";
    findings[9].doubt_count = 1;
    values[30] = NAN;
    space.failed = 1;
    all = conclude_all(CONCLUDE_FIRST, "memory.policy: open, closed: differ");
    assert_says(&all, CONCLUDE_DOUBTS, "9 of 32 points, such as 1: short: only 2000 instructions of the l2.");
    assert_says(&all, CONCLUDE_DOUBTS, "1 of 32 points, such as 10: short: only 10 instructions of the l3.");
    assert_says(&all, CONCLUDE_DOUBTS, "memory.policy: open, closed: differ.");
    assert_says(&all, CONCLUDE_DOUBTS, "1 points failed and 0 are to do; 1 of 16 designs lack a workload");
    assert_int_equal(count_of(&all, CONCLUDE_DOUBTS), 4);
    conclusions_free(&all);
}

static double still_gaining(const uint32_t *level)
{
    return pow(0.5, level[0]) * (level[3] ? 1000 : 1);
}

static void what_to_try_is_beyond_the_end_and_what_acts_on_the_bound(void **state)
{
    struct conclusions all;

    fill(time_of);
    all = conclude_all(CONCLUDE_FIRST, "");
    assert_says(&all, CONCLUDE_BOUND, "chase, copy: L1D blocked: 60 % of cycles (of the first).");
    assert_int_equal(count_of(&all, CONCLUDE_NEXT), 1);  /* size gains nothing at its end */
    assert_says(&all, CONCLUDE_NEXT, "not varied yet, and acts on the bound L1D blocked: l1d.mshrs, l1d.size.");
    conclusions_free(&all);
    fill(still_gaining);
    axes[0].key = "l1d.mshrs";
    all = conclude_all(CONCLUDE_FIRST, "");
    axes[0].key = "size";
    assert_says(&all, CONCLUDE_NEXT, "l1d.mshrs beyond 8: it is best at the highest of its values, by 50 % against 4.");
    assert_says(&all, CONCLUDE_NEXT, "L1D blocked: l1d.size.");
    conclusions_free(&all);
    for (size_t i = 0; i < POINTS; i++)                  /* only what the system has, and with its value */
        points[i].config = "line: 64B\nl1i:\n  mshrs: 3\nl1d:\n  assoc: 2\n  mshrs: 7\nl2:\n  size: 1MiB\n";
    all = conclude_all(CONCLUDE_FIRST, "");
    assert_says(&all, CONCLUDE_NEXT, "L1D blocked: l1d.mshrs (now 7).");
    conclusions_free(&all);
}

/* Estimates from four of ten regions each, the same ones; the size from 4 to 8 changes by less than its error. */
static void a_difference_within_its_interval_is_none(void **state)
{
    static const char text[] = "{\"time_ms\": 1, \"regions.confidence\": 95, \"regions.of\": 10, \"time_ms.ci\": 0.3, "
        "\"regions\": {\"set\": \"%s\", \"intervals\": [10], \"numbers\": [0, 1, 2, 3], \"strata\": [0, 0, 0, 0], "
        "\"moves\": {\"time_ms\": [0.1, -0.1, 0.05, -0.05]}}}";
    struct sample const *samples[POINTS];
    json_t *statistics[POINTS];
    struct conclusions all;
    struct conclude_input const input = {.space = &space, .columns = &columns, .samples = samples, .doubt = "",
                                         .baseline = CONCLUDE_FIRST};

    fill(nearly);
    for (size_t i = 0; i < POINTS; i++) {
        char own[sizeof text + 16];

        snprintf(own, sizeof own, text, i % 4 < 2 ? "a" : "b");          /* modes of different regions */
        statistics[i] = json_loads(own, 0, NULL);
        samples[i] = sample_read(statistics[i]);
        assert_non_null(samples[i]);
    }
    assert_true(conclude(&all, &input));
    assert_says(&all, CONCLUDE_NOT, "mode: the difference is within its interval.");
    assert_false(says(&all, CONCLUDE_MATTERS, "mode:"));
    assert_says(&all, CONCLUDE_DOUBTS, "designs are not different from the best");
    conclusions_free(&all);
    for (size_t i = 0; i < POINTS; i++) {
        sample_free((struct sample *)(uintptr_t)samples[i]);
        json_decref(statistics[i]);
    }
}

/* "One row a cause": a new cause needs a row that says what acts on it. */
static void causes_have_remedies(void **state)
{
    for (enum verdict_cause i = 0; i < CAUSE_COUNT; i++) {
        bool const has_none = i == CAUSE_FETCH_TIMES || i == CAUSE_SERIALISING;

        if ((*remedies_of(verdict_key(i)) == '\0') != has_none)
            fail_msg("%s has no remedy, or one too many", verdict_key(i));
    }
    assert_string_equal(remedies_of("nothing"), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_is_compared_with_the_baseline), cmocka_unit_test(each_workload_has_its_own_best),
        cmocka_unit_test(the_knee_is_the_cheapest_that_is_nearly_as_good),
        cmocka_unit_test(axes_are_told_by_their_effect), cmocka_unit_test(an_axis_may_matter_in_places_only),
        cmocka_unit_test(what_never_changes_alone_has_no_effect_of_its_own),
        cmocka_unit_test(a_pair_that_acts_together_is_named), cmocka_unit_test(doubts_are_counted_by_their_kind),
        cmocka_unit_test(what_to_try_is_beyond_the_end_and_what_acts_on_the_bound),
        cmocka_unit_test(a_difference_within_its_interval_is_none), cmocka_unit_test(causes_have_remedies)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
