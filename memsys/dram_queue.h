/* Queue of DRAM bursts in order of arrival (classic-memory 8.2): the read queue or the write queue of a channel.
 *
 * Kept in three arrays, so that each search walks over little memory: the keys that scheduling compares, the aligned
 * addresses that merging compares, and the rest of each burst, which stays in its slot while the other two close gaps.
 * Units: ticks are picoseconds, sizes bytes. Ownership: a burst of the read queue stands for a packet that the
 * controller holds; bursts of the write queue refer to no packet. Nothing is allocated after init. */
#ifndef MEMSYS_DRAM_QUEUE_H
#define MEMSYS_DRAM_QUEUE_H

#include "memsys/packet.h"

#define DRAM_NOT_SPLIT UINT32_MAX

/* What choosing the next burst looks at. */
struct dram_key {
    uint64_t row;
    uint16_t bank;                   /* counted through all ranks */
    uint16_t rank;
    uint32_t slot;
};

struct dram_burst {
    uint64_t address;                /* first byte; only a packet's first burst may begin inside its aligned piece */
    uint64_t arrival_ps;
    struct packet *packet;           /* reads only */
    uint32_t size_bytes;
    uint32_t split;                  /* which count of finished bursts its packet has, or DRAM_NOT_SPLIT */
    requestor_id requestor;
};

struct dram_queue {
    uint32_t count, capacity;
    struct dram_key *keys;           /* keys[count..capacity) hold the free slots */
    uint64_t *aligned;               /* address of each key's burst, rounded down to a whole burst */
    struct dram_burst *slots;
};

struct fault dram_queue_init(struct dram_queue *queue, uint64_t capacity);
void dram_queue_free(struct dram_queue *queue);

/* Appends; key->slot is chosen here. There must be room. */
void dram_queue_push(struct dram_queue *queue, const struct dram_key *key, const struct dram_burst *burst,
                     uint64_t aligned);

/* Takes the burst at `place` out; the younger ones move up. */
void dram_queue_remove(struct dram_queue *queue, uint32_t place);

static inline struct dram_burst *dram_queue_burst(const struct dram_queue *queue, uint32_t place)
{
    return &queue->slots[queue->keys[place].slot];
}

/* Place of the burst with that aligned address, `count` if there is none. */
static inline uint32_t dram_queue_find(const struct dram_queue *queue, uint64_t aligned)
{
    uint32_t place = 0;

    while (place < queue->count && queue->aligned[place] != aligned)
        place++;
    return place;
}

#endif
