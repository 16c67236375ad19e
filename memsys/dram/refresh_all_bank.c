/* Modelled: refresh of a whole rank, all banks closed, and self-refresh of a rank that sleeps (classic-memory 9.7).
 *
 * The steps of a refresh are triggered by:
 *   IDLE -> DRAIN               the refresh event, tREFI - tRP after the last one was due
 *   DRAIN -> POWERDOWN_EXIT     the same event, or, if the controller is about to use this rank, its next look at it
 *   POWERDOWN_EXIT -> PRECHARGE at once, or after the rank has woken
 *   PRECHARGE -> START          the power event that finds all banks closed; if none was open any more when the refresh
 *                               looked, reads under way must have left
 *   START -> RUN -> IDLE        the refresh event; the power event tRFC later
 * The reference loses the step PRECHARGE -> START when the last read of this rank leaves while reads of other ranks are
 * under way: nothing looks at this rank again. Here resume_lost takes it; in no other case is there a
 * difference, as it asks that no event of the rank is left that could take it. */
#include "memsys/dram/dram_params.h"
#include "memsys/dram/rank_internal.h"
#include "memsys/dram/refresh.h"

static void refresh_all_bank_enter(struct dram_rank *rank, enum dram_refresh_state state)
{
    rank->channel->refreshing_ranks -= rank->refresh_state != REFRESH_IDLE;
    rank->channel->refreshing_ranks += state != REFRESH_IDLE;
    rank->refresh_state = (uint16_t)state;
}

/* --- refresh ------------------------------------------------------------------------------------------------------ */

static bool is_busy(struct dram_rank *rank)
{
    struct dram_channel *const channel = rank->channel;

    if (rank->refresh_state == REFRESH_IDLE)
        return false;
    if (rank->power_state != POWER_SELFREFRESH) {
        if (rank->refresh_state == REFRESH_DRAIN) {
            refresh_all_bank_enter(rank, REFRESH_POWERDOWN_EXIT);
            schedule(rank, &rank->refresh_event, now_of(rank));
        }
        return true;
    }
    if (rank->in_low_power
        && (rank->read_entries > 0 || (channel->bus_next == BUS_WRITE && rank->write_entries > 0)))
        dram_rank_wake(rank, channel->dram->tXS_ps);
    return false;
}

static void reads_left(struct dram_rank *rank)
{
    if (rank->refresh_state == REFRESH_PRECHARGE && !rank->precharge_event.scheduled)
        schedule(rank, &rank->refresh_event, now_of(rank));
}

static void resume_lost(struct dram_rank *rank)
{
    if (rank->refresh_state != REFRESH_PRECHARGE || rank->active_banks > 0 || rank->power_state != POWER_IDLE
        || rank->outstanding != 1)
        return;
    if (rank->refresh_event.scheduled || rank->power_event.scheduled || rank->precharge_event.scheduled
        || dram_rank_activate_is_due(rank) || rank->wake_event.scheduled)
        return;
    rank->channel->sim->notices[NOTICE_REFRESH_RESUMED]++;
    schedule(rank, &rank->refresh_event, now_of(rank));
}

static void close_all_banks(struct dram_rank *rank)
{
    uint64_t when_ps = now_of(rank);

    for (uint32_t i = 0; i < rank->bank_count; i++)
        when_ps = max_u64(when_ps, dram_rank_precharge_allowed_ps(rank, &rank->banks[i]));
    for (uint32_t i = 0; i < rank->bank_count; i++) {
        struct dram_bank *const bank = &rank->banks[i];

        if (bank->open_row != DRAM_NO_ROW) {
            dram_rank_precharge(rank, bank, when_ps, DRAM_PRECHARGE_OF_ALL);
        } else {
            raise_to(&bank->activate_allowed_ps, when_ps + rank->channel->dram->tRP_ps);
            raise_to(&bank->own_precharge_ps, when_ps);
        }
    }
}

/* A plain assignment in the reference: earlier limits of activates are overwritten at all three levels. */
static void forbid_activates_until(struct dram_rank *rank, uint64_t when_ps)
{
    for (uint32_t i = 0; i < rank->bank_count; i++)
        rank->banks[i].activate_allowed_ps = when_ps;
    for (uint32_t i = 0; i < rank->group_count; i++)
        rank->groups[i].activate_allowed_ps = 0;
    rank->activate_allowed_ps = 0;
}

static void start_refresh(struct dram_rank *rank)
{
    uint64_t const end_ps = now_of(rank) + rank->channel->dram->tRFC_ps;

    forbid_activates_until(rank, end_ps);
    rank->refresh_due_ps += rank->channel->dram->tREFI_ps;
    refresh_all_bank_enter(rank, REFRESH_RUN);
    schedule(rank, &rank->refresh_event, end_ps);
    if (is_watched(rank))
        dram_rank_tell(rank, NULL, &(struct dram_command){.kind = DRAM_COMMAND_REFRESH, .start_ps = now_of(rank),
                                                          .duration_ps = end_ps - now_of(rank)});
}

static void end_refresh(struct dram_rank *rank)
{
    uint64_t const next_ps = rank->refresh_due_ps - rank->channel->dram->tRP_ps;
    bool const is_late = next_ps <= now_of(rank);

    /* A refresh that was held up may be over when the next is due: that one comes after the power event, which is the
     * last of this tick to be inserted. The reference would stop. */
    if (is_late)
        schedule(rank, &rank->refresh_event, now_of(rank));
    if (rank->slept_before_refresh != POWER_IDLE)
        dram_rank_sleep_in(rank, rank->power_state);
    else if (queue_is_empty(rank) && rank->channel->dram->enable_dram_powerdown)
        dram_rank_sleep_in(rank, POWER_PRECHARGE_DOWN);
    else
        dram_rank_schedule_power(rank, POWER_IDLE, now_of(rank));
    if (!is_late)
        schedule(rank, &rank->refresh_event, next_ps);
}

static void on_refresh(void *owner)
{
    struct dram_rank *const rank = owner;
    struct dram_channel *const channel = rank->channel;

    if (rank->refresh_state == REFRESH_IDLE || rank->refresh_state == REFRESH_SELFREFRESH_EXIT) {
        rank->refresh_due_ps = now_of(rank);
        refresh_all_bank_enter(rank, REFRESH_DRAIN);
        rank->outstanding++;
    }
    if (rank->refresh_state == REFRESH_DRAIN) {
        if (rank->number == channel->active_rank && channel->next_request_event.scheduled)
            return;
        refresh_all_bank_enter(rank, REFRESH_POWERDOWN_EXIT);
    }
    if (rank->refresh_state == REFRESH_POWERDOWN_EXIT) {
        if (rank->in_low_power) {
            dram_rank_wake(rank, channel->dram->tXP_ps);
            return;
        }
        refresh_all_bank_enter(rank, REFRESH_PRECHARGE);
    }
    switch (rank->refresh_state) {
    case REFRESH_PRECHARGE:
        if (rank->active_banks > 0)
            close_all_banks(rank);
        else if (rank->power_state == POWER_IDLE && rank->outstanding == 1)
            dram_rank_schedule_power(rank, POWER_REFRESH, now_of(rank));
        break;
    case REFRESH_START:
        start_refresh(rank);
        break;
    default:
        assert(rank->refresh_state == REFRESH_RUN);
        end_refresh(rank);
    }
}

/* --- power states change ------------------------------------------------------------------------------------------ */

/* The rank entered POWER_IDLE; a refresh may want it. */
static void idle_reached(struct dram_rank *rank, unsigned previous)
{
    if (previous == POWER_SELFREFRESH) {
        refresh_all_bank_enter(rank, REFRESH_SELFREFRESH_EXIT);
        schedule(rank, &rank->refresh_event, now_of(rank) + rank->channel->dram->tXS_ps);
    } else if (!rank->activate_event.scheduled) {
        if (rank->refresh_state == REFRESH_POWERDOWN_EXIT)
            dram_rank_schedule_power(rank, POWER_REFRESH, now_of(rank) + rank->channel->dram->tXP_ps);
        else if (rank->refresh_state == REFRESH_PRECHARGE)
            rank->power_state = POWER_REFRESH;
    }
}

static void refresh_reached(struct dram_rank *rank)
{
    if (rank->slept_before_refresh == POWER_PRECHARGE_DOWN && queue_is_empty(rank)
        && rank->channel->dram->enable_dram_powerdown) {
        dram_rank_sleep_in(rank, POWER_SELFREFRESH);
        rank->outstanding--;
        rank->power_state = POWER_IDLE;
    } else {
        schedule(rank, &rank->refresh_event, now_of(rank));
        refresh_all_bank_enter(rank, REFRESH_START);
    }
}

static void power_changed(struct dram_rank *rank, unsigned previous)
{
    struct dram_channel *const channel = rank->channel;

    if (previous == POWER_REFRESH) {
        rank->outstanding--;
        refresh_all_bank_enter(rank, REFRESH_IDLE);
        if (!channel->next_request_event.scheduled)
            schedule(rank, &channel->next_request_event, now_of(rank));
    }
    if (rank->power_state == POWER_ACTIVE && rank->refresh_state == REFRESH_POWERDOWN_EXIT) {
        refresh_all_bank_enter(rank, REFRESH_PRECHARGE);
        schedule(rank, &rank->refresh_event, now_of(rank));
    } else if (rank->power_state == POWER_IDLE) {
        idle_reached(rank, previous);
    }
    if (rank->power_state == POWER_REFRESH)
        refresh_reached(rank);
}

/* --- set-up ------------------------------------------------------------------------------------------------------- */

static void refresh_all_bank_start(struct dram_rank *rank)
{
    const struct dram_params *const dram = rank->channel->dram;

    schedule(rank, &rank->refresh_event, now_of(rank) + dram->tREFI_ps - dram->tRP_ps);
}

const struct dram_refresh dram_refresh_all_bank = {
    .due = on_refresh, .start = refresh_all_bank_start, .is_busy = is_busy, .reads_left = reads_left,
    .resume_lost = resume_lost, .power_changed = power_changed
};
