#include "sweep/run/runner.h"

#include <stdlib.h>

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

/* The object of the run, with the kernels of a GPU beside cores and the figures of a mix as its last members. */
static struct fault run_with_more(struct session *session, const struct system_config *config,
                                  struct session_outputs *outputs, bool runs_alone, FILE *figures)
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
        if (runs_alone && fault.kind == FAULT_NONE)
            fault = write_mix(session, config, figures);
        fputs("\n}\n", figures);
    }
    free(object);
    return fault.kind == FAULT_NONE ? check_written(figures) : fault;
}

struct fault run_point(const struct system_config *config, struct workload *workload,
                       const struct session_limits *limits, struct engine_options engine, bool runs_alone,
                       FILE *figures, bool checks_itself)
{
    struct session_request const request = {
        .config = config, .workload = workload, .limits = *limits, .engine = engine, .has_stats = true,
        .runs_alone = runs_alone, .checks_itself = checks_itself
    };
    struct session_outputs outputs = {.block = run_point_write_block};
    struct session *session;
    struct fault fault = session_open(&session, &request);

    if (fault.kind == FAULT_NONE)
        fault = session_system(session) && (runs_alone || session_gpu(session))
                ? run_with_more(session, config, &outputs, runs_alone, figures)
                : run_point_run(session, config, &outputs, figures);
    session_close(session);
    return fault;
}
