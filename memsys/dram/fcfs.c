/* Modelled: classic-memory 8.1, first come, first served: the oldest burst whose rank is not in a refresh. */
#include "memsys/dram/dram_schedule.h"

static uint32_t fcfs_choose(const struct dram_channel *channel, const struct dram_queue *queue,
                            uint64_t extra_column_ps)
{
    uint32_t slot = queue->first;

    (void)extra_column_ps;
    while (slot != DRAM_NO_BURST && !dram_is_eligible(&channel->ranks[queue->slots[slot].rank]))
        slot = queue->slots[slot].next;
    return slot;
}

const struct dram_scheduler dram_scheduler_fcfs = {.choose = fcfs_choose};
