/* Draws one row of the strip charts for one run: bands or lines, ticks of its scale, the previous run's course,
 * legend.
 *
 * Use: strip_scale_of over all runs of a row, so that they share a scale; strip_draw_plot for each; strip_draw_legend.
 * Ownership: everything is borrowed for the call. */
#ifndef VIZ_PANELS_STRIP_DRAW_H
#define VIZ_PANELS_STRIP_DRAW_H

#include "viz/panels/panels.h"
#include "viz/panels/strip_rows.h"

/* Axes of charts: positions of lines and labels, and the line at the selected moment. Units: picoseconds,
 * points. Plain functions. */

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
/* Formats a time with `more` decimals in addition to those of ticks. */
void time_axis_text(const struct time_axis *axis, double time_ps, int more, char *text, size_t room);
/* Where in an area that shows the window. */
float time_axis_x(const struct time_axis *axis, struct area area, double time_ps);

/* The moment that the view looks at lies in its window. */
bool time_axis_has_moment(const struct view *view);
/* A line at that moment, if it does, as high as the area. */
void time_axis_draw_moment(const struct panel *panel, struct area area, const struct time_axis *axis);

/* From `low` to `high` over the height of a plot. */
struct strip_scale {
    enum strip_unit unit;
    bool is_log;
    double low, high, step;
    double decades;                      /* from low to high, of a logarithmic one */
};

struct strip_plot {
    const struct strip_data *data;
    const struct strip_columns *columns;
    const struct strip_data *old;        /* of the run before a restart, or NULL */
    const struct strip_columns *old_columns;
    const struct strip_data *whole;      /* one column, the whole run, for the legend; NULL: a moment is shown */
    const struct strip_columns *whole_columns;
};

/* Of `count` plots; height in points decides how many ticks there are. */
struct strip_scale strip_scale_of(const struct strip_plot *plots, unsigned count, int height);
/* Labels at the right side of `area`, beside a plot of the same height. */
void strip_draw_scale(const struct panel *panel, struct area area, const struct strip_data *data,
                      const struct strip_scale *scale);
void strip_draw_plot(const struct panel *panel, struct area area, const struct strip_plot *plot,
                     const struct strip_scale *scale, const struct time_axis *axis);
/* So low a row has its title in the plot, so that the legend has room. */
bool strip_is_low(int height, unsigned run_count);
/* A legend may be higher than its row by this: a part of the gap below, taken only where lines need it. */
enum { STRIP_LEGEND_MORE = 6 };
/* Names of courses, with each run's values at column at[i] (`columns[i].count`: no values). `area` includes
 * STRIP_LEGEND_MORE. */
void strip_draw_legend(const struct panel *panel, struct area area, const struct strip_plot *plots, unsigned count,
                       const uint32_t *at);
/* Lines "name value" of a run, for the box of explanation. */
void strip_numbers(const struct strip_plot *plot, uint32_t at, char *text, size_t room);

#endif
