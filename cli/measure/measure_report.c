#include "cli/measure/measure_report.h"

#include <math.h>
#include <string.h>

#include "cli/common/plot.h"
#include "cli/common/shown.h"

enum { MOST_POINTS = 128 };

static void put_text(FILE *to, const char *text)
{
    html_put_escaped(to, cli_shown(text));
}

/* ---- curves */
struct curve {
    const char *name, *title, *x_name, *y_name, *about;
    bool is_log;                         /* of the cycles */
};

static const struct curve curves[] = {
    {"chase", "Latency by footprint", "footprint", "cycles a load", "A ring of pointers in random order over a "
     "footprint, one load waiting for the one before it. Each step up is the end of a cache.", true},
    {"chains", "Loads in flight", "chains", "cycles a load", "Several rings followed at once in memory behind all "
     "caches. Where the curve becomes flat, misses in flight or bandwidth end.", true},
    {"stride", "Strides", "bytes from load to load", "cycles a load", "A list in order through memory. What a "
     "prefetcher knows costs little of the memory's latency.", true},
    {"cores", "Bandwidth by cores", "cores", "GB/s", "Reads of memory by several cores at once: what all of them get "
     "together.", false},
    {"window", "Window", "instructions behind a miss", "cycles", "Two misses with instructions between them: the "
     "curve doubles where the window no longer holds both.", false},
    {"pages", "Pages", "pages of 4 KiB", "cycles beyond as many lines", "One line in each page of a footprint: what "
     "TLBs cost when they do not reach.", false},
    {"fetch", "Code", "bytes of code", "cycles a jump", "Jumps from line to line in random order.", true}
};

struct both {
    double x[MOST_POINTS], measured[MOST_POINTS], simulated[MOST_POINTS];
    size_t count, simulated_count;
};

static double simulated_of(const struct measurement *measurement, const char *name, double x)
{
    char label[MEASURED_NAME];
    const struct measured *measured;

    snprintf(label, sizeof label, "%s %.0f", name, x);
    measured = measurement_find(measurement, label);
    if (!measured) {
        snprintf(label, sizeof label, "%s %.0fK", name, x / 1024);
        measured = measurement_find(measurement, label);
    }
    return measured ? measured->simulated : (double)NAN;
}

static void read_both(struct both *both, const struct measurement *measurement, const char *name)
{
    struct curve_point points[MOST_POINTS];

    both->count = measure_curve(measurement, name, points, MOST_POINTS);
    both->simulated_count = 0;
    for (size_t i = 0; i < both->count; i++) {
        both->x[i] = points[i].x;
        both->measured[i] = points[i].y;
        both->simulated[i] = simulated_of(measurement, name, points[i].x);
        both->simulated_count += isfinite(both->simulated[i]) ? 1 : 0;
    }
}

/* Cycles for 256 bytes as GB/s. */
static void as_bandwidth(struct both *both, double clock_hz)
{
    for (size_t i = 0; i < both->count; i++) {
        both->measured[i] = 256e-9 * clock_hz / both->measured[i];
        both->simulated[i] = 256e-9 * clock_hz / both->simulated[i];
    }
}

static void tick_size(struct plot_axis *axis, double at)
{
    if (at >= 1 << 20)
        plot_tick(axis, at, "%.0fM", at / (1 << 20));
    else if (at >= 1 << 10)
        plot_tick(axis, at, "%.0fK", at / (1 << 10));
    else
        plot_tick(axis, at, "%.0f", at);
}

static void make_axes(struct plot *plot, const struct curve *curve, const struct both *both)
{
    double high = 0, low = INFINITY;

    for (size_t i = 0; i < both->count; i++) {
        high = fmax(high, fmax(isfinite(both->measured[i]) ? both->measured[i] : 0,
                               isfinite(both->simulated[i]) ? both->simulated[i] : 0));
        low = fmin(low, isfinite(both->measured[i]) && both->measured[i] > 0 ? both->measured[i] : INFINITY);
        low = fmin(low, isfinite(both->simulated[i]) && both->simulated[i] > 0 ? both->simulated[i] : INFINITY);
    }
    plot->x = (struct plot_axis){.name = curve->x_name, .from = both->x[0], .to = both->x[both->count - 1],
                                 .is_log = true};
    for (double at = both->x[0], last = 0; at <= plot->x.to; at *= 2)
        if (at >= last * (plot->x.to / plot->x.from > 4096 ? 4 : 2)) {
            tick_size(&plot->x, at);
            last = at;
        }
    plot->y = (struct plot_axis){.name = curve->y_name, .from = curve->is_log ? fmin(low, high / 2) : 0,
                                 .to = high * 1.05, .is_log = curve->is_log};
    if (curve->is_log) {
        for (double at = pow(2, floor(log2(plot->y.from))); at <= plot->y.to; at *= high / low > 64 ? 4 : 2)
            if (at >= plot->y.from)
                plot_tick(&plot->y, at, "%g", at);
    } else {
        double const step = pow(10, floor(log10(high)));

        for (double at = 0; at <= plot->y.to; at += high / step < 3 ? step / 2 : step)
            plot_tick(&plot->y, at, "%g", at);
    }
}

static void put_curve(FILE *to, const struct measurement *measurement, const struct curve *curve)
{
    struct both both;
    struct plot plot = {.title = curve->y_name};
    struct plot_series series[2] = {{.name = "measured", .has_marks = true}, {.name = "replayed", .has_marks = true}};

    read_both(&both, measurement, curve->name);
    if (strcmp(curve->name, "cores") == 0)
        as_bandwidth(&both, measurement_clock_hz(measurement));
    fprintf(to, "<section><h2>%s</h2>\n<p>%s</p>\n", curve->title, curve->about);
    if (both.count < 2) {
        fputs("<p>Not measured.</p></section>\n", to);
        return;
    }
    for (size_t i = 0; i < 2; i++) {
        series[i].x = both.x;
        series[i].y = i == 0 ? both.measured : both.simulated;
        series[i].count = both.count;
    }
    plot.series = series;
    plot.series_count = both.simulated_count > 0 ? 2 : 1;
    make_axes(&plot, curve, &both);
    plot_svg(to, &plot);
    if (both.simulated_count == 0)
        fputs("<p>Not replayed.</p>", to);
    else if (both.simulated_count < both.count)
        fprintf(to, "<p>%zu of %zu points are replayed.</p>", both.simulated_count, both.count);
    fputs("</section>\n", to);
}

/* ---- tables */
static void put_number(FILE *to, double number, const char *format)
{
    fputs("<td class=\"n\">", to);
    if (isfinite(number))
        fprintf(to, format, number);
    else
        fputs("-", to);
    fputs("</td>", to);
}

static void put_keys(FILE *to, const struct found_system *system)
{
    fputs("<h2>Keys of the system</h2>\n<div class=\"t\"><table><tr><th>key</th><th>value</th>"
          "<th>from</th></tr>\n", to);
    for (size_t i = 0; i < system->count; i++) {
        const struct finding *const finding = &system->list[i];

        fprintf(to, "<tr%s><td>", finding_is_known(finding) ? "" : " class=\"u\"");
        put_text(to, finding->key);
        fputs("</td><td>", to);
        put_text(to, finding_is_known(finding) ? finding->value : "unknown");
        fputs("</td><td>", to);
        put_text(to, finding->note);
        fputs("</td></tr>\n", to);
    }
    fputs("</table></div>\n", to);
}

static void put_benchmarks(FILE *to, const struct measurement *measurement)
{
    fputs("<h2>Benchmarks</h2>\n<details><summary>Cycles of an operation</summary><div class=\"t\"><table><tr>"
          "<th>benchmark</th><th>cycles</th><th>spread</th><th>replayed</th><th>remark</th></tr>\n", to);
    for (size_t i = 0; i < measurement->count; i++) {
        const struct measured *const measured = &measurement->list[i];

        fputs("<tr><td>", to);
        put_text(to, measured->name);
        fputs("</td>", to);
        put_number(to, passes_value(&measured->cycles), "%.3f");
        put_number(to, 100 * passes_spread(&measured->cycles), "%.1f %%");
        put_number(to, measured->simulated, "%.3f");
        fputs("<td>", to);
        put_text(to, measured->missing ? measured->missing
                     : passes_are_steady(&measured->cycles) ? "" : "disturbed");
        fputs("</td></tr>\n", to);
    }
    fputs("</table></div></details>\n", to);
}

void measure_report_write(FILE *to, const struct found_system *system, const struct measurement *measurement)
{
    const char *const model = measurement->host.model[0] ? measurement->host.model : "This host";

    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\""
          "Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">\n"
          "<meta name=\"viewport\" content=\"width=device-width\">\n<link rel=\"icon\" href=\"data:,\">\n<title>", to);
    put_text(to, model);
    fputs(", measured</title>\n<style>body{font:15px sans-serif;max-width:1500px;margin:1em auto;padding:0 1em}"
          ".g{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,500px),1fr));gap:0 2em}section svg{"
          "width:100%;max-width:720px;height:auto;border:1px solid #ddd}.t{overflow-x:auto}"
          "table{border-collapse:collapse}td,th{border:1px solid #ddd;padding:.2em .6em;"
          "text-align:left}.n{text-align:right}.u{color:#777}</style>\n</head>\n<body>\n<h1>", to);
    put_text(to, model);
    fprintf(to, ", measured and replayed</h1>\n<p>Clock %.3f GHz, against %s. %u cores could be used. ",
            1e-9 * measurement_clock_hz(measurement), measurement->host.counter_name, measurement->host.core_count);
    fputs("Replays are of the same microbenchmarks on the system that was written, on the detailed core; in place of "
          "keys that are unknown because their benchmarks were disturbed they use the values in the comments.</p>\n"
          "<div class=\"g\">\n", to);
    for (size_t i = 0; i < sizeof curves / sizeof curves[0]; i++)
        put_curve(to, measurement, &curves[i]);
    fputs("</div>\n", to);
    put_keys(to, system);
    put_benchmarks(to, measurement);
    fputs("</body>\n</html>\n", to);
}
