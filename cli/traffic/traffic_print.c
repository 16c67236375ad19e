/* A figure of a point is one line of a table; TSV and JSON are made from it. */
#include "cli/traffic/traffic_print.h"

#include <inttypes.h>

#include "base/json.h"

static const char *kind_of(const struct traffic_point *point)
{
    static const char *const names[] = {[POINT_UNLOADED] = "unloaded", [POINT_RATE] = "rate", [POINT_FULL] = "full"};

    return names[point->kind];
}

/* name, value: numbers */
#define TRAFFIC_FIGURES(F)                                                                                            \
    F(outstanding, (double)point->outstanding)                                                                        \
    F(offered_gb_per_s, 1e-9 * point->offered_bytes_per_s)                                                            \
    F(gb_per_s, 1e-9 * point->bytes_per_s)                                                                            \
    F(share_of_peak, point->bytes_per_s / title->peak_bytes_per_s)                                                    \
    F(mean_ns, 1e-3 * point->mean_ps)                                                                                 \
    F(lowest_ns, 1e-3 * (double)point->lowest_ps)                                                                     \
    F(p50_ns, 1e-3 * (double)point->p50_ps)                                                                           \
    F(p99_ns, 1e-3 * (double)point->p99_ps)                                                                           \
    F(held_share, point->held_share)                                                                                  \
    F(held_ns, 1e-3 * point->held_ps)                                                                                 \
    F(row_hit_share, point->row_hit_share)                                                                            \
    F(is_saturated, (double)point->is_saturated)

#define FIGURE_NAME(name, value) "\t" #name
#define FIGURE_TSV(name, value) fprintf(to, "\t%.10g", value);
#define FIGURE_JSON(name, value) json_put_real(&json, #name, value, 10);

void traffic_print_tsv(FILE *to, const struct traffic_title *title, const struct traffic_point *points, unsigned count)
{
    fputs("point" TRAFFIC_FIGURES(FIGURE_NAME) "\n", to);
    for (const struct traffic_point *point = points; point < points + count; point++) {
        fputs(kind_of(point), to);
        TRAFFIC_FIGURES(FIGURE_TSV)
        fputc('\n', to);
    }
}

bool traffic_print_json(FILE *to, const struct traffic_title *title, const struct traffic_point *points, unsigned count)
{
    struct json json = {.file = to};

    json_begin_object(&json, JSON_LINES(1, 0));
    json_put_string(&json, "system", title->system);
    json_put_string(&json, "pattern", title->pattern);
    if (!title->is_trace)
        json_put_real(&json, "read_share", title->read_share, 10);
    json_put_real(&json, "peak_gb_per_s", 1e-9 * title->peak_bytes_per_s, 10);
    json_put_number(&json, "requests", title->requests);
    json_put_number(&json, "warmup", title->warmup);
    json_put_array(&json, "points", JSON_LINES(2, 1));
    for (const struct traffic_point *point = points; point < points + count; point++) {
        json_begin_object(&json, JSON_SPACED);
        json_put_string(&json, "point", kind_of(point));
        TRAFFIC_FIGURES(FIGURE_JSON)
        json_end(&json);
    }
    json_end(&json);
    json_end(&json);
    return json_close(&json);
}

static void print_load(FILE *to, const struct traffic_point *point)
{
    char text[32];

    if (point->kind == POINT_RATE)
        snprintf(text, sizeof text, "%.2f GB/s", 1e-9 * point->offered_bytes_per_s);
    else
        snprintf(text, sizeof text, "%" PRIu64 " under way", point->outstanding);
    fprintf(to, "%-16s", text);
}

void traffic_print_table(FILE *to, const struct traffic_title *title, const struct traffic_point *points,
                         unsigned count)
{
    fprintf(to, "%-16s %9s %7s %9s %9s %9s %7s %9s %9s\n", "offered", "GB/s", "of peak", "mean ns", "p50 ns", "p99 ns",
            "held", "held ns", "row hits");
    for (const struct traffic_point *point = points; point < points + count; point++) {
        print_load(to, point);
        fprintf(to, " %9.3f %5.1f %%", 1e-9 * point->bytes_per_s, 100 * point->bytes_per_s / title->peak_bytes_per_s);
        if (point->mean_ps > 0)
            fprintf(to, " %9.1f %9.1f %9.1f", 1e-3 * point->mean_ps, 1e-3 * (double)point->p50_ps,
                    1e-3 * (double)point->p99_ps);
        else
            fprintf(to, " %9s %9s %9s", "-", "-", "-");
        fprintf(to, " %5.1f %% %8.1f %7.1f %%%s\n", 100 * point->held_share, 1e-3 * point->held_ps,
                100 * point->row_hit_share, point->is_saturated ? "  saturated" : "");
    }
}
