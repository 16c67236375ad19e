/* Modelled: power-down and self-refresh of a rank, and the times spent in each power state (classic-memory 9.7). The
 * effect of a change of state on refreshes: refresh.h. Energy: memsys/energy/. */
#include "memsys/dram/dram_params.h"
#include "memsys/dram/rank_internal.h"
#include "memsys/dram/refresh.h"

/* --- low power ---------------------------------------------------------------------------------------------------- */

void dram_rank_schedule_power(struct dram_rank *rank, unsigned state, uint64_t when_ps)
{
    rank->next_power_state = (uint16_t)state;
    schedule(rank, &rank->power_event, when_ps);
}

void dram_rank_sleep_in(struct dram_rank *rank, unsigned state)
{
    dram_rank_schedule_power(rank, state == POWER_REFRESH ? POWER_PRECHARGE_DOWN : state, now_of(rank));
    rank->wake_allowed_ps = now_of(rank) + rank->channel->dram->tCK_ps;
    rank->in_low_power = true;
}

void dram_rank_wake(struct dram_rank *rank, uint64_t exit_ps)
{
    uint64_t const when_ps = max_u64(now_of(rank), rank->wake_allowed_ps);
    uint64_t const usable_ps = when_ps + exit_ps;

    rank->slept_before_refresh = rank->refresh_state == REFRESH_POWERDOWN_EXIT ? rank->power_state : POWER_IDLE;
    schedule(rank, &rank->wake_event, when_ps);
    raise_to(&rank->read_allowed_ps, usable_ps);
    raise_to(&rank->write_allowed_ps, usable_ps);
    raise_to(&rank->activate_allowed_ps, usable_ps);
    dram_rank_raise_precharges(rank, usable_ps);
    rank->in_low_power = false;
}

static void on_wake(void *owner)
{
    struct dram_rank *const rank = owner;

    dram_rank_schedule_power(rank, rank->power_state == POWER_ACTIVE_DOWN ? POWER_ACTIVE : POWER_IDLE, now_of(rank));
}

/* --- power states ------------------------------------------------------------------------------------------------- */

void dram_rank_settle_stats(struct dram_rank *rank)
{
    rank->stats.power_ps[rank->power_state] += now_of(rank) - rank->power_since_ps;
    rank->power_since_ps = now_of(rank);
}

void dram_rank_reset_stats(struct dram_rank *rank)
{
    dram_rank_settle_stats(rank);
    rank->power_entered_ps = now_of(rank);
    rank->stats = (struct dram_rank_stats){0};
}

static void on_power(void *owner)
{
    struct dram_rank *const rank = owner;
    unsigned const previous = rank->power_state;

    dram_rank_queue_activate(rank);
    if (previous == POWER_PRECHARGE_DOWN || previous == POWER_ACTIVE_DOWN || previous == POWER_SELFREFRESH)
        rank->stats.idle_ps += now_of(rank) - rank->power_entered_ps;
    dram_rank_settle_stats(rank);
    rank->power_entered_ps = now_of(rank);
    rank->power_state = rank->next_power_state;
    rank->refresh->power_changed(rank, previous);
    if (is_watched(rank))
        dram_rank_tell(rank, NULL, &(struct dram_command){.kind = DRAM_COMMAND_POWER, .start_ps = now_of(rank),
                                                          .row = rank->power_state});
}

void dram_rank_init_power(struct dram_rank *rank)
{
    event_init(&rank->power_event, on_power, rank, EVENT_DEFAULT);
    event_init(&rank->wake_event, on_wake, rank, EVENT_DEFAULT);
    rank->power_event.is_apart = rank->wake_event.is_apart = true;
}
