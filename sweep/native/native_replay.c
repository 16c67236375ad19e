#include "sweep/native/native_replay.h"

#include <math.h>
#include <stdlib.h>

#include "replay/config/config.h"
#include "replay/config/config_values.h"

enum { MOST_SETTINGS = 128 };

static void native_add_figure(void *context, const char *name, double value)
{
    figures_add(context, name, value);
}

static struct fault take_figures(struct session *session, const struct system_config *config,
                                 struct native_replayed *replayed)
{
    struct verdict_hints const hints = {0};
    struct metrics_needs needs;

    if (session_result(session)->is_stopped || session_result(session)->is_interrupted)
        return fault_make(FAULT_STALL, "the replay was stopped by the user");
    if (session_result(session)->is_unwarmed)
        return fault_make(FAULT_STALL, "the replay ended in its warm-up; give a smaller --warmup");
    verdict_needs(&needs);
    FORWARD(session_visit_stats(session, &needs, native_add_figure, &replayed->figures));
    FORWARD(figures_finish(&replayed->figures));
    replayed->verdict = verdict_of(&replayed->figures, &hints);
    replayed->seconds = 1e-3 * metrics_value(&replayed->figures, "time_ms");
    replayed->cycles = metrics_value(&replayed->figures, "cycles");
    replayed->instructions = metrics_value(&replayed->figures, "instructions");
    if (isnan(replayed->cycles))
        replayed->cycles = replayed->seconds * 1e12 / (double)config_cpu_clock_ps(config);
    replayed->host_s = session_result(session)->host_s;
    return fault_none();
}

static struct fault run_session(const struct native_replay_request *wanted, const struct system_config *config,
                                struct workload *workload, struct native_replayed *replayed)
{
    struct session_request request = {
        .config = config, .workload = workload, .limits = session_no_limits(), .engine = wanted->engine
    };
    struct session_outputs const outputs = {.progress = wanted->progress, .context = wanted->context};
    struct session *session;
    struct fault fault;

    request.limits.warmup_records = wanted->warmup;
    fault = session_open(&session, &request);
    if (fault.kind == FAULT_NONE)
        fault = session_run(session, &outputs);
    if (fault.kind == FAULT_NONE)
        fault = take_figures(session, config, replayed);
    session_close(session);
    return fault;
}

static struct fault read_system(struct system_config *config, const char *system, const char *const *given,
                                size_t count)
{
    const char *settings[MOST_SETTINGS];

    if (count + 1 > MOST_SETTINGS)
        return fault_make(FAULT_INPUT, "%zu settings; give up to %d", count, MOST_SETTINGS - 1);
    settings[0] = THREAD_CORES_SETTING;
    for (size_t i = 0; i < count; i++)
        settings[1 + i] = given[i];
    FORWARD(config_read(config, system, settings, count + 1));
    if (config_core_count(config) == 1)
        return fault_none();
    return fault_make(FAULT_INPUT, "%s has %u cores; a native program of one thread is compared with one core: add "
                      "--set cores=1", config_name(config), config_core_count(config));
}

struct fault native_system_check(const char *system, const char *const *settings, size_t setting_count)
{
    struct system_config *const config = config_new();
    struct fault const fault = config ? read_system(config, system, settings, setting_count)
                                      : fault_memory(system, NULL);

    free(config);
    return fault;
}

struct fault native_replay(const struct native_replay_request *request, struct native_replayed *replayed)
{
    struct workload_options const reading = workload_usual_options();
    struct system_config *const config = config_new();
    struct workload workload = {0};
    struct fault fault = config ? read_system(config, request->system, request->settings, request->setting_count)
                                : fault_memory(request->system, NULL);

    *replayed = (struct native_replayed){0};
    if (fault.kind == FAULT_NONE)
        fault = workload_find(&workload, request->trace, &request->trace, 1, &reading);
    if (fault.kind == FAULT_NONE)
        fault = run_session(request, config, &workload, replayed);
    workload_close(&workload);
    free(config);
    if (fault.kind != FAULT_NONE)
        native_replay_free(replayed);
    return fault;
}

void native_replay_free(struct native_replayed *replayed)
{
    figures_free(&replayed->figures);
    replayed->figures = (struct figures){0};
}
