/* Figures out of statistics: sums over instances, what is missing, parts of cycles. */
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <string.h>

#include <cmocka.h>

#include "sweep/report/figures.h"

struct stack {
    char names[8][32];
    double cycles[8];
    size_t count;
};

static void take(void *self, const char *name, double cycles)
{
    struct stack *const stack = self;

    strcpy(stack->names[stack->count], name);
    stack->cycles[stack->count++] = cycles;
}

static double figure_of(const char *statistics, const char *name)
{
    struct stack stack = {0};
    double of[FIGURES];

    report_figures_of(statistics, of, take, &stack);
    for (size_t i = 0; i < FIGURES; i++)
        if (strcmp(report_figure_at(i)->name, name) == 0)
            return of[i];
    fail_msg("there is no figure %s", name);
    return NAN;
}

static const char quad[] =
    "{\"simSeconds\": 0.002, \"system.cpu0.numOps\": 100, \"system.cpu1.numOps\": 300,"
    " \"system.cpu0.cpiStack::working\": 50, \"system.cpu0.cpiStack::rob\": 150, \"system.cpu0.cpiStack::total\": 200,"
    " \"system.cpu1.cpiStack::working\": 600, \"system.cpu1.cpiStack::total\": 600,"
    " \"system.l1d0.demandMisses::total\": 2, \"system.l1d1.demandMisses::total\": 6,"
    " \"system.l1d0.demandAccesses::total\": 10, \"system.l1d1.demandAccesses::total\": 30,"
    " \"system.l1d0.demandHits::total\": 8, \"system.l1d1.demandHits::total\": 24,"
    " \"system.l2.demandAccesses::total\": 8, \"system.l2.demandMisses::total\": 8}";

/* "The instances of that name are added up." */
static void instances_are_added_up(void **state)
{
    (void)state;
    assert_float_equal(figure_of(quad, "time"), 2, 1e-9);
    assert_float_equal(figure_of(quad, "cpi"), 800.0 / 400, 1e-9);
    assert_float_equal(figure_of(quad, "l1d.mpki"), 1000 * 8.0 / 400, 1e-9);
    assert_float_equal(figure_of(quad, "l1d.hit_rate"), 100 * 32.0 / 40, 1e-9);
}

/* Counters that stayed 0 have no line; components that are not there have no figure. */
static void what_is_missing_is_0_or_not_known(void **state)
{
    (void)state;
    assert_float_equal(figure_of(quad, "l2.hit_rate"), 0, 1e-9);
    assert_true(isnan(figure_of(quad, "l3.hit_rate")));
    assert_true(isnan(figure_of(quad, "l3.mpki")));
    assert_true(isnan(figure_of(quad, "mem.gb_s")));
    assert_true(isnan(figure_of(NULL, "time")));
    assert_true(isnan(figure_of("[", "time")));
}

static void parts_of_cycles_add_up_to_the_cpi(void **state)
{
    struct stack stack = {0};
    double of[FIGURES], sum = 0;

    (void)state;
    report_figures_of(quad, of, take, &stack);
    assert_int_equal(stack.count, 3);
    assert_string_equal(stack.names[0], "working");
    assert_string_equal(stack.names[1], "rob");
    assert_string_equal(stack.names[2], "working");
    for (size_t i = 0; i < stack.count; i++)
        sum += stack.cycles[i];
    assert_float_equal(sum, 2, 1e-9);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(instances_are_added_up),
        cmocka_unit_test(what_is_missing_is_0_or_not_known),
        cmocka_unit_test(parts_of_cycles_add_up_to_the_cpi),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
