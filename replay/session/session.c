/* A session: one run of a system, or of a GPU alone, in pieces, between which samples, statistics, progress and
 * interrupts are looked at.
 *
 * Invariants.
 *  1. session_open finds every error of the request that shows without a run, before an output is made.
 *  2. An open session has a system or a gpu_alone, never both; inside begin_again it has neither for a moment.
 *  3. Ticks and statistics depend on config, workload and limits alone, not on where pieces end. A run that begins
 *     again (must_run_in_order) has the result that the first would have had.
 *  4. Statistics count from the end of the warm-up, if one was requested: no block is written before it, and none twice
 *     for one tick (was_block_written).
 *  5. A run ends in exactly one of four ways: a fault, is_stopped (no result), is_unwarmed (no figures), or a result.
 *
 * States:
 *
 *   session_open --> READY --> WARMING UP --> COUNTING --> OVER --session_run_alone--> BEGUN AGAIN --> OVER
 *                                   `------------+--> BEGUN AGAIN --> WARMING UP or COUNTING
 *
 *   READY        system or gpu_alone is made and at tick 0
 *   WARMING UP   limits.warmup_records && !is_warm; of a system only; of limits.warms_at_once within READY
 *   COUNTING     is_warm, or no warm-up was requested
 *   BEGUN AGAIN  must_run_in_order: a new system at tick 0, with events in the order of one queue
 *   OVER         session_run or session_run_alone has returned
 *
 * Transitions, and who makes them:
 *
 *   to READY                   session_open_all: stores, traces, then make_system or make_gpu_alone
 *   READY to WARMING UP        run_system; without a warm-up to COUNTING, as does run_gpu_alone
 *   WARMING UP to COUNTING     run_piece: system_reset_stats, in the midst of a tick, the rest of which still follows
 *   either to BEGUN AGAIN      run_system, if cores that ran ahead turn out to depend on order (system_is_out_of_order)
 *   BEGUN AGAIN to either      run_system
 *   OVER to BEGUN AGAIN        session_run_alone, with one program, without warm-up and outputs
 *   to OVER                    run_piece, run_gpu_pieces: end, fault, limit, session_show_progress (stop, interrupt)
 *   any to closed              session_close */
#include "replay/session/session.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/beat.h"
#include "base/host_facts.h"
#include "base/input_file.h"
#include "memsys/gpu/gpu_channel.h"
#include "memsys/vm/vm_params.h"
#include "replay/config/command_device.h"
#include "replay/config/config_values.h"
#include "replay/metrics/metrics.h"
#include "replay/session/fit.h"
#include "replay/session/gpu_alone_stats.h"
#include "replay/session/session_engine.h"
#include "replay/session/warm_walks.h"
#include "replay/source/source.h"
#include "replay/system/system_core.h"
#include "replay/system/system_modules.h"
#include "replay/warm/warm_system.h"

/* Between two looks at the clock. An event of a GPU is a cycle of all its SMs. */
enum { EVENTS_A_PIECE = 200000, EVENTS_A_PIECE_GPU = 2000 };

struct session {
    struct session_request request;
    const struct system_config *config;
    struct workload *workload;
    struct system_traces sources[CONFIG_MAX_CORES];
    const struct source *cores;          /* traces of cores; NULL: none */
    void *run;                           /* of these, open; NULL: the cores are idle */
    struct vm_memory *spaces;            /* where their pages lie; NULL: addresses are physical */
    struct gpu_list list;
    bool has_list;
    struct system_gpu gpu;
    struct system *system;
    struct gpu_run *gpu_alone;           /* with a memory of its own, in place of a system */
    struct command_device gpu_device;    /* of that memory, if it works command by command */
    struct sampling sampling;
    const struct session_outputs *outputs;
    uint64_t next_interval_ps;
    uint64_t changes_before;             /* of files, when the session was opened */
    bool is_gpu_away;                    /* while cores run alone */
    bool must_run_in_order;              /* events, as in one queue */
    bool is_warm, was_block_written;
    bool ended_first;                    /* a first pass, of programs that start again */
    char note[ENGINE_NOTE_BYTES];
    struct session_result result;
};

/* ---- the replayed workload */
static bool is_gpu_alone(const struct session *session)
{
    return workload_kernels(session->workload) && config_gpu_owns_memory(session->config);
}

/* ---- traces */
static struct fault open_list(struct session *session)
{
    const struct workload *const workload = session->workload;

    if (!workload_kernels(workload))
        return fault_none();
    FORWARD(workload_open_list(workload, &session->request.limits.kernels, &session->list, &session->request.warn));
    session->has_list = true;
    if (workload_cores(workload) && !session->cores)
        warn_of(&session->request.warn, "%.200s: %s has no cores for the threads of CPUs that are in it, too; only the "
                "kernels run", session->list.path, config_name(session->config));
    session->gpu.source = gpu_source_of_list(&session->list);
    session->gpu.options.pc_counts = session->request.counts_pcs;
    gpu_pick_apply(&session->request.limits.kernels, &session->gpu.options);
    return fault_none();
}

/* A run that stops early uses a store but does not wait for one. One core replays while its store is being made;
 * several wait, as they may share it. */
static void find_stores(struct session *session)
{
    const struct session_request *const request = &session->request;
    bool const runs_to_end = request->limits.max_records == 0 && request->limits.until_ps == TICK_NEVER - 1;
    bool const reads_once = session->cores && session->cores->reads_once
                            && session->cores->reads_once(session->workload, session->config)
                            && !request->runs_alone && !request->limits.restarts;
    struct workload_stores const stores = {
        .folder = request->store_folder,
        .how = !runs_to_end ? WORKLOAD_STORES_FIND : reads_once ? WORKLOAD_STORES_WHILE_READING : WORKLOAD_STORES_MAKE,
        .verifies = request->verifies_stores, .before_packing = request->before_packing, .warn = &request->warn
    };

    workload_find_stores(session->workload, &stores);
}

static void close_traces(struct session *session)
{
    if (session->run)
        session->cores->close_run(session->run);
    session->run = NULL;
    vm_memory_free(session->spaces);
    session->spaces = NULL;
}

/* With more of them than cores, those that start again would never leave the others a core. */
static struct fault check_programs(const struct session *session)
{
    size_t const count = session->cores->programs(session->run);
    struct threads_program const first = session->cores->program(session->run, NULL, 0);

    if (session->request.runs_alone && count == 1 && first.thread_count > 1 && !session->has_list)
        return fault_make(FAULT_INPUT, "--alone runs each program by itself, but %.300s is one program, whose %zu "
                          "threads start each other; leave it out, or give several programs", first.path,
                          first.thread_count);
    if (!session->request.limits.restarts || count <= config_core_count(session->config))
        return fault_none();
    return fault_make(FAULT_INPUT, "--restart: %s has %u core%s, but %zu programs were given; give as many at most",
                      config_name(session->config), config_core_count(session->config),
                      config_core_count(session->config) == 1 ? "" : "s", count);
}

static struct fault open_traces(struct session *session, const struct threads_pick *pick)
{
    const struct source *const cores = session->cores;
    struct source_setup setup = {
        .config = session->config, .workload = session->workload, .tick_scale = session->request.limits.tick_scale,
        .listener = session->request.listener, .pick = *pick, .warn = &session->request.warn
    };
    struct fault fault = fault_none();

    close_traces(session);
    for (unsigned i = 0; i < config_core_count(session->config); i++)
        session->sources[i] = (struct system_traces){.is_idle = true};
    if (!cores)
        return fault_none();
    if (cores->needs_spaces && cores->needs_spaces(session->config)) {
        session->spaces = spaces_make(session->config, &fault);
        if (!session->spaces)
            return fault;
    }
    if (pick->only == THREADS_NONE)
        return fault_none();
    setup.spaces = session->spaces;
    session->run = cores->open(&setup, session->sources, &fault);
    return session->run ? check_programs(session) : fault;
}

/* ---- the system */
/* The engine, of which the fast paths that change the order of events have to stay off if must_run_in_order. */
static struct system_engine engine(const struct session *session)
{
    const struct session_request *const request = &session->request;
    const struct session_limits *const limits = &request->limits;
    struct engine_options options = request->profile ? engine_watched(request->engine) : request->engine;

    if (session->must_run_in_order)
        options.lookahead = options.domains = false;
    return engine_of(options, request->has_log, request->has_samples || request->has_commands || request->interval_ps
                     || limits->warmup_records || limits->max_records || limits->instructions
                     || limits->until_ps < TICK_NEVER - 1);
}

static void pass_ended(void *context, const struct system *system, unsigned core)
{
    struct session *const session = context;

    session->ended_first = true;
    if (session->outputs->pass_ended)
        session->outputs->pass_ended(session->outputs->context, system, core);
}

static struct fault make_system(struct session *session)
{
    struct system_engine const bound = engine(session);
    struct fault fault = fault_none();

    session->system = system_create(session->config, session->sources,
                                    session->has_list && !session->is_gpu_away ? &session->gpu : NULL, &bound, &fault);
    if (!session->system)
        return fault;
    if (session->run)
        FORWARD(session->cores->give(session->run, session->system));
    if (session->request.profile)
        FORWARD(profile_bind(session->request.profile, session->system));
    if (session->request.warm)
        FORWARD(warm_system(session->system, vm_memory_first_space(session->spaces), session->request.warm));
    if (session->request.has_stats || session->request.limits.warmup_records || session->request.limits.restarts
        || session->request.limits.instructions)
        FORWARD(system_add_stats(session->system));
    session->system->goes_on = session->request.limits.instructions > 0;
    session->system->pass_ended = pass_ended;
    session->system->pass_context = session;
    return fault_none();
}

static struct fault make_gpu_alone(struct session *session)
{
    if (config_has_commands(session->config, 0)) {
        FORWARD(command_device_make(&session->gpu_device, config_memory(session->config, 0), "memory"));
        engine_bind_commands(&session->gpu_device.config, &session->request.engine);
        session->gpu.options.commands = &session->gpu_device.config;
    }
    FORWARD(gpu_run_create(&session->gpu_alone, NULL, config_gpu(session->config), config_memory(session->config, 0),
                           NULL, &session->gpu.source, &session->gpu.options));
    FORWARD(engine_bind_gpu(session->gpu_alone, &session->request.engine));
    gpu_run_start(session->gpu_alone);
    return fault_none();
}

/* From the beginning. */
static struct fault begin_again(struct session *session, const struct threads_pick *pick)
{
    system_destroy(session->system);
    session->system = NULL;
    session->must_run_in_order = true;
    FORWARD(open_traces(session, pick));
    return make_system(session);
}

static void warn_of_pages(const struct session *session)
{
    struct space_counts counts = {0};

    if (session->spaces)
        counts = vm_memory_counts(session->spaces);
    if (counts.broken_huge_pages > 0)
        warn_of(&session->request.warn, "no whole 2 MiB of memory were left for %" PRIu64 " of %" PRIu64 " huge pages; "
                "they are pages of 4 KiB; more memory.size would do", counts.broken_huge_pages,
                counts.broken_huge_pages + counts.huge_pages);
}

static struct threads_pick everything(const struct session *session)
{
    struct threads_pick pick = threads_all();

    pick.restarts = session->request.limits.restarts;
    return pick;
}

static struct fault session_open_all(struct session *session)
{
    struct threads_pick const pick = everything(session);

    FORWARD(session_check_fit(&session->request));
    session->cores = source_of_cores(session->workload, session->config);
    workload_warn(session->workload, &session->request.warn);
    FORWARD(open_list(session));
    if (is_gpu_alone(session))
        return make_gpu_alone(session);
    find_stores(session);
    if (session->request.limits.warms_at_once)
        FORWARD(workload_begin_behind(session->workload, session->request.limits.warmup_records));
    FORWARD(open_traces(session, &pick));
    warn_of_pages(session);
    FORWARD(make_system(session));
    if (!engine_note(&session->system->engine, session->note))
        *session->note = '\0';
    return fault_none();
}

struct fault session_open(struct session **made, const struct session_request *request)
{
    struct session *const session = calloc(1, sizeof *session);
    struct fault fault;

    *made = NULL;
    beat();
    if (!session)
        return fault_make(FAULT_MEMORY, "out of memory");
    session->request = *request;
    session->config = request->config;
    session->workload = request->workload;
    session->changes_before = input_file_changes();
    fault = session_open_all(session);
    if (fault.kind == FAULT_NONE)
        *made = session;
    else
        session_close(session);
    return fault;
}

void session_close(struct session *session)
{
    if (!session)
        return;
    system_destroy(session->system);
    if (session->gpu_alone)
        gpu_run_destroy(session->gpu_alone);
    command_device_free(&session->gpu_device);
    sampling_free(&session->sampling);
    close_traces(session);
    if (session->request.limits.warms_at_once)
        workload_begin_behind(session->workload, 0);
    if (session->has_list)
        gpu_list_close(&session->list);
    free(session);
}

struct warm_system *session_warm(struct session *session, const char *trace, const char *format, struct fault *fault)
{
    return warm_system_begin(session->system, vm_memory_first_space(session->spaces), trace, format, fault);
}

void session_limit(struct session *session, const struct session_limits *limits)
{
    session->request.limits = *limits;
}

/* ---- progress */
static double kernels_done(const struct gpu_run *run)
{
    size_t done = 0;

    for (size_t i = 0; i < run->kernel_count; i++)
        done += run->kernels[i].is_done;
    return run->kernel_count ? (double)done / (double)run->kernel_count : 0;
}

static bool is_interrupted(void *context)
{
    struct session *const session = context;
    const struct session_outputs *const outputs = session->outputs;

    session->result.is_interrupted = outputs->is_interrupted && outputs->is_interrupted(outputs->context);
    return session->result.is_interrupted;
}

/* True: the run ends now. */
static bool session_show_progress(struct session *session, uint64_t now_ps)
{
    const struct session_outputs *const outputs = session->outputs;
    struct session_progress progress = {.now_ps = now_ps, .is_of_warps = !session->cores};

    session->result.is_stopped = sampling_is_stopped(&session->sampling);
    if (session->result.is_stopped || is_interrupted(session))
        return true;
    if (!outputs->progress)
        return false;
    progress.work = progress.is_of_warps ? gpu_run_warp_insts(session_gpu(session))
                                         : session->system->records_completed;
    progress.part = session->run ? session->cores->position(session->run, session->system)
                                 : kernels_done(session_gpu(session));
    session->result.is_stopped = outputs->progress(outputs->context, &progress);
    return session->result.is_stopped;
}

/* ---- a system */
static void session_write_block(struct session *session)
{
    const struct session_outputs *const outputs = session->outputs;

    system_sync(session->system);
    if (outputs->block)
        outputs->block(outputs->context, &session->system->stats, system_now_ps(session->system));
}

/* A limit of records, or of a core, was reached. False: the run is over. */
static bool take_reached(struct session *session, bool is_of_warmup)
{
    struct system *const system = session->system;

    if (!system->records_reached)
        return true;
    if (!is_of_warmup || session->ended_first)
        return false;
    system_reset_stats(system);
    sampling_restarted(&session->sampling, system_now_ps(system));
    session->is_warm = true;
    if (session->request.limits.instructions)
        system_count_from_now(session->system, session->system->core_count > 1);
    return true;
}

/* Runs to the next point at which something is due; false when the run is over or has failed. */
static bool run_piece(struct session *session, enum system_state *state)
{
    const struct session_limits *const limits = &session->request.limits;
    struct system *const system = session->system;
    uint64_t const due_ps = min_u64(session->next_interval_ps, sampling_due(&session->sampling));
    bool const warms_up = limits->warmup_records && !session->is_warm;
    uint64_t const last = limits->instructions ? limits->instructions : limits->max_records;
    bool const ends_warming = limits->max_records && limits->max_records <= limits->warmup_records;
    uint64_t const at_records = warms_up && !ends_warming ? limits->warmup_records : last;

    *state = system_run_piece(system, min_u64(limits->until_ps, due_ps),
                              system->gpu ? EVENTS_A_PIECE_GPU : EVENTS_A_PIECE, at_records,
                              sampling_poll(&session->sampling));
    session->was_block_written = false;
    beat();
    if (*state != SYSTEM_RUNNING)
        return false;
    if (system->records_reached || system->has_own_end)      /* in the midst of a tick, the rest of which comes first */
        return take_reached(session, warms_up && !ends_warming);
    sampling_look(&session->sampling, system_now_ps(system), event_queue_next_ps(&system->sim.events));
    if (session_show_progress(session, system_now_ps(system)))
        return false;
    if (system_now_ps(system) >= session->next_interval_ps) {
        /* statistics begin after the warm-up */
        session->was_block_written = !limits->warmup_records || session->is_warm;
        if (session->was_block_written)
            session_write_block(session);
        session->next_interval_ps += session->request.interval_ps;
    }
    /* a piece may have ended in the midst of that tick */
    return system_now_ps(system) < limits->until_ps || event_queue_next_ps(&system->sim.events) <= limits->until_ps;
}

/* Warns of conditions that the run survived, unlike the reference. */
static void warn_of_notices(const struct session *session)
{
    static const char *const texts[NOTICE_COUNT] = {
        [NOTICE_GRAPH_DRAINED] = "all records were complete before the end of the data trace was seen; gem5 would hang "
                                 "here, the replay read on",
        [NOTICE_SHORT_TRACE] = "the data trace has fewer records than two windows; gem5 would stop here, the replay "
                               "went on",
        [NOTICE_REFRESH_RESUMED] = "a DRAM rank waited for a refresh that nothing would have started; gem5 would hang "
                                   "here, the replay resumed it"};
    const uint64_t *const notices = session->system->sim.notices;

    for (int notice = 0; notice < NOTICE_COUNT; notice++)
        if (notices[notice])
            warn_of(&session->request.warn, "%s (%" PRIu64 " time%s)", texts[notice], notices[notice],
                    notices[notice] == 1 ? "" : "s");
}

static void warn_of_run(const struct session *session)
{
    const struct warn_sink *const warn = &session->request.warn;
    const struct gpu_run *const gpu = session_gpu(session);
    const char *text;

    if (session->run && session->cores->warn_run)
        session->cores->warn_run(session->run, warn);
    for (size_t i = 0; session->run && session->cores->warning
         && (text = session->cores->warning(session->run, i)) != NULL; i++)
        warn_of_line(warn, text);
    for (size_t i = 0; gpu && i < gpu->warning_count; i++)
        warn_of_line(warn, gpu->warnings[i]);
    if (session->system) {
        warn_of_notices(session);
        if (!session->result.is_interrupted)
            warm_walks_warn_of_short(session->system, session->request.limits.instructions, warn);
    }
}

static enum system_state run_pieces(struct session *session)
{
    uint64_t const interval_ps = session->request.interval_ps;
    enum system_state state;

    session->next_interval_ps = interval_ps ? interval_ps : TICK_NEVER - 1;
    while (run_piece(session, &state)) {
    }
    if (session->result.is_interrupted)
        state = system_come_to_rest(session->system);
    session->result.is_interrupted &= state == SYSTEM_RUNNING;
    session->system->sim.is_interrupted = session->result.is_interrupted;
    return state;
}

/* Of the core that is furthest behind. */
static uint64_t least_work(const struct system *system)
{
    uint64_t fewest = UINT64_MAX;

    for (unsigned i = 0; i < system->core_count; i++)
        if (!system->cores[i].is_idle)
            fewest = min_u64(fewest, core_work(&system->cores[i]));
    return fewest;
}

/* Figures of a run that was to be warm first, and never was, would be those of the warm-up. */
static struct fault check_warm(const struct session *session)
{
    uint64_t const wanted = session->request.limits.warmup_records;
    const struct system *const system = session->system;

    if (!wanted || session->is_warm)
        return fault_none();
    if (session->ended_first)
        return fault_make(FAULT_INPUT, "warmup: a program ended before all had completed %" PRIu64 " %s, so that it "
                          "has no pass to count; give fewer, or leave out --restart", wanted,
                          config_is_detailed(session->config) ? "instructions" : "records");
    return fault_make(FAULT_INPUT, "warmup: %" PRIu64 " %s, but the run ended at tick %" PRIu64 " when a core had "
                      "completed %" PRIu64 "; give fewer, or a later end", wanted,
                      config_is_detailed(session->config) ? "instructions" : "records", system_now_ps(system),
                      least_work(system));
}

static struct fault begin_counting(struct session *session)
{
    struct session_limits const *const limits = &session->request.limits;
    struct warm_walks const walks = {
        .system = session->system, .workload = session->workload, .run = session->run, .spaces = session->spaces,
        .instructions = limits->warmup_records, .is_interrupted = is_interrupted,
        .context = session};

    if (limits->warmup_records)
        system_modules_warm_up(session->system);
    if (limits->warms_at_once)
        FORWARD(warm_walks_do(&walks, &session->result.warm_s, &session->result.is_unwarmed));
    session->is_warm = limits->warms_at_once && !session->result.is_unwarmed;
    if (limits->instructions && (session->is_warm || !limits->warmup_records))
        system_count_from_now(session->system, session->system->core_count > 1);
    return fault_none();
}

static struct fault run_system(struct session *session)
{
    enum system_state state;
    double start_s;

    session->system->sim.log = session->outputs->log;
    FORWARD(begin_counting(session));
    if (session->result.is_unwarmed)
        return fault_none();
    FORWARD(sampling_begin_system(&session->sampling, session->outputs->samples, &session->request.warn,
                                    session->system));
    start_s = host_clock_s();
    state = run_pieces(session);
    /* cores are not separate after all, or a fault has to be found in its place */
    if (state == SYSTEM_FAILED && system_is_out_of_order(session->system)) {
        struct threads_pick const pick = everything(session);

        FORWARD(begin_again(session, &pick));
        start_s = host_clock_s();
        state = run_pieces(session);
    }
    session->result.host_s = host_clock_s() - start_s;
    if (session->result.is_stopped)
        return fault_none();
    warn_of_run(session);
    if (state == SYSTEM_FAILED)
        return session->system->fault;
    session->result.end_ps = system_now_ps(session->system);
    if (session->result.is_interrupted && session->request.limits.warmup_records && !session->is_warm) {
        session->result.is_unwarmed = true;
        session->result.work = least_work(session->system);
        return fault_none();
    }
    FORWARD(check_warm(session));
    system_modules_end(session->system);
    if (!session->was_block_written)
        session_write_block(session);
    session->result.is_cut_short = state == SYSTEM_RUNNING;
    return fault_none();
}

/* ---- a GPU alone */
static enum gpu_run_state run_gpu_pieces(struct session *session)
{
    struct gpu_run *const run = session->gpu_alone;
    uint64_t const until_ps = session->request.limits.until_ps;

    for (;;) {
        uint64_t const due_ps = min_u64(until_ps, sampling_due(&session->sampling));
        enum gpu_run_state const state = gpu_run_step(run, due_ps, sampling_gpu_piece(&session->sampling,
                                                                                      EVENTS_A_PIECE_GPU));
        uint64_t const next_ps = event_queue_next_ps(&run->sim->events);

        if (state != GPU_RUN_RUNNING || next_ps > until_ps)
            return state;
        sampling_look(&session->sampling, next_ps > due_ps ? due_ps : run->sim->events.now_ps, next_ps);
        if (session_show_progress(session, run->sim->events.now_ps))
            return gpu_run_step(run, run->sim->events.now_ps, UINT64_MAX);
    }
}

static struct fault run_gpu_alone(struct session *session)
{
    struct gpu_run *const run = session->gpu_alone;
    enum gpu_run_state state;
    double start_s;

    FORWARD(sampling_begin_gpu(&session->sampling, session->outputs->samples, &session->request.warn,
                                 config_name(session->config), run));
    start_s = host_clock_s();
    state = run_gpu_pieces(session);
    session->result.host_s = host_clock_s() - start_s;
    if (session->result.is_stopped)
        return fault_none();
    warn_of_run(session);
    if (state == GPU_RUN_FAILED)
        return run->fault;
    session->result.is_interrupted &= state == GPU_RUN_RUNNING;
    run->sim->is_interrupted = session->result.is_interrupted;
    session->result.is_cut_short = state == GPU_RUN_RUNNING;
    session->result.end_ps = session->result.is_interrupted ? run->sim->events.now_ps
                             : session->result.is_cut_short ? session->request.limits.until_ps : run->done_ps;
    return gpu_run_settle(run, session->result.end_ps) == GPU_RUN_FAILED ? run->fault : fault_none();
}

/* ---- DRAM commands */
static void watch_gpu_commands(struct session *session, struct gpu_controller *own)
{
    if (!own->commands)
        mem_ctrl_watch(&own->ctrl, session->outputs->commands);
    for (uint32_t i = 0; i < own->command_count; i++)
        cmd_ctrl_watch(&own->commands[i].ctrl, session->outputs->device_commands);
}

static void watch_commands(struct session *session)
{
    const struct dram_command_sink *const sink = session->outputs->commands;
    const struct gpu_run *const gpu = session_gpu(session);
    const struct gpu_channels *const of_gpu = gpu ? gpu_memory_channels(gpu->memory) : NULL;

    for (unsigned i = 0; session->system && i < session->system->memory_count; i++)
        if (!session->system->memories[i].is_simple && !session->system->memories[i].is_command)
            mem_ctrl_watch(&session->system->memories[i].controller, sink);
    for (unsigned i = 0; session->system && i < session->system->memory_count; i++)
        if (session->system->memories[i].is_command)
            cmd_ctrl_watch(&session->system->memories[i].command, session->outputs->device_commands);
    for (uint32_t i = 0; of_gpu && i < of_gpu->count; i++)
        if (of_gpu->channels[i].own)
            watch_gpu_commands(session, of_gpu->channels[i].own);
}

/* ---- the run */
const char *session_note(const struct session *session)
{
    return *session->note ? session->note : NULL;
}

/* A run of which nothing came is none. */
static struct fault check_replayed(const struct session *session)
{
    struct insn_threads_figures figures;

    if (session->result.is_cut_short || !session_insn_figures(session, &figures) || figures.replayed > 0
        || figures.accesses == 0)
        return fault_none();
    return fault_make(FAULT_INPUT, "%s: none of its %" PRIu64 " accesses was replayed; this is a defect, please report "
                      "it with the trace", session->cores->first(session->workload), figures.accesses);
}

struct fault session_run(struct session *session, const struct session_outputs *outputs)
{
    static const struct session_outputs none;
    struct fault fault;

    session->outputs = outputs ? outputs : &none;
    session->result = (struct session_result){.recording = fault_none()};
    if (session->outputs->commands)
        watch_commands(session);
    fault = session->system ? run_system(session) : run_gpu_alone(session);
    /* after a change of the files, report the change, not the errors it led to */
    if (!session->request.checks_itself)
        FORWARD(input_file_check(session->changes_before));
    FORWARD(fault);
    if (session->result.is_stopped)
        return fault_none();
    session->result.recording = sampling_end(&session->sampling, session->result.end_ps);
    if (session->result.is_interrupted)
        return fault_none(); /* a store that is still being made is not waited for */
    workload_finish_stores(session->workload, &session->request.warn);
    return check_replayed(session);
}

const struct session_result *session_result(const struct session *session)
{
    return &session->result;
}

const struct system *session_system(const struct session *session)
{
    return session->system;
}

const struct gpu_run *session_gpu(const struct session *session)
{
    return session->system ? session->system->gpu : session->gpu_alone;
}

struct named_visitor {
    void (*visit)(void *context, const char *name, double value);
    void *context;
};

static void visit_leaf(void *context, const struct stat_leaf *leaf)
{
    struct named_visitor const *const visitor = context;

    visitor->visit(visitor->context, leaf->name, leaf->value);
}

static bool is_needed(const void *needs, const char *name)
{
    return metrics_need(needs, name);
}

struct fault session_visit_stats(struct session *session, const struct metrics_needs *needs,
                                 void (*visit)(void *context, const char *name, double value), void *context)
{
    struct system *const system = session->system;
    struct named_visitor visitor = {visit, context};

    if (!system)
        return gpu_alone_stats_visit(session->gpu_alone, session->config, session->result.end_ps, visit, context);
    if (!system->stats.frozen)
        FORWARD(system_add_stats(system));
    if (needs)
        stats_visit_wanted(&system->stats, system_now_ps(system), is_needed, needs, visit_leaf, &visitor);
    else
        stats_visit(&system->stats, system_now_ps(system), STATS_SHOWN_AND_OURS, visit_leaf, &visitor);
    return fault_none();
}

bool session_insn_figures(const struct session *session, struct insn_threads_figures *figures)
{
    bool const has_figures = session->run && session->cores->figures;

    if (has_figures)
        *figures = session->cores->figures(session->run);
    return has_figures;
}

bool session_window_counts(const struct session *session, unsigned core, struct window_counts *counts)
{
    return session->run && session->cores->window_counts && session->cores->window_counts(session->run, core, counts);
}

/* ---- programs */
static size_t core_programs(const struct session *session)
{
    return session->run ? session->cores->programs(session->run) : 0;
}

size_t session_programs(const struct session *session)
{
    return core_programs(session) + (session->system && session_gpu(session));
}

struct session_program session_program(const struct session *session, size_t i)
{
    struct session_program program = {.is_gpu = i == core_programs(session), .core = (unsigned)i,
                                      .done_ps = TICK_NEVER};

    if (program.is_gpu) {
        program.done_ps = session->system->gpu_running ? TICK_NEVER : session->system->gpu->done_ps;
    } else {
        struct threads_program const of_cores = session->cores->program(session->run, session->system, i);

        program.path = of_cores.path;
        program.core = of_cores.core;
        program.done_ps = of_cores.done_ps;
    }
    return program;
}

struct fault session_run_alone(struct session *session, size_t number, const struct session_program *program,
                               uint64_t *alone_ps)
{
    struct threads_pick const pick = {.only = program->is_gpu ? THREADS_NONE : number, .only_core = program->core};
    enum system_state state;

    session->is_gpu_away = !program->is_gpu;
    FORWARD(begin_again(session, &pick));
    do {
        beat();
        state = system_run(session->system, TICK_NEVER - 1, EVENTS_A_PIECE, 0);
    } while (state == SYSTEM_RUNNING && !is_interrupted(session));
    FORWARD(input_file_check(session->changes_before));
    if (state == SYSTEM_FAILED)
        return session->system->fault;
    *alone_ps = program->is_gpu ? session->system->gpu->done_ps : session_program(session, number).done_ps;
    return fault_none();
}
