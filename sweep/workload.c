/* A store knows the hashes of the files that it was made of, so traces and their store have the same hash. A list of
 * kernels is hashed with the files that it names, and a set of MacSim with its threads. */
#define _POSIX_C_SOURCE 200809L
#include "sweep/workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "proto/gpu_store.h"
#include "proto/gpu_trace.h"
#include "proto/hash64.h"
#include "proto/macsim_set.h"

static bool out_of_memory(const char *path, struct proto_error *error)
{
    return proto_fail(error, path, PROTO_NO_OFFSET, "out of memory");
}

/* Takes a MacSim set with threads of CPUs. *is_taken: there is nothing else in it. */
static bool take_macsim(struct workload *workload, const char *path, bool *is_taken, struct proto_error *error)
{
    struct macsim_set set;
    bool const is_set = !store_detect(path) && macsim_set_detect(path);

    *is_taken = false;
    workload->is_one_space = workload->is_one_space && is_set;
    if (!is_set)
        return true;
    if (!macsim_set_open(&set, path, NULL, error))
        return false;
    if (!macsim_set_has(&set, false)) {
        macsim_set_close(&set);
        return true;
    }
    if (workload->macsim) {
        macsim_set_close(&set);
        return proto_fail(error, path, PROTO_NO_OFFSET, "and %s are both sets of MacSim; name them in one "
                          "trace_file_list", workload->macsim->path);
    }
    *is_taken = !macsim_set_has(&set, true);
    workload->macsim = malloc(sizeof *workload->macsim);
    if (workload->macsim) {
        *workload->macsim = set;
        return true;
    }
    macsim_set_close(&set);
    return out_of_memory(path, error);
}

static bool take_list(struct workload *workload, const char *path, struct proto_error *error)
{
    if (workload->gpu_list)
        return proto_fail(error, path, PROTO_NO_OFFSET, "holds GPU kernels, and so does %s; a GPU replays one list",
                          workload->gpu_list);
    workload->gpu_list = strdup(path);
    return workload->gpu_list || out_of_memory(path, error);
}

bool workload_find(struct workload *workload, const struct spec_workload *spec, struct proto_error *error)
{
    *workload = (struct workload){.name = spec->name, .is_one_space = true};
    workload->pairs = calloc(spec->path_count, sizeof *workload->pairs);
    if (!workload->pairs)
        return out_of_memory(spec->name, error);
    for (size_t i = 0; i < spec->path_count; i++) {
        const char *const path = spec->paths[i];
        bool is_taken;

        if (!take_macsim(workload, path, &is_taken, error))
            return false;
        if (is_taken)
            continue;
        if (gpu_list_detect(path) ? !take_list(workload, path, error)
                                  : !trace_pair_find(&workload->pairs[workload->pair_count], path, error))
            return false;
        workload->pair_count += workload->pairs[workload->pair_count].data != NULL;
    }
    workload->is_one_space = workload->is_one_space && workload->macsim;
    if (workload->macsim && workload->pair_count)
        return proto_fail(error, workload->macsim->path, PROTO_NO_OFFSET, "and %s: cores run either MacSim's threads "
                          "or elastic traces", workload->pairs[0].data);
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

/* Of a pack the streams' hashes; a set and a pack of it count as different traces. */
static bool add_part(struct workload *workload, const struct macsim_part *part, struct hash64_pieces *pieces,
                     struct proto_error *error)
{
    char path[MACSIM_PATH_MAX];
    struct stat about;
    uint64_t hash;

    for (size_t i = 0; i < part->header.thread_count; i++) {
        add(pieces, part->header.threads[i].id);
        add(pieces, part->header.threads[i].start);
        if (part->packed) {
            add(pieces, part->packed->streams[i].hash);
            workload->work += (double)part->packed->streams[i].size;
        } else if (!macsim_part_path(part, i, path) || !hash64_file(path, &hash, error)) {
            return false;
        } else {
            add(pieces, hash);
            workload->work += stat(path, &about) == 0 ? (double)about.st_size : 0;
        }
    }
    return true;
}

static bool add_macsim(struct workload *workload, struct hash64_pieces *pieces, struct proto_error *error)
{
    struct macsim_set const *const set = workload->macsim;

    for (size_t a = 0; a < set->application_count; a++) {
        struct macsim_application const *const application = &set->applications[a];

        for (size_t p = 0; !application->is_gpu && p < application->part_count; p++) {
            struct macsim_part const *const part = &application->parts[p];

            add(pieces, part->header.thread_count);
            add(pieces, part->header.kind);
            add(pieces, part->detection.format.layout);
            add(pieces, part->detection.format.opcodes);
            add(pieces, part->detection.format.registers);
            if (!add_part(workload, part, pieces, error))
                return false;
        }
    }
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
    if (workload->macsim && !add_macsim(workload, &pieces, error))
        return false;
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
    if (workload->macsim)
        macsim_set_close(workload->macsim);
    free(workload->macsim);
    *workload = (struct workload){.name = NULL};
}
