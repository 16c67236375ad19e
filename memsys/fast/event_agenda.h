/* Agendas: one event queue for several domains that concern each other in nothing, each of which has it for a time.
 *
 * Use: event_agenda_init for each domain, when all events are reserved; event_queue_exchange to give another the queue.
 * Shortcut: a simulation of several domains in one queue goes from one to the other with nearly every event; so each
 * is simulated in one go, while it and its tables stay in the host's caches. The result is the same because no event
 * of a domain calls, or reads, a component of another: then only the order within each matters, which an agenda keeps
 * (numbers continue to grow, and the executing event's number belongs to the agenda). Compared with the one queue by
 * tests/unit/memsys/sim/test_event.c and, for whole systems, by the tests of replay/fast/lookahead.h. */
#ifndef MEMSYS_FAST_EVENT_AGENDA_H
#define MEMSYS_FAST_EVENT_AGENDA_H

#include "memsys/sim/event.h"

/* The events of a queue, and its tick: for a simulation of several independent parts that use the queue in turn. */
struct event_agenda {
    uint64_t now_ps, current_number, urgent_ps, urgent_number;
    struct event_slot *slots, *next;
};

/* Makes an empty agenda at tick 0, for a queue whose events are all reserved. FAULT_MEMORY. */
struct fault event_agenda_init(struct event_agenda *agenda, const struct event_queue *queue);
void event_agenda_free(struct event_agenda *agenda);
/* Exchanges the contents of the queue and the agenda; the queue continues with the agenda's events. Not while events
 * are executed. */
void event_queue_exchange(struct event_queue *queue, struct event_agenda *agenda);

#endif
