#include "cli/common/plot.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "cli/common/shown.h"

enum { WIDTH = 720, HEIGHT = 400, LEFT = 70, RIGHT = 690, TOP = 60, BOTTOM = 340, LEGEND = 200 };       /* pixels */

void plot_tick(struct plot_axis *axis, double at, const char *format, ...)
{
    va_list arguments;

    if (axis->tick_count == PLOT_MOST_TICKS)
        return;
    axis->ticks[axis->tick_count].at = at;
    va_start(arguments, format);
    vsnprintf(axis->ticks[axis->tick_count++].text, sizeof axis->ticks[0].text, format, arguments);
    va_end(arguments);
}

/* 0 at the axis's beginning, 1 at its end. */
static double share_of(const struct plot_axis *axis, double value)
{
    value = fmin(fmax(value, axis->from), axis->to);
    return axis->is_log ? log(value / axis->from) / log(axis->to / axis->from)
                        : (value - axis->from) / (axis->to - axis->from);
}

static double value_at(const struct plot_axis *axis, double share)
{
    return axis->is_log ? axis->from * pow(axis->to / axis->from, share)
                        : axis->from + (axis->to - axis->from) * share;
}

static bool is_drawn(const struct plot_series *series, size_t point)
{
    return isfinite(series->x[point]) && isfinite(series->y[point]);
}

/* ---- SVG */
static double svg_x(const struct plot *plot, double value)
{
    return LEFT + (RIGHT - LEFT) * share_of(&plot->x, value);
}

static double svg_y(const struct plot *plot, double value)
{
    return BOTTOM - (BOTTOM - TOP) * share_of(&plot->y, value);
}

/* anchor: "start", "middle" or "end". */
static void svg_text(FILE *to, double x, double y, const char *anchor, const char *text)
{
    fprintf(to, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
    for (text = cli_shown(text); *text != '\0'; text++) {
        if (*text == '<' || *text == '&')
            fputs(*text == '<' ? "&lt;" : "&amp;", to);
        else
            fputc(*text, to);
    }
    fputs("</text>\n", to);
}

static void svg_axes(FILE *to, const struct plot *plot)
{
    for (const struct plot_tick *tick = plot->y.ticks; tick < plot->y.ticks + plot->y.tick_count; tick++) {
        double const y = svg_y(plot, tick->at);

        fprintf(to, "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"#dddddd\"/>\n", LEFT, y, RIGHT, y);
        svg_text(to, LEFT - 8, y + 4, "end", tick->text);
    }
    for (const struct plot_tick *tick = plot->x.ticks; tick < plot->x.ticks + plot->x.tick_count; tick++)
        svg_text(to, svg_x(plot, tick->at), BOTTOM + 20, "middle", tick->text);
    svg_text(to, (LEFT + RIGHT) / 2.0, BOTTOM + 42, "middle", plot->x.name);
    if (plot->x_mark_name) {
        double const x = svg_x(plot, plot->x_mark);

        fprintf(to, "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"#333333\" "
                "stroke-dasharray=\"5 4\"/>\n", x, TOP, x, BOTTOM);
        svg_text(to, x - 6, TOP + 14, "end", plot->x_mark_name);
    }
    fprintf(to, "<path d=\"M%d %dV%dH%d\" fill=\"none\" stroke=\"#333333\"/>\n", LEFT, TOP, BOTTOM, RIGHT);
}

static void svg_series(FILE *to, const struct plot *plot, const struct plot_series *series, const char *colour)
{
    fprintf(to, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" points=\"", colour);
    for (size_t i = 0; i < series->count; i++)
        if (is_drawn(series, i))
            fprintf(to, "%.1f,%.1f ", svg_x(plot, series->x[i]), svg_y(plot, series->y[i]));
    fputs("\"/>\n", to);
    for (size_t i = 0; series->has_marks && i < series->count; i++)
        if (is_drawn(series, i))
            fprintf(to, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" fill=\"%s\"/>\n", svg_x(plot, series->x[i]),
                    svg_y(plot, series->y[i]), colour);
}

void plot_svg(FILE *to, const struct plot *plot)
{
    static const char *const colours[] = {"#4c78a8", "#e45756", "#54a24b", "#b279a2", "#f58518", "#72b7b2", "#9d755d",
                                          "#ff9da6", "#333333", "#bab0ac", "#8ca252"};
    int const legend = plot->series_count * LEGEND <= RIGHT - LEFT ? LEGEND
                                                                    : (RIGHT - LEFT) / (int)plot->series_count;

    fprintf(to, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
            "font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n",
            WIDTH, HEIGHT, WIDTH, HEIGHT, WIDTH, HEIGHT);
    svg_text(to, 16, 26, "start", plot->title);
    if (plot->series_count > 0)
        svg_axes(to, plot);
    for (size_t i = plot->series_count; i-- > 0;) {
        const char *const colour = colours[i % (sizeof colours / sizeof colours[0])];
        int const x = LEFT + legend * (int)i;

        svg_series(to, plot, &plot->series[i], colour);
        fprintf(to, "<rect x=\"%d\" y=\"36\" width=\"13\" height=\"13\" fill=\"%s\"/>\n", x, colour);
        svg_text(to, x + 18, 47, "start", plot->series[i].name);
    }
    fputs("</svg>\n", to);
}

/* ---- text */
static void mark_series(char rows[PLOT_ROWS][PLOT_COLUMNS + 1], const struct plot *plot,
                        const struct plot_series *series)
{
    for (size_t i = 0; i < series->count; i++)
        if (is_drawn(series, i)) {
            int const column = (int)(share_of(&plot->x, series->x[i]) * (PLOT_COLUMNS - 1) + 0.5);
            int const row = PLOT_ROWS - 1 - (int)(share_of(&plot->y, series->y[i]) * (PLOT_ROWS - 1) + 0.5);

            rows[row][column] = series->letter;
        }
}

void plot_text(FILE *to, const struct plot *plot)
{
    char rows[PLOT_ROWS][PLOT_COLUMNS + 1];

    for (int row = 0; row < PLOT_ROWS; row++) {
        memset(rows[row], ' ', PLOT_COLUMNS);
        rows[row][PLOT_COLUMNS] = '\0';
    }
    for (int row = 0; plot->x_mark_name && row < PLOT_ROWS; row++)
        rows[row][(int)(share_of(&plot->x, plot->x_mark) * (PLOT_COLUMNS - 1) + 0.5)] = ':';
    for (size_t i = plot->series_count; i-- > 0;)
        mark_series(rows, plot, &plot->series[i]);
    fprintf(to, "\n%10s  %s:", plot->y.name, plot->title);
    for (size_t i = 0; i < plot->series_count; i++)
        fprintf(to, "%s %c %s", i ? "," : "", plot->series[i].letter, plot->series[i].name);
    if (plot->x_mark_name)
        fprintf(to, ", : %s", plot->x_mark_name);
    fputc('\n', to);
    for (int row = 0; row < PLOT_ROWS; row++) {
        if (row % 5 == 0)
            fprintf(to, "%10.1f |", value_at(&plot->y, (double)(PLOT_ROWS - 1 - row) / (PLOT_ROWS - 1)));
        else
            fprintf(to, "%10s |", "");
        for (int end = PLOT_COLUMNS; end > 0 && rows[row][end - 1] == ' '; end--)
            rows[row][end - 1] = '\0';
        fprintf(to, "%s\n", rows[row]);
    }
    fprintf(to, "%10s +", "");
    for (int column = 0; column < PLOT_COLUMNS; column++)
        fputc('-', to);
    fprintf(to, "\n%12s0%*.1f %s\n", "", PLOT_COLUMNS - 1, plot->x.to, plot->x.name);
}
