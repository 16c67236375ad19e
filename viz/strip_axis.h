/* Axes of charts: where lines and labels stand. Units: picoseconds, points. Plain functions. */
#ifndef VIZ_STRIP_AXIS_H
#define VIZ_STRIP_AXIS_H

#include "viz/view.h"

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

#endif
