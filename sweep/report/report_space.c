/* Rows are read once into growing arrays; levels are found by their names, and sorted at the end. */
#include "sweep/report/report_space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "replay/config/config.h"
#include "replay/config/config_values.h"
#include "replay/config/system_config.h"
#include "replay/config/unloaded.h"
#include "replay/session/gpu_kernels.h"
#include "sweep/plan/quantity.h"

struct reading {
    struct space *space;
    const struct report_columns *columns;
    size_t sweep_axes, system_axis, room;           /* the axis of traces is behind that of systems */
    struct fault fault;
};

static struct fault report_space_out_of_memory(void)
{
    return fault_make(FAULT_MEMORY, "out of memory");
}

/* ---- costs */

struct fault space_config(const struct space_point *point, struct system_config *config)
{
    if (!point->config)
        return fault_make(FAULT_INPUT, "point %llu has no configuration", (unsigned long long)point->number);
    config_defaults(config);
    FORWARD(config_load_text(config, "configuration", point->config, strlen(point->config)));
    return config_finish(config);
}

static double sector_bytes(const struct sector_cache_params *cache)
{
    return (double)(cache->sets * cache->ways * cache->line_bytes);
}

static struct space_cost cost_of(const struct system_config *config)
{
    struct space_cost cost = {0};

    for (unsigned i = 0; i < config->cache_count && config->core_count; i++) {
        const struct cache_config *const cache = &config->caches[i];

        cost.cache_bytes += (double)cache->params.size_bytes * (cache->is_private ? config->core_count : 1);
    }
    if (config->has_memory_cache)
        cost.cache_bytes += (double)config->memory_cache.params.size_bytes;
    for (unsigned i = 0; i < config->memory_count; i++) {
        cost.channels += (double)config->memories[i].channels;
        cost.peak_bytes_per_s += peak_memory_bandwidth(&config->memories[i]);
    }
    if (config_has_gpu(config)) {
        const struct gpu_params *const gpu = &config->gpu;
        double const l1 = gpu->l1.unified_bytes ? (double)gpu->l1.unified_bytes : sector_bytes(&gpu->l1.cache);

        cost.gpu = gpu_peaks_of(config);
        cost.cache_bytes += l1 * (double)gpu->sms
                            + sector_bytes(&gpu->l2.cache) * (double)(gpu->l2.channels * gpu->l2.slices);
    }
    return cost;
}

/* ---- rows */

static bool fit_point(struct reading *reading)
{
    struct space *const space = reading->space;
    struct effects_space *const effects = &space->effects;
    size_t const room = reading->room ? 2 * reading->room : 256;

    if (effects->point_count < reading->room)
        return true;
    if (!list_resize(&space->points, room, sizeof *space->points)
        || !list_resize(&effects->levels, room * effects->axis_count, sizeof *effects->levels)
        || !list_resize(&effects->values, room, sizeof *effects->values)
        || !list_resize(&effects->relative, room, sizeof *effects->relative))
        return false;
    reading->room = room;
    return true;
}

static bool add_level(struct space *space, struct effects_axis *axis, const char *name, uint32_t *level)
{
    size_t i = 0;

    while (i < axis->levels && strcmp(axis->names[i], name) != 0)
        i++;
    *level = (uint32_t)i;
    if (i < axis->levels)
        return true;
    if ((i & (i - 1)) == 0) {                    /* room grows by powers of two, in the arena */
        const char **const grown = arena_take(&space->arena, 2 * (i + 1) * sizeof *grown);

        if (!grown)
            return false;
        if (i)
            memcpy(grown, axis->names, i * sizeof *grown);
        axis->names = grown;
    }
    axis->names[i] = arena_copy(&space->arena, name, strlen(name));
    axis->levels++;
    return axis->names[i] != NULL;
}

static const char *report_space_keep(struct space *space, const char *text)
{
    return text ? arena_copy(&space->arena, text, strlen(text)) : NULL;
}

static bool add_point(struct reading *reading, const struct results_row *row)
{
    struct space *const space = reading->space;
    struct effects_space *const effects = &space->effects;
    size_t const index = effects->point_count;
    uint32_t *levels;
    struct system_config config;

    if (!fit_point(reading))
        return false;
    levels = effects->levels + index * effects->axis_count;
    for (size_t axis = 0; axis < effects->axis_count; axis++) {
        const char *const name = axis < reading->sweep_axes      ? row->values[axis]
                                 : axis == reading->system_axis ? row->system
                                                                : row->traces;

        if (!add_level(space, &effects->axes[axis], name, &levels[axis]))
            return false;
    }
    space->points[index] = (struct space_point){
        .number = row->number, .state = report_space_keep(space, row->state), .error = report_space_keep(space,
                                                                                                         row->error),
        .config = report_space_keep(space, row->config)
    };
    if (row->config && space_config(&space->points[index], &config).kind == FAULT_NONE)
        space->points[index].cost = cost_of(&config);
    effects->values[index] = index < reading->columns->point_count
        ? report_columns_value(reading->columns, index, 0) : (double)NAN;
    space->done += strcmp(row->state, "done") == 0;
    space->failed += strcmp(row->state, "failed") == 0;
    effects->point_count++;
    return true;
}

static bool take_row(void *self, const struct results_row *row)
{
    struct reading *const reading = self;

    if (!add_point(reading, row))
        reading->fault = report_space_out_of_memory();
    return reading->fault.kind == FAULT_NONE;
}

/* ---- levels in order */

static bool all_compare(const struct effects_axis *axis)
{
    for (size_t i = 1; i < axis->levels; i++) {
        struct quantity const before = quantity_of(axis->names[i - 1]), here = quantity_of(axis->names[i]);

        if (before.kind == QUANTITY_WORD || quantity_compare(&before, &here) == QUANTITY_OTHER)
            return false;
    }
    return true;
}

bool space_has_numbers(const struct effects_axis *axis)
{
    for (size_t i = 0; i < axis->levels; i++)
        if (quantity_of(axis->names[i]).kind == QUANTITY_WORD)
            return false;
    return true;
}

/* Rank of each level among all of the axis. */
static void sort_axis(struct space *space, size_t index, uint32_t *ranks)
{
    struct effects_axis *const axis = &space->effects.axes[index];
    const char **const names = arena_take(&space->arena, (axis->levels + 1) * sizeof *names);

    if (!names || !all_compare(axis))
        return;
    for (size_t i = 0; i < axis->levels; i++) {
        struct quantity const here = quantity_of(axis->names[i]);

        ranks[i] = 0;
        for (size_t j = 0; j < axis->levels; j++) {
            struct quantity const other = quantity_of(axis->names[j]);
            enum quantity_order const order = quantity_compare(&other, &here);

            ranks[i] += order == QUANTITY_LESS || (order == QUANTITY_EQUAL && j < i);
        }
        names[ranks[i]] = axis->names[i];
    }
    axis->names = names;
    for (size_t i = 0; i < space->effects.point_count; i++) {
        uint32_t *const level = &space->effects.levels[i * space->effects.axis_count + index];

        *level = ranks[*level];
    }
}

static struct fault sort_levels(struct space *space)
{
    for (size_t i = 0; i < space->effects.axis_count; i++) {
        uint32_t *const ranks = calloc(space->effects.axes[i].levels + 1, sizeof *ranks);

        if (!ranks)
            return report_space_out_of_memory();
        sort_axis(space, i, ranks);
        free(ranks);
    }
    return fault_none();
}

/* system and traces are no axes where there is one only. */
static void drop_single_axes(struct effects_space *effects, size_t sweep_axes)
{
    size_t const axes = effects->axis_count;
    bool const has_workloads = effects->axes[axes - 1].levels > 1;
    size_t kept = 0;
    uint32_t *to = effects->levels;

    for (size_t i = 0; i < effects->point_count; i++)
        for (size_t axis = 0; axis < axes; axis++)
            if (axis < sweep_axes || effects->axes[axis].levels > 1)
                *to++ = effects->levels[i * axes + axis];
    for (size_t axis = 0; axis < axes; axis++)
        if (axis < sweep_axes || effects->axes[axis].levels > 1)
            effects->axes[kept++] = effects->axes[axis];
    effects->axis_count = kept;
    effects->workload_axis = has_workloads ? kept - 1 : EFFECTS_NO_AXIS;
}

/* ---- all of it */

static struct fault make_axes(struct reading *reading, struct results *results)
{
    struct space *const space = reading->space;
    struct effects_space *const effects = &space->effects;
    const char *const *const keys = results_axes(results, &reading->sweep_axes);

    effects->axis_count = reading->sweep_axes + 2;
    reading->system_axis = reading->sweep_axes;
    effects->axes = arena_take(&space->arena, effects->axis_count * sizeof *effects->axes);
    if (!effects->axes)
        return report_space_out_of_memory();
    for (size_t i = 0; i < reading->sweep_axes; i++)
        effects->axes[i].key = report_space_keep(space, keys[i]);
    effects->axes[reading->system_axis].key = "system";
    effects->axes[reading->system_axis + 1].key = "traces";
    return fault_none();
}

static struct fault report_space_fill(struct reading *reading, struct results *results)
{
    struct space *const space = reading->space;
    struct effects_space *const effects = &space->effects;
    bool is_known = false;

    FORWARD(make_axes(reading, results));
    FORWARD(results_read(results, take_row, reading));
    FORWARD(reading->fault);
    space->to_do = effects->point_count - space->done - space->failed;
    for (size_t i = 0; i < effects->point_count; i++)
        is_known = is_known || (isfinite(effects->values[i]) && effects->values[i] > 0);
    if (!is_known)
        return fault_make(FAULT_INPUT, "no point has a value of %s above 0; name another statistic with --metric, or "
                          "run the sweep", reading->columns->list[0].name);
    drop_single_axes(effects, reading->sweep_axes);
    FORWARD(sort_levels(space));
    effects_relate(effects);
    return fault_none();
}

struct fault space_read(struct space **made, struct results *results, const struct report_columns *columns)
{
    const struct metric *const known = columns->list[0].metric;
    struct reading reading = {.columns = columns};
    struct fault fault;

    *made = NULL;
    if (known && known->better != METRIC_LOWER)
        return fault_make(FAULT_INPUT, "--metric %.100s: is not better when it is lower; name one that is (`rubato "
                          "results --metrics` says which)", columns->list[0].name);
    reading.space = calloc(1, sizeof *reading.space);
    if (!reading.space)
        return report_space_out_of_memory();
    fault = report_space_fill(&reading, results);
    if (fault.kind == FAULT_NONE)
        *made = reading.space;
    else
        space_free(reading.space);
    return fault;
}

void space_free(struct space *space)
{
    if (!space)
        return;
    free(space->points);
    free(space->effects.levels);
    free(space->effects.values);
    free(space->effects.relative);
    arena_free(&space->arena);
    free(space);
}
