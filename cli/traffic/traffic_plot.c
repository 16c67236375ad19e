/* Bandwidth from 0 to the peak, latency between two of 1, 2, 5, 10, .. that hold all points. */
#include <math.h>

#include "cli/common/plot.h"
#include "cli/traffic/traffic_print.h"

static double const steps[] = {1, 2, 5, 10};

/* The nearest of 1, 2, 5 times a power of ten that is not above (below) the value. */
static double round_latency(double value, bool upwards)
{
    double const power = pow(10, floor(log10(value)));
    int i = upwards ? 0 : 3;

    while (upwards ? i < 3 && steps[i] * power < value : i > 0 && steps[i] * power > value)
        i += upwards ? 1 : -1;
    return steps[i] * power;
}

static void put_ticks(struct plot *plot, double last)
{
    for (double power = pow(10, floor(log10(plot->y.from))); power <= plot->y.to; power *= 10)
        for (unsigned i = 0; i < 3; i++) {
            double const latency_ns = steps[i] * power;

            if (latency_ns >= 0.999 * plot->y.from && latency_ns <= 1.001 * plot->y.to)
                plot_tick(&plot->y, latency_ns, "%g ns", latency_ns);
        }
    for (int part = 0; part <= 4; part++)
        plot_tick(&plot->x, last * part / 4, "%.1f", last * part / 4);
}

/* Points that are drawn; their mean and p99 widen the axes. Returns their number. p99s NULL: of several curves, whose
 * last points, with full queues, would fold the lines back. */
static size_t take_points(struct plot *plot, const struct traffic_point *points, unsigned count, double *bandwidths,
                          double *means, double *p99s)
{
    size_t drawn = 0;

    for (const struct traffic_point *point = points; point < points + count; point++) {
        if (point->mean_ps <= 0 || point->is_saturated || (!p99s && point->kind == POINT_FULL))
            continue;
        bandwidths[drawn] = 1e-9 * point->bytes_per_s;
        means[drawn] = 1e-3 * point->mean_ps;
        plot->x.to = fmax(plot->x.to, bandwidths[drawn]);
        plot->y.from = fmin(plot->y.from, means[drawn]);
        plot->y.to = fmax(plot->y.to, means[drawn]);
        if (p99s) {
            p99s[drawn] = 1e-3 * (double)point->p99_ps;
            plot->y.to = fmax(plot->y.to, p99s[drawn]);
        }
        drawn++;
    }
    return drawn;
}

static void draw(FILE *to, bool is_svg, struct plot *plot, bool has_points, double last_tick)
{
    if (has_points) {
        plot->y.from = round_latency(plot->y.from, false);
        plot->y.to = fmax(round_latency(plot->y.to, true), 2 * plot->y.from);
        put_ticks(plot, last_tick);
    }
    if (is_svg)
        plot_svg(to, plot);
    else if (has_points)
        plot_text(to, plot);
}

void traffic_plot(FILE *to, bool is_svg, const struct traffic_title *title, const struct traffic_point *points,
                  unsigned count)
{
    double bandwidths[TRAFFIC_CURVE_POINTS], means[TRAFFIC_CURVE_POINTS], p99s[TRAFFIC_CURVE_POINTS];
    struct plot_series series[] = {
        {.name = "mean", .x = bandwidths, .y = means, .has_marks = true, .letter = '*'},
        {.name = "p99", .x = bandwidths, .y = p99s, .has_marks = true, .letter = 'o'}
    };
    char text[256];
    struct plot plot = {
        .title = is_svg ? text : "latency of reads", .x = {.name = "GB/s", .to = 1e-9 * title->peak_bytes_per_s},
        .y = {.name = "ns", .from = INFINITY, .is_log = true}, .series = series
    };
    size_t const drawn = take_points(&plot, points, count, bandwidths, means, p99s);

    snprintf(text, sizeof text, "%s: latency of reads by bandwidth, %s", title->system, title->pattern);
    if (drawn > 0) {
        plot.series_count = 2;
        series[0].count = series[1].count = drawn;
    }
    draw(to, is_svg, &plot, drawn > 0, plot.x.to);
}

void traffic_plot_lines(FILE *to, bool is_svg, const struct traffic_title *title, const struct traffic_line *lines,
                        unsigned count)
{
    double bandwidths[TRAFFIC_MOST_LINES][TRAFFIC_CURVE_POINTS], means[TRAFFIC_MOST_LINES][TRAFFIC_CURVE_POINTS];
    struct plot_series series[TRAFFIC_MOST_LINES];
    char names[TRAFFIC_MOST_LINES][16], text[256], peak[32];
    double const peak_gb_per_s = 1e-9 * title->peak_bytes_per_s;
    struct plot plot = {
        .title = is_svg ? text : "mean latency of reads by their share",
        .x = {.name = "GB/s", .to = 1.04 * peak_gb_per_s},
        .y = {.name = "ns", .from = INFINITY, .is_log = true}, .series = series, .series_count = count,
        .x_mark = peak_gb_per_s, .x_mark_name = peak
    };
    size_t drawn = 0;

    snprintf(text, sizeof text, "%s: mean latency of reads by bandwidth and share of reads, %s", title->system,
             title->pattern);
    snprintf(peak, sizeof peak, "peak %.1f GB/s", peak_gb_per_s);
    for (unsigned i = 0; i < count; i++) {
        snprintf(names[i], sizeof names[i], "%g %%", 100 * lines[i].read_share);
        series[i] = (struct plot_series){
            .name = names[i], .x = bandwidths[i], .y = means[i], .has_marks = true, .letter = (char)('a' + i),
            .count = take_points(&plot, lines[i].points, lines[i].count, bandwidths[i], means[i], NULL)};
        drawn += series[i].count;
    }
    draw(to, is_svg, &plot, drawn > 0, peak_gb_per_s);
}
