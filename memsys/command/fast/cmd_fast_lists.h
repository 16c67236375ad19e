/* Changes of a bank's lists and of the candidates, one at a time; inline, since every command makes some. */
#ifndef MEMSYS_COMMAND_FAST_CMD_FAST_LISTS_H
#define MEMSYS_COMMAND_FAST_CMD_FAST_LISTS_H

#include "memsys/command/fast/cmd_fast_internal.h"

static inline void fast_append(struct fast_requests *list, struct cmd_request *request)
{
    uint64_t const row = fast_row_bit(request->row);

    list->rows_again = list->first ? list->rows_again | (list->rows & row) : 0;
    list->rows = list->first ? list->rows | row : row;
    request->bank_next = NULL;
    request->bank_previous = list->last;
    *(list->last ? &list->last->bank_next : &list->first) = request;
    list->last = request;
}

static inline void fast_take_out(struct fast_requests *list, struct cmd_request *request)
{
    *(request->bank_previous ? &request->bank_previous->bank_next : &list->first) = request->bank_next;
    *(request->bank_next ? &request->bank_next->bank_previous : &list->last) = request->bank_previous;
}

static inline void fast_put(struct fast_queue *queue, const struct cmd_request *request, enum fast_wish wish)
{
    queue->candidates[wish].numbers[request->order / 64] |= UINT64_C(1) << request->order % 64;
}

static inline void fast_take(struct fast_queue *queue, const struct cmd_request *request, enum fast_wish wish)
{
    queue->candidates[wish].numbers[request->order / 64] &= ~(UINT64_C(1) << request->order % 64);
}

/* What the oldest of a list waits for. */
static inline enum fast_wish fast_wish_of_list(const struct cmd_channel *channel, enum fast_list list, uint32_t bank)
{
    if (list == FAST_HITS)
        return FAST_ACCESS;
    if (channel->device.banks[bank].state == CMD_BANK_CLOSED)
        return FAST_ACTIVATE;
    return fast_has_bank(fast_of(channel)->active, bank) ? FAST_NO_WISH : FAST_PRECHARGE;
}

/* A request that has come; true: it is the oldest of its list. */
static FORCE_INLINE bool fast_link(struct cmd_channel *channel, enum cmd_queue_name name, struct cmd_request *request)
{
    struct fast_queue *const queue = &fast_of(channel)->queues[name];
    enum fast_list const list = fast_list_of(channel, request);
    struct fast_requests *const of = &queue->lists[list][request->bank];
    enum fast_wish wish;

    if (unlikely(queue->next == queue->end))
        cmd_fast_number_anew(channel, name, request);
    request->order = queue->next++;
    queue->requests[request->order] = request;
    queue->banks[request->order] = request->bank;
    fast_append(of, request);
    if (of->first != request)
        return false;
    wish = fast_wish_of_list(channel, list, request->bank);
    if (wish != FAST_NO_WISH)
        fast_put(queue, request, wish);
    return true;
}

#endif
