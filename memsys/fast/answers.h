/* Queues of responses in the fast engine: answers without packets, and packets that go to a component known when the
 * queue was bound.
 *
 * Shortcut: the answer to an access without packet (cache_try.h) is an entry of the queue with address and token; the
 * queue's event hands one answer after the other to recv_answer of the core, bypassing the event queue while no other
 * event comes between. Packets go to the component above by a direct call that the compiler can put in line.
 * Why the result is the same: entries have the order that packets would have, one leaves in a tick, and event_continue
 * continues only where the event queue would have called the same event next. Compared with plain by
 * tests/unit/memsys/fast/test_fast_memory.c. */
#ifndef MEMSYS_FAST_ANSWERS_H
#define MEMSYS_FAST_ANSWERS_H

#include "memsys/fast/ports.h"
#include "memsys/sim/packet_queue.h"

/* packet_queue_push for an answer without packet (recv_answer), as most hits have. */
static inline void packet_queue_push_answer(struct packet_queue *queue, uint64_t address, uint64_t token,
                                            uint64_t when_ps)
{
    packet_queue_append_either(queue, when_ps, address, NULL, token, true);
}

/* The handler of the queue's event for packets to `above`, with its recv_response inlined. The head is out of the
 * queue while it is passed: a push nested in that must not see it. */
static FORCE_INLINE void packet_queue_pass(struct packet_queue *queue,
                                           bool (*recv_response)(void *self, struct packet *packet, unsigned port))
{
    const struct above *const above = queue->above;
    const struct packet_queue_entry *const head = packet_queue_entry_at(queue, 0);
    struct packet *const packet = head->packet;
    uint64_t const when_ps = head->when_ps;

    queue->head++;
    queue->waiting_for_retry = !recv_response(above->self, packet, above->port);
    if (unlikely(queue->waiting_for_retry))
        packet_queue_put_back(queue, packet, when_ps);
    else if (queue->tail != queue->head)
        packet_queue_schedule(queue, packet_queue_entry_at(queue, 0)->when_ps);
}

/* The handler of the queue's event; recv_answer and its `self` are those of `above`. Answers leave one after the other
 * here while no other event comes between them. */
static FORCE_INLINE void packet_queue_send(struct packet_queue *queue,
                                           void (*recv_answer)(void *self, uint64_t address, uint64_t token),
                                           void *self)
{
    struct event_queue *const events = &queue->sim->events;
    const struct packet_queue_entry *head = packet_queue_entry_at(queue, 0);

    do {
        if (unlikely(head->packet)) {
            packet_queue_send_packet(queue);
            return;
        }
        queue->head++;
        recv_answer(self, head->address, head->token);
        if (queue->head == queue->tail)
            return;
        head = packet_queue_entry_at(queue, 0);
        if (unlikely(queue->send_event.scheduled)) {
            packet_queue_schedule(queue, head->when_ps);
            return;
        }
    } while (event_continue(events, &queue->send_event, max_u64(head->when_ps, events->now_ps + 1)));
}

/* Final binding of a queue of responses: `above` may not change any more, and the handler of its event is taken from
 * the table of `above`. */
void packet_queue_bind_fast(struct packet_queue *queue);

#endif
