/* Scheduling of a DRAM channel: which burst is next, and what issuing it means for banks, ranks and the data bus
 * (classic-memory 9.4, 9.5).
 *
 * Use: choose from the queue of the bus's direction, remove from the queue, issue. Units: ticks are picoseconds.
 * Ownership: nothing is kept; the state is the channel's and its ranks'. */
#ifndef MEMSYS_DRAM_SCHEDULE_H
#define MEMSYS_DRAM_SCHEDULE_H

#include "memsys/dram/channel.h"

/* Slot of the next burst, or DRAM_NO_BURST while all ranks that are wanted refresh. Data may follow those on the bus
 * after `extra_column_ps` at the earliest: the minimum turn-around when the bus has just turned. The queue is not
 * empty, or has but refused bursts: the answer then is DRAM_NO_BURST. */
uint32_t dram_schedule_choose(struct dram_channel *channel, const struct dram_queue *queue, uint64_t extra_column_ps);

/* Issues the burst in `slot`, which was taken out of the queue just now: so the queue need not learn that the burst's
 * row is opened for it. Answers the tick at which its data are complete. */
uint64_t dram_schedule_issue(struct dram_channel *channel, const struct dram_queue *queue, uint32_t slot);

#endif
