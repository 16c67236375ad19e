/* A store knows the hashes of the files that it was made of, so traces and their store have the same hash. A list of
 * kernels is hashed with the files that it names. */
#define _POSIX_C_SOURCE 200809L
#include "sweep/workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/gpu_store.h"
#include "proto/gpu_trace.h"
#include "proto/hash64.h"
#include "proto/macsim_set.h"

/* Threads of MacSim become records of a core when a system is known; a sweep has no such step. */
static bool has_macsim_threads(const char *path)
{
    struct macsim_set set;
    struct proto_error ignored;
    bool has_threads = false;

    if (store_detect(path) || !macsim_set_detect(path) || !macsim_set_open(&set, path, NULL, &ignored))
        return false;
    for (size_t a = 0; a < set.application_count; a++)
        for (size_t p = 0; p < set.applications[a].part_count; p++)
            has_threads |= !set.applications[a].parts[p].is_gpu;
    macsim_set_close(&set);
    return has_threads;
}

bool workload_find(struct workload *workload, const struct spec_workload *spec, struct proto_error *error)
{
    *workload = (struct workload){.name = spec->name, .work = 0};
    workload->pairs = calloc(spec->path_count, sizeof *workload->pairs);
    if (!workload->pairs)
        return proto_fail(error, spec->name, PROTO_NO_OFFSET, "out of memory");
    for (size_t i = 0; i < spec->path_count; i++) {
        const char *const path = spec->paths[i];

        if (has_macsim_threads(path))
            return proto_fail(error, path, PROTO_NO_OFFSET, "holds threads of MacSim's CPUs, which a sweep does not "
                              "take as they are; `rubato trace convert` makes traces of them that it takes");
        if (!gpu_list_detect(path)) {
            if (!trace_pair_find(&workload->pairs[workload->pair_count], path, error))
                return false;
            workload->pair_count++;
        } else if (workload->gpu_list) {
            return proto_fail(error, path, PROTO_NO_OFFSET, "holds GPU kernels, and so does %s; a GPU replays one list",
                              workload->gpu_list);
        } else {
            workload->gpu_list = strdup(path);
            if (!workload->gpu_list)
                return proto_fail(error, path, PROTO_NO_OFFSET, "out of memory");
        }
    }
    return true;
}

static void add(struct hash64_pieces *pieces, uint64_t hash)
{
    hash64_add(pieces, &hash, sizeof hash);
}

static bool add_pair(struct workload *workload, const struct trace_pair *pair, struct hash64_pieces *pieces,
                     struct proto_error *error)
{
    const char *const files[STORE_PARTS] = {pair->data, pair->fetch};

    for (int part = 0; part < STORE_PARTS; part++) {
        uint64_t hash = 0;

        if (pair->store)
            hash = store_about(pair->store)->source[part].hash;
        else if (!hash64_file(files[part], &hash, error))
            return false;
        add(pieces, hash);
    }
    if (pair->store)
        workload->work += (double)store_about(pair->store)->count[STORE_DEP];
    return true;
}

/* The kernels' files in the order of the store, each once; the list's own hash holds their order. */
static void add_gpu_store(struct workload *workload, const struct gpu_store *store, struct hash64_pieces *pieces)
{
    struct gpu_store_about const *const about = gpu_store_about(store);

    add(pieces, about->list.hash);
    for (size_t i = 0; i < about->kernel_count; i++)
        add(pieces, about->kernels[i].source.hash);
    workload->work += (double)about->insts;
}

static bool is_named_before(const struct gpu_list *list, size_t command)
{
    for (size_t i = 0; i < command; i++)
        if (list->commands[i].kind == GPU_KERNEL && strcmp(list->commands[i].file, list->commands[command].file) == 0)
            return true;
    return false;
}

static bool add_gpu_files(struct workload *workload, struct hash64_pieces *pieces, struct proto_error *error)
{
    struct gpu_list list;
    bool is_good;
    uint64_t hash;

    if (!gpu_list_open(&list, workload->gpu_list, error))
        return false;
    is_good = hash64_file(list.path, &hash, error);
    add(pieces, hash);
    for (size_t i = 0; is_good && i < list.count; i++) {
        struct gpu_kernel kernel;

        if (list.commands[i].kind != GPU_KERNEL || is_named_before(&list, i))
            continue;
        is_good = gpu_kernel_open(&kernel, list.folder, list.commands[i].file, error);
        if (!is_good)
            break;
        is_good = hash64_file(kernel.file, &hash, error);
        gpu_kernel_close(&kernel);
        add(pieces, hash);
    }
    gpu_list_close(&list);
    return is_good;
}

static bool add_gpu(struct workload *workload, struct hash64_pieces *pieces, struct proto_error *error)
{
    struct gpu_store *store;

    if (!gpu_store_detect(workload->gpu_list))
        return add_gpu_files(workload, pieces, error);
    store = gpu_store_open(workload->gpu_list, error);
    if (!store)
        return false;
    add_gpu_store(workload, store, pieces);
    gpu_store_close(store);
    return true;
}

bool workload_hash(struct workload *workload, struct proto_error *error)
{
    struct hash64_pieces pieces;

    hash64_begin(&pieces);
    workload->work = 0;
    for (size_t i = 0; i < workload->pair_count; i++)
        if (!add_pair(workload, &workload->pairs[i], &pieces, error))
            return false;
    add(&pieces, workload->pair_count);
    if (workload->gpu_list && !add_gpu(workload, &pieces, error))
        return false;
    workload->hash = hash64_end(&pieces);
    return true;
}

void workload_close(struct workload *workload)
{
    for (size_t i = 0; i < workload->pair_count; i++)
        trace_pair_close(&workload->pairs[i]);
    free(workload->pairs);
    free(workload->gpu_list);
    *workload = (struct workload){.name = NULL};
}
