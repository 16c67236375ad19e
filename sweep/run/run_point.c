#include "sweep/run/run_point.h"

#include "replay/record/stats_json.h"
#include "replay/session/gpu_alone_stats.h"

static void write_block(void *context, const struct stats *stats, uint64_t now_ps)
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

static struct fault write_gpu(const struct gpu_run *run, const struct system_config *config, uint64_t now_ps,
                              FILE *figures)
{
    struct member member = {figures, true};

    fputc('{', figures);
    FAULT_TRY(gpu_alone_stats_visit(run, config, now_ps, write_member, &member));
    fputs("\n}\n", figures);
    return fault_none();
}

static struct fault run(struct session *session, const struct system_config *config, FILE *figures)
{
    struct session_outputs const outputs = {.block = write_block, .context = figures};

    FAULT_TRY(session_run(session, &outputs));
    if (!session_system(session))
        FAULT_TRY(write_gpu(session_gpu(session), config, session_result(session)->end_ps, figures));
    return fflush(figures) == 0 && !ferror(figures) ? fault_none()
                                                    : fault_make(FAULT_MEMORY, "out of memory for the figures");
}

struct fault run_point(const struct system_config *config, struct workload *workload,
                       const struct session_limits *limits, struct engine_options engine, FILE *figures,
                       bool checks_itself)
{
    struct session_request const request = {
        .config = config, .workload = workload, .limits = *limits, .engine = engine, .has_stats = true,
        .checks_itself = checks_itself
    };
    struct session *session;
    struct fault fault = session_open(&session, &request);

    if (fault.kind == FAULT_NONE)
        fault = run(session, config, figures);
    session_close(session);
    return fault;
}
