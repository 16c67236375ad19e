#include "replay/session/pair_cores.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/path.h"
#include "replay/session/window_cores.h"
#include "replay/system/spaces.h"

enum pass_state { PASS_NONE, PASS_IS_DUE, PASS_RUNS };

struct core {
    struct trace_input input;
    struct window *window;               /* of a detailed core */
    struct space *space;                 /* of virtual addresses */
    struct system_traces traces;         /* of the pass that is open */
    bool is_open;
    /* of traces that start again */
    enum pass_state state;
    uint32_t passes_ended;
    bool has_first_counts;
    struct window_counts first_counts;   /* of the first pass, once it has ended */
};

struct pair_cores {
    struct pair_cores_setup setup;
    struct core cores[CONFIG_MAX_CORES];
};

static struct trace_pair *pair_of(const struct pair_cores *pairs, unsigned core)
{
    const struct workload *const workload = pairs->setup.workload;

    return &workload->pairs[workload->pair_count == 1 ? 0 : core];
}

/* ---- virtual addresses */

/* The space whose addresses a core has: its own, or that of core 0. */
static unsigned space_of(const struct pair_cores *pairs, unsigned core)
{
    return pairs->setup.config->cores[core].share ? 0 : core;
}

/* Of all cores, also of those that are idle: so places are those of the run with all. */
static struct fault place_pairs(struct pair_cores *pairs)
{
    const struct system_config *const config = pairs->setup.config;
    struct fault fault = fault_none();

    for (unsigned i = 0; i < config->core_count; i++) {
        struct space *space;

        if (space_of(pairs, i) != i)
            continue;
        space = vm_memory_add_space(pairs->setup.spaces, pair_of(pairs, i)->data, false, &fault);
        if (!space || FAILS(fault, spaces_map(space, config->pages_map)))
            return fault;
        for (unsigned k = i; k < config->core_count; k++) {
            if (space_of(pairs, k) != i)
                continue;
            pairs->cores[k].space = space;
            if (FAILS(fault, trace_pair_touch(pair_of(pairs, k), space)))
                return fault;
        }
        FORWARD(space_settle(space));
    }
    return fault_none();
}

/* ---- one pass of a core's trace */

static void close_core(struct core *core)
{
    window_close(core->window);
    core->window = NULL;
    trace_input_close(&core->input);
    core->is_open = false;
}

/* A store's links from parents to children count on what a core executed before: where a trace starts again, all of a
 * record is read, with the distances to its parents. */
static struct fault open_core(struct pair_cores *pairs, unsigned number)
{
    struct core *const core = &pairs->cores[number];
    struct trace_pair *const pair = pair_of(pairs, number);
    struct system_traces *const traces = &core->traces;
    struct fault fault = fault_none();

    if (config_is_window(pairs->setup.config)) {
        core->window = window_core_open(pair, &core->input, pairs->setup.config, number, traces, &fault);
        core->is_open = core->window != NULL;
    } else if (core->space || pairs->setup.pick.restarts) {
        core->is_open
            = WORKS(fault, trace_input_open_in(&core->input, pair, core->space, &traces->records, &traces->fetches));
    } else {
        core->is_open = WORKS(fault, trace_input_open(&core->input, pair, &traces->records, &traces->fetches));
    }
    return core->is_open ? fault_none() : fault;
}

/* ---- traces that start again, as threads of the system */

static struct fault take(void *self, unsigned number, struct system_thread *thread, bool *is_taken)
{
    struct pair_cores *const pairs = self;
    struct core *const core = &pairs->cores[number];

    if (core->state != PASS_IS_DUE)
        return fault_none();
    if (!core->is_open)
        FORWARD(open_core(pairs, number));
    core->state = PASS_RUNS;
    thread->records = core->traces.records;
    thread->fetches = core->traces.fetches;
    thread->supply = core->traces.supply;
    thread->pc = 0;
    thread->is_again = core->passes_ended > 0;
    snprintf(thread->what, sizeof thread->what, "pass=%" PRIu32 " of=%.60s", core->passes_ended + 1,
             path_name(pair_of(pairs, number)->data));
    *is_taken = true;
    return fault_none();
}

static void ended(void *self, unsigned number, uint64_t done_ps)
{
    struct pair_cores *const pairs = self;
    struct core *const core = &pairs->cores[number];

    (void)done_ps;
    if (core->passes_ended++ == 0) {
        core->has_first_counts = core->window != NULL;
        if (core->window)
            core->first_counts = window_counts(core->window);
        trace_input_warn(&core->input, pairs->setup.warn);
    }
    close_core(core);
    core->state = PASS_IS_DUE;
}

static size_t left(const void *self)
{
    const struct pair_cores *const pairs = self;
    size_t count = 0;

    for (unsigned i = 0; i < pairs->setup.config->core_count; i++)
        count += pairs->cores[i].state == PASS_IS_DUE && pairs->cores[i].passes_ended == 0;
    return count;
}

static void listen(void *self, void (*due)(void *context), void *context)
{
    (void)self;
    (void)due;
    (void)context;
}

struct fault pair_cores_give(struct pair_cores *pairs, struct system *system)
{
    struct system_threads const threads = {take, ended, left, listen, pairs, true};

    return pairs->setup.pick.restarts ? system_set_threads(system, &threads) : fault_none();
}

/* ---- the interface */

static struct fault open_all(struct pair_cores *pairs, struct system_traces *traces)
{
    const struct pair_cores_setup *const setup = &pairs->setup;

    if (setup->spaces)
        FORWARD(place_pairs(pairs));
    for (unsigned i = 0; i < setup->config->core_count; i++) {
        struct core *const core = &pairs->cores[i];
        bool const is_idle = setup->workload->pair_count == 0
                             || (setup->pick.only != THREADS_ALL && i != setup->pick.only);

        core->traces = (struct system_traces){.is_idle = is_idle, .tick_scale = setup->tick_scale,
                                              .memory = setup->spaces,
                                              .takes_threads = setup->pick.restarts && !is_idle,
                                              .has_elastic_threads = setup->pick.restarts && !is_idle};
        core->traces.listener = setup->listener ? &setup->listener[i] : NULL;
        if (!is_idle)
            FORWARD(open_core(pairs, i));
        if (!is_idle && setup->pick.restarts)
            core->state = PASS_IS_DUE;
        traces[i] = core->traces;
    }
    return fault_none();
}

struct pair_cores *pair_cores_open(const struct pair_cores_setup *setup, struct system_traces *traces,
                                   struct fault *fault)
{
    struct pair_cores *const pairs = calloc(1, sizeof *pairs);

    if (!pairs) {
        *fault = fault_make(FAULT_MEMORY, "out of memory for the traces of cores");
        return NULL;
    }
    pairs->setup = *setup;
    *fault = open_all(pairs, traces);
    if (fault->kind == FAULT_NONE)
        return pairs;
    pair_cores_close(pairs);
    return NULL;
}

void pair_cores_close(struct pair_cores *pairs)
{
    if (!pairs)
        return;
    for (unsigned i = 0; i < CONFIG_MAX_CORES; i++)
        close_core(&pairs->cores[i]);
    free(pairs);
}

double pair_cores_position(const struct pair_cores *pairs, unsigned core)
{
    return pairs->cores[core].passes_ended > 0 ? 1 : trace_input_position(&pairs->cores[core].input);
}

void pair_cores_warn(const struct pair_cores *pairs)
{
    for (unsigned i = 0; i < pairs->setup.config->core_count && i < pairs->setup.workload->pair_count; i++)
        if (pairs->cores[i].passes_ended == 0)
            trace_input_warn(&pairs->cores[i].input, pairs->setup.warn);
}

bool pair_cores_window_counts(const struct pair_cores *pairs, unsigned core, struct window_counts *counts)
{
    const struct core *const one = &pairs->cores[core];

    if (one->has_first_counts)
        *counts = one->first_counts;
    else if (one->window)
        *counts = window_counts(one->window);
    return one->has_first_counts || one->window;
}
