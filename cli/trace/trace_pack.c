/* rubato trace pack of pairs, GPU kernels and sets of MacSim. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/common/cli.h"
#include "cli/common/large_pages.h"
#include "cli/common/output_name.h"
#include "cli/common/shown.h"
#include "cli/trace/trace_kinds.h"
#include "proto/elastic/trace_writer.h"
#include "proto/gpu/gpu_store.h"
#include "proto/macsim/set.h"
#include "proto/store/store_pack.h"
#include "proto/trace_formats.h"
#include "replay/window/window_learnt.h"

static int print_result(const char *path)
{
    struct fault error;
    struct store *const store = store_open(path, &error);
    const struct store_about *about;
    uint64_t source_bytes;

    if (store == NULL)
        return cli_fail_proto(&error);
    about = store_about(store);
    source_bytes = about->source[STORE_DEP].size_bytes + about->source[STORE_FETCH].size_bytes;
    printf("%s: %" PRIu64 " records, %" PRIu64 " fetches, %" PRIu64 " bytes, %.2f of the source's\n", cli_shown(path),
           about->count[STORE_DEP], about->count[STORE_FETCH], about->file_bytes,
           source_bytes > 0 ? (double)about->file_bytes / (double)source_bytes : 0);
    store_close(store);
    return CLI_OK;
}

static bool is_store_name(const struct trace_request *request)
{
    return cli_output_fits(request->output, "a store of traces", "pack rbt");
}

int trace_gpu_pack(const struct trace_request *request)
{
    struct trace_list_options const list_options = {
        .format = request->has_override ? &request->override : NULL, .macsim_compat = request->is_compat
    };
    struct fault error;
    struct gpu_store *store;
    const struct gpu_store_about *about;
    uint64_t source_bytes = 0;

    if (!is_store_name(request))
        return CLI_BAD_INPUT;
    if (FAILS(error, trace_list_pack(request->path, &list_options, request->output)))
        return cli_fail_proto(&error);
    store = gpu_store_open(request->output, &error);
    if (store == NULL)
        return cli_fail_proto(&error);
    about = gpu_store_about(store);
    for (size_t i = 0; i < about->kernel_count; i++)
        source_bytes += about->kernels[i].source.size_bytes + about->kernels[i].streams.bytes;
    if (!request->is_quiet)
        printf("%s: %zu kernel%s, %" PRIu64 " thread blocks, %" PRIu64 " warp instructions, %" PRIu64
               " bytes, %.2f of the source's\n", cli_shown(request->output), about->kernel_count,
               about->kernel_count == 1 ? "" : "s", about->blocks, about->insts, about->file_bytes,
               source_bytes > 0 ? (double)about->file_bytes / (double)source_bytes : 0);
    gpu_store_close(store);
    return CLI_OK;
}

static int pack_threads(const struct trace_request *request, const struct macsim_set *set)
{
    struct fault error;
    uint64_t bytes;
    size_t threads;

    for (size_t i = 0; i < set->warning_count; i++)
        cli_warn("%s", set->warnings[i]);
    if (FAILS(error, macsim_pack_write(set, request->output, &threads, &bytes)))
        return cli_fail_proto(&error);
    if (!request->is_quiet)
        printf("%s: %zu thread%s, %" PRIu64 " bytes\n", cli_shown(request->output), threads,
               threads == 1 ? "" : "s", bytes);
    return CLI_OK;
}

/* A set of MacSim: kernels become a store of a GPU's, threads a pack. */
int trace_macsim_pack(const struct trace_request *request)
{
    struct fault error;
    struct macsim_set set;
    const char *kernels = NULL, *threads = NULL;
    char rooms[2][CLI_QUOTED_MAX];
    int code;

    if (!is_store_name(request))
        return CLI_BAD_INPUT;
    if (FAILS(error, macsim_set_open(&set, request->path, request->has_override ? &request->override : NULL)))
        return cli_fail_proto(&error);
    for (size_t i = 0; i < set.application_count; i++) {
        const char **const first = set.applications[i].is_gpu ? &kernels : &threads;

        *first = *first != NULL ? *first : set.applications[i].path;
    }
    if (kernels != NULL && threads != NULL)
        code = cli_fail_text("%s holds both kernels of a GPU and threads of a CPU, which become a file each: `rubato "
                             "trace pack %s -o FILE` and `rubato trace pack %s -o FILE`; `rubato replay SYSTEM FILE "
                             "FILE` takes both", request->path,
                             cli_quote(kernels, rooms[0]), cli_quote(threads, rooms[1]));
    else if (threads != NULL && request->is_compat)
        code = cli_fail_text("--macsim-compat changes nothing in a pack of threads; give it to `rubato replay`");
    else
        code = kernels != NULL ? trace_gpu_pack(request) : pack_threads(request, &set);
    macsim_set_close(&set);
    return code;
}

int trace_elastic_pack(const struct trace_request *given)
{
    struct trace_request request = *given;
    struct trace_paths paths;
    struct fault error;

    if (!is_store_name(given))
        return CLI_BAD_INPUT;
    if (request.path != NULL) {
        if (FAILS(error, trace_dir_find(request.path, &paths)))
            return cli_fail_proto(&error);
        request.dep = paths.dep;
        request.fetch = paths.fetch;
    }
    large_pages_for_heap();
    large_pages_for_packing();
    if (request.model != NULL && strcmp(request.model, "elastic") == 0)
        error = store_pack(request.dep, request.fetch, request.output);
    else
        error = window_kept_pack(request.dep, request.fetch, request.output, request.model != NULL);
    if (error.kind != FAULT_NONE)
        return cli_fail_proto(&error);
    return request.is_quiet ? CLI_OK : print_result(request.output);
}
