#include "sweep/run/run_point.h"

#include <inttypes.h>

#include "replay/gpu/figures.h"
#include "replay/gpu/run_stats.h"
#include "replay/record/stats_json.h"

static void write_block(void *context, const struct stats *stats, uint64_t now_ps)
{
    stats_json_write(context, stats, now_ps);
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

static struct fault write_gpu(const struct gpu_run *run, const struct gpu_params *params, uint64_t now_ps,
                              FILE *figures)
{
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
                write_kernel(figures, params, &run->kernels[i]);
        fputs("\n}\n", figures);
    }
    stats_free(&stats);
    return fault;
}

static struct fault run(struct session *session, const struct system_config *config, FILE *figures)
{
    struct session_outputs const outputs = {.block = write_block, .context = figures};

    FAULT_TRY(session_run(session, &outputs));
    if (!session_system(session))
        FAULT_TRY(write_gpu(session_gpu(session), &config->gpu, session_result(session)->end_ps, figures));
    return fflush(figures) == 0 && !ferror(figures) ? fault_none()
                                                    : fault_make(FAULT_MEMORY, "out of memory for the figures");
}

struct fault run_point(const struct system_config *config, struct workload *workload,
                       const struct session_limits *limits, struct engine_options engine, FILE *figures)
{
    struct session_request const request = {
        .config = config, .workload = workload, .limits = *limits, .engine = engine, .has_stats = true
    };
    struct session *session;
    struct fault fault = session_open(&session, &request);

    if (fault.kind == FAULT_NONE)
        fault = run(session, config, figures);
    session_close(session);
    return fault;
}
