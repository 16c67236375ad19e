/* Queue of DRAM bursts in order of arrival (classic-memory 8.2): the read queue or the write queue of a channel. Bursts
 * stay in their slot; a list runs through the slots, oldest first.
 *
 * Use: fill the burst of dram_queue_room and push it; remove. The scheduler walks from `first` by `next`.
 * Units: ticks are picoseconds, sizes bytes. Ownership: a burst of the read queue belongs to a packet that the
 * controller holds; bursts of the write queue refer to no packet. Nothing is allocated after init. */
#ifndef MEMSYS_DRAM_QUEUE_H
#define MEMSYS_DRAM_QUEUE_H

#include "memsys/sim/clock.h"
#include "memsys/sim/packet.h"

#define DRAM_NOT_SPLIT UINT32_MAX
#define DRAM_NO_BURST UINT32_MAX         /* no slot */
#define DRAM_NO_ROW UINT64_MAX           /* the bank is closed */

enum { DRAM_SLOT_BITS = 24 };            /* of a slot's number: the largest queue */

struct dram_burst {
    uint64_t row;
    uint64_t age;                        /* of the index (memsys/fast/dram_index.h) */
    uint64_t aligned;                    /* address rounded down to a whole burst */
    uint64_t address;                    /* first byte; only a packet's first burst may begin inside its piece */
    uint64_t arrival_ps;
    struct packet *packet;               /* reads only */
    uint32_t size_bytes;
    uint32_t split;                      /* which count of finished bursts its packet has, or DRAM_NOT_SPLIT */
    uint32_t next, previous;             /* slots; of free ones `next` alone; set by the queue */
    uint32_t next_of_bank, previous_of_bank;     /* of the index, too */
    uint32_t bank_place;                 /* the bank counted within the channel */
    uint16_t rank, bank;                 /* the bank counted within its rank */
    requestor_id requestor;
};

struct dram_queue {
    uint32_t count, capacity;
    uint32_t first, last, first_free;    /* slots */
    struct dram_burst *slots;
};

struct fault dram_queue_init(struct dram_queue *queue, uint64_t capacity);
void dram_queue_free(struct dram_queue *queue);

/* The burst that the next push appends, to be filled before; there must be room. */
static inline struct dram_burst *dram_queue_room(const struct dram_queue *queue)
{
    assert(queue->count < queue->capacity);
    return &queue->slots[queue->first_free];
}

/* Appends the burst of dram_queue_room; answers its slot. */
static inline uint32_t dram_queue_push(struct dram_queue *queue)
{
    uint32_t const slot = queue->first_free;
    struct dram_burst *const burst = &queue->slots[slot];

    queue->first_free = burst->next;
    burst->next = DRAM_NO_BURST;
    burst->previous = queue->last;
    *(queue->last == DRAM_NO_BURST ? &queue->first : &queue->slots[queue->last].next) = slot;
    queue->last = slot;
    queue->count++;
    return slot;
}

/* Takes the burst in `slot` out; it may be read until the next push. */
void dram_queue_remove(struct dram_queue *queue, uint32_t slot);

/* Slot of the burst with that aligned address, DRAM_NO_BURST if none has it. */
static inline uint32_t dram_queue_find(const struct dram_queue *queue, uint64_t aligned)
{
    uint32_t slot = queue->first;

    while (slot != DRAM_NO_BURST && queue->slots[slot].aligned != aligned)
        slot = queue->slots[slot].next;
    return slot;
}

#endif
