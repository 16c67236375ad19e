/* Modelled: banks and bank groups, activate and precharge with the limits of classic-memory 9.5. Refresh:
 * refresh.h. Power states: power.c. */
#include <stdlib.h>

#include "base/host_facts.h"
#include "memsys/dram/dram_params.h"
#include "memsys/dram/dram_schedule.h"
#include "memsys/dram/rank_internal.h"
#include "memsys/dram/refresh.h"

/* --- ends of precharges and of writes ----------------------------------------------------------------------------- */

/* A rank has one event for the end of all its precharges under way, and one for its writes, due at the end of the last
 * one. A further precharge or write reserves a new place in the order of events, but leaves the event where it is
 * queued; when it executes, it moves to the reserved place. So the order of events is that of an event moved each
 * time. The event of precharges matters only when no row is open: until then its place is reserved, and it is not
 * queued. */

static void await_write(struct dram_rank *rank, uint64_t end_ps)
{
    struct event_place *const due = &rank->write_done_due;

    if (!rank->write_done_event.scheduled) {
        schedule(rank, &rank->write_done_event, end_ps);
        due->when_ps = end_ps;
        rank->outstanding++;
    } else if (due->when_ps < end_ps) {
        *due = event_reserve(&rank->channel->sim->events, end_ps);
    }
}

/* If the end of precharges has a place, and would have been there by now, it was. */
static void settle_precharge(struct dram_rank *rank)
{
    if (rank->precharge_is_reserved && event_has_passed(&rank->channel->sim->events, &rank->precharge_due)) {
        rank->precharge_is_reserved = false;
        rank->outstanding--;
    }
}

/* After the row was closed. Without tRP the end may lie in this very tick: then there is always an event. */
static void await_precharge(struct dram_rank *rank, uint64_t end_ps)
{
    struct event_queue *const events = &rank->channel->sim->events;
    struct event_place *const due = &rank->precharge_due;

    settle_precharge(rank);
    if (!rank->precharge_event.scheduled && !rank->precharge_is_reserved) {
        *due = event_reserve(events, end_ps);
        rank->precharge_is_reserved = true;
        rank->outstanding++;
    } else if (due->when_ps < end_ps) {
        *due = event_reserve(events, end_ps);
    }
    if ((rank->active_banks == 0 || rank->channel->dram->tRP_ps == 0) && rank->precharge_is_reserved) {
        rank->precharge_is_reserved = false;
        event_schedule_reserved(events, &rank->precharge_event, due);
    }
}

/* The event came: true if it was put off. */
static bool is_put_off(struct dram_rank *rank, struct event *event, const struct event_place *due)
{
    if (due->when_ps == now_of(rank))
        return false;
    event_schedule_reserved(&rank->channel->sim->events, event, due);
    return true;
}

/* --- who wants to see commands ------------------------------------------------------------------------------------ */

void dram_rank_tell(const struct dram_rank *rank, const struct dram_bank *bank, const struct dram_command *command)
{
    struct dram_command told = *command;

    told.rank = rank;
    told.bank = bank ? (uint32_t)(bank - rank->banks) : 0;
    for (const struct dram_command_sink *sink = rank->channel->commands; sink; sink = sink->next)
        sink->take(sink->context, &told);
}

/* --- earliest precharges ------------------------------------------------------------------------------------------ */

static void set_precharge(const struct dram_rank *rank, struct dram_bank *bank, uint64_t when_ps)
{
    bank->own_precharge_ps = when_ps;
    bank->raises_seen = rank->precharge_raises;
}

/* No bank is closed before. The previous floor of all banks is usually past or lower; if not, each bank takes it over
 * as its own limit. */
void dram_rank_raise_precharges(struct dram_rank *rank, uint64_t at_least_ps)
{
    if (rank->precharge_floor_ps > max_u64(at_least_ps, now_of(rank)))
        for (uint32_t i = 0; i < rank->bank_count; i++)
            rank->banks[i].own_precharge_ps = dram_rank_precharge_allowed_ps(rank, &rank->banks[i]);
    rank->precharge_floor_ps = at_least_ps;
    rank->precharge_raises++;
}

/* --- rows --------------------------------------------------------------------------------------------------------- */

static void set_row(struct dram_rank *rank, struct dram_bank *bank, uint64_t row)
{
    struct dram_channel *const channel = rank->channel;

    bank->open_row = row;
    if (channel->index)
        channel->index->row_changed(channel, rank->number, (uint32_t)(bank - rank->banks), row);
}

bool dram_rank_activate_is_due(const struct dram_rank *rank)
{
    return rank->activate_event.scheduled
           || (rank->activate_is_reserved
               && !event_has_passed(&rank->channel->sim->events, &rank->activate_place));
}

/* The first of the activates ahead has an event. While the rank is active that has nothing to do: if it lies ahead, it
 * has its place, and is queued when the rank leaves this state. */
static void await_activate(struct dram_rank *rank, uint64_t when_ps)
{
    struct event_queue *const events = &rank->channel->sim->events;

    if (rank->activate_event.scheduled) {
        if (rank->activate_event.when_ps > when_ps)
            event_reschedule(events, &rank->activate_event, when_ps);
    } else if (rank->power_state != POWER_ACTIVE) {
        schedule(rank, &rank->activate_event, when_ps);
    } else if (!dram_rank_activate_is_due(rank) || rank->activate_place.when_ps > when_ps) {
        rank->activate_is_reserved = when_ps > events->now_ps;
        if (rank->activate_is_reserved)
            rank->activate_place = event_reserve(events, when_ps);
        else
            schedule(rank, &rank->activate_event, when_ps);
    }
}

void dram_rank_queue_activate(struct dram_rank *rank)
{
    if (dram_rank_activate_is_due(rank) && rank->activate_is_reserved)
        event_schedule_reserved(&rank->channel->sim->events, &rank->activate_event, &rank->activate_place);
    rank->activate_is_reserved = false;
}

void dram_rank_activate(struct dram_rank *rank, struct dram_bank *bank, uint64_t row)
{
    struct dram_channel *const channel = rank->channel;
    const struct dram_params *const dram = channel->dram;
    uint64_t const earliest_ps = max_u64(dram_rank_activate_allowed_ps(rank, bank), now_of(rank));
    uint64_t const when_ps = dram->two_cycle_activate
                                 ? dram_command_bus_pair(channel->row_bus, earliest_ps, dram->tAAD_ps)
                                 : dram_command_bus_single(channel->row_bus, earliest_ps);

    set_row(rank, bank, row);
    channel->stats.bank_activates[rank->number * rank->bank_count + (uint32_t)(bank - rank->banks)]++;
    bank->row_accesses = 0;
    rank->active_banks++;
    set_precharge(rank, bank, when_ps + dram->tRAS_ps);
    raise_to(&bank->read_allowed_ps, when_ps + dram->tRCD_ps);
    raise_to(&bank->write_allowed_ps, when_ps + dram->tRCD_WR_ps);
    if (channel->has_bank_groups) {
        for (uint32_t i = 0; i < rank->group_count; i++)
            raise_to(&rank->groups[i].activate_allowed_ps,
                  when_ps + (i == bank->group ? dram->tRRD_L_ps : dram->tRRD_ps));
    } else {
        raise_to(&rank->activate_allowed_ps, when_ps + dram->tRRD_ps);
    }
    if (dram->activation_limit > 0) {
        uint64_t oldest_ps;

        rank->activates[rank->next_activate] = when_ps;
        rank->next_activate = rank->next_activate + 1 < dram->activation_limit ? rank->next_activate + 1 : 0;
        oldest_ps = rank->activates[rank->next_activate];
        if (oldest_ps != 0 && when_ps < oldest_ps + dram->tXAW_ps)
            raise_to(&rank->activate_allowed_ps, oldest_ps + dram->tXAW_ps);
    }
    await_activate(rank, when_ps);
    if (is_watched(rank))
        dram_rank_tell(rank, bank, &(struct dram_command){.kind = DRAM_COMMAND_ACTIVATE, .start_ps = when_ps,
                                                          .duration_ps = min_u64(dram->tRCD_ps, dram->tRCD_WR_ps),
                                                          .row = row});
}

/* Closes a bank, without the updates of set_row. */
static void close_bank(struct dram_rank *rank, struct dram_bank *bank, uint64_t when_ps,
                       enum dram_precharge precharge)
{
    struct dram_channel *const channel = rank->channel;
    uint64_t const closed_ps = when_ps + channel->dram->tRP_ps;

    histogram_sample(&channel->stats.bytes_per_activate, bank->row_accesses * channel->geometry.burst_bytes);
    raise_to(&bank->activate_allowed_ps, closed_ps);
    rank->active_banks--;
    await_precharge(rank, closed_ps);
    if (is_watched(rank))
        dram_rank_tell(rank, bank, &(struct dram_command){.kind = DRAM_COMMAND_PRECHARGE, .start_ps = when_ps,
                                                          .duration_ps = closed_ps - when_ps,
                                                          .precharge = precharge});
}

void dram_rank_precharge(struct dram_rank *rank, struct dram_bank *bank, uint64_t when_ps,
                         enum dram_precharge precharge)
{
    set_row(rank, bank, DRAM_NO_ROW);
    set_precharge(rank, bank, when_ps);
    close_bank(rank, bank, when_ps, precharge);
}

void dram_rank_change_row(struct dram_rank *rank, struct dram_bank *bank, uint64_t row)
{
    struct dram_channel *const channel = rank->channel;
    uint64_t const when_ps
        = dram_command_bus_single(channel->row_bus, max_u64(dram_rank_precharge_allowed_ps(rank, bank), now_of(rank)));

    dram_rank_raise_precharges(rank, when_ps + channel->dram->tPPD_ps);
    channel->stats.bank_conflicts[rank->number * rank->bank_count + (uint32_t)(bank - rank->banks)]++;
    close_bank(rank, bank, when_ps, DRAM_PRECHARGE_ALONE);
    dram_rank_activate(rank, bank, row);
}

/* --- commands that take effect ------------------------------------------------------------------------------------ */

static void on_activate(void *owner)
{
    struct dram_rank *const rank = owner;

    if (rank->power_state != POWER_ACTIVE)
        dram_rank_schedule_power(rank, POWER_ACTIVE, now_of(rank));
}

static void on_precharge(void *owner)
{
    struct dram_rank *const rank = owner;

    if (is_put_off(rank, &rank->precharge_event, &rank->precharge_due))
        return;
    rank->outstanding--;
    if (rank->active_banks > 0)
        return;
    if (rank->channel->dram->enable_dram_powerdown && queue_is_empty(rank) && rank->outstanding == 0)
        dram_rank_sleep_in(rank, POWER_PRECHARGE_DOWN);
    else
        dram_rank_schedule_power(rank, POWER_IDLE, now_of(rank));
}

static void on_write_done(void *owner)
{
    struct dram_rank *const rank = owner;

    if (is_put_off(rank, &rank->write_done_event, &rank->write_done_due))
        return;
    rank->outstanding--;
    rank->refresh->resume_lost(rank);
}

void dram_rank_write_issued(struct dram_rank *rank, uint64_t ready_ps)
{
    await_write(rank, ready_ps);
    rank->write_entries--;
}

void dram_rank_read_issued(struct dram_rank *rank)
{
    rank->outstanding++;
}

void dram_rank_read_left(struct dram_rank *rank)
{
    rank->read_entries--;
    rank->outstanding--;
    if (!rank->channel->dram->enable_dram_powerdown || !queue_is_empty(rank))
        return;
    settle_precharge(rank);
    if (rank->outstanding == 0 && rank->refresh_state == REFRESH_IDLE)
        dram_rank_sleep_in(rank, rank->power_state == POWER_IDLE ? POWER_PRECHARGE_DOWN : POWER_ACTIVE_DOWN);
}

/* --- set-up ------------------------------------------------------------------------------------------------------- */

struct fault dram_rank_init(struct dram_rank *rank, struct dram_channel *channel, unsigned number)
{
    const struct dram_params *const dram = channel->dram;

    *rank = (struct dram_rank){.channel = channel, .refresh = channel->refresh,
                               .number = number, .bank_count = (uint32_t)dram->banks_per_rank,
                               .group_count = (uint32_t)max_u64(dram->bank_groups_per_rank, 1)};
    event_init(&rank->activate_event, on_activate, rank, EVENT_DEFAULT);
    event_init(&rank->precharge_event, on_precharge, rank, EVENT_DEFAULT);
    event_init(&rank->write_done_event, on_write_done, rank, EVENT_DEFAULT);
    rank->activate_event.is_apart = rank->precharge_event.is_apart = rank->write_done_event.is_apart = true;
    event_init(&rank->refresh_event, rank->refresh->due, rank, EVENT_DEFAULT);
    rank->refresh_event.is_apart = true;
    dram_rank_init_power(rank);
    rank->banks = host_lines_zeroed(rank->bank_count, sizeof *rank->banks);
    rank->groups = calloc(rank->group_count, sizeof *rank->groups);
    if (!rank->banks || !rank->groups)
        return fault_make(FAULT_MEMORY, "out of memory for %u banks", rank->bank_count);
    for (uint32_t i = 0; i < rank->bank_count; i++) {
        rank->banks[i].open_row = DRAM_NO_ROW;
        rank->banks[i].group = i % rank->group_count;
    }
    FORWARD(sim_keep_place(channel->sim, &rank->precharge_due));
    FORWARD(sim_keep_place(channel->sim, &rank->write_done_due));
    FORWARD(sim_keep_place(channel->sim, &rank->activate_place));
    return event_queue_reserve(&channel->sim->events, 6);
}

void dram_rank_free(struct dram_rank *rank)
{
    host_lines_free(rank->banks);
    free(rank->groups);
    rank->banks = NULL;
    rank->groups = NULL;
}
