/* Packet queue: packets sorted by tick, at most one leaves in a tick, never in the tick it was queued
 * (classic-memory 3.2).
 *
 * Use: packet_queue_init with a transmit function; packet_queue_push; call packet_queue_retry when the peer that
 * refused is ready. Packets in the queue belong to it; transmit returning true gives them on. */
#ifndef MEMSYS_PACKET_QUEUE_H
#define MEMSYS_PACKET_QUEUE_H

#include "memsys/sim.h"

struct packet_queue_entry {
    uint64_t when_ps;
    struct packet *packet;
};

struct packet_queue {
    struct sim *sim;
    bool (*transmit)(void *owner, struct packet *packet);
    void *owner;
    struct packet_queue_entry *entries;    /* ring of `capacity`, a power of two; sorted from `head` */
    uint32_t head, count, capacity;
    bool keep_address_order;               /* forceOrder: never before a packet of the same address */
    bool waiting_for_retry;
    struct event send_event;
};

/* Reserves its one event. */
struct fault packet_queue_init(struct packet_queue *queue, struct sim *sim,
                               bool (*transmit)(void *owner, struct packet *packet), void *owner,
                               bool keep_address_order);
/* Gives all packets that are left back to the pool. */
void packet_queue_free(struct packet_queue *queue);

/* when_ps >= now. */
void packet_queue_push(struct packet_queue *queue, struct packet *packet, uint64_t when_ps);
void packet_queue_retry(struct packet_queue *queue);

/* Tick of the first packet, TICK_NEVER if empty. */
uint64_t packet_queue_next_ps(const struct packet_queue *queue);
/* Is a packet in the line at `line_address` queued? */
bool packet_queue_holds_line(const struct packet_queue *queue, uint64_t line_address);

#endif
