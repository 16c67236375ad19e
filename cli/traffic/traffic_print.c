#include "cli/traffic/traffic_print.h"

#include <inttypes.h>
#include <math.h>

#include "base/json.h"

enum { TRAFFIC_DIGITS = -10 };           /* of figures that programs read */

/* name, heading, width, digits, scale, suffix, help */
#define TRAFFIC_COLUMN(name, heading, width, digits, scale, suffix, help)                                             \
    {name, heading, width, digits, TRAFFIC_DIGITS, scale, suffix, help, NULL}

static struct table_column const columns[] = {
    TRAFFIC_COLUMN("read_share", NULL, 0, 0, 1, NULL, "of a sweep"),
    TRAFFIC_COLUMN(NULL, "offered", -16, 0, 1, NULL, "the rate, or how many requests are under way"),
    TRAFFIC_COLUMN("point", NULL, 0, 0, 1, NULL, "unloaded, rate, full"),
    TRAFFIC_COLUMN("outstanding", NULL, 0, 0, 1, NULL, "requests under way at most"),
    TRAFFIC_COLUMN("offered_gb_per_s", NULL, 0, 0, 1, NULL, "the rate"),
    TRAFFIC_COLUMN("gb_per_s", "GB/s", 9, 3, 1, NULL, "the rate that was reached"),
    TRAFFIC_COLUMN("share_of_peak", "of peak", 7, 1, 100, " %", "of all memories"),
    TRAFFIC_COLUMN("mean_ns", "mean ns", 9, 1, 1, NULL, "latency of reads, as are the next ones"),
    TRAFFIC_COLUMN("lowest_ns", NULL, 0, 0, 1, NULL, "the least one"),
    TRAFFIC_COLUMN("p50_ns", "p50 ns", 9, 1, 1, NULL, "median"),
    TRAFFIC_COLUMN("p99_ns", "p99 ns", 9, 1, 1, NULL, "99th percentile"),
    TRAFFIC_COLUMN("held_share", "held", 7, 1, 100, " %", "requests that met back-pressure"),
    TRAFFIC_COLUMN("held_ns", "held ns", 8, 1, 1, NULL, "mean wait of all requests for that"),
    TRAFFIC_COLUMN("row_hit_share", "row hits", 9, 1, 100, " %", "bursts that found their row open"),
    TRAFFIC_COLUMN("is_saturated", NULL, 0, 0, 1, NULL, "1: the memory cannot keep up with the rate"),
    TRAFFIC_COLUMN(NULL, "", 0, 0, 1, NULL, "the same for people")
};

struct traffic_rows {
    const struct traffic_title *title;
    const struct traffic_line *lines;
    unsigned count;
    bool are_lines;                      /* their shares are printed */
};

static void put_load(struct table_writer *writer, const struct traffic_point *point)
{
    static const char *const names[] = {[POINT_UNLOADED] = "unloaded", [POINT_RATE] = "rate", [POINT_FULL] = "full"};
    char text[32];

    if (point->kind == POINT_RATE)
        snprintf(text, sizeof text, "%.2f GB/s", 1e-9 * point->offered_bytes_per_s);
    else
        snprintf(text, sizeof text, "%" PRIu64 " under way", point->outstanding);
    table_word(writer, text);
    table_word(writer, names[point->kind]);
    table_count(writer, point->outstanding);
    table_real(writer, 1e-9 * point->offered_bytes_per_s);
}

static void put_points(const struct traffic_rows *rows, const struct traffic_line *line, struct table_writer *writer)
{
    for (const struct traffic_point *point = line->points; point < line->points + line->count; point++) {
        double const ns = point->mean_ps > 0 ? 1e-3 : NAN;       /* without reads latencies are not known */

        if (rows->are_lines)
            table_real(writer, line->read_share);
        put_load(writer, point);
        table_real(writer, 1e-9 * point->bytes_per_s);
        table_real(writer, point->bytes_per_s / rows->title->peak_bytes_per_s);
        table_real(writer, ns * point->mean_ps);
        table_real(writer, ns * (double)point->lowest_ps);
        table_real(writer, ns * (double)point->p50_ps);
        table_real(writer, ns * (double)point->p99_ps);
        table_real(writer, point->held_share);
        table_real(writer, 1e-3 * point->held_ps);
        table_real(writer, point->row_hit_share);
        table_count(writer, point->is_saturated);
        table_word(writer, point->is_saturated ? " saturated" : "");
        table_end_row(writer);
    }
}

static void put_rows(const void *context, struct table_writer *writer)
{
    const struct traffic_rows *const rows = context;

    for (unsigned i = 0; i < rows->count; i++)
        put_points(rows, &rows->lines[i], writer);
}

/* ---- a row a line */
static struct table_column const line_columns[] = {
    TRAFFIC_COLUMN("reads", "reads", 6, 0, 100, " %", "read share"),
    TRAFFIC_COLUMN("unloaded_ns", "unloaded ns", 12, 1, 1, NULL, "one read at a time"),
    TRAFFIC_COLUMN("half_ns", "at 50 % ns", 11, 1, 1, NULL, "mean of reads at half of the peak"),
    TRAFFIC_COLUMN("high_ns", "at 80 % ns", 11, 1, 1, NULL, "at four fifths of it"),
    TRAFFIC_COLUMN("high_p99_ns", "p99 ns", 9, 1, 1, NULL, "99th percentile there"),
    TRAFFIC_COLUMN("most_gb_per_s", "most GB/s", 10, 3, 1, NULL, "the highest bandwidth of all points"),
    TRAFFIC_COLUMN("share_of_peak", "of peak", 7, 1, 100, " %", "that, of all memories")
};

/* The point at that percentage of the peak that the memory could keep up with; NULL: none. */
static const struct traffic_point *point_at(const struct traffic_line *line, double peak_bytes_per_s, double share)
{
    for (const struct traffic_point *point = line->points; point < line->points + line->count; point++)
        if (point->kind == POINT_RATE && !point->is_saturated
            && fabs(point->offered_bytes_per_s / peak_bytes_per_s - share) < 1e-6)
            return point;
    return NULL;
}

static void put_lines(const void *context, struct table_writer *writer)
{
    const struct traffic_rows *const rows = context;
    double const peak = rows->title->peak_bytes_per_s;

    for (const struct traffic_line *line = rows->lines; line < rows->lines + rows->count; line++) {
        const struct traffic_point *const half = point_at(line, peak, 0.5), *const high = point_at(line, peak, 0.8);
        double most = 0;

        for (unsigned i = 0; i < line->count; i++)
            most = fmax(most, line->points[i].bytes_per_s);
        table_real(writer, line->read_share);
        table_real(writer, line->count > 0 ? 1e-3 * line->points[0].mean_ps : NAN);
        table_real(writer, half ? 1e-3 * half->mean_ps : NAN);
        table_real(writer, high ? 1e-3 * high->mean_ps : NAN);
        table_real(writer, high ? 1e-3 * (double)high->p99_ps : NAN);
        table_real(writer, 1e-9 * most);
        table_real(writer, most / peak);
        table_end_row(writer);
    }
}

/* ---- either */
static bool print_rows(FILE *to, enum table_form form, const struct traffic_rows *rows)
{
    const struct traffic_title *const title = rows->title;
    size_t const left_out = !rows->are_lines;
    struct table const table = {
        .columns = columns + left_out, .count = sizeof columns / sizeof columns[0] - left_out, .rows = put_rows,
        .context = rows
    };
    struct json json = {.file = to};

    if (form != TABLE_JSON)
        return table_print(to, form, &table);
    json_begin_object(&json, JSON_LINES(1, 0));
    json_put_string(&json, "system", title->system);
    json_put_string(&json, "pattern", title->pattern);
    if (!title->is_trace && title->read_share >= 0)
        json_put_real(&json, "read_share", title->read_share, 10);
    json_put_real(&json, "peak_gb_per_s", 1e-9 * title->peak_bytes_per_s, 10);
    json_put_number(&json, "requests", title->requests);
    json_put_number(&json, "warmup", title->warmup);
    json_put_array(&json, "points", JSON_LINES(2, 1));
    table_put_json(&json, &table);
    json_end(&json);
    if (title->measured)
        traffic_put_details(&json, title->measured);
    json_end(&json);
    return json_close(&json);
}

bool traffic_print(FILE *to, enum table_form form, const struct traffic_title *title,
                   const struct traffic_point *points, unsigned count)
{
    struct traffic_line const line = {title->read_share, points, count};
    struct traffic_rows const rows = {title, &line, 1, false};

    return print_rows(to, form, &rows);
}

bool traffic_print_lines(FILE *to, enum table_form form, const struct traffic_title *title,
                         const struct traffic_line *lines, unsigned count)
{
    struct traffic_rows const rows = {title, lines, count, true};
    struct table const table = {
        .columns = line_columns, .count = sizeof line_columns / sizeof line_columns[0], .rows = put_lines,
        .context = &rows
    };

    return form == TABLE_TEXT ? table_print(to, form, &table) : print_rows(to, form, &rows);
}
