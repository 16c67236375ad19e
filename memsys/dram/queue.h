/* Queue of DRAM bursts in order of arrival (classic-memory 8.2): the read queue or the write queue of a channel.
 *
 * Bursts stay in their slot; two lists run through the slots, one of all bursts and one of each bank's, oldest first.
 * For each bank the queue also keeps the oldest burst of the open row (a hit) and the oldest of another row (a miss),
 * and for each rank the sets of banks that have bursts, and hits; so choosing looks at banks, not at bursts.
 * Use: fill the burst of dram_queue_room and push it, remove; dram_queue_set_row whenever a bank opens or closes a row.
 * Units: ticks are picoseconds, sizes bytes. Ownership: a burst of the read queue stands for a packet that the
 * controller holds; bursts of the write queue refer to no packet. Nothing is allocated after init. */
#ifndef MEMSYS_DRAM_QUEUE_H
#define MEMSYS_DRAM_QUEUE_H

#include "memsys/sim/clock.h"
#include "memsys/sim/packet.h"

#define DRAM_NOT_SPLIT UINT32_MAX
#define DRAM_NO_BURST UINT32_MAX         /* no slot */
#define DRAM_NO_ROW UINT64_MAX           /* the bank is closed */

/* The age of a burst has its slot in the low bits, so that the oldest of some bursts is the least of their ages. */
#define DRAM_SLOT_BITS 24
#define DRAM_NOBODY UINT64_MAX           /* the oldest of none */

struct dram_burst {
    uint64_t row;
    uint64_t age;                        /* smaller is older; set by the queue; see DRAM_SLOT_BITS */
    uint64_t aligned;                    /* address rounded down to a whole burst */
    uint64_t address;                    /* first byte; only a packet's first burst may begin inside its piece */
    uint64_t arrival_ps;
    struct packet *packet;               /* reads only */
    uint32_t size_bytes;
    uint32_t split;                      /* which count of finished bursts its packet has, or DRAM_NOT_SPLIT */
    uint32_t next, previous;             /* slots; of free ones `next` alone; set by the queue */
    uint32_t next_of_bank, previous_of_bank;
    uint32_t bank_place;                 /* in banks[] of the queue; set by the queue */
    uint16_t rank, bank;                 /* the bank counted within its rank */
    requestor_id requestor;
};

/* The bursts of one bank. */
struct dram_bank_queue {
    uint64_t hit, miss;                  /* age of the oldest of the open row, of any other; or DRAM_NOBODY */
    uint64_t row;                        /* that is open */
    uint32_t first, last;
    uint32_t count, hits;
    uint64_t padding[3];                 /* a line of the host */
};

struct dram_queue {
    uint32_t count, capacity;
    uint32_t hits;                       /* bursts whose row is open */
    uint32_t first, last, first_free;    /* slots */
    uint32_t banks_per_rank, words_per_rank;
    uint64_t next_age;
    struct dram_burst *slots;
    struct dram_bank_queue *banks;       /* rank by rank */
    uint64_t *waiting, *hitting;         /* sets of banks, words_per_rank words a rank: bursts, hits */
    uint16_t *filter;                    /* bursts by the low bits of their number, to say quickly what is not here */
    uint64_t filter_mask;
    unsigned burst_shift;
};

/* burst_bytes: a power of two. */
struct fault dram_queue_init(struct dram_queue *queue, uint64_t capacity, uint64_t ranks, uint64_t banks_per_rank,
                             uint64_t burst_bytes);
void dram_queue_free(struct dram_queue *queue);

/* The burst that the next push appends, to be filled before; there must be room. */
static inline struct dram_burst *dram_queue_room(const struct dram_queue *queue)
{
    assert(queue->count < queue->capacity);
    return &queue->slots[queue->first_free];
}

/* Takes the burst in `slot` out; it may be read until the next push. */
void dram_queue_remove(struct dram_queue *queue, uint32_t slot);

/* Of the burst of that age, DRAM_NO_BURST of DRAM_NOBODY. */
static inline uint32_t dram_age_slot(uint64_t age)
{
    return age == DRAM_NOBODY ? DRAM_NO_BURST : (uint32_t)(age & ((UINT64_C(1) << DRAM_SLOT_BITS) - 1));
}

static inline struct dram_bank_queue *dram_queue_bank(const struct dram_queue *queue, uint32_t rank, uint32_t bank)
{
    return &queue->banks[rank * queue->banks_per_rank + bank];
}

/* Use dram_queue_set_row: this is its half for a bank with bursts. */
void dram_queue_change_row(struct dram_queue *queue, struct dram_bank_queue *of, uint32_t rank, uint32_t bank);

/* The row that is now open in a bank, or DRAM_NO_ROW. */
static inline void dram_queue_set_row(struct dram_queue *queue, uint32_t rank, uint32_t bank, uint64_t row)
{
    struct dram_bank_queue *const of = dram_queue_bank(queue, rank, bank);

    of->row = row;
    if (of->count > 0)
        dram_queue_change_row(queue, of, rank, bank);
}

static inline uint16_t *dram_queue_filter(const struct dram_queue *queue, uint64_t aligned)
{
    return &queue->filter[aligned >> queue->burst_shift & queue->filter_mask];
}

/* Puts a bank into `waiting` or `hitting`, or takes it out. */
static inline void dram_queue_put(uint64_t *set, const struct dram_queue *queue, uint32_t rank, uint32_t bank,
                                  bool is_member)
{
    uint64_t *const word = &set[rank * queue->words_per_rank + bank / 64];
    uint64_t const bit = UINT64_C(1) << bank % 64;

    *word = is_member ? *word | bit : *word & ~bit;
}

/* Half of dram_queue_push. */
static inline void dram_queue_append(struct dram_queue *queue, struct dram_bank_queue *of, uint32_t slot)
{
    struct dram_burst *const burst = &queue->slots[slot];

    burst->next_of_bank = DRAM_NO_BURST;
    burst->previous_of_bank = of->last;
    *(of->last == DRAM_NO_BURST ? &of->first : &queue->slots[of->last].next_of_bank) = slot;
    of->last = slot;
    if (of->count++ == 0)
        dram_queue_put(queue->waiting, queue, burst->rank, burst->bank, true);
    if (burst->row != of->row) {
        of->miss = min_u64(of->miss, burst->age);
        return;
    }
    queue->hits++;
    if (of->hits++ == 0) {
        of->hit = burst->age;
        dram_queue_put(queue->hitting, queue, burst->rank, burst->bank, true);
    }
}

static inline void dram_queue_push(struct dram_queue *queue)
{
    uint32_t const slot = queue->first_free;
    struct dram_burst *const burst = &queue->slots[slot];

    queue->first_free = burst->next;
    burst->age = queue->next_age++ << DRAM_SLOT_BITS | slot;
    burst->next = DRAM_NO_BURST;
    burst->previous = queue->last;
    *(queue->last == DRAM_NO_BURST ? &queue->first : &queue->slots[queue->last].next) = slot;
    queue->last = slot;
    queue->count++;
    ++*dram_queue_filter(queue, burst->aligned);
    burst->bank_place = burst->rank * queue->banks_per_rank + burst->bank;
    dram_queue_append(queue, &queue->banks[burst->bank_place], slot);
}

/* Slot of the burst with that aligned address, DRAM_NO_BURST if there is none. */
static inline uint32_t dram_queue_find(const struct dram_queue *queue, uint64_t aligned)
{
    uint32_t slot = queue->first;

    if (*dram_queue_filter(queue, aligned) == 0)
        return DRAM_NO_BURST;
    while (slot != DRAM_NO_BURST && queue->slots[slot].aligned != aligned)
        slot = queue->slots[slot].next;
    return slot;
}

#endif
