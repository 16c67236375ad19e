/* Queues of responses (answers.h). */
#include "memsys/fast/answers.h"

static void send_answers(void *owner)
{
    const struct packet_queue *const queue = owner;

    packet_queue_send(owner, queue->above->fast->recv_answer, queue->above->self);
}

void packet_queue_bind_fast(struct packet_queue *queue)
{
    const struct above_fast *const fast = queue->above->fast;

    if (fast && fast->take_from_queue)
        queue->send_event.handler = fast->take_from_queue;
    else if (fast && fast->recv_answer)
        queue->send_event.handler = send_answers;
}
