/* Order of events of several queues, of which one may be ahead of another: that of one common queue
 * (memsys/sim/event.h).
 *
 * Shortcut: parts of a simulation that seldom concern each other have queues of their own, and each executes
 * many events in a row. Why the result is the same is explained in event_order.c;
 * tests/unit/memsys/sim/test_event_order.c compares it with one queue.
 *
 * Use: event_order_init; event_order_join for each queue, before it has events, and before components tell their places
 * (sim_keep_place). The queues are not executed by event_queue_run, but event for event: who does that asks
 * event_order_is_before where two of one tick could concern each other, and says event_order_settle now and then, when
 * all queues have come to one tick.
 *
 * Precondition: the events that one queue executes, and those of others that call what belongs to it, take
 * place in the right order. Ownership: all is the order's; places are borrowed. */
#ifndef MEMSYS_FAST_EVENT_ORDER_H
#define MEMSYS_FAST_EVENT_ORDER_H

#include "memsys/sim/event.h"

/* Something that is ahead, while numbers are given anew. */
struct event_ahead {
    uint64_t when_ps;
    uint64_t *number;
};

/* The order found for two events. */
struct event_verdict {
    uint64_t first, second;          /* numbers; the first comes before the second */
};

struct event_order {
    uint64_t last;                   /* number of the last insertion */
    uint64_t settled;                /* numbers up to there tell the order; it is not known where they come from */
    uint64_t settled_ps;             /* later numbers are of insertions in that tick or later */
    uint64_t steps;                  /* that event_order_is_before took since */
    uint64_t filled;                 /* numbers up to there have said where they come from; the others come from: */
    uint64_t current;                /* event_order_origin */
    uint64_t *next;                  /* of the number after */
    uint64_t *end;                   /* more room is due when it comes there */
    uint64_t *origins;               /* of number n at [n - settled - 1] */
    size_t capacity;
    struct event_verdict *verdicts;  /* recent results, indexed by a hash of their numbers */
    struct event_place **places;
    size_t place_count, place_capacity;
    struct event_ahead *ahead;       /* room for event_order_settle, twice what may be ahead */
    size_t ahead_capacity;
    const struct sim *sim;
};

/* FAULT_MEMORY. event_order_free is due in any case. sim: for sim_out_of_memory; NULL: none. */
struct fault event_order_init(struct event_order *order, const struct sim *sim);
void event_order_free(struct event_order *order);
/* It becomes one of the queues. */
void event_order_join(struct event_order *order, struct event_queue *queue);
/* FAULT_MEMORY */
struct fault event_order_keep(struct event_order *order, struct event_place *place);

enum { EVENT_ORDER_AT_ONCE = 4 };    /* origins that are written, if need be or not */

/* Use event_order_begin: its rare half. The insertions that have not said where they come from come from there. */
void event_order_fill(struct event_order *order, uint64_t origin);

/* When an insertion took place, and the number of the event that was executing, modulo 2^32 both, in one word, since it
 * is written and read as one. */
static inline uint64_t event_order_origin(uint64_t now_ps, uint64_t number)
{
    return number << 32 | (uint32_t)now_ps;
}

/* An event of that number executes from now on, in the tick now_ps. The few events inserted since the last call are
 * recorded as children of the previous event. */
static inline void event_order_begin(struct event_order *order, uint64_t now_ps, uint64_t number)
{
    uint64_t *const to = order->next, count = order->last - order->filled, current = order->current;

    order->current = event_order_origin(now_ps, number);
    if (unlikely(count > EVENT_ORDER_AT_ONCE || to >= order->end)) {
        event_order_fill(order, current);
        return;
    }
    for (unsigned i = 0; i < EVENT_ORDER_AT_ONCE; i++)
        to[i] = current;
    order->next = to + count;
    order->filled += count;
}

/* event_order_settle is due before this many picoseconds have passed. */
#define EVENT_ORDER_MOST_PS (UINT32_C(1) << 31)

/* Insertions since. */
static inline uint64_t event_order_unsettled(const struct event_order *order)
{
    return order->last - order->settled;
}

/* Does the first of two events of the tick when_ps, given by their numbers, execute before the second? */
bool event_order_is_before(struct event_order *order, uint64_t first, uint64_t second, uint64_t when_ps);

/* Call when no event before now_ps is left in any of the queues: forgets the origins of earlier events.
 * FAULT_MEMORY. */
struct fault event_order_settle(struct event_order *order, struct event_queue *const *queues, size_t count,
                                uint64_t now_ps);

#endif
