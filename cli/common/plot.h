/* Small charts of curves: as SVG, and as text of PLOT_COLUMNS by PLOT_ROWS letters.
 *
 * Use: fill both axes (plot_tick adds the marks of the SVG) and the series, then plot_svg or plot_text. Points that are
 * not finite are left out; those beyond an end of an axis are drawn at that end. Texts are quoted here.
 * Ownership: everything is borrowed for the time of the call. */
#ifndef CLI_COMMON_PLOT_H
#define CLI_COMMON_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { PLOT_COLUMNS = 64, PLOT_ROWS = 16, PLOT_MOST_TICKS = 64 };

struct plot_axis {
    const char *name;
    double from, to;                     /* to > from; logarithmic: from > 0 */
    bool is_log;
    struct plot_tick {
        double at;
        char text[24];
    } ticks[PLOT_MOST_TICKS];
    unsigned tick_count;
};

struct plot_series {
    const char *name;
    const double *x, *y;
    size_t count;
    bool has_marks;                      /* a circle at each point */
    char letter;                         /* of text */
};

struct plot {
    const char *title;
    struct plot_axis x, y;
    const struct plot_series *series;    /* the first lies on top */
    size_t series_count;
    double x_mark;                       /* a broken line across it ... */
    const char *x_mark_name;             /* ... called so; NULL: none */
};

/* One more than PLOT_MOST_TICKS is left out. */
void plot_tick(struct plot_axis *axis, double at, const char *format, ...) __attribute__((format(printf, 3, 4)));

void plot_svg(FILE *to, const struct plot *plot);
void plot_text(FILE *to, const struct plot *plot);

#endif
