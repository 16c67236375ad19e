/* Invariants of each bank: `hits` bursts of its list have the open row; hit and miss are the oldest of those and of the
 * others; its bits in `waiting` and `hitting` say whether count and hits are above 0. */
#include "memsys/dram/queue.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/host_lines.h"

#define FILTER_PLACES_PER_BURST 16       /* at least so many; a false alarm in so many look-ups at most */

struct fault dram_queue_init(struct dram_queue *queue, uint64_t capacity, uint64_t ranks, uint64_t banks_per_rank,
                             uint64_t burst_bytes)
{
    uint64_t const words = (banks_per_rank + 63) / 64;
    uint64_t places = 1;

    if (capacity > UINT64_C(1) << DRAM_SLOT_BITS)
        return fault_make(FAULT_INPUT, "a DRAM queue of %" PRIu64 " bursts; give at most %u", capacity,
                          1u << DRAM_SLOT_BITS);
    while (places < FILTER_PLACES_PER_BURST * capacity)
        places *= 2;
    *queue = (struct dram_queue){.capacity = (uint32_t)capacity, .first = DRAM_NO_BURST, .last = DRAM_NO_BURST,
                                 .banks_per_rank = (uint32_t)banks_per_rank, .words_per_rank = (uint32_t)words,
                                 .filter_mask = places - 1, .burst_shift = (unsigned)__builtin_ctzll(burst_bytes),
                                 .slots = calloc(capacity, sizeof *queue->slots),
                                 .banks = host_lines_zeroed(ranks * banks_per_rank, sizeof *queue->banks),
                                 .waiting = calloc(ranks * words, sizeof *queue->waiting),
                                 .hitting = calloc(ranks * words, sizeof *queue->hitting),
                                 .filter = calloc(places, sizeof *queue->filter)};
    if (!queue->slots || !queue->banks || !queue->waiting || !queue->hitting || !queue->filter)
        return fault_make(FAULT_MEMORY, "out of memory for a queue of %u bursts", queue->capacity);
    for (uint32_t i = 0; i < queue->capacity; i++)
        queue->slots[i].next = i + 1 < queue->capacity ? i + 1 : DRAM_NO_BURST;
    for (uint64_t i = 0; i < ranks * banks_per_rank; i++)
        queue->banks[i] = (struct dram_bank_queue){.row = DRAM_NO_ROW, .first = DRAM_NO_BURST, .last = DRAM_NO_BURST,
                                                   .hit = DRAM_NOBODY, .miss = DRAM_NOBODY};
    return fault_none();
}

void dram_queue_free(struct dram_queue *queue)
{
    free(queue->slots);
    host_lines_free(queue->banks);
    free(queue->waiting);
    free(queue->hitting);
    free(queue->filter);
    *queue = (struct dram_queue){0};
}

/* The first burst from `slot` on that is a hit, or is none. */
static uint64_t find_from(const struct dram_queue *queue, const struct dram_bank_queue *of, uint32_t slot,
                                    bool hit)
{
    while (slot != DRAM_NO_BURST && (queue->slots[slot].row == of->row) != hit)
        slot = queue->slots[slot].next_of_bank;
    return slot == DRAM_NO_BURST ? DRAM_NOBODY : queue->slots[slot].age;
}

/* The only burst of the queue leaves. */
static void remove_last(struct dram_queue *queue, const struct dram_burst *burst)
{
    struct dram_bank_queue *const of = &queue->banks[burst->bank_place];

    of->first = of->last = queue->first = queue->last = DRAM_NO_BURST;
    of->hit = of->miss = DRAM_NOBODY;
    of->count = of->hits = queue->hits = 0;
    dram_queue_put(queue->waiting, queue, burst->rank, burst->bank, false);
    dram_queue_put(queue->hitting, queue, burst->rank, burst->bank, false);
}

static void remove_from_bank(struct dram_queue *queue, struct dram_bank_queue *of, uint32_t slot)
{
    const struct dram_burst *const burst = &queue->slots[slot];

    if (of->first == slot)
        of->first = burst->next_of_bank;
    else
        queue->slots[burst->previous_of_bank].next_of_bank = burst->next_of_bank;
    if (of->last == slot)
        of->last = burst->previous_of_bank;
    else
        queue->slots[burst->next_of_bank].previous_of_bank = burst->previous_of_bank;
    if (--of->count == 0)
        dram_queue_put(queue->waiting, queue, burst->rank, burst->bank, false);
    if (of->miss == burst->age)
        of->miss = find_from(queue, of, burst->next_of_bank, false);
    if (burst->row != of->row)
        return;
    queue->hits--;
    if (--of->hits == 0)
        dram_queue_put(queue->hitting, queue, burst->rank, burst->bank, false);
    if (of->hit == burst->age)
        of->hit = of->hits ? find_from(queue, of, burst->next_of_bank, true) : DRAM_NOBODY;
}

static void remove_between(struct dram_queue *queue, const struct dram_burst *burst, uint32_t slot)
{
    remove_from_bank(queue, &queue->banks[burst->bank_place], slot);
    if (queue->first == slot)
        queue->first = burst->next;
    else
        queue->slots[burst->previous].next = burst->next;
    if (queue->last == slot)
        queue->last = burst->previous;
    else
        queue->slots[burst->next].previous = burst->previous;
}

void dram_queue_remove(struct dram_queue *queue, uint32_t slot)
{
    struct dram_burst *const burst = &queue->slots[slot];

    assert(queue->count > 0);
    if (queue->count == 1)
        remove_last(queue, burst);
    else
        remove_between(queue, burst, slot);
    --*dram_queue_filter(queue, burst->aligned);
    queue->count--;
    burst->next = queue->first_free;
    queue->first_free = slot;
}

static void close_row(struct dram_queue *queue, struct dram_bank_queue *of, uint32_t rank, uint32_t bank)
{
    queue->hits -= of->hits;
    of->hits = 0;
    of->hit = DRAM_NOBODY;
    of->miss = queue->slots[of->first].age;
    dram_queue_put(queue->hitting, queue, rank, bank, false);
}

/* The bank was closed: all its bursts are misses so far. */
static void open_row(struct dram_queue *queue, struct dram_bank_queue *of, uint32_t rank, uint32_t bank)
{
    of->hit = find_from(queue, of, of->first, true);
    if (of->hit == DRAM_NOBODY)
        return;
    for (uint32_t slot = dram_age_slot(of->hit); slot != DRAM_NO_BURST; slot = queue->slots[slot].next_of_bank)
        of->hits += queue->slots[slot].row == of->row;
    queue->hits += of->hits;
    if (of->hit == of->miss)
        of->miss = of->hits == of->count ? DRAM_NOBODY : find_from(queue, of, of->first, false);
    dram_queue_put(queue->hitting, queue, rank, bank, true);
}

void dram_queue_change_row(struct dram_queue *queue, struct dram_bank_queue *of, uint32_t rank, uint32_t bank)
{
    if (of->hits > 0)
        close_row(queue, of, rank, bank);
    if (of->row != DRAM_NO_ROW)
        open_row(queue, of, rank, bank);
}
