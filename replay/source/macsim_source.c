/* MacSim's CPU threads: the parameters of the system that affect their decoding, and the assignment to cores. A set may
 * hold kernels of a GPU, too, which its headers name. */
#include <stdlib.h>

#include "replay/config/config_values.h"
#include "replay/config/core_params.h"
#include "replay/source/source.h"
#include "replay/system/system_core.h"
#include "replay/system/thread_sides.h"

/* ---- the workload */
/* *is_taken: there is nothing but threads of CPUs in it. */
static struct fault take_threads(struct workload *workload, const char *path, bool *is_taken)
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
        fault = workload->macsim ? fault_none() : source_no_memory();
    }
    if (fault.kind == FAULT_NONE)
        *workload->macsim = set, workload->takes |= WORKLOAD_TAKES_LATENCY_TABLE;
    else
        macsim_set_close(&set);
    return fault;
}

static struct fault take_set(struct workload *workload, const char *path)
{
    bool is_taken = false;

    workload->takes |= WORKLOAD_TAKES_MACSIM_OPTIONS;
    FORWARD(take_threads(workload, path, &is_taken));
    return is_taken ? fault_none() : source_take_kernels(workload, path);
}

static const char *first_set(const struct workload *workload)
{
    return workload->macsim ? workload->macsim->path : NULL;
}

/* Of a pack the streams' hashes; a set and a pack of it count as different traces. */
static struct fault macsim_hash_part(struct workload *workload, const struct macsim_part *part,
                                           struct hash64_pieces *pieces)
{
    char path[MACSIM_PATH_MAX];

    for (size_t i = 0; i < part->header.thread_count; i++) {
        source_hash_add(pieces, part->header.threads[i].id);
        source_hash_add(pieces, part->header.threads[i].start);
        if (part->packed) {
            source_hash_add(pieces, part->packed->streams[i].hash);
            workload->work += (double)part->packed->streams[i].size;
            continue;
        }
        if (!macsim_part_path(part, i, path))
            return macsim_long_path(part);
        FORWARD(source_hash_work(workload, path, pieces));
    }
    return fault_none();
}

static struct fault add_macsim(struct workload *workload, struct hash64_pieces *pieces)
{
    struct macsim_set const *const set = workload->macsim;

    for (size_t a = 0; set && a < set->application_count; a++) {
        struct macsim_application const *const application = &set->applications[a];

        for (size_t p = 0; !application->is_gpu && p < application->part_count; p++) {
            struct macsim_part const *const part = &application->parts[p];

            source_hash_add(pieces, part->header.thread_count);
            source_hash_add(pieces, part->header.kind);
            source_hash_add(pieces, part->detection.format.layout);
            source_hash_add(pieces, part->detection.format.opcodes);
            source_hash_add(pieces, part->detection.format.registers);
            FORWARD(macsim_hash_part(workload, part, pieces));
        }
    }
    return fault_none();
}

static void warn_of_set(const struct workload *workload, const struct warn_sink *warn)
{
    for (size_t n = 0; workload->macsim && n < workload->macsim->warning_count; n++)
        warn_of_line(warn, workload->macsim->warnings[n]);
}

static void close_set(struct workload *workload)
{
    if (workload->macsim)
        macsim_set_close(workload->macsim);
    free(workload->macsim);
}

/* ---- a run */
#define WINDOW_ROBS 3u                   /* no dependence is longer than that many reorder buffers */

/* Delays in cycles of the system's cores, accesses cut at its lines. */
static struct macsim_elastic_options macsim_fit(const struct macsim_uop_options *uops,
                                                const struct system_config *config)
{
    struct macsim_elastic_options options = macsim_elastic_defaults();

    options.uops = *uops;
    options.period_ps = config_cpu_clock_ps(config);
    options.line_bytes = (uint32_t)config_line_bytes(config);
    if (options.fetch_bytes > options.line_bytes)
        options.fetch_bytes = options.line_bytes;
    for (unsigned i = 0; i < config_core_count(config); i++)
        if (WINDOW_ROBS * config_core_params(config, i)->rob > options.window)
            options.window = (uint32_t)(WINDOW_ROBS * config_core_params(config, i)->rob);
    return options;
}

static uint64_t lowest_address(const struct system_config *config)
{
    uint64_t lowest = config_memory_range(config, 0).base;

    for (unsigned i = 1; i < config_memory_count(config); i++)
        if (config_memory_range(config, i).base < lowest)
            lowest = config_memory_range(config, i).base;
    return lowest;
}

static void *open_threads(const struct source_setup *setup, struct system_traces *traces, struct fault *fault)
{
    const struct system_config *const config = setup->config;
    struct macsim_elastic_options const options = macsim_fit(&setup->workload->options.uops, config);
    struct macsim_memory const memory = {lowest_address(config), setup->spaces, config_pages_map(config), setup->pick};
    struct macsim_threads *const threads = macsim_threads_open(setup->workload->macsim, &options, &memory, fault);

    if (threads)
        source_idle_beyond(traces, setup, macsim_threads_count(threads));
    return threads;
}

static void close_threads(void *run)
{
    macsim_threads_close(run);
}

static struct fault give_threads(void *run, struct system *system)
{
    struct system_threads const of_system = macsim_threads_of_system(run);

    return system_set_threads(system, &of_system);
}

static double macsim_position(const void *run, const struct system *system)
{
    (void)system;
    return macsim_threads_position(run);
}

static const char *macsim_warning(const void *run, size_t i)
{
    return macsim_threads_warning(run, i);
}

static size_t macsim_programs(const void *run)
{
    return macsim_threads_programs(run);
}

static struct threads_program macsim_program(const void *run, const struct system *system, size_t i)
{
    return macsim_threads_program(run, system, i);
}

const struct source source_macsim = {
    .of_cores = "MacSim's threads", .holds = "threads of a CPU", .has_threads = true, .yields_to_kernels = true,
    .take = take_set, .first = first_set, .hash = add_macsim, .warn = warn_of_set, .close = close_set,
    .needs_spaces = spaces_are_needed, .open = open_threads, .close_run = close_threads, .give = give_threads,
    .position = macsim_position, .warning = macsim_warning, .programs = macsim_programs, .program = macsim_program
};
