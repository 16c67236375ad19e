/* rubato replay: the main job. Builds the system, runs it in pieces between which progress is shown and statistics are
 * written, prints the summary. Arguments are read by replay_request.c; GPU traces go to replay_gpu.c. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/event_log.h"
#include "cli/large_pages.h"
#include "cli/progress.h"
#include "cli/replay_request.h"
#include "cli/stats_file.h"
#include "cli/store_cache.h"
#include "cli/summary.h"
#include "cli/trace.h"
#include "cli/view_window.h"
#include "replay/config.h"
#include "replay/trace_pair.h"
#include "replay/units.h"

#define EVENTS_A_PIECE 200000        /* between two looks at the clock */

/* Everything that is open during a replay. */
struct session {
    const struct replay_request *request;
    struct system_config config;
    struct trace_pair *traces;           /* one for each core, or one for all */
    size_t trace_count;
    struct trace_input inputs[REPLAY_MAX_TRACES];
    struct system_traces sources[REPLAY_MAX_TRACES];
    FILE *log;
    struct stats_file stats[REPLAY_MAX_STATS_FILES];
    size_t stats_open;
    bool is_store[REPLAY_MAX_TRACES];    /* of the request's folders: a file of ours, looked at no further */
    const char *cpu_folders[REPLAY_MAX_TRACES]; /* of the request's folders, those without GPU kernels */
    size_t cpu_folder_count;
    const char *gpu_folder;              /* NULL: the GPU beside the cores has nothing to do */
    bool is_gpu_away;                    /* while cores run alone */
    bool must_run_together;              /* no core ahead of another */
    struct replay_macsim macsim;         /* if it has threads, they are what the cores do */
    struct gpu_list gpu_list;
    struct system_gpu gpu;
    struct system *system;
    struct sampling sampling;
    double host_s;
    uint64_t next_interval_ps;
    bool interval_just_written, is_warm;
};

/* ---- traces */

/* A store for each pair of files, from the cache. A run that stops early uses one but does not wait for one. One core
 * replays while its store is being made; several wait, as they may share it. */
static void find_stores(struct session *session)
{
    const struct replay_request *const request = session->request;
    bool const runs_to_end = request->max_records == 0 && request->until_ps == TICK_NEVER - 1;
    bool const reads_once = session->trace_count == 1 && session->config.core_count == 1 && !request->runs_alone;
    const char *folder = request->cache;
    char usual_folder[STORE_CACHE_PATH_MAX];

    if (!folder && store_cache_folder(usual_folder))
        folder = usual_folder;
    if (request->has_no_cache || !folder)
        return;
    for (size_t i = 0; i < session->trace_count; i++) {
        struct trace_pair *const pair = &session->traces[i];

        if (!pair->store)
            pair->store = store_cache_find(folder, pair->data, pair->fetch);
        if (pair->store || !runs_to_end)
            continue;
        large_pages_for_packing();
        if (!reads_once) {
            pair->store = store_cache_make(folder, pair->data, pair->fetch);
            continue;
        }
        pair->packing = store_cache_begin(folder, pair->data, pair->fetch);
        if (pair->packing)
            pair->store = store_packing_store(pair->packing);
    }
}

/* After all records were read. */
static void finish_stores(struct session *session)
{
    for (size_t i = 0; i < session->trace_count; i++)
        if (session->traces[i].packing)
            store_cache_end(session->traces[i].packing);
}

static int find_traces(struct session *session)
{
    const struct replay_request *const request = session->request;

    session->trace_count = request->folder_count ? session->cpu_folder_count : request->data_count;
    session->traces = calloc(session->trace_count + 1, sizeof *session->traces);
    if (!session->traces)
        return cli_fail_text("out of memory");
    for (size_t i = 0; i < session->trace_count; i++) {
        struct trace_pair *const pair = &session->traces[i];

        if (request->folder_count) {
            struct proto_error error;

            if (!trace_pair_find(pair, session->cpu_folders[i], &error))
                return cli_fail_proto(&error);
        } else {
            pair->data = request->data[i];
            pair->fetch = request->fetch[i];
        }
    }
    return CLI_OK;
}

static void close_traces(struct session *session)
{
    for (size_t i = 0; i < REPLAY_MAX_TRACES; i++)
        trace_input_close(&session->inputs[i]);
}

/* Do the cores run MacSim's threads? */
static bool has_threads(const struct session *session)
{
    return replay_macsim_has_threads(&session->macsim);
}

/* For every core, or for core `only` while the others are idle (only < 0: every core). */
static int open_traces(struct session *session, int only)
{
    unsigned const cores = session->config.core_count;
    struct proto_error error;

    if (session->trace_count > 1 && session->trace_count != cores)
        return cli_fail_text("%s has %u core%s, but %zu traces were given; give one for each core, or one for all",
                             session->config.name, cores, cores == 1 ? "" : "s", session->trace_count);
    close_traces(session);
    if (has_threads(session))
        return replay_macsim_threads(&session->macsim, &session->config, session->sources);
    for (unsigned i = 0; i < cores; i++) {
        struct trace_pair const *const pair = &session->traces[session->trace_count == 1 ? 0 : i];
        bool const is_idle = session->trace_count == 0 || (only >= 0 && i != (unsigned)only);

        session->sources[i] = (struct system_traces){.is_idle = is_idle};
        if (session->sources[i].is_idle)
            continue;
        if (!trace_input_open(&session->inputs[i], pair, &session->sources[i].records, &session->sources[i].fetches,
                              &error))
            return cli_fail_proto(&error);
        session->sources[i].tick_scale = session->request->tick_scale;
    }
    return CLI_OK;
}

static void warn_traces(struct session *session)
{
    for (size_t i = 0; i < session->trace_count; i++)
        trace_warn_input(&session->inputs[i]);
    if (has_threads(session))
        replay_macsim_warn(&session->macsim);
}

/* Records; warp instructions, if only the GPU works. */
static uint64_t work_done(const struct session *session)
{
    return session->trace_count || has_threads(session) ? session->system->records_completed
                                                        : gpu_run_warp_insts(session->system->gpu);
}

/* Part of the work that is done: that of the core which is furthest behind; of cores whose turns come one after the
 * other, that of all. */
static double position(const struct session *session)
{
    double lowest = 1, sum = 0;

    if (has_threads(session))
        return macsim_threads_position(session->macsim.threads);
    if (session->trace_count == 0)
        return replay_gpu_part_done(session->system->gpu);
    for (unsigned i = 0; i < session->config.core_count; i++) {
        double const part = trace_input_position(&session->inputs[i]);

        lowest = part < lowest ? part : lowest;
        sum += part;
    }
    return session->system->domains ? sum / session->config.core_count : lowest;
}

/* ---- the run */

/* Threads of one address space, whatever the system says of its cores'. */
static bool has_only_macsim(const struct session *session)
{
    const struct replay_request *const request = session->request;

    for (size_t i = 0; i < request->folder_count; i++)
        if (session->is_store[i] || !macsim_set_detect(request->folders[i]))
            return false;
    return request->folder_count > 0;
}

static int load_config(struct session *session)
{
    const struct replay_request *const request = session->request;
    bool const is_one_space = has_only_macsim(session);
    const char *settings[REPLAY_MAX_SETTINGS + 1] = {MACSIM_CORES_SETTING};
    struct fault fault;

    for (size_t i = 0; i < request->setting_count; i++)
        settings[is_one_space + i] = request->settings[i];
    fault = config_read(&session->config, request->system, settings, request->setting_count + is_one_space);
    return fault.kind == FAULT_NONE ? CLI_OK : cli_fail(fault);
}

/* Does nobody see the run before its end? */
static bool may_run_ahead(const struct session *session)
{
    const struct replay_request *const request = session->request;

    return !session->must_run_together && !session->gpu_folder && !request->log && !request->interval_ps
        && !request->warmup_records && !request->max_records && request->until_ps >= TICK_NEVER - 1
        && !sampling_is_wanted(&request->sampling);
}

static int make_system(struct session *session)
{
    const struct replay_request *const request = session->request;
    struct fault fault = fault_none();

    session->system = may_run_ahead(session)
        ? system_create_ahead(&session->config, session->sources,
                              trace_pairs_differ(session->traces, session->trace_count), &fault)
        : system_create(&session->config, session->sources,
                        session->gpu_folder && !session->is_gpu_away ? &session->gpu : NULL, &fault);
    if (session->system && has_threads(session) && replay_macsim_give(&session->macsim, session->system) != CLI_OK)
        return CLI_BAD_INPUT;
    if (session->system && (request->stats_count > 0 || request->warmup_records > 0))
        fault = system_add_stats(session->system);
    return fault.kind == FAULT_NONE ? CLI_OK : cli_fail(fault);
}

static void write_blocks(struct session *session)
{
    system_sync(session->system);
    for (size_t i = 0; i < session->stats_open; i++)
        stats_file_block(&session->stats[i], &session->system->stats, system_now_ps(session->system));
}

/* Runs to the next point at which something is due; false when the replay is over or has failed. */
static bool run_piece(struct session *session, enum system_state *state)
{
    const struct replay_request *const request = session->request;
    struct system *const system = session->system;
    uint64_t const due_ps = min_u64(session->next_interval_ps, sampling_due(&session->sampling));
    uint64_t const until_ps = min_u64(request->until_ps, due_ps);
    bool const warms_up = request->warmup_records && !session->is_warm;
    uint64_t at_records = warms_up ? request->warmup_records : request->max_records;

    if (warms_up && request->max_records && request->max_records < at_records)
        at_records = request->max_records;
    *state = system_run_piece(system, until_ps, EVENTS_A_PIECE, at_records, sampling_poll(&session->sampling));
    session->interval_just_written = false;
    if (*state != SYSTEM_RUNNING)
        return false;
    if (system->records_reached) {
        if (at_records == request->max_records)
            return false;
        system_reset_stats(system);
        sampling_restarted(&session->sampling, system_now_ps(system));
        session->is_warm = true;
    }
    sampling_look(&session->sampling, system_now_ps(system), event_queue_next_ps(&system->sim.events));
    if (sampling_is_stopped(&session->sampling))
        return false;
    if (system_now_ps(system) >= session->next_interval_ps) {
        write_blocks(session);
        session->next_interval_ps += request->interval_ps;
        session->interval_just_written = true;
    }
    return system_now_ps(system) < request->until_ps;
}

/* Cores cannot run ahead of each other, or a fault has to be found in its place: from the beginning. */
static int begin_together(struct session *session)
{
    int code;

    system_destroy(session->system);
    session->system = NULL;
    session->must_run_together = true;
    code = open_traces(session, -1);
    return code == CLI_OK ? make_system(session) : code;
}

static int run(struct session *session)
{
    struct progress progress;
    enum system_state state;
    double const start_s = progress_clock_s();

    session->next_interval_ps = session->request->interval_ps ? session->request->interval_ps : TICK_NEVER - 1;
    progress_start(&progress);
    progress.is_shown = progress.is_shown && !session->request->is_quiet
                        && !sampling_is_watched(&session->request->sampling);
    if (session->trace_count == 0)
        progress.what = "warp instructions";
    while (run_piece(session, &state))
        progress_show(&progress, work_done(session), system_now_ps(session->system), position(session));
    progress_end(&progress);
    if (state == SYSTEM_FAILED && system_runs_ahead(session->system)) {
        int const code = begin_together(session);

        return code == CLI_OK ? run(session) : code;
    }
    session->host_s = progress_clock_s() - start_s;
    if (sampling_is_stopped(&session->sampling))
        return REPLAY_STOPPED;
    warn_traces(session);
    summary_warn(session->system);
    if (state == SYSTEM_FAILED)
        return cli_fail(session->system->fault);
    if (!session->interval_just_written)
        write_blocks(session);
    return CLI_OK;
}

/* ---- outputs: opened before the work, closed only after it went well */

static int open_outputs(struct session *session)
{
    const struct replay_request *const request = session->request;

    for (size_t i = 0; i < request->stats_count; i++) {
        if (!stats_file_open(&session->stats[i], request->stats[i], request->interval_ps != 0))
            return CLI_BAD_INPUT;
        session->stats_open++;
    }
    if (request->log) {
        session->log = cli_output_open(request->log);
        if (!session->log)
            return CLI_BAD_INPUT;
    }
    return CLI_OK;
}

static int close_outputs(struct session *session)
{
    FILE *const log = session->log;
    int code = CLI_OK;

    session->log = NULL;
    if (log && !cli_output_close(log, session->request->log))
        code = CLI_BAD_INPUT;
    for (size_t i = 0; i < session->stats_open; i++)
        if (!stats_file_close(&session->stats[i]))
            code = CLI_BAD_INPUT;
    session->stats_open = 0;
    return code;
}

static void end_session(struct session *session)
{
    system_destroy(session->system);
    sampling_free(&session->sampling);
    replay_macsim_close(&session->macsim);
    if (session->gpu_list.path)
        gpu_list_close(&session->gpu_list);
    close_traces(session);
    for (size_t i = 0; session->traces && i < session->trace_count; i++)
        trace_pair_close(&session->traces[i]);
    free(session->traces);
    for (size_t i = 0; i < session->stats_open; i++)
        stats_file_discard(&session->stats[i]);
    if (session->log && session->log != stdout)
        fclose(session->log);
}

/* When a core, or the GPU as the one after them, was done. */
static uint64_t done_ps(const struct session *session, unsigned who)
{
    struct system const *const system = session->system;

    if (who < session->config.core_count)
        return system->cores[who].done_ps;
    return system->gpu_running ? TICK_NEVER : system->gpu->done_ps;
}

static int run_one_alone(struct session *session, unsigned who, bool is_gpu)
{
    enum system_state state = SYSTEM_RUNNING;
    int code;

    system_destroy(session->system);
    session->system = NULL;
    session->is_gpu_away = !is_gpu;
    session->must_run_together = true;
    code = open_traces(session, (int)who);
    if (code == CLI_OK)
        code = make_system(session);
    if (code != CLI_OK)
        return code;
    do
        state = system_run(session->system, TICK_NEVER - 1, EVENTS_A_PIECE, 0);
    while (state == SYSTEM_RUNNING);
    return state == SYSTEM_FAILED ? cli_fail(session->system->fault) : CLI_OK;
}

/* Runs each core alone on the same system, and the GPU; what the shared run took stands in `shared`. */
static int run_alone(struct session *session)
{
    unsigned const cores = session->trace_count > 0 ? session->config.core_count : 0;
    unsigned const gpu = session->config.core_count;
    bool const has_gpu = session->gpu_folder;
    uint64_t shared_ps[REPLAY_MAX_TRACES + 1], alone_ps[REPLAY_MAX_TRACES + 1];

    for (unsigned i = 0; i < cores + has_gpu; i++)
        shared_ps[i] = done_ps(session, i < cores ? i : gpu);
    for (unsigned i = 0; i < cores + has_gpu; i++) {
        unsigned const who = i < cores ? i : gpu;
        int const code = run_one_alone(session, who, who == gpu);

        if (code != CLI_OK)
            return code;
        alone_ps[i] = done_ps(session, who);
    }
    summary_print_sharing(stdout, cores, has_gpu, shared_ps, alone_ps);
    return CLI_OK;
}

/* ---- GPU traces */
static bool is_gpu_replay(const struct session *session)
{
    const struct replay_request *const request = session->request;

    for (size_t i = 0; i < request->folder_count; i++)
        if (!session->is_store[i] && gpu_list_detect(request->folders[i]))
            return true;
    return false;
}

static int run_gpu(struct session *session)
{
    const struct replay_request *const request = session->request;
    struct replay_gpu_request gpu = request->gpu;

    if (request->cpu_option)
        return cli_fail_text("--%s is not for GPU traces; leave it out", request->cpu_option);
    if (request->folder_count != 1)
        return cli_fail_text("%zu traces were given; a GPU replays one list of kernels", request->folder_count);
    if (!config_has_gpu(&session->config))
        return cli_fail_text("%s has no GPU, but %s holds GPU kernels; give a system such as qv100",
                             session->config.name, request->folders[0]);
    gpu.config = &session->config;
    gpu.list = request->folders[0];
    gpu.macsim = &request->macsim;
    gpu.stats_count = request->stats_count;
    memcpy(gpu.stats, request->stats, sizeof gpu.stats);
    gpu.until_ps = request->until_ps;
    gpu.is_quiet = request->is_quiet;
    gpu.sampling = &request->sampling;
    return replay_gpu(&gpu);
}

/* A system without cores takes no traces of a CPU; without traces of a CPU no core counts records. */
static int check_core_traces(const struct session *session)
{
    const struct replay_request *const request = session->request;
    const char *const first = session->cpu_folder_count ? session->cpu_folders[0] : request->data[0];

    if (first && session->config.core_count == 0)
        return cli_fail_text("%s has a GPU and no cores, but %s holds no GPU kernels; give a kernelslist.g or its "
                             "folder", session->config.name, first);
    if (!first && !has_threads(session) && (request->warmup_records || request->max_records))
        return cli_fail_text("--%s counts records of cores, but no trace of a core was given; leave it out",
                             request->warmup_records ? "warmup" : "records");
    return CLI_OK;
}

static int check_cpu_replay(const struct session *session)
{
    const struct replay_request *const request = session->request;

    if (request->gpu.picked.count || request->gpu.counts_pcs)
        return cli_fail_text("--%s is for GPU traces; leave it out", request->gpu.picked.count ? "kernels"
                                                                                                 : "instructions");
    return CLI_OK;
}

/* Takes a path with threads of MacSim's CPUs; *is_taken: it is nothing else. */
static int take_macsim(struct session *session, const char *path, bool *is_taken)
{
    struct replay_macsim macsim;
    int code;

    if (!macsim_set_detect(path))
        return CLI_OK;
    code = replay_macsim_open(&macsim, path, &session->request->macsim);
    if (code != CLI_OK)
        return code;
    if (!replay_macsim_has_threads(&macsim)) {
        replay_macsim_close(&macsim);
        return CLI_OK;
    }
    if (session->macsim.is_open) {
        replay_macsim_close(&macsim);
        return cli_fail_text("%s and %s are both sets of MacSim; name them in one trace_file_list",
                             session->macsim.set.path, path);
    }
    *is_taken = !replay_macsim_has_kernels(&macsim);
    session->macsim = macsim;
    return CLI_OK;
}

/* What does not go together with MacSim's threads. */
static int check_macsim(const struct session *session)
{
    const struct replay_request *const request = session->request;

    if (!has_threads(session) && request->macsim.has_table)
        return cli_fail_text("--latency is for MacSim's CPU threads; leave it out");
    if (!has_threads(session) && request->macsim.option && !session->gpu_folder)
        return cli_fail_text("--%s is for traces of MacSim; leave it out", request->macsim.option);
    if (!has_threads(session))
        return CLI_OK;
    if (session->cpu_folder_count > 0)
        return cli_fail_text("%s and %s: cores run either MacSim's threads or elastic traces",
                             session->macsim.set.path, session->cpu_folders[0]);
    if (session->config.core_count == 0)
        return cli_fail_text("%s has no cores, but %s holds threads of a CPU", session->config.name,
                             session->macsim.set.path);
    if (request->runs_alone)
        return cli_fail_text("--alone runs each core by itself, but MacSim's threads start each other; leave it out");
    if (request->tick_scale != 1)
        return cli_fail_text("--tick-scale is for elastic traces; MacSim's have no ticks");
    return CLI_OK;
}

/* Which of the traces are the cores', and the GPU's if the system has both. */
static int divide_folders(struct session *session)
{
    const struct replay_request *const request = session->request;

    for (size_t i = 0; i < request->folder_count; i++) {
        bool is_taken = false;
        int const code = session->is_store[i] ? CLI_OK : take_macsim(session, request->folders[i], &is_taken);

        if (code != CLI_OK)
            return code;
        if (is_taken)
            continue;
        if (session->is_store[i] || !config_has_gpu(&session->config) || !gpu_list_detect(request->folders[i]))
            session->cpu_folders[session->cpu_folder_count++] = request->folders[i];
        else if (session->gpu_folder)
            return cli_fail_text("%s and %s both hold GPU kernels; a GPU replays one list", session->gpu_folder,
                                 request->folders[i]);
        else
            session->gpu_folder = request->folders[i];
    }
    return CLI_OK;
}

static int open_gpu_list(struct session *session)
{
    const struct replay_gpu_request *const gpu = &session->request->gpu;
    struct fault fault;
    int code;

    if (!session->gpu_folder)
        return CLI_OK;
    if (gpu->counts_pcs)
        return cli_fail_text("--instructions is for a GPU with memory of its own; leave it out");
    code = replay_gpu_open(&session->gpu_list, session->gpu_folder, &session->request->macsim,
                           has_threads(session) ? &session->macsim.set : NULL);
    if (code != CLI_OK)
        return code;
    session->gpu.source = gpu_source_of_list(&session->gpu_list);
    gpu_pick_apply(&gpu->picked, &session->gpu.options);
    fault = gpu_pick_check(&gpu->picked, &session->gpu_list, "--kernels", session->gpu_folder);
    return fault.kind == FAULT_NONE ? CLI_OK : cli_fail(fault);
}

static int replay(struct session *session)
{
    int code, recorded = CLI_OK;

    for (size_t i = 0; i < session->request->folder_count; i++)
        session->is_store[i] = store_detect(session->request->folders[i]);
    code = load_config(session);
    if (code == CLI_OK && is_gpu_replay(session)
        && (config_gpu_owns_memory(&session->config) || !config_has_gpu(&session->config)))
        return run_gpu(session);
    if (code == CLI_OK)
        code = divide_folders(session);
    if (code == CLI_OK)
        code = check_core_traces(session);
    if (code == CLI_OK)
        code = check_macsim(session);
    if (code == CLI_OK)
        code = open_gpu_list(session);
    if (code == CLI_OK && !session->gpu_folder)
        code = check_cpu_replay(session);
    if (code == CLI_OK)
        code = find_traces(session);
    if (code == CLI_OK)
        find_stores(session);
    if (code == CLI_OK)
        code = open_traces(session, -1);
    if (code == CLI_OK)
        code = make_system(session);
    if (code == CLI_OK)
        code = open_outputs(session);
    if (code == CLI_OK && session->log)
        session->system->sim.log = event_log_sink(session->log);
    if (code == CLI_OK)
        code = sampling_begin_system(&session->sampling, &session->request->sampling, session->system);
    if (code == CLI_OK)
        code = run(session);
    if (code == CLI_OK)
        recorded = sampling_end(&session->sampling, system_now_ps(session->system));
    if (code == CLI_OK)
        finish_stores(session);
    if (code == CLI_OK)
        code = close_outputs(session);
    if (code == CLI_OK && !session->request->is_quiet)
        summary_print(stdout, session->system, session->host_s);
    if (code == CLI_OK && session->request->runs_alone)
        code = run_alone(session);
    return code == CLI_OK ? recorded : code;
}

int replay_run(const struct replay_request *request)
{
    struct session *const session = calloc(1, sizeof *session);
    double const start_s = progress_thread_s();
    int code;

    if (!session)
        return cli_fail_text("out of memory");
    session->request = request;
    code = replay(session);
    end_session(session);
    free(session);
    if (request->shows_thread_time)
        fprintf(stderr, "rubato: processor time of the replay: %.6f s\n", progress_thread_s() - start_s);
    return code;
}

int cli_replay(int argc, char **argv)
{
    struct replay_request request;
    int code;

    if (!replay_request_parse(&request, argc, argv, &code))
        return code;
    if (request.sampling.has_window)
        return view_replay(&request);
    large_pages_for_heap();
    return replay_run(&request);
}
