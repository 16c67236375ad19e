/* Calendar: many things that are due at edges of one clock, with one event for all of them.
 *
 * Items are numbers below a count. Those due at an edge are handled in the order in which they were put there, by one
 * event; without items no event is scheduled. Putting and taking one costs the same however many there are, where the
 * event queue (memsys/sim/event.h) would move its neighbours.
 *
 * Use: gpu_calendar_init, gpu_calendar_grow when there are more items, gpu_calendar_put. An item is in the calendar at
 * most once, and no longer when its handler is called. Units: ticks are picoseconds. Ownership: the calendar must not
 * move after init; it owns its arrays. */
#ifndef MEMSYS_GPU_CALENDAR_H
#define MEMSYS_GPU_CALENDAR_H

#include "memsys/sim/sim.h"

enum { GPU_CALENDAR_CYCLES = 4096, GPU_CALENDAR_WORDS = GPU_CALENDAR_CYCLES / 64 };

struct gpu_calendar_item {
    uint64_t cycle;
    uint32_t next;
};

struct gpu_calendar_day {
    uint32_t first, last;                /* items; valid if the day's bit is set */
};

struct gpu_calendar {
    struct sim *sim;
    struct clock_domain clock;
    void (*handle)(void *owner, uint32_t item);
    void (*is_next)(const void *owner, uint32_t item);      /* NULL, or: the item is handled after the present one */
    void *owner;
    struct event event;
    bool is_handling;
    uint64_t first_cycle;                /* the first that may still be handled */
    uint64_t used[GPU_CALENDAR_WORDS];   /* days with items */
    struct gpu_calendar_day days[GPU_CALENDAR_CYCLES];   /* cycles from first_cycle on, modulo their number */
    struct gpu_calendar_item *items;
};

/* Reserves its one event. */
struct fault gpu_calendar_init(struct gpu_calendar *calendar, struct sim *sim, uint64_t period_ps, uint32_t items,
                               void (*handle)(void *owner, uint32_t item), void *owner);
void gpu_calendar_free(struct gpu_calendar *calendar);

/* Aborts when out of memory, as the pool of packets does. */
void gpu_calendar_grow(struct gpu_calendar *calendar, uint32_t items);

/* The item is handled at the first edge not before when_ps whose turn has not passed. */
void gpu_calendar_put(struct gpu_calendar *calendar, uint32_t item, uint64_t when_ps);

#endif
