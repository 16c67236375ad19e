/* memsys/command/cmd_hammer.h: activations of rows in refresh windows. */
#include "memsys/command/cmd_hammer.h"
#include "tests/support/unit.h"

enum { WINDOW_PS = 1000 };

static void hammer(struct cmd_hammer *to, uint64_t row, unsigned times, uint64_t now_ps)
{
    for (unsigned i = 0; i < times; i++)
        assert_true(cmd_hammer_activated(to, row, now_ps));
}

/* "hot rows are the sum of possible and prevented flips": the victims of row 1 are refreshed in time, those of row 2
 * are not, row 3 is never hot. */
static void hot_rows_may_flip_or_not(void **state)
{
    struct cmd_hammer rows = {.threshold = 10, .window_ps = WINDOW_PS};

    hammer(&rows, 1, 8, 0);
    cmd_hammer_served(&rows, 1, 1);
    hammer(&rows, 1, 8, 2);
    hammer(&rows, 2, 12, 3);
    hammer(&rows, 3, 9, 4);
    assert_int_equal(rows.most, 16);
    assert_int_equal(rows.most_unserved, 12);
    assert_int_equal(rows.hot, 2);
    assert_int_equal(rows.flips, 1);
    cmd_hammer_free(&rows);
}

/* "Both are rows, window by window": a row that reaches the threshold twice in a window counts once, and again in the
 * next. */
static void a_row_counts_once_in_a_window(void **state)
{
    struct cmd_hammer rows = {.threshold = 10, .window_ps = WINDOW_PS};

    hammer(&rows, 7, 10, 0);
    cmd_hammer_served(&rows, 7, 1);
    hammer(&rows, 7, 10, 2);
    assert_int_equal(rows.hot, 1);
    assert_int_equal(rows.flips, 1);
    hammer(&rows, 7, 10, WINDOW_PS);
    assert_int_equal(rows.hot, 2);
    assert_int_equal(rows.flips, 2);
    assert_int_equal(rows.windows, 1);
    cmd_hammer_free(&rows);
}

/* Activations on both sides of a window's end do not add up. */
static void windows_part_counts(void **state)
{
    struct cmd_hammer rows = {.threshold = 10, .window_ps = WINDOW_PS};

    hammer(&rows, 7, 9, WINDOW_PS - 1);
    hammer(&rows, 7, 9, WINDOW_PS);
    hammer(&rows, 7, 9, 5 * WINDOW_PS);
    assert_int_equal(rows.most, 9);
    assert_int_equal(rows.hot, 0);
    assert_int_equal(rows.windows, 5);
    assert_int_equal(rows.histogram[3], 3);
    cmd_hammer_free(&rows);
}

/* The histogram has each row of a window once, the present one included, for more rows than the first table holds. */
static void the_histogram_has_each_row_once(void **state)
{
    struct cmd_hammer rows = {.threshold = 100, .window_ps = WINDOW_PS};

    for (uint64_t row = 1; row <= 3000; row++)
        hammer(&rows, row, row % 3 == 0 ? 1 : row % 3 == 1 ? 5 : 64, 0);
    assert_int_equal(rows.histogram[0], 1000);
    assert_int_equal(rows.histogram[1], 0);
    assert_int_equal(rows.histogram[2], 1000);
    assert_int_equal(rows.histogram[6], 1000);
    cmd_hammer_free(&rows);
}

/* "Statistics begin anew, with those of the present window" */
static void a_reset_keeps_the_present_window(void **state)
{
    struct cmd_hammer rows = {.threshold = 10, .window_ps = WINDOW_PS};

    hammer(&rows, 1, 50, 0);
    hammer(&rows, 2, 12, WINDOW_PS);
    hammer(&rows, 3, 4, WINDOW_PS);
    cmd_hammer_reset(&rows);
    assert_int_equal(rows.windows, 0);
    assert_int_equal(rows.most, 12);
    assert_int_equal(rows.hot, 1);
    assert_int_equal(rows.flips, 1);
    assert_int_equal(rows.histogram[2], 1);
    assert_int_equal(rows.histogram[5], 0);
    hammer(&rows, 3, 4, WINDOW_PS);
    assert_int_equal(rows.histogram[2], 0);
    assert_int_equal(rows.histogram[3], 2);
    cmd_hammer_free(&rows);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(hot_rows_may_flip_or_not), cmocka_unit_test(a_row_counts_once_in_a_window),
        cmocka_unit_test(windows_part_counts), cmocka_unit_test(the_histogram_has_each_row_once),
        cmocka_unit_test(a_reset_keeps_the_present_window)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
