/* Modelled: classic-memory 9.4, first ready, first come, first served. Not modelled: priorities.
 *
 * A row hit that leaves no gap on the data bus goes first. Otherwise a bank that can be prepared for another row while
 * the bus is still busy; otherwise the oldest row hit; otherwise a bank that can be prepared soonest. Among equals the
 * oldest burst. memsys/fast/dram_choose.c chooses the same burst faster. */
#include "memsys/dram/dram_params.h"
#include "memsys/dram/dram_schedule.h"

/* The banks to prepare: those that leave no gap, if any does, otherwise those whose activate can be sent first. */
struct preparation {
    uint64_t column_ps;              /* when the data bus is free for a column command */
    bool is_seamless;
    uint64_t activate_ps;            /* the earliest */
};

static uint64_t row_to_column_ps(const struct dram_channel *channel)
{
    return channel->bus == BUS_READ ? channel->dram->tRCD_ps : channel->dram->tRCD_WR_ps;
}

/* When the bank can be activated, after a precharge if a row is open. */
static uint64_t activate_ps(const struct dram_channel *channel, const struct dram_burst *burst)
{
    const struct dram_rank *const rank = &channel->ranks[burst->rank];
    const struct dram_bank *const bank = dram_bank_of(channel, burst);
    uint64_t const now_ps = sim_now_ps(channel->sim);

    if (bank->open_row == DRAM_NO_ROW)
        return max_u64(dram_rank_activate_allowed_ps(rank, bank), now_ps);
    return max_u64(dram_rank_precharge_allowed_ps(rank, bank), now_ps) + channel->dram->tRP_ps;
}

static bool is_column_ready(const struct dram_channel *channel, const struct dram_burst *burst, uint64_t column_ps)
{
    return dram_column_allowed_ps(channel, &channel->ranks[burst->rank], dram_bank_of(channel, burst)) <= column_ps;
}

static bool is_seamless(const struct dram_channel *channel, const struct dram_burst *burst, uint64_t column_ps)
{
    return is_column_ready(channel, burst, column_ps)
        && activate_ps(channel, burst) + row_to_column_ps(channel) <= column_ps;
}

static bool is_eligible(const struct dram_channel *channel, const struct dram_burst *burst)
{
    return dram_is_eligible(&channel->ranks[burst->rank]);
}

/* Banks of row hits count, too. */
static struct preparation frfcfs_prepare(const struct dram_channel *channel, const struct dram_queue *queue,
                                         uint64_t column_ps)
{
    struct preparation best = {.column_ps = column_ps, .activate_ps = TICK_NEVER};

    for (uint32_t slot = queue->first; slot != DRAM_NO_BURST; slot = queue->slots[slot].next) {
        const struct dram_burst *const burst = &queue->slots[slot];

        if (!is_eligible(channel, burst))
            continue;
        best.is_seamless = best.is_seamless || is_seamless(channel, burst, column_ps);
        best.activate_ps = min_u64(best.activate_ps, activate_ps(channel, burst));
    }
    return best;
}

static bool is_prepared(const struct preparation *best, const struct dram_channel *channel,
                        const struct dram_burst *burst)
{
    return best->is_seamless ? is_seamless(channel, burst, best->column_ps)
                             : activate_ps(channel, burst) == best->activate_ps;
}

/* Is the preparation over before the data bus is free? */
static bool is_hidden(const struct preparation *best, const struct dram_channel *channel)
{
    return best->is_seamless || best->activate_ps <= sim_now_ps(channel->sim)
        || best->activate_ps + row_to_column_ps(channel) <= best->column_ps;
}

static uint32_t frfcfs_choose(const struct dram_channel *channel, const struct dram_queue *queue,
                              uint64_t extra_column_ps)
{
    uint64_t const column_ps = max_u64(channel->next_burst_ps + extra_column_ps, sim_now_ps(channel->sim));
    struct preparation const best = frfcfs_prepare(channel, queue, column_ps);
    uint32_t hit = DRAM_NO_BURST, prepared = DRAM_NO_BURST;

    for (uint32_t slot = queue->first; slot != DRAM_NO_BURST; slot = queue->slots[slot].next) {
        const struct dram_burst *const burst = &queue->slots[slot];

        if (!is_eligible(channel, burst))
            continue;
        if (dram_bank_of(channel, burst)->open_row != burst->row) {
            if (prepared == DRAM_NO_BURST && is_prepared(&best, channel, burst))
                prepared = slot;
        } else if (is_column_ready(channel, burst, column_ps)) {
            return slot;
        } else if (hit == DRAM_NO_BURST) {
            hit = slot;
        }
    }
    return hit == DRAM_NO_BURST || (prepared != DRAM_NO_BURST && is_hidden(&best, channel)) ? prepared : hit;
}

const struct dram_scheduler dram_scheduler_frfcfs = {.choose = frfcfs_choose};
