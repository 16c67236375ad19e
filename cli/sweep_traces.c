/* Each trace of a sweep is packed once, into the store cache that replays use, and mapped before the workers start. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/store_cache.h"
#include "cli/sweep.h"
#include "proto/gpu_trace.h"

void sweep_find_stores(struct workload *workload, const char *cache)
{
    char usual_folder[STORE_CACHE_PATH_MAX], path[STORE_CACHE_PATH_MAX];
    const char *const folder = cache ? cache : store_cache_folder(usual_folder) ? usual_folder : NULL;

    for (size_t i = 0; folder && i < workload->pair_count; i++) {
        struct trace_pair *const pair = &workload->pairs[i];

        if (!pair->store)
            pair->store = store_cache_find(folder, pair->data, pair->fetch);
        if (!pair->store)
            pair->store = store_cache_make(folder, pair->data, pair->fetch);
    }
    if (folder && workload->gpu_list && store_cache_gpu(folder, workload->gpu_list, path)) {
        char *const copy = strdup(path);

        if (!copy)
            return;
        free(workload->gpu_list);
        workload->gpu_list = copy;
    }
}

/* Once, not at each point. */
static int look_at_list(const struct workload *workload, const struct gpu_pick *kernels)
{
    struct gpu_list list;
    struct proto_error error;
    struct fault fault;

    if (!workload->gpu_list)
        return CLI_OK;
    if (!gpu_list_open(&list, workload->gpu_list, &error))
        return cli_fail_proto(&error);
    for (size_t i = 0; i < list.warning_count; i++)
        cli_warn("%s", list.warnings[i]);
    fault = gpu_pick_check(kernels, &list, "kernels", workload->name);
    gpu_list_close(&list);
    return fault.kind == FAULT_NONE ? CLI_OK : cli_fail(fault);
}

static void warn_of_store(const struct store *store)
{
    for (int part = 0; store && part < STORE_PARTS; part++) {
        struct store_warnings const *const warnings = &store_about(store)->warnings[part];

        for (size_t i = 0; i < warnings->count; i++)
            cli_warn("%s", warnings->texts[i]);
    }
}

int sweep_open_traces(struct sweep_session *session)
{
    struct spec const *const spec = session->spec;
    struct proto_error error;
    int code;

    session->workloads = calloc(spec->workload_count, sizeof *session->workloads);
    if (!session->workloads)
        return cli_fail_text("out of memory");
    for (size_t i = 0; i < spec->workload_count; i++) {
        struct workload *const workload = &session->workloads[session->workload_count++];

        if (!workload_find(workload, &spec->workloads[i], &error))
            return cli_fail_proto(&error);
        if (!session->request->has_no_cache)
            sweep_find_stores(workload, session->request->cache);
        if (!workload_hash(workload, &error))
            return cli_fail_proto(&error);
        code = look_at_list(workload, &spec->limits.kernels);
        if (code != CLI_OK)
            return code;
        for (size_t n = 0; workload->macsim && n < workload->macsim->warning_count; n++)
            cli_warn("%s", workload->macsim->warnings[n]);
        for (size_t pair = 0; pair < workload->pair_count; pair++)
            warn_of_store(workload->pairs[pair].store);
    }
    return CLI_OK;
}

void sweep_close_traces(struct sweep_session *session)
{
    for (size_t i = 0; i < session->workload_count; i++)
        workload_close(&session->workloads[i]);
    free(session->workloads);
}
