#include "viz/panels/strip_draw.h"

#include <math.h>
#include <stdio.h>

enum { LEAST_GAP = 96 };

double axis_step(double span, int most)
{
    static const double steps[] = {1, 2, 5, 10};
    double const least = most > 0 ? span / most : span;
    double power;

    if (!(least > 0))
        return 1;
    power = pow(10, floor(log10(least)));
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (steps[i] * power >= least * (1 - 1e-9))
            return steps[i] * power;
    return 10 * power;
}

struct time_axis time_axis_make(const struct time_window *window, int width)
{
    static const struct { double ps; const char *name; } units[] = {
        {1e12, "s"}, {1e9, "ms"}, {1e6, "us"}, {1e3, "ns"}, {1, "ps"}
    };
    struct time_axis axis = {.window = *window, .from_ps = (double)window->from_ps};
    size_t unit = 0;

    axis.span_ps = window->to_ps > window->from_ps ? (double)(window->to_ps - window->from_ps) : 0;
    axis.step_ps = fmax(1, axis_step(axis.span_ps, width / LEAST_GAP));
    while (unit + 1 < sizeof units / sizeof *units && (double)window->to_ps < units[unit].ps)
        unit++;
    axis.unit = units[unit].name;
    axis.unit_ps = units[unit].ps;
    while (axis.decimals < 12 && axis.step_ps / axis.unit_ps * pow(10, axis.decimals) < 1 - 1e-9)
        axis.decimals++;
    return axis;
}

double time_axis_first(const struct time_axis *axis)
{
    return ceil(axis->from_ps / axis->step_ps) * axis->step_ps;
}

void time_axis_text(const struct time_axis *axis, double time_ps, int more, char *text, size_t room)
{
    snprintf(text, room, "%.*f %s", axis->decimals + more, time_ps / axis->unit_ps, axis->unit);
}

float time_axis_x(const struct time_axis *axis, struct area area, double time_ps)
{
    double const part = axis->span_ps > 0 ? (time_ps - axis->from_ps) / axis->span_ps : 0;

    return (float)(area.x + part * area.width);
}

bool time_axis_has_moment(const struct view *view)
{
    return view->has_at && view->at_ps >= view->window.from_ps && view->at_ps <= view->window.to_ps;
}

void time_axis_draw_moment(const struct panel *panel, struct area area, const struct time_axis *axis)
{
    float const x = floorf(time_axis_x(axis, area, (double)panel->view->at_ps)) + 0.5F;
    struct point const top = {x, (float)area.y}, bottom = {x, (float)(area.y + area.height)};

    if (time_axis_has_moment(panel->view))
        canvas_line(panel->canvas, top, bottom, 1, panel->theme->highlight);
}
