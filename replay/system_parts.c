/* Parts that run ahead (system_parts.h).
 *
 * The one whose next event is the first of all executes it. If that is a part, it goes on with those that follow, as
 * long as none leaves the part, and before the bus may call; if it is what all share, it goes on until one of the parts
 * is next.
 *
 * When may the bus call? With answers, of most of which memories and bus tell before when they come; those of which
 * they do not take a memory's shortest time yet. And with the retry of a request that it has refused, any time: then
 * the part waits until it is the first. The same for a part whose core is done, since what comes after the end of the
 * run must not be executed.
 *
 * Invariants: a part calls the bus only when its event is the first of all, and nobody calls a part that has executed
 * an event which comes later; should that happen, the run is broken off. Numbers in all queues tell their order, and
 * are given anew when there are many (event_order_settle). */
#include "replay/system_parts.h"

#include <stdlib.h>

#include "memsys/event_order.h"

enum {
    MOST_ANSWERS = 64,               /* that a border knows of */
    MOST_BORDERS = 4,                /* of a part: caches above the memory bus */
    SHORTEST_WINDOW_PS = 64000,      /* after that time, or longer, all parts meet, ... */
    LONGEST_WINDOW_PS = 2048000,
    MANY_INSERTIONS = 8192           /* ... and numbers are given anew if there are more than that */
};

struct answer {
    const struct packet *packet;
    uint64_t when_ps;                /* not before that */
    bool is_read;
};

struct system_border {
    struct above real;               /* the cache, as it would be above the bus */
    struct below bus;
    struct cache *cache;
    struct system_parts *parts;
    unsigned number;                 /* of the part's queue */
    uint64_t shortest_answer_ps;     /* of a read that is not known to have been chosen by a memory */
    unsigned known, known_reads;     /* answers of which it is known when they come; those to reads */
    bool is_unsure;                  /* there were too many of them */
    struct answer answers[MOST_ANSWERS];
};

struct system_part {
    struct sim sim;
    const struct elastic_cpu *cpu;
    struct system_border borders[MOST_BORDERS];
    unsigned border_count;
};

struct system_parts {
    struct event_order order;
    struct event_queue **queues;     /* that of what is shared, and those of the parts */
    unsigned count;
    uint64_t *next_ps;               /* of each queue's next event, while they are executed */
    unsigned *called, called_count;  /* parts that what is shared has called: their numbers, as those of queues */
    uint64_t window_ps, window_end_ps;
    bool is_ahead;                   /* what executes has not come in the order of all */
    bool is_broken;                  /* it had to */
    struct system_part part[];
};

/* ---- set-up */

/* Nothing of it has to be asked in the order of all. */
static bool is_private(const struct cache_config *cache)
{
    return cache->is_private && cache->prefetcher.type == PREFETCHER_NONE
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

bool system_parts_are_possible(const struct system_config *config, const struct system_traces *traces)
{
    if (config->core_count < 2 || config->cache_count > MOST_BORDERS || config->has_memory_cache
        || config->exit_first_core || config_has_gpu(config) || !have_own_offsets(config))
        return false;
    for (unsigned i = 0; i < config->cache_count; i++)
        if (!is_private(&config->caches[i]))
            return false;
    for (unsigned i = 0; i < config->core_count; i++)
        if (traces[i].is_idle || traces[i].takes_threads)
            return false;
    return true;
}

/* What begins at the core's offset and ends where the next core's begins. */
struct elastic_limits system_parts_limits(const struct system_config *config, unsigned core,
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

struct fault system_parts_create(struct system *system)
{
    unsigned const count = system->core_count;
    struct system_parts *const parts = calloc(1, sizeof *parts + count * sizeof *parts->part);

    if (!parts)
        return fault_make(FAULT_MEMORY, "out of memory for a system of %u cores", count);
    system->parts = parts;
    parts->count = count;
    parts->window_ps = parts->window_end_ps = SHORTEST_WINDOW_PS;
    parts->queues = calloc(count + 1, sizeof *parts->queues);
    parts->next_ps = calloc(count + 1, sizeof *parts->next_ps);
    parts->called = calloc(count, sizeof *parts->called);
    if (!parts->queues || !parts->next_ps || !parts->called)
        return fault_make(FAULT_MEMORY, "out of memory for a system of %u cores", count);
    FAULT_TRY(event_order_init(&parts->order));
    parts->queues[0] = &system->sim.events;
    for (unsigned i = 0; i < count; i++) {
        sim_init_part(&parts->part[i].sim, &system->sim);
        parts->part[i].cpu = &system->cores[i].cpu;
        parts->queues[i + 1] = &parts->part[i].sim.events;
    }
    for (unsigned i = 0; i <= count; i++)
        event_queue_join(parts->queues[i], &parts->order);
    return fault_none();
}

void system_parts_free(struct system *system)
{
    struct system_parts *const parts = system->parts;

    if (!parts)
        return;
    for (unsigned i = 0; i < parts->count; i++)
        sim_free(&parts->part[i].sim);
    event_order_free(&parts->order);
    free(parts->queues);
    free(parts->next_ps);
    free(parts->called);
    free(parts);
    system->parts = NULL;
}

struct sim *system_parts_sim(struct system *system, unsigned core)
{
    return system->parts ? &system->parts->part[core].sim : &system->sim;
}

/* ---- calls of the bus */

static void note_call(struct system_parts *parts, unsigned number)
{
    for (unsigned i = 0; i < parts->called_count; i++)
        if (parts->called[i] == number)
            return;
    parts->called[parts->called_count++] = number;
}

/* The parts are not as private as they seemed: the run ends. */
static void break_off(struct system_parts *parts)
{
    parts->is_broken = true;
    for (unsigned i = 0; i <= parts->count; i++)
        event_queue_stop(parts->queues[i]);
}

/* What is shared calls the part. */
static void enter(const struct system_border *border)
{
    struct system_parts *const parts = border->parts;
    struct event_queue *const shared = parts->queues[0], *const part = parts->queues[border->number];

    if (RARELY(part->now_ps > shared->now_ps || part->next->when_ps < shared->now_ps))
        break_off(parts);
    part->now_ps = shared->now_ps;
    part->current_number = shared->current_number;
    event_queue_pause(shared);       /* the part may have an event that comes next */
    note_call(parts, border->number);
}

static struct answer *find_answer(struct system_border *border, const struct packet *packet)
{
    for (unsigned i = 0; i < border->known; i++)
        if (border->answers[i].packet == packet)
            return &border->answers[i];
    return NULL;
}

static void foretell(void *self, const struct packet *packet, uint64_t when_ps)
{
    struct system_border *const border = self;
    struct answer *answer = find_answer(border, packet);

    if (!answer && border->known == MOST_ANSWERS) {
        border->is_unsure = true;
        return;
    }
    if (!answer) {
        answer = &border->answers[border->known++];
        *answer = (struct answer){.packet = packet, .is_read = !packet_is(packet, ATTR_WRITE)};
        border->known_reads += answer->is_read;
    }
    answer->when_ps = when_ps;
}

static void forget_answer(struct system_border *border, const struct packet *packet)
{
    struct answer *const answer = find_answer(border, packet);

    if (!answer)
        return;
    border->known_reads -= answer->is_read;
    *answer = border->answers[--border->known];
}

static bool recv_response(void *self, struct packet *packet, unsigned port)
{
    struct system_border *const border = self;

    enter(border);
    forget_answer(border, packet);
    return border->real.ops->recv_response(border->real.self, packet, port);
}

static void recv_request_retry(void *self, unsigned port)
{
    const struct system_border *const border = self;

    enter(border);
    border->real.ops->recv_request_retry(border->real.self, port);
}

/* Nobody else has lines of the part. */
static void recv_snoop(void *self, struct packet *packet, unsigned port)
{
    const struct system_border *const border = self;

    break_off(border->parts);
    border->real.ops->recv_snoop(border->real.self, packet, port);
}

static void recv_snoop_response_retry(void *self, unsigned port)
{
    const struct system_border *const border = self;

    border->real.ops->recv_snoop_response_retry(border->real.self, port);
}

/* ---- calls of the part, by all ways but those of plain requests, which only the event that may takes */

static bool recv_request(void *self, struct packet *packet, unsigned port)
{
    const struct system_border *const border = self;

    (void)port;
    if (RARELY(border->parts->is_ahead))
        break_off(border->parts);
    return border->bus.ops->recv_request(border->bus.self, packet, border->bus.port);
}

static bool recv_snoop_response(void *self, struct packet *packet, unsigned port)
{
    const struct system_border *const border = self;

    (void)port;
    break_off(border->parts);
    return border->bus.ops->recv_snoop_response(border->bus.self, packet, border->bus.port);
}

/* Caches take all answers. */
static void recv_response_retry(void *self, unsigned port)
{
    const struct system_border *const border = self;

    (void)port;
    border->bus.ops->recv_response_retry(border->bus.self, border->bus.port);
}

static void expect(const void *self, uint64_t address)
{
    const struct system_border *const border = self;

    below_expect(&border->bus, address);
}

/* ---- borders */

/* From now on until the answer to a read comes by the bus at the earliest, if nobody has said more. That of a simple
 * memory is always told. */
static uint64_t shortest_answer_ps(const struct system *system)
{
    const struct system_config *const config = &system->config;
    uint64_t shortest_ps = TICK_NEVER / 4;

    for (unsigned i = 0; i < config->memory_count; i++)
        if (config->memories[i].type != MEMORY_SIMPLE)
            shortest_ps = min_u64(shortest_ps, mem_ctrl_shortest_read_ps(&config->memories[i]));
    return shortest_ps + system->crossbars[system->membus].crossbar.response_ps;
}

struct above system_parts_border(struct system *system, struct system_cache *cache)
{
    static const struct above_ops ops = {recv_response, recv_request_retry, recv_snoop, recv_snoop_response_retry};
    struct system_part *const part = &system->parts->part[cache->instance];
    struct system_border *const border = &part->borders[part->border_count++];
    struct above above = cache_above_port(&cache->cache);

    assert(part->border_count <= MOST_BORDERS);
    *border = (struct system_border){.real = above, .cache = &cache->cache, .parts = system->parts,
                                     .number = cache->instance + 1,
                                     .shortest_answer_ps = shortest_answer_ps(system)};
    cache->cache.request_event.leaves_part = true;
    above.ops = &ops;
    above.self = border;
    above.take_from_queue = NULL;
    above.foretell = foretell;
    return above;
}

void system_parts_watch(struct system *system)
{
    static const struct below_ops ops = {.recv_request = recv_request, .recv_response_retry = recv_response_retry,
                                         .recv_snoop_response = recv_snoop_response};

    for (unsigned i = 0; system->parts && i < system->parts->count; i++)
        for (unsigned j = 0; j < system->parts->part[i].border_count; j++) {
            struct system_border *const border = &system->parts->part[i].borders[j];
            struct below *const below = &border->cache->below;

            border->bus = *below;
            below->ops = &ops;
            below->self = border;
            below->expect = expect;
        }
}

/* ---- how far a part may go */

/* The tick before which the bus does not call, by that border; now_ps: before it nothing is left to be executed. */
static uint64_t first_call_ps(const struct system_border *border, uint64_t now_ps)
{
    const struct cache *const cache = border->cache;
    uint64_t first_ps = TICK_NEVER;

    if (cache->waiting_for_request_retry || border->is_unsure)
        return 0;
    if (cache->mshr_count - cache->mshr_ready_count > border->known_reads)
        first_ps = now_ps + border->shortest_answer_ps;
    for (unsigned i = 0; i < border->known; i++)
        first_ps = min_u64(first_ps, border->answers[i].when_ps);
    return first_ps;
}

/* The part goes no further at now_ps, when it is the first. */
static uint64_t find_end(const struct system *system, const struct system_part *part, uint64_t now_ps)
{
    uint64_t end_ps = system->parts->window_end_ps;

    if (elastic_cpu_is_done(part->cpu))
        return 0;
    for (unsigned i = 0; i < part->border_count; i++)
        end_ps = min_u64(end_ps, first_call_ps(&part->borders[i], now_ps));
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

/* Without a branch, since nobody can foretell which it is. */
static struct first find_first_part(const struct system_parts *parts)
{
    uint64_t when_ps = TICK_NEVER, number = 0, tied = 0;

    for (unsigned i = 1; i <= parts->count; i++) {
        uint64_t const next_ps = parts->next_ps[i], is_less = -(uint64_t)(next_ps < when_ps);

        tied = (tied & ~is_less) | (next_ps == when_ps);
        number ^= (number ^ i) & is_less;
        when_ps ^= (when_ps ^ next_ps) & is_less;
    }
    return (struct first){when_ps, (unsigned)number, tied != 0};
}

/* It was `first`; then one of the parts was called. */
static struct first first_after_call(const struct system_parts *parts, struct first first, unsigned called)
{
    uint64_t const next_ps = parts->next_ps[called];

    if (next_ps < first.when_ps)
        return (struct first){next_ps, called, false};
    if (called == first.number)
        return next_ps > first.when_ps ? find_first_part(parts) : first;
    first.is_tied |= next_ps == first.when_ps;
    return first;
}

/* The queue whose next event is the first of those of that tick; there is one. */
static unsigned find_first(struct system_parts *parts, uint64_t first_ps)
{
    unsigned first = 0;

    for (unsigned i = 1; i <= parts->count; i++)
        if (parts->next_ps[i] == first_ps
            && (parts->next_ps[first] != first_ps || is_before(&parts->order, parts->queues[i], parts->queues[first])))
            first = i;
    return first;
}

/* After one was executed. */
static void note_next(struct system_parts *parts, unsigned number)
{
    parts->next_ps[number] = parts->queues[number]->next->when_ps;
    if (RARELY(parts->queues[number]->stopped))
        event_queue_stop(parts->queues[0]);
}

/* A part executes all before end_ps that stay in it. */
static void execute_ahead(struct system_parts *parts, unsigned number, uint64_t end_ps)
{
    struct event_queue *const queue = parts->queues[number];

    parts->is_ahead = true;
    queue->horizon_ps = end_ps;
    while (queue->next->when_ps < queue->horizon_ps && !queue->next->event->leaves_part)
        event_queue_execute(queue);
    queue->horizon_ps = 0;
    parts->is_ahead = false;
    note_next(parts, number);
}

/* What is shared executes all before the parts' first event. */
static struct first execute_shared(struct system_parts *parts, struct first first)
{
    struct event_queue *const shared = parts->queues[0];

    while (shared->next->when_ps < min_u64(first.when_ps, parts->window_end_ps) && !shared->stopped) {
        shared->horizon_ps = min_u64(first.when_ps, parts->window_end_ps);
        event_queue_execute(shared);
        while (parts->called_count > 0) {
            unsigned const called = parts->called[--parts->called_count];

            note_next(parts, called);
            first = first_after_call(parts, first, called);
        }
    }
    shared->horizon_ps = 0;
    note_next(parts, 0);
    return first;
}

/* After what is shared was executed. */
static void note_calls(struct system_parts *parts)
{
    note_next(parts, 0);
    while (parts->called_count > 0)
        note_next(parts, parts->called[--parts->called_count]);
}

/* The part goes on at now_ps, where its next event is, if that does not concern others; false if it may. */
static bool go_on(struct system *system, unsigned number, uint64_t now_ps)
{
    struct system_parts *const parts = system->parts;
    struct event_queue *const queue = parts->queues[number];
    uint64_t end_ps;

    if (queue->next->event->leaves_part)
        return false;
    end_ps = find_end(system, &parts->part[number - 1], now_ps);
    if (end_ps <= now_ps)
        return false;
    execute_ahead(parts, number, end_ps);
    note_next(parts, 0);                 /* the end of the run, if its core is the last that is done */
    return true;
}

/* Any part that has its next event there and can. */
static bool go_on_any(struct system *system, uint64_t now_ps)
{
    for (unsigned i = 1; i <= system->parts->count; i++)
        if (system->parts->next_ps[i] == now_ps && go_on(system, i, now_ps))
            return true;
    return false;
}

/* Executes the next event of a queue, at now_ps, when it is the first of all; it may concern others. A part goes on
 * then. */
static void execute_first(struct system *system, unsigned number, uint64_t now_ps)
{
    struct system_parts *const parts = system->parts;
    struct event_queue *const shared = parts->queues[0], *const queue = parts->queues[number];

    if (number > 0) {
        shared->now_ps = now_ps;
        shared->current_number = queue->next->event->number;
    }
    event_queue_execute(queue);
    if (number > 0)
        execute_ahead(parts, number, find_end(system, &parts->part[number - 1], now_ps));
    note_calls(parts);
}

/* The answer is which part is the first then. */
static struct first take_turn(struct system *system, struct first first)
{
    struct system_parts *const parts = system->parts;

    if (first.when_ps > parts->next_ps[0])
        return execute_shared(parts, first);
    if (USUALLY(!first.is_tied && first.when_ps < parts->next_ps[0])) {
        if (!go_on(system, first.number, first.when_ps))
            execute_first(system, first.number, first.when_ps);
    } else if (!go_on_any(system, first.when_ps)) {
        execute_first(system, find_first(parts, first.when_ps), first.when_ps);
    }
    return find_first_part(parts);
}

/* All queues have come to now_ps. Cores that do the same in the same ticks meet often, lest their order has to be
 * followed far back. */
static void meet(struct system_parts *parts, uint64_t now_ps)
{
    struct event_order *const order = &parts->order;
    uint64_t const insertions = event_order_unsettled(order);

    if (order->steps > insertions / 2)
        parts->window_ps = max_u64(parts->window_ps / 2, SHORTEST_WINDOW_PS);
    else if (order->steps < insertions / 8)
        parts->window_ps = min_u64(parts->window_ps * 2, LONGEST_WINDOW_PS);
    parts->window_end_ps = now_ps + parts->window_ps;
    if (order->steps > insertions / 2 || insertions > MANY_INSERTIONS
        || now_ps - order->settled_ps > EVENT_ORDER_MOST_PS / 2) {
        struct fault const fault = event_order_settle(order, parts->queues, parts->count + 1, now_ps);

        if (fault.kind != FAULT_NONE)
            abort();
    }
}

void system_parts_run(struct system *system, uint64_t max_events)
{
    struct system_parts *const parts = system->parts;
    uint64_t const before = system_events_executed(system);
    struct first first;

    for (unsigned i = 0; i <= parts->count; i++)
        note_next(parts, i);
    first = find_first_part(parts);
    for (uint64_t turn = 1; turn % 256 > 0 || system_events_executed(system) - before < max_events; turn++) {
        uint64_t const now_ps = min_u64(first.when_ps, parts->next_ps[0]);

        if (RARELY(now_ps >= parts->window_end_ps)) {
            if (now_ps == TICK_NEVER)
                return;
            meet(parts, now_ps);
        }
        first = take_turn(system, first);
        if (RARELY(parts->queues[0]->stopped))
            return;
    }
}

bool system_parts_are_broken(const struct system *system)
{
    return system->parts && system->parts->is_broken;
}

uint64_t system_events_executed(const struct system *system)
{
    const struct system_parts *const parts = system->parts;
    uint64_t executed = 0;

    for (unsigned i = 0; parts && i <= parts->count; i++)
        executed += event_queue_executed(parts->queues[i]);
    return parts ? executed : event_queue_executed(&system->sim.events);
}

bool system_parts_have_events(const struct system *system)
{
    for (unsigned i = 0; system->parts && i < system->parts->count; i++)
        if (event_queue_count(&system->parts->part[i].sim.events) > 0)
            return true;
    return event_queue_count(&system->sim.events) > 0;
}

void system_parts_set_now(struct system *system, uint64_t now_ps)
{
    for (unsigned i = 0; system->parts && i < system->parts->count; i++)
        system->parts->part[i].sim.events.now_ps = now_ps;
}
