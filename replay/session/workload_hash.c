/* A store knows the hashes of the files that it was made of, so traces and their store have the same hash. A list of
 * kernels is hashed with the files that it names, and a set of MacSim with its threads. */
#define _POSIX_C_SOURCE 200809L
#include "base/list.h"
#include "replay/session/workload.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash64.h"
#include "proto/gpu/store.h"
#include "proto/formats.h"

static void add(struct hash64_pieces *pieces, uint64_t hash)
{
    hash64_add(pieces, &hash, sizeof hash);
}

void workload_forget_files(struct workload *workload)
{
    for (size_t i = 0; i < workload->file_count; i++)
        free(workload->files[i].path);
    free(workload->files);
    workload->files = NULL;
    workload->file_count = 0;
}

/* Notes the file before it is read. */
static struct fault watch(struct workload *workload, const char *path)
{
    char *const copy = strdup(path);

    if (!copy || !list_fit_next(&workload->files, workload->file_count, sizeof *workload->files)) {
        free(copy);
        return fault_memory(path, NULL);
    }
    workload->files[workload->file_count++] = (struct workload_file){copy, file_mark_look(path)};
    return fault_none();
}

static struct fault add_file(struct workload *workload, const char *path, struct hash64_pieces *pieces)
{
    uint64_t hash;

    FORWARD(watch(workload, path));
    FORWARD(hash64_file(path, &hash));
    add(pieces, hash);
    return fault_none();
}

static struct fault add_pair(struct workload *workload, const struct trace_pair *pair, struct hash64_pieces *pieces)
{
    const char *const files[STORE_PARTS] = {pair->data, pair->fetch};

    for (int part = 0; part < STORE_PARTS; part++) {
        if (pair->store)
            add(pieces, store_about(pair->store)->source[part].hash);
        else FORWARD(add_file(workload, files[part], pieces));
    }
    if (pair->store)
        workload->work += (double)store_about(pair->store)->count[STORE_DEP];
    return fault_none();
}

/* The kernels' files in the order of the store, each once; the list's own hash holds their order. */
static void add_gpu_store(struct workload *workload, const struct gpu_store *store, struct hash64_pieces *pieces)
{
    struct gpu_store_about const *const about = gpu_store_about(store);

    add(pieces, about->list.hash);
    for (size_t i = 0; i < about->kernel_count; i++) {
        add(pieces, about->kernels[i].source.hash);
        if (about->kernels[i].streams.count > 0)
            add(pieces, about->kernels[i].streams.hash);
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
        is_good = !macsim_header_stream_path(&header, i, path, sizeof path) || WORKS(fault, watch(workload, path));
    macsim_header_free(&header);
    if (!is_good || FAILS(fault, kernel->format->look_at_streams(kernel, &streams)))
        return fault;
    add(pieces, streams.hash);
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
    is_good = WORKS(fault, add_file(workload, list.path, pieces));
    for (size_t i = 0; is_good && i < list.count; i++) {
        struct gpu_kernel kernel;

        if (list.commands[i].kind != GPU_KERNEL || is_named_before(&list, i))
            continue;
        is_good = WORKS(fault, gpu_list_kernel(&kernel, &list, list.commands[i].file));
        if (!is_good)
            break;
        is_good = WORKS(fault, add_file(workload, kernel.file, pieces))
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

    if (!gpu_store_detect(workload->gpu_list))
        return add_gpu_files(workload, pieces);
    store = WORKS(fault, watch(workload, workload->gpu_list)) ? gpu_store_open(workload->gpu_list, &fault) : NULL;
    if (!store)
        return fault;
    add_gpu_store(workload, store, pieces);
    gpu_store_close(store);
    return fault_none();
}

/* Of a pack the streams' hashes; a set and a pack of it count as different traces. */
static struct fault add_part(struct workload *workload, const struct macsim_part *part, struct hash64_pieces *pieces)
{
    char path[MACSIM_PATH_MAX];

    for (size_t i = 0; i < part->header.thread_count; i++) {
        add(pieces, part->header.threads[i].id);
        add(pieces, part->header.threads[i].start);
        if (part->packed) {
            add(pieces, part->packed->streams[i].hash);
            workload->work += (double)part->packed->streams[i].size;
            continue;
        }
        if (!macsim_part_path(part, i, path))
            return macsim_long_path(part);
        FORWARD(add_file(workload, path, pieces));
        workload->work += (double)workload->files[workload->file_count - 1].mark.size_bytes;
    }
    return fault_none();
}

static struct fault add_macsim(struct workload *workload, struct hash64_pieces *pieces)
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
            FORWARD(add_part(workload, part, pieces));
        }
    }
    return fault_none();
}

/* A file of several threads is hashed once. */
static struct fault add_insn(struct workload *workload, const struct insn_trace *trace, struct hash64_pieces *pieces)
{
    const char *before = NULL;

    add(pieces, insn_trace_threads(trace));
    for (size_t i = 0; i < insn_trace_threads(trace); i++) {
        const char *const path = insn_trace_thread(trace, i)->path;

        if (before && strcmp(before, path) == 0)
            continue;
        before = path;
        FORWARD(add_file(workload, path, pieces));
        workload->work += (double)workload->files[workload->file_count - 1].mark.size_bytes;
    }
    return !insn_trace_program(trace) ? fault_none() : add_file(workload, insn_trace_program(trace)->path, pieces);
}

struct fault workload_hash(struct workload *workload)
{
    struct hash64_pieces pieces;

    hash64_begin(&pieces);
    workload->work = 0;
    for (size_t i = 0; i < workload->pair_count; i++)
        FORWARD(add_pair(workload, &workload->pairs[i], &pieces));
    add(&pieces, workload->pair_count);
    if (workload->macsim)
        FORWARD(add_macsim(workload, &pieces));
    for (size_t i = 0; i < workload->insn_count; i++)
        FORWARD(add_insn(workload, workload->insn[i], &pieces));
    if (workload->gpu_list)
        FORWARD(add_gpu(workload, &pieces));
    workload->hash = hash64_end(&pieces);
    return fault_none();
}

/* The first file that is not what it was; NULL: all are. */
static struct workload_file *changed_file(const struct workload *workload)
{
    for (size_t i = 0; i < workload->file_count; i++) {
        struct file_mark const now = file_mark_look(workload->files[i].path);

        if (!file_mark_is_same(&workload->files[i].mark, &now))
            return &workload->files[i];
    }
    return NULL;
}

struct fault workload_check(struct workload *workload)
{
    struct workload_file *const changed = changed_file(workload);
    struct workload again = *workload;
    struct fault fault;
    bool is_same;

    if (!changed)
        return fault_none();
    again.files = NULL;
    again.file_count = 0;
    is_same = WORKS(fault, workload_hash(&again)) && again.hash == workload->hash;
    if (is_same) {
        workload_forget_files(workload);
        workload->files = again.files;
        workload->file_count = again.file_count;
        return fault_none();
    }
    workload_forget_files(&again);
    return fault_make(FAULT_INPUT, "%.300s: was replaced or written to since the sweep began; run the sweep again for "
                      "the new traces", changed->path);
}
