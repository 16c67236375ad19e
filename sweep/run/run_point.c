#include "sweep/run/runner.h"

#include <stdlib.h>

#include "replay/profile/optimal.h"
#include "replay/record/stats_json.h"
#include "replay/session/gpu_alone_stats.h"
#include "replay/session/gpu_kernels.h"
#include "replay/session/mix.h"

static void run_point_write_block(void *context, const struct stats *stats, uint64_t now_ps)
{
    stats_json_write(context, stats, now_ps);
}

/* ---- a GPU alone */
struct member {
    FILE *figures;
    bool is_first;
};

static void write_member(void *context, const char *name, double value)
{
    struct member *const member = context;

    stats_json_member(member->figures, member->is_first, name, value);
    member->is_first = false;
}

/* The member `kernels` of an object that has others. */
static struct fault write_kernels(const struct gpu_run *run, const struct system_config *config, FILE *figures)
{
    struct json json = {.file = figures};
    struct fault fault;

    fputs(",\n\"kernels\": ", figures);
    fault = gpu_kernels_put(&json, config, run);
    if (!json_close(&json) && fault.kind == FAULT_NONE)
        fault = fault_make(FAULT_MEMORY, "out of memory for the figures");
    return fault;
}

static struct fault write_gpu(const struct gpu_run *run, const struct system_config *config, uint64_t now_ps,
                              FILE *figures)
{
    struct member member = {figures, true};

    fputc('{', figures);
    FORWARD(gpu_alone_stats_visit(run, config, now_ps, write_member, &member));
    FORWARD(write_kernels(run, config, figures));
    fputs("}\n", figures);
    return fault_none();
}

static struct fault check_written(FILE *figures)
{
    return fflush(figures) == 0 && !ferror(figures) ? fault_none()
                                                    : fault_make(FAULT_MEMORY, "out of memory for the figures");
}

/* `outputs` is borrowed by the session until it is closed. */
static struct fault run_point_run(struct session *session, const struct system_config *config,
                                  struct session_outputs *outputs, FILE *figures)
{
    outputs->context = figures;
    FORWARD(session_run(session, outputs));
    if (!session_system(session))
        FORWARD(write_gpu(session_gpu(session), config, session_result(session)->end_ps, figures));
    return check_written(figures);
}

/* ---- programs alone */
static struct fault write_mix(struct session *session, const struct system_config *config, FILE *figures)
{
    struct member member = {figures, false};
    struct mix mix;
    struct fault const fault = mix_run(&mix, session);

    if (fault.kind == FAULT_NONE)
        mix_visit(&mix, config, write_member, &member);
    mix_free(&mix);
    return fault;
}

/* ---- the optimal policy */
static struct fault write_optimal(const struct optimal *optimal, const struct session *session, FILE *figures)
{
    struct member member = {figures, false};
    struct optimal_counts counts;

    FORWARD(optimal_count(optimal, &counts));
    optimal_visit(&counts, session_system(session), optimal->kind, write_member, &member);
    return fault_none();
}

/* The object of the run, with the kernels of a GPU beside cores and the figures of extras as its last members. */
static struct fault run_with_more(struct session *session, const struct system_config *config,
                                  struct session_outputs *outputs, bool runs_alone, const struct optimal *optimal,
                                  FILE *figures)
{
    char *object = NULL;
    size_t length = 0;
    FILE *const whole = open_memstream(&object, &length);
    struct fault fault = whole ? run_point_run(session, config, outputs, whole)
                               : fault_make(FAULT_MEMORY, "out of memory for the figures");

    if (whole && fclose(whole) != 0 && fault.kind == FAULT_NONE)
        fault = fault_make(FAULT_MEMORY, "out of memory for the figures");
    if (fault.kind == FAULT_NONE) {
        while (length > 0 && (object[length - 1] == '\n' || object[length - 1] == '}'))
            length--;
        fwrite(object, 1, length, figures);
        if (session_gpu(session))
            fault = write_kernels(session_gpu(session), config, figures);
        if (optimal->kind && fault.kind == FAULT_NONE)
            fault = write_optimal(optimal, session, figures);
        if (runs_alone && fault.kind == FAULT_NONE)
            fault = write_mix(session, config, figures);
        fputs("\n}\n", figures);
    }
    free(object);
    return fault.kind == FAULT_NONE ? check_written(figures) : fault;
}

static struct fault check_optimal(const struct workload *workload, const struct session_limits *limits,
                                  const struct run_extras *extras)
{
    const char *const given = extras->runs_alone ? "alone" : limits->restarts ? "restart"
                              : limits->warms_at_once ? "warm: functional"
                              : workload_kernels(workload) ? "kernels of a GPU" : NULL;

    return given ? fault_make(FAULT_INPUT, "optimal: its bound is that of one run of cores that begins with empty "
                              "caches; leave out %s", given) : fault_none();
}

struct fault run_point(const struct system_config *config, struct workload *workload,
                       const struct session_limits *limits, struct engine_options engine,
                       const struct run_extras *extras, FILE *figures, bool checks_itself)
{
    struct profile *const profile = extras->optimal ? profile_new(config) : NULL;
    struct session_request const request = {
        .config = config, .workload = workload, .limits = *limits, .engine = engine, .has_stats = true,
        .runs_alone = extras->runs_alone, .checks_itself = checks_itself, .profile = profile
    };
    struct session_outputs outputs = {.block = run_point_write_block};
    struct optimal optimal = {0};
    struct session *session = NULL;
    struct fault fault = extras->optimal ? check_optimal(workload, limits, extras) : fault_none();

    if (extras->optimal && !profile)
        fault = fault_make(FAULT_MEMORY, "out of memory for the profile");
    if (profile && fault.kind == FAULT_NONE)
        optimal_listen(&optimal, profile, extras->optimal);
    if (fault.kind == FAULT_NONE)
        fault = session_open(&session, &request);
    if (fault.kind == FAULT_NONE)
        fault = session_system(session) && (extras->runs_alone || profile || session_gpu(session))
                ? run_with_more(session, config, &outputs, extras->runs_alone, &optimal, figures)
                : run_point_run(session, config, &outputs, figures);
    session_close(session);
    optimal_free(&optimal);
    profile_free(profile);
    return fault;
}
