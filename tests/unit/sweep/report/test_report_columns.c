/* Columns out of statistics: each metric of the table that a point has, names of one's own, verdicts, dropped
 * columns. */
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <string.h>

#include <cmocka.h>

#include "sweep/report/report_columns.h"

static const char quad[] =
    "{\"simTicks\": 2000000000, \"system.cpu0.numOps\": 100, \"system.cpu1.numOps\": 300,"
    " \"system.cpu0.cpiStack::working\": 50, \"system.cpu0.cpiStack::rob\": 150, \"system.cpu0.cpiStack::total\": 200,"
    " \"system.cpu1.cpiStack::working\": 600, \"system.cpu1.cpiStack::total\": 600,"
    " \"system.l2.overallAccesses::total\": 8, \"system.l2.overallMisses::total\": 8}";
/* As a detailed core has them: no cpiStack. */
static const char detailed[] =
    "{\"simTicks\": 1000000000, \"system.cpu.numCycles\": 500, \"system.cpu.commitStats0.numInsts\": 1000,"
    " \"system.cpu.topDown::retiring\": 400, \"system.cpu.topDown::backEnd.loads\": 600,"
    " \"system.cpu.topDown::total\": 1000, \"odd\": 7}";

static struct report_columns *columns_of(const char *const *points, size_t count, const char *const *more,
                                         size_t more_count)
{
    struct report_columns *columns;
    struct fault fault = report_columns_begin(&columns, more, more_count);

    assert_int_equal(fault.kind, FAULT_NONE);
    for (size_t i = 0; i < count; i++)
        assert_true(report_columns_add(columns, points[i]));
    fault = report_columns_finish(columns, more, more_count);
    if (fault.kind != FAULT_NONE)
        fail_msg("%s", fault_text(fault));
    return columns;
}

static size_t column_of(const struct report_columns *columns, const char *name)
{
    for (size_t i = 0; i < columns->count; i++)
        if (strcmp(columns->list[i].name, name) == 0)
            return i;
    return SIZE_MAX;
}

static double value_of(const struct report_columns *columns, size_t point, const char *name)
{
    size_t const column = column_of(columns, name);

    if (column == SIZE_MAX)
        fail_msg("there is not a column %s", name);
    return report_columns_value(columns, point, column);
}

/* "each metric of the table that some point has", with the table's values: those of elastic and of detailed cores */
static void columns_are_the_metrics_that_some_point_has(void **state)
{
    static const char *const points[] = {quad, detailed, NULL, "["};
    struct report_columns *const columns = columns_of(points, 4, NULL, 0);

    (void)state;
    assert_int_equal(columns->point_count, 4);
    assert_float_equal(value_of(columns, 0, "time_ms"), 2, 1e-9);
    assert_float_equal(value_of(columns, 0, "cpi"), 800.0 / 400, 1e-9);
    assert_float_equal(value_of(columns, 1, "cpi"), 0.5, 1e-9);
    assert_float_equal(value_of(columns, 1, "slots.loads"), 0.6, 1e-9);
    assert_true(isnan(value_of(columns, 1, "stall.rob")));
    assert_float_equal(value_of(columns, 0, "l2.hit_rate"), 0, 1e-9);
    assert_true(isnan(value_of(columns, 2, "time_ms")) && isnan(value_of(columns, 3, "time_ms")));
    assert_int_equal(column_of(columns, "l3.hit_rate"), SIZE_MAX);
    assert_int_equal(column_of(columns, "gpu.gb_s"), SIZE_MAX);
    report_columns_free(columns);
}

/* llc is the L2 of the one, and the L3 of the other: then it says what no level alone does. */
static void another_name_for_one_level_is_dropped(void **state)
{
    static const char deep[] = "{\"system.l2.overallAccesses::total\": 8, \"system.l2.overallMisses::total\": 4,"
                               " \"system.l3.overallAccesses::total\": 4, \"system.l3.overallMisses::total\": 1}";
    static const char *const points[] = {quad, deep};
    struct report_columns *columns = columns_of(points, 1, NULL, 0);

    (void)state;
    assert_int_equal(column_of(columns, "llc.hit_rate"), SIZE_MAX);
    report_columns_free(columns);
    columns = columns_of(points, 2, NULL, 0);
    assert_float_equal(value_of(columns, 0, "llc.hit_rate"), 0, 1e-9);
    assert_float_equal(value_of(columns, 1, "llc.hit_rate"), 0.75, 1e-9);
    report_columns_free(columns);
}

static void names_that_are_asked_for_come_first(void **state)
{
    static const char *const points[] = {quad, detailed}, *const more[] = {"cpu1.cpi", "odd", "cpi", "odd"};
    struct report_columns *const columns = columns_of(points, 2, more, 4);

    (void)state;
    assert_string_equal(columns->list[0].name, "cpu1.cpi");
    assert_string_equal(columns->list[1].name, "odd");
    assert_string_equal(columns->list[2].name, "cpi");
    assert_string_equal(columns->list[3].name, "time_ms");
    assert_float_equal(value_of(columns, 0, "cpu1.cpi"), 2, 1e-9);
    assert_null(columns->list[1].metric);
    assert_float_equal(value_of(columns, 1, "odd"), 7, 1e-9);
    report_columns_free(columns);
}

static void a_name_that_no_point_has_is_refused(void **state)
{
    static const char *const more[] = {"system.nothing"};
    struct report_columns *columns;
    struct fault fault;

    (void)state;
    assert_int_equal(report_columns_begin(&columns, more, 1).kind, FAULT_NONE);
    assert_true(report_columns_add(columns, quad));
    fault = report_columns_finish(columns, more, 1);
    assert_int_equal(fault.kind, FAULT_INPUT);
    assert_non_null(strstr(fault_text(fault), "system.nothing"));
    report_columns_free(columns);
}

static void findings_are_the_verdicts(void **state)
{
    static const char *const points[] = {detailed, NULL};
    struct report_columns *const columns = columns_of(points, 2, NULL, 0);

    (void)state;
    assert_string_not_equal(columns->findings[0].bound, "");
    assert_non_null(strstr(columns->findings[0].cores, "% of commit slots"));
    assert_string_equal(columns->findings[0].gpu, "");
    assert_string_equal(columns->findings[1].bound, "");
    report_columns_free(columns);
}

/* quantities without a natural zero: their means are geometric. */
static void times_and_cycles_are_sizes(void **state)
{
    static const struct { const char *name; bool is; } known[] = {
        {"time_ms", true}, {"cpi", true}, {"ipc", true}, {"mem.latency_ns", true}, {"l2.mpki", false},
        {"l2.hit_rate", false}, {"mem.gb_s", false}, {"stall.rob", false}, {"instructions", false}
    };

    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (report_column_is_size(&(struct report_column){known[i].name, metrics_find(known[i].name)}) != known[i].is)
            fail_msg("%s", known[i].name);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_the_metrics_that_some_point_has),
        cmocka_unit_test(another_name_for_one_level_is_dropped),
        cmocka_unit_test(names_that_are_asked_for_come_first),
        cmocka_unit_test(a_name_that_no_point_has_is_refused),
        cmocka_unit_test(findings_are_the_verdicts),
        cmocka_unit_test(times_and_cycles_are_sizes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
