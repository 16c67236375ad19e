#include "sweep/run/kernel_region.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "replay/metrics/metrics.h"
#include "replay/regions/estimate.h"

#define OF_KERNELS "kernel"              /* statistics of single launches, by their numbers */
#define TIME "simTicks"

struct statistic { char *name; double value; };

struct statistics {
    struct statistic *list;
    size_t count, room;
    bool has_failed;
};

static void keep(void *context, const char *name, double value)
{
    struct statistics *const kept = context;

    if (kept->has_failed || strncmp(name, OF_KERNELS, strlen(OF_KERNELS)) == 0)
        return;
    kept->has_failed = !list_fit(&kept->list, kept->count + 1, &kept->room, sizeof *kept->list);
    if (kept->has_failed)
        return;
    kept->list[kept->count] = (struct statistic){strdup(name), value};
    kept->has_failed = !kept->list[kept->count].name;
    kept->count += !kept->has_failed;
}

static void forget(struct statistics *kept)
{
    for (size_t i = 0; i < kept->count; i++)
        free(kept->list[i].name);
    free(kept->list);
}

/* Runs of one system have the same statistics in the same order, but for those that stayed 0. */
static double value_of(const struct statistics *kept, const char *name, size_t near)
{
    for (size_t i = 0; i < kept->count; i++) {
        const struct statistic *const one = &kept->list[(near + i) % kept->count];

        if (strcmp(one->name, name) == 0)
            return one->value;
    }
    return 0;
}

static struct fault run_launches(const struct region_runs_request *request, uint64_t first, uint64_t last,
                                 struct statistics *kept)
{
    struct workload_options reading = *request->reading;
    struct session_request wanted = {.config = request->config, .limits = session_no_limits(),
                                     .engine = request->engine};
    struct session_outputs const outputs = {0};
    struct workload workload;
    struct session *session = NULL;
    struct fault fault = workload_find(&workload, request->trace, &request->trace, 1, &reading);

    wanted.workload = &workload;
    wanted.limits.kernels = (struct gpu_pick){.ranges = {{first, last}}, .count = 1};
    if (fault.kind == FAULT_NONE)
        fault = session_open(&session, &wanted);
    if (fault.kind == FAULT_NONE)
        fault = session_run(session, &outputs);
    if (fault.kind == FAULT_NONE)
        fault = session_visit_stats(session, NULL, keep, kept);
    session_close(session);
    workload_close(&workload);
    return fault.kind == FAULT_NONE && kept->has_failed ? fault_memory(request->trace, "the statistics of a kernel")
                                                         : fault;
}

static void visit_differences(const struct statistics *all, const struct statistics *before,
                              void (*visit)(void *context, const char *name, double value), void *context)
{
    double const end = value_of(all, TIME, 0), start = value_of(before, TIME, 0);

    for (size_t i = 0; i < all->count; i++) {
        const char *const name = all->list[i].name;
        double const value = all->list[i].value, had = value_of(before, name, i);

        visit(context, name, !estimate_is_average(name) || end <= start
                                 ? value - (estimate_is_average(name) ? 0 : had)
                                 : (value * end - had * start) / (end - start));
    }
}

struct fault kernel_region_run(const struct region_runs_request *request, const struct region *region,
                               void (*visit)(void *context, const char *name, double value), void *context)
{
    uint64_t const warmup = request->warm == REGION_WARM_NONE ? 0 : region->warmup;
    uint64_t const launch = region->first + region->warmup + 1;
    struct statistics all = {0}, before = {0};
    struct fault fault = run_launches(request, launch - warmup, launch, &all);

    if (fault.kind == FAULT_NONE && warmup > 0)
        fault = run_launches(request, launch - warmup, launch - 1, &before);
    if (fault.kind == FAULT_NONE)
        visit_differences(&all, &before, visit, context);
    forget(&all);
    forget(&before);
    return fault;
}
