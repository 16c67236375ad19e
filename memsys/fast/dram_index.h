/* An index of the bursts that wait in a DRAM channel's queues: for each bank a list of its bursts, the oldest of the
 * open row (a hit) and the oldest of another row (a miss); for each rank the sets of banks that have bursts, hits, and
 * open rows. So choosing a burst looks at banks, not at bursts (dram_choose.c).
 *
 * Why the result is the same: the index is a function of the queues and the open rows, and hears of each change of
 * them; tests/unit/memsys/fast/test_dram_index.c compares it with the plain lists, and test_dram_choose.c the chosen
 * bursts with those of the plain schedulers.
 * Use: dram_index_bind, while the queues are empty. Ownership: the index is the channel's, which frees it. */
#ifndef MEMSYS_FAST_DRAM_INDEX_H
#define MEMSYS_FAST_DRAM_INDEX_H

#include "memsys/dram/dram_channel.h"

/* The age of a burst has its slot in the low bits, so that the oldest of some bursts is the least of their ages. */
#define DRAM_NO_AGE UINT64_MAX           /* of an empty set */

/* The bursts of one bank. */
struct dram_bank_bursts {
    uint64_t hit, miss;                  /* age of the oldest of the open row, of any other; or DRAM_NO_AGE */
    uint64_t row;                        /* that is open */
    uint32_t first, last;
    uint32_t count, hits;
    uint64_t padding[3];                 /* a line of the host */
};

/* Those of one queue. */
struct dram_queue_index {
    uint32_t hits;                       /* bursts whose row is open */
    uint64_t next_age;
    struct dram_bank_bursts *banks;      /* rank by rank */
    uint64_t *waiting, *hitting;         /* sets of banks, words_per_rank words a rank: bursts, hits */
    uint16_t *filter;                    /* counts bursts by the low bits of their number: 0 means absent */
    uint64_t filter_mask;
};

struct dram_index {
    struct dram_queue_index reads, writes;
    uint32_t banks_per_rank, words_per_rank, rank_count;
    unsigned burst_shift;
    uint64_t *open_banks;                /* sets of banks with an open row, words_per_rank words a rank */
    uint64_t *group_banks;               /* the set of each bank group, the same in each rank */
};

/* The index, and the fast choice for a scheduler that has one. */
struct fault dram_index_bind(struct dram_channel *channel);

/* Slot of the next burst by first ready, first come, first served (dram_choose.c). */
uint32_t dram_choose_first_ready(const struct dram_channel *channel, const struct dram_queue *queue,
                                 uint64_t extra_column_ps);

static inline struct dram_queue_index *dram_index_of(const struct dram_channel *channel,
                                                     const struct dram_queue *queue)
{
    return queue == &channel->reads ? &channel->index_data->reads : &channel->index_data->writes;
}

/* Of the burst of that age, DRAM_NO_BURST of DRAM_NO_AGE. */
static inline uint32_t dram_age_slot(uint64_t age)
{
    return age == DRAM_NO_AGE ? DRAM_NO_BURST : (uint32_t)(age & ((UINT64_C(1) << DRAM_SLOT_BITS) - 1));
}

#endif
