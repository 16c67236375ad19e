/* All combinations are counted up like a number with mixed digits. For each, conditions are evaluated before the
 * system is checked, so that they can exclude invalid systems. Points of one hash are found by sorting. */
#include "sweep/plan/plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash64.h"
#include "base/list.h"
#include "replay/config/config.h"
#include "replay/config/config_values.h"
#include "sweep/plan/spec.h"

struct maker {
    struct plan *plan;
    const struct spec *spec;
    struct system_config *config;        /* room for one */
    size_t capacity;
    const struct plan_choice *choices;   /* of a search */
    size_t choice_count;
};

static struct fault plan_out_of_memory(void)
{
    return fault_make(FAULT_MEMORY, "out of memory for the points of the sweep");
}

/* ---- conditions */
struct names {
    const struct system_config *config;
    const char *system, *workload;
};

static struct fault plan_find_name(void *self, const char *name, const char *where, struct quantity *value)
{
    struct names const *const names = self;
    char text[CONFIG_BEHIND_TEXT];

    if (strcmp(name, "system") == 0 || strcmp(name, "traces") == 0) {
        *value = quantity_of(name[0] == 's' ? names->system : names->workload);
        value->kind = QUANTITY_WORD;
        return fault_none();
    }
    FORWARD(config_get(names->config, name, where, text, sizeof text));
    *value = quantity_of(text);
    return fault_none();
}

static struct fault ask_skips(const struct maker *maker, size_t system, size_t workload, bool *is_skipped)
{
    struct names names = {.config = maker->config, .system = maker->spec->system_names[system],
                          .workload = maker->spec->workloads[workload].name};
    struct condition_names const asked = {.find = plan_find_name, .self = &names};

    *is_skipped = false;
    for (size_t i = 0; i < maker->spec->skip_count && !*is_skipped; i++)
        FORWARD(condition_holds(maker->spec->skips[i], &asked, is_skipped));
    return fault_none();
}

/* ---- points */

/* The setting that a workload requires of every system. */
static const char *first_setting(const struct workload *workload)
{
    return workload->is_one_space ? THREAD_CORES_SETTING : NULL;
}

/* Replaces an invalid configuration in the hash: its settings, so that a corrected one is another point. */
static struct fault unsound_text(const struct maker *maker, const struct plan_point *point, const struct fault *fault,
                                 char **text)
{
    size_t size = strlen(fault_text(*fault)) + strlen(maker->spec->system_names[point->system]) + 32, used = 0;

    for (size_t i = 0; i < maker->spec->axis_count; i++)
        size += strlen(maker->spec->axes[i].key) + strlen(plan_value(maker->plan, point, i)) + 2;
    *text = malloc(size);
    if (!*text)
        return plan_out_of_memory();
    used = (size_t)snprintf(*text, size, "unsound %s\n%s\n", maker->spec->system_names[point->system],
                            fault_text(*fault));
    for (size_t i = 0; i < maker->spec->axis_count; i++)
        used += (size_t)snprintf(*text + used, size - used, "%s=%s\n", maker->spec->axes[i].key,
                                 plan_value(maker->plan, point, i));
    return fault_none();
}

/* Adds the contents of DRAM standards and modules, of which the configuration has the names. */
static struct fault add_standards(const struct system_config *config, char **text)
{
    uint64_t const modules = config_modules_digest(config);
    size_t const size = strlen(*text) + 96;
    char *const longer = malloc(size);

    if (!longer)
        return plan_out_of_memory();
    snprintf(longer, size, "%sstandards %016" PRIx64 "\n", *text, config_standards_digest(config));
    if (modules != 0)
        snprintf(longer + strlen(longer), size - strlen(longer), "modules %016" PRIx64 "\n", modules);
    free(*text);
    *text = longer;
    return fault_none();
}

/* The text that decides the result of a choice of levels. */
static struct fault plan_text_of(struct maker *maker, struct plan_point *point, char **text)
{
    struct fault const fault = plan_configure(maker->plan, point, maker->config);

    point->is_unsound = fault.kind == FAULT_INPUT;
    if (fault.kind == FAULT_MEMORY)
        return fault;
    if (point->is_unsound)
        return unsound_text(maker, point, &fault, text);
    FORWARD(config_to_compact_yaml(maker->config, text));
    return add_standards(maker->config, text);
}

/* How instruction traces are read, where it is not as usual. */
static void add_reading(struct hash64_pieces *pieces, const struct insn_read_options *reading)
{
    struct insn_latencies const usual = insn_latencies_usual();

    if (reading->format[0])
        hash64_add(pieces, reading->format, strlen(reading->format));
    if (reading->is_free)
        hash64_add(pieces, " sync free", 10);
    if (memcmp(&usual, &reading->latencies, sizeof usual) != 0)
        hash64_add(pieces, &reading->latencies, sizeof reading->latencies);
}

/* How regions are sampled. */
static void add_sampling(struct hash64_pieces *pieces, const struct spec *spec, const struct workload *workload)
{
    const double how[] = {spec->confidence, spec->until_error};

    hash64_add(pieces, " regions ", 9);
    hash64_add(pieces, workload->regions_warm, strlen(workload->regions_warm));
    hash64_add(pieces, how, sizeof how);
}

/* text: of plan_text_of. */
static uint64_t plan_hash_of(const struct plan *plan, const char *text, const struct workload *workload)
{
    struct session_limits const *const limits = &plan->spec->limits;
    struct hash64_pieces pieces;
    char rest[256];

    snprintf(rest, sizeof rest, "\ntraces %016" PRIx64 " warmup %" PRIu64 " records %" PRIu64 " until %" PRIu64
             " tick_scale %.17g version %s", workload->hash, limits->warmup_records, limits->max_records,
             limits->until_ps, limits->tick_scale, plan->version);
    hash64_begin(&pieces);
    hash64_add(&pieces, text, strlen(text));
    hash64_add(&pieces, rest, strlen(rest));
    hash64_add(&pieces, limits->kernels.ranges, limits->kernels.count * sizeof limits->kernels.ranges[0]);
    add_reading(&pieces, &plan->spec->reading.insn);
    if (plan->spec->runs_alone)
        hash64_add(&pieces, " alone", 6);
    if (plan->spec->optimal) {
        hash64_add(&pieces, " optimal ", 9);
        hash64_add(&pieces, plan->spec->optimal, strlen(plan->spec->optimal));
    }
    if (limits->restarts)
        hash64_add(&pieces, " restart", 8);
    if (limits->instructions)
        hash64_add(&pieces, &limits->instructions, sizeof limits->instructions);
    if (limits->warms_at_once)
        hash64_add(&pieces, " walk", 5);
    if (workload->regions)
        add_sampling(&pieces, plan->spec, workload);
    return hash64_end(&pieces);
}

static struct fault add_point(struct maker *maker, const struct plan_point *point)
{
    struct plan *const plan = maker->plan;

    if (plan->count == PLAN_MAX_POINTS)
        return fault_make(FAULT_INPUT, "%s: more than %d points; take a sample of them, such as sample: {points: 1000, "
                          "seed: 1}", maker->spec->path, PLAN_MAX_POINTS);
    if (!list_fit(&plan->points, plan->count + 1, &maker->capacity, sizeof *plan->points))
        return plan_out_of_memory();
    plan->points[plan->count++] = *point;
    return fault_none();
}

/* The points of one system and one choice of levels: one a workload. Texts differ by first_setting only. */
static struct fault add_choice(struct maker *maker, size_t system, const uint32_t *levels)
{
    struct spec const *const spec = maker->spec;
    struct plan_point point = {.system = (uint32_t)system};
    uint32_t *const kept = arena_take(&maker->plan->arena, (spec->group_count + 1) * sizeof *kept);
    char *texts[2] = {NULL, NULL};
    bool are_unsound[2] = {false, false};
    struct fault fault = fault_none();

    if (!kept)
        return plan_out_of_memory();
    memcpy(kept, levels, spec->group_count * sizeof *kept);
    point.levels = kept;
    for (size_t i = 0; fault.kind == FAULT_NONE && i < spec->workload_count; i++) {
        struct workload const *const workload = &maker->plan->workloads[i];
        bool const has_setting = first_setting(workload) != NULL;
        char **const text = &texts[has_setting];
        bool is_skipped = !models_fit(spec, levels, maker->plan->workloads, i);

        point.workload = (uint32_t)i;
        /* a combination that cannot even be said is no point to skip */
        if (!is_skipped && spec->skip_count
            && spec_configure(spec, system, levels, first_setting(workload), maker->config).kind == FAULT_NONE)
            fault = ask_skips(maker, system, i, &is_skipped);
        if (fault.kind == FAULT_NONE && !is_skipped && !*text) {
            fault = plan_text_of(maker, &point, text);
            are_unsound[has_setting] = point.is_unsound;
        }
        point.is_unsound = are_unsound[has_setting];
        is_skipped = is_skipped || (spec->skips_refused && point.is_unsound);
        if (fault.kind == FAULT_NONE && !is_skipped) {
            point.hash = plan_hash_of(maker->plan, *text, workload);
            fault = add_point(maker, &point);
        }
        maker->plan->skipped += is_skipped;
    }
    free(texts[0]);
    free(texts[1]);
    return fault;
}

static struct fault add_combinations(struct maker *maker, uint32_t *levels)
{
    struct spec const *const spec = maker->spec;
    double combinations = (double)spec->system_count;

    for (size_t g = 0; g < spec->group_count; g++)
        combinations *= (double)spec->groups[g].levels;
    if (combinations * (double)spec->workload_count > 100.0 * PLAN_MAX_POINTS)
        return fault_make(FAULT_INPUT, "%s: %.3g combinations; take a sample of them, such as sample: {points: 1000, "
                          "seed: 1}", spec->path, combinations * (double)spec->workload_count);
    for (size_t system = 0; system < spec->system_count; system++) {
        size_t g;

        memset(levels, 0, (spec->group_count + 1) * sizeof *levels);
        do {
            FORWARD(add_choice(maker, system, levels));
            for (g = spec->group_count; g > 0 && ++levels[g - 1] == spec->groups[g - 1].levels; g--)
                levels[g - 1] = 0;
        } while (g > 0);
    }
    return fault_none();
}

/* One row of drawn levels a group, and one for the systems. */
static struct fault add_sample(struct maker *maker, uint32_t *levels)
{
    struct spec const *const spec = maker->spec;
    size_t const points = spec->sample_points, rows = spec->group_count + 1;
    uint32_t *drawn;
    struct fault fault = fault_none();

    if (points > PLAN_MAX_POINTS)
        return fault_make(FAULT_INPUT, "%s: sample: %zu points; %d are the most", spec->path, points, PLAN_MAX_POINTS);
    drawn = malloc(points * rows * sizeof *drawn);
    if (!drawn)
        return plan_out_of_memory();
    for (size_t g = 0; g < spec->group_count; g++)
        latin_hypercube(spec->sample_seed, spec->axes[spec->groups[g].first_axis].key, points, spec->groups[g].levels,
                        drawn + g * points);
    latin_hypercube(spec->sample_seed, "system", points, spec->system_count, drawn + spec->group_count * points);
    for (size_t i = 0; fault.kind == FAULT_NONE && i < points; i++) {
        for (size_t g = 0; g < spec->group_count; g++)
            levels[g] = drawn[g * points + i];
        fault = add_choice(maker, drawn[spec->group_count * points + i], levels);
    }
    free(drawn);
    return fault;
}

/* ---- points of one hash */
struct hashed {
    uint64_t hash;
    size_t point;
};

static int by_hash(const void *one, const void *other)
{
    struct hashed const *const a = one, *const b = other;

    if (a->hash != b->hash)
        return a->hash < b->hash ? -1 : 1;
    return a->point < b->point ? -1 : 1;
}

static struct fault find_runs(struct plan *plan)
{
    struct hashed *const sorted = malloc((plan->count + 1) * sizeof *sorted);
    size_t *const first = malloc((plan->count + 1) * sizeof *first);

    plan->runs = malloc((plan->count + 1) * sizeof *plan->runs);
    plan->by_hash = malloc((plan->count + 1) * sizeof *plan->by_hash);
    if (!sorted || !first || !plan->runs || !plan->by_hash) {
        free(sorted);
        free(first);
        return plan_out_of_memory();
    }
    for (size_t i = 0; i < plan->count; i++)
        sorted[i] = (struct hashed){.hash = plan->points[i].hash, .point = i};
    qsort(sorted, plan->count, sizeof *sorted, by_hash);
    for (size_t i = 0; i < plan->count; i++) {
        bool const is_first = i == 0 || sorted[i].hash != sorted[i - 1].hash;

        first[sorted[i].point] = is_first ? sorted[i].point : first[sorted[i - 1].point];
    }
    for (size_t i = 0; i < plan->count; i++) {
        if (first[i] == i)
            plan->runs[plan->run_count++] = i;
        plan->points[i].run = first[i] == i ? plan->run_count - 1 : plan->points[first[i]].run;
    }
    for (size_t i = 0, k = 0; i < plan->count; i++)
        if (first[sorted[i].point] == sorted[i].point)
            plan->by_hash[k++] = plan->points[sorted[i].point].run;
    free(sorted);
    free(first);
    return fault_none();
}

bool plan_find(const struct plan *plan, uint64_t hash, size_t *run)
{
    size_t low = 0, high = plan->run_count;

    while (low < high) {
        size_t const middle = low + (high - low) / 2;
        uint64_t const there = plan->points[plan->runs[plan->by_hash[middle]]].hash;

        *run = plan->by_hash[middle];
        if (there == hash)
            return true;
        if (there < hash)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

/* ---- the plan */
struct fault plan_configure(const struct plan *plan, const struct plan_point *point, struct system_config *config)
{
    FORWARD(spec_configure(plan->spec, point->system, point->levels,
                             first_setting(&plan->workloads[point->workload]), config));
    return config_finish(config);
}

struct fault plan_unsound(const struct plan *plan, const struct plan_point *point)
{
    struct system_config *const config = config_new();
    struct fault const fault = config ? plan_configure(plan, point, config) : plan_out_of_memory();

    free(config);
    return fault;
}

const char *plan_value(const struct plan *plan, const struct plan_point *point, size_t axis)
{
    struct spec const *const spec = plan->spec;
    size_t group = 0;

    while (axis >= spec->groups[group].first_axis + spec->groups[group].axis_count)
        group++;
    return spec->axes[axis].values[point->levels[group]];
}

static struct fault make_all(struct maker *maker)
{
    struct spec const *const spec = maker->spec;
    uint32_t *const levels = calloc(spec->group_count + 1, sizeof *levels);
    struct fault fault = levels ? fault_none() : plan_out_of_memory();

    if (fault.kind == FAULT_NONE)
        fault = spec->sample_points ? add_sample(maker, levels) : add_combinations(maker, levels);
    free(levels);
    if (fault.kind != FAULT_NONE)
        return fault;
    if (maker->plan->count == 0)
        return fault_make(FAULT_INPUT, "%s: skip leaves out all %zu points; loosen its conditions", spec->path,
                          maker->plan->skipped);
    return find_runs(maker->plan);
}

static struct fault make_chosen(struct maker *maker)
{
    for (size_t i = 0; i < maker->choice_count; i++)
        FORWARD(add_choice(maker, maker->choices[i].system, maker->choices[i].levels));
    return find_runs(maker->plan);
}

static struct fault plan_make_part(struct plan **made, struct maker *maker, struct fault (*make)(struct maker *maker),
                                   struct workload *workloads, const char *version)
{
    struct plan *const plan = calloc(1, sizeof *plan);
    struct fault fault;

    if (!plan)
        return plan_out_of_memory();
    *plan = (struct plan){.spec = maker->spec, .workloads = workloads, .version = version};
    maker->plan = plan;
    maker->config = config_new();
    fault = maker->config ? make(maker) : plan_out_of_memory();
    free(maker->config);
    if (fault.kind == FAULT_NONE)
        *made = plan;
    else
        plan_free(plan);
    return fault;
}

struct fault plan_make(struct plan **made, const struct spec *spec, struct workload *workloads,
                       const char *version)
{
    struct maker maker = {.spec = spec};

    return plan_make_part(made, &maker, make_all, workloads, version);
}

struct fault plan_make_chosen(struct plan **made, const struct spec *spec, struct workload *workloads,
                              const char *version, const struct plan_choice *choices, size_t count)
{
    struct maker maker = {.spec = spec, .choices = choices, .choice_count = count};

    return plan_make_part(made, &maker, make_chosen, workloads, version);
}

void plan_free(struct plan *plan)
{
    if (!plan)
        return;
    free(plan->points);
    free(plan->runs);
    free(plan->by_hash);
    arena_free(&plan->arena);
    free(plan);
}
