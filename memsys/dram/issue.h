/* Issuing a burst: what it means for banks, ranks and the data bus (classic-memory 9.5). */
#ifndef MEMSYS_DRAM_ISSUE_H
#define MEMSYS_DRAM_ISSUE_H

#include "memsys/dram/channel.h"

/* Issues the burst in `slot`, which was taken out of the queue just now. Answers the tick at which its data are
 * complete. */
uint64_t dram_issue(struct dram_channel *channel, const struct dram_queue *queue, uint32_t slot);

#endif
