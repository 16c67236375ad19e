/* Schedulers of a DRAM channel: which burst is next (classic-memory 9.4). One row a scheduler; the effects of issuing
 * a burst are common to all (dram_issue.c).
 *
 * Adding one: a file <name>.c that defines `dram_scheduler_<name>`, and a value of MEM_SCHEDS
 * (memsys/dram/dram_params.h). Use: choose from the queue of the bus's direction, remove from the queue, issue. Units:
 * ticks are picoseconds. Ownership: nothing is kept; the state is the channel's and its ranks'. */
#ifndef MEMSYS_DRAM_DRAM_SCHEDULE_H
#define MEMSYS_DRAM_DRAM_SCHEDULE_H

#include "memsys/dram/dram_channel.h"
#include "memsys/dram/dram_params.h"

struct dram_scheduler {
    /* Slot of the next burst, or DRAM_NO_BURST while all ranks that are wanted refresh. Data may follow those on the
     * bus after `extra_column_ps` at the earliest: the minimum turn-around when the bus has just turned. */
    uint32_t (*choose)(const struct dram_channel *channel, const struct dram_queue *queue, uint64_t extra_column_ps);
};

#define DRAM_SCHEDULER_DECLARATION(value, name) extern const struct dram_scheduler dram_scheduler_##name;
MEM_SCHEDS(DRAM_SCHEDULER_DECLARATION)
#undef DRAM_SCHEDULER_DECLARATION

const struct dram_scheduler *dram_scheduler_of(enum mem_sched kind);

/* A faster way to find bursts than to search the queues, kept by functions that hear of all changes. NULL in a channel
 * of the plain engine; otherwise memsys/fast/dram_index.h. */
struct dram_index_ops {
    void (*pushed)(struct dram_channel *channel, struct dram_queue *queue, uint32_t slot);
    void (*removing)(struct dram_channel *channel, struct dram_queue *queue, uint32_t slot);
    /* DRAM_NO_ROW: closed */
    void (*row_changed)(struct dram_channel *channel, uint32_t rank, uint32_t bank, uint64_t row);
    /* As dram_queue_find. */
    uint32_t (*find)(const struct dram_channel *channel, const struct dram_queue *queue, uint64_t aligned);
    /* As dram_waiting_for. */
    struct dram_waiting (*waiting)(const struct dram_channel *channel, const struct dram_queue *queue,
                                   const struct dram_burst *burst);
    void (*free)(struct dram_channel *channel);
};

/* Is the rank free for a burst, that is not in a refresh? */
static inline bool dram_is_eligible(const struct dram_rank *rank)
{
    return rank->refresh_state == REFRESH_IDLE;
}

static inline struct dram_bank *dram_bank_of(const struct dram_channel *channel, const struct dram_burst *burst)
{
    return &channel->ranks[burst->rank].banks[burst->bank];
}

/* When a column command of the bus's direction may be sent to the bank. */
static inline uint64_t dram_column_allowed_ps(const struct dram_channel *channel, const struct dram_rank *rank,
                                              const struct dram_bank *bank)
{
    return channel->bus == BUS_READ ? dram_rank_read_allowed_ps(rank, bank) : dram_rank_write_allowed_ps(rank, bank);
}

#endif
