/* Packet queue: packets sorted by tick, at most one leaves in a tick, never in the tick it was queued
 * (classic-memory 3.2).
 *
 * Use: packet_queue_init with a transmit function, or packet_queue_init_responses; packet_queue_push; call
 * packet_queue_retry when the peer that refused is ready. Packets in the queue belong to it; transmit returning true
 * gives them on. */
#ifndef MEMSYS_SIM_PACKET_QUEUE_H
#define MEMSYS_SIM_PACKET_QUEUE_H

#include "memsys/sim/port.h"
#include "memsys/sim/sim.h"

struct packet_queue_entry {
    uint64_t when_ps;
    uint64_t address;                      /* the packet's */
    struct packet *packet;                 /* NULL: an answer to an access that had none, known by its token */
    uint64_t token;
};

struct packet_queue {
    struct sim *sim;
    bool (*transmit)(void *owner, struct packet *packet);
    void *owner;
    const struct above *above;             /* takes the packets if transmit is NULL */
    struct packet_queue_entry *entries;    /* ring, a power of two; sorted from `head` */
    uint32_t head, tail, mask;             /* head and tail run on and wrap; mask is capacity - 1 */
    uint64_t last_ps;                      /* tick of the last entry, or of one that has left already */
    bool keep_address_order;               /* forceOrder: never before a packet of the same address */
    bool waiting_for_retry;
    struct event send_event;
};

/* Reserves its one event. */
struct fault packet_queue_init(struct packet_queue *queue, struct sim *sim,
                               bool (*transmit)(void *owner, struct packet *packet), void *owner,
                               bool keep_address_order);
/* For responses: each goes to recv_response of `above`, which is read when the first one leaves, and later. */
struct fault packet_queue_init_responses(struct packet_queue *queue, struct sim *sim, const struct above *above,
                                         bool keep_address_order);
/* Gives all packets that are left back to the pool. */
void packet_queue_free(struct packet_queue *queue);

void packet_queue_retry(struct packet_queue *queue);

/* Use packet_queue_push: this is its rare half. */
void packet_queue_insert(struct packet_queue *queue, uint64_t when_ps, uint64_t address, struct packet *packet,
                         uint64_t token);

/* The first packet leaves at when_ps, but not in this tick. `in_place`: see event_schedule_in_place. */
static inline void packet_queue_schedule_either(struct packet_queue *queue, uint64_t when_ps, bool in_place)
{
    struct event_queue *const events = &queue->sim->events;

    if (queue->waiting_for_retry)
        return;
    when_ps = max_u64(when_ps, events->now_ps + 1);
    if (queue->send_event.scheduled) {
        if (when_ps < queue->send_event.when_ps)
            event_reschedule(events, &queue->send_event, when_ps);
    } else if (in_place) {
        event_schedule_in_place(events, &queue->send_event, when_ps);
    } else {
        event_schedule(events, &queue->send_event, when_ps);
    }
}

static inline void packet_queue_schedule(struct packet_queue *queue, uint64_t when_ps)
{
    packet_queue_schedule_either(queue, when_ps, false);
}

static inline uint32_t packet_queue_count(const struct packet_queue *queue)
{
    return queue->tail - queue->head;
}

static inline struct packet_queue_entry *packet_queue_entry_at(const struct packet_queue *queue, uint32_t place)
{
    return &queue->entries[(queue->head + place) & queue->mask];
}

/* One place stays free for a refused head. `in_place`: as in packet_queue_schedule_either. */
static inline void packet_queue_append_either(struct packet_queue *queue, uint64_t when_ps, uint64_t address,
                                               struct packet *packet, uint64_t token, bool in_place)
{
    uint32_t tail = queue->tail;
    uint32_t const count = tail - queue->head;
    struct packet_queue_entry *entry;

    if (when_ps < queue->last_ps || count >= queue->mask) {
        packet_queue_insert(queue, when_ps, address, packet, token);
        return;
    }
    if (count == 0)
        queue->head = tail = 0;          /* few entries are used, which the host keeps near */
    entry = &queue->entries[tail & queue->mask];
    entry->when_ps = when_ps;
    entry->address = address;
    entry->packet = packet;
    entry->token = token;
    queue->last_ps = when_ps;
    queue->tail = tail + 1;
    if (count == 0)
        packet_queue_schedule_either(queue, when_ps, in_place);
}

static inline void packet_queue_append(struct packet_queue *queue, uint64_t when_ps, uint64_t address,
                                       struct packet *packet, uint64_t token)
{
    packet_queue_append_either(queue, when_ps, address, packet, token, false);
}

/* The handler of the queue's event: sends the head. */
void packet_queue_send_packet(struct packet_queue *queue);
/* The rare case: the head was refused; it returns to the head of the queue, and waits. */
void packet_queue_put_back(struct packet_queue *queue, struct packet *packet, uint64_t when_ps);

/* when_ps >= now. */
static inline void packet_queue_push(struct packet_queue *queue, struct packet *packet, uint64_t when_ps)
{
    packet_queue_append(queue, when_ps, packet->address, packet, 0);
}

/* Tick of the first packet, TICK_NEVER if empty. */
static inline uint64_t packet_queue_next_ps(const struct packet_queue *queue)
{
    return packet_queue_count(queue) ? packet_queue_entry_at(queue, 0)->when_ps : TICK_NEVER;
}

/* Is a packet in the line at `line_address` queued? */
bool packet_queue_holds_line(const struct packet_queue *queue, uint64_t line_address);

/* ---- snapshots, of a queue without packets: entries are answers */

enum { PACKET_QUEUE_SNAPSHOT_ENTRIES = 64 };

struct packet_queue_snapshot {
    uint64_t next_ps, last_ps;             /* when the first leaves; before which none will that is added */
    uint32_t count;
    struct packet_queue_entry entries[PACKET_QUEUE_SNAPSHOT_ENTRIES];
};

/* Does the queue wait for no retry, and is its event scheduled exactly if it holds entries? */
bool packet_queue_is_settled(const struct packet_queue *queue);
/* Of a settled queue; false if it holds packets, or too much. */
bool packet_queue_take_snapshot(const struct packet_queue *queue, struct packet_queue_snapshot *snapshot);
/* The event leaves the event queue; false if it was not there. / It comes back to its place. */
bool packet_queue_suspend(struct packet_queue *queue, struct event_place *place);
void packet_queue_resume(struct packet_queue *queue, const struct event_place *place);
/* Restores a suspended queue without packets from the snapshot. */
void packet_queue_restore(struct packet_queue *queue, const struct packet_queue_snapshot *snapshot);

#endif
