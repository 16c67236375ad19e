/* Opens the list, runs it in pieces between which progress is shown, writes statistics, prints the summary: the system,
 * one line a kernel, one a stream if there are several. */
#include "cli/replay_gpu.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/gpu_stats.h"
#include "cli/gpu_summary.h"
#include "cli/progress.h"
#include "cli/stats_file.h"
#include "proto/macsim_kernel.h"

#define EVENTS_A_PIECE 200000        /* between two looks at the clock */

/* Everything that is open during a replay. */
struct session {
    const struct replay_gpu_request *request;
    struct gpu_list list;
    bool is_list_open, is_cut_short;
    struct gpu_source source;
    struct gpu_run_options options;
    struct gpu_run *run;
    struct stats_file stats[REPLAY_GPU_MAX_STATS];
    size_t stats_open;
    struct sampling sampling;
    double host_s;
};

/* ---- the run */
int replay_gpu_open(struct gpu_list *list, const char *path, const struct replay_macsim_options *macsim,
                    const struct macsim_set *threads)
{
    struct gpu_list_options const options = {
        .format = macsim->has_override ? &macsim->override : NULL, .macsim_compat = macsim->uops.compat
    };
    struct proto_error error;

    if (!gpu_list_open_as(list, path, &options, &error)) {
        *list = (struct gpu_list){0};
        return cli_fail_proto(&error);
    }
    if (macsim->option && !threads && !list->macsim) {
        gpu_list_close(list);
        return cli_fail_text("--%s is for traces of MacSim, and %s is none; leave it out", macsim->option, path);
    }
    for (size_t i = 0; i < list->warning_count && !(threads && strcmp(threads->path, path) == 0); i++)
        cli_warn("%s", list->warnings[i]);
    return CLI_OK;
}

static int open_list(struct session *session)
{
    int const code = replay_gpu_open(&session->list, session->request->list, session->request->macsim, NULL);

    session->is_list_open = code == CLI_OK;
    if (session->is_list_open && macsim_list_has_threads(session->list.macsim))
        cli_warn("%s: %s has no cores for the threads of CPUs that are in it, too; only the kernels run",
                 session->list.path, session->request->config->name);
    if (!session->is_list_open)
        return code;

    struct fault const fault = gpu_pick_check(&session->request->picked, &session->list, "--kernels",
                                              session->list.path);

    return fault.kind == FAULT_NONE ? CLI_OK : cli_fail(fault);
}

static int open_outputs(struct session *session)
{
    const struct replay_gpu_request *const request = session->request;

    for (; session->stats_open < request->stats_count; session->stats_open++)
        if (!stats_file_open(&session->stats[session->stats_open], request->stats[session->stats_open], false))
            return CLI_BAD_INPUT;
    return CLI_OK;
}

static int make_run(struct session *session)
{
    const struct replay_gpu_request *const request = session->request;
    const struct system_config *const config = request->config;

    session->source = gpu_source_of_list(&session->list);
    session->options = (struct gpu_run_options){.pc_counts = request->counts_pcs};
    gpu_pick_apply(&request->picked, &session->options);
    struct fault const fault = gpu_run_create(&session->run, NULL, &config->gpu, &config->memories[0], NULL,
                                              &session->source, &session->options);
    if (fault.kind != FAULT_NONE)
        return cli_fail(fault);
    gpu_run_start(session->run);
    return CLI_OK;
}

double replay_gpu_part_done(const struct gpu_run *run)
{
    size_t done = 0;

    for (size_t i = 0; i < run->kernel_count; i++)
        done += run->kernels[i].is_done;
    return run->kernel_count ? (double)done / (double)run->kernel_count : 0;
}

static int run_all(struct session *session)
{
    struct gpu_run *const run = session->run;
    uint64_t const until_ps = session->request->until_ps;
    double const start_s = progress_clock_s();
    enum gpu_run_state state;
    struct progress progress;

    progress_start(&progress);
    progress.what = "warp instructions";
    progress.is_shown = progress.is_shown && !session->request->is_quiet
                        && !sampling_is_watched(session->request->sampling);
    for (;;) {
        uint64_t const due_ps = min_u64(until_ps, sampling_due(&session->sampling));
        uint64_t next_ps;

        state = gpu_run_step(run, due_ps, sampling_gpu_piece(&session->sampling, EVENTS_A_PIECE));
        if (state != GPU_RUN_RUNNING || event_queue_next_ps(&run->sim->events) > until_ps)
            break;
        next_ps = event_queue_next_ps(&run->sim->events);
        sampling_look(&session->sampling, next_ps > due_ps ? due_ps : run->sim->events.now_ps, next_ps);
        if (sampling_is_stopped(&session->sampling))
            return progress_end(&progress), REPLAY_STOPPED;
        progress_show(&progress, gpu_run_warp_insts(run), run->sim->events.now_ps, replay_gpu_part_done(run));
    }
    progress_end(&progress);
    session->is_cut_short = state == GPU_RUN_RUNNING;
    session->host_s = progress_clock_s() - start_s;
    for (size_t i = 0; i < run->warning_count; i++)
        cli_warn("%s", run->warnings[i]);
    return state == GPU_RUN_FAILED ? cli_fail(run->fault) : CLI_OK;
}

static int write_outputs(struct session *session)
{
    int code = CLI_OK;

    for (size_t i = 0; i < session->stats_open; i++) {
        struct stats_file *const file = &session->stats[i];
        bool const is_written = file->is_json ? gpu_stats_json(file->file, session->request->config, session->run)
                                              : gpu_stats_text(file->file, session->request->config, session->run);

        if (!is_written)
            return cli_fail_text("out of memory");
        if (!stats_file_close(file))
            code = CLI_BAD_INPUT;
    }
    session->stats_open = 0;
    return code;
}

/* ---- summary */
static uint64_t end_ps(const struct session *session)
{
    return session->is_cut_short ? session->request->until_ps : session->run->done_ps;
}

static void print_summary(FILE *to, const struct session *session)
{
    const struct system_config *const config = session->request->config;
    const struct gpu_run *const run = session->run;
    uint64_t const time_ps = end_ps(session);
    char *tree;

    fprintf(to, "system        %s\n", config->name);
    if (config_tree_text(config, &tree).kind == FAULT_NONE) {
        fputs(tree, to);
        free(tree);
    }
    fprintf(to, "time          %.6f ms  (%" PRIu64 " ps)%s\n", 1e-9 * (double)time_ps, time_ps,
            session->is_cut_short ? ", stopped by --until" : "");
    if (session->host_s > 0)
        fprintf(to, "replayed in   %.3f s, %.0f thousand warp instructions/s, %" PRIu64 " events\n", session->host_s,
                1e-3 * (double)gpu_run_warp_insts(run) / session->host_s, event_queue_executed(&run->sim->events));
    if (run->copies)
        fprintf(to, "copies        %" PRIu64 " to the device, %" PRIu64 " bytes\n", run->copies, run->copied_bytes);
    gpu_summary_print(to, &config->gpu, run);
}

static int replay(struct session *session)
{
    int code = open_list(session), recorded = CLI_OK;

    if (code == CLI_OK)
        code = make_run(session);
    if (code == CLI_OK)
        code = open_outputs(session);
    if (code == CLI_OK)
        code = sampling_begin_gpu(&session->sampling, session->request->sampling, session->request->config->name,
                                  session->run);
    if (code == CLI_OK)
        code = run_all(session);
    if (code == CLI_OK)
        recorded = sampling_end(&session->sampling, end_ps(session));
    if (code == CLI_OK)
        code = write_outputs(session);
    if (code == CLI_OK && !session->request->is_quiet)
        print_summary(stdout, session);
    return code == CLI_OK ? recorded : code;
}

int replay_gpu(const struct replay_gpu_request *request)
{
    struct session session = {.request = request};
    int const code = replay(&session);

    if (session.run)
        gpu_run_destroy(session.run);
    sampling_free(&session.sampling);
    if (session.is_list_open)
        gpu_list_close(&session.list);
    for (size_t i = 0; i < session.stats_open; i++)
        stats_file_discard(&session.stats[i]);
    return code;
}
