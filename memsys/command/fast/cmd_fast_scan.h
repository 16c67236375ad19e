/* The best of a queue's candidates with one wish: the one that can be issued first, then the oldest. They are looked at
 * in the order of their age, up to the first that can be issued as soon as any could. */
#ifndef MEMSYS_COMMAND_FAST_CMD_FAST_SCAN_H
#define MEMSYS_COMMAND_FAST_CMD_FAST_SCAN_H

#include "memsys/command/fast/cmd_fast_internal.h"

static NOINLINE int64_t fast_keep_off(struct cmd_channel *channel, struct cmd_request *request, int64_t tick)
{
    if (channel->half.pseudo_channel != request->vector[1])
        return tick;
    request->command = channel->spec->precharge;
    return channel->controller->admit(channel, request, CMD_QUEUE_READ, CMD_SLOT_ROW, tick);
}

/* Half ticks: a precharge keeps off the falling edge that the row command before it forbids. */
static FORCE_INLINE int64_t fast_edge(struct cmd_channel *channel, struct cmd_request *request, int64_t tick)
{
    return unlikely(tick == channel->half.edge) ? fast_keep_off(channel, request, tick) : tick;
}

/* When the oldest request of a list of its bank can be issued, from tick `from` on: a key. */
static FORCE_INLINE uint64_t fast_key_of(struct cmd_channel *channel, struct cmd_request *request, enum fast_wish wish,
                                         int64_t from)
{
    const struct fast *const fast = fast_of(channel);
    int64_t tick;

    if (wish == FAST_PRECHARGE && fast_has_bank(fast->active, request->bank))
        return FAST_NEVER;
    tick = fast_ready(channel, &fast->queue->candidates[wish].route, request->bank, from);
    if (fast->is_half_tick)
        tick = wish == FAST_PRECHARGE ? fast_edge(channel, request, tick) : tick | 1;
    return fast_bound(tick) + request->order + 1;
}

/* No candidate can be issued before. */
static FORCE_INLINE int64_t fast_soonest(const struct cmd_channel *channel, const int64_t *ready, int64_t from)
{
    const int64_t *const parts = ready + 1;      /* the nodes after the channel's */
    uint32_t const count = fast_of(channel)->parts;
    int64_t soonest = count > 0 ? parts[0] : 0;

    for (uint32_t i = 1; i < count; i++)
        soonest = parts[i] < soonest ? parts[i] : soonest;
    return fast_later(soonest, from);
}

/* From `first_tick` on. `wish` is a constant where there are edges. */
static FORCE_INLINE uint64_t fast_scan_wish(struct cmd_channel *channel, enum fast_wish wish, int64_t first_tick,
                                            bool is_deep, bool edges)
{
    const struct fast *const fast = fast_of(channel);
    const struct fast_queue *const queue = fast->queue;
    const struct fast_route *const route = &queue->candidates[wish].route;
    const int64_t *const ready = route->ready;
    const uint32_t (*const paths)[CMD_LEVELS] = (const uint32_t (*)[CMD_LEVELS])channel->device.path;
    int64_t const from = fast_later(ready[0], first_tick);
    int64_t const soonest = fast_soonest(channel, ready, from) | (edges && wish != FAST_PRECHARGE);
    const uint64_t *word = queue->candidates[wish].numbers;
    uint64_t const enough = fast_bound(soonest + 1);
    uint64_t best = FAST_NEVER;

    for (uint32_t first = 0; first < queue->next; first += 64, word++) {
        for (uint64_t orders = *word; orders; orders &= orders - 1) {
            uint32_t const number = first + (uint32_t)__builtin_ctzll(orders);
            int64_t tick = fast_ready_below(route, paths[queue->banks[number]], from, is_deep);
            uint64_t key;

            if (edges)
                tick = wish == FAST_PRECHARGE ? fast_edge(channel, queue->requests[number], tick) : tick | 1;
            key = fast_bound(tick) + number + 1;
            if (key < enough)
                return key;
            best = key < best ? key : best;
        }
    }
    return best;
}

static NOINLINE uint64_t fast_scan_deep(struct cmd_channel *channel, enum fast_wish wish, int64_t from)
{
    if (!fast_of(channel)->is_half_tick)
        return fast_scan_wish(channel, wish, from, true, false);
    return wish == FAST_PRECHARGE ? fast_scan_wish(channel, FAST_PRECHARGE, from, true, true)
        : fast_scan_wish(channel, wish, from, true, true);
}

/* The best of the candidates with that wish from tick `from` on, as a key. */
static FORCE_INLINE uint64_t fast_scan(struct cmd_channel *channel, enum fast_wish wish, int64_t from)
{
    const struct fast *const fast = fast_of(channel);

    return fast->is_deep || fast->is_half_tick ? fast_scan_deep(channel, wish, from)
        : fast_scan_wish(channel, wish, from, false, false);
}

/* Requests whose row has been opened: few, in no order of age. Ready times only grow, so that of its activation is a
 * bound. */
static struct cmd_pick fast_scan_active(struct cmd_channel *channel, enum cmd_slot slot, int64_t from)
{
    const struct fast *const fast = fast_of(channel);
    struct cmd_pick best = {NULL, CMD_NEVER, CMD_QUEUE_ACTIVE};

    for (struct cmd_request *request = channel->queues[CMD_QUEUE_ACTIVE].first; request; request = request->next) {
        const struct cmd_bank *const bank = &channel->device.banks[request->bank];
        bool const is_hit = bank->state == CMD_BANK_OPENED && bank->row == request->row;
        int64_t tick;

        if (is_hit && (int64_t)request->order > best.tick)
            continue;
        request->command = is_hit ? request->final
            : bank->state == CMD_BANK_CLOSED ? channel->spec->activate : channel->spec->precharge;
        if (slot == CMD_SLOT_COLUMN && !(channel->column_bus >> request->command & 1))
            continue;
        tick = fast_ready(channel, &fast->routes[request->command], request->bank, from) | fast->is_half_tick;
        if (tick < best.tick || (tick == best.tick && best.request && request->arrive < best.request->arrive))
            best = (struct cmd_pick){request, tick, CMD_QUEUE_ACTIVE};
    }
    return best;
}

#endif
