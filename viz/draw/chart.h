/* Charts of plain arrays as SVG.
 *
 * Use: fill a chart and its series, chart_svg, free the text. One picture a call; pictures of different `id` can stand
 * in one page. Numbers that are not finite are left out. Ownership: everything is borrowed for the time of the call.
 * Colours: eight that any kind of colour blindness can distinguish (Okabe and Ito, "Color universal design",
 * 2008), and shapes that differ too.
 * Errors: false without memory. The same chart gives the same bytes. */
#ifndef VIZ_DRAW_CHART_H
#define VIZ_DRAW_CHART_H

#include <stdbool.h>
#include <stddef.h>

enum chart_mark {
    CHART_LINE,          /* points joined by lines */
    CHART_POINT,
    CHART_STEP,          /* a front: horizontal to the next point, then down */
    CHART_RANGE          /* points with bars from low to high */
};

struct chart_series {
    const char *name;                    /* NULL: it looks like the one before, and is not listed */
    enum chart_mark mark;
    const double *x, *y;
    const double *low, *high;            /* of CHART_RANGE only */
    size_t count;
};

/* Cells instead of series: value[row * columns + column], ratios; NAN: an empty cell. Shades say how far a cell is from
 * 1, as far above as below; what differs by less than 1 % has none. */
struct chart_cells {
    const double *values;
    const char *const *row_names, *const *column_names;
    size_t rows, columns;
    const char *value_label;
    int decimals;                        /* of the number in each cell */
};

enum { CHART_MAX_SERIES = 16 };

struct chart {
    const char *id;                      /* of the picture in its page; letters and digits */
    const char *title, *x_label, *y_label;
    struct chart_series series[CHART_MAX_SERIES];
    size_t series_count;
    const char *const *x_names;          /* of the places 0, 1, ...; NULL: x is a number */
    size_t x_name_count;
    bool log_x, log_y, from_zero;        /* from_zero: the y axis begins there */
    const struct chart_cells *cells;     /* not NULL: in place of all series */
    unsigned width, height;              /* pixels */
};

bool chart_svg(const struct chart *chart, char **svg);

#endif
