/* Axes of charts: where lines and labels stand, and the line of the moment that is looked at. Units: picoseconds,
 * points. Plain functions. */
#ifndef VIZ_PANELS_STRIP_AXIS_H
#define VIZ_PANELS_STRIP_AXIS_H

#include "viz/panels/panels.h"

/* 1, 2 or 5 times a power of ten: the least such step of which `most` or fewer fit into the span; 1 if that is 0. */
double axis_step(double span, int most);

/* Labels of the time axis, all in one unit with as many decimals as they need: "12.5 us". */
struct time_axis {
    struct time_window window;
    double from_ps, span_ps, step_ps;
    const char *unit;
    double unit_ps;
    int decimals;
};

struct time_axis time_axis_make(const struct time_window *window, int width);
/* Ticks are multiples of step_ps: the first one in the window. */
double time_axis_first(const struct time_axis *axis);
/* With so many more decimals than ticks have. */
void time_axis_text(const struct time_axis *axis, double time_ps, int more, char *text, size_t room);
/* Where in an area that shows the window. */
float time_axis_x(const struct time_axis *axis, struct area area, double time_ps);

/* The moment that the view looks at lies in its window. */
bool time_axis_has_moment(const struct view *view);
/* A line at that moment, if it does, as high as the area. */
void time_axis_draw_moment(const struct panel *panel, struct area area, const struct time_axis *axis);

#endif
