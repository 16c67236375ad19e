/* A command for a read or write: what it does to the device, the lists, the candidates, and to the request. What a
 * candidate waits for says which command it is, so there are three cases instead of a walk through cmd_serve. The same
 * happens, in the same order where someone hears of it.
 *
 * Only what is frequent: open rows, no defences, no counts of waiting requests for each rank, a request of the active
 * queue that has its row. All else goes through cmd_serve. */
#ifndef MEMSYS_COMMAND_FAST_CMD_FAST_SERVE_H
#define MEMSYS_COMMAND_FAST_CMD_FAST_SERVE_H

#include "memsys/command/fast/cmd_fast_best.h"
#include "memsys/command/fast/cmd_fast_lists.h"
#include "memsys/command/fast/cmd_fast_program.h"

static bool fast_is_simple(const struct cmd_channel *channel)
{
    const struct cmd_spec *const spec = channel->spec;
    const struct fast_program *const programs = fast_of(channel)->programs;

    return channel->config->row_policy == CMD_ROW_POLICY_OPEN && channel->config->mitigation_count == 0
        && !channel->counts_waiting && spec->command[spec->activate].effect == CMD_EFFECT_OPEN
        && spec->command[spec->precharge].effect == CMD_EFFECT_CLOSE
        && spec->command[spec->read_command].effect == CMD_EFFECT_NONE
        && spec->command[spec->write_command].effect == CMD_EFFECT_NONE && programs[spec->activate].is_set
        && programs[spec->precharge].is_set && programs[spec->read_command].is_set
        && programs[spec->write_command].is_set;
}

/* ---- parts of it */
/* Up to the change of the bank. */
static FORCE_INLINE void fast_issue(struct cmd_channel *channel, struct cmd_request *request)
{
    struct fast *const fast = fast_of(channel);
    unsigned const command = request->command;
    const struct fast_program *const program = &fast->programs[command];

    if (!request->is_counted)
        cmd_count_row(channel, request);
    cmd_forget_picks(channel);
    fast_run_program(channel, program, request->bank);
    fast->is_settled = false;
    for (unsigned wish = 0; wish < FAST_WISHES; wish++)
        fast->best[wish] &= program->leaves[fast->known][wish];
    if (program->holds_up_active)
        fast->best_active.request = NULL;
    channel->last_progress = channel->last_served = channel->clk;
    channel->stats.commands[command]++;
}

static FORCE_INLINE void fast_leave(struct cmd_channel *channel, enum cmd_queue_name name, struct cmd_request *request)
{
    struct cmd_queue *const queue = &channel->queues[name];

    queue->waited += (uint64_t)channel->clk;
    *(request->previous ? &request->previous->next : &queue->first) = request->next;
    *(request->next ? &request->next->previous : &queue->last) = request->previous;
    queue->count--;
    channel->has_room |= channel->refused & 1u << name;
    channel->refused &= ~(1u << name);
}

/* The oldest of a list has a wish, or may have it sooner than was known. */
static FORCE_INLINE void fast_compare(struct cmd_channel *channel, enum fast_list list, enum fast_wish wish,
                                      uint32_t bank)
{
    struct fast *const fast = fast_of(channel);
    struct cmd_request *const request = fast->queue->lists[list][bank].first;

    if (request)
        fast->best[wish] = fast_sooner(fast->best[wish], fast_key_of(channel, request, wish, channel->clk));
}

/* The best with that wish is not known any more: its tick remains a bound, as that of the whole channel is one. */
static FORCE_INLINE void fast_drop_best(struct fast *fast, enum fast_wish wish)
{
    fast->best[wish] = fast_not_before(fast->best[wish] & ~FAST_NUMBERS,
                                       fast_earliest(&fast->queue->candidates[wish].route, 0));
}

/* ---- precharge */
static void fast_close_bank(struct cmd_channel *channel, uint32_t bank)
{
    struct fast *const fast = fast_of(channel);

    if (unlikely(fast->queue->lists[FAST_HITS][bank].first))
        fast_drop_best(fast, FAST_ACCESS);
    cmd_device_set_bank(&channel->device, bank, (struct cmd_bank){0});
    for (unsigned i = 0; i < 2; i++) {
        struct fast_queue *const queue = &fast->queues[i];
        const struct cmd_request *const first = queue->lists[FAST_OTHERS][bank].first;

        if (unlikely(queue->lists[FAST_HITS][bank].first)) {
            cmd_fast_sort_bank(channel, bank);
        } else if (first) {
            fast_take(queue, first, FAST_PRECHARGE);
            fast_put(queue, first, FAST_ACTIVATE);
        }
    }
}

static void fast_serve_precharge(struct cmd_channel *channel, struct cmd_request *request)
{
    fast_issue(channel, request);
    fast_close_bank(channel, request->bank);
    if (channel->hooks->issued)
        cmd_report(channel, request);
    fast_drop_best(fast_of(channel), FAST_PRECHARGE);
    fast_compare(channel, FAST_OTHERS, FAST_ACTIVATE, request->bank);
}

/* ---- activation */
static NOINLINE void fast_find_hits(struct fast_queue *queue, uint32_t bank, int32_t row)
{
    struct fast_requests *const hits = &queue->lists[FAST_HITS][bank];
    struct fast_requests *const others = &queue->lists[FAST_OTHERS][bank];
    struct cmd_request *next;

    for (struct cmd_request *request = others->first; request; request = next) {
        next = request->bank_next;
        if (request->row != row)
            continue;
        fast_take_out(others, request);
        fast_append(hits, request);
    }
    if (hits->first)
        fast_put(queue, hits->first, FAST_ACCESS);
}

/* Requests of the row become hits; the others wait until the active request, which came from `name`, is served. */
static FORCE_INLINE void fast_open_bank(struct cmd_channel *channel, enum cmd_queue_name name, uint32_t bank,
                                        int32_t row)
{
    struct fast *const fast = fast_of(channel);

    cmd_device_set_bank(&channel->device, bank, (struct cmd_bank){row, CMD_BANK_OPENED});
    fast_set_bank(fast->active, bank, true);
    for (unsigned i = 0; i < 2; i++) {
        struct fast_queue *const queue = &fast->queues[i];
        const struct fast_requests *const others = &queue->lists[FAST_OTHERS][bank];

        if (!others->first)
            continue;
        fast_take(queue, others->first, FAST_ACTIVATE);
        if ((i == name ? others->rows_again : others->rows) & fast_row_bit(row))
            fast_find_hits(queue, bank, row);
    }
}

static void fast_become_active(struct cmd_channel *channel, struct cmd_request *request, enum cmd_queue_name name)
{
    struct cmd_queue *const active = &channel->queues[CMD_QUEUE_ACTIVE];

    channel->active_in_bank[request->bank]++;
    if (name == CMD_QUEUE_WRITE)
        cmd_stop_waiting(channel, (struct cmd_pick){request, channel->clk, name}, false);
    fast_leave(channel, name, request);
    request->next = NULL;
    request->previous = active->last;
    *(active->last ? &active->last->next : &active->first) = request;
    active->last = request;
    active->count++;
    fast_activated(channel, request);
}

static void fast_serve_activation(struct cmd_channel *channel, struct cmd_request *request, enum cmd_queue_name name)
{
    struct fast_queue *const queue = &fast_of(channel)->queues[name];

    fast_issue(channel, request);
    fast_drop_best(fast_of(channel), FAST_ACTIVATE);
    fast_take(queue, request, FAST_ACTIVATE);
    fast_take_out(&queue->lists[FAST_OTHERS][request->bank], request);
    fast_open_bank(channel, name, request->bank, request->row);
    if (channel->hooks->issued)
        cmd_report(channel, request);
    fast_become_active(channel, request, name);
    fast_compare(channel, FAST_HITS, FAST_ACCESS, request->bank);
}

/* ---- read, write */
/* The last active request of a bank has gone. */
static void fast_unguard(struct cmd_channel *channel, uint32_t bank)
{
    struct fast *const fast = fast_of(channel);

    fast_set_bank(fast->active, bank, false);
    for (unsigned i = 0; i < 2; i++)
        if (fast->queues[i].lists[FAST_OTHERS][bank].first)
            fast_put(&fast->queues[i], fast->queues[i].lists[FAST_OTHERS][bank].first, FAST_PRECHARGE);
    fast_compare(channel, FAST_OTHERS, FAST_PRECHARGE, bank);
}

static void fast_leave_hits(struct cmd_channel *channel, enum cmd_queue_name name, struct cmd_request *request)
{
    struct fast_queue *const queue = &fast_of(channel)->queues[name];
    struct fast_requests *const hits = &queue->lists[FAST_HITS][request->bank];
    bool const is_first = hits->first == request;

    fast_take_out(hits, request);
    if (!is_first)
        return;
    fast_take(queue, request, FAST_ACCESS);
    if (!hits->first)
        return;
    fast_put(queue, hits->first, FAST_ACCESS);
    fast_compare(channel, FAST_HITS, FAST_ACCESS, request->bank);
}

static void fast_finish(struct cmd_channel *channel, struct cmd_request *request)
{
    if (request->kind == CMD_READ) {
        request->depart = channel->clk + channel->spec->read_latency;
        request->next = NULL;
        *channel->pending_end = request;
        channel->pending_end = &request->next;
        channel->stats.num_read_reqs_served++;
        return;
    }
    request->depart = channel->clk;
    channel->stats.num_write_reqs_served++;
    cmd_complete(channel, request);
}

static void fast_serve_access(struct cmd_channel *channel, struct cmd_request *request, enum cmd_queue_name name)
{
    struct fast *const fast = fast_of(channel);
    uint32_t const bank = request->bank;

    fast_issue(channel, request);
    fast_drop_best(fast, FAST_ACCESS);
    fast->best_active.request = NULL;
    if (name != CMD_QUEUE_ACTIVE)
        fast->best[FAST_PRECHARGE] &= ~FAST_NUMBERS;
    if (channel->hooks->issued)
        cmd_report(channel, request);
    if (request->kind == CMD_WRITE)
        cmd_stop_waiting(channel, (struct cmd_pick){request, channel->clk, name}, true);
    fast_leave(channel, name, request);
    if (name != CMD_QUEUE_ACTIVE) {
        fast_leave_hits(channel, name, request);
    } else {
        if (--channel->active_in_bank[bank] == 0)
            fast_unguard(channel, bank);
    }
    fast_finish(channel, request);
}

/* All that is not frequent. */
static NOINLINE void fast_serve_plain(struct cmd_channel *channel, const struct fast_plan *plan)
{
    uint32_t const bank = plan->request->bank;

    cmd_serve(channel, (struct cmd_pick){plan->request, channel->clk, plan->queue});
    fast_compare_bank(channel, bank);
}

static FORCE_INLINE void fast_serve(struct cmd_channel *channel, const struct fast_plan *plan)
{
    struct fast *const fast = fast_of(channel);

    if (plan->wish == FAST_ACCESS) {
        fast_serve_access(channel, plan->request, plan->queue);
        return;
    }
    if (plan->wish == FAST_PRECHARGE) {
        fast_serve_precharge(channel, plan->request);
        fast->best[FAST_PRECHARGE] = fast_scan(channel, FAST_PRECHARGE, channel->clk + 1);
    } else if (plan->wish == FAST_ACTIVATE && !fast_has_bank(fast->active, plan->request->bank)
               && !cmd_is_full(channel, CMD_QUEUE_ACTIVE)) {
        fast_serve_activation(channel, plan->request, plan->queue);
        fast->best[FAST_ACTIVATE] = fast_scan(channel, FAST_ACTIVATE, channel->clk + 1);
    } else {
        fast_serve_plain(channel, plan);
    }
    /* Half ticks: the edge that the row command before this one forbids to precharges is free again. */
    if (fast->is_half_tick && channel->half.edge > channel->clk)
        fast->best[FAST_PRECHARGE] = 0;
}

#endif
