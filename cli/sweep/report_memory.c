/* Sections beside the points: loaded latency of their memories, and the comparison with detailed timing. */
#include "cli/sweep/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/cli.h"
#include "cli/common/shown.h"
#include "memsys/dram/memory_params.h"
#include "replay/config/config.h"
#include "replay/config/config_values.h"
#include "replay/traffic/traffic.h"

enum { MOST_MEMORIES = 6, CURVE_REQUESTS = 30000 };

/* ---- loaded latency */

/* Memories that differ, those of the best designs first. */
struct memory_list {
    struct system_config *configs[MOST_MEMORIES];
    char names[MOST_MEMORIES][96];
    struct traffic_curve curves[MOST_MEMORIES];
    size_t count, left_out;
};

static bool is_same_memory(const struct system_config *one, const struct system_config *two)
{
    return config_memory_count(one) == config_memory_count(two) && config_line_bytes(one) == config_line_bytes(two)
        && memcmp(config_memory(one, 0), config_memory(two, 0),
                  config_memory_count(one) * sizeof(struct memory_params)) == 0;
}

static bool is_listed(const struct memory_list *list, const struct system_config *config)
{
    for (size_t i = 0; i < list->count; i++)
        if (is_same_memory(list->configs[i], config))
            return true;
    return false;
}

/* The first memory's name in `config show`: the rest of its line in the tree. */
static void name_memory(const struct system_config *config, char *name, size_t size)
{
    char *tree;

    snprintf(name, size, "memory");
    if (config_tree_text(config, &tree).kind != FAULT_NONE)
        return;

    const char *const comma = strstr(tree, ", ");
    const char *const second = comma ? strstr(comma + 2, ", ") : NULL;
    const char *const third = second ? strstr(second + 2, ", ") : NULL;

    if (third)
        snprintf(name, size, "%.*s", (int)(third - comma - 2), comma + 2);
    free(tree);
}

static struct fault measure(const struct system_config *config, struct traffic_curve *curve)
{
    struct traffic_load load = {
        .pattern = {.kind = TRAFFIC_RANDOM, .read_share = 0.8, .seed = 1, .line_bytes = config_line_bytes(config)},
        .requests = CURVE_REQUESTS, .warmup = CURVE_REQUESTS / 10
    };
    bool more = true;

    for (unsigned i = 0; i < config_memory_count(config); i++)
        load.pattern.range_bytes += config_memory(config, i)->size_bytes;
    FORWARD(traffic_curve_begin(curve, config, &load));
    curve->load.outstanding = 8 * (uint64_t)curve->depth;
    while (more)
        FORWARD(traffic_curve_step(curve, &more));
    return fault_none();
}

/* A memory to measure; a GPU's own is of no use without its L2. */
static bool report_memory_is_wanted(const struct memory_list *list, const struct space_point *point,
                                    struct system_config *config)
{
    return point->config && space_config(point, config).kind == FAULT_NONE && config_memory_count(config) > 0
        && !config_gpu_owns_memory(config) && !is_listed(list, config);
}

static struct fault list_memories(const struct report *report, struct memory_list *list)
{
    for (size_t i = 0; i < report->design_count; i++) {
        struct system_config *const config = config_new();

        if (!config)
            return fault_make(FAULT_MEMORY, "out of memory");
        if (!report_memory_is_wanted(list, &report->space->points[report->designs[i].first], config)) {
            free(config);
        } else if (list->count == MOST_MEMORIES) {
            list->left_out++;
            free(config);
        } else {
            name_memory(config, list->names[list->count], sizeof list->names[0]);
            list->configs[list->count] = config;
            FORWARD(measure(config, &list->curves[list->count++]));
        }
    }
    return fault_none();
}

static void free_memories(struct memory_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        traffic_curve_end(&list->curves[i]);
        free(list->configs[i]);
    }
    free(list);
}

static void tell_memories(struct report *report, const struct memory_list *list)
{
    static const char *const headings[] = {"memory", "offered GB/s", "GB/s", "mean ns", "p99 ns", "row hits, %"};

    page_table_begin(&report->page, "the numbers", headings, sizeof headings / sizeof headings[0]);
    for (size_t i = 0; i < list->count; i++)
        for (unsigned p = 0; p < list->curves[i].count; p++) {
            const struct traffic_point *const point = &list->curves[i].points[p];

            page_cell(&report->page, "%s", list->names[i]);
            page_number(&report->page, point->offered_bytes_per_s > 0 ? 1e-9 * point->offered_bytes_per_s : NAN, 4);
            page_number(&report->page, 1e-9 * point->bytes_per_s, 4);
            page_number(&report->page, 1e-3 * point->mean_ps, 4);
            page_number(&report->page, 1e-3 * (double)point->p99_ps, 4);
            page_number(&report->page, 100 * point->row_hit_share, 3);
            page_row_end(&report->page);
        }
    page_table_end(&report->page);
    if (list->left_out)
        page_paragraph(&report->page, "Memories of %zu more designs are not shown.", list->left_out);
}

/* For the script: {name, peak, points: [[offered, reached, mean, p50, p99, row hits, saturated], ...]} */
static void keep_curves(struct json *json, const struct memory_list *list)
{
    json_begin_array(json, JSON_LINES(0, 0));
    for (size_t i = 0; i < list->count; i++) {
        const struct traffic_curve *const curve = &list->curves[i];

        json_begin_object(json, JSON_TIGHT);
        json_put_string(json, "name", cli_shown(list->names[i]));
        json_put_real(json, "peak", 1e-9 * curve->peak_bytes_per_s, 6);
        json_put_array(json, "points", JSON_TIGHT);
        for (unsigned p = 0; p < curve->count; p++) {
            const struct traffic_point *const point = &curve->points[p];

            json_begin_array(json, JSON_TIGHT);
            json_write_real(json, 1e-9 * point->offered_bytes_per_s, 6);
            json_write_real(json, 1e-9 * point->bytes_per_s, 6);
            json_write_real(json, 1e-3 * point->mean_ps, 6);
            json_write_real(json, 1e-3 * (double)point->p50_ps, 6);
            json_write_real(json, 1e-3 * (double)point->p99_ps, 6);
            json_write_real(json, 100 * point->row_hit_share, 4);
            json_write_number(json, point->is_saturated);
            json_end(json);
        }
        json_end(json);
        json_end(json);
    }
    json_end(json);
}

int report_loaded_latency(struct report *report)
{
    struct memory_list *const list = calloc(1, sizeof *list);
    struct fault fault;
    int code;

    if (!list)
        return cli_fail_text("out of memory");
    fault = list_memories(report, list);
    code = fault.kind == FAULT_NONE ? CLI_OK : cli_fail(fault);
    if (code == CLI_OK && list->count > 0) {
        page_heading(&report->page, "Memories under load");
        tell_memories(report, list);
        keep_curves(&report->curves, list);
        if (code == CLI_OK && report->curves.text.failed)
            code = cli_fail_text("out of memory");
    }
    free_memories(list);
    return code;
}

/* ---- detailed timing */

/* For the script: [[program, system, absolute error, relative error], ...], in per cent */
static void keep_errors(struct json *json, const struct comparison *comparison)
{
    json_begin_array(json, JSON_LINES(0, 0));
    for (size_t i = 0; i < comparison->pair_count; i++) {
        const struct comparison_pair *const pair = &comparison->pairs[i];

        json_begin_array(json, JSON_TIGHT);
        json_write_string(json, cli_shown(pair->row->program));
        json_write_string(json, cli_shown(pair->row->system));
        json_write_real(json, 100 * pair->abs_error, 6);
        json_write_real(json, 100 * pair->rel_error, 6);
        json_end(json);
    }
    json_end(json);
}

int report_comparison(struct report *report, const struct comparison *comparison)
{
    static const char *const headings[] = {
        "program", "system", "detailed ticks", "replay ticks", "absolute error, %", "relative error, %"
    };

    page_heading(&report->page, "Replays against detailed timing");
    page_paragraph(&report->page, "Mean absolute error %.3f %%, mean relative error %.3f %%.",
                   100 * comparison->abs_error_mean, 100 * comparison->rel_error_mean);
    page_table_begin(&report->page, "the numbers", headings, sizeof headings / sizeof headings[0]);
    for (size_t i = 0; i < comparison->pair_count; i++) {
        const struct comparison_pair *const pair = &comparison->pairs[i];

        page_cell(&report->page, "%s", pair->row->program);
        page_cell(&report->page, "%s", pair->row->system);
        page_number(&report->page, (double)pair->detailed_ticks, 15);
        page_number(&report->page, (double)pair->replay_ticks, 15);
        page_number(&report->page, 100 * pair->abs_error, 4);
        page_number(&report->page, 100 * pair->rel_error, 4);
        page_row_end(&report->page);
    }
    page_table_end(&report->page);
    keep_errors(&report->errors, comparison);
    return report->errors.text.failed ? cli_fail_text("out of memory") : CLI_OK;
}
