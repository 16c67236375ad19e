/* rubato replay: opens a session and the files it writes to, shows progress, prints the summary. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/host_facts.h"
#include "cli/common/cli.h"
#include "cli/common/command_log.h"
#include "cli/common/interrupt.h"
#include "cli/common/large_pages.h"
#include "cli/common/number_set.h"
#include "cli/common/output.h"
#include "cli/common/output_name.h"
#include "cli/common/progress.h"
#include "cli/options/probe_options.h"
#include "cli/plugin/module_signals.h"
#include "cli/replay/champsim_stats.h"
#include "cli/replay/listeners.h"
#include "cli/replay/replay_regions.h"
#include "cli/replay/request.h"
#include "cli/replay/stats_file.h"
#include "cli/replay/summary.h"
#include "cli/replay/where.h"
#include "replay/config/config.h"
#include "replay/config/config_values.h"
#include "replay/modules/module_log.h"
#include "replay/session/session.h"
#include "replay/window/captured_core.h"

/* Everything that is open during a replay. */
struct replay {
    const struct replay_request *request;
    struct system_config *config;
    struct workload workload;
    char folder[STORE_CACHE_PATH_MAX];
    struct session *session;
    FILE *log, *summary, *module_file;
    struct module_log *module_log;
    struct figures figures;              /* of the finished run, and their verdict */
    struct verdict verdict;
    struct mix mix;                      /* --alone */
    struct summary_kept kept;            /* --restart */
    struct champsim_stats champsim;
    struct command_log command_log;
    struct stats_file stats[REPLAY_MAX_STATS_FILES];
    size_t stats_open;
    struct sampling_sinks sampling;
    struct replay_listeners listeners;
    struct profile *profile;             /* of the next two; NULL: there are neither */
    struct where *where;                 /* --by */
    struct accesses *accesses;           /* --accesses, --optimal */
    struct progress progress;
};

static int code_of(struct fault fault)
{
    return fault.kind == FAULT_NONE ? CLI_OK : cli_fail(fault);
}

/* ---- the workload */
static int find_workload(struct replay *replay)
{
    const struct replay_request *const request = replay->request;

    return code_of(request->folder_count
        ? workload_find(&replay->workload, request->folders[0], request->folders, request->folder_count,
                        &request->reading)
        : workload_of_files(&replay->workload, request->data, request->fetch, request->data_count));
}

/* Options that are not for these traces. */
static int check_options(const struct replay *replay)
{
    const struct replay_request *const request = replay->request;
    const struct workload *const workload = &replay->workload;
    bool const has_kernels = workload_kernels(workload), is_gpu_alone = has_kernels
                                                                        && config_gpu_owns_memory(replay->config);
    bool const has_kernels_option = request->limits.kernels.count > 0;
    bool const takes_insn_options = workload->takes & WORKLOAD_TAKES_INSN_OPTIONS;

    if (is_gpu_alone && request->cpu_option)
        return cli_fail_text("--%s is not for GPU traces; leave it out", request->cpu_option);
    if (!has_kernels && (has_kernels_option || request->counts_pcs))
        return cli_fail_text("--%s is for GPU traces; leave it out", has_kernels_option ? "kernels"
                             : "per-instruction");
    if (request->counts_pcs && !is_gpu_alone)
        return cli_fail_text("--per-instruction is for a GPU with memory of its own; leave it out");
    if (!(workload->takes & WORKLOAD_TAKES_LATENCY_TABLE) && request->latencies.has_table)
        return cli_fail_text("--latency with a table is for MacSim's CPU threads; %s", takes_insn_options
                             ? "give CLASS=CYCLES" : "leave it out");
    if (!takes_insn_options && (request->latencies.has_insn || request->has_sync || request->addresses_setting
                                || request->reading.insn.time_ps != 0 || request->reading.insn.skipped > 0))
        return cli_fail_text("--%s is for instruction traces; leave it out", request->latencies.has_insn
                             ? "latency CLASS=CYCLES" : request->has_sync ? "sync"
                             : request->addresses_setting ? "addresses"
                             : request->reading.insn.skipped > 0 ? "skip" : "trace-clock");
    if (listeners_option(&request->listeners) && !config_is_window(replay->config)
        && (!takes_insn_options || !config_is_detailed(replay->config)))
        return cli_fail_text("--%s is for detailed cores; leave it out, or give --set cpu.model=detailed and an "
                             "instruction trace", listeners_option(&request->listeners));
    if (!(workload->takes & WORKLOAD_TAKES_MACSIM_OPTIONS) && request->macsim_option)
        return cli_fail_text("--%s is for traces of MacSim; leave it out", request->macsim_option);
    return CLI_OK;
}

static void replay_warn(void *context, const char *text)
{
    struct replay *const replay = context;

    progress_end(&replay->progress);
    cli_warn("%s", text);
}

/* Before the session, which makes the instances of modules. */
static int open_module_log(struct replay *replay)
{
    const struct replay_request *const request = replay->request;

    if (!request->module_log)
        return CLI_OK;
    if (request->runs_alone || request->limits.restarts)
        return cli_fail_text("--module-log is for one run of each program; leave out --%s",
                             request->runs_alone ? "alone" : "restart");
    replay->module_file = cli_output_open(request->module_log);
    if (!replay->module_file)
        return CLI_BAD_INPUT;
    return code_of(module_log_tap(&replay->module_log, replay->config, replay->module_file));
}

/* The option that needs a profile; NULL: none was given. */
static const char *profile_option(const struct replay_request *request)
{
    return request->where.by != WHERE_NOWHERE ? "by" : request->accesses.level ? "accesses"
           : request->accesses.optimal ? "optimal" : NULL;
}

/* Before the session, which has it from the beginning. */
static int open_profile(struct replay *replay)
{
    const struct replay_request *const request = replay->request;
    const char *const option = profile_option(request);
    int code = CLI_OK;

    if (!option)
        return CLI_OK;
    if (request->runs_alone || request->limits.restarts)
        return cli_fail_text("--%s is for one run of the program; leave out --%s", option,
                             request->runs_alone ? "alone" : "restart");
    if (workload_kernels(&replay->workload))
        return cli_fail_text("--%s is for programs of cores; leave it out of a replay with kernels of a GPU", option);
    if (request->accesses.optimal && (request->limits.warms_at_once || request->warm_plan))
        return cli_fail_text("--optimal begins with empty caches; leave out --warm functional");
    replay->profile = profile_new(replay->config);
    if (!replay->profile)
        return cli_fail_text("out of memory");
    if (request->where.by != WHERE_NOWHERE)
        code = where_open(&replay->where, &request->where, &replay->workload, replay->config, replay->profile);
    if (code == CLI_OK && (request->accesses.level || request->accesses.optimal))
        code = accesses_open(&replay->accesses, &request->accesses, replay->profile);
    return code;
}

static int open_session(struct replay *replay)
{
    const struct replay_request *const request = replay->request;
    struct session_request const wanted = {
        .config = replay->config, .workload = &replay->workload, .limits = request->limits,
        .engine = request->engine, .before_packing = large_pages_for_packing,
        .store_folder = cli_store_folder(request->cache, request->has_no_cache, replay->folder),
        .verifies_stores = request->verifies, .interval_ps = request->interval_ps,
        .has_stats = request->stats_count > 0, .has_log = request->log || request->sampling.samples.has_requests,
        .has_samples = sampling_is_wanted(&request->sampling), .has_commands = request->sampling.commands,
        .runs_alone = request->runs_alone,
        .listener = listeners_list(&replay->listeners, &request->listeners, where_listeners(replay->where),
                                   replay->config),
        .profile = replay->profile,
        .counts_pcs = request->counts_pcs, .warm = request->warm_plan, .warn = {replay_warn, replay}
    };

    return code_of(session_open(&replay->session, &wanted));
}

/* ---- outputs: opened before the work, closed only after it went well */
static int open_outputs(struct replay *replay)
{
    const struct replay_request *const request = replay->request;

    for (; replay->stats_open < request->stats_count; replay->stats_open++)
        if (!stats_file_open(&replay->stats[replay->stats_open], request->stats[replay->stats_open],
                             request->interval_ps != 0, !session_system(replay->session)))
            return CLI_BAD_INPUT;
    if (request->log) {
        replay->log = cli_output_open(request->log);
        if (!replay->log)
            return CLI_BAD_INPUT;
    }
    if (request->summary) {
        replay->summary = cli_output_open(request->summary);
        if (!replay->summary)
            return CLI_BAD_INPUT;
    }
    if (request->sampling.commands
        && !command_log_open(&replay->command_log, request->sampling.commands, replay->config))
        return CLI_BAD_INPUT;
    int const code = sampling_open(&replay->sampling, &request->sampling);

    return code == CLI_OK ? listeners_open(&replay->listeners, &request->listeners, replay->config) : code;
}

/* Of a GPU alone, once; of systems blocks have come meanwhile. */
static void write_gpu_stats(struct replay *replay)
{
    for (size_t i = 0; i < replay->stats_open; i++)
        stats_file_gpu(&replay->stats[i], replay->config, session_gpu(replay->session),
                       session_result(replay->session)->end_ps);
}

static int close_outputs(struct replay *replay)
{
    const struct session_result *const result = session_result(replay->session);
    FILE *const log = replay->log;
    int code = CLI_OK;

    if (!session_system(replay->session))
        write_gpu_stats(replay);
    for (size_t i = 0; session_system(replay->session) && i < replay->stats_open; i++)
        stats_file_champsim(&replay->stats[i], &replay->champsim, session_system(replay->session),
                            replay->request->folders, replay->request->folder_count);
    if (log && result->is_interrupted)
        fprintf(log, "# stopped by %s at tick %" PRIu64 "\n", interrupt_name(), result->end_ps);
    replay->log = NULL;
    if (replay->module_file && !cli_output_close(replay->module_file, replay->request->module_log))
        code = CLI_BAD_INPUT;
    replay->module_file = NULL;
    if (log && !cli_output_close(log, replay->request->log))
        code = CLI_BAD_INPUT;
    if (replay->command_log.is_open
        && !command_log_close(&replay->command_log, result->end_ps, result->is_interrupted ? interrupt_name() : NULL))
        code = CLI_BAD_INPUT;
    for (size_t i = 0; i < replay->stats_open; i++)
        if (!stats_file_close(&replay->stats[i]))
            code = CLI_BAD_INPUT;
    replay->stats_open = 0;
    if (listeners_close(&replay->listeners) != CLI_OK)
        code = CLI_BAD_INPUT;
    return code;
}

/* ---- the run */
static void write_blocks(void *context, const struct stats *stats, uint64_t now_ps)
{
    struct replay *const replay = context;

    for (size_t i = 0; i < replay->stats_open; i++)
        stats_file_block(&replay->stats[i], stats, now_ps);
}

static void keep_pass(void *context, const struct system *system, unsigned core)
{
    struct replay *const replay = context;

    if (!replay->request->is_quiet)
        summary_keep_pass(&replay->kept, system, core);
    champsim_stats_keep(&replay->champsim, system, core);
}

static bool replay_show_progress(void *context, const struct session_progress *done)
{
    struct replay *const replay = context;

    replay->progress.what = done->is_of_warps ? "warp instructions"
                            : config_is_detailed(replay->config) ? "instructions" : "records";
    progress_show(&replay->progress, done->work, done->now_ps, done->part);
    return false;
}

static bool is_interrupted(void *context)
{
    (void)context;
    return interrupt_came();
}

static void say_interrupted(const struct replay *replay)
{
    uint64_t const end_ps = session_result(replay->session)->end_ps;

    fprintf(stderr, "rubato: stopped by %s at tick %" PRIu64 " (%.6f ms)", interrupt_name(), end_ps,
            1e-9 * (double)end_ps);
    if (session_result(replay->session)->is_unwarmed)
        fprintf(stderr, ", in the warm-up: a core had completed %" PRIu64 " of %" PRIu64 " %s; there are no results\n",
                session_result(replay->session)->work, replay->request->limits.warmup_records,
                config_is_detailed(replay->config) ? "instructions" : "records");
    else
        fputs("; all results are those up to there\n", stderr);
}

static int replay_run_part(struct replay *replay)
{
    struct session_outputs const outputs = {
        .log = replay->log ? event_log_sink(replay->log) : (struct log_sink){0}, .samples = &replay->sampling.outputs,
        .commands = replay->command_log.is_open ? &replay->command_log.sink : NULL,
        .device_commands = replay->command_log.is_open ? &replay->command_log.device_sink : NULL,
        .block = write_blocks, .pass_ended = keep_pass, .progress = replay_show_progress, .context = replay,
        .is_interrupted = replay->sampling.outputs.gate ? NULL : is_interrupted
    };
    struct fault fault;

    if (!replay->request->is_quiet && session_note(replay->session))
        cli_note(session_note(replay->session));
    progress_start(&replay->progress);
    replay->progress.is_shown = replay->progress.is_shown && !replay->request->is_quiet
                                && !sampling_is_watched(&replay->request->sampling);
    if (outputs.is_interrupted)
        interrupt_listen();
    fault = session_run(replay->session, &outputs);
    progress_end(&replay->progress);
    if (session_result(replay->session)->is_interrupted)
        say_interrupted(replay);
    return session_result(replay->session)->is_stopped ? REPLAY_STOPPED : code_of(fault);
}

static void replay_add_figure(void *context, const char *name, double value)
{
    figures_add(context, name, value);
}

static struct fault replay_judge(struct replay *replay)
{
    struct verdict_hints hints = {0};
    struct metrics_needs needs;
    struct insn_threads_figures insn;

    verdict_needs(&needs);
    FORWARD(session_visit_stats(replay->session, &needs, replay_add_figure, &replay->figures));
    if (replay->accesses)
        accesses_visit(replay->accesses, session_system(replay->session), replay_add_figure, &replay->figures);
    FORWARD(figures_finish(&replay->figures));
    if (session_insn_figures(replay->session, &insn))
        hints.has_no_dependences = insn.lacks & 1u << INSN_LACKS_DEPENDENCES;
    replay->verdict = verdict_of(&replay->figures, &hints);
    return fault_none();
}

static int write_summary(struct replay *replay)
{
    FILE *const file = replay->summary;
    const char *const path = replay->request->summary;

    replay->summary = NULL;
    if (!summary_json_write(file, config_name(replay->config), &replay->figures, &replay->verdict, replay->where)) {
        cli_output_discard(file);
        return cli_fail_text("%s: out of memory", path);
    }
    return cli_output_close(file, path) ? CLI_OK : CLI_BAD_INPUT;
}

/* A trace's header does not name the core of its capture, so rules that need it are told to the user where they may not
 * hold. */
static void print_captured_core(const struct system_config *config)
{
    struct captured_core const own = captured_core_of(config_detailed(config)), reference = captured_core_reference();

    if (!config_captures_itself(config) && !captured_core_is_equal(&own, &reference))
        printf("  capture     taken for one on gem5's default core, whose widths, delays or latencies are not those of "
               "this\n              one; with cpu.capture=system for one on this core\n");
}

static void print_summary(const struct replay *replay)
{
    const struct session_result *const result = session_result(replay->session);
    struct summary_judgement const judgement = {
        .figures = &replay->figures, .verdict = &replay->verdict, .shows_all = replay->request->shows_all,
        .kept = replay->request->limits.restarts || replay->request->limits.instructions ? &replay->kept : NULL,
        .warmed = replay->request->limits.warmup_records * replay->request->folder_count, .warm_s = result->warm_s
    };
    struct insn_threads_figures insn;
    struct window_counts counts;

    if (result->is_interrupted)
        printf("stopped       by %s at tick %" PRIu64 "\n", interrupt_name(), result->end_ps);
    if (replay->listeners.probes)
        probe_print(stdout, replay->listeners.probes);
    if (replay->request->is_capture)
        return;
    if (session_system(replay->session))
        summary_print(stdout, session_system(replay->session), result->host_s, &judgement);
    else
        summary_print_gpu(stdout, replay->config, session_gpu(replay->session), result->end_ps, result->host_s,
                          result->is_cut_short && !result->is_interrupted, &judgement);
    for (unsigned i = 0; session_system(replay->session) && i < session_system(replay->session)->core_count; i++)
        if (session_window_counts(replay->session, i, &counts))
            window_counts_print(stdout, &counts, "");
    if (config_is_window(replay->config))
        print_captured_core(replay->config);
    if (session_insn_figures(replay->session, &insn))
        insn_summary_print(stdout, &insn, session_system(replay->session),
                           !result->is_cut_short && replay->request->limits.warmup_records == 0);
    if (replay->accesses)
        accesses_print(stdout, replay->accesses);
    if (replay->where)
        where_print(stdout, replay->where);
}

/* Runs each program, and the GPU, alone on the same system, and prints the cost of sharing. */
static int run_alone(struct replay *replay)
{
    int code = code_of(mix_run(&replay->mix, replay->session));

    if (code != CLI_OK || session_result(replay->session)->is_interrupted)
        return code;
    if (!replay->request->is_quiet)
        summary_print_mix(stdout, replay->config, &replay->mix);
    mix_visit(&replay->mix, replay->config, replay_add_figure, &replay->figures);
    return code_of(figures_finish(&replay->figures));
}

static int replay_finish(struct replay *replay)
{
    int const recorded = sampling_close(&replay->sampling, &session_result(replay->session)->recording);
    int code = close_outputs(replay);

    if (code == CLI_OK && replay->where)
        code = where_finish(replay->where);
    if (code == CLI_OK && replay->accesses)
        code = accesses_close(replay->accesses);
    if (code == CLI_OK && (!replay->request->is_quiet || replay->summary || replay->request->judged))
        code = code_of(replay_judge(replay));
    if (code == CLI_OK && replay->request->judged)
        replay->request->judged(replay->request->judged_context, &replay->figures, &replay->verdict);
    if (code == CLI_OK && !replay->request->is_quiet)
        print_summary(replay);
    if (code == CLI_OK && replay->request->runs_alone && session_system(replay->session)
        && !session_result(replay->session)->is_interrupted)
        code = run_alone(replay);
    if (code == CLI_OK && replay->summary)
        code = write_summary(replay);
    if (code == CLI_OK)
        code = recorded;
    return code == CLI_OK && session_result(replay->session)->is_interrupted ? interrupt_exit_code() : code;
}

static int replay_all(struct replay *replay)
{
    int code = code_of(replay_request_config(replay->request, replay->config));

    module_signals_limit(replay->request->module_limit_ps);
    if (code == CLI_OK && replay_is_of_regions(replay->request) && replay->request->module_log)
        return cli_fail_text("--module-log is for whole traces; leave it out of a replay of regions");
    if (code == CLI_OK && replay_is_of_regions(replay->request))
        return replay_regions(replay->request, replay->config);
    if (code == CLI_OK)
        code = find_workload(replay);
    if (code == CLI_OK)
        code = check_options(replay);
    if (code == CLI_OK)
        code = open_module_log(replay);
    if (code == CLI_OK)
        code = open_profile(replay);
    if (code == CLI_OK)
        code = open_session(replay);
    if (code == CLI_OK)
        code = open_outputs(replay);
    if (code == CLI_OK)
        code = replay_run_part(replay);
    if (code == CLI_OK && session_result(replay->session)->is_unwarmed)
        return interrupt_exit_code();
    return code == CLI_OK ? replay_finish(replay) : code;
}

static void replay_end(struct replay *replay)
{
    sampling_close(&replay->sampling, NULL);
    session_close(replay->session);
    workload_close(&replay->workload);
    for (size_t i = 0; i < replay->stats_open; i++)
        stats_file_discard(&replay->stats[i]);
    module_log_free(replay->module_log);
    cli_output_discard(replay->module_file);
    cli_output_discard(replay->log);
    cli_output_discard(replay->summary);
    figures_free(&replay->figures);
    mix_free(&replay->mix);
    summary_kept_free(&replay->kept);
    champsim_stats_free(&replay->champsim);
    command_log_free(&replay->command_log);
    listeners_discard(&replay->listeners);
    where_free(replay->where);
    accesses_free(replay->accesses);
    profile_free(replay->profile);
    free(replay->config);
    free(replay);
}

int replay_run(const struct replay_request *request)
{
    struct replay *const replay = calloc(1, sizeof *replay);
    double const start_s = host_thread_s();
    int code;

    if (replay)
        replay->config = config_new();
    if (!replay || !replay->config) {
        free(replay);
        return cli_fail_text("out of memory");
    }
    replay->request = request;
    code = replay_all(replay);
    replay_end(replay);
    if (request->shows_thread_time)
        fprintf(stderr, "rubato: processor time of the replay: %.6f s\n", host_thread_s() - start_s);
    return code;
}
