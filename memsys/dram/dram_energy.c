/* What a channel of gem5's controller tells the energy model: rows opened, bursts, and the times in power states that
 * its ranks count anyway (classic-memory 9.7). A refresh is as long as the rank is in that state. */
#include <assert.h>

#include "memsys/dram/dram_channel.h"

static_assert((int)ENERGY_PRECHARGED == (int)POWER_IDLE && (int)ENERGY_REFRESH == (int)POWER_REFRESH
              && (int)ENERGY_SELF_REFRESH == (int)POWER_SELFREFRESH
              && (int)ENERGY_PRECHARGE_DOWN == (int)POWER_PRECHARGE_DOWN && (int)ENERGY_ACTIVE == (int)POWER_ACTIVE
              && (int)ENERGY_ACTIVE_DOWN == (int)POWER_ACTIVE_DOWN, "states of both are the same, in one order");

struct energy_counts dram_channel_energy_counts(const void *of, uint64_t now_ps)
{
    const struct dram_channel *const channel = of;
    uint32_t const banks = channel->rank_count * channel->ranks[0].bank_count;
    struct energy_counts counts = {.reads = channel->stats.read_bursts, .writes = channel->stats.write_bursts};

    for (uint32_t i = 0; i < banks; i++)
        counts.activates += channel->stats.bank_activates[i];
    for (uint32_t i = 0; i < channel->rank_count; i++) {
        const struct dram_rank *const rank = &channel->ranks[i];

        for (unsigned state = 0; state < POWER_STATES; state++)
            counts.state_ps[state] += (double)rank->stats.power_ps[state];
        counts.state_ps[rank->power_state] += (double)(now_ps - rank->power_since_ps);
    }
    counts.refresh_ps = counts.state_ps[ENERGY_REFRESH];
    return counts;
}
