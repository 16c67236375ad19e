/* Draws one row of the strip charts for one run: bands or lines, ticks of its scale, old course, legend.
 *
 * Use: strip_scale_of over all runs of a row, so that they share a scale; strip_draw_plot for each; strip_draw_legend.
 * Ownership: everything is borrowed for the call. */
#ifndef VIZ_PANELS_STRIP_DRAW_H
#define VIZ_PANELS_STRIP_DRAW_H

#include "viz/panels/panels.h"
#include "viz/panels/strip_axis.h"
#include "viz/panels/strip_rows.h"

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
    const struct strip_data *old;        /* NULL: there is none */
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
/* Names of courses, with the values of each run at a column (`columns[i].count`: none). `area` with what it may be
 * higher. */
void strip_draw_legend(const struct panel *panel, struct area area, const struct strip_plot *plots, unsigned count,
                       const uint32_t *at);
/* Lines "name value" of a run, for the box of explanation. */
void strip_numbers(const struct strip_plot *plot, uint32_t at, char *text, size_t room);

#endif
