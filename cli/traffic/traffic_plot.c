/* Both pictures share the scale: bandwidth from 0 to the peak, latency between two of 1, 2, 5, 10, .. that hold all
 * points. */
#include <math.h>
#include <string.h>

#include "cli/svg_text.h"
#include "cli/traffic/traffic_print.h"

enum { COLUMNS = 64, ROWS = 16 };        /* of the text */
enum { WIDTH = 720, HEIGHT = 400, LEFT = 70, RIGHT = 690, TOP = 60, BOTTOM = 340 };      /* of the SVG, in pixels */

struct scale {
    double widest;                       /* bytes a second */
    double lowest_ps, highest_ps;
};

static bool is_drawn(const struct traffic_point *point)
{
    return point->mean_ps > 0 && !point->is_saturated;
}

/* The nearest of 1, 2, 5 times a power of ten that is not above (below) the value. */
static double round_latency(double value, bool upwards)
{
    static const double steps[] = {1, 2, 5, 10};
    double const power = pow(10, floor(log10(value)));
    int i = upwards ? 0 : 3;

    while (upwards ? i < 3 && steps[i] * power < value : i > 0 && steps[i] * power > value)
        i += upwards ? 1 : -1;
    return steps[i] * power;
}

/* False: nothing to draw. */
static bool find_scale(struct scale *scale, const struct traffic_title *title, const struct traffic_point *points,
                       unsigned count)
{
    *scale = (struct scale){title->peak_bytes_per_s, INFINITY, 0};
    for (unsigned i = 0; i < count; i++) {
        if (!is_drawn(&points[i]))
            continue;
        scale->lowest_ps = fmin(scale->lowest_ps, points[i].mean_ps);
        scale->highest_ps = fmax(scale->highest_ps, fmax(points[i].mean_ps, (double)points[i].p99_ps));
        scale->widest = fmax(scale->widest, points[i].bytes_per_s);
    }
    if (scale->highest_ps == 0)
        return false;
    scale->lowest_ps = round_latency(scale->lowest_ps, false);
    scale->highest_ps = round_latency(scale->highest_ps, true);
    if (scale->highest_ps <= scale->lowest_ps)
        scale->highest_ps = 2 * scale->lowest_ps;
    return true;
}

/* 0 at the left, 1 at the right; 0 at the bottom, 1 at the top. */
static double across(const struct scale *scale, double bytes_per_s)
{
    return bytes_per_s / scale->widest;
}

static double upwards(const struct scale *scale, double latency_ps)
{
    return log(fmax(latency_ps, scale->lowest_ps) / scale->lowest_ps) / log(scale->highest_ps / scale->lowest_ps);
}

/* ---- text */

static void mark(char rows[ROWS][COLUMNS + 1], const struct scale *scale, double bytes_per_s, double latency_ps,
                 char sign)
{
    int const column = (int)(across(scale, bytes_per_s) * (COLUMNS - 1) + 0.5);
    int const row = ROWS - 1 - (int)(upwards(scale, latency_ps) * (ROWS - 1) + 0.5);

    rows[row][column] = sign;
}

void traffic_plot_text(FILE *to, const struct traffic_title *title, const struct traffic_point *points, unsigned count)
{
    char rows[ROWS][COLUMNS + 1];
    struct scale scale;

    if (!find_scale(&scale, title, points, count))
        return;
    for (int row = 0; row < ROWS; row++) {
        memset(rows[row], ' ', COLUMNS);
        rows[row][COLUMNS] = '\0';
    }
    for (unsigned i = 0; i < count; i++)
        if (is_drawn(&points[i]))
            mark(rows, &scale, points[i].bytes_per_s, (double)points[i].p99_ps, 'o');
    for (unsigned i = 0; i < count; i++)
        if (is_drawn(&points[i]))
            mark(rows, &scale, points[i].bytes_per_s, points[i].mean_ps, '*');
    fprintf(to, "\n%10s  latency of reads: * mean, o p99\n", "ns");
    for (int row = 0; row < ROWS; row++) {
        double const part = (double)(ROWS - 1 - row) / (ROWS - 1);
        double const latency_ps = scale.lowest_ps * pow(scale.highest_ps / scale.lowest_ps, part);

        if (row % 5 == 0)
            fprintf(to, "%10.1f |", 1e-3 * latency_ps);
        else
            fprintf(to, "%10s |", "");
        for (int end = COLUMNS; end > 0 && rows[row][end - 1] == ' '; end--)
            rows[row][end - 1] = '\0';
        fprintf(to, "%s\n", rows[row]);
    }
    fprintf(to, "%10s +", "");
    for (int column = 0; column < COLUMNS; column++)
        fputc('-', to);
    fprintf(to, "\n%12s0%*.1f GB/s\n", "", COLUMNS - 1, 1e-9 * scale.widest);
}

/* ---- SVG */

static double svg_x(const struct scale *scale, double bytes_per_s)
{
    return LEFT + (RIGHT - LEFT) * across(scale, bytes_per_s);
}

static double svg_y(const struct scale *scale, double latency_ps)
{
    return BOTTOM - (BOTTOM - TOP) * upwards(scale, latency_ps);
}

static void svg_axes(FILE *to, const struct scale *scale)
{
    static const double steps[] = {1, 2, 5};
    char text[32];

    for (double power = pow(10, floor(log10(scale->lowest_ps))); power <= scale->highest_ps; power *= 10)
        for (unsigned i = 0; i < 3; i++) {
            double const latency_ps = steps[i] * power;

            if (latency_ps < 0.999 * scale->lowest_ps || latency_ps > 1.001 * scale->highest_ps)
                continue;
            fprintf(to, "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"#dddddd\"/>\n", LEFT,
                    svg_y(scale, latency_ps), RIGHT, svg_y(scale, latency_ps));
            snprintf(text, sizeof text, "%g ns", 1e-3 * latency_ps);
            cli_svg_text(to, LEFT - 8, svg_y(scale, latency_ps) + 4, "end", text);
        }
    for (int part = 0; part <= 4; part++) {
        snprintf(text, sizeof text, "%.1f", 1e-9 * scale->widest * part / 4);
        cli_svg_text(to, LEFT + (RIGHT - LEFT) * part / 4.0, BOTTOM + 20, "middle", text);
    }
    cli_svg_text(to, (LEFT + RIGHT) / 2.0, BOTTOM + 42, "middle", "GB/s");
    fprintf(to, "<path d=\"M%d %dV%dH%d\" fill=\"none\" stroke=\"#333333\"/>\n", LEFT, TOP, BOTTOM, RIGHT);
}

static void svg_line(FILE *to, const struct scale *scale, const struct traffic_point *points, unsigned count,
                     bool is_p99)
{
    const char *const colour = is_p99 ? "#e45756" : "#4c78a8";

    fprintf(to, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" points=\"", colour);
    for (unsigned i = 0; i < count; i++)
        if (is_drawn(&points[i]))
            fprintf(to, "%.1f,%.1f ", svg_x(scale, points[i].bytes_per_s),
                    svg_y(scale, is_p99 ? (double)points[i].p99_ps : points[i].mean_ps));
    fputs("\"/>\n", to);
    for (unsigned i = 0; i < count; i++)
        if (is_drawn(&points[i]))
            fprintf(to, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" fill=\"%s\"/>\n",
                    svg_x(scale, points[i].bytes_per_s),
                    svg_y(scale, is_p99 ? (double)points[i].p99_ps : points[i].mean_ps), colour);
}

void traffic_plot_svg(FILE *to, const struct traffic_title *title, const struct traffic_point *points, unsigned count)
{
    struct scale scale;
    char text[256];

    fprintf(to, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" "
            "font-size=\"13\">\n<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n", WIDTH, HEIGHT, WIDTH, HEIGHT);
    snprintf(text, sizeof text, "%s: latency of reads by bandwidth, %s", title->system, title->pattern);
    cli_svg_text(to, 16, 26, "start", text);
    if (find_scale(&scale, title, points, count)) {
        svg_axes(to, &scale);
        svg_line(to, &scale, points, count, true);
        svg_line(to, &scale, points, count, false);
        fprintf(to, "<rect x=\"%d\" y=\"36\" width=\"13\" height=\"13\" fill=\"#4c78a8\"/>\n", LEFT);
        cli_svg_text(to, LEFT + 18, 47, "start", "mean");
        fprintf(to, "<rect x=\"%d\" y=\"36\" width=\"13\" height=\"13\" fill=\"#e45756\"/>\n", LEFT + 80);
        cli_svg_text(to, LEFT + 98, 47, "start", "p99");
    }
    fputs("</svg>\n", to);
}
