#include "sweep/run_point.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "replay/gpu_figures.h"
#include "replay/gpu_run.h"
#include "replay/gpu_run_stats.h"
#include "replay/macsim_cores.h"
#include "replay/stats_json.h"
#include "replay/system.h"

#define EVENTS_A_PIECE 200000        /* between two looks of the watchdogs */

/* Everything that is open during a replay. */
struct replay {
    const struct system_config *config;
    const struct workload *workload;
    const struct spec_limits *limits;
    struct trace_input inputs[CONFIG_MAX_CORES];
    struct system_traces sources[CONFIG_MAX_CORES];
    struct gpu_list list;
    bool is_list_open;
    struct system_gpu gpu;
    struct system *system;
    struct macsim_threads *threads;      /* that the cores run; NULL: none */
    struct gpu_run *gpu_run;             /* of a GPU alone */
};

static struct fault input_fault(const struct proto_error *error)
{
    return fault_make(FAULT_INPUT, "%.480s", error->text);
}

static struct fault check_fit(const struct system_config *config, const struct workload *workload)
{
    if (workload->gpu_list && !config_has_gpu(config))
        return fault_make(FAULT_INPUT, "%s has no GPU, but %.200s holds GPU kernels", config->name,
                          workload->gpu_list);
    if (workload->pair_count && config->core_count == 0)
        return fault_make(FAULT_INPUT, "%s has a GPU and no cores, but %.200s holds traces of a core", config->name,
                          workload->pairs[0].data);
    if (workload->macsim && config->core_count == 0)
        return fault_make(FAULT_INPUT, "%s has no cores, but %.200s holds threads of a CPU", config->name,
                          workload->macsim->path);
    if (workload->pair_count > 1 && workload->pair_count != config->core_count)
        return fault_make(FAULT_INPUT, "%s has %u core%s, but %.200s has %zu traces; give one for each core, or one "
                          "for all", config->name, config->core_count, config->core_count == 1 ? "" : "s",
                          workload->name, workload->pair_count);
    return fault_none();
}

/* ---- inputs */
static struct fault open_threads(struct replay *replay)
{
    struct macsim_uop_options const uops = macsim_elastic_defaults().uops;
    struct fault fault = fault_none();

    if (replay->limits->tick_scale != 1)
        return fault_make(FAULT_INPUT, "tick_scale is for elastic traces; MacSim's have no ticks");
    replay->threads = macsim_cores_open(replay->workload->macsim, &uops, replay->config, replay->sources, &fault);
    return fault;
}

static struct fault open_traces(struct replay *replay)
{
    struct workload const *const workload = replay->workload;

    if (workload->macsim)
        return open_threads(replay);

    for (unsigned i = 0; i < replay->config->core_count; i++) {
        struct system_traces *const source = &replay->sources[i];
        struct proto_error error;

        source->is_idle = workload->pair_count == 0;
        source->tick_scale = replay->limits->tick_scale;
        if (!source->is_idle
            && !trace_input_open(&replay->inputs[i], &workload->pairs[workload->pair_count == 1 ? 0 : i],
                                 &source->records, &source->fetches, &error))
            return input_fault(&error);
    }
    return fault_none();
}

static struct fault open_list(struct replay *replay)
{
    struct proto_error error;

    if (!replay->workload->gpu_list)
        return fault_none();
    if (!gpu_list_open(&replay->list, replay->workload->gpu_list, &error))
        return input_fault(&error);
    replay->is_list_open = true;
    replay->gpu.source = gpu_source_of_list(&replay->list);
    gpu_pick_apply(&replay->limits->kernels, &replay->gpu.options);
    return gpu_pick_check(&replay->limits->kernels, &replay->list, "kernels",
                          replay->workload->name);
}

static void close_inputs(struct replay *replay)
{
    for (unsigned i = 0; i < CONFIG_MAX_CORES; i++)
        trace_input_close(&replay->inputs[i]);
}

static void close_all(struct replay *replay)
{
    system_destroy(replay->system);
    macsim_threads_close(replay->threads);
    if (replay->gpu_run)
        gpu_run_destroy(replay->gpu_run);
    close_inputs(replay);
    if (replay->is_list_open)
        gpu_list_close(&replay->list);
}

/* ---- a system with cores */
/* Does nobody see the run before its end? */
static bool may_run_ahead(const struct replay *replay)
{
    struct spec_limits const *const limits = replay->limits;

    return !replay->workload->gpu_list && !limits->warmup_records && !limits->max_records
        && limits->until_ps >= TICK_NEVER - 1;
}

static enum system_state run_to(struct system *system, uint64_t until_ps, uint64_t at_records)
{
    enum system_state state;

    do
        state = system_run(system, until_ps, EVENTS_A_PIECE, at_records);
    while (state == SYSTEM_RUNNING && !system->records_reached && system_now_ps(system) < until_ps);
    return state;
}

static struct fault run_once(struct replay *replay, bool is_ahead)
{
    struct spec_limits const *const limits = replay->limits;
    struct fault fault = fault_none();
    enum system_state state;
    uint64_t at_records = limits->warmup_records;

    replay->system = is_ahead
        ? system_create_ahead(replay->config, replay->sources,
                              trace_pairs_differ(replay->workload->pairs, replay->workload->pair_count), &fault)
        : system_create(replay->config, replay->sources, replay->workload->gpu_list ? &replay->gpu : NULL, &fault);
    if (!replay->system)
        return fault;
    if (replay->threads)
        FAULT_TRY(macsim_cores_give(replay->threads, replay->system));
    FAULT_TRY(system_add_stats(replay->system));
    if (!at_records || (limits->max_records && limits->max_records < at_records))
        at_records = limits->max_records;
    state = run_to(replay->system, limits->until_ps, at_records);
    if (state == SYSTEM_RUNNING && replay->system->records_reached && at_records != limits->max_records) {
        system_reset_stats(replay->system);
        state = run_to(replay->system, limits->until_ps, limits->max_records);
    }
    return state == SYSTEM_FAILED ? replay->system->fault : fault_none();
}

static struct fault run_system(struct replay *replay, FILE *figures)
{
    struct fault fault = run_once(replay, may_run_ahead(replay));

    if (fault.kind != FAULT_NONE && replay->system && system_runs_ahead(replay->system)) {
        system_destroy(replay->system);
        replay->system = NULL;
        close_inputs(replay);
        FAULT_TRY(open_traces(replay));
        fault = run_once(replay, false);
    }
    if (fault.kind == FAULT_NONE)
        stats_json_write(figures, &replay->system->stats, system_now_ps(replay->system));
    return fault;
}

/* ---- a GPU alone */
struct sums {
    FILE *figures;
};

static void write_sum(void *context, const struct stat_leaf *leaf)
{
    struct sums const *const sums = context;

    stats_json_member(sums->figures, false, leaf->name, leaf->value);
}

static void write_kernel(FILE *figures, const struct gpu_params *params, const struct gpu_kernel_result *kernel)
{
    struct gpu_figures const values = gpu_kernel_figures(params, kernel);
    char name[96];

    snprintf(name, sizeof name, "kernel%" PRIu64 ".cycles", kernel->number);
    stats_json_member(figures, false, name, (double)kernel->cycles);
#define WRITE_FIGURE(figure, help)                                                                                    \
    snprintf(name, sizeof name, "kernel%" PRIu64 "." #figure, kernel->number);                                        \
    stats_json_member(figures, false, name, values.figure);
    GPU_FIGURES(WRITE_FIGURE)
#undef WRITE_FIGURE
}

static struct fault write_gpu(const struct replay *replay, uint64_t now_ps, FILE *figures)
{
    struct gpu_run const *const run = replay->gpu_run;
    struct gpu_run_stats gpu;
    struct stats stats;
    struct sums sums = {.figures = figures};
    struct fault fault;

    stats_init(&stats);
    gpu_run_add_stats(&gpu, run, &stats);
    fault = stats_freeze(&stats);
    if (fault.kind == FAULT_NONE) {
        fputc('{', figures);
        stats_json_member(figures, true, "simSeconds", (double)now_ps / STATS_TICKS_PER_SECOND);
        stats_json_member(figures, false, "simTicks", (double)now_ps);
        stats_visit(&stats, now_ps, STATS_SHOWN_AND_OURS, write_sum, &sums);
        for (size_t i = 0; i < run->kernel_count; i++)
            if (run->kernels[i].is_done)
                write_kernel(figures, &replay->config->gpu, &run->kernels[i]);
        fputs("\n}\n", figures);
    }
    stats_free(&stats);
    return fault;
}

static struct fault run_gpu(struct replay *replay, FILE *figures)
{
    uint64_t const until_ps = replay->limits->until_ps;
    enum gpu_run_state state;

    if (replay->limits->warmup_records || replay->limits->max_records)
        return fault_make(FAULT_INPUT, "warmup and records are of cores; %s is a GPU alone", replay->config->name);
    FAULT_TRY(gpu_run_create(&replay->gpu_run, NULL, &replay->config->gpu, &replay->config->memories[0], NULL,
                             &replay->gpu.source, &replay->gpu.options));
    gpu_run_start(replay->gpu_run);
    do
        state = gpu_run_step(replay->gpu_run, until_ps, EVENTS_A_PIECE);
    while (state == GPU_RUN_RUNNING && event_queue_next_ps(&replay->gpu_run->sim->events) <= until_ps);
    if (state == GPU_RUN_FAILED)
        return replay->gpu_run->fault;
    return write_gpu(replay, state == GPU_RUN_RUNNING ? until_ps : replay->gpu_run->done_ps, figures);
}

struct fault run_point(const struct system_config *config, const struct workload *workload,
                       const struct spec_limits *limits, FILE *figures)
{
    struct replay *const replay = calloc(1, sizeof *replay);
    struct fault fault;

    if (!replay)
        return fault_make(FAULT_MEMORY, "out of memory");
    *replay = (struct replay){.config = config, .workload = workload, .limits = limits};
    fault = check_fit(config, workload);
    if (fault.kind == FAULT_NONE)
        fault = open_list(replay);
    if (fault.kind == FAULT_NONE)
        fault = open_traces(replay);
    if (fault.kind == FAULT_NONE)
        fault = config->core_count ? run_system(replay, figures) : run_gpu(replay, figures);
    if (fault.kind == FAULT_NONE && (fflush(figures) != 0 || ferror(figures)))
        fault = fault_make(FAULT_MEMORY, "out of memory for the figures");
    close_all(replay);
    free(replay);
    return fault;
}
