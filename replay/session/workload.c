/* The content of a path tells what it is: a store, a set of MacSim, a list of GPU kernels, an instruction trace, a
 * folder of elastic traces. */
#define _POSIX_C_SOURCE 200809L
#include "replay/session/workload.h"

#include <stdlib.h>
#include <string.h>

#include "proto/formats.h"
#include "replay/session/store_cache.h"

static struct fault out_of_memory(void)
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
    for (size_t i = 0; i < count; i++) {
        enum trace_work const work = trace_kind_of_as(paths[i], format)->work;

        if (work != TRACE_WORK_MACSIM && work != TRACE_WORK_INSNS)
            return false;
    }
    return count > 0;
}

/* Takes a MacSim set with threads of CPUs. *is_taken: there is nothing else in it. */
static struct fault take_macsim(struct workload *workload, const char *path, bool *is_taken)
{
    struct workload_options const *const options = &workload->options;
    struct macsim_set set;
    struct fault fault;

    if (FAILS(fault, macsim_set_open(&set, path, options->has_format ? &options->format : NULL)))
        return fault;
    if (!macsim_set_has(&set, false)) {
        macsim_set_close(&set);
        return fault_none();
    }
    *is_taken = !macsim_set_has(&set, true);
    fault = workload->macsim ? fault_make(FAULT_INPUT, "%.200s and %.200s are both sets of MacSim; name them in one "
                                          "trace_file_list", workload->macsim->path, path) : fault_none();
    if (fault.kind == FAULT_NONE) {
        workload->macsim = malloc(sizeof *workload->macsim);
        fault = workload->macsim ? fault_none() : out_of_memory();
    }
    if (fault.kind == FAULT_NONE)
        *workload->macsim = set;
    else
        macsim_set_close(&set);
    return fault;
}

static struct fault take_list(struct workload *workload, const char *path)
{
    if (workload->gpu_list)
        return fault_make(FAULT_INPUT, "%.200s and %.200s both hold GPU kernels; a GPU replays one list",
                          workload->gpu_list, path);
    workload->gpu_name = path;
    workload->gpu_list = strdup(path);
    return workload->gpu_list ? fault_none() : out_of_memory();
}

/* A process. */
static struct fault take_insn(struct workload *workload, const char *path)
{
    struct fault fault;
    struct insn_trace *const trace = insn_trace_open_as(path, insn_read_format_name(&workload->options.insn),
                                                        INSN_OPEN_DECODED, &fault);

    if (!trace)
        return fault;
    if (insn_trace_threads(trace) == 0) {
        insn_trace_close(trace);
        return fault_make(FAULT_INPUT, "%.400s: no thread in the trace; expected one at least", path);
    }
    workload->insn_paths[workload->insn_count] = path;
    workload->insn[workload->insn_count++] = trace;
    return fault_none();
}

/* A pair, or those of the threads in the folder. */
static struct fault take_pairs(struct workload *workload, const char *path)
{
    struct trace_paths *const paths = malloc(sizeof *paths);
    char **const threads = trace_dir_threads(path);
    struct fault fault = paths ? fault_none() : out_of_memory();
    bool const is_pair = !threads || (paths && WORKS((struct fault){.kind = FAULT_NONE}, trace_dir_find(path, paths)));
    bool good = paths != NULL;

    free(paths);
    if (good && is_pair)
        good = WORKS(fault, trace_pair_find(&workload->pairs[workload->pair_count++], path));
    for (size_t i = 0; good && !is_pair && threads[i]; i++)
        good = WORKS(fault, trace_pair_find(&workload->pairs[workload->pair_count++], threads[i]));
    trace_dir_threads_free(threads);
    return good ? fault_none() : fault;
}

static struct fault take_path(struct workload *workload, const char *path)
{
    const struct trace_kind *const kind = trace_kind_of_as(path, insn_read_format_name(&workload->options.insn));
    bool is_taken = false;

    switch (kind->work) {
    case TRACE_WORK_MACSIM:
        FORWARD(take_macsim(workload, path, &is_taken));
        return is_taken ? fault_none() : take_list(workload, path);
    case TRACE_WORK_KERNELS: return take_list(workload, path);
    case TRACE_WORK_INSNS: return take_insn(workload, path);
    default:
        FORWARD(trace_check_known(path, kind));
        return take_pairs(workload, path);
    }
}

/* How many pairs it may hold: one, or one for each folder of a thread in it. */
static size_t most_pairs(const char *path)
{
    char **const threads = trace_dir_threads(path);
    size_t count = 0;

    while (threads && threads[count])
        count++;
    trace_dir_threads_free(threads);
    return count > 0 ? count : 1;
}

struct fault workload_find(struct workload *workload, const char *name, const char *const *paths, size_t count,
                           const struct workload_options *options)
{
    size_t pairs = 0;

    *workload = (struct workload){.name = name};
    if (options)
        workload->options = *options;
    else
        workload->options = workload_usual_options();
    for (size_t i = 0; i < count; i++)
        pairs += most_pairs(paths[i]);
    workload->pairs = calloc(pairs + 1, sizeof *workload->pairs);
    workload->insn = calloc(count + 1, sizeof *workload->insn);
    workload->insn_paths = calloc(count + 1, sizeof *workload->insn_paths);
    if (!workload->pairs || !workload->insn || !workload->insn_paths)
        return out_of_memory();
    for (size_t i = 0; i < count; i++)
        FORWARD(take_path(workload, paths[i]));
    workload->is_one_space = workload_has_threads(workload) && workload_is_threads(paths, count,
                                                                 insn_read_format_name(&workload->options.insn));
    if (workload->macsim && workload->pair_count)
        return fault_make(FAULT_INPUT, "%.200s and %.200s: cores run either MacSim's threads or elastic traces",
                          workload->macsim->path, workload->pairs[0].data);
    if (workload->insn_count && (workload->pair_count || workload->macsim))
        return fault_make(FAULT_INPUT, "%.200s and %.200s: cores run either instruction traces, or MacSim's threads, "
                          "or elastic traces", workload->insn_paths[0],
                          workload->macsim ? workload->macsim->path : workload->pairs[0].data);
    return fault_none();
}

struct fault workload_of_files(struct workload *workload, const char *const *data, const char *const *fetch,
                               size_t count)
{
    *workload = (struct workload){.name = data[0], .pair_count = count};
    workload->pairs = calloc(count, sizeof *workload->pairs);
    if (!workload->pairs)
        return out_of_memory();
    for (size_t i = 0; i < count; i++) {
        workload->pairs[i].data = data[i];
        workload->pairs[i].fetch = fetch[i];
    }
    return fault_none();
}

static void find_store(struct trace_pair *pair, const struct workload_stores *stores)
{
    if (pair->store)
        return;
    pair->is_cached = true;
    pair->store = store_cache_find(stores->folder, pair->data, pair->fetch, stores->verifies);
    if (pair->store || stores->how == WORKLOAD_STORES_FIND)
        return;
    if (stores->before_packing)
        stores->before_packing();
    if (stores->how == WORKLOAD_STORES_MAKE) {
        pair->store = store_cache_make(stores->folder, pair->data, pair->fetch, stores->warn);
        return;
    }
    pair->packing = store_cache_begin(stores->folder, pair->data, pair->fetch, stores->warn);
    if (pair->packing)
        pair->store = store_packing_store(pair->packing);
}

void workload_find_stores(struct workload *workload, const struct workload_stores *stores)
{
    for (size_t i = 0; stores->folder && i < workload->pair_count; i++)
        find_store(&workload->pairs[i], stores);
}

void workload_find_gpu_store(struct workload *workload, const struct workload_stores *stores)
{
    char path[STORE_CACHE_PATH_MAX], *copy;

    if (!stores->folder || !workload->gpu_list
        || !store_cache_gpu(stores->folder, workload->gpu_list, stores->verifies, path, stores->warn))
        return;
    copy = strdup(path);
    if (!copy)
        return;
    free(workload->gpu_list);
    workload->gpu_list = copy;
}

void workload_finish_stores(struct workload *workload, const struct warn_sink *warn)
{
    for (size_t i = 0; i < workload->pair_count; i++)
        if (workload->pairs[i].packing)
            store_cache_end(workload->pairs[i].packing, warn);
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

void workload_warn(const struct workload *workload, const struct warn_sink *warn)
{
    for (size_t n = 0; workload->macsim && n < workload->macsim->warning_count; n++)
        warn_of_line(warn, workload->macsim->warnings[n]);
}

void workload_close(struct workload *workload)
{
    for (size_t i = 0; i < workload->pair_count; i++)
        trace_pair_close(&workload->pairs[i]);
    free(workload->pairs);
    for (size_t i = 0; i < workload->insn_count; i++)
        insn_trace_close(workload->insn[i]);
    free(workload->insn);
    free(workload->insn_paths);
    free(workload->gpu_list);
    workload_forget_files(workload);
    if (workload->macsim)
        macsim_set_close(workload->macsim);
    free(workload->macsim);
    *workload = (struct workload){.name = NULL};
}
