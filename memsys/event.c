/* Modelled: the reference's event order (classic-memory 1.3). Not modelled: priorities other than default and exit.
 *
 * A replay has 5 to 20 events pending, 40 with four cores, most of them due soon. A sorted array that is searched from
 * the end where the next event stands beats a heap there: an insertion moves a handful of entries of one or two cache
 * lines, and taking the next one moves none. Cost grows linearly with the number of pending events.
 *
 * Invariant: slots[0..count) fall by tick, then by is_exit, then rise by number; event->scheduled says whether an event
 * is among them. */
#include "memsys/event.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void event_init(struct event *event, void (*handler)(void *owner), void *owner, enum event_priority priority)
{
    *event = (struct event){.handler = handler, .owner = owner, .is_exit = priority == EVENT_EXIT};
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

/* Does `event` run before `other`, which is due in the same tick? */
static bool runs_before(const struct event *event, const struct event *other)
{
    if (event->is_exit != other->is_exit)
        return other->is_exit;
    return event->number > other->number;
}

/* From `place`, which is free, towards the end where the next event stands: all that run later stay behind it. */
static size_t place_behind(struct event_slot *slots, size_t place, const struct event *event, uint64_t when_ps)
{
    while (place > 0 && slots[place - 1].when_ps < when_ps) {
        slots[place] = slots[place - 1];
        place--;
    }
    while (place > 0 && slots[place - 1].when_ps == when_ps && !runs_before(event, slots[place - 1].event)) {
        slots[place] = slots[place - 1];
        place--;
    }
    return place;
}

void event_insert(struct event_queue *queue, struct event *event, uint64_t when_ps)
{
    size_t place;

    assert(!event->scheduled && when_ps >= queue->now_ps && queue->count < queue->capacity);
    place = place_behind(queue->slots, queue->count, event, when_ps);
    queue->slots[place] = (struct event_slot){when_ps, event};
    queue->count++;
    event->when_ps = when_ps;
    event->scheduled = true;
}

void event_schedule_reserved(struct event_queue *queue, struct event *event, const struct event_place *place)
{
    event->number = place->number;
    event_insert(queue, event, place->when_ps);
}

static size_t place_of(const struct event_queue *queue, const struct event *event)
{
    size_t place = queue->count;

    assert(event->scheduled);
    do {
        assert(place > 0);
        place--;
    } while (queue->slots[place].event != event);
    return place;
}

void event_deschedule(struct event_queue *queue, struct event *event)
{
    size_t const place = place_of(queue, event);

    queue->count--;
    memmove(queue->slots + place, queue->slots + place + 1, (queue->count - place) * sizeof *queue->slots);
    event->scheduled = false;
}

void event_reschedule(struct event_queue *queue, struct event *event, uint64_t when_ps)
{
    struct event_slot *const slots = queue->slots;
    size_t place;

    if (!event->scheduled || event->is_exit) {
        if (event->scheduled)
            event_deschedule(queue, event);
        event_schedule(queue, event, when_ps);
        return;
    }
    assert(when_ps >= queue->now_ps);
    event->number = ++queue->insertions;
    event->when_ps = when_ps;
    for (place = place_of(queue, event); place + 1 < queue->count && slots[place + 1].when_ps >= when_ps; place++)
        slots[place] = slots[place + 1];     /* these run later: as the newest it is the first of its tick */
    slots[place_behind(slots, place, event, when_ps)] = (struct event_slot){when_ps, event};
}
