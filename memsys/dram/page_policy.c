/* Modelled: the four page policies of classic-memory 9.5. The adaptive ones close a row early when another row of the
 * bank is wanted (open) or nothing of the row is (close). */
#include "memsys/dram/page_policy.h"

#include "memsys/dram/dram_schedule.h"

struct dram_waiting dram_waiting_for(const struct dram_channel *channel, const struct dram_queue *queue,
                                     const struct dram_burst *burst)
{
    struct dram_waiting waiting = {.same_row = false};

    if (channel->index)
        return channel->index->waiting(channel, queue, burst);
    for (uint32_t slot = queue->first; slot != DRAM_NO_BURST; slot = queue->slots[slot].next) {
        const struct dram_burst *const other = &queue->slots[slot];

        if (other->bank_place != burst->bank_place)
            continue;
        waiting.same_row = waiting.same_row || other->row == burst->row;
        waiting.other_row = waiting.other_row || other->row != burst->row;
    }
    return waiting;
}

bool dram_page_open(const struct dram_channel *channel, const struct dram_queue *queue, const struct dram_burst *burst)
{
    (void)channel, (void)queue, (void)burst;
    return false;
}

bool dram_page_close(const struct dram_channel *channel, const struct dram_queue *queue,
                     const struct dram_burst *burst)
{
    (void)channel, (void)queue, (void)burst;
    return true;
}

bool dram_page_open_adaptive(const struct dram_channel *channel, const struct dram_queue *queue,
                             const struct dram_burst *burst)
{
    struct dram_waiting const waiting = dram_waiting_for(channel, queue, burst);

    return waiting.other_row && !waiting.same_row;
}

bool dram_page_close_adaptive(const struct dram_channel *channel, const struct dram_queue *queue,
                              const struct dram_burst *burst)
{
    return !dram_waiting_for(channel, queue, burst).same_row;
}

#define PAGE_ROW(value, name) [value] = dram_page_##name,
static dram_page_policy *const policies[] = {PAGE_POLICIES(PAGE_ROW)};

dram_page_policy *dram_page_policy_of(enum page_policy policy)
{
    return policies[policy];
}
