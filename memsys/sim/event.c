/* Modelled: the reference's event order (classic-memory 1.3). Not modelled: priorities other than default and exit.
 *
 * A replay has 5 to 20 events pending, 40 with four cores, most of them due soon. A sorted array that is searched from
 * the end with the next event beats a heap there: an insertion moves a handful of entries of one or two cache lines,
 * and taking the next one moves none. Cost grows linearly with the number of pending events.
 *
 * Invariant: behind slots[0] they fall by tick, then by is_exit, then rise by number; `next` is the last of them;
 * numbers of the default priority are insertions', above EVENT_HIGHEST_RANK; those of the exit priority are ranks;
 * event->scheduled says whether an event is among them, and none is there twice, so that reserved room suffices. */
#include "memsys/sim/event.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"

void event_init(struct event *event, void (*handler)(void *owner), void *owner, enum event_priority priority)
{
    *event = (struct event){.handler = handler, .owner = owner, .is_exit = priority == EVENT_EXIT};
}

void event_set_rank(struct event *event, uint64_t rank)
{
    assert(event->is_exit && !event->scheduled && rank <= EVENT_HIGHEST_RANK);
    event->number = rank;
}

struct fault event_queue_reserve(struct event_queue *queue, size_t count)
{
    size_t const capacity = queue->capacity + count;
    size_t const used = queue->slots ? (size_t)(queue->next - queue->slots) : 0;

    if (!list_resize(&queue->slots, capacity + 1, sizeof *queue->slots))
        return fault_make(FAULT_MEMORY, "out of memory for %zu events", capacity);
    queue->slots[0] = (struct event_slot){TICK_NEVER, NULL};
    queue->next = queue->slots + used;
    queue->capacity = capacity;
    if (!queue->insertions) {
        queue->own_insertions = EVENT_HIGHEST_RANK;
        queue->insertions = &queue->own_insertions;
    }
    return fault_none();
}

void event_queue_left_none(struct event_queue *queue)
{
    if (queue->fast)
        queue->fast->begin(queue);
    else
        queue->horizon_ps = 0;
}

void event_queue_free(struct event_queue *queue)
{
    free(queue->slots);
    *queue = (struct event_queue){0};
}

/* Does `event`, due at `when_ps`, run before that of another slot? */
static bool runs_before(const struct event *event, uint64_t when_ps, const struct event_slot *other)
{
    if (when_ps != other->when_ps || !other->event)
        return when_ps <= other->when_ps;
    if (event->is_exit != other->event->is_exit)
        return other->event->is_exit;
    return event->number > other->event->number;
}

/* Puts an event that need not be the first of its tick into `slot`, which is free, or nearer to slots[0]. */
static void settle(struct event_slot *slot, struct event *event, uint64_t when_ps)
{
    for (; !runs_before(event, when_ps, slot - 1); slot--)
        *slot = slot[-1];
    *slot = (struct event_slot){when_ps, event};
    event->when_ps = when_ps;
    event->scheduled = true;
}

void event_schedule(struct event_queue *queue, struct event *event, uint64_t when_ps)
{
    event_schedule_in_place(queue, event, when_ps);
}

void event_schedule_exit(struct event_queue *queue, struct event *event, uint64_t when_ps)
{
    assert(!event->scheduled && when_ps >= queue->now_ps);
    settle(++queue->next, event, when_ps);
}

void event_schedule_reserved(struct event_queue *queue, struct event *event, const struct event_place *place)
{
    assert(!event->scheduled && place->when_ps >= queue->now_ps);
    event->number = place->number;
    settle(++queue->next, event, place->when_ps);
}

static struct event_slot *event_slot_of(const struct event_queue *queue, const struct event *event)
{
    struct event_slot *slot = queue->next;

    assert(event->scheduled);
    while (slot->event != event) {
        assert(slot->event);
        slot--;
    }
    return slot;
}

void event_deschedule(struct event_queue *queue, struct event *event)
{
    struct event_slot *const slot = event_slot_of(queue, event);

    memmove(slot, slot + 1, (size_t)(queue->next - slot) * sizeof *slot);
    queue->next--;
    event->scheduled = false;
}

void event_reschedule(struct event_queue *queue, struct event *event, uint64_t when_ps)
{
    struct event_slot *slot;

    if (!event->scheduled) {
        if (event->is_exit)
            event_schedule_exit(queue, event, when_ps);
        else
            event_schedule(queue, event, when_ps);
        return;
    }
    assert(when_ps >= queue->now_ps);
    if (when_ps == queue->now_ps)
        event_queue_note_urgent(queue);
    if (!event->is_exit)
        event->number = ++*queue->insertions;
    for (slot = event_slot_of(queue, event); slot < queue->next && runs_before(event, when_ps, slot + 1); slot++)
        *slot = slot[1];
    settle(slot, event, when_ps);
}

void event_queue_run(struct event_queue *queue, uint64_t last_ps, uint64_t max_events)
{
    queue->executed_at_end = event_queue_executed(queue) + max_events;
    queue->left = max_events;
    if (max_events > 0 && !queue->stopped)
        queue->horizon_ps = last_ps < TICK_NEVER ? last_ps + 1 : TICK_NEVER;    /* slots[0], which ends the loop */
    while (queue->next->when_ps < queue->horizon_ps)
        event_queue_execute(queue);
    queue->horizon_ps = 0;
}
