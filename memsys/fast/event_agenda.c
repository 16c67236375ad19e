/* Agendas (event_agenda.h). */
#include "memsys/fast/event_agenda.h"

#include <stdlib.h>

struct fault event_agenda_init(struct event_agenda *agenda, const struct event_queue *queue)
{
    struct event_slot *const slots = malloc((queue->capacity + 1) * sizeof *slots);

    if (!slots)
        return fault_make(FAULT_MEMORY, "out of memory for %zu events", queue->capacity);
    slots[0] = (struct event_slot){TICK_NEVER, NULL};
    *agenda = (struct event_agenda){.slots = slots, .next = slots};
    return fault_none();
}

void event_agenda_free(struct event_agenda *agenda)
{
    free(agenda->slots);
    *agenda = (struct event_agenda){0};
}

void event_queue_exchange(struct event_queue *queue, struct event_agenda *agenda)
{
    struct event_agenda const other = *agenda;

    assert(!queue->fast && queue->horizon_ps == 0);
    *agenda = (struct event_agenda){queue->now_ps, queue->current_number, queue->urgent_ps, queue->urgent_number,
                                    queue->slots, queue->next};
    queue->now_ps = other.now_ps;
    queue->current_number = other.current_number;
    queue->urgent_ps = other.urgent_ps;
    queue->urgent_number = other.urgent_number;
    queue->slots = other.slots;
    queue->next = other.next;
}
