/* The best candidates of each wish, as far as they are known, of the queue of the last choice.
 *
 * A command changes what its own bank's requests need; all others it can only hold up. So what was the best of a
 * wish remains a lower bound: of all wishes the one with the least bound is looked at, and if its request can still
 * be issued in its tick, that is the best of all. If not, the candidates of that wish alone are looked through. The
 * requests of the command's bank are compared at once. The same holds for active requests. Which commands can hold up
 * which wishes of other banks is known (holds_up), so that there is doubt about these only. */
#ifndef MEMSYS_COMMAND_FAST_CMD_FAST_BEST_H
#define MEMSYS_COMMAND_FAST_CMD_FAST_BEST_H

#include "memsys/command/fast/cmd_fast_scan.h"

/* Is (tick, request) before what is known? */
static FORCE_INLINE bool fast_is_before(int64_t tick, const struct cmd_request *request, const struct fast_best *best)
{
    return tick < best->tick
        || (tick == best->tick && tick < CMD_NEVER && best->request && request->order < best->request->order);
}

static void fast_forget_queue(struct cmd_channel *channel)
{
    for (unsigned wish = 0; wish < FAST_WISHES; wish++)
        fast_of(channel)->best[wish] = (struct fast_best){NULL, 0};
}

/* A bank's requests against what is known, after a command has changed what they need or when. */
static void fast_compare_list(struct cmd_channel *channel, enum fast_list list, uint32_t bank)
{
    struct fast *const fast = fast_of(channel);
    struct cmd_request *const request = fast->queues[fast->known].lists[list][bank].first;
    enum fast_wish wish;
    int64_t tick;

    if (!request)
        return;
    wish = fast_wish_of(channel, request);
    tick = fast_tick_of(channel, request, wish, channel->clk);
    if (fast_is_before(tick, request, &fast->best[wish]))
        fast->best[wish] = (struct fast_best){request, tick};
}

static void fast_compare_bank(struct cmd_channel *channel, uint32_t bank)
{
    fast_compare_list(channel, FAST_HITS, bank);
    fast_compare_list(channel, FAST_OTHERS, bank);
}

/* ---- picks */
static FORCE_INLINE bool fast_precedes(const struct fast_best *one, const struct fast_best *other)
{
    return one->tick < other->tick
        || (one->tick == other->tick
            && (!one->request || (other->request && one->request->order < other->request->order)));
}

/* Of those that a slot looks at, the one with the least bound. */
static FORCE_INLINE enum fast_wish fast_least_wish(const struct fast_best *bests, enum cmd_slot slot)
{
    enum fast_wish wish = slot == CMD_SLOT_ROW ? FAST_PRECHARGE : FAST_ACCESS;

    if (slot == CMD_SLOT_ANY && fast_precedes(&bests[FAST_PRECHARGE], &bests[wish]))
        wish = FAST_PRECHARGE;
    if (slot != CMD_SLOT_COLUMN && fast_precedes(&bests[FAST_ACTIVATE], &bests[wish]))
        wish = FAST_ACTIVATE;
    return wish;
}

/* Has nothing held it up, and has its tick not passed? Else it is looked at again. */
static FORCE_INLINE bool fast_is_beyond_doubt(struct cmd_channel *channel, const struct fast_best *best, unsigned wish)
{
    struct fast *const fast = fast_of(channel);
    bool const has_doubt = fast->doubts >> wish & 1;

    fast->doubts &= ~(1u << wish);
    return best->request && best->tick >= channel->clk && !has_doubt;
}

/* True: it can be issued in its tick; else it has been looked for. */
static FORCE_INLINE bool fast_is_active_sure(struct cmd_channel *channel)
{
    struct fast *const fast = fast_of(channel);
    struct fast_best *const best = &fast->best_active;
    struct cmd_pick pick;

    if (fast_is_beyond_doubt(channel, best, FAST_NO_WISH))
        return true;
    if (best->request
        && (fast_ready(channel, best->request->command, best->request->bank, channel->clk) | fast->is_half_tick)
            == best->tick)
        return true;
    pick = fast_scan_active(channel, fast->first_slot);
    *best = (struct fast_best){pick.request, pick.tick};
    return false;
}

static FORCE_INLINE bool fast_is_sure(struct cmd_channel *channel, enum fast_wish wish)
{
    const struct fast_best *const best = &fast_of(channel)->best[wish];

    if (fast_is_beyond_doubt(channel, best, wish))
        return true;
    if (best->request && fast_tick_of(channel, best->request, wish, channel->clk) == best->tick)
        return true;
    if (best->tick < CMD_NEVER)
        fast_scan(channel, wish);
    return false;
}

static FORCE_INLINE void fast_pick_slot(struct cmd_channel *channel, enum cmd_slot slot, bool with_active,
                                   struct cmd_pick *pick)
{
    struct fast *const fast = fast_of(channel);
    bool const has_active = with_active && channel->queues[CMD_QUEUE_ACTIVE].count > 0;
    bool const has_waiting = channel->queues[fast->known].count > 0;

    for (;;) {
        enum fast_wish const wish = fast_least_wish(fast->best, slot);
        struct fast_best *const best = &fast->best[wish];

        if (has_active && (!has_waiting || fast->best_active.tick <= best->tick)) {
            if (!fast_is_active_sure(channel) && fast->best_active.tick < CMD_NEVER)
                continue;
            pick->request = fast->best_active.request;
            pick->tick = fast->best_active.tick;
            pick->queue = CMD_QUEUE_ACTIVE;
            return;
        }
        if (!has_waiting || best->tick == CMD_NEVER) {
            pick->request = NULL;
            pick->tick = CMD_NEVER;
            return;
        }
        if (!fast_is_sure(channel, wish))
            continue;
        best->request->command = fast->queues[fast->known].command[wish];
        pick->request = best->request;
        pick->tick = best->tick;
        pick->queue = fast->known;
        return;
    }
}

/* From now on the best candidates are those of that queue. */
static FORCE_INLINE void fast_know(struct cmd_channel *channel, enum cmd_queue_name name)
{
    if (fast_of(channel)->known == name)
        return;
    fast_of(channel)->known = name;
    fast_forget_queue(channel);
}

static FORCE_INLINE void fast_pick(struct cmd_channel *channel, enum cmd_slot slot, struct cmd_pick *pick)
{
    fast_know(channel, channel->write_mode ? CMD_QUEUE_WRITE : CMD_QUEUE_READ);
    if (slot == CMD_SLOT_ANY)
        fast_pick_slot(channel, CMD_SLOT_ANY, true, pick);
    else if (slot == CMD_SLOT_COLUMN)
        fast_pick_slot(channel, CMD_SLOT_COLUMN, true, pick);
    else
        fast_pick_slot(channel, CMD_SLOT_ROW, false, pick);
}

static struct cmd_pick fast_pick_queue(struct cmd_channel *channel, enum cmd_queue_name name, enum cmd_slot slot)
{
    struct cmd_pick pick = {NULL, CMD_NEVER, name};

    fast_know(channel, name);
    fast_pick_slot(channel, slot, false, &pick);
    return pick;
}

static struct cmd_pick fast_pick_active(struct cmd_channel *channel)
{
    const struct fast_best *const best = &fast_of(channel)->best_active;

    if (channel->queues[CMD_QUEUE_ACTIVE].count == 0)
        return (struct cmd_pick){NULL, CMD_NEVER, CMD_QUEUE_ACTIVE};
    fast_is_active_sure(channel);
    return (struct cmd_pick){best->request, best->tick, CMD_QUEUE_ACTIVE};
}

/* ---- commands */
static void fast_activated(struct cmd_channel *channel, struct cmd_request *request)
{
    struct fast *const fast = fast_of(channel);
    struct fast_best *const best = &fast->best_active;
    int64_t tick;

    request->order = 0;
    if (fast_wish_of(channel, request) != FAST_ACCESS || !channel->spec->command[request->final].accessing) {
        *best = (struct fast_best){NULL, 0};
        return;
    }
    tick = fast_ready(channel, request->final, request->bank, channel->clk + 1) | fast->is_half_tick;
    request->command = request->final;
    request->order = (uint64_t)tick;
    if (channel->queues[CMD_QUEUE_ACTIVE].count == 1 || tick < best->tick
        || (tick == best->tick && best->request && request->arrive < best->request->arrive))
        *best = (struct fast_best){request, tick};
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

    fast->doubts = UINT32_MAX;
    for (unsigned wish = 0; wish < FAST_WISHES; wish++)
        if (fast->best[wish].request && fast->best[wish].request->bank == issued->bank)
            fast->best[wish].request = NULL;     /* its tick remains a bound */
    /* Half ticks: which edge a precharge must keep off depends on the last row command. */
    if (fast->is_half_tick && !channel->spec->command[issued->command].accessing)
        fast->best[FAST_PRECHARGE] = (struct fast_best){NULL, 0};
    if (fast_has_bank(fast->active, issued->bank))
        fast->best_active = (struct fast_best){NULL, 0};
}

#endif
