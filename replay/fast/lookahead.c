/* Lookahead (lookahead.h).
 *
 * The queue with the earliest event executes it. A part continues with its following events as long as they stay
 * within the part, and up to the earliest possible call of the bus (border.h); the shared queue continues until a
 * part is next. A part whose border does not know when the bus calls waits until it is the first. So does a part
 * whose core is done, since events after the end of the run must not be executed.
 *
 * Invariants: a part calls the bus only from the earliest event of all queues, and no call reaches a part that has
 * already executed a later event; otherwise the run is broken off. Numbers in all queues tell their order, and are
 * given anew when there are many (event_order_settle). */
#include "replay/fast/lookahead.h"

#include <stdlib.h>
#include <string.h>

#include "memsys/dram/memory_params.h"
#include "memsys/fast/event_order.h"
#include "replay/config/config_values.h"
#include "replay/config/system_config.h"
#include "replay/fast/border.h"

enum {
    SHORTEST_WINDOW_PS = 64000,      /* after that time, or longer, all parts meet, ... */
    LONGEST_WINDOW_PS = 2048000,
    MANY_INSERTIONS = 8192           /* ... and numbers are given anew if there are more than that */
};

struct part {
    struct sim sim;
    const struct elastic_cpu *cpu;
    struct border borders[SEPARATE_CORES_MAX_CACHES];
    unsigned border_count;
};

struct lookahead {
    struct event_order order;
    struct event_queue **queues;     /* the shared one, then those of the parts */
    unsigned count;
    uint64_t *next_ps;               /* of each queue's next event, while they are executed */
    unsigned *called, called_count;  /* queue numbers of the parts that shared components have called */
    uint64_t window_ps, window_end_ps;
    bool is_ahead;                   /* the executing event is ahead of the common order */
    bool is_broken;                  /* it had to */
    struct part parts[];
};

/* ---- set-up */

/* Are there two cores whose traces are the same, as far as their names tell? */
static bool has_equal_traces(const struct system_traces *traces, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        for (unsigned j = 0; j < i; j++)
            if (strcmp(traces[i].records.name, traces[j].records.name) == 0
                && strcmp(traces[i].fetches.name, traces[j].fetches.name) == 0)
                return true;
    return false;
}

const char *lookahead_obstacle(const struct system_config *config, const struct system_traces *traces)
{
    const char *const obstacle = separate_cores_obstacle(config, traces);

    if (obstacle)
        return obstacle;
    return has_equal_traces(traces, config_core_count(config)) ? "cores that replay one trace stay in step" : NULL;
}

static struct sim *core_sim(struct system *system, unsigned core)
{
    struct lookahead *const lookahead = system->hooked;

    return &lookahead->parts[core].sim;
}

static struct fault create(struct system *system)
{
    unsigned const count = system->core_count;
    struct lookahead *const lookahead = calloc(1, sizeof *lookahead + count * sizeof *lookahead->parts);

    if (!lookahead)
        return fault_make(FAULT_MEMORY, "out of memory for a system of %u cores", count);
    system->hooked = lookahead;
    lookahead->count = count;
    lookahead->window_ps = lookahead->window_end_ps = SHORTEST_WINDOW_PS;
    lookahead->queues = calloc(count + 1, sizeof *lookahead->queues);
    lookahead->next_ps = calloc(count + 1, sizeof *lookahead->next_ps);
    lookahead->called = calloc(count, sizeof *lookahead->called);
    if (!lookahead->queues || !lookahead->next_ps || !lookahead->called)
        return fault_make(FAULT_MEMORY, "out of memory for a system of %u cores", count);
    FORWARD(event_order_init(&lookahead->order, &system->sim));
    lookahead->queues[0] = &system->sim.events;
    for (unsigned i = 0; i < count; i++) {
        sim_init_part(&lookahead->parts[i].sim, &system->sim);
        lookahead->parts[i].cpu = &system->cores[i].cpu;
        lookahead->queues[i + 1] = &lookahead->parts[i].sim.events;
    }
    for (unsigned i = 0; i <= count; i++)
        event_order_join(&lookahead->order, lookahead->queues[i]);
    return fault_none();
}

static void free_all(struct system *system)
{
    struct lookahead *const lookahead = system->hooked;

    if (!lookahead)
        return;
    for (unsigned i = 0; i < lookahead->count; i++)
        sim_free(&lookahead->parts[i].sim);
    event_order_free(&lookahead->order);
    free(lookahead->queues);
    free(lookahead->next_ps);
    free(lookahead->called);
    free(lookahead);
    system->hooked = NULL;
}

/* ---- calls of the bus */

static void note_call(struct lookahead *lookahead, unsigned number)
{
    for (unsigned i = 0; i < lookahead->called_count; i++)
        if (lookahead->called[i] == number)
            return;
    lookahead->called[lookahead->called_count++] = number;
}

void lookahead_break_off(struct lookahead *lookahead)
{
    lookahead->is_broken = true;
    for (unsigned i = 0; i <= lookahead->count; i++)
        event_queue_stop(lookahead->queues[i]);
}

void lookahead_enter(struct lookahead *lookahead, unsigned number)
{
    struct event_queue *const shared = lookahead->queues[0], *const part = lookahead->queues[number];

    if (unlikely(part->now_ps > shared->now_ps || part->next->when_ps < shared->now_ps))
        lookahead_break_off(lookahead);
    part->now_ps = shared->now_ps;
    part->current_number = shared->current_number;
    event_queue_pause(shared);       /* the part may have an event that comes next */
    note_call(lookahead, number);
}

/* ---- borders */

/* Shortest time from now to a read's response by the bus, if no component gives a better bound. Simple memories
 * always give one. */
static uint64_t shortest_answer_ps(const struct system *system)
{
    const struct system_config *const config = system->config;
    uint64_t shortest_ps = TICK_NEVER / 4;

    for (unsigned i = 0; i < config_memory_count(config); i++)
        if (config_memory(config, i)->type == MEMORY_COMMAND)
            shortest_ps = min_u64(shortest_ps, cmd_ctrl_shortest_read_ps(config_memory(config, i)));
        else if (config_memory(config, i)->type != MEMORY_SIMPLE)
            shortest_ps = min_u64(shortest_ps, mem_ctrl_shortest_read_ps(config_memory(config, i)));
    return shortest_ps + system->buses[system->membus].noc->response_ps;
}

static struct above above_bus(struct system *system, struct system_cache *cache)
{
    struct lookahead *const lookahead = system->hooked;
    struct part *const part = &lookahead->parts[cache->instance];
    struct border *const border = &part->borders[part->border_count++];

    assert(part->border_count <= SEPARATE_CORES_MAX_CACHES);
    *border = (struct border){.cache = &cache->cache, .lookahead = lookahead, .is_ahead = &lookahead->is_ahead,
                              .number = cache->instance + 1, .shortest_answer_ps = shortest_answer_ps(system)};
    return border_init(border);
}

static void lookahead_join(struct system *system)
{
    struct lookahead *const lookahead = system->hooked;

    for (unsigned i = 0; i < lookahead->count; i++)
        for (unsigned j = 0; j < lookahead->parts[i].border_count; j++)
            border_join(&lookahead->parts[i].borders[j]);
}

/* ---- how far a part may go */

/* The part goes no further at now_ps, when it is the first. */
static uint64_t find_end(const struct system *system, const struct part *part, uint64_t now_ps)
{
    const struct lookahead *const lookahead = system->hooked;
    uint64_t end_ps = lookahead->window_end_ps;

    if (elastic_cpu_is_done(part->cpu))
        return 0;
    for (unsigned i = 0; i < part->border_count; i++)
        end_ps = min_u64(end_ps, border_first_call_ps(&part->borders[i], now_ps));
    return end_ps;
}

/* ---- the run */

/* Does the next event of one queue come before that of another, which is of the same tick? */
static bool is_before(struct event_order *order, const struct event_queue *first, const struct event_queue *second)
{
    const struct event *const a = first->next->event, *const b = second->next->event;

    if (!a || !b)
        return a != NULL;
    if (a->is_exit != b->is_exit)
        return b->is_exit;
    return event_order_is_before(order, a->number, b->number, a->when_ps);
}

/* Which part has the first event of all parts, and when. */
struct first {
    uint64_t when_ps;
    unsigned number;                 /* of the queue */
    bool is_tied;                    /* other parts may have one in that tick, too */
};

/* Branchless, since the outcome is unpredictable for the host. */
static struct first find_first_part(const struct lookahead *lookahead)
{
    uint64_t when_ps = TICK_NEVER, number = 0, tied = 0;

    for (unsigned i = 1; i <= lookahead->count; i++) {
        uint64_t const next_ps = lookahead->next_ps[i], is_less = -(uint64_t)(next_ps < when_ps);

        tied = (tied & ~is_less) | (next_ps == when_ps);
        number ^= (number ^ i) & is_less;
        when_ps ^= (when_ps ^ next_ps) & is_less;
    }
    return (struct first){when_ps, (unsigned)number, tied != 0};
}

/* It was `first`; then one of the parts was called. */
static struct first first_after_call(const struct lookahead *lookahead, struct first first, unsigned called)
{
    uint64_t const next_ps = lookahead->next_ps[called];

    if (next_ps < first.when_ps)
        return (struct first){next_ps, called, false};
    if (called == first.number)
        return next_ps > first.when_ps ? find_first_part(lookahead) : first;
    first.is_tied |= next_ps == first.when_ps;
    return first;
}

/* The queue whose next event is the first of those of that tick; there is one. */
static unsigned find_first(struct lookahead *lookahead, uint64_t first_ps)
{
    unsigned first = 0;

    for (unsigned i = 1; i <= lookahead->count; i++)
        if (lookahead->next_ps[i] == first_ps
            && (lookahead->next_ps[first] != first_ps
                || is_before(&lookahead->order, lookahead->queues[i], lookahead->queues[first])))
            first = i;
    return first;
}

/* After one was executed. */
static void note_next(struct lookahead *lookahead, unsigned number)
{
    lookahead->next_ps[number] = lookahead->queues[number]->next->when_ps;
    if (unlikely(lookahead->queues[number]->stopped))
        event_queue_stop(lookahead->queues[0]);
}

/* A part executes all before end_ps that stay in it. */
static void execute_ahead(struct lookahead *lookahead, unsigned number, uint64_t end_ps)
{
    struct event_queue *const queue = lookahead->queues[number];

    lookahead->is_ahead = true;
    queue->horizon_ps = end_ps;
    while (queue->next->when_ps < queue->horizon_ps && !queue->next->event->leaves_part)
        event_queue_execute(queue);
    queue->horizon_ps = 0;
    lookahead->is_ahead = false;
    note_next(lookahead, number);
}

/* The shared queue executes all its events before the parts' first. */
static struct first execute_shared(struct lookahead *lookahead, struct first first)
{
    struct event_queue *const shared = lookahead->queues[0];

    while (shared->next->when_ps < min_u64(first.when_ps, lookahead->window_end_ps) && !shared->stopped) {
        shared->horizon_ps = min_u64(first.when_ps, lookahead->window_end_ps);
        event_queue_execute(shared);
        while (lookahead->called_count > 0) {
            unsigned const called = lookahead->called[--lookahead->called_count];

            note_next(lookahead, called);
            first = first_after_call(lookahead, first, called);
        }
    }
    shared->horizon_ps = 0;
    note_next(lookahead, 0);
    return first;
}

/* Called after events of the shared queue. */
static void note_calls(struct lookahead *lookahead)
{
    note_next(lookahead, 0);
    while (lookahead->called_count > 0)
        note_next(lookahead, lookahead->called[--lookahead->called_count]);
}

/* Executes the part's next events, from now_ps on, if they stay within the part; false if they may not. */
static bool lookahead_go_on(struct system *system, unsigned number, uint64_t now_ps)
{
    struct lookahead *const lookahead = system->hooked;
    struct event_queue *const queue = lookahead->queues[number];
    uint64_t end_ps;

    if (queue->next->event->leaves_part)
        return false;
    end_ps = find_end(system, &lookahead->parts[number - 1], now_ps);
    if (end_ps <= now_ps)
        return false;
    execute_ahead(lookahead, number, end_ps);
    note_next(lookahead, 0);                 /* the end of the run, if its core is the last that is done */
    return true;
}

/* Any part that has its next event there and can. */
static bool go_on_any(struct system *system, uint64_t now_ps)
{
    const struct lookahead *const lookahead = system->hooked;

    for (unsigned i = 1; i <= lookahead->count; i++)
        if (lookahead->next_ps[i] == now_ps && lookahead_go_on(system, i, now_ps))
            return true;
    return false;
}

/* Executes the next event of a queue, at now_ps, when it is the earliest of all; it may leave the part. A part then
 * continues. */
static void execute_first(struct system *system, unsigned number, uint64_t now_ps)
{
    struct lookahead *const lookahead = system->hooked;
    struct event_queue *const shared = lookahead->queues[0], *const queue = lookahead->queues[number];

    if (number > 0) {
        shared->now_ps = now_ps;
        shared->current_number = queue->next->event->number;
    }
    event_queue_execute(queue);
    if (number > 0)
        execute_ahead(lookahead, number, find_end(system, &lookahead->parts[number - 1], now_ps));
    note_calls(lookahead);
}

/* The answer is which part is the first then. */
static struct first take_turn(struct system *system, struct first first)
{
    struct lookahead *const lookahead = system->hooked;

    if (first.when_ps > lookahead->next_ps[0])
        return execute_shared(lookahead, first);
    if (likely(!first.is_tied && first.when_ps < lookahead->next_ps[0])) {
        if (!lookahead_go_on(system, first.number, first.when_ps))
            execute_first(system, first.number, first.when_ps);
    } else if (!go_on_any(system, first.when_ps)) {
        execute_first(system, find_first(lookahead, first.when_ps), first.when_ps);
    }
    return find_first_part(lookahead);
}

/* All queues have come to now_ps. Cores that do the same in the same ticks meet often, lest their order has to be
 * followed far back. */
static void meet(struct lookahead *lookahead, uint64_t now_ps)
{
    struct event_order *const order = &lookahead->order;
    uint64_t const insertions = event_order_unsettled(order);

    if (order->steps > insertions / 2)
        lookahead->window_ps = max_u64(lookahead->window_ps / 2, SHORTEST_WINDOW_PS);
    else if (order->steps < insertions / 8)
        lookahead->window_ps = min_u64(lookahead->window_ps * 2, LONGEST_WINDOW_PS);
    lookahead->window_end_ps = now_ps + lookahead->window_ps;
    if (order->steps > insertions / 2 || insertions > MANY_INSERTIONS
        || now_ps - order->settled_ps > EVENT_ORDER_MOST_PS / 2) {
        struct fault const fault = event_order_settle(order, lookahead->queues, lookahead->count + 1, now_ps);

        if (fault.kind != FAULT_NONE)
            sim_out_of_memory(lookahead->order.sim);
    }
}

static uint64_t events_executed(const struct system *system)
{
    const struct lookahead *const lookahead = system->hooked;
    uint64_t executed = 0;

    for (unsigned i = 0; i <= lookahead->count; i++)
        executed += event_queue_executed(lookahead->queues[i]);
    return executed;
}

static void lookahead_run(struct system *system, uint64_t max_events)
{
    struct lookahead *const lookahead = system->hooked;
    uint64_t const before = events_executed(system);
    struct first first;

    for (unsigned i = 0; i <= lookahead->count; i++)
        note_next(lookahead, i);
    first = find_first_part(lookahead);
    for (uint64_t turn = 1; turn % 256 > 0 || events_executed(system) - before < max_events; turn++) {
        uint64_t const now_ps = min_u64(first.when_ps, lookahead->next_ps[0]);

        if (unlikely(now_ps >= lookahead->window_end_ps)) {
            if (now_ps == TICK_NEVER)
                return;
            meet(lookahead, now_ps);
        }
        first = take_turn(system, first);
        if (unlikely(lookahead->queues[0]->stopped))
            return;
    }
}

/* At the end of a window all before it was executed, and nothing after it. */
static void come_to_rest(struct system *system)
{
    struct lookahead *const lookahead = system->hooked;
    struct first first;

    for (unsigned i = 0; i <= lookahead->count; i++)
        note_next(lookahead, i);
    first = find_first_part(lookahead);
    while (min_u64(first.when_ps, lookahead->next_ps[0]) < lookahead->window_end_ps) {
        first = take_turn(system, first);
        if (lookahead->queues[0]->stopped)
            return;
    }
    if (lookahead->window_end_ps > 0)
        lookahead->queues[0]->now_ps = lookahead->window_end_ps - 1;
}

/* ---- hooks */

static struct fault lookahead_check(const struct system *system)
{
    const struct lookahead *const lookahead = system->hooked;

    return lookahead->is_broken ? fault_make(FAULT_STALL, "cores met that were taken for separate") : fault_none();
}

static bool has_events(const struct system *system)
{
    const struct lookahead *const lookahead = system->hooked;

    for (unsigned i = 0; i <= lookahead->count; i++)
        if (event_queue_count(lookahead->queues[i]) > 0)
            return true;
    return false;
}

static void set_now(struct system *system, uint64_t now_ps)
{
    struct lookahead *const lookahead = system->hooked;

    for (unsigned i = 0; i <= lookahead->count; i++)
        lookahead->queues[i]->now_ps = now_ps;
}

struct fault lookahead_create(struct system *system)
{
    static const struct system_hooks hooks = {
        .core_sim = core_sim, .limits = separate_cores_limits, .above_bus = above_bus, .joined = lookahead_join,
        .run = lookahead_run,
        .come_to_rest = come_to_rest, .check = lookahead_check, .events_executed = events_executed,
        .has_events = has_events, .set_now = set_now, .free = free_all};

    system->hooks = &hooks;
    return create(system);
}

/* Which cores are separate. */

/* Does it never matter to others when it does something? */
static bool is_private(const struct cache_config *cache)
{
    return cache->is_private && cache->prefetchers[0].type == PREFETCHER_NONE
        && !replacement_uses_chance(cache->params.replacement);
}

/* No two cores' addresses begin at the same. */
static bool have_own_offsets(const struct system_config *config)
{
    for (unsigned i = 0; i < config->core_count; i++)
        for (unsigned j = 0; j < i; j++)
            if (config->cores[i].offset_bytes == config->cores[j].offset_bytes)
                return false;
    return true;
}

static const char *obstacle_in_caches(const struct system_config *config)
{
    if (config->cache_count > SEPARATE_CORES_MAX_CACHES)
        return "the cores have too many caches";
    if (config->has_memory_cache)
        return "the cores share a memory-side cache";
    for (unsigned i = 0; i < config->cache_count; i++)
        if (!is_private(&config->caches[i]))
            return "a cache is shared, has a prefetcher, or replaces lines by chance";
    return NULL;
}

const char *separate_cores_obstacle(const struct system_config *config, const struct system_traces *traces)
{
    if (config->core_count < 2)
        return "there is one core";
    if (config_has_gpu(config))
        return "there is a GPU";
    if (config->exit_first_core)
        return "the run ends with the first core";
    if (!have_own_offsets(config))
        return "the cores share addresses";
    for (unsigned i = 0; i < config->core_count; i++)
        if (traces[i].is_idle || traces[i].takes_threads)
            return "cores are idle, or take threads";
        else if (traces[i].memory)
            return "pages of all cores lie all over memory";
    return obstacle_in_caches(config);
}

/* The addresses from the core's offset to the next core's. */
struct elastic_limits separate_cores_limits(const struct system_config *config, unsigned core,
                                            const struct elastic_limits *memory)
{
    uint64_t const base = config->cores[core].offset_bytes;
    struct elastic_limits limits = {.memory_base = max_u64(memory->memory_base, base),
                                    .memory_end = memory->memory_end};

    for (unsigned i = 0; i < config->core_count; i++)
        if (config->cores[i].offset_bytes > base)
            limits.memory_end = min_u64(limits.memory_end, config->cores[i].offset_bytes);
    for (unsigned i = 0; i < memory->hole_count; i++)
        if (memory->holes[i].end > limits.memory_base && memory->holes[i].base < limits.memory_end)
            limits.holes[limits.hole_count++] = memory->holes[i];
    return limits;
}
