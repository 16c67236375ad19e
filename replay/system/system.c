/* Modelled: the end of a run (elastic-trace 2.14), and the detection of stalls. Components are made and connected in
 * system_build.c.
 *
 * Stall detection: refresh keeps the event queue busy for ever, so an empty queue is no criterion. Each core counts
 * its own activity; a core that waits, and to which nothing happened during CHECK_EVENTS events, is stuck: no latency
 * that a configuration can have spans that many events. The run ends if that core, or all of them, are needed for its
 * end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay/config/config.h"
#include "replay/config/system_config.h"
#include "replay/system/system_core.h"
#include "replay/system/system_modules.h"
#include "replay/system/system_energy.h"
#include "replay/system/system_stats.h"

#define CHECK_EVENTS 10000000

static void stop(void *owner)
{
    struct system *const system = owner;

    system->finished = true;
    event_queue_stop(&system->sim.events);
}

static size_t threads_left(const struct system *system)
{
    return system->threads.self ? system->threads.left(system->threads.self) : 0;
}

/* Ends the run if cores, threads and GPU are all done: in this tick, or when the GPU's last cycle is over. */
static void end_if_done(struct system *system)
{
    bool const all_done = system->cores_running == 0 && !system->gpu_running && threads_left(system) == 0
                          && !(system->goes_on && system->threads.restarts);
    uint64_t last_ps = max_u64(system_now_ps(system), system->gpu ? system->gpu->done_ps : 0);

    for (unsigned i = 0; all_done && system_is_out_of_order(system) && i < system->core_count; i++)
        last_ps = max_u64(last_ps, system->cores[i].done_ps);
    if (all_done && !system->exit_event.scheduled)
        event_schedule_exit(&system->sim.events, &system->exit_event, last_ps);
}

static void gpu_finished(void *context)
{
    struct system *const system = context;

    system->gpu_running = false;
    end_if_done(system);
}

/* ---- threads */

static void threads_due(void *context)
{
    struct system *const system = context;

    if (!system->thread_event.scheduled)
        event_schedule(&system->sim.events, &system->thread_event,
                       clock_edge_ps(system_now_ps(system), system->config->cpu_clock_ps, 0));
}

static bool has_no_work(const struct system_core *core)
{
    return core->is_idle || (core->takes_threads && !core->has_thread);
}

static void start_thread(struct system *system, struct system_core *core, const struct system_thread *thread)
{
    struct log_sink const *const log = &system->sim.log;
    struct fault fault;

    core->has_thread = true;
    core->is_again = thread->is_again;
    core->passes_begun++;
    if (!core->is_again) {
        core->done_ps = TICK_NEVER;
        system->cores_running++;
    }
    if (log->line)
        log->line(log->context, system_now_ps(system), core->name, "start", "thread", thread->pc, thread->what);
    core_take(core, thread);
    fault = core_start(core);
    if (fault.kind == FAULT_NONE)
        return;
    if (core_fault(core)->kind == FAULT_NONE)
        core->fault = fault;
    event_queue_stop(&system->sim.events);
}

/* Is it a statistic of a core or its private components? */
static bool is_of_core(const void *context, const char *our_name)
{
    const struct system_core *const core = context;
    const struct system *const system = core->system;
    size_t const name = strlen(core->name);

    if (strncmp(our_name, "system.", 7) != 0)
        return false;
    our_name += 7;
    if (strncmp(our_name, core->name, name) == 0 && our_name[name] == '.')
        return true;
    for (unsigned i = 0; i < system->cache_count; i++) {
        const struct system_cache *const cache = &system->caches[i];
        size_t const length = strlen(cache->our_name);

        if (cache->is_private && &system->cores[cache->instance] == core
            && strncmp(our_name, cache->our_name, length) == 0 && our_name[length] == '.')
            return true;
    }
    return false;
}

/* The end of a first pass, or its own end: the core's figures are kept. */
static void keep_figures(struct system *system, struct system_core *core)
{
    if (core->mmu)
        mmu_sync(core->mmu);
    if (!stats_keep(&system->stats, system_now_ps(system), is_of_core, core)
        || !total_stats_keep(system, (unsigned)(core - system->cores))) {
        core->fault = fault_make(FAULT_MEMORY, "out of memory for the statistics of %s", core->name);
        event_queue_stop(&system->sim.events);
    }
    if (system->pass_ended)
        system->pass_ended(system->pass_context, system, (unsigned)(core - system->cores));
}

/* Cores whose thread has ended give it back; then cores without one take one, while there are any. */
static void give_threads(void *owner)
{
    struct system *const system = owner;
    struct system_threads const *const threads = &system->threads;

    if (threads->restarts && system->exit_event.scheduled)
        return;
    for (unsigned i = 0; i < system->core_count; i++) {
        struct system_core *const core = &system->cores[i];

        if (!core->has_thread || !core_is_done(core))
            continue;
        core_sync(core, true);
        if (threads->restarts && !core->is_again && !system->goes_on)
            keep_figures(system, core);
        core->has_thread = false;
        threads->ended(threads->self, i, core->done_ps);
    }
    for (unsigned i = 0; i < system->core_count; i++) {
        struct system_core *const core = &system->cores[i];
        struct system_thread thread;
        bool is_taken = false;

        if (!core->takes_threads || core->has_thread || core->is_idle)
            continue;
        if (FAILS(core->fault, threads->take(threads->self, i, &thread, &is_taken))) {
            event_queue_stop(&system->sim.events);
            return;
        }
        if (is_taken)
            start_thread(system, core, &thread);
    }
}

struct fault system_set_threads(struct system *system, const struct system_threads *threads)
{
    event_init(&system->thread_event, give_threads, system, EVENT_DEFAULT);
    FORWARD(event_queue_reserve(&system->sim.events, 1));
    system->threads = *threads;
    threads->listen(threads->self, threads_due, system);
    return fault_none();
}

/* ---- the run */

static void core_finished(struct system_core *core)
{
    struct system *const system = core->system;
    struct sim *const sim = core->detailed ? &system->sim : core->cpu.sim;

    if (!core->is_again) {
        core->done_ps = sim_now_ps(sim);
        system->cores_running--;
    }
    if (system_is_out_of_order(system))
        event_queue_pause(&sim->events);
    if (system->threads.self)
        threads_due(system);
    if (system->config->exit_first_core && !system->exit_event.scheduled)
        event_schedule_exit(&system->sim.events, &system->exit_event, system_now_ps(system));
    end_if_done(system);
}

/* The slowest core decides: all have come so far. */
static void records_reached(struct system_core *core)
{
    struct system *const system = core->system;

    if (system->keeps_ends && !core->is_kept) {
        core->has_come = system->has_own_end = true;
        event_queue_pause(&system->sim.events);
    }
    system->records_reached = true;
    for (unsigned i = 0; i < system->core_count; i++) {
        struct system_core const *const other = &system->cores[i];

        if (!has_no_work(other) && core_work(other) < other->notify_at && !core_is_done(other))
            system->records_reached = false;
    }
    if (system->records_reached)
        event_queue_pause(&system->sim.events);
}

struct system *system_create(const struct system_config *config, const struct system_traces *traces,
                             const struct system_gpu *gpu, const struct system_engine *engine, struct fault *fault)
{
    struct system *const system = calloc(1, sizeof *system);

    if (!system) {
        *fault = fault_make(FAULT_MEMORY, "out of memory for a system");
        return NULL;
    }
    system->config = config_new();
    if (!system->config) {
        free(system);
        *fault = fault_make(FAULT_MEMORY, "out of memory for a system");
        return NULL;
    }
    *system->config = *config;
    if (engine)
        system->engine = *engine;
    *fault = system_build(system, traces, gpu, gpu_finished);
    if (fault->kind != FAULT_NONE) {
        system_destroy(system);
        return NULL;
    }
    event_init(&system->exit_event, stop, system, EVENT_EXIT);
    *fault = event_queue_reserve(&system->sim.events, 1);
    if (fault->kind != FAULT_NONE) {
        system_destroy(system);
        return NULL;
    }
    for (unsigned i = 0; i < system->core_count; i++) {
        struct system_core *const core = &system->cores[i];

        core->done_ps = TICK_NEVER;
        system->cores_running += !has_no_work(core);
        core_listen(core, core_finished, records_reached);
    }
    return system;
}

void system_destroy(struct system *system)
{
    if (!system)
        return;
    if (system->gpu)
        gpu_run_destroy(system->gpu);
    for (unsigned i = 0; system->cores && i < system->core_count; i++)
        core_free(&system->cores[i]);
    for (unsigned i = 0; i < system->cache_count; i++)
        cache_free(&system->caches[i].cache);
    for (unsigned i = 0; i < system->bus_count; i++)
        noc_free(system->buses[i].noc);
    for (unsigned i = 0; i < system->memory_count; i++) {
        if (system->memories[i].params && system->memories[i].params->link == MEMORY_LINK_CXL)
            cxl_link_free(&system->memories[i].link);
        if (system->memories[i].is_simple)
            simple_memory_free(&system->memories[i].simple);
        else if (system->memories[i].is_command)
            cmd_ctrl_free(&system->memories[i].command);
        else
            mem_ctrl_free(&system->memories[i].controller);
    }
    system_modules_free(system);
    vm_memory_free(system->vm);
    free(system->cores);
    free(system->caches);
    free(system->buses);
    free(system->memories);
    for (unsigned i = 0; i < CONFIG_MAX_MEMORIES; i++)
        command_device_free(&system->command_devices[i]);
    stats_free(&system->stats);
    total_stats_free(system);
    system_energy_free(system);
    if (system->hooks)
        system->hooks->free(system);
    sim_free(&system->sim);
    free(system->config);
    free(system);
}

static struct fault fault_of_cores(const struct system *system)
{
    for (unsigned i = 0; i < system->core_count; i++)
        if (core_fault(&system->cores[i])->kind != FAULT_NONE)
            return *core_fault(&system->cores[i]);
    return fault_none();
}

void system_start_memory(struct system_memory *memory)
{
    if (memory->is_command)
        cmd_ctrl_startup(&memory->command);
    else if (!memory->is_simple)
        mem_ctrl_startup(&memory->controller);
}

/* Cores first, then memories: the order of equal ticks (classic-memory 1.4). A GPU follows. */
static struct fault system_start(struct system *system)
{
    if (system->hooks && system->hooks->start)
        return system->hooks->start(system);
    for (unsigned i = 0; i < system->core_count; i++)
        if (!has_no_work(&system->cores[i]))
            FORWARD(core_start(&system->cores[i]));
    if (system->threads.self)
        give_threads(system);
    FORWARD(fault_of_cores(system));
    for (unsigned i = 0; i < system->memory_count; i++)
        system_start_memory(&system->memories[i]);
    if (system->gpu)
        gpu_run_start(system->gpu);
    return fault_none();
}

static bool describe_memory(const struct system_memory *memory, uint64_t address, char *text, size_t size)
{
    if (memory->has_link && cxl_link_describe(&memory->link, address, text, size))
        return true;
    if (memory->is_simple)
        return simple_memory_describe(&memory->simple, address, text, size);
    if (memory->is_command)
        return cmd_ctrl_describe(&memory->command, address, text, size);
    return mem_ctrl_describe(&memory->controller, address, text, size);
}

/* Names the stuck request and its place in each component on its way. */
static struct fault stalled(const struct system *system, const struct system_core *core)
{
    char text[480], part[200];
    uint64_t address = 0;
    size_t length;
    bool const has_address = core_stuck_address(core, &address);

    core_describe(core, part, sizeof part);
    snprintf(text, sizeof text, "the replay is stuck at tick %llu: %s", (unsigned long long)system_now_ps(system),
             part);
    if (has_address && core->mmu && mmu_describe(core->mmu, address, part, sizeof part)) {
        length = strlen(text);
        snprintf(text + length, sizeof text - length, "; %s", part);
    }
    for (unsigned i = 0; has_address && i < system->cache_count; i++) {
        length = strlen(text);
        if (cache_describe(&system->caches[i].cache, address, part, sizeof part))
            snprintf(text + length, sizeof text - length, "; %s", part);
    }
    for (unsigned i = 0; has_address && i < system->memory_count; i++) {
        length = strlen(text);
        if (describe_memory(&system->memories[i], address, part, sizeof part))
            snprintf(text + length, sizeof text - length, "; %s", part);
    }
    return fault_make(FAULT_STALL, "%s", text);
}

uint64_t system_events_executed(const struct system *system)
{
    if (system->hooks && system->hooks->events_executed)
        return system->hooks->events_executed(system);
    return event_queue_executed(&system->sim.events);
}

static bool has_events(const struct system *system)
{
    if (system->hooks && system->hooks->has_events)
        return system->hooks->has_events(system);
    return event_queue_count(&system->sim.events) > 0;
}

static bool system_is_current(const struct system *system, unsigned core)
{
    return !system->hooks || !system->hooks->is_current || system->hooks->is_current(system, core);
}

/* A core that the run has to wait for, and that makes no progress; NULL without one. */
static const struct system_core *find_stuck(struct system *system)
{
    bool const out_of_events = !has_events(system);
    const struct system_core *stuck = NULL;
    unsigned stuck_count = 0, running = 0;

    if (!out_of_events && system_events_executed(system) - system->checked_events < CHECK_EVENTS)
        return NULL;
    system->checked_events = system_events_executed(system);
    for (unsigned i = 0; i < system->core_count; i++) {
        struct system_core *const core = &system->cores[i];

        if (has_no_work(core) || !system_is_current(system, i))
            continue;
        running++;
        if (core_is_waiting(core) && (out_of_events || core_activity(core) == core->checked_activity)) {
            stuck = core;
            stuck_count++;
        }
        core->checked_activity = core_activity(core);
    }
    return stuck_count == running || !system->config->exit_first_core ? stuck : NULL;
}

static enum system_state system_fail(struct system *system, struct fault fault)
{
    system->fault = fault;
    return SYSTEM_FAILED;
}

static void settle_memory(struct system_memory *memory)
{
    if (memory->is_command)
        cmd_ctrl_settle_stats(&memory->command);
    else if (!memory->is_simple)
        mem_ctrl_settle_stats(&memory->controller);
}

/* Brings statistics that depend on time up to the present, if all parts have a common one. */
static void sync_all(struct system *system, bool is_whole)
{
    bool const has_present = !system_has_own_ticks(system) || system->finished || system->rests;

    system->records_completed = 0;
    for (unsigned i = 0; i < system->core_count; i++) {
        if (has_present && system->cores[i].mmu)
            mmu_sync(system->cores[i].mmu);
        if (has_present && (!system->cores[i].takes_threads || system->cores[i].has_thread))
            core_sync(&system->cores[i], is_whole);
        system->records_completed += core_work(&system->cores[i]);
    }
    for (unsigned i = 0; has_present && i < system->memory_count; i++)
        settle_memory(&system->memories[i]);
}

void system_sync(struct system *system)
{
    sync_all(system, true);
}

/* The state of a run after events were executed. */
static enum system_state state_after(struct system *system, uint64_t until_ps)
{
    struct event_queue *const events = &system->sim.events;
    const struct system_core *stuck;
    struct fault fault = fault_of_cores(system);

    if (fault.kind != FAULT_NONE)
        return system_fail(system, fault);
    if (system->gpu && gpu_run_check(system->gpu) == GPU_RUN_FAILED)
        return system_fail(system, system->gpu->fault);
    if (system->hooks && system->hooks->check)
        fault = system->hooks->check(system);
    if (fault.kind != FAULT_NONE)
        return system_fail(system, fault);
    if (system->finished)
        return SYSTEM_FINISHED;
    stuck = find_stuck(system);
    if (stuck)
        return system_fail(system, stalled(system, stuck));
    if (!system_is_out_of_order(system) && event_queue_next_ps(events) > until_ps && !system->records_reached
        && !system->has_own_end)
        event_queue_advance(events, until_ps);
    return SYSTEM_RUNNING;
}

/* Executes events until the limits, or until the poll wants it to stop. */
static void system_execute(struct system *system, uint64_t until_ps, uint64_t max_events,
                           const struct system_poll *poll)
{
    struct event_queue *const events = &system->sim.events;

    for (;;) {
        uint64_t const step = poll ? min_u64(poll->events, max_events) : max_events;
        uint64_t const before = event_queue_executed(events);

        event_queue_run(events, until_ps, step);
        max_events -= step;
        if (event_queue_executed(events) - before < step || max_events == 0 || events->stopped
            || system->records_reached || system->has_own_end || system->finished
            || (system->gpu && gpu_run_state(system->gpu) == GPU_RUN_FAILED)
            || poll->is_wanted(poll->context))
            return;
    }
}

/* The arguments of one call of system_run. */
struct piece {
    struct system *system;
    uint64_t until_ps, max_events, at_records;
    const struct system_poll *poll;
};

static void run_events(void *context)
{
    const struct piece *const piece = context;
    struct system *const system = piece->system;

    if (!system->started) {
        system->started = true;
        system->fault = system_start(system);
        if (system->fault.kind != FAULT_NONE)
            return;
    }
    system->records_reached = system->has_own_end = false;
    for (unsigned i = 0; i < system->core_count; i++)
        core_notify_at(&system->cores[i], piece->at_records ? system->cores[i].counted_from + piece->at_records
                                                            : UINT64_MAX);
    if (system->hooks)
        system->hooks->run(system, piece->max_events);
    else
        system_execute(system, piece->until_ps, piece->max_events, piece->poll);
}

/* Of the cores that have come to their limit in this piece. */
static void keep_ends(struct system *system)
{
    for (unsigned i = 0; i < system->core_count; i++) {
        struct system_core *const core = &system->cores[i];

        if (!core->has_come || core->is_kept)
            continue;
        core_sync(core, true);
        keep_figures(system, core);
        core->is_kept = true;
    }
}

void system_count_from_now(struct system *system, bool keeps_ends)
{
    for (unsigned i = 0; i < system->core_count; i++)
        system->cores[i].counted_from = core_work(&system->cores[i]);
    system->keeps_ends = keeps_ends;
}

static enum system_state system_run_part(struct system *system, uint64_t until_ps, uint64_t max_events,
                                         uint64_t at_records, const struct system_poll *poll, bool syncs_all)
{
    struct piece piece = {system, until_ps, max_events, at_records, poll};
    enum system_state state;
    struct fault fault;

    assert(!system_is_out_of_order(system)
           || (until_ps >= TICK_NEVER - 1 && at_records == 0 && !poll && !system->sim.log.line));
    if (system->fault.kind != FAULT_NONE)
        return SYSTEM_FAILED;
    fault = sim_execute(&system->sim, run_events, &piece);
    if (fault.kind != FAULT_NONE)
        return system_fail(system, fault);
    if (system->fault.kind != FAULT_NONE)
        return SYSTEM_FAILED;
    state = state_after(system, until_ps);
    if (state != SYSTEM_RUNNING && system->hooks && system->hooks->set_now)
        system->hooks->set_now(system, system_now_ps(system));
    sync_all(system, state != SYSTEM_RUNNING || syncs_all);
    if (system->has_own_end)
        keep_ends(system);
    return state;
}

enum system_state system_run(struct system *system, uint64_t until_ps, uint64_t max_events, uint64_t at_records)
{
    return system_run_part(system, until_ps, max_events, at_records, NULL, true);
}

enum system_state system_run_piece(struct system *system, uint64_t until_ps, uint64_t max_events, uint64_t at_records,
                                   const struct system_poll *poll)
{
    return system_run_part(system, until_ps, max_events, at_records, poll, false);
}

static void rest(void *context)
{
    struct system *const system = context;

    if (system->hooks)
        system->hooks->come_to_rest(system);
    else
        system_execute(system, system_now_ps(system), UINT64_MAX, NULL);
}

enum system_state system_come_to_rest(struct system *system)
{
    struct fault const fault = sim_execute(&system->sim, rest, system);
    enum system_state state;

    if (fault.kind != FAULT_NONE)
        return system_fail(system, fault);
    state = state_after(system, system_now_ps(system));
    system->rests = state == SYSTEM_RUNNING;
    if (state != SYSTEM_FAILED && system->hooks && system->hooks->set_now)
        system->hooks->set_now(system, system_now_ps(system));
    sync_all(system, true);
    return state;
}

void system_reset_stats(struct system *system)
{
    system_modules_are_warm(system);
    stats_reset(&system->stats, system_now_ps(system));
}

struct system_sides system_bus_traffic(const struct system *system)
{
    const struct noc *const membus = system->buses[system->membus].noc;
    struct system_sides sides = {0, 0};

    for (unsigned port = 0; port < membus->cpu_port_count; port++)
        for (unsigned below = 0; below < membus->memory_port_count; below++) {
            uint64_t const bytes = noc_traffic(membus, port, below)->bytes;

            if (system->gpu && port >= system->gpu_port)
                sides.gpu_bytes += bytes;
            else
                sides.cpu_bytes += bytes;
        }
    return sides;
}
