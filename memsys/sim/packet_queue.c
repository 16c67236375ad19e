/* Modelled: classic-memory 3.2. The entries are a ring that doubles when it is full: a dozen entries as a rule, so
 * insertion from the tail moves few of them, and the head leaves without moving any. */
#include "memsys/sim/packet_queue.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 16

static bool transmit(const struct packet_queue *queue, struct packet *packet)
{
    const struct above *const above = queue->above;

    if (!above)
        return queue->transmit(queue->owner, packet);
    return above->ops->recv_response(above->self, packet, above->port);
}

void packet_queue_put_back(struct packet_queue *queue, struct packet *packet, uint64_t when_ps)
{
    assert(packet_queue_count(queue) <= queue->mask);
    queue->head--;
    *packet_queue_entry_at(queue, 0) = (struct packet_queue_entry){when_ps, packet->address, packet, 0};
}

void packet_queue_send_packet(struct packet_queue *queue)
{
    const struct packet_queue_entry *const head = packet_queue_entry_at(queue, 0);
    struct packet *const packet = head->packet;
    uint64_t const when_ps = head->when_ps;

    queue->head++;
    queue->waiting_for_retry = !transmit(queue, packet);
    if (queue->waiting_for_retry)
        packet_queue_put_back(queue, packet, when_ps);
    else if (queue->tail != queue->head)
        packet_queue_schedule(queue, packet_queue_entry_at(queue, 0)->when_ps);
}

static void send_head(void *owner)
{
    packet_queue_send_packet(owner);
}

static void packet_queue_grow(struct packet_queue *queue)
{
    uint32_t const capacity = (queue->mask + 1) * 2, count = packet_queue_count(queue);
    struct packet_queue_entry *const entries = malloc(capacity * sizeof *entries);

    if (!entries)
        sim_out_of_memory(queue->sim);
    for (uint32_t i = 0; i < count; i++)
        entries[i] = *packet_queue_entry_at(queue, i);
    free(queue->entries);
    queue->entries = entries;
    queue->mask = capacity - 1;
    queue->head = 0;
    queue->tail = count;
}

static struct fault init(struct packet_queue *queue)
{
    queue->mask = FIRST_CAPACITY - 1;
    event_init(&queue->send_event, send_head, queue, EVENT_DEFAULT);
    queue->entries = malloc(FIRST_CAPACITY * sizeof *queue->entries);
    if (!queue->entries)
        return fault_make(FAULT_MEMORY, "out of memory for a packet queue");
    return event_queue_reserve(&queue->sim->events, 1);
}

struct fault packet_queue_init(struct packet_queue *queue, struct sim *sim,
                               bool (*transmit_packet)(void *owner, struct packet *packet), void *owner,
                               bool keep_address_order)
{
    *queue = (struct packet_queue){.sim = sim, .transmit = transmit_packet, .owner = owner,
                                   .keep_address_order = keep_address_order};
    return init(queue);
}

struct fault packet_queue_init_responses(struct packet_queue *queue, struct sim *sim, const struct above *above,
                                         bool keep_address_order)
{
    *queue = (struct packet_queue){.sim = sim, .above = above, .keep_address_order = keep_address_order};
    return init(queue);
}

void packet_queue_free(struct packet_queue *queue)
{
    for (uint32_t i = 0; i < packet_queue_count(queue); i++)
        if (packet_queue_entry_at(queue, i)->packet)
            packet_give(queue->sim->packets, packet_queue_entry_at(queue, i)->packet);
    free(queue->entries);
    queue->entries = NULL;
    queue->head = queue->tail = 0;
}

void packet_queue_insert(struct packet_queue *queue, uint64_t when_ps, uint64_t address, struct packet *packet,
                         uint64_t token)
{
    uint32_t const count = packet_queue_count(queue);
    uint32_t place = count;

    assert(when_ps >= sim_now_ps(queue->sim));
    if (count >= queue->mask)
        packet_queue_grow(queue);
    while (place > 0) {
        struct packet_queue_entry const *const earlier = packet_queue_entry_at(queue, place - 1);

        if (earlier->when_ps <= when_ps
            || (queue->keep_address_order && earlier->address == address))
            break;
        *packet_queue_entry_at(queue, place) = *earlier;
        place--;
    }
    *packet_queue_entry_at(queue, place) = (struct packet_queue_entry){when_ps, address, packet, token};
    queue->tail++;
    if (place == count)
        queue->last_ps = when_ps;
    if (place == 0)
        packet_queue_schedule(queue, when_ps);
}

void packet_queue_retry(struct packet_queue *queue)
{
    queue->waiting_for_retry = false;
    packet_queue_send_packet(queue);
}

bool packet_queue_holds_line(const struct packet_queue *queue, uint64_t line_address)
{
    for (uint32_t i = 0; i < packet_queue_count(queue); i++)
        if (sim_line_address(queue->sim, packet_queue_entry_at(queue, i)->address) == line_address)
            return true;
    return false;
}

bool packet_queue_is_settled(const struct packet_queue *queue)
{
    return !queue->waiting_for_retry && queue->send_event.scheduled == (packet_queue_count(queue) > 0);
}

bool packet_queue_take_snapshot(const struct packet_queue *queue, struct packet_queue_snapshot *snapshot)
{
    snapshot->next_ps = queue->send_event.when_ps;
    snapshot->last_ps = queue->last_ps;
    snapshot->count = packet_queue_count(queue);
    if (snapshot->count > PACKET_QUEUE_SNAPSHOT_ENTRIES)
        return false;
    for (uint32_t i = 0; i < snapshot->count; i++) {
        snapshot->entries[i] = *packet_queue_entry_at(queue, i);
        if (snapshot->entries[i].packet)
            return false;
    }
    return true;
}

bool packet_queue_suspend(struct packet_queue *queue, struct event_place *place)
{
    struct event *const event = &queue->send_event;

    if (!event->scheduled)
        return false;
    *place = (struct event_place){event->when_ps, event->number};
    event_deschedule(&queue->sim->events, event);
    return true;
}

void packet_queue_resume(struct packet_queue *queue, const struct event_place *place)
{
    event_schedule_reserved(&queue->sim->events, &queue->send_event, place);
}

void packet_queue_restore(struct packet_queue *queue, const struct packet_queue_snapshot *snapshot)
{
    assert(!queue->send_event.scheduled);
    while (snapshot->count >= queue->mask)
        packet_queue_grow(queue);
    queue->head = 0;
    queue->tail = snapshot->count;
    memcpy(queue->entries, snapshot->entries, snapshot->count * sizeof *queue->entries);
    queue->last_ps = snapshot->last_ps;
    if (snapshot->count > 0)
        event_schedule(&queue->sim->events, &queue->send_event, snapshot->next_ps);
}
