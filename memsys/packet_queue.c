/* Modelled: classic-memory 3.2. The entries are a ring that doubles when it is full: a dozen entries as a rule, so
 * insertion from the tail moves few of them, and the head leaves without moving any. */
#include "memsys/packet_queue.h"

#include <stdlib.h>

#define FIRST_CAPACITY 16

static struct packet_queue_entry *entry_at(const struct packet_queue *queue, uint32_t place)
{
    return &queue->entries[(queue->head + place) & (queue->capacity - 1)];
}

static void schedule_send(struct packet_queue *queue, uint64_t when_ps)
{
    struct event_queue *const events = &queue->sim->events;

    if (queue->waiting_for_retry || when_ps == TICK_NEVER)
        return;
    when_ps = max_u64(when_ps, events->now_ps + 1);
    if (!queue->send_event.scheduled)
        event_schedule(events, &queue->send_event, when_ps);
    else if (when_ps < queue->send_event.when_ps)
        event_reschedule(events, &queue->send_event, when_ps);
}

/* The head is out of the queue while it is transmitted: a push nested in the transmission must not see it. */
static void send_head(void *owner)
{
    struct packet_queue *const queue = owner;
    struct packet_queue_entry const head = *entry_at(queue, 0);

    queue->head = (queue->head + 1) & (queue->capacity - 1);
    queue->count--;
    queue->waiting_for_retry = !queue->transmit(queue->owner, head.packet);
    if (queue->waiting_for_retry) {
        assert(queue->count < queue->capacity);
        queue->head = (queue->head - 1) & (queue->capacity - 1);
        queue->count++;
        *entry_at(queue, 0) = head;
    } else {
        schedule_send(queue, packet_queue_next_ps(queue));
    }
}

static void grow(struct packet_queue *queue)
{
    uint32_t const capacity = queue->capacity * 2;
    struct packet_queue_entry *const entries = malloc(capacity * sizeof *entries);

    if (!entries)
        abort();
    for (uint32_t i = 0; i < queue->count; i++)
        entries[i] = *entry_at(queue, i);
    free(queue->entries);
    queue->entries = entries;
    queue->capacity = capacity;
    queue->head = 0;
}

struct fault packet_queue_init(struct packet_queue *queue, struct sim *sim,
                               bool (*transmit)(void *owner, struct packet *packet), void *owner,
                               bool keep_address_order)
{
    *queue = (struct packet_queue){.sim = sim, .transmit = transmit, .owner = owner, .capacity = FIRST_CAPACITY,
                                   .keep_address_order = keep_address_order};
    event_init(&queue->send_event, send_head, queue, EVENT_DEFAULT);
    queue->entries = malloc(FIRST_CAPACITY * sizeof *queue->entries);
    if (!queue->entries)
        return fault_make(FAULT_MEMORY, "out of memory for a packet queue");
    return event_queue_reserve(&sim->events, 1);
}

void packet_queue_free(struct packet_queue *queue)
{
    for (uint32_t i = 0; i < queue->count; i++)
        packet_give(&queue->sim->packets, entry_at(queue, i)->packet);
    free(queue->entries);
    queue->entries = NULL;
    queue->count = 0;
}

void packet_queue_push(struct packet_queue *queue, struct packet *packet, uint64_t when_ps)
{
    uint32_t place = queue->count;

    assert(when_ps >= sim_now_ps(queue->sim));
    if (queue->count + 1 >= queue->capacity)    /* one place stays free for a refused head */
        grow(queue);
    while (place > 0) {
        struct packet_queue_entry const *const earlier = entry_at(queue, place - 1);

        if (earlier->when_ps <= when_ps
            || (queue->keep_address_order && earlier->packet->address == packet->address))
            break;
        *entry_at(queue, place) = *earlier;
        place--;
    }
    *entry_at(queue, place) = (struct packet_queue_entry){when_ps, packet};
    queue->count++;
    if (place == 0)
        schedule_send(queue, when_ps);
}

void packet_queue_retry(struct packet_queue *queue)
{
    queue->waiting_for_retry = false;
    send_head(queue);
}

uint64_t packet_queue_next_ps(const struct packet_queue *queue)
{
    return queue->count ? entry_at(queue, 0)->when_ps : TICK_NEVER;
}

bool packet_queue_holds_line(const struct packet_queue *queue, uint64_t line_address)
{
    for (uint32_t i = 0; i < queue->count; i++)
        if (sim_line_address(queue->sim, entry_at(queue, i)->packet->address) == line_address)
            return true;
    return false;
}
