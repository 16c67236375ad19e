/* Threads of instruction traces: the parameters of the system that affect their decoding, and the assignment to
 * cores. */
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "memsys/vm/vm_params.h"
#include "replay/config/config_values.h"
#include "replay/config/core_params.h"
#include "replay/config/detailed_params.h"
#include "replay/config/unloaded.h"
#include "replay/source/source.h"
#include "replay/system/thread_sides.h"

/* ---- the workload */
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
    if (workload->options.insn.skipped > 0
        && FAILS(fault, insn_trace_begin_behind(trace, workload->options.insn.skipped))) {
        insn_trace_close(trace);
        return fault;
    }
    if (!list_fit_next(&workload->insn, workload->insn_count, sizeof *workload->insn)
        || !list_fit_next(&workload->insn_paths, workload->insn_count, sizeof *workload->insn_paths)) {
        insn_trace_close(trace);
        return source_no_memory();
    }
    workload->takes |= WORKLOAD_TAKES_INSN_OPTIONS;
    workload->insn_paths[workload->insn_count] = path;
    workload->insn[workload->insn_count++] = trace;
    return fault_none();
}

struct fault workload_read_insn_as(struct workload *workload, const struct workload_options *options)
{
    workload->options = *options;
    for (size_t i = 0; i < workload->insn_count; i++)
        FORWARD(insn_trace_begin_behind(workload->insn[i], options->insn.skipped));
    return fault_none();
}

struct fault workload_begin_behind(struct workload *workload, uint64_t insns)
{
    for (size_t i = 0; i < workload->insn_count; i++)
        FORWARD(insn_trace_begin_behind(workload->insn[i], workload->options.insn.skipped + insns));
    return fault_none();
}

static const char *first_process(const struct workload *workload)
{
    return workload->insn_count > 0 ? workload->insn_paths[0] : NULL;
}

/* A file of several threads is hashed once. */
static struct fault add_insn(struct workload *workload, const struct insn_trace *trace, struct hash64_pieces *pieces)
{
    const char *before = NULL;

    source_hash_add(pieces, insn_trace_threads(trace));
    for (size_t i = 0; i < insn_trace_threads(trace); i++) {
        const char *const path = insn_trace_thread(trace, i)->path;

        if (before && strcmp(before, path) == 0)
            continue;
        before = path;
        FORWARD(source_hash_work(workload, path, pieces));
    }
    /* One that the trace itself keeps is in the hash of its file. */
    return !insn_trace_program(trace) || !insn_trace_program(trace)->path ? fault_none()
        : source_hash_file(workload, insn_trace_program(trace)->path, pieces);
}

static struct fault add_processes(struct workload *workload, struct hash64_pieces *pieces)
{
    for (size_t i = 0; i < workload->insn_count; i++)
        FORWARD(add_insn(workload, workload->insn[i], pieces));
    if (workload->options.insn.skipped > 0)
        source_hash_add(pieces, workload->options.insn.skipped);
    return fault_none();
}

static void close_processes(struct workload *workload)
{
    for (size_t i = 0; i < workload->insn_count; i++)
        insn_trace_close(workload->insn[i]);
    free(workload->insn);
    free(workload->insn_paths);
}

/* ---- a run */
#define WINDOW_ROBS 3u                   /* no dependence is longer than that many reorder buffers */

/* Delays in cycles of the system's cores, accesses cut at its lines. */
static struct insn_elastic_options insn_fit(const struct insn_read_options *read, const struct system_config *config)
{
    struct insn_elastic_options options = insn_elastic_defaults();

    options.latencies = read->latencies;
    options.time_ps = read->time_ps;
    options.depend.period_ps = config_cpu_clock_ps(config);
    options.depend.line_bytes = (uint32_t)config_line_bytes(config);
    if (options.depend.fetch_bytes > options.depend.line_bytes)
        options.depend.fetch_bytes = options.depend.line_bytes;
    for (unsigned i = 0; i < config_core_count(config); i++)
        if (WINDOW_ROBS * config_core_params(config, i)->rob > options.depend.window)
            options.depend.window = (uint32_t)(WINDOW_ROBS * config_core_params(config, i)->rob);
    return options;
}

static bool always(const struct system_config *config)
{
    (void)config;
    return true;
}

static void *open_processes(const struct source_setup *setup, struct system_traces *traces, struct fault *fault)
{
    const struct system_config *const config = setup->config;
    const struct workload *const workload = setup->workload;
    const struct insn_read_options *const read = &workload->options.insn;
    struct insn_threads_setup const wanted = {
        .traces = workload->insn, .trace_count = workload->insn_count, .options = insn_fit(read, config),
        .is_free = read->is_free, .memory = setup->spaces, .pages_map = config_pages_map(config),
        .needs_all_pages = config_pages(config)->huge == HUGE_THRESHOLD,
        .addresses = config_pages(config)->addresses, .is_identity = config_pages(config)->policy == PLACEMENT_IDENTITY,
        .memory_clock_ps = memory_clock_ps(config), .is_detailed = config_is_detailed(config),
        .wrong_path_loads = config_detailed(config)->wrong_path_loads,
        .wrong_path_values = config_detailed(config)->wrong_path_values, .pick = setup->pick};
    struct insn_threads *const threads = insn_threads_open(&wanted, fault);

    if (threads)
        source_idle_beyond(traces, setup, insn_threads_count(threads));
    return threads;
}

static void close_run_of_processes(void *run)
{
    insn_threads_close(run);
}

static struct fault give_processes(void *run, struct system *system)
{
    struct system_threads const of_system = insn_threads_of_system(run);

    return system_set_threads(system, &of_system);
}

static double insn_position(const void *run, const struct system *system)
{
    (void)system;
    return insn_threads_position(run);
}

static const char *insn_warning(const void *run, size_t i)
{
    return insn_threads_warning(run, i);
}

static size_t insn_programs(const void *run)
{
    return insn_threads_programs(run);
}

static struct threads_program insn_program(const void *run, const struct system *system, size_t i)
{
    return insn_threads_program(run, system, i);
}

static struct insn_threads_figures insn_figures(const void *run)
{
    return insn_threads_figures(run);
}

const struct source source_insns = {
    .of_cores = "instruction traces", .holds = "threads of a CPU", .detail = SOURCE_EXECUTED, .has_threads = true,
    .take = take_insn, .first = first_process, .hash = add_processes, .close = close_processes, .needs_spaces = always,
    .open = open_processes, .close_run = close_run_of_processes, .give = give_processes, .position = insn_position,
    .warning = insn_warning, .programs = insn_programs, .program = insn_program, .figures = insn_figures
};
