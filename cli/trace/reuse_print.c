/* Sizes in the table are powers of two from 1 KiB to the first at which only first touches miss; the picture has four
 * points for each. */
#include "cli/trace/reuse_print.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/line_span.h"
#include "cli/common/cli.h"
#include "cli/common/output_name.h"
#include "cli/common/plot.h"
#include "cli/trace/sheet.h"

enum { SMALLEST_BYTES = 1024, BAR_WIDTH = 40, MOST_CURVES = 4 };

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

/* ---- page */
static struct table_column const reuse_columns[] = {
    {.name = "cache_bytes"}, TEXT_COLUMN("", -12, .gap = "  "), TEXT_COLUMN("", 15, .suffix = " lines"),
    TEXT_COLUMN("", 21, .suffix = " misses"),
    {.name = "miss_rate", .heading = "", .width = 8, .text_digits = 2, .data_digits = -9, .scale = 100,
     .suffix = " %"},
    TEXT_COLUMN("", 0, .gap = "  ")
};

static void put_sizes(const void *context, struct table_writer *writer)
{
    const struct reuse_curve *const curve = context;

    for (uint64_t lines = first_lines(curve); curve->reuse->touches > 0 && lines <= last_lines(curve); lines *= 2) {
        double const rate = reuse_misses(curve->reuse, lines);
        char size[32], bar[BAR_WIDTH + 1] = "";

        memset(bar, '#', (size_t)ceil(BAR_WIDTH * rate - 1e-9));
        table_count(writer, lines * curve->line_bytes);
        table_word(writer, size_text(size, lines * curve->line_bytes));
        table_real(writer, (double)lines);
        table_real(writer, rate * (double)curve->reuse->touches);
        table_real(writer, rate);
        table_word(writer, bar);
        table_end_row(writer);
    }
}

void reuse_sheet(struct sheet *sheet, const struct reuse_curve *curve)
{
    const struct reuse *const reuse = curve->reuse;
    bool const was_flat = sheet->is_flat;

    if (reuse->touches == 0 && sheet->to)
        return;
    sheet->is_flat = true;
    sheet_object(sheet, curve->key ? curve->key : "reuse");
    sheet_strings(sheet, "\nMisses of a fully associative LRU cache: {accesses}, ", curve->name);
    sheet_numbers(sheet, "lines of {line_bytes} bytes", curve->line_bytes);
    sheet_text(sheet, "%s\n", reuse->failed ? " (breaks off: out of memory)" : "");
    if (curve->order)
        sheet_text(sheet, "  %s\n", curve->order);
    sheet_numbers(sheet, "{+touches}{+one_line_in}", reuse->touches, UINT64_C(1) << reuse->halvings);
    sheet_real(sheet, "first_touches", reuse->first, 17);
    if (reuse->halvings)
        sheet_text(sheet, "  estimated: 1 line in %" PRIu64 " was looked at, chosen by a hash of its number\n",
                   UINT64_C(1) << reuse->halvings);
    sheet_table(sheet, "miss_rates", TABLE_OF(reuse_columns, put_sizes, curve));
    sheet_text(sheet, "  of %" PRIu64 " touches of lines, %.0f (%.2f %%) are the first of a line, which no size "
               "avoids\n",
               reuse->touches, reuse->first, 100 * reuse_misses(reuse, last_lines(curve)));
    sheet_close(sheet);
    sheet->is_flat = was_flat;
}

/* ---- SVG */
/* From the smallest size of any curve to twice the largest, in whole powers of two. */
static void scale_sizes(struct plot_axis *axis, const struct reuse_curve *curves, size_t count)
{
    double from = 63, to = 10;

    for (size_t i = 0; i < count; i++) {
        if (curves[i].reuse->touches == 0)
            continue;
        from = fmin(from, log2((double)(first_lines(&curves[i]) * curves[i].line_bytes)));
        to = fmax(to, 1 + log2((double)(last_lines(&curves[i]) * curves[i].line_bytes)));
    }
    if (from >= to) {
        from = 10;
        to = 11;
    }
    axis->from = exp2(from);
    axis->to = exp2(to);
    for (int power = (int)from; power <= (int)to; power += to - from > 14 ? 2 : 1) {
        char size[32];

        plot_tick(axis, ldexp(1, power), "%s", size_text(size, UINT64_C(1) << power));
    }
}

/* The points of a curve that lie within the axis; four for each power of two. */
static size_t find_points(const struct plot_axis *axis, const struct reuse_curve *curve, double *x, double *y)
{
    size_t count = 0;

    for (unsigned i = 1; i < REUSE_RANGES; i++) {
        double const bytes = (double)reuse_size(i) * (double)curve->line_bytes;

        if (bytes < axis->from || bytes > axis->to)
            continue;
        x[count] = bytes;
        y[count++] = reuse_misses(curve->reuse, reuse_size(i));
    }
    return count;
}

static void write_svg(FILE *to, const char *trace, const struct reuse_curve *curves, size_t count)
{
    double x[MOST_CURVES][REUSE_RANGES], y[MOST_CURVES][REUSE_RANGES];
    struct plot_series series[MOST_CURVES];
    char title[400];
    struct plot plot = {
        .title = title, .x = {.name = "capacity of a fully associative LRU cache", .is_log = true}, .y = {.to = 1},
        .series = series
    };

    snprintf(title, sizeof title, "%.300s: miss rate by capacity", trace);
    scale_sizes(&plot.x, curves, count);
    for (int part = 0; part <= 5; part++)
        plot_tick(&plot.y, part / 5.0, "%d %%", 20 * part);
    for (size_t i = 0; i < count && plot.series_count < MOST_CURVES; i++)
        if (curves[i].reuse->touches > 0) {
            size_t const at = plot.series_count++;

            series[at] = (struct plot_series){
                .name = curves[i].name, .x = x[at], .y = y[at],
                .count = find_points(&plot.x, &curves[i], x[at], y[at])
            };
        }
    plot_svg(to, &plot);
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
static void reuse_print_add_line(struct lane_lines *lanes, uint64_t line)
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

    reuse_print_add_line(lanes, address / line_bytes);
    if (last / line_bytes != address / line_bytes)
        reuse_print_add_line(lanes, last / line_bytes);
}

void lane_lines_touch(const struct lane_lines *lanes, struct reuse *reuse)
{
    for (size_t i = 0; i < lanes->count; i++)
        reuse_touch(reuse, lanes->lines[i]);
}

/* Lines and pages are numbers in sets; an access touches all that its bytes lie in. */

void footprint_touch(struct footprint *footprint, uint64_t addr, uint64_t bytes, uint64_t line_bytes)
{
    struct line_span const lines = line_span_of(addr, bytes, line_bytes);
    struct line_span const pages = line_span_of(addr, bytes, FOOTPRINT_PAGE_BYTES);
    uint64_t const last = bytes == 0 || addr + bytes - 1 < addr ? addr : addr + bytes - 1;
    bool const first = footprint->accesses == 0;

    footprint->lowest = first || addr < footprint->lowest ? addr : footprint->lowest;
    footprint->highest = first || last > footprint->highest ? last : footprint->highest;
    footprint->bytes += bytes;
    footprint->accesses++;
    footprint->crossing += lines.count > 1;
    for (uint64_t i = 0; i < lines.count; i++)
        number_map_add(&footprint->lines, lines.first + i);
    for (uint64_t i = 0; i < pages.count; i++)
        number_map_add(&footprint->pages, pages.first + i);
}

void footprint_free(struct footprint *footprint)
{
    number_map_free(&footprint->lines);
    number_map_free(&footprint->pages);
}
