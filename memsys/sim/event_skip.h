/* Lets a stretch of time pass at once, from within a handler.
 *
 * Shortcut: events with known effects are counted, not executed. The result is the same if the caller applies these
 * effects, and no other event comes before the end: event_first_foreign finds the first other event, and
 * event_queue_execute_before executes those due before the end. Then no component observes the time between. Compared
 * with plain by tests/unit/replay/fast/test_elastic_memo.c. Units: picoseconds. */
#ifndef MEMSYS_SIM_EVENT_SKIP_H
#define MEMSYS_SIM_EVENT_SKIP_H

#include "memsys/sim/event.h"

/* The first event that is neither `own` nor `other`, nor, with passes_apart, one that concerns a memory alone. */
static inline const struct event_slot *event_first_foreign(const struct event_queue *queue, const struct event *own,
                                                           const struct event *other, bool passes_apart)
{
    const struct event_slot *slot = queue->next;

    while (slot->event && (slot->event == own || slot->event == other || (slot->event->is_apart && passes_apart)))
        slot--;
    return slot;
}

/* Tick of the first event at when_ps or later, from that one on. */
static inline uint64_t event_first_from_ps(const struct event_slot *slot, uint64_t when_ps)
{
    while (slot->when_ps < when_ps)
        slot--;
    return slot->when_ps;
}

/* May the queue skip to end_ps, past `events` events? */
static inline bool event_queue_may_skip(const struct event_queue *queue, uint64_t end_ps, uint64_t events)
{
    return queue->horizon_ps > end_ps && queue->left > events;
}

/* Executes the events due before end_ps, which must not insert anything before now; now_ps is unchanged. False if the
 * queue was stopped. */
static inline bool event_queue_execute_before(struct event_queue *queue, uint64_t end_ps)
{
    uint64_t const now_ps = queue->now_ps, horizon_ps = queue->horizon_ps;

    queue->horizon_ps = end_ps;
    while (queue->next->when_ps < queue->horizon_ps)
        event_queue_execute(queue);
    queue->now_ps = now_ps;
    if (queue->horizon_ps == 0)
        return false;
    queue->horizon_ps = horizon_ps;
    return true;
}

/* now_ps becomes end_ps; `events` events count as executed. */
static inline void event_queue_skip(struct event_queue *queue, uint64_t end_ps, uint64_t events)
{
    queue->left -= events;
    queue->now_ps = end_ps;
}

/* After the last of them: the event that is executing comes after all that were inserted. */
static inline void event_queue_end_skip(struct event_queue *queue)
{
    queue->current_number = ++*queue->insertions;
}

#endif
