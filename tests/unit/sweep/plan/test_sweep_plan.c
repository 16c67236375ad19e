/* sweep/plan/spec.h, sweep/plan/plan.h, sweep/run/runner.h: the points of a sweep's file, their order and
 * hashes, and which is run first. */
#include "replay/config/system_config.h"
#include "sweep/plan/plan.h"
#include "sweep/run/runner.h"
#include "tests/support/unit.h"

#define BASE "system: wide\ntraces: [a, b]\n"

struct made {
    struct spec *spec;
    struct workload workloads[4];
    struct plan *plan;
};

static struct fault make(struct made *made, const char *text)
{
    struct fault fault;

    *made = (struct made){.spec = NULL};
    fault = spec_read_text(&made->spec, "sweep.yaml", text, strlen(text));
    for (size_t i = 0; made->spec && i < made->spec->workload_count; i++)
        made->workloads[i] = (struct workload){.name = made->spec->workloads[i].name, .hash = 100 + i, .work = 1e6};
    return fault.kind == FAULT_NONE ? plan_make(&made->plan, made->spec, made->workloads, "1") : fault;
}

static void destroy(struct made *made)
{
    plan_free(made->plan);
    spec_free(made->spec);
}

/* "a 1 x, b 1 x, ...": workload and values of every point */
static void check_points(const char *text, const char *expected)
{
    struct made made;
    char got[2000] = "";
    struct fault const fault = make(&made, text);

    if (fault.kind != FAULT_NONE)
        fail_msg("%s", fault_text(fault));
    for (size_t i = 0; i < made.plan->count; i++) {
        struct plan_point const *const point = &made.plan->points[i];

        snprintf(got + strlen(got), sizeof got - strlen(got), "%s%s", i ? ", " : "",
                 made.spec->workloads[point->workload].name);
        for (size_t axis = 0; axis < made.spec->axis_count; axis++)
            snprintf(got + strlen(got), sizeof got - strlen(got), " %s", plan_value(made.plan, point, axis));
    }
    assert_string_equal(got, expected);
    destroy(&made);
}

/* "systems, then the groups of axes in the order of the file, the last one varying fastest, then the workloads" */
static void points_come_in_order(void **state)
{
    check_points(BASE, "a, b");
    check_points(BASE "axes: {l1d.mshrs: [4, 8], l2.assoc: [8, 16]}\n",
                 "a 4 8, b 4 8, a 4 16, b 4 16, a 8 8, b 8 8, a 8 16, b 8 16");
    check_points(BASE "zip: {l1d.mshrs: [4, 8], l2.assoc: [8, 16]}\n", "a 4 8, b 4 8, a 8 16, b 8 16");
    check_points("system: wide\ntraces: a\naxes: {l2.assoc: [8, 16]}\nzip:\n  - {l1d.mshrs: [1, 2]}\n"
                 "  - {l1i.mshrs: {from: 3, to: 4}, l2.mshrs: [5, 6]}\n",
                 "a 8 1 3 5, a 8 1 4 6, a 8 2 3 5, a 8 2 4 6, a 16 1 3 5, a 16 1 4 6, a 16 2 3 5, a 16 2 4 6");
}

static void conditions_skip_points(void **state)
{
    check_points(BASE "axes: {l1d.mshrs: {from: 1, to: 8, times: 2}}\n"
                 "skip: [l1d.mshrs > 4, traces == b, l1d.mshrs < 2]\n", "a 2, a 4");
    check_points(BASE "axes: {l2: [none, base], l2.size: [256KiB, 1MiB]}\nskip: l2 == none and traces == b\n",
                 "a none 256KiB, a none 1MiB, a base 256KiB, b base 256KiB, a base 1MiB, b base 1MiB");
}

static void refused_systems_are_points_unless_skipped(void **state)
{
    char const *const axes = BASE "axes: {l1d.size: [32KiB, 33KiB]}\n";
    char text[256];

    check_points(axes, "a 32KiB, b 32KiB, a 33KiB, b 33KiB");
    snprintf(text, sizeof text, "%sskip: refused\n", axes);
    check_points(text, "a 32KiB, b 32KiB");
    snprintf(text, sizeof text, "%sskip: [refused, traces == b]\n", axes);
    check_points(text, "a 32KiB");
}

/* "Points whose effective configuration is the same have the same hash and are run once" */
static void same_systems_are_one_run(void **state)
{
    struct made made;

    assert_int_equal(make(&made, "system: wide\ntraces: a\n"
                                 "axes: {l2: [none, base], l2.size: [256KiB, 2MiB, base]}\n").kind, FAULT_NONE);
    assert_int_equal(made.plan->count, 6);
    assert_int_equal(made.plan->run_count, 3);           /* none, 256KiB, 2MiB */
    assert_true(made.plan->points[0].hash == made.plan->points[2].hash);
    assert_true(made.plan->points[4].hash == made.plan->points[5].hash);
    assert_int_equal(made.plan->points[5].run, made.plan->points[4].run);
    for (size_t run = 0; run < made.plan->run_count; run++) {
        size_t found;

        assert_true(plan_find(made.plan, made.plan->points[made.plan->runs[run]].hash, &found));
        assert_int_equal(found, run);
    }
    destroy(&made);
}

static uint64_t only_hash(const char *text)
{
    struct made made;
    uint64_t hash;

    assert_int_equal(make(&made, text).kind, FAULT_NONE);
    hash = made.plan->points[0].hash;
    destroy(&made);
    return hash;
}

/* "The hash joins it with the traces' contents, the limits of the replay and the program's version" */
static void hashes_cover_all_that_changes_results(void **state)
{
    uint64_t const plain = only_hash("system: wide\ntraces: a\n");

    assert_true(plain == only_hash("system: configs/wide.yaml\ntraces: {name: other, traces: a}\n"));
    assert_true(plain == only_hash("system: wide\ntraces: a\nset: {l2.size: 2MiB}\n"));
    assert_true(plain != only_hash("system: wide\ntraces: a\nset: {l2.size: 1MiB}\n"));
    assert_true(plain != only_hash("system: wide\ntraces: a\nrecords: 100\n"));
    assert_true(plain != only_hash("system: wide\ntraces: a\nwarmup: 100\n"));
    assert_true(plain != only_hash("system: wide\ntraces: a\ntick_scale: 2\n"));
}

/* "numbers of cores and devices, all others as written, caches that are taken out" */
static void settings_do_not_undo_each_other(void **state)
{
    struct made made;
    struct system_config *const config = malloc(sizeof *config);

    assert_non_null(config);
    assert_int_equal(make(&made, "system: wide\ntraces: a\nset: {memory.dram.tCL: 20ns, l2: none}\n"
                                 "axes: {l2.size: [1MiB], memory.device: [DDR4_2400_8x8]}\n").kind, FAULT_NONE);
    assert_int_equal(plan_configure(made.plan, &made.plan->points[0], config).kind, FAULT_NONE);
    assert_string_equal(config->memories[0].device, "DDR4_2400_8x8");
    assert_int_equal(config->memories[0].dram.tCL_ps, 20000);
    assert_int_equal(config->cache_count, 2);
    destroy(&made);
    free(config);
}

static void unsound_points_are_known(void **state)
{
    struct made made;

    assert_int_equal(make(&made, "system: wide\ntraces: a\naxes: {l2.assoc: [8, 7]}\n").kind, FAULT_NONE);
    assert_false(made.plan->points[0].is_unsound);
    assert_true(made.plan->points[1].is_unsound);
    assert_int_equal(made.plan->run_count, 2);
    destroy(&made);
}

/* "The longest of those that are wanted" */
static void long_points_come_first(void **state)
{
    struct made made;
    struct schedule *schedule;
    size_t run;
    double last = 1e9;

    assert_int_equal(make(&made, BASE "axes: {l1d.mshrs: {from: 1, to: 16}, l2.assoc: [1, 2, 4, 8]}\n").kind,
                     FAULT_NONE);
    schedule = schedule_make(made.plan);
    assert_non_null(schedule);
    assert_false(schedule_has_learnt(schedule));
    for (run = 0; run < made.plan->run_count; run++) {
        struct plan_point const *const point = &made.plan->points[made.plan->runs[run]];
        /* the second workload takes three times as long; few MSHRs take long */
        double const cpu_s = (point->workload ? 3.0 : 1.0) / (1.0 + point->levels[0]);

        if (run % 4 == 0)
            schedule_learn(schedule, run, cpu_s);
        else
            schedule_want(schedule, run);
    }
    assert_int_equal(schedule_left(schedule), made.plan->run_count / 4 * 3);
    for (double before = schedule_left_s(schedule); schedule_next(schedule, &run); before = schedule_left_s(schedule)) {
        double const estimate = before - schedule_left_s(schedule);

        assert_true(estimate <= last * 1.000001);
        last = estimate;
    }
    assert_true(schedule_left_s(schedule) < 1e-6);
    schedule_free(schedule);
    destroy(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_come_in_order),
        cmocka_unit_test(conditions_skip_points),
        cmocka_unit_test(refused_systems_are_points_unless_skipped),
        cmocka_unit_test(same_systems_are_one_run),
        cmocka_unit_test(hashes_cover_all_that_changes_results),
        cmocka_unit_test(settings_do_not_undo_each_other),
        cmocka_unit_test(unsound_points_are_known),
        cmocka_unit_test(long_points_come_first),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
