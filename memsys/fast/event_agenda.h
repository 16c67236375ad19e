/* Agendas: one event queue for several domains that concern each other in nothing, each of which has it for a time.
 *
 * Use: event_agenda_init for each domain, when all events are reserved; event_queue_exchange to give another the queue.
 * What is shortened: a simulation of several domains in one queue goes from one to the other with nearly every event;
 * so each is simulated in one go, while it and its tables stay in the host's caches. The result is the same because no
 * event of a domain calls, or reads, what belongs to another: then only the order within each matters, and that an
 * agenda keeps (numbers go on growing, and the executing event's number goes with the agenda). Compared with the one
 * queue by tests/unit/memsys/sim/test_event.c and, for whole systems, by the tests of replay/fast/domains.h. */
#ifndef MEMSYS_FAST_EVENT_AGENDA_H
#define MEMSYS_FAST_EVENT_AGENDA_H

#include "memsys/sim/event.h"

/* What stands in a queue, and the tick it has come to: for a simulation of several parts that concern each other in
 * nothing, of which one after the other has the queue. */
struct event_agenda {
    uint64_t now_ps, current_number, urgent_ps, urgent_number;
    struct event_slot *slots, *next;
};

/* An empty one, at tick 0, for a queue for which all events were reserved. FAULT_MEMORY. */
struct fault event_agenda_init(struct event_agenda *agenda, const struct event_queue *queue);
void event_agenda_free(struct event_agenda *agenda);
/* The queue goes on with what the agenda holds, which holds what the queue did. Not while events are executed. */
void event_queue_exchange(struct event_queue *queue, struct event_agenda *agenda);

#endif
