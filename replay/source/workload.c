/* The content of a path tells its kind, the kind its source, a row each. */
#include "replay/source/workload.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash64.h"
#include "base/list.h"
#include "proto/trace_formats.h"
#include "replay/config/config_values.h"
#include "replay/source/source.h"

/* By the work of a kind of trace. Readers of elastic traces report defects of unknown files. */
static const struct source *const sources[] = {
    [TRACE_WORK_UNKNOWN] = &source_elastic, [TRACE_WORK_PAIRS] = &source_elastic, [TRACE_WORK_MACSIM] = &source_macsim,
    [TRACE_WORK_INSNS] = &source_insns, [TRACE_WORK_KERNELS] = &source_kernels
};
enum { FIRST_SOURCE = TRACE_WORK_PAIRS, SOURCE_COUNT = sizeof sources / sizeof sources[0] };

/* Loops over each source that has a function. */
#define FOR_SOURCES(source, function)                                                                                 \
    for (int i = FIRST_SOURCE; i < SOURCE_COUNT; i++)                                                                 \
        for (const struct source *source = sources[i]; source && source->function; source = NULL)

struct fault source_no_memory(void)
{
    return fault_make(FAULT_MEMORY, "out of memory");
}

struct workload_options workload_usual_options(void)
{
    return (struct workload_options){.uops = macsim_elastic_defaults().uops,
                                     .insn = {.latencies = insn_latencies_usual()}};
}

bool workload_is_threads(const char *const *paths, size_t count, const char *format)
{
    for (size_t i = 0; i < count; i++)
        if (!sources[trace_kind_of_as(paths[i], format)->work]->has_threads)
            return false;
    return count > 0;
}

static const struct source *source_held(const struct workload *workload, bool is_of_gpu)
{
    for (int i = FIRST_SOURCE; i < SOURCE_COUNT; i++)
        if (sources[i]->is_of_gpu == is_of_gpu && sources[i]->first(workload))
            return sources[i];
    return NULL;
}

const char *workload_cores(const struct workload *workload)
{
    const struct source *const source = source_held(workload, false);

    return source ? source->first(workload) : NULL;
}

const char *workload_kernels(const struct workload *workload)
{
    return source_kernels.first(workload);
}

enum source_detail workload_detail(const struct workload *workload)
{
    const struct source *const source = source_held(workload, false);

    return source ? source->detail : SOURCE_NEVER;
}

const struct source *source_of_cores(const struct workload *workload, const struct system_config *config)
{
    const struct source *const source = source_held(workload, false);

    if (!source || (source->yields_to_kernels && config_core_count(config) == 0 && workload_kernels(workload)))
        return NULL;
    return source->rebuilt && config_is_window(config) ? source->rebuilt : source;
}

static struct fault take_path(struct workload *workload, const char *path)
{
    const struct trace_kind *const kind = trace_kind_of_as(path, insn_read_format_name(&workload->options.insn));
    const struct source *const source = sources[kind->work], *const before = source_held(workload, false);

    FORWARD(trace_check_known(path, kind));
    FORWARD(source->take(workload, path));
    if (before && before != source && !source->is_of_gpu && source->first(workload))
        return fault_make(FAULT_INPUT, "%.200s and %.200s: cores run either %s or %s", before->first(workload),
                          source->first(workload), before->of_cores, source->of_cores);
    return fault_none();
}

struct fault workload_find(struct workload *workload, const char *name, const char *const *paths, size_t count,
                           const struct workload_options *options)
{
    *workload = (struct workload){.name = name};
    workload->options = options ? *options : workload_usual_options();
    for (size_t i = 0; i < count; i++)
        FORWARD(take_path(workload, paths[i]));
    workload->is_one_space = source_held(workload, false) && source_held(workload, false)->has_threads
                             && workload_is_threads(paths, count, insn_read_format_name(&workload->options.insn));
    return fault_none();
}

void workload_find_stores(struct workload *workload, const struct workload_stores *stores)
{
    FOR_SOURCES(source, find_stores)
        if (!source->is_of_gpu && stores->folder)
            source->find_stores(workload, stores);
}

void workload_find_gpu_store(struct workload *workload, const struct workload_stores *stores)
{
    if (stores->folder)
        source_kernels.find_stores(workload, stores);
}

void workload_finish_stores(struct workload *workload, const struct warn_sink *warn)
{
    FOR_SOURCES(source, finish_stores)
        source->finish_stores(workload, warn);
}

void workload_warn(const struct workload *workload, const struct warn_sink *warn)
{
    FOR_SOURCES(source, warn)
        source->warn(workload, warn);
}

void workload_close(struct workload *workload)
{
    FOR_SOURCES(source, close)
        source->close(workload);
    workload_forget_files(workload);
    *workload = (struct workload){.name = NULL};
}

/* ---- hashes */
void source_hash_add(struct hash64_pieces *pieces, uint64_t number)
{
    hash64_add(pieces, &number, sizeof number);
}

void workload_forget_files(struct workload *workload)
{
    for (size_t i = 0; i < workload->file_count; i++)
        free(workload->files[i].path);
    free(workload->files);
    workload->files = NULL;
    workload->file_count = 0;
}

struct fault source_watch(struct workload *workload, const char *path)
{
    char *const copy = strdup(path);

    if (!copy || !list_fit_next(&workload->files, workload->file_count, sizeof *workload->files)) {
        free(copy);
        return fault_memory(path, NULL);
    }
    workload->files[workload->file_count++] = (struct workload_file){copy, file_mark_look(path)};
    return fault_none();
}

struct fault source_hash_file(struct workload *workload, const char *path, struct hash64_pieces *pieces)
{
    uint64_t hash;

    FORWARD(source_watch(workload, path));
    FORWARD(hash64_file(path, &hash));
    source_hash_add(pieces, hash);
    return fault_none();
}

struct fault source_hash_work(struct workload *workload, const char *path, struct hash64_pieces *pieces)
{
    FORWARD(source_hash_file(workload, path, pieces));
    workload->work += (double)workload->files[workload->file_count - 1].mark.size_bytes;
    return fault_none();
}

struct fault workload_hash(struct workload *workload)
{
    struct hash64_pieces pieces;

    hash64_begin(&pieces);
    workload->work = 0;
    FOR_SOURCES(source, hash)
        FORWARD(source->hash(workload, &pieces));
    if (workload->regions_path)
        FORWARD(source_hash_file(workload, workload->regions_path, &pieces));
    if (workload->regions_states)
        FORWARD(source_hash_file(workload, workload->regions_states, &pieces));
    for (size_t i = 0; i < workload->regions_trace_count; i++)
        FORWARD(source_hash_file(workload, workload->regions_traces[i], &pieces));
    workload->hash = hash64_end(&pieces);
    return fault_none();
}

/* The first file that has changed; NULL: none has. */
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
