/* Sections about the points themselves: summary, best points, effects, fronts, failures. */
#include "cli/sweep/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/cli.h"

enum { BEST = 10, MOST_FAILURES = 50, MOST_HEADINGS = 64, SHOWN_PAIRS = 2 };
enum { MOST_WORKLOADS = 6 };           /* with a column each in the table of effects */

#define NEAR_BEST 1.01                  /* designs slower by at most this factor are as good */

static const char *level_name(const struct effects_space *effects, size_t point, size_t axis)
{
    return effects->axes[axis].names[effects_level(effects, point, axis)];
}

/* ---- ranks */

static int by_speed(const void *a, const void *b)
{
    const struct effects_design *const one = a, *const two = b;

    if (one->is_complete != two->is_complete)
        return one->is_complete ? -1 : 1;
    if (one->relative != two->relative && !isnan(one->relative) && !isnan(two->relative))
        return one->relative < two->relative ? -1 : 1;
    return (one->first > two->first) - (one->first < two->first);
}

int report_rank(struct report *report)
{
    const struct effects_space *const effects = &report->space->effects;
    size_t *const of = calloc(effects->point_count + 1, sizeof *of);

    report->designs = calloc(effects->point_count + 1, sizeof *report->designs);
    if (report->designs && of)
        report->design_count = effects_designs(effects, report->designs, of);
    for (size_t i = 0; i < effects->point_count && report->design_count > 0; i++)
        of[i] = report->designs[of[i]].first;
    report->design_of = of;
    if (report->design_count == 0)
        return cli_fail_text("out of memory");
    qsort(report->designs, report->design_count, sizeof *report->designs, by_speed);
    return CLI_OK;
}

/* ---- summary and best points */

void report_summary(struct report *report, const char *path)
{
    const struct space *const space = report->space;
    const struct effects_space *const effects = &space->effects;
    size_t complete = 0;

    for (size_t i = 0; i < report->design_count; i++)
        complete += report->designs[i].is_complete;
    page_paragraph(&report->page, "%s: %zu points, %zu done, %zu failed, %zu to do; %zu designs, %zu with all "
                   "workloads.", path, effects->point_count, space->done, space->failed, space->to_do,
                   report->design_count, complete);
    if (report->has_samples)
        page_paragraph(&report->page, "Points are estimates from regions of their traces, with intervals of "
                       "confidence; two points are compared region by region, and a difference within its interval is "
                       "none.");
    page_paragraph(&report->page, "The metric is %s; lower is better. Each point is shown relative to the "
                   "geometric mean of its workload, so 1 is the mean of the sweep. All means are geometric.",
                   report->metric);
}

static void design_cells(struct report *report, const struct effects_design *design)
{
    const struct effects_space *const effects = &report->space->effects;
    const struct space_cost *const cost = &report->space->points[design->first].cost;

    page_cell(&report->page, "%" PRIu64, report->space->points[design->first].number);
    for (size_t axis = 0; axis < effects->axis_count; axis++)
        if (axis != effects->workload_axis)
            page_cell(&report->page, "%s", level_name(effects, design->first, axis));
    page_number(&report->page, design->relative, 4);
    page_number(&report->page, cost->cache_bytes / 1024, 8);
    page_number(&report->page, cost->channels, 4);
    page_number(&report->page, cost->peak_bytes_per_s * 1e-9, 4);
    if (report->has_samples)
        page_cell(&report->page, "%s", design->first == report->designs[0].first ? "the best"
                  : report_is_hidden(report, report->designs[0].first, design->first) ? "not different" : "slower");
    page_row_end(&report->page);
}

/* Headings of design_cells. */
static void begin_designs(struct report *report, const char *summary)
{
    const struct effects_space *const effects = &report->space->effects;
    const char *headings[MOST_HEADINGS];
    size_t count = 0;

    headings[count++] = "point";
    for (size_t axis = 0; axis < effects->axis_count && count < MOST_HEADINGS - 5; axis++)
        if (axis != effects->workload_axis)
            headings[count++] = effects->axes[axis].key;
    headings[count++] = "relative";
    headings[count++] = "caches, KiB";
    headings[count++] = "channels";
    headings[count++] = "peak, GB/s";
    if (report->has_samples)
        headings[count++] = "against the best";
    page_table_begin(&report->page, summary, headings, count);
}

static bool is_cheaper(const struct space_cost *one, const struct space_cost *two)
{
    if (one->cache_bytes != two->cache_bytes)
        return one->cache_bytes < two->cache_bytes;
    return one->peak_bytes_per_s < two->peak_bytes_per_s;
}

/* designs are ranked, so the first is the best. */
static void tell_cheapest(struct report *report)
{
    const struct effects_design *const best = &report->designs[0], *cheapest = best;
    const struct space_point *point;

    for (size_t i = 1; i < report->design_count && report->designs[i].is_complete; i++)
        if (report->designs[i].relative <= NEAR_BEST * best->relative
            && is_cheaper(&report->space->points[report->designs[i].first].cost,
                          &report->space->points[cheapest->first].cost))
            cheapest = &report->designs[i];
    point = &report->space->points[cheapest->first];
    if (cheapest != best && best->is_complete)
        page_paragraph(&report->page, "Point "
                                      "%" PRIu64 " is the cheapest of those that are at most %.0f %% slower than the "
                       "best: %.0f KiB of caches, a peak of %.4g GB/s, and %.2f %% slower.", point->number,
                       100 * (NEAR_BEST - 1), point->cost.cache_bytes / 1024, point->cost.peak_bytes_per_s * 1e-9,
                       100 * (cheapest->relative / best->relative - 1));
}

int report_best(struct report *report)
{
    page_anchor(&report->page, "compare");
    page_anchor(&report->page, "pivot");
    page_anchor(&report->page, "bound");
    page_heading_at(&report->page, "points", "Best points");
    tell_cheapest(report);
    begin_designs(report, NULL);
    for (size_t i = 0; i < report->design_count && i < BEST; i++)
        if (report->designs[i].is_complete)
            design_cells(report, &report->designs[i]);
    page_table_end(&report->page);
    return CLI_OK;
}

/* ---- one axis */

struct axis_effect {
    size_t axis;
    double strength;
    struct effects_mean *means;          /* [1 + workloads shown][levels]: of all, then of each */
};

static int by_strength(const void *a, const void *b)
{
    const struct axis_effect *const one = a, *const two = b;

    if (one->strength != two->strength)
        return one->strength > two->strength ? -1 : 1;
    return (one->axis > two->axis) - (one->axis < two->axis);
}

/* Axes that have something to compare; the workload is no choice of the architect's. */
static bool is_choice(const struct effects_space *effects, size_t axis)
{
    return axis != effects->workload_axis && effects->axes[axis].levels > 1;
}

static size_t most_levels(const struct effects_space *effects)
{
    size_t most = 1;

    for (size_t axis = 0; axis < effects->axis_count; axis++)
        most = effects->axes[axis].levels > most ? effects->axes[axis].levels : most;
    return most;
}

/* As many as have a column each; 0 for more, or if there is one workload. */
static size_t shown_workloads(const struct effects_space *effects)
{
    size_t const count = effects->workload_axis == EFFECTS_NO_AXIS ? 0 : effects->axes[effects->workload_axis].levels;

    return count <= MOST_WORKLOADS ? count : 0;
}

static const char *workload_name(const struct effects_space *effects, size_t workload)
{
    return effects->axes[effects->workload_axis].names[workload];
}

static void axis_rows(struct report *report, const struct axis_effect *effect)
{
    const struct effects_axis *const about = &report->space->effects.axes[effect->axis];
    size_t const workloads = shown_workloads(&report->space->effects);

    for (size_t i = 0; i < about->levels; i++) {
        const struct effects_mean *const mean = &effect->means[i];

        page_cell(&report->page, "%s", about->key);
        page_cell(&report->page, "%s", about->names[i]);
        page_number(&report->page, mean->mean, 4);
        page_number(&report->page, mean->low, 4);
        page_number(&report->page, mean->high, 4);
        page_cell(&report->page, "%zu", mean->count);
        page_cell(&report->page, "%.1f", 100 * effect->strength);
        for (size_t w = 1; w <= workloads; w++)
            page_number(&report->page, mean[w * about->levels].mean, 4);
        page_row_end(&report->page);
    }
}

static void axis_numbers(struct report *report, const struct axis_effect *list, size_t count)
{
    const char *headings[7 + MOST_WORKLOADS] = {"axis", "level", "mean", "min", "max", "points", "effect, %"};
    size_t const workloads = shown_workloads(&report->space->effects);

    for (size_t w = 0; w < workloads; w++)
        headings[7 + w] = workload_name(&report->space->effects, w);
    page_table_begin(&report->page, "the numbers", headings, 7 + workloads);
    for (size_t i = 0; i < count; i++)
        axis_rows(report, &list[i]);
    page_table_end(&report->page);
}

/* All axes that are choices, the one that matters most first. False: out of memory. */
static bool find_effects(const struct effects_space *effects, struct axis_effect *list, size_t *count)
{
    size_t const workloads = shown_workloads(effects);

    for (size_t axis = 0; axis < effects->axis_count; axis++) {
        size_t const levels = effects->axes[axis].levels;
        struct axis_effect *const effect = &list[*count];

        if (!is_choice(effects, axis))
            continue;
        *effect = (struct axis_effect){.axis = axis, .means = calloc((1 + workloads) * levels, sizeof *effect->means)};
        (*count)++;
        if (!effect->means)
            return false;
        effect->strength = effects_main(effects, axis, EFFECTS_ALL, effect->means);
        for (size_t w = 0; w < workloads; w++)
            effects_main(effects, axis, w, effect->means + (1 + w) * levels);
    }
    qsort(list, *count, sizeof *list, by_strength);
    return true;
}

int report_axes(struct report *report)
{
    const struct effects_space *const effects = &report->space->effects;
    struct axis_effect *const list = calloc(effects->axis_count + 1, sizeof *list);
    size_t count = 0;
    int code = list && find_effects(effects, list, &count) ? CLI_OK : cli_fail_text("out of memory");

    if (code == CLI_OK && count > 0) {
        page_heading_at(&report->page, "effects", "Effect of each axis");
        page_paragraph(&report->page, "The axis with the largest effect comes first. An effect is the difference "
                       "between the best and the worst level, averaged over all other axes and workloads.");
        axis_numbers(report, list, count);
    }
    for (size_t i = 0; i < count; i++)
        free(list[i].means);
    free(list);
    return code;
}

/* ---- two axes */

struct axis_pair {
    size_t rows, columns;
    double interaction;
};

static int by_interaction(const void *a, const void *b)
{
    const struct axis_pair *const one = a, *const two = b;

    if (one->interaction != two->interaction)
        return one->interaction > two->interaction ? -1 : 1;
    if (one->rows != two->rows)
        return one->rows < two->rows ? -1 : 1;
    return (one->columns > two->columns) - (one->columns < two->columns);
}

static void pair_rows(struct report *report, const struct axis_pair *pair, double *cells)
{
    const struct effects_axis *const rows = &report->space->effects.axes[pair->rows];
    const struct effects_axis *const columns = &report->space->effects.axes[pair->columns];

    effects_pair(&report->space->effects, pair->rows, pair->columns, cells);
    for (size_t row = 0; row < rows->levels; row++)
        for (size_t column = 0; column < columns->levels; column++) {
            page_cell(&report->page, "%s=%s", rows->key, rows->names[row]);
            page_cell(&report->page, "%s=%s", columns->key, columns->names[column]);
            page_number(&report->page, cells[row * columns->levels + column], 4);
            page_row_end(&report->page);
        }
}

/* All pairs of choices, the one that interacts most first. */
static size_t list_pairs(const struct effects_space *effects, struct axis_pair *pairs, double *cells)
{
    size_t count = 0;

    for (size_t rows = 0; rows < effects->axis_count; rows++)
        for (size_t columns = rows + 1; columns < effects->axis_count; columns++)
            if (is_choice(effects, rows) && is_choice(effects, columns))
                pairs[count++] = (struct axis_pair){rows, columns, effects_pair(effects, rows, columns, cells)};
    qsort(pairs, count, sizeof *pairs, by_interaction);
    return count;
}

static bool find_axis(const struct effects_space *effects, const char *key, size_t *axis)
{
    for (*axis = 0; *axis < effects->axis_count; (*axis)++)
        if (strcmp(effects->axes[*axis].key, key) == 0)
            return true;
    return false;
}

static void pair_sections(struct report *report, const struct axis_pair *pairs, size_t count, double *cells)
{
    static const char *const strengths[] = {"axis", "axis", "interaction, %"};
    static const char *const headings[] = {"level", "of the other axis", "mean"};
    size_t const shown = count < SHOWN_PAIRS ? count : SHOWN_PAIRS;

    page_table_begin(&report->page, "the numbers", headings, sizeof headings / sizeof headings[0]);
    for (size_t i = 0; i < shown; i++)
        pair_rows(report, &pairs[i], cells);
    page_table_end(&report->page);
    page_table_begin(&report->page, "all pairs", strengths, sizeof strengths / sizeof strengths[0]);
    for (size_t i = 0; i < count; i++) {
        page_cell(&report->page, "%s", report->space->effects.axes[pairs[i].rows].key);
        page_cell(&report->page, "%s", report->space->effects.axes[pairs[i].columns].key);
        page_number(&report->page, 100 * pairs[i].interaction, 3);
        page_row_end(&report->page);
    }
    page_table_end(&report->page);
}

int report_pairs(struct report *report)
{
    const char *const rows = report->pair[0], *const columns = report->pair[1];
    const struct effects_space *const effects = &report->space->effects;
    struct axis_pair *const pairs = calloc(effects->axis_count * effects->axis_count + 1, sizeof *pairs);
    double *const cells = calloc(most_levels(effects) * most_levels(effects), sizeof *cells);
    size_t count = 0;
    int code = pairs && cells ? CLI_OK : cli_fail_text("out of memory");

    if (code == CLI_OK)
        count = list_pairs(effects, pairs, cells);
    if (code == CLI_OK && rows) {
        struct axis_pair wanted = {0, 0, 0};

        if (!find_axis(effects, rows, &wanted.rows) || !find_axis(effects, columns, &wanted.columns))
            code = cli_fail_text("--pair %s,%s: the sweep has no axis %s", rows, columns,
                                 find_axis(effects, rows, &wanted.rows) ? columns : rows);
        else
            wanted.interaction = effects_pair(effects, wanted.rows, wanted.columns, cells);
        pairs[0] = wanted;
        count = 1;
    }
    if (code == CLI_OK && count > 0) {
        page_heading_at(&report->page, "pair", "Interaction of two axes");
        page_paragraph(&report->page, "The interaction of a pair of axes is the largest difference between a cell and "
                                      "what the two axes predict on their own, when their effects just multiply.");
        pair_sections(report, pairs, count, cells);
    }
    free(pairs);
    free(cells);
    return code;
}

/* ---- fronts */

static int by_cost(const void *a, const void *b)
{
    const struct effects_design *const one = a, *const two = b;

    if (one->cost != two->cost)
        return one->cost < two->cost ? -1 : 1;
    return by_speed(a, b);
}

static double cost_of(const struct space_point *point, unsigned which)
{
    return which == 0   ? point->cost.cache_bytes / 1024
           : which == 1 ? point->cost.channels
                        : point->cost.peak_bytes_per_s * 1e-9;
}

/* designs: sorted by cost. */
static bool has_several_costs(const struct effects_design *designs, size_t count)
{
    const struct effects_design *first = NULL;

    for (size_t i = 0; i < count; i++) {
        if (!designs[i].is_complete)
            continue;
        if (first && designs[i].cost != first->cost)
            return true;
        first = &designs[i];
    }
    return false;
}

static void find_front(const struct report *report, unsigned which, struct effects_design *designs)
{
    memcpy(designs, report->designs, report->design_count * sizeof *designs);
    for (size_t i = 0; i < report->design_count; i++) {
        designs[i].cost = cost_of(&report->space->points[designs[i].first], which);
        designs[i].is_complete = designs[i].is_complete && designs[i].cost > 0;
    }
    qsort(designs, report->design_count, sizeof *designs, by_cost);
    effects_front(designs, report->design_count);
}

static void front_numbers(struct report *report, const struct effects_design *designs, const char *title)
{
    char summary[80];

    snprintf(summary, sizeof summary, "the front %s", title);
    begin_designs(report, summary);
    for (size_t i = 0; i < report->design_count; i++)
        if (designs[i].is_on_front)
            design_cells(report, &designs[i]);
    page_table_end(&report->page);
}

/* A cost that is the same everywhere has no front. */
int report_fronts(struct report *report)
{
    enum { COSTS = 3 };
    static const char *const titles[COSTS] = {
        "against the capacity of all caches", "against channels", "against the peak bandwidth of memory"
    };
    struct effects_design *const designs = calloc(report->design_count, sizeof *designs);
    bool has_any = false;

    if (!designs)
        return cli_fail_text("out of memory");
    for (unsigned which = 0; which < COSTS; which++) {
        find_front(report, which, designs);
        if (!has_several_costs(designs, report->design_count))
            continue;
        if (!has_any)
            page_heading_at(&report->page, "front", "Pareto front: time against cost");
        has_any = true;
        front_numbers(report, designs, titles[which]);
    }
    free(designs);
    return CLI_OK;
}

/* ---- failures */

void report_failures(struct report *report)
{
    static const char *const headings[] = {"point", "why"};
    const struct space *const space = report->space;
    size_t listed = 0;

    if (space->failed == 0)
        return;
    page_heading(&report->page, "Points that failed");
    page_table_begin(&report->page, NULL, headings, sizeof headings / sizeof headings[0]);
    for (size_t i = 0; i < space->effects.point_count && listed < MOST_FAILURES; i++)
        if (space->points[i].error) {
            page_cell(&report->page, "%" PRIu64, space->points[i].number);
            page_cell(&report->page, "%s", space->points[i].error);
            page_row_end(&report->page);
            listed++;
        }
    page_table_end(&report->page);
    if (space->failed > listed)
        page_paragraph(&report->page, "and %zu more", space->failed - listed);
}
