/* Event queue: what happens next, in the reference's order (classic-memory 1.3).
 *
 * Order: tick, then priority, then LAST inserted first. An event inserted for the current tick while another of the
 * same priority runs is therefore the very next. Moving an event counts as inserting it anew.
 *
 * Use: event_init each event once, at set-up; event_queue_reserve for as many as exist; then schedule freely. Nothing
 * here allocates after event_queue_reserve, because an event is queued at most once.
 *
 * An event that only matters if somebody waits for it need not be queued: event_reserve takes the place in the order
 * that it would have; event_has_passed says later whether it would have run by now; event_schedule_reserved queues it
 * at that place after all (classic-memory 16.3). Units: ticks are picoseconds. Ownership: events belong to the
 * component that embeds them. */
#ifndef MEMSYS_EVENT_H
#define MEMSYS_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memsys/fault.h"

#define TICK_NEVER UINT64_MAX    /* "INF", MaxTick */

enum event_priority { EVENT_DEFAULT = 0, EVENT_EXIT = 1 };    /* the reference's 0 and 100 */

struct event {
    void (*handler)(void *owner);
    void *owner;
    uint64_t when_ps;              /* valid while scheduled */
    uint64_t number;               /* of the insertion; the same */
    bool scheduled;
    bool is_exit;                  /* its priority is EVENT_EXIT */
};

struct event_slot {
    uint64_t when_ps;
    struct event *event;
};

struct event_queue {
    uint64_t now_ps;
    uint64_t insertions;
    uint64_t executed;
    uint64_t current_number;       /* insertion number of the event that is executing */
    struct event_slot *slots;      /* sorted, the next one LAST, so that it leaves without moving the others */
    size_t count, capacity;
    bool stopped;                  /* set by an exit event; event_queue_run returns */
};

void event_init(struct event *event, void (*handler)(void *owner), void *owner, enum event_priority priority);

/* Room for `count` further events. FAULT_MEMORY if there is none. */
struct fault event_queue_reserve(struct event_queue *queue, size_t count);
void event_queue_free(struct event_queue *queue);

/* Half of event_schedule: puts the event, whose number is set, at its place among all others. */
void event_insert(struct event_queue *queue, struct event *event, uint64_t when_ps);

/* The event must not be scheduled, when_ps not in the past (asserted). */
static inline void event_schedule(struct event_queue *queue, struct event *event, uint64_t when_ps)
{
    event->number = ++queue->insertions;
    event_insert(queue, event, when_ps);
}

/* Removes an event that is scheduled (asserted). */
void event_deschedule(struct event_queue *queue, struct event *event);
/* Moves an event, or schedules it if it is not. */
void event_reschedule(struct event_queue *queue, struct event *event, uint64_t when_ps);

/* The place of an event that is not queued, as if it were scheduled now for when_ps. */
struct event_place {
    uint64_t when_ps, number;
    uint64_t executed;             /* how many events had begun when it was taken */
};

static inline struct event_place event_reserve(struct event_queue *queue, uint64_t when_ps)
{
    return (struct event_place){when_ps, ++queue->insertions, queue->executed};
}

/* Of two events of one tick the one inserted last runs first: one that was there when the executing event began, and
 * has the higher number, has run. */
static inline bool event_has_passed(const struct event_queue *queue, const struct event_place *place)
{
    if (place->when_ps != queue->now_ps)
        return place->when_ps < queue->now_ps;
    return place->executed != queue->executed && place->number > queue->current_number;
}

/* Queues an event at a place that has not passed. Its priority is the default one. */
void event_schedule_reserved(struct event_queue *queue, struct event *event, const struct event_place *place);

/* Tick of the next event, TICK_NEVER if none. */
static inline uint64_t event_queue_next_ps(const struct event_queue *queue)
{
    return queue->count ? queue->slots[queue->count - 1].when_ps : TICK_NEVER;
}

/* Executes the next event if its tick is at most `last_ps`; false if there is none, or the queue was stopped. */
static inline bool event_queue_step(struct event_queue *queue, uint64_t last_ps)
{
    struct event_slot next;

    if (queue->count == 0 || queue->stopped)
        return false;
    next = queue->slots[queue->count - 1];
    if (next.when_ps > last_ps)
        return false;
    queue->count--;
    queue->now_ps = next.when_ps;
    queue->current_number = next.event->number;
    queue->executed++;
    next.event->scheduled = false;
    next.event->handler(next.event->owner);
    return true;
}

#endif
