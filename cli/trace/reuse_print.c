/* Sizes in the table are powers of two from 1 KiB to the first at which only first touches miss; the picture has four
 * points for each. */
#include "cli/trace/reuse_print.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "cli/cli.h"
#include "cli/output_name.h"
#include "cli/svg_text.h"
#include "cli/trace/footprint.h"

enum { SMALLEST_BYTES = 1024, BAR_WIDTH = 40 };
enum { WIDTH = 720, HEIGHT = 400, LEFT = 70, RIGHT = 690, TOP = 60, BOTTOM = 340 };      /* of the SVG, in pixels */

static uint64_t first_lines(const struct reuse_curve *curve)
{
    return curve->line_bytes < SMALLEST_BYTES ? SMALLEST_BYTES / curve->line_bytes : 1;
}

static uint64_t last_lines(const struct reuse_curve *curve)
{
    uint64_t const largest = reuse_largest(curve->reuse), first = first_lines(curve);

    return largest > first ? largest : first;
}

/* "32 KiB" of a power of two. */
static const char *size_text(char text[32], uint64_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    unsigned unit = 0;

    for (; bytes >= 1024 && unit < 6; unit++)
        bytes /= 1024;
    snprintf(text, 32, "%" PRIu64 " %s", bytes, units[unit]);
    return text;
}

/* ---- text */
void reuse_print(FILE *to, const struct reuse_curve *curve)
{
    const struct reuse *const reuse = curve->reuse;
    double const touches = (double)reuse->touches;
    char size[32];

    if (reuse->touches == 0)
        return;
    fprintf(to, "\nMisses of a fully associative LRU cache: %s, lines of %" PRIu64 " bytes%s\n", curve->name,
           curve->line_bytes, reuse->failed ? " (breaks off: out of memory)" : "");
    if (curve->order)
        fprintf(to, "  %s\n", curve->order);
    if (reuse->halvings)
        fprintf(to, "  estimated: 1 line in %" PRIu64 " was looked at, chosen by a hash of its number\n",
               UINT64_C(1) << reuse->halvings);
    for (uint64_t lines = first_lines(curve); lines <= last_lines(curve); lines *= 2) {
        double const rate = reuse_misses(reuse, lines);

        fprintf(to, "  %-12s %9" PRIu64 " lines %14.0f misses %6.2f %%  %.*s\n",
                size_text(size, lines * curve->line_bytes), lines, rate * touches, 100 * rate,
                (int)ceil(BAR_WIDTH * rate - 1e-9), "########################################");
    }
    fprintf(to, "  of %" PRIu64 " touches of lines, %.0f (%.2f %%) are the first of a line, which no size avoids\n",
           reuse->touches, reuse->first, 100 * reuse_misses(reuse, last_lines(curve)));
}

/* ---- JSON */
void reuse_put_json(struct json *json, const struct reuse_curve *curve)
{
    const struct reuse *const reuse = curve->reuse;

    json_put_object(json, "reuse", JSON_SPACED);
    json_put_string(json, "accesses", curve->name);
    json_put_number(json, "line_bytes", curve->line_bytes);
    json_put_number(json, "touches", reuse->touches);
    json_put_real(json, "first_touches", reuse->first, 17);
    json_put_number(json, "one_line_in", UINT64_C(1) << reuse->halvings);
    json_put_array(json, "miss_rates", JSON_SPACED);
    for (uint64_t lines = first_lines(curve); reuse->touches > 0 && lines <= last_lines(curve); lines *= 2) {
        json_begin_object(json, JSON_SPACED);
        json_put_number(json, "cache_bytes", lines * curve->line_bytes);
        json_put_real(json, "miss_rate", reuse_misses(reuse, lines), 9);
        json_end(json);
    }
    json_end(json);
    json_end(json);
}

/* ---- SVG */
struct scale {
    double from, to;                     /* bytes, as powers of two */
};

static struct scale scale_of(const struct reuse_curve *curves, size_t count)
{
    struct scale scale = {63, 10};

    for (size_t i = 0; i < count; i++) {
        if (curves[i].reuse->touches == 0)
            continue;
        scale.from = fmin(scale.from, log2((double)(first_lines(&curves[i]) * curves[i].line_bytes)));
        scale.to = fmax(scale.to, 1 + log2((double)(last_lines(&curves[i]) * curves[i].line_bytes)));
    }
    if (scale.from >= scale.to)
        scale = (struct scale){10, 11};
    return scale;
}

static double svg_x(const struct scale *scale, double bytes)
{
    return LEFT + (RIGHT - LEFT) * (log2(bytes) - scale->from) / (scale->to - scale->from);
}

static double svg_y(double rate)
{
    return BOTTOM - (BOTTOM - TOP) * rate;
}

static void svg_axes(FILE *to, const struct scale *scale)
{
    int const step = scale->to - scale->from > 14 ? 2 : 1;
    char text[32];

    for (int part = 0; part <= 5; part++) {
        fprintf(to, "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"#dddddd\"/>\n", LEFT, svg_y(part / 5.0),
                RIGHT, svg_y(part / 5.0));
        snprintf(text, sizeof text, "%d %%", 20 * part);
        cli_svg_text(to, LEFT - 8, svg_y(part / 5.0) + 4, "end", text);
    }
    for (int power = (int)scale->from; power <= (int)scale->to; power += step)
        cli_svg_text(to, svg_x(scale, ldexp(1, power)), BOTTOM + 20, "middle", size_text(text, UINT64_C(1) << power));
    cli_svg_text(to, (LEFT + RIGHT) / 2.0, BOTTOM + 42, "middle", "capacity of a fully associative LRU cache");
    fprintf(to, "<path d=\"M%d %dV%dH%d\" fill=\"none\" stroke=\"#333333\"/>\n", LEFT, TOP, BOTTOM, RIGHT);
}

static void svg_curve(FILE *to, const struct scale *scale, const struct reuse_curve *curve, const char *colour)
{
    double const last = ldexp(1, (int)scale->to);

    fprintf(to, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" points=\"", colour);
    for (unsigned i = 1; i < REUSE_RANGES; i++) {
        double const bytes = (double)reuse_size(i) * (double)curve->line_bytes;

        if (log2(bytes) >= scale->from && bytes <= last)
            fprintf(to, "%.1f,%.1f ", svg_x(scale, bytes), svg_y(reuse_misses(curve->reuse, reuse_size(i))));
    }
    fputs("\"/>\n", to);
}

static void write_svg(FILE *to, const char *trace, const struct reuse_curve *curves, size_t count)
{
    static const char *const colours[] = {"#4c78a8", "#e45756", "#54a24b", "#b279a2"};
    struct scale const scale = scale_of(curves, count);
    char text[400];
    int x = LEFT;

    fprintf(to, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" "
            "font-size=\"13\">\n<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n", WIDTH, HEIGHT, WIDTH, HEIGHT);
    snprintf(text, sizeof text, "%.300s: miss rate by capacity", trace);
    cli_svg_text(to, 16, 26, "start", text);
    svg_axes(to, &scale);
    for (size_t i = 0; i < count; i++) {
        const char *const colour = colours[i % (sizeof colours / sizeof colours[0])];

        if (curves[i].reuse->touches == 0)
            continue;
        svg_curve(to, &scale, &curves[i], colour);
        fprintf(to, "<rect x=\"%d\" y=\"36\" width=\"13\" height=\"13\" fill=\"%s\"/>\n", x, colour);
        cli_svg_text(to, x + 18, 47, "start", curves[i].name);
        x += 200;
    }
    fputs("</svg>\n", to);
}

int reuse_plot(const char *path, const char *trace, const struct reuse_curve *curves, size_t count)
{
    FILE *const to = path ? cli_output_open(path) : NULL;

    if (!path)
        return CLI_OK;
    if (!to)
        return CLI_BAD_INPUT;
    write_svg(to, trace, curves, count);
    return cli_output_close(to, path) ? CLI_OK : CLI_BAD_INPUT;
}

/* ---- lanes */
static void add_line(struct lane_lines *lanes, uint64_t line)
{
    for (size_t i = lanes->count; i > 0; i--)
        if (lanes->lines[i - 1] == line)
            return;
    if (lanes->count < sizeof lanes->lines / sizeof lanes->lines[0])
        lanes->lines[lanes->count++] = line;
}

void lane_lines_add(struct lane_lines *lanes, uint64_t address, uint64_t bytes, uint64_t line_bytes)
{
    uint64_t const last = bytes == 0 || address + bytes - 1 < address ? address : address + bytes - 1;

    add_line(lanes, address / line_bytes);
    if (last / line_bytes != address / line_bytes)
        add_line(lanes, last / line_bytes);
}

void lane_lines_touch(const struct lane_lines *lanes, struct reuse *reuse)
{
    for (size_t i = 0; i < lanes->count; i++)
        reuse_touch(reuse, lanes->lines[i]);
}
