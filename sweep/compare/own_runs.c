/* The statistics of a run take the way of a file, in memory, so that all runs of a comparison are read alike. */
#include "sweep/compare/comparison.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/host_facts.h"
#include "base/list.h"
#include "base/text.h"
#include "replay/config/config.h"
#include "replay/config/config_values.h"
#include "replay/config/detailed_params.h"
#include "replay/detailed/probe/capture_system.h"
#include "replay/detailed/probe/core_probes.h"
#include "sweep/results/sample.h"
#include "sweep/run/region_point.h"
#include "sweep/run/runner.h"

#define MS_A_TICK 1e-9
enum { MOST_SETTINGS = 64, SETTING_BYTES = 64, PATH_BYTES = 4096 };

void own_runs_init(struct own_runs *runs, const struct own_runs_setup *setup)
{
    *runs = (struct own_runs){.setup = *setup};
}

static struct fault own_runs_out_of_memory(const struct own_runs *runs)
{
    return fault_make(FAULT_MEMORY, "%s: out of memory", runs->program);
}

/* ---- one run */
static struct fault run_any(const struct system_config *config, struct workload *workload, struct engine_options engine,
                            FILE *file)
{
    struct session_limits const limits = session_no_limits();
    struct run_extras const no_extras = {0};
    struct region_point const regions = {.config = config, .workload = workload, .engine = engine,
                                         .jobs = host_cores(), .confidence = SPEC_CONFIDENCE};

    return workload->regions ? region_point_run(&regions, file)
                             : run_point(config, workload, &limits, engine, &no_extras, file, false);
}

/* Of figures that are estimated from regions; 0 of others. */
static double half_of(const char *text)
{
    json_t *const statistics = json_loads(text, 0, NULL);
    struct sample *const sample = sample_read(statistics);
    double const ms = MS_A_TICK * json_number_value(json_object_get(statistics, "simTicks"));
    double const half = sample ? sample_half(sample, "time_ms") / ms : 0;

    sample_free(sample);
    json_decref(statistics);
    return half;
}

struct fault own_runs_measure(const char *name, const struct system_config *config, struct workload *workload,
                              struct engine_options engine, struct run_figures *figures)
{
    double const start_s = host_clock_s();
    struct stats_table stats = {0};
    char *text = NULL;
    double half;
    size_t length;
    FILE *const file = open_memstream(&text, &length);
    struct fault fault = file ? run_any(config, workload, engine, file) : fault_none();
    double const host_s = host_clock_s() - start_s;

    if (!file || !text_stream_close(file, &text))
        fault = fault_make(FAULT_MEMORY, "%s: out of memory", name);
    if (fault.kind != FAULT_NONE) {
        free(text);
        return fault;
    }
    half = workload->regions ? half_of(text) : 0;
    FORWARD(stats_table_parse(&stats, name, text, length));
    fault = run_figures_of(&stats, name, figures);
    stats_table_free(&stats);
    figures->half = half;
    figures->host_s = host_s;
    return fault;
}

static struct fault read_system(const struct own_runs *runs, const char *system, const char *const *more,
                                size_t more_count, bool is_one_space, struct system_config *config)
{
    const char *settings[MOST_SETTINGS];
    size_t const given = runs->setup.setting_count;
    size_t count = 0;

    if (given + more_count + 1 > MOST_SETTINGS)
        return fault_make(FAULT_INPUT, "%zu settings; give up to %zu", given, MOST_SETTINGS - more_count - 1);
    if (is_one_space)
        settings[count++] = THREAD_CORES_SETTING;
    for (size_t i = 0; i < given; i++)
        settings[count++] = runs->setup.settings[i];
    for (size_t i = 0; i < more_count; i++)
        settings[count++] = more[i];
    FORWARD(config_read(config, system, settings, count));
    if (config_core_count(config) == 1)
        return fault_none();
    return fault_make(FAULT_INPUT, "%s has %u cores; a comparison that runs both sides itself is for systems of one",
                      config_name(config), config_core_count(config));
}

struct fault own_runs_check(const struct own_runs *runs, const char *system)
{
    static const char *const model = "cpu.model=detailed";
    struct system_config *const config = config_new();
    struct fault const fault = config ? read_system(runs, system, &model, 1, false, config)
                                      : fault_make(FAULT_MEMORY, "out of memory");

    free(config);
    return fault;
}

static struct fault read_detailed(const struct own_runs *runs, const char *system, struct workload *workload,
                                  struct system_config *config)
{
    static const char *const model = "cpu.model=detailed";

    FORWARD(workload_find(workload, runs->program, &runs->trace, 1, &runs->setup.reading));
    return read_system(runs, system, &model, 1, workload->is_one_space, config);
}

struct fault own_runs_detailed(struct own_runs *runs, const char *system, struct run_figures *figures)
{
    struct system_config *const config = config_new();
    struct workload workload = {0};
    struct fault fault = config ? read_detailed(runs, system, &workload, config) : own_runs_out_of_memory(runs);

    if (fault.kind == FAULT_NONE)
        fault = own_runs_measure(runs->program, config, &workload, runs->setup.engine, figures);
    workload_close(&workload);
    free(config);
    return fault;
}

/* ---- captures */
static char *name_folder(const struct own_runs *runs)
{
    size_t const room = strlen(runs->setup.folder) + strlen(runs->program) + 32;
    char *const folder = malloc(room);

    if (!folder)
        return NULL;
    if (runs->capture_count == 0)
        snprintf(folder, room, "%s/%s", runs->setup.folder, runs->program);
    else
        snprintf(folder, room, "%s/%s-%zu", runs->setup.folder, runs->program, runs->capture_count + 1);
    return folder;
}

static struct fault run_probed(const struct system_config *config, struct workload *workload,
                               struct core_probes *probes, struct engine_options engine)
{
    struct session_request const request = {
        .config = config, .workload = workload, .limits = session_no_limits(), .engine = engine,
        .listener = core_probes_listeners(probes)
    };
    struct session_outputs const outputs = {0};
    struct session *session;
    struct fault fault = session_open(&session, &request);

    if (fault.kind == FAULT_NONE)
        fault = session_run(session, &outputs);
    session_close(session);
    return fault.kind == FAULT_NONE ? core_probes_close(probes) : fault;
}

static struct fault capture(const struct own_runs *runs, const struct system_config *config,
                            struct workload *workload, const char *folder)
{
    struct core_probes_options const options = {.folder = folder};
    struct core_probes *probes;
    struct fault fault = core_probes_open(&probes, &options, config);

    if (fault.kind == FAULT_NONE)
        fault = run_probed(config, workload, probes, runs->setup.engine);
    core_probes_free(probes);
    return fault;
}

/* Takes the text. */
static struct fault add_capture(struct own_runs *runs, const struct system_config *config,
                                struct workload *workload, char *text, const char **folder)
{
    struct own_capture made = {.system = text};
    struct fault fault = fault_none();

    if (list_fit_next(&runs->captures, runs->capture_count, sizeof *runs->captures))
        made.folder = name_folder(runs);
    if (!made.folder)
        fault = own_runs_out_of_memory(runs);
    if (fault.kind == FAULT_NONE)
        fault = capture(runs, config, workload, made.folder);
    if (fault.kind != FAULT_NONE) {
        free(made.system);
        free(made.folder);
        return fault;
    }
    runs->captures[runs->capture_count++] = made;
    *folder = made.folder;
    return fault_none();
}

static struct fault find_capture(struct own_runs *runs, const struct system_config *config,
                                 struct workload *workload, const char **folder)
{
    char *text = NULL;

    FORWARD(config_to_compact_yaml(config, &text));
    for (size_t i = 0; i < runs->capture_count; i++)
        if (strcmp(runs->captures[i].system, text) == 0) {
            *folder = runs->captures[i].folder;
            free(text);
            return fault_none();
        }
    return add_capture(runs, config, workload, text, folder);
}

/* ---- the replay */
static struct fault replay_on(const struct own_runs *runs, const char *system, const struct detailed_params *core,
                              const char *folder, struct run_figures *figures)
{
    char texts[3][SETTING_BYTES];
    const char *const more[] = {"cpu.model=elastic", texts[0], texts[1], texts[2]};
    struct system_config *const config = config_new();
    struct workload workload = {0};
    struct fault fault = config ? workload_find(&workload, runs->program, &folder, 1, &runs->setup.reading)
                                : own_runs_out_of_memory(runs);

    snprintf(texts[0], SETTING_BYTES, "cpu.rob=%" PRIu64, core->rob_entries);
    snprintf(texts[1], SETTING_BYTES, "cpu.load_buffer=%" PRIu64, core->lq_entries);
    snprintf(texts[2], SETTING_BYTES, "cpu.store_buffer=%" PRIu64, core->sq_entries);
    if (fault.kind == FAULT_NONE)
        fault = read_system(runs, system, more, sizeof more / sizeof more[0], false, config);
    if (fault.kind == FAULT_NONE)
        fault = own_runs_measure(runs->program, config, &workload, runs->setup.engine, figures);
    workload_close(&workload);
    free(config);
    return fault;
}

struct fault own_runs_replay(struct own_runs *runs, const char *system, struct run_figures *figures)
{
    struct system_config *const config = config_new(), *const capturing = config_new();
    struct workload workload = {0};
    const char *folder = NULL;
    struct fault fault = config && capturing ? read_detailed(runs, system, &workload, config)
                                             : own_runs_out_of_memory(runs);

    if (fault.kind == FAULT_NONE)
        fault = capture_system_make(capturing, config, NULL, 0);
    if (fault.kind == FAULT_NONE)
        fault = find_capture(runs, capturing, &workload, &folder);
    workload_close(&workload);
    if (fault.kind == FAULT_NONE)
        fault = replay_on(runs, system, config_detailed(config), folder, figures);
    free(config);
    free(capturing);
    return fault;
}

/* ---- programs */
static void remove_files(const char *folder)
{
    static const char *const names[] = {"deptrace.proto.gz", "fetchtrace.proto.gz"};
    char path[PATH_BYTES];

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (snprintf(path, sizeof path, "%s/%s", folder, names[i]) < PATH_BYTES)
            unlink(path);
    rmdir(folder);
}

void own_runs_end(struct own_runs *runs)
{
    for (size_t i = 0; i < runs->capture_count; i++) {
        if (!runs->setup.keeps)
            remove_files(runs->captures[i].folder);
        free(runs->captures[i].system);
        free(runs->captures[i].folder);
    }
    free(runs->captures);
    runs->captures = NULL;
    runs->capture_count = 0;
}

void own_runs_begin(struct own_runs *runs, const char *program, const char *trace)
{
    own_runs_end(runs);
    runs->program = program;
    runs->trace = trace;
}
