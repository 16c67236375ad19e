/* --dry-run: finds errors of points without running them. The system of each point is made, and its traces are opened
 * on it, as its run would. Opening reads the whole of some traces (of several threads, of virtual addresses), so of a
 * large workload the traces are opened on the first point of each system only; the others check that system and
 * workload fit. */
#include <stdlib.h>

#include "cli/common/cli.h"
#include "cli/sweep/sweep.h"
#include "replay/config/config.h"
#include "replay/session/fit.h"
#include "sweep/run/region_point.h"

#define LARGE_WORK 4e6                   /* records or instructions: opened once a system */

struct trial {
    const struct sweep_session *session;
    struct system_config *config;
    bool *is_opened;                     /* of each workload and system */
};

static struct fault try_point(const struct trial *trial, const struct plan_point *point)
{
    const struct plan *const plan = trial->session->plan;
    const struct spec *const spec = plan->spec;
    struct workload *const workload = &plan->workloads[point->workload];
    bool *const is_opened = &trial->is_opened[point->workload * spec->system_count + point->system];
    struct session_request const request = {.config = trial->config, .workload = workload, .limits = spec->limits,
                                            .engine = spec->engine, .has_stats = true,
                                            .runs_alone = spec->runs_alone};
    struct session *session;
    struct fault fault;

    FORWARD(plan_configure(plan, point, trial->config));
    FORWARD(region_point_check(workload, trial->config));
    if (*is_opened && workload->work > LARGE_WORK)
        return session_check_fit(&request);
    fault = session_open(&session, &request);
    *is_opened |= fault.kind == FAULT_NONE;
    session_close(session);
    return fault;
}

/* "point 3 (wide, gups, l2.size 3000B)" */
static void name_point(const struct plan *plan, size_t number, char *text, size_t size)
{
    const struct spec *const spec = plan->spec;
    const struct plan_point *const point = &plan->points[number];
    size_t used = (size_t)snprintf(text, size, "point %zu (%.60s, %.60s", number + 1, spec->system_names[point->system],
                                   spec->workloads[point->workload].name);

    for (size_t axis = 0; axis < spec->axis_count && used < size; axis++)
        used += (size_t)snprintf(text + used, size - used, ", %.60s %.60s", spec->axes[axis].key,
                                 plan_value(plan, point, axis));
    if (used < size)
        snprintf(text + used, size - used, ")");
}

int sweep_try_points(const struct sweep_session *session)
{
    const struct sweep_request *const request = session->request;
    const struct plan *const plan = session->plan;
    size_t const shard_count = request->shard_count ? request->shard_count : 1;
    size_t const shard = request->shard_count ? request->shard - 1 : 0;
    struct trial const trial = {
        session, config_new(),
        calloc(plan->spec->workload_count * plan->spec->system_count + 1, sizeof *trial.is_opened)
    };
    struct fault first = trial.config && trial.is_opened ? fault_none() : fault_make(FAULT_MEMORY, "out of memory");
    size_t first_number = 0, failed = 0, tried = 0;
    char name[600];

    for (size_t run = 0; run < plan->run_count && trial.config && trial.is_opened; run++) {
        struct fault fault;

        if (run % shard_count != shard)
            continue;
        tried++;
        fault = try_point(&trial, &plan->points[plan->runs[run]]);
        if (fault.kind != FAULT_NONE && failed++ == 0) {
            first = fault;
            first_number = plan->runs[run];
        }
    }
    free(trial.config);
    free(trial.is_opened);
    if (failed == 0)
        return first.kind == FAULT_NONE ? CLI_OK : cli_fail(first);
    name_point(plan, first_number, name, sizeof name);
    return cli_fail_text("%zu of %zu points cannot run; the first is %s: %s", failed, tried, name, fault_text(first));
}
