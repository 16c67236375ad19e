/* Elastic traces, one for each core or one for all: open inputs, address spaces of virtual addresses, and traces that
 * start again. On detailed cores replay/source/window_source.c opens them. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/hash64.h"
#include "base/list.h"
#include "base/path.h"
#include "memsys/vm/vm_params.h"
#include "replay/config/config_values.h"
#include "replay/source/source.h"
#include "replay/source/store_cache.h"
#include "replay/source/window_source.h"
#include "replay/system/system_core.h"

/* ---- the workload */
static struct fault take_pair(struct workload *workload, const char *path)
{
    if (!list_fit_next(&workload->pairs, workload->pair_count, sizeof *workload->pairs))
        return source_no_memory();
    workload->pairs[workload->pair_count] = (struct trace_pair){.data = NULL};
    return trace_pair_find(&workload->pairs[workload->pair_count++], path);
}

/* A pair, or those of the threads in the folder. */
static struct fault take_pairs(struct workload *workload, const char *path)
{
    char **const threads = trace_dir_threads(path);
    struct fault fault = take_pair(workload, path);

    if (threads && fault.kind == FAULT_INPUT && workload->pair_count > 0) {
        trace_pair_close(&workload->pairs[--workload->pair_count]);
        fault = fault_none();
        for (size_t i = 0; threads[i] && fault.kind == FAULT_NONE; i++)
            fault = take_pair(workload, threads[i]);
    }
    trace_dir_threads_free(threads);
    return fault;
}

static const char *first_pair(const struct workload *workload)
{
    return workload->pair_count > 0 ? workload->pairs[0].data : NULL;
}

struct fault workload_of_files(struct workload *workload, const char *const *data, const char *const *fetch,
                               size_t count)
{
    *workload = (struct workload){.name = data[0], .pair_count = count};
    workload->pairs = calloc(count, sizeof *workload->pairs);
    if (!workload->pairs)
        return source_no_memory();
    for (size_t i = 0; i < count; i++) {
        workload->pairs[i].data = data[i];
        workload->pairs[i].fetch = fetch[i];
    }
    return fault_none();
}

static void find_store(struct trace_pair *pair, const struct workload_stores *stores)
{
    if (pair->store)
        return;
    pair->is_cached = true;
    pair->store = store_cache_find(stores->folder, pair->data, pair->fetch, stores->verifies);
    if (pair->store || stores->how == WORKLOAD_STORES_FIND)
        return;
    if (stores->before_packing)
        stores->before_packing();
    if (stores->how == WORKLOAD_STORES_MAKE) {
        pair->store = store_cache_make(stores->folder, pair->data, pair->fetch, stores->warn);
        return;
    }
    pair->packing = store_cache_begin(stores->folder, pair->data, pair->fetch, stores->warn);
    if (pair->packing)
        pair->store = store_packing_store(pair->packing);
}

static struct fault add_pair(struct workload *workload, const struct trace_pair *pair, struct hash64_pieces *pieces)
{
    const char *const files[STORE_PARTS] = {pair->data, pair->fetch};

    for (int part = 0; part < STORE_PARTS; part++) {
        if (pair->store)
            source_hash_add(pieces, store_about(pair->store)->source[part].hash);
        else FORWARD(source_hash_file(workload, files[part], pieces));
    }
    if (pair->store)
        workload->work += (double)store_about(pair->store)->count[STORE_DEP];
    return fault_none();
}

static struct fault add_pairs(struct workload *workload, struct hash64_pieces *pieces)
{
    for (size_t i = 0; i < workload->pair_count; i++)
        FORWARD(add_pair(workload, &workload->pairs[i], pieces));
    source_hash_add(pieces, workload->pair_count);
    return fault_none();
}

static void find_stores(struct workload *workload, const struct workload_stores *stores)
{
    for (size_t i = 0; i < workload->pair_count; i++)
        find_store(&workload->pairs[i], stores);
}

static void finish_stores(struct workload *workload, const struct warn_sink *warn)
{
    for (size_t i = 0; i < workload->pair_count; i++)
        if (workload->pairs[i].packing)
            store_cache_end(workload->pairs[i].packing, warn);
}

void workload_warn_stores(const struct workload *workload, const struct warn_sink *warn)
{
    for (size_t i = 0; i < workload->pair_count; i++)
        trace_store_warn(workload->pairs[i].store, warn);
}

static void close_pairs(struct workload *workload)
{
    for (size_t i = 0; i < workload->pair_count; i++)
        trace_pair_close(&workload->pairs[i]);
    free(workload->pairs);
}

/* ---- a run */
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

struct elastic_run {
    struct source_setup setup;
    bool is_window;                      /* on detailed cores */
    struct core cores[CONFIG_MAX_CORES];
};

static struct trace_pair *pair_of(const struct elastic_run *pairs, unsigned core)
{
    const struct workload *const workload = pairs->setup.workload;

    return &workload->pairs[workload->pair_count == 1 ? 0 : core];
}

/* ---- virtual addresses */

/* The space whose addresses a core has: its own, or that of core 0. */
static unsigned space_of(const struct elastic_run *pairs, unsigned core)
{
    return config_core_shares(pairs->setup.config, core) ? 0 : core;
}

/* Of all cores, also of those that are idle: so places are those of the run with all. */
static struct fault place_pairs(struct elastic_run *pairs)
{
    const struct system_config *const config = pairs->setup.config;
    struct fault fault = fault_none();

    for (unsigned i = 0; i < config_core_count(config); i++) {
        struct space *space;

        if (space_of(pairs, i) != i)
            continue;
        space = vm_memory_add_space(pairs->setup.spaces, pair_of(pairs, i)->data, false, &fault);
        if (!space || FAILS(fault, spaces_map(space, config_pages_map(config))))
            return fault;
        for (unsigned k = i; k < config_core_count(config); k++) {
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

/* A store's links from parents to children rely on the records executed before: for a trace that starts again the full
 * records are read, with the distances to their parents. */
static struct fault open_core(struct elastic_run *pairs, unsigned number)
{
    struct core *const core = &pairs->cores[number];
    struct trace_pair *const pair = pair_of(pairs, number);
    struct system_traces *const traces = &core->traces;
    struct fault fault = fault_none();

    if (pairs->is_window) {
        core->window = window_source_open(pair, &core->input, pairs->setup.config, number, traces, &fault);
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

static struct fault elastic_take(void *self, unsigned number, struct system_thread *thread, bool *is_taken)
{
    struct elastic_run *const pairs = self;
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
    struct elastic_run *const pairs = self;
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
    const struct elastic_run *const pairs = self;
    size_t count = 0;

    for (unsigned i = 0; i < config_core_count(pairs->setup.config); i++)
        count += pairs->cores[i].state == PASS_IS_DUE && pairs->cores[i].passes_ended == 0;
    return count;
}

static void elastic_listen(void *self, void (*due)(void *context), void *context)
{
    (void)self;
    (void)due;
    (void)context;
}

static struct fault give_pairs(void *run, struct system *system)
{
    struct elastic_run *const pairs = run;
    struct system_threads const threads = {elastic_take, ended, left, elastic_listen, pairs, true};

    return pairs->setup.pick.restarts ? system_set_threads(system, &threads) : fault_none();
}

/* ---- the rows */

static struct fault open_cores(struct elastic_run *pairs, struct system_traces *traces)
{
    const struct source_setup *const setup = &pairs->setup;

    if (setup->spaces)
        FORWARD(place_pairs(pairs));
    for (unsigned i = 0; i < config_core_count(setup->config); i++) {
        struct core *const core = &pairs->cores[i];
        bool const is_idle = setup->pick.only != THREADS_ALL && i != setup->pick.only;

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

static void close_run(void *run)
{
    struct elastic_run *const pairs = run;

    for (unsigned i = 0; pairs && i < CONFIG_MAX_CORES; i++)
        close_core(&pairs->cores[i]);
    free(pairs);
}

static void *open_run(const struct source_setup *setup, struct system_traces *traces, struct fault *fault)
{
    struct elastic_run *const pairs = calloc(1, sizeof *pairs);

    if (!pairs) {
        *fault = fault_make(FAULT_MEMORY, "out of memory for the traces of cores");
        return NULL;
    }
    pairs->setup = *setup;
    pairs->is_window = config_is_window(setup->config);
    *fault = open_cores(pairs, traces);
    if (fault->kind == FAULT_NONE)
        return pairs;
    close_run(pairs);
    return NULL;
}

static double elastic_position_of(const struct elastic_run *pairs, unsigned core)
{
    return pairs->cores[core].passes_ended > 0 ? 1 : trace_input_position(&pairs->cores[core].input);
}

/* Of cores whose turns come one after the other, that of all; else of the one that is furthest behind. */
static double elastic_position(const void *run, const struct system *system)
{
    const struct elastic_run *const pairs = run;
    unsigned const count = config_core_count(pairs->setup.config);
    double lowest = 1, sum = 0;

    for (unsigned i = 0; i < count; i++) {
        double const part = elastic_position_of(pairs, i);

        lowest = part < lowest ? part : lowest;
        sum += part;
    }
    return system_has_own_ticks(system) ? sum / count : lowest;
}

/* Warns of oddities in the records read, except those already reported. */
static void elastic_warn(const void *run, const struct warn_sink *warn)
{
    const struct elastic_run *const pairs = run;

    for (unsigned i = 0; i < config_core_count(pairs->setup.config) && i < pairs->setup.workload->pair_count; i++)
        if (pairs->cores[i].passes_ended == 0)
            trace_input_warn(&pairs->cores[i].input, warn);
}

static size_t elastic_programs(const void *run)
{
    const struct elastic_run *const pairs = run;

    return config_core_count(pairs->setup.config);
}

static struct threads_program elastic_program(const void *run, const struct system *system, size_t i)
{
    (void)run;
    return (struct threads_program){.thread_count = 1, .core = (unsigned)i,
                                    .done_ps = system ? system->cores[i].done_ps : TICK_NEVER};
}

static bool elastic_window_counts(const void *run, unsigned core, struct window_counts *counts)
{
    const struct elastic_run *const pairs = run;
    const struct core *const one = &pairs->cores[core];

    if (one->has_first_counts)
        *counts = one->first_counts;
    else if (one->window)
        *counts = window_counts(one->window);
    return one->has_first_counts || one->window;
}

static bool elastic_is_virtual(const struct system_config *config)
{
    return config_pages(config)->elastic == ELASTIC_VIRTUAL;
}

static bool elastic_reads_once(const struct workload *workload, const struct system_config *config)
{
    return workload->pair_count == 1 && config_core_count(config) == 1 && !elastic_is_virtual(config);
}

/* One for each core, or one for all. */
static struct fault elastic_check(const struct workload *workload, const struct system_config *config,
                                  double tick_scale)
{
    (void)tick_scale;
    if (workload->pair_count > 1 && workload->pair_count != config_core_count(config))
        return fault_make(FAULT_INPUT, "%s has %u core%s, but %zu traces were given; give one for each core, or one "
                          "for all", config_name(config), config_core_count(config),
                           config_core_count(config) == 1 ? "" : "s",
                          workload->pair_count);
    return fault_none();
}

/* Micro-ops are rebuilt for a core's physical addresses, and delays are learnt from. */
static struct fault window_check(const struct workload *workload, const struct system_config *config,
                                 double tick_scale)
{
    if (elastic_is_virtual(config))
        return fault_make(FAULT_INPUT, "--model window executes elastic traces by their physical addresses; leave out "
                          "pages.elastic: virtual");
    if (tick_scale < 1 || tick_scale > 1)
        return fault_make(FAULT_INPUT, "a tick scale is for --model elastic; with --model window a trace's delays are "
                          "learnt from, not waited for");
    return elastic_check(workload, config, tick_scale);
}

#define ELASTIC_TRACES                                                                                                \
    .of_cores = "elastic traces", .holds = "an elastic trace", .other_models = "elastic or window",                   \
    .why_not_detailed = ", whose records are what such a core made of them",                                          \
    .first = first_pair, .open = open_run, .close_run = close_run, .give = give_pairs, .position = elastic_position,  \
    .warn_run = elastic_warn, .programs = elastic_programs, .program = elastic_program

const struct source source_elastic = {
    ELASTIC_TRACES, .detail = SOURCE_REBUILT, .rebuilt = &source_window, .take = take_pairs, .hash = add_pairs,
    .find_stores = find_stores, .finish_stores = finish_stores, .close = close_pairs, .check = elastic_check,
    .needs_spaces = elastic_is_virtual, .reads_once = elastic_reads_once
};

const struct source source_window = {
    ELASTIC_TRACES, .detail = SOURCE_REBUILT, .check = window_check, .window_counts = elastic_window_counts
};
