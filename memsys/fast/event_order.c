/* Modelled: the reference's event order (classic-memory 1.3), derived from the origins of events.
 *
 * Of two events of one tick the one inserted last executes first. Which was inserted last? If that was in different
 * ticks, these tell. In the same tick they were inserted by events of that tick, of which the one that executed later
 * did it later: so the question is the same for these two, with the answer turned round. One event inserted both: then
 * their numbers tell, as an event executes in one piece, and numbers grow.
 *
 * Cores that replay the same trace do the same in the same ticks, so this recursion can be long. Therefore the answers
 * for some of the pairs on the way are kept.
 *
 * An event that was inserted for the very tick in which that took place comes right after the one that inserted it: so
 * of such the events count from which they come, as far as that differs.
 *
 * Where events come from is kept since the last event_order_settle, which renumbers all pending events in the reverse
 * of their order: an event with one of these numbers was inserted before every event with a greater one.
 *
 * Aborts when memory runs out in the midst of a run, as the pool of packets does. */
#include "memsys/fast/event_order.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "memsys/sim/out_of_memory.h"

enum {
    FIRST_ORIGINS = 4096, SPARE_ORIGINS = EVENT_ORDER_AT_ONCE + 1,
    VERDICTS = 1024,
    VERDICT_STEP = 8,                /* verdicts are kept of events whose numbers are multiples of that */
    MOST_QUESTIONS = 256             /* of one walk, that become verdicts */
};

static struct fault event_order_out_of_memory(void)
{
    return fault_make(FAULT_MEMORY, "out of memory for the order of events");
}

struct fault event_order_init(struct event_order *order, const struct sim *sim)
{
    *order = (struct event_order){.sim = sim, .capacity = FIRST_ORIGINS};
    order->origins = malloc(order->capacity * sizeof *order->origins);
    order->verdicts = calloc(VERDICTS, sizeof *order->verdicts);
    if (!order->origins || !order->verdicts)
        return event_order_out_of_memory();
    order->next = order->origins;
    order->end = order->origins + order->capacity - SPARE_ORIGINS;
    return fault_none();
}

void event_order_free(struct event_order *order)
{
    free(order->origins);
    free(order->verdicts);
    free(order->places);
    free(order->ahead);
    *order = (struct event_order){0};
}

struct fault event_order_keep(struct event_order *order, struct event_place *place)
{
    if (!list_fit(&order->places, order->place_count + 1, &order->place_capacity, sizeof *order->places))
        return event_order_out_of_memory();
    order->places[order->place_count++] = place;
    return fault_none();
}

static void event_order_grow(struct event_order *order)
{
    size_t const used = (size_t)(order->next - order->origins), capacity = 2 * order->capacity;

    if (!list_resize(&order->origins, capacity, sizeof *order->origins))
        sim_out_of_memory(order->sim);
    order->capacity = capacity;
    order->next = order->origins + used;
    order->end = order->origins + capacity - SPARE_ORIGINS;
}

NOINLINE void event_order_fill(struct event_order *order, uint64_t origin)
{
    for (; order->filled < order->last; order->filled++) {
        *order->next++ = origin;
        if (order->next >= order->end)
            event_order_grow(order);
    }
}

/* ---- the order */

/* As numbers, if it is known. */
struct origin {
    bool is_known;
    uint64_t when_ps, parent;
};

static struct origin origin_of(const struct event_order *order, uint64_t number)
{
    uint64_t origin;

    if (number <= order->settled)
        return (struct origin){.is_known = false};
    origin = order->origins[number - order->settled - 1];
    return (struct origin){true, order->settled_ps + ((uint32_t)origin - (uint32_t)order->settled_ps),
                           number - ((uint32_t)number - (uint32_t)(origin >> 32))};
}

/* The event that was inserted in an earlier tick from which this one comes, itself included. */
static uint64_t root_of(const struct event_order *order, uint64_t number, uint64_t when_ps)
{
    struct origin origin = origin_of(order, number);

    while (origin.is_known && origin.when_ps == when_ps) {
        number = origin.parent;
        origin = origin_of(order, number);
    }
    return number;
}

/* Both come from one event of the tick; they differ. */
static bool is_before_of_one_root(const struct event_order *order, uint64_t first, uint64_t second, uint64_t root)
{
    uint64_t of_first = 0;           /* the event inserted by `a` on the way to the first; 0: `a` is the first */

    for (uint64_t a = first;; of_first = a, a = origin_of(order, a).parent) {
        uint64_t of_second = 0;

        for (uint64_t b = second;; of_second = b, b = origin_of(order, b).parent) {
            if (a == b)
                return of_first == 0 || (of_second != 0 && of_first > of_second);
            if (b == root)
                break;
        }
    }
}

static struct event_verdict *verdict_of(const struct event_order *order, uint64_t a, uint64_t b)
{
    return &order->verdicts[((a ^ b) / VERDICT_STEP * 31 + a / VERDICT_STEP + b / VERDICT_STEP) % VERDICTS];
}

/* Pairs that came up on the way, and whether the first comes before the second if that is so of those asked for. */
struct questions {
    unsigned count;
    struct { uint64_t a, b; bool is_same; } pairs[MOST_QUESTIONS];
};

static bool keep_verdicts(const struct event_order *order, const struct questions *questions, bool is_before)
{
    for (unsigned i = 0; i < questions->count; i++) {
        uint64_t const a = questions->pairs[i].a, b = questions->pairs[i].b;

        *verdict_of(order, a, b) = questions->pairs[i].is_same == is_before ? (struct event_verdict){a, b}
                                                                            : (struct event_verdict){b, a};
    }
    return is_before;
}

bool event_order_is_before(struct event_order *order, uint64_t first, uint64_t second, uint64_t when_ps)
{
    struct questions questions;
    bool is_same = true;             /* the answer for the pair that has come up is that for those asked for */

    questions.count = 0;
    event_order_fill(order, order->current);
    for (;;) {
        uint64_t const a = root_of(order, first, when_ps), b = root_of(order, second, when_ps);
        struct origin const from_a = origin_of(order, a), from_b = origin_of(order, b);

        order->steps++;
        if (a == b)
            return keep_verdicts(order, &questions, is_before_of_one_root(order, first, second, a) == is_same);
        if (!from_a.is_known || !from_b.is_known || from_a.parent == from_b.parent)
            return keep_verdicts(order, &questions, (a > b) == is_same);
        if (from_a.when_ps != from_b.when_ps)
            return keep_verdicts(order, &questions, (from_a.when_ps > from_b.when_ps) == is_same);
        if (a % VERDICT_STEP == 0) {
            const struct event_verdict *const verdict = verdict_of(order, a, b);

            if (verdict->first == a && verdict->second == b)
                return keep_verdicts(order, &questions, is_same);
            if (verdict->first == b && verdict->second == a)
                return keep_verdicts(order, &questions, !is_same);
            if (questions.count < MOST_QUESTIONS) {
                questions.pairs[questions.count].a = a;
                questions.pairs[questions.count].b = b;
                questions.pairs[questions.count++].is_same = is_same;
            }
        }
        when_ps = from_a.when_ps;
        first = from_a.parent;
        second = from_b.parent;
        is_same = !is_same;
    }
}

static bool has_passed(const struct event_queue *queue, const struct event_place *place)
{
    return place->number != queue->current_number
        && event_order_is_before(queue->order, place->number, queue->current_number, queue->now_ps);
}

/* ---- one of the queues */

static void event_order_begin_part(struct event_queue *queue)
{
    queue->left = 1;
    queue->executed_at_end++;
    event_order_begin(queue->order, queue->now_ps, queue->current_number);    /* last, so that it needs no frame */
}

static struct fault keep_place(struct event_queue *queue, struct event_place *place)
{
    return event_order_keep(queue->order, place);
}

void event_order_join(struct event_order *order, struct event_queue *queue)
{
    static const struct event_queue_fast fast = {event_order_begin_part, has_passed, keep_place};

    queue->fast = &fast;
    queue->order = order;
    queue->insertions = &order->last;
    queue->left = queue->executed_at_end = 1;
}

/* ---- new numbers */

static bool comes_before(struct event_order *order, const struct event_ahead *first,
                         const struct event_ahead *second)
{
    if (first->when_ps != second->when_ps)
        return first->when_ps < second->when_ps;
    return *first->number != *second->number
        && event_order_is_before(order, *first->number, *second->number, first->when_ps);
}

/* Sorts by merging; `room` is as long. */
static void sort(struct event_order *order, struct event_ahead *ahead, struct event_ahead *room, size_t count)
{
    size_t const half = count / 2;
    size_t i = 0, j = half;

    if (count < 2)
        return;
    sort(order, ahead, room, half);
    sort(order, ahead + half, room, count - half);
    if (!comes_before(order, &ahead[half], &ahead[half - 1]))
        return;
    memcpy(room, ahead, half * sizeof *room);
    for (size_t k = 0; i < half; k++)
        ahead[k] = j < count && comes_before(order, &ahead[j], &room[i]) ? ahead[j++] : room[i++];
}

struct fault event_order_settle(struct event_order *order, struct event_queue *const *queues, size_t count,
                                uint64_t now_ps)
{
    size_t ahead_count = order->place_count;

    for (size_t i = 0; i < count; i++)
        ahead_count += event_queue_count(queues[i]);
    if (!list_fit(&order->ahead, 2 * ahead_count, &order->ahead_capacity, sizeof *order->ahead))
        return event_order_out_of_memory();
    event_order_fill(order, order->current);
    ahead_count = 0;
    for (size_t i = 0; i < count; i++)
        for (const struct event_slot *slot = queues[i]->next; slot->event; slot--)
            order->ahead[ahead_count++] = (struct event_ahead){slot->when_ps, &slot->event->number};
    for (size_t i = 0; i < order->place_count; i++) {
        struct event_place *const place = order->places[i];

        if (place->when_ps >= now_ps && place->when_ps < TICK_NEVER)
            order->ahead[ahead_count++] = (struct event_ahead){place->when_ps, &place->number};
    }
    sort(order, order->ahead, order->ahead + ahead_count, ahead_count);
    order->last += ahead_count;
    for (size_t i = 0; i < ahead_count; i++)
        *order->ahead[i].number = order->last - i;
    order->settled = order->filled = order->last;
    order->next = order->origins;
    order->settled_ps = now_ps;
    order->steps = 0;
    return fault_none();
}
