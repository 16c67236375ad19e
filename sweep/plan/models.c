/* An axis like others, and the last one, except for the parameters that it leaves out. */
#include "sweep/plan/spec.h"

#include <string.h>

enum model { MODEL_ELASTIC, MODEL_WINDOW, MODEL_DETAILED, MODEL_COUNT };

static const struct { const char *name, *needs; } models[MODEL_COUNT] = {
    [MODEL_ELASTIC] = {"elastic", "traces of cores"},
    [MODEL_WINDOW] = {"window", "elastic traces"},
    [MODEL_DETAILED] = {"detailed", "instruction traces; `rubato capture` makes one"}};

static enum model model_of(const char *name, size_t length)
{
    enum model model = MODEL_ELASTIC;

    while (model < MODEL_COUNT
           && (strlen(models[model].name) != length || memcmp(models[model].name, name, length) != 0))
        model++;
    return model;
}

static struct fault check_free(const struct spec *spec)
{
    size_t line = 0;

    for (size_t i = 0; i < spec->axis_count; i++)
        line = strcmp(spec->axes[i].key, MODELS_KEY) == 0 ? spec->axes[i].line : line;
    for (size_t i = 0; i < spec->setting_count; i++)
        line = strcmp(spec->settings[i].key, MODELS_KEY) == 0 ? spec->settings[i].line : line;
    if (line == 0)
        return fault_none();
    return fault_make(FAULT_INPUT, "--model: %s has " MODELS_KEY " already; leave one of them out",
                      spec_place(spec, line).text);
}

/* The names of the list, as values of the axis. */
static struct fault take_names(struct spec_axis *axis, const char *list)
{
    bool is_there[MODEL_COUNT + 1] = {false};

    for (const char *name = list; name; name = strchr(name, ',') ? strchr(name, ',') + 1 : NULL) {
        size_t const length = strcspn(name, ",");
        enum model const model = model_of(name, length);

        if (model == MODEL_COUNT || is_there[model])
            return fault_make(FAULT_INPUT, "--model %.80s: %s; expected some of elastic, window, detailed, joined by "
                              "commas", list, model == MODEL_COUNT ? "there is a model that is none"
                              : "a model is given twice");
        is_there[model] = true;
        axis->values[axis->count++] = models[model].name;
    }
    return fault_none();
}

struct fault models_add(struct spec *spec, const char *list)
{
    struct spec_axis *const axes = arena_take(&spec->arena, (spec->axis_count + 1) * sizeof *axes);
    struct spec_group *const groups = arena_take(&spec->arena, (spec->group_count + 1) * sizeof *groups);
    struct spec_axis axis = {.key = MODELS_KEY, .values = arena_take(&spec->arena, MODEL_COUNT * sizeof *axis.values)};

    if (!axes || !groups || !axis.values)
        return fault_make(FAULT_MEMORY, "%s: out of memory", spec->path);
    FORWARD(check_free(spec));
    FORWARD(take_names(&axis, list));
    memcpy(axes, spec->axes, spec->axis_count * sizeof *axes);
    memcpy(groups, spec->groups, spec->group_count * sizeof *groups);
    axes[spec->axis_count] = axis;
    groups[spec->group_count] = (struct spec_group){.first_axis = spec->axis_count, .axis_count = 1,
                                                    .levels = axis.count};
    spec->axes = axes;
    spec->groups = groups;
    spec->axis_count++;
    spec->group_count++;
    spec->has_models = true;
    return fault_none();
}

static bool models_fits(const struct spec *spec, const char *name, const struct workload *workloads, size_t workload)
{
    const struct workload *const traces = &workloads[workload];

    switch (model_of(name, strlen(name))) {
    case MODEL_WINDOW: return workload_detail(traces) == SOURCE_REBUILT;
    case MODEL_DETAILED: return workload_detail(traces) == SOURCE_EXECUTED;
    default: return !spec->workloads[workload].is_twin && !traces->regions;     /* whose lengths are instructions */
    }
}

bool models_fit(const struct spec *spec, const uint32_t *levels, const struct workload *workloads, size_t workload)
{
    const struct spec_axis *const axis = spec->has_models ? &spec->axes[spec->axis_count - 1] : NULL;

    if (!axis)
        return !spec->workloads[workload].is_twin;
    return models_fits(spec, axis->values[levels[spec->group_count - 1]], workloads, workload);
}

/* Twins follow all other points, in the order of their originals. */
static struct fault check_twins(const struct spec *spec, const struct workload *workloads)
{
    size_t first = 0;

    for (size_t twin = 0; twin < spec->workload_count; twin++) {
        bool is_twin;

        if (!spec->workloads[twin].is_twin)
            continue;
        while (!spec->workloads[first].instructions)
            first++;
        is_twin = workload_detail(&workloads[twin]) == SOURCE_EXECUTED;
        if (!is_twin || workload_detail(&workloads[first]) != SOURCE_REBUILT)
            return fault_make(FAULT_INPUT, "%s: traces: %s; expected an elastic trace, and in `instructions` the same "
                              "run as an instruction trace", spec_place(spec, spec->workloads[twin].line).text,
                              !is_twin ? "`instructions` is not an instruction trace"
                              : "`instructions` needs an elastic trace in `traces`");
        first++;
    }
    return fault_none();
}

struct fault models_check(const struct spec *spec, const struct workload *workloads)
{
    const struct spec_axis *const axis = spec->has_models ? &spec->axes[spec->axis_count - 1] : NULL;

    FORWARD(check_twins(spec, workloads));
    for (size_t level = 0; axis && level < axis->count; level++) {
        size_t fitting = 0;

        for (size_t i = 0; i < spec->workload_count; i++)
            fitting += models_fits(spec, axis->values[level], workloads, i);
        if (fitting == 0)
            return fault_make(FAULT_INPUT, "--model %s: none of the traces of %s fits; expected %s, or leave the model "
                              "out", axis->values[level], spec->path, models[model_of(axis->values[level],
                              strlen(axis->values[level]))].needs);
    }
    return fault_none();
}
