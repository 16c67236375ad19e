/* Kernels of a GPU: a list, its store, or those of a MacSim set. A store knows the hashes of the files that it was made
 * of, so a list and its store have the same hash; a list is hashed with the files that it names. */
#include <stdlib.h>
#include <string.h>

#include "base/hash64.h"
#include "proto/gpu/gpu_store.h"
#include "proto/trace_formats.h"
#include "replay/source/source.h"
#include "replay/source/store_cache.h"

struct fault source_take_kernels(struct workload *workload, const char *path)
{
    if (workload->gpu_list)
        return fault_make(FAULT_INPUT, "%.200s and %.200s both hold GPU kernels; a GPU replays one list",
                          workload->gpu_list, path);
    workload->gpu_name = path;
    workload->gpu_list = strdup(path);
    return workload->gpu_list ? fault_none() : source_no_memory();
}

static const char *first_list(const struct workload *workload)
{
    return workload->gpu_list;
}

/* The kernels' files in the order of the store, each once; the list's own hash holds their order. */
static void add_gpu_store(struct workload *workload, const struct gpu_store *store, struct hash64_pieces *pieces)
{
    struct gpu_store_about const *const about = gpu_store_about(store);

    source_hash_add(pieces, about->list.hash);
    for (size_t i = 0; i < about->kernel_count; i++) {
        source_hash_add(pieces, about->kernels[i].source.hash);
        if (about->kernels[i].streams.count > 0)
            source_hash_add(pieces, about->kernels[i].streams.hash);
    }
    workload->work += (double)about->insts;
}

/* A kernel of MacSim is a header that names its streams. */
static struct fault add_streams(struct workload *workload, const struct gpu_kernel *kernel,
                                struct hash64_pieces *pieces)
{
    struct fault fault = fault_none();
    struct macsim_header header;
    struct gpu_streams streams;
    char path[MACSIM_PATH_MAX];
    bool is_good = true;

    if (!kernel->format->look_at_streams)
        return fault_none();
    FORWARD(macsim_header_read(&header, kernel->file));
    for (size_t i = 0; is_good && i < header.thread_count; i++)
        is_good = !macsim_header_stream_path(&header, i, path, sizeof path)
                  || WORKS(fault, source_watch(workload, path));
    macsim_header_free(&header);
    if (!is_good || FAILS(fault, kernel->format->look_at_streams(kernel, &streams)))
        return fault;
    source_hash_add(pieces, streams.hash);
    return fault_none();
}

static bool is_named_before(const struct gpu_list *list, size_t command)
{
    for (size_t i = 0; i < command; i++)
        if (list->commands[i].kind == GPU_KERNEL && strcmp(list->commands[i].file, list->commands[command].file) == 0)
            return true;
    return false;
}

static struct fault add_gpu_files(struct workload *workload, struct hash64_pieces *pieces)
{
    struct fault fault = fault_none();
    struct gpu_list list;
    bool is_good;

    FORWARD(trace_list_open(&list, workload->gpu_list, NULL));
    is_good = WORKS(fault, source_hash_file(workload, list.path, pieces));
    for (size_t i = 0; is_good && i < list.count; i++) {
        struct gpu_kernel kernel;

        if (list.commands[i].kind != GPU_KERNEL || is_named_before(&list, i))
            continue;
        is_good = WORKS(fault, gpu_list_kernel(&kernel, &list, list.commands[i].file));
        if (!is_good)
            break;
        is_good = WORKS(fault, source_hash_file(workload, kernel.file, pieces))
                  && WORKS(fault, add_streams(workload, &kernel, pieces));
        gpu_kernel_close(&kernel);
    }
    gpu_list_close(&list);
    return is_good ? fault_none() : fault;
}

static struct fault add_gpu(struct workload *workload, struct hash64_pieces *pieces)
{
    struct fault fault = fault_none();
    struct gpu_store *store;

    if (!workload->gpu_list)
        return fault_none();
    if (!gpu_store_detect(workload->gpu_list))
        return add_gpu_files(workload, pieces);
    FORWARD(source_watch(workload, workload->gpu_list));
    store = gpu_store_open(workload->gpu_list, &fault);
    if (!store)
        return fault;
    add_gpu_store(workload, store, pieces);
    gpu_store_close(store);
    return fault_none();
}

static void find_gpu_store(struct workload *workload, const struct workload_stores *stores)
{
    char path[STORE_CACHE_PATH_MAX], *copy;

    if (!workload->gpu_list
        || !store_cache_gpu(stores->folder, workload->gpu_list, stores->verifies, path, stores->warn))
        return;
    copy = strdup(path);
    if (!copy)
        return;
    free(workload->gpu_list);
    workload->gpu_list = copy;
}

struct fault workload_open_list(const struct workload *workload, const struct gpu_pick *kernels, struct gpu_list *list,
                                const struct warn_sink *warn)
{
    struct workload_options const *const read = &workload->options;
    struct trace_list_options const options = {
        .format = read->has_format ? &read->format : NULL, .macsim_compat = read->uops.compat
    };
    struct fault fault;

    if (FAILS(fault, trace_list_open(list, workload->gpu_list, &options)))
        return fault;
    for (size_t i = 0; i < list->warning_count; i++)
        if (!workload->macsim || strcmp(workload->macsim->path, workload->gpu_list) != 0)
            warn_of_line(warn, list->warnings[i]);
    fault = gpu_pick_check(kernels, list, "kernels", workload->gpu_name);
    if (fault.kind != FAULT_NONE)
        gpu_list_close(list);
    return fault;
}

static void close_list(struct workload *workload)
{
    free(workload->gpu_list);
}

const struct source source_kernels = {
    .holds = "GPU kernels", .is_of_gpu = true, .take = source_take_kernels, .first = first_list, .hash = add_gpu,
    .find_stores = find_gpu_store, .close = close_list
};
