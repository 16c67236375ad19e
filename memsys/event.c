/* Modelled: the reference's event order (classic-memory 1.3). Not modelled: priorities other than default and exit.
 *
 * A replay has 5 to 20 events pending, 40 with four cores, most of them due soon. A sorted array that is searched from
 * the end where the next event stands beats a heap there: an insertion moves a handful of entries of one or two cache
 * lines, and taking the next one moves none. Cost grows linearly with the number of pending events.
 *
 * Invariant: slots[0..count) fall by (when, rank); event->scheduled says whether an event is among them. */
#include "memsys/event.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Rank of the exit priority: behind all default ranks, which are below 2^63. */
#define RANK_EXIT (UINT64_C(1) << 63)

void event_init(struct event *event, void (*handler)(void *owner), void *owner, enum event_priority priority)
{
    *event = (struct event){.handler = handler, .owner = owner, .priority = priority};
}

struct fault event_queue_reserve(struct event_queue *queue, size_t count)
{
    size_t const capacity = queue->capacity + count;
    struct event_slot *const slots = realloc(queue->slots, capacity * sizeof *slots);

    if (!slots)
        return fault_make(FAULT_MEMORY, "out of memory for %zu events", capacity);
    queue->slots = slots;
    queue->capacity = capacity;
    return fault_none();
}

void event_queue_free(struct event_queue *queue)
{
    free(queue->slots);
    *queue = (struct event_queue){0};
}

static void insert(struct event_queue *queue, struct event *event, uint64_t when_ps, uint64_t rank)
{
    struct event_slot *const slots = queue->slots;
    size_t place = queue->count;

    assert(!event->scheduled && when_ps >= queue->now_ps && queue->count < queue->capacity);
    while (place > 0
           && (slots[place - 1].when_ps < when_ps
               || (slots[place - 1].when_ps == when_ps && slots[place - 1].rank < rank))) {
        slots[place] = slots[place - 1];
        place--;
    }
    slots[place] = (struct event_slot){when_ps, rank, event};
    queue->count++;
    event->when_ps = when_ps;
    event->scheduled = true;
}

void event_schedule(struct event_queue *queue, struct event *event, uint64_t when_ps)
{
    uint64_t const number = ++queue->insertions;

    insert(queue, event, when_ps, (event->priority == EVENT_EXIT ? RANK_EXIT : 0) | ((RANK_EXIT - 1) - number));
}

void event_schedule_reserved(struct event_queue *queue, struct event *event, const struct event_place *place)
{
    insert(queue, event, place->when_ps, (RANK_EXIT - 1) - place->number);
}

void event_deschedule(struct event_queue *queue, struct event *event)
{
    size_t place = queue->count;

    assert(event->scheduled);
    do {
        assert(place > 0);
        place--;
    } while (queue->slots[place].event != event);
    queue->count--;
    memmove(queue->slots + place, queue->slots + place + 1, (queue->count - place) * sizeof *queue->slots);
    event->scheduled = false;
}

void event_reschedule(struct event_queue *queue, struct event *event, uint64_t when_ps)
{
    if (event->scheduled)
        event_deschedule(queue, event);
    event_schedule(queue, event, when_ps);
}

bool event_continue(struct event_queue *queue, struct event *event, uint64_t when_ps)
{
    assert(!event->scheduled && event->priority == EVENT_DEFAULT && when_ps >= queue->now_ps);
    /* Of one tick the last inserted goes first, so events of that very tick come later. */
    if ((queue->count && queue->slots[queue->count - 1].when_ps < when_ps) || when_ps > queue->until_ps
        || queue->executed >= queue->executed_limit || queue->stopped) {
        event_schedule(queue, event, when_ps);
        return false;
    }
    queue->current_number = ++queue->insertions;
    queue->now_ps = when_ps;
    queue->executed++;
    return true;
}

static inline bool is_next_due(const struct event_queue *queue)
{
    return queue->count && !queue->stopped && queue->executed < queue->executed_limit
        && queue->slots[queue->count - 1].when_ps <= queue->until_ps;
}

static inline void execute_next(struct event_queue *queue)
{
    struct event_slot const *const next = &queue->slots[--queue->count];
    struct event *const event = next->event;

    queue->now_ps = next->when_ps;
    queue->current_number = (RANK_EXIT - 1) - (next->rank & (RANK_EXIT - 1));
    event->scheduled = false;
    queue->executed++;
    event->handler(event->owner);
}

void event_queue_run(struct event_queue *queue, uint64_t last_ps, uint64_t max_events)
{
    queue->until_ps = last_ps;
    queue->executed_limit = max_events > UINT64_MAX - queue->executed ? UINT64_MAX : queue->executed + max_events;
    while (is_next_due(queue))
        execute_next(queue);
}

bool event_queue_step(struct event_queue *queue, uint64_t last_ps)
{
    uint64_t const before = queue->executed;

    event_queue_run(queue, last_ps, 1);
    return queue->executed > before;
}

uint64_t event_queue_next_ps(const struct event_queue *queue)
{
    return queue->count ? queue->slots[queue->count - 1].when_ps : TICK_NEVER;
}
