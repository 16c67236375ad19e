/* The best candidates of each wish, as far as they are known, of the queue of the last choice.
 *
 * A command changes what its own bank's requests need; all others it can only hold up. So what was the best of a
 * wish remains a lower bound: of all wishes the one with the least key is looked at, and if its request can still
 * be issued in its tick, that is the best of all. If not, the candidates of that wish alone are looked through. The
 * requests of the command's bank are compared at once. The same holds for active requests. Which commands can hold up
 * which wishes of other banks is known, and takes the number out of their keys (leaves); what holds up the whole
 * channel shows in its ready time. */
#ifndef MEMSYS_COMMAND_FAST_CMD_FAST_BEST_H
#define MEMSYS_COMMAND_FAST_CMD_FAST_BEST_H

#include "memsys/command/fast/cmd_fast_scan.h"

static void fast_forget_queue(struct cmd_channel *channel)
{
    for (unsigned wish = 0; wish < FAST_WISHES; wish++)
        fast_of(channel)->best[wish] = 0;
}

/* A bank's requests against what is known, after a command has changed what they need or when. */
static void fast_compare_list(struct cmd_channel *channel, enum fast_list list, uint32_t bank)
{
    struct fast *const fast = fast_of(channel);
    struct cmd_request *const request = fast->queue->lists[list][bank].first;
    enum fast_wish wish;
    uint64_t key;

    if (!request)
        return;
    wish = fast_wish_of(channel, request);
    key = fast_key_of(channel, request, wish, channel->clk);
    fast->best[wish] = fast_sooner(key, fast->best[wish]);
}

static void fast_compare_bank(struct cmd_channel *channel, uint32_t bank)
{
    fast_compare_list(channel, FAST_HITS, bank);
    fast_compare_list(channel, FAST_OTHERS, bank);
}

/* ---- picks */
/* Of the wishes that a slot looks at, the least key. */
static FORCE_INLINE uint64_t fast_least(const uint64_t *best, enum cmd_slot slot)
{
    if (slot == CMD_SLOT_COLUMN)
        return best[FAST_ACCESS];
    if (slot == CMD_SLOT_ROW)
        return fast_sooner(best[FAST_PRECHARGE], best[FAST_ACTIVATE]);
    return fast_sooner(best[FAST_ACCESS], fast_sooner(best[FAST_PRECHARGE], best[FAST_ACTIVATE]));
}

static FORCE_INLINE enum fast_wish fast_wish_with(const uint64_t *best, enum cmd_slot slot, uint64_t key)
{
    unsigned const is_row = slot == CMD_SLOT_ROW || key != best[FAST_ACCESS], opens = key != best[FAST_PRECHARGE];

    return (enum fast_wish)(is_row * FAST_PRECHARGE + (is_row & opens) * (FAST_ACTIVATE - FAST_PRECHARGE));
}

static FORCE_INLINE void fast_know_active(struct fast *fast, struct cmd_request *request, int64_t tick)
{
    fast->best_active.request = request;
    fast->best_active.key = tick == CMD_NEVER ? FAST_NEVER : fast_bound(tick);
}

/* Nothing that takes that route can be issued before: a bound. */
static FORCE_INLINE uint64_t fast_earliest(const struct fast_route *route, int64_t from)
{
    return fast_bound(fast_later(from, route->ready[0]));
}

/* True: its tick has not passed, and it can be issued in it; else it has been looked for. */
static FORCE_INLINE bool fast_is_active_sure(struct cmd_channel *channel)
{
    struct fast *const fast = fast_of(channel);
    struct cmd_pick pick;

    if (fast->best_active.request
        && fast->best_active.key >= fast_earliest(&fast->routes[fast->best_active.request->command], channel->clk))
        return true;
    pick = fast_scan_active(channel, fast->first_slot, channel->clk);
    fast_know_active(fast, pick.request, pick.tick);
    return false;
}

static FORCE_INLINE bool fast_is_sure(struct cmd_channel *channel, enum fast_wish wish)
{
    struct fast *const fast = fast_of(channel);
    uint64_t const key = fast->best[wish];

    if ((key & FAST_NUMBERS) && key >= fast_earliest(&fast->queue->candidates[wish].route, channel->clk))
        return true;
    fast->best[wish] = fast_scan(channel, wish, channel->clk);
    return false;
}

static FORCE_INLINE void fast_plan_active(const struct cmd_channel *channel, struct fast_plan *plan)
{
    const struct fast *const fast = fast_of(channel);

    plan->request = fast->best_active.request;
    plan->tick = fast_key_tick(fast->best_active.key);
    plan->queue = CMD_QUEUE_ACTIVE;
    plan->wish = fast->is_simple && plan->request && plan->request->command == plan->request->final ? FAST_ACCESS
        : FAST_NO_WISH;
}

static FORCE_INLINE void fast_pick_slot(struct cmd_channel *channel, enum cmd_slot slot, bool with_active,
                                        struct fast_plan *plan)
{
    struct fast *const fast = fast_of(channel);
    const struct fast_queue *const queue = fast->queue;
    bool const has_active = with_active && channel->queues[CMD_QUEUE_ACTIVE].count > 0;

    for (;;) {
        uint64_t const least = fast_least(fast->best, slot);
        enum fast_wish const wish = fast_wish_with(fast->best, slot, least);

        if (has_active && fast->best_active.key <= least) {
            if (!fast_is_active_sure(channel) && fast->best_active.key != FAST_NEVER)
                continue;
            fast_plan_active(channel, plan);
            return;
        }
        if (unlikely(least == FAST_NEVER)) {
            plan->request = NULL;
            plan->tick = CMD_NEVER;
            return;
        }
        if (!fast_is_sure(channel, wish))
            continue;
        plan->request = queue->requests[(least & FAST_NUMBERS) - 1];
        plan->request->command = queue->candidates[wish].command;
        plan->tick = (int64_t)(least >> FAST_NUMBER_BITS);
        plan->queue = fast->known;
        plan->wish = fast->is_simple ? wish : FAST_NO_WISH;
        return;
    }
}

/* From now on the best candidates are those of that queue. */
static FORCE_INLINE void fast_know(struct cmd_channel *channel, enum cmd_queue_name name)
{
    if (fast_of(channel)->known == name)
        return;
    fast_of(channel)->known = name;
    fast_of(channel)->queue = &fast_of(channel)->queues[name];
    fast_forget_queue(channel);
}

static FORCE_INLINE void fast_pick(struct cmd_channel *channel, enum cmd_slot slot, struct fast_plan *plan)
{
    fast_know(channel, channel->write_mode ? CMD_QUEUE_WRITE : CMD_QUEUE_READ);
    if (slot == CMD_SLOT_ANY)
        fast_pick_slot(channel, CMD_SLOT_ANY, true, plan);
    else if (slot == CMD_SLOT_COLUMN)
        fast_pick_slot(channel, CMD_SLOT_COLUMN, true, plan);
    else
        fast_pick_slot(channel, CMD_SLOT_ROW, false, plan);
}

static struct fast_plan fast_pick_queue(struct cmd_channel *channel, enum cmd_queue_name name, enum cmd_slot slot)
{
    struct fast_plan plan = {NULL, CMD_NEVER, name, FAST_NO_WISH};

    fast_know(channel, name);
    fast_pick_slot(channel, slot, false, &plan);
    return plan;
}

static struct fast_plan fast_pick_active(struct cmd_channel *channel)
{
    struct fast_plan plan = {NULL, CMD_NEVER, CMD_QUEUE_ACTIVE, FAST_NO_WISH};

    if (channel->queues[CMD_QUEUE_ACTIVE].count == 0)
        return plan;
    fast_is_active_sure(channel);
    fast_plan_active(channel, &plan);
    return plan;
}

/* ---- commands */
static void fast_activated(struct cmd_channel *channel, struct cmd_request *request)
{
    struct fast *const fast = fast_of(channel);
    struct fast_best *const best = &fast->best_active;
    uint64_t key;
    int64_t tick;

    request->order = 0;
    if (fast_wish_of(channel, request) != FAST_ACCESS || !channel->spec->command[request->final].accessing) {
        *best = (struct fast_best){NULL, 0};
        return;
    }
    tick = fast_ready(channel, &fast->routes[request->final], request->bank, channel->clk + 1) | fast->is_half_tick;
    key = fast_bound(tick);
    request->command = request->final;
    request->order = (uint64_t)tick;
    if (channel->queues[CMD_QUEUE_ACTIVE].count == 1 || key < best->key
        || (key == best->key && best->request && request->arrive < best->request->arrive))
        *best = (struct fast_best){request, key};
}

static void fast_forget(struct cmd_channel *channel)
{
    struct fast *const fast = fast_of(channel);

    fast_forget_queue(channel);
    fast->best_active = (struct fast_best){NULL, 0};
    fast->is_planned = false;
}

static void fast_keep(struct cmd_channel *channel, const struct cmd_request *issued)
{
    struct fast *const fast = fast_of(channel);

    for (unsigned wish = 0; wish < FAST_WISHES; wish++)
        fast->best[wish] &= ~FAST_NUMBERS;
    fast->best_active.request = NULL;
    /* Half ticks: which edge a precharge must keep off depends on the last row command. */
    if (fast->is_half_tick && !channel->spec->command[issued->command].accessing)
        fast->best[FAST_PRECHARGE] = 0;
    if (fast_has_bank(fast->active, issued->bank))
        fast->best_active = (struct fast_best){NULL, 0};
}

#endif
