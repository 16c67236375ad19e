/* A ring of days, one a cycle, and a bit for each that is not empty. An item due beyond the end of the ring waits in
 * its last day, and is then put in again.
 *
 * Invariant: the event is scheduled at the first day that has items, if there is any. */
#include "memsys/gpu/calendar.h"

#include <stdlib.h>

#include "base/list.h"

static uint64_t next_used(const struct gpu_calendar *calendar, uint64_t cycle)
{
    unsigned const day = (unsigned)(cycle % GPU_CALENDAR_CYCLES);
    uint64_t word = calendar->used[day / 64] >> day % 64;

    if (word != 0)
        return cycle + (unsigned)__builtin_ctzll(word);
    cycle += 64 - day % 64;
    for (unsigned i = 1; i <= GPU_CALENDAR_WORDS; i++, cycle += 64) {
        word = calendar->used[(day / 64 + i) % GPU_CALENDAR_WORDS];
        if (word != 0)
            return cycle + (unsigned)__builtin_ctzll(word);
    }
    return TICK_NEVER;
}

static void insert(struct gpu_calendar *calendar, uint32_t item, uint64_t cycle)
{
    unsigned const place = (unsigned)(min_u64(cycle, calendar->first_cycle + GPU_CALENDAR_CYCLES - 1)
                                      % GPU_CALENDAR_CYCLES);
    struct gpu_calendar_day *const day = &calendar->days[place];
    uint64_t const bit = UINT64_C(1) << place % 64;

    calendar->items[item].cycle = cycle;
    calendar->items[item].next = UINT32_MAX;
    if (calendar->used[place / 64] & bit)
        calendar->items[day->last].next = item;
    else
        day->first = item;
    day->last = item;
    calendar->used[place / 64] |= bit;
}

static void on_edge(void *owner)
{
    struct gpu_calendar *const calendar = owner;
    uint64_t const cycle = domain_quotient(calendar->clock, sim_now_ps(calendar->sim));
    unsigned const place = (unsigned)(cycle % GPU_CALENDAR_CYCLES);
    uint32_t item = calendar->days[place].first;
    uint64_t next;

    calendar->used[place / 64] &= ~(UINT64_C(1) << place % 64);
    calendar->first_cycle = cycle;
    calendar->is_handling = true;            /* the event looks for the next day itself, below */
    while (item != UINT32_MAX) {
        uint32_t const following = calendar->items[item].next;

        if (calendar->is_next && following != UINT32_MAX)
            calendar->is_next(calendar->owner, following);
        if (calendar->items[item].cycle > cycle)
            insert(calendar, item, calendar->items[item].cycle);
        else
            calendar->handle(calendar->owner, item);
        item = following;
        if (item == UINT32_MAX && calendar->used[place / 64] & UINT64_C(1) << place % 64) {
            item = calendar->days[place].first;          /* items that were put there meanwhile */
            calendar->used[place / 64] &= ~(UINT64_C(1) << place % 64);
        }
    }
    calendar->is_handling = false;
    calendar->first_cycle = cycle + 1;
    next = next_used(calendar, cycle + 1);
    if (next != TICK_NEVER)
        event_schedule(&calendar->sim->events, &calendar->event, next * calendar->clock.period_ps);
}

struct fault gpu_calendar_init(struct gpu_calendar *calendar, struct sim *sim, uint64_t period_ps, uint32_t items,
                               void (*handle)(void *owner, uint32_t item), void *owner)
{
    *calendar = (struct gpu_calendar){.sim = sim, .clock = clock_domain(period_ps), .handle = handle, .owner = owner};
    event_init(&calendar->event, on_edge, calendar, EVENT_DEFAULT);
    calendar->items = calloc(items, sizeof *calendar->items);
    if (!calendar->items)
        return fault_make(FAULT_MEMORY, "out of memory for a calendar of %u items", items);
    return event_queue_reserve(&sim->events, 1);
}

void gpu_calendar_free(struct gpu_calendar *calendar)
{
    if (calendar->event.scheduled)
        event_deschedule(&calendar->sim->events, &calendar->event);
    free(calendar->items);
    calendar->items = NULL;
}

void gpu_calendar_grow(struct gpu_calendar *calendar, uint32_t items)
{
    if (!list_resize(&calendar->items, items, sizeof *calendar->items))
        sim_out_of_memory(calendar->sim);
}

void gpu_calendar_put(struct gpu_calendar *calendar, uint32_t item, uint64_t when_ps)
{
    struct event_queue *const events = &calendar->sim->events;
    uint64_t const now_ps = sim_now_ps(calendar->sim);
    uint64_t cycle = domain_cycles(calendar->clock, max_u64(when_ps, now_ps)), day_ps;

    if (!calendar->event.scheduled && calendar->first_cycle * calendar->clock.period_ps < now_ps)
        calendar->first_cycle = domain_cycles(calendar->clock, now_ps);
    cycle = max_u64(cycle, calendar->first_cycle);
    insert(calendar, item, cycle);
    day_ps = min_u64(cycle, calendar->first_cycle + GPU_CALENDAR_CYCLES - 1) * calendar->clock.period_ps;
    if (!calendar->is_handling && (!calendar->event.scheduled || day_ps < calendar->event.when_ps))
        event_reschedule(events, &calendar->event, day_ps);
}
