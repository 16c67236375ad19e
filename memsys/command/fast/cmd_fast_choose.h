/* The choice of a tick, and the next tick with one. While the priority queue has a request the plain controller
 * chooses. Otherwise the next command is known as soon as one has been issued: it is planned, and the next choice is
 * in its tick. A request that arrives may take its place. The write mode changes with sizes of queues only: where
 * the next tick would change it, nothing is planned, and that tick is run. */
#ifndef MEMSYS_COMMAND_FAST_CMD_FAST_CHOOSE_H
#define MEMSYS_COMMAND_FAST_CMD_FAST_CHOOSE_H

#include "memsys/command/channel/cmd_tick.h"
#include "memsys/command/fast/cmd_fast_serve.h"

/* ---- the next tick */
/* Would an evaluation of the write mode change it? */
static bool fast_is_mode_stable(struct cmd_channel *channel)
{
    bool const was_draining = channel->is_draining;
    bool const mode = cmd_next_write_mode(channel);
    bool const is_stable = mode == channel->write_mode && channel->is_draining == was_draining;

    channel->is_draining = was_draining;
    return is_stable;
}

/* After a command: plans the next one. Returns its tick. */
static int64_t fast_look_ahead(struct cmd_channel *channel)
{
    struct fast *const fast = fast_of(channel);
    int64_t const next = channel->clk + 1;

    fast->is_planned = false;
    if (channel->queues[CMD_QUEUE_PRIORITY].count > 0 || !fast_is_mode_stable(channel))
        return next;
    fast->is_planned = true;
    channel->clk = next;
    fast_pick(channel, fast->first_slot, &fast->plan[0]);
    if (fast->is_dual)
        fast_pick(channel, CMD_SLOT_ROW, &fast->plan[1]);
    channel->clk = next - 1;
    return fast->is_dual ? cmd_earlier(fast->plan[0].tick, fast->plan[1].tick) : fast->plan[0].tick;
}

/* ---- the choice */
static FORCE_INLINE struct fast_plan fast_pick_read_write(struct cmd_channel *channel, enum cmd_slot slot)
{
    channel->write_mode = cmd_next_write_mode(channel);
    return fast_pick_queue(channel, channel->write_mode ? CMD_QUEUE_WRITE : CMD_QUEUE_READ, slot);
}

/* Active requests, then reads or writes. */
static bool fast_serve_first(struct cmd_channel *channel, int64_t *next)
{
    struct fast_plan pick = fast_pick_active(channel);
    int64_t active = CMD_NEVER;

    if (pick.tick > channel->clk) {
        active = pick.tick;
        pick = fast_pick_read_write(channel, fast_of(channel)->first_slot);
    }
    *next = cmd_earlier(active, pick.tick);
    if (pick.tick > channel->clk)
        return false;
    fast_serve(channel, &pick);
    return true;
}

static void fast_note_pair(struct cmd_channel *channel, uint16_t command, int32_t pseudo_channel, uint32_t bank)
{
    struct cmd_half_tick_state *const pair = &channel->half;

    if (!(channel->clk & 1))
        return;
    pair->is_all = false;
    pair->pseudo_channel = pseudo_channel;
    pair->bank = (int32_t)(bank % channel->device.banks_below[1]);
    pair->edge = channel->clk + (command == channel->spec->activate ? 3 : 1);
}

static void fast_serve_row(struct cmd_channel *channel, const struct fast_plan *pick)
{
    uint16_t const command = pick->request->command;
    int32_t const pseudo_channel = pick->request->vector[1];
    uint32_t const bank = pick->request->bank;

    fast_serve(channel, pick);
    if (fast_of(channel)->is_half_tick)
        fast_note_pair(channel, command, pseudo_channel, bank);
}

static int64_t fast_choose_dual(struct cmd_channel *channel)
{
    struct fast *const fast = fast_of(channel);
    bool const has_column = !fast->is_half_tick || (channel->clk & 1);
    int64_t column = CMD_NEVER;
    bool is_issued = has_column && fast_serve_first(channel, &column);
    struct fast_plan const row = fast_pick_read_write(channel, CMD_SLOT_ROW);

    if (row.tick <= channel->clk) {
        fast_serve_row(channel, &row);
        is_issued = true;
    }
    if (is_issued)
        return fast_look_ahead(channel);
    if (!has_column)
        column = cmd_earlier(fast_pick_active(channel).tick, fast_pick_read_write(channel, CMD_SLOT_COLUMN).tick);
    return cmd_earlier(column, row.tick);
}

/* After a column command: can none be issued in the row slot of the same tick? A write's end may bring requests. */
static FORCE_INLINE bool fast_has_no_row(struct cmd_channel *channel, enum cmd_kind kind)
{
    const struct fast *const fast = fast_of(channel);
    uint64_t const next = fast_bound(channel->clk + 1);

    return kind == CMD_READ && fast_least(fast->best, CMD_SLOT_ROW) >= next && fast_is_mode_stable(channel);
}

/* Issues what has been planned for this tick. */
static int64_t fast_choose_planned(struct cmd_channel *channel)
{
    struct fast *const fast = fast_of(channel);
    struct fast_plan *const first = &fast->plan[0], *const row = &fast->plan[1];

    if (first->tick <= channel->clk) {
        enum cmd_kind const kind = (enum cmd_kind)first->request->kind;

        fast->is_planned = false;
        fast_serve(channel, first);
        if (fast->is_dual && !fast_has_no_row(channel, kind))
            *row = fast_pick_read_write(channel, CMD_SLOT_ROW);
    }
    if (fast->is_dual && row->tick <= channel->clk) {
        fast->is_planned = false;
        fast_serve_row(channel, row);
    }
    if (!fast->is_planned)
        return fast_look_ahead(channel);
    return fast->is_dual ? cmd_earlier(first->tick, row->tick) : first->tick;
}

static int64_t fast_choose(struct cmd_channel *channel)
{
    const struct fast *const fast = fast_of(channel);
    int64_t next;

    if (channel->queues[CMD_QUEUE_PRIORITY].count > 0 || fast->is_choice_plain) {
        cmd_fast_settle(channel);
        next = channel->controller->choose(channel);
        fast_forget(channel);
        return next;
    }
    if (fast->is_planned)
        return fast_choose_planned(channel);
    if (fast->is_dual)
        return fast_choose_dual(channel);
    return fast_serve_first(channel, &next) ? fast_look_ahead(channel) : next;
}

/* The next tick with anything but the choice, as far as commands of reads and writes cannot bring one. */
static FORCE_INLINE int64_t fast_alone_until(const struct cmd_channel *channel)
{
    int64_t const data = channel->pending ? channel->pending->depart : channel->clk + channel->spec->read_latency;
    int64_t const others = cmd_earlier(channel->next_refresh, cmd_earlier(channel->next_policy, channel->next_power));

    return cmd_earlier(cmd_earlier(data, others), channel->last_progress + channel->patience);
}

/* To the plain engine, for ever. */
static NOINLINE int64_t fast_hand_over(struct cmd_channel *channel, int64_t next, int64_t limit)
{
    cmd_fast_settle(channel);
    channel->engine = &cmd_plain_engine;
    cmd_forget_picks(channel);
    cmd_wake(channel);
    return cmd_plain_run(channel, next, limit);
}

static int64_t fast_run(struct cmd_channel *channel, int64_t next, int64_t limit)
{
    const struct fast *const fast = fast_of(channel);

    do {
        if (unlikely(next >= FAST_LAST_TICK))
            return fast_hand_over(channel, next, limit);
        *channel->now = channel->clk = next;
        cmd_run_tick(channel, fast_choose);
        if (fast->is_simple) {
            int64_t const end = fast_alone_until(channel);

            while (fast->is_planned && channel->next_choice < end && channel->next_choice <= limit
                   && !channel->has_completed && !channel->has_room) {
                *channel->now = channel->clk = channel->next_choice;
                channel->next_choice = fast_choose_planned(channel);
            }
        }
        next = cmd_tick_after(channel);
    } while (next <= limit && !channel->has_completed && !channel->has_room && channel->fault.kind == FAULT_NONE);
    return next;
}

/* Something must be chosen in the next tick, whatever was planned. */
static bool fast_wake(struct fast *fast)
{
    fast->is_planned = false;
    return true;
}

/* A request has arrived: must the controller choose in the next tick? If not, next_choice is right. */
static bool fast_arrived(struct cmd_channel *channel, enum cmd_queue_name name, struct cmd_request *request,
                      bool is_oldest)
{
    struct fast *const fast = fast_of(channel);
    enum fast_wish const wish = fast_wish_of(channel, request);
    struct fast_plan *const plan = &fast->plan[fast->is_dual && wish != FAST_ACCESS];
    uint64_t key;
    int64_t tick;

    if (channel->queues[CMD_QUEUE_PRIORITY].count > 0 || channel->is_in_tick || !fast->is_planned
        || !fast_is_mode_stable(channel)) {
        if (name == fast->known)
            fast_forget_queue(channel);
        return fast_wake(fast);
    }
    if (name != fast->known || !is_oldest)
        return false;
    key = fast_key_of(channel, request, wish, channel->clk + 1);
    fast->best[wish] = fast_sooner(key, fast->best[wish]);
    tick = fast_key_tick(key);
    if (tick < plan->tick) {
        request->command = fast->queue->candidates[wish].command;
        *plan = (struct fast_plan){request, tick, name, fast->is_simple ? wish : FAST_NO_WISH};
        channel->next_choice = cmd_earlier(channel->next_choice, tick);
    }
    return false;
}

#endif
