/* Fuzz target: any bytes as the file of a sweep, and after the first zero byte as a condition. Neither may crash;
 * accepted input makes a plan whose points are numbered soundly. Large sweeps are left out, as they only take time. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/plan/plan.h"

#define MOST_POINTS 64.0

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct fault find_name(void *self, const char *name, const char *where, struct quantity *value)
{
    (void)self;
    *value = quantity_of(name);
    return name[0] == 'x' ? fault_make(FAULT_INPUT, "%s: %s", where, name) : fault_none();
}

static void try_condition(const uint8_t *data, size_t size)
{
    struct condition_names const names = {.find = find_name};
    struct arena arena = {0};
    struct condition *condition;
    char *const text = arena_copy(&arena, (const char *)data, size);
    bool holds;

    if (text && condition_parse(&condition, &arena, text, "fuzz").kind == FAULT_NONE)
        (void)condition_holds(condition, &names, &holds);
    arena_free(&arena);
}

static void try_plan(const struct spec *spec)
{
    struct workload *const workloads = calloc(spec->workload_count, sizeof *workloads);
    struct plan *plan;
    double points = (double)spec->system_count * (double)spec->workload_count;

    for (size_t i = 0; i < spec->group_count; i++)
        points *= (double)spec->groups[i].levels;
    if (spec->sample_points)
        points = (double)spec->sample_points * (double)spec->workload_count;
    if (workloads && points <= MOST_POINTS && plan_make(&plan, spec, workloads, "fuzz").kind == FAULT_NONE) {
        for (size_t i = 0; i < plan->count; i++)
            if (plan->points[i].run >= plan->run_count || plan->points[plan->runs[plan->points[i].run]].hash
                                                              != plan->points[i].hash)
                abort();
        plan_free(plan);
    }
    free(workloads);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *const zero = size ? memchr(data, 0, size) : NULL;
    size_t const length = zero ? (size_t)(zero - data) : size;
    struct spec *spec;

    if (zero)
        try_condition(zero + 1, size - length - 1);
    if (spec_read_text(&spec, "fuzz.yaml", (const char *)data, length).kind == FAULT_NONE) {
        try_plan(spec);
        spec_free(spec);
    }
    return 0;
}
