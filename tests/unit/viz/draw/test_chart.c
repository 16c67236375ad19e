/* Pictures as text: what stands where, what is left out, what texts become. */
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "viz/draw/chart.h"

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;

    for (; (text = strstr(text, part)); text += strlen(part))
        count++;
    return count;
}

static char *draw(const struct chart *chart)
{
    char *svg;

    assert_true(chart_svg(chart, &svg));
    return svg;
}

static struct chart of_series(enum chart_mark mark, const double *x, const double *y, size_t count)
{
    return (struct chart){
        .id = "one", .title = "title", .x_label = "x", .y_label = "y", .series_count = 1, .width = 400, .height = 300,
        .series = {{.name = "series", .mark = mark, .x = x, .y = y, .count = count}}
    };
}

/* "Numbers that are not finite are left out"; the other circle is the legend's. */
static void what_is_not_finite_is_left_out(void **state)
{
    static double const x[] = {1, 2, 3, 4}, y[] = {1, NAN, INFINITY, 4};
    struct chart const chart = of_series(CHART_POINT, x, y, 4);
    char *const svg = draw(&chart);

    (void)state;
    assert_int_equal(count_of(svg, "<circle"), 2 + 1);
    free(svg);
}

/* A logarithm has no place for 0. */
static void log_scales_leave_out_what_is_not_above_0(void **state)
{
    static double const x[] = {0, 1, 10, 100}, y[] = {1, 1, 1, 1};
    struct chart chart = of_series(CHART_POINT, x, y, 4);
    char *svg;

    (void)state;
    chart.log_x = true;
    svg = draw(&chart);
    assert_int_equal(count_of(svg, "<circle"), 3 + 1);
    assert_non_null(strstr(svg, ">100</text>"));
    free(svg);
}

/* Equal factors are equal distances: 1, 10, 100. */
static void log_scales_are_even(void **state)
{
    static double const x[] = {1, 10, 100}, y[] = {1, 1, 1};
    struct chart chart = of_series(CHART_POINT, x, y, 3);
    double at[4];
    char *svg, *circle;

    (void)state;
    chart.log_x = true;
    svg = draw(&chart);
    circle = svg;
    for (int i = 0; i < 4; i++) {
        circle = strstr(circle, "<circle cx=\"") + strlen("<circle cx=\"");
        at[i] = strtod(circle, NULL);
    }
    assert_true(fabs((at[2] - at[1]) - (at[3] - at[2])) <= 0.11);
    assert_true(at[2] - at[1] > 50);
    free(svg);
}

static void points_are_not_joined_and_lines_are(void **state)
{
    static double const x[] = {1, 2}, y[] = {1, 2};
    struct chart chart = of_series(CHART_POINT, x, y, 2);
    char *points, *line;

    (void)state;
    points = draw(&chart);
    chart.series[0].mark = CHART_LINE;
    line = draw(&chart);
    assert_int_equal(count_of(points, "fill=\"none\""), 0);
    assert_int_equal(count_of(line, "fill=\"none\""), 1);
    free(points);
    free(line);
}

static void texts_steer_nothing(void **state)
{
    static double const x[] = {0}, y[] = {1};
    static const char *const names[] = {"</text><script>&\"\033[1m"};
    struct chart chart = of_series(CHART_POINT, x, y, 1);
    char *svg;

    (void)state;
    chart.title = "<svg onload=a>";
    chart.x_names = names;
    chart.x_name_count = 1;
    svg = draw(&chart);
    assert_int_equal(count_of(svg, "<script"), 0);
    assert_int_equal(count_of(svg, "<svg"), 1);
    assert_null(strchr(svg, '\033'));
    assert_non_null(strstr(svg, "&lt;/text&gt;&lt;script&gt;&amp;&quot; [1m</text>"));
    free(svg);
}

static char *draw_cells(const double *values)
{
    static const char *const rows[] = {"r"}, *const columns[] = {"a", "b"};
    struct chart_cells const cells = {values, rows, columns, 1, 2, "ratio", 3};
    struct chart const chart = {.id = "cells", .cells = &cells, .width = 400, .height = 300};

    return draw(&chart);
}

/* "What differs by less than 1 % has none": both cells are white, and so is the middle of the key. */
static void noise_has_no_shade(void **state)
{
    char *const near = draw_cells((double const[]){1.009, 0.995});
    char *const far = draw_cells((double const[]){1.02, 0.98});

    (void)state;
    assert_int_equal(count_of(near, "#f7f7f7"), 2 + 1);
    assert_int_equal(count_of(far, "#f7f7f7"), 1);
    free(near);
    free(far);
}

/* "As far above as below": the scale that 4 sets goes down to 1/4. */
static void the_scale_is_as_wide_on_both_sides(void **state)
{
    char *const svg = draw_cells((double const[]){4, NAN});

    (void)state;
    assert_non_null(strstr(svg, ">4</text>"));
    assert_non_null(strstr(svg, ">0.25</text>"));
    assert_int_equal(count_of(svg, "<rect"), 21 + 1);
    free(svg);
}

static void nothing_to_draw_is_said(void **state)
{
    static double const x[] = {NAN}, y[] = {1};
    struct chart const chart = of_series(CHART_LINE, x, y, 1);
    char *const svg = draw(&chart), *const again = draw(&chart);

    (void)state;
    assert_non_null(strstr(svg, ">no data</text>"));
    assert_null(strstr(svg, "nan"));
    assert_string_equal(svg, again);
    free(svg);
    free(again);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_finite_is_left_out),
        cmocka_unit_test(log_scales_leave_out_what_is_not_above_0),
        cmocka_unit_test(log_scales_are_even),
        cmocka_unit_test(points_are_not_joined_and_lines_are),
        cmocka_unit_test(texts_steer_nothing),
        cmocka_unit_test(noise_has_no_shade),
        cmocka_unit_test(the_scale_is_as_wide_on_both_sides),
        cmocka_unit_test(nothing_to_draw_is_said),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
