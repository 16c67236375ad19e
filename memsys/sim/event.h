/* Event queue: pending events in the reference's order (classic-memory 1.3).
 *
 * Order: tick, then priority. Of the default priority the LAST inserted is first: an event inserted for the current
 * tick while another one runs is therefore the very next, and moving an event counts as inserting it anew. Of the exit
 * priority the one of the highest rank is first, whenever it was inserted.
 *
 * Use: event_init each event once, at set-up; event_queue_reserve for as many as exist; then schedule freely. Nothing
 * here allocates after event_queue_reserve, because an event is queued at most once.
 *
 * An event that only matters if a component waits for it need not be queued: event_reserve takes the place in the
 * order that it would have; event_has_passed says later whether it would have run by now; event_schedule_reserved
 * queues it at that place after all (classic-memory 16.3). Units: ticks are picoseconds. Ownership: events belong to
 * the component that embeds them. */
#ifndef MEMSYS_SIM_EVENT_H
#define MEMSYS_SIM_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "base/hints.h"

#define TICK_NEVER UINT64_MAX    /* "INF", MaxTick */

enum event_priority { EVENT_DEFAULT = 0, EVENT_EXIT = 1 };    /* the reference's 0 and 100 */

/* Insertion numbers are higher. */
#define EVENT_HIGHEST_RANK 65535

struct event {
    void (*handler)(void *owner);
    void *owner;
    uint64_t when_ps;              /* valid while scheduled */
    uint64_t number;               /* of the insertion; the same. Of priority EVENT_EXIT: the rank, always */
    bool scheduled;
    bool is_exit;                  /* its priority is EVENT_EXIT */
    bool is_apart;                 /* it affects only one memory and its observers: set after event_init */
    bool leaves_part;              /* it may call components of another queue; likewise */
};

struct event_slot {
    uint64_t when_ps;
    struct event *event;
};

struct event_place;
struct event_queue;
struct event_order;

/* Callbacks of one of several queues of a simulation to the owner of their common order
 * (memsys/fast/event_order.h). */
struct event_queue_fast {
    void (*begin)(struct event_queue *queue);        /* in place of the end of event_queue_run: an event executes */
    bool (*has_passed)(const struct event_queue *queue, const struct event_place *place);    /* one of this tick */
    struct fault (*keep_place)(struct event_queue *queue, struct event_place *place);        /* sim_keep_place */
};

struct event_queue {
    uint64_t now_ps;
    struct event_slot *next;       /* the next event, LAST of the sorted slots: the others need not move for it */
    uint64_t *insertions;          /* their number: own_insertions, or common to several queues */
    uint64_t current_number;       /* insertion number of the event that is executing */
    uint64_t urgent_ps;            /* the last tick in which an event was inserted for that very tick; ... */
    uint64_t urgent_number;        /* ... and the lowest number of those that inserted one there */
    uint64_t horizon_ps;           /* the running event_queue_run executes events before this tick; else 0 */
    uint64_t left;                 /* events that it may execute; at 0 it ends. Of several queues: 1 */
    uint64_t executed_at_end;      /* how many have executed when `left` is 0, modulo 2^64 */
    struct event_slot *slots;      /* slots[0] is a sentinel: TICK_NEVER, no event */
    size_t capacity;
    bool stopped;                  /* see event_queue_stop */
    const struct event_queue_fast *fast;    /* NULL: the only queue of its simulation */
    struct event_order *order;     /* state of `fast` */
    uint64_t own_insertions;
};

/* An event of priority EVENT_EXIT gets rank 0, the last of its tick. */
void event_init(struct event *event, void (*handler)(void *owner), void *owner, enum event_priority priority);
/* Of an event of priority EVENT_EXIT that is not scheduled, of at most EVENT_HIGHEST_RANK (asserted), and of no other
 * event of its queue. */
void event_set_rank(struct event *event, uint64_t rank);

/* Makes room for `count` further events; to be called before anything else. FAULT_MEMORY on failure. The queue may not
 * move in memory afterwards. */
struct fault event_queue_reserve(struct event_queue *queue, size_t count);
void event_queue_free(struct event_queue *queue);

/* event_schedule for an event of priority EVENT_EXIT; for no other. Its place in the tick is that of its rank. */
void event_schedule_exit(struct event_queue *queue, struct event *event, uint64_t when_ps);

/* The event that is executing inserts one for its own tick, which has a higher number, but runs later. */
static inline void event_queue_note_urgent(struct event_queue *queue)
{
    if (queue->urgent_ps != queue->now_ps || queue->current_number < queue->urgent_number) {
        queue->urgent_ps = queue->now_ps;
        queue->urgent_number = queue->current_number;
    }
}

/* The event must not be scheduled, when_ps not in the past (asserted); its priority is the default one. */
void event_schedule(struct event_queue *queue, struct event *event, uint64_t when_ps);

/* The same inlined, for the few most frequent callers. Inlined everywhere the code would be too large for the host's
 * instruction cache, which the code of one miss nearly fills. */
static inline void event_schedule_in_place(struct event_queue *queue, struct event *event, uint64_t when_ps)
{
    struct event_slot *slot;

    assert(!event->scheduled && when_ps >= queue->now_ps);    /* in every build: one too many has no slot */
    event->number = ++*queue->insertions;
    event->when_ps = when_ps;
    event->scheduled = true;
    if (when_ps == queue->now_ps)
        event_queue_note_urgent(queue);
    /* The newest is the first of its tick. */
    for (slot = queue->next++; slot->when_ps < when_ps; slot--) {
        slot[1].when_ps = slot->when_ps;    /* one by one: both may have been written just now */
        slot[1].event = slot->event;
    }
    slot[1].when_ps = when_ps;
    slot[1].event = event;
}

/* Removes an event that is scheduled (asserted). */
void event_deschedule(struct event_queue *queue, struct event *event);
/* Moves an event, or schedules it if it is not. */
void event_reschedule(struct event_queue *queue, struct event *event, uint64_t when_ps);

/* The place of an event that is not queued, as if it were scheduled now for when_ps, which is later than now unless it
 * is queued at once. */
struct event_place {
    uint64_t when_ps, number;
};

static inline struct event_place event_reserve(struct event_queue *queue, uint64_t when_ps)
{
    return (struct event_place){when_ps, ++*queue->insertions};
}

/* Of two events of one tick the one inserted last runs first. So a place has passed when one of its tick with a lower
 * number has begun: the executing one, or one that inserted it, or those that did, in this tick. The number of an event
 * of priority EVENT_EXIT is its rank, lower than all insertions': all places of the default priority have passed. */
static inline bool event_has_passed(const struct event_queue *queue, const struct event_place *place)
{
    if (place->when_ps != queue->now_ps)
        return place->when_ps < queue->now_ps;
    if (queue->fast != NULL)
        return queue->fast->has_passed(queue, place);
    return place->number > queue->current_number
        || (queue->urgent_ps == queue->now_ps && place->number > queue->urgent_number);
}

/* Queues an event at a place that has not passed. Its priority is the default one. */
void event_schedule_reserved(struct event_queue *queue, struct event *event, const struct event_place *place);

/* Events that are queued. */
static inline size_t event_queue_count(const struct event_queue *queue)
{
    return (size_t)(queue->next - queue->slots);
}

/* Tick of the next event, TICK_NEVER if none. */
static inline uint64_t event_queue_next_ps(const struct event_queue *queue)
{
    return queue->next->when_ps;
}

/* The run has come to when_ps, not in the past, and past all events of that tick: none is left in the queue. */
static inline void event_queue_advance(struct event_queue *queue, uint64_t when_ps)
{
    queue->now_ps = when_ps;
    queue->current_number = 0;
}

/* How many events have begun to execute. */
static inline uint64_t event_queue_executed(const struct event_queue *queue)
{
    return queue->executed_at_end - queue->left;
}

/* `left` has become 0: event_queue_run ends; or, with several queues, calls fast->begin for the event that
 * executes. */
void event_queue_left_none(struct event_queue *queue);

static inline void event_queue_count_executed(struct event_queue *queue)
{
    if (--queue->left == 0)
        event_queue_left_none(queue);
}

/* The next event, which must be `event`, counts as executing from now on. */
static inline void event_queue_begin(struct event_queue *queue, struct event *event)
{
    HOT_ASSERT(queue->next->event == event);
    queue->now_ps = queue->next->when_ps;
    queue->next--;
    queue->current_number = event->number;
    event_queue_count_executed(queue);
    event->scheduled = false;
}

/* There must be a next event. */
static inline void event_queue_execute(struct event_queue *queue)
{
    struct event *const event = queue->next->event;

    event_queue_begin(queue, event);
    event->handler(event->owner);
}

/* Executes the next event if its tick is at most `last_ps`; false if no event is due, or the queue was stopped. */
static inline bool event_queue_step(struct event_queue *queue, uint64_t last_ps)
{
    if (queue->next->when_ps > last_ps || !queue->next->event || queue->stopped)
        return false;
    event_queue_execute(queue);
    return true;
}

/* From within a handler: the event_queue_run that is under way returns after it. */
static inline void event_queue_pause(struct event_queue *queue)
{
    queue->horizon_ps = 0;
}

/* The same, and no event will execute from then on. */
static inline void event_queue_stop(struct event_queue *queue)
{
    queue->stopped = true;
    event_queue_pause(queue);
}

/* Executes events up to and including those of tick `last_ps`, and at most `max_events`, until the queue is stopped. */
void event_queue_run(struct event_queue *queue, uint64_t last_ps, uint64_t max_events);

/* For a handler whose very last action is to schedule `event`, which must be its own: true if nothing can come between.
 * The handler then continues at once as if event_queue_run had called it again, at when_ps. Otherwise `event` is
 * scheduled. */
static inline bool event_continue(struct event_queue *queue, struct event *event, uint64_t when_ps)
{
    /* Of one tick the last inserted goes first, so events of that very tick come later. */
    if (queue->next->when_ps < when_ps || when_ps >= queue->horizon_ps) {
        event_schedule_in_place(queue, event, when_ps);
        return false;
    }
    if (when_ps == queue->now_ps)
        event_queue_note_urgent(queue);
    queue->now_ps = when_ps;
    queue->current_number = ++*queue->insertions;
    event_queue_count_executed(queue);
    return true;
}

/* The event that event_queue_run would execute next, NULL if none: for a handler that has nothing left to do. It may do
 * what the event's handler would do, after event_queue_begin, and ask again. */
static inline struct event *event_queue_upcoming(const struct event_queue *queue)
{
    return queue->next->when_ps < queue->horizon_ps ? queue->next->event : NULL;
}

#endif
