/* Each trace of a sweep is packed once, into the store cache that replays use, and mapped before the workers start. */
#include <stdlib.h>

#include "cli/common/cli.h"
#include "cli/common/output_name.h"
#include "cli/sweep/sweep.h"
#include "replay/source/store_cache.h"
#include "sweep/run/region_point.h"

/* A region's instruction is about as much work as that many records of an elastic trace: a first guess. */
#define REGION_WORK 10

void sweep_find_stores(struct workload *workload, const char *folder, bool verifies)
{
    struct workload_stores const stores = {.folder = folder, .how = WORKLOAD_STORES_MAKE, .verifies = verifies,
                                           .warn = &cli_warnings};

    workload_find_stores(workload, &stores);
    workload_find_gpu_store(workload, &stores);
}

/* Once, not at each point. */
static int look_at_list(const struct workload *workload, const struct gpu_pick *kernels)
{
    struct gpu_list list;
    struct fault fault;

    if (!workload_kernels(workload))
        return CLI_OK;
    fault = workload_open_list(workload, kernels, &list, &cli_warnings);
    if (fault.kind != FAULT_NONE)
        return cli_fail(fault);
    gpu_list_close(&list);
    return CLI_OK;
}

int sweep_open_traces(struct sweep_session *session)
{
    struct spec const *const spec = session->spec;
    char room[STORE_CACHE_PATH_MAX];
    const char *const folder = cli_store_folder(session->request->cache, session->request->has_no_cache, room);
    struct fault error;
    int code;

    session->workloads = calloc(spec->workload_count, sizeof *session->workloads);
    if (!session->workloads)
        return cli_fail_text("out of memory");
    for (size_t i = 0; i < spec->workload_count; i++) {
        struct workload *const workload = &session->workloads[session->workload_count++];

        struct spec_workload const *const named = &spec->workloads[i];

        error = region_workload_find(workload, named->name, named->paths, named->path_count, &spec->reading);
        if (error.kind == FAULT_NONE)
            error = region_workload_check(workload, &spec->limits,
                                          spec->runs_alone ? "alone" : spec->optimal ? "optimal" : NULL);
        if (error.kind == FAULT_NONE && workload->regions)
            error = region_workload_warm(workload, spec->warm);
        if (error.kind == FAULT_NONE && workload->regions && spec->until_error > 0)
            error = region_workload_check_until(workload);
        if (error.kind != FAULT_NONE)
            return cli_fail(error);
        sweep_find_stores(workload, folder, session->request->verifies);
        if (FAILS(error, workload_hash(workload)))
            return cli_fail_proto(&error);
        if (workload->regions)
            workload->work = REGION_WORK * (double)region_workload_instructions(workload);
        code = look_at_list(workload, &spec->limits.kernels);
        if (code != CLI_OK)
            return code;
        workload_warn(workload, &cli_warnings);
        workload_warn_stores(workload, &cli_warnings);
    }
    return CLI_OK;
}

void sweep_close_traces(struct sweep_session *session)
{
    for (size_t i = 0; i < session->workload_count; i++)
        region_workload_close(&session->workloads[i]);
    free(session->workloads);
}
