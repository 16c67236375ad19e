/* Invariants of each bank: `hits` bursts of its list have the open row; hit and miss are the oldest of those and of the
 * others; its bits in `waiting` and `hitting` say whether count and hits are above 0. */
#include "memsys/fast/dram_index.h"

#include <stdlib.h>

#include "base/host_facts.h"
#include "memsys/dram/dram_schedule.h"
#include "memsys/dram/page_policy.h"

#define FILTER_PLACES_PER_BURST 16       /* a minimum; false positives: at most one in as many look-ups */

static uint16_t *filter_place(const struct dram_index *index, const struct dram_queue_index *of, uint64_t aligned)
{
    return &of->filter[aligned >> index->burst_shift & of->filter_mask];
}

/* Puts a bank into a set, or takes it out. */
static void dram_index_put(uint64_t *set, const struct dram_index *index, uint32_t rank, uint32_t bank, bool is_member)
{
    uint64_t *const word = &set[rank * index->words_per_rank + bank / 64];
    uint64_t const bit = UINT64_C(1) << bank % 64;

    *word = is_member ? *word | bit : *word & ~bit;
}

/* --- bursts come -------------------------------------------------------------------------------------------------- */

static void pushed(struct dram_channel *channel, struct dram_queue *queue, uint32_t slot)
{
    struct dram_index *const index = channel->index_data;
    struct dram_queue_index *const all = dram_index_of(channel, queue);
    struct dram_burst *const burst = &queue->slots[slot];
    struct dram_bank_bursts *const of = &all->banks[burst->bank_place];

    burst->age = all->next_age++ << DRAM_SLOT_BITS | slot;
    ++*filter_place(index, all, burst->aligned);
    burst->next_of_bank = DRAM_NO_BURST;
    burst->previous_of_bank = of->last;
    *(of->last == DRAM_NO_BURST ? &of->first : &queue->slots[of->last].next_of_bank) = slot;
    of->last = slot;
    if (of->count++ == 0)
        dram_index_put(all->waiting, index, burst->rank, burst->bank, true);
    if (burst->row != of->row) {
        of->miss = min_u64(of->miss, burst->age);
        return;
    }
    all->hits++;
    if (of->hits++ == 0) {
        of->hit = burst->age;
        dram_index_put(all->hitting, index, burst->rank, burst->bank, true);
    }
}

/* --- bursts leave ------------------------------------------------------------------------------------------------- */

/* The first burst from `slot` on that is a hit, or is none. */
static uint64_t find_from(const struct dram_queue *queue, const struct dram_bank_bursts *of, uint32_t slot, bool hit)
{
    while (slot != DRAM_NO_BURST && (queue->slots[slot].row == of->row) != hit)
        slot = queue->slots[slot].next_of_bank;
    return slot == DRAM_NO_BURST ? DRAM_NO_AGE : queue->slots[slot].age;
}

/* The only burst of the queue leaves. */
static void remove_last(const struct dram_index *index, struct dram_queue_index *all, const struct dram_burst *burst)
{
    struct dram_bank_bursts *const of = &all->banks[burst->bank_place];

    of->first = of->last = DRAM_NO_BURST;
    of->hit = of->miss = DRAM_NO_AGE;
    of->count = of->hits = all->hits = 0;
    dram_index_put(all->waiting, index, burst->rank, burst->bank, false);
    dram_index_put(all->hitting, index, burst->rank, burst->bank, false);
}

static void remove_from_bank(const struct dram_index *index, struct dram_queue_index *all, struct dram_queue *queue,
                             uint32_t slot)
{
    const struct dram_burst *const burst = &queue->slots[slot];
    struct dram_bank_bursts *const of = &all->banks[burst->bank_place];

    if (of->first == slot)
        of->first = burst->next_of_bank;
    else
        queue->slots[burst->previous_of_bank].next_of_bank = burst->next_of_bank;
    if (of->last == slot)
        of->last = burst->previous_of_bank;
    else
        queue->slots[burst->next_of_bank].previous_of_bank = burst->previous_of_bank;
    if (--of->count == 0)
        dram_index_put(all->waiting, index, burst->rank, burst->bank, false);
    if (of->miss == burst->age)
        of->miss = find_from(queue, of, burst->next_of_bank, false);
    if (burst->row != of->row)
        return;
    all->hits--;
    if (--of->hits == 0)
        dram_index_put(all->hitting, index, burst->rank, burst->bank, false);
    if (of->hit == burst->age)
        of->hit = of->hits ? find_from(queue, of, burst->next_of_bank, true) : DRAM_NO_AGE;
}

static void removing(struct dram_channel *channel, struct dram_queue *queue, uint32_t slot)
{
    struct dram_index *const index = channel->index_data;
    struct dram_queue_index *const all = dram_index_of(channel, queue);
    const struct dram_burst *const burst = &queue->slots[slot];

    if (queue->count == 1)
        remove_last(index, all, burst);
    else
        remove_from_bank(index, all, queue, slot);
    --*filter_place(index, all, burst->aligned);
}

/* --- rows open and close ------------------------------------------------------------------------------------------ */

static void close_row(const struct dram_index *index, struct dram_queue_index *all, const struct dram_queue *queue,
                      struct dram_bank_bursts *of, uint32_t rank, uint32_t bank)
{
    all->hits -= of->hits;
    of->hits = 0;
    of->hit = DRAM_NO_AGE;
    of->miss = queue->slots[of->first].age;
    dram_index_put(all->hitting, index, rank, bank, false);
}

/* The bank was closed: all its bursts are misses so far. */
static void open_row(const struct dram_index *index, struct dram_queue_index *all, const struct dram_queue *queue,
                     struct dram_bank_bursts *of, uint32_t rank, uint32_t bank)
{
    of->hit = find_from(queue, of, of->first, true);
    if (of->hit == DRAM_NO_AGE)
        return;
    for (uint32_t slot = dram_age_slot(of->hit); slot != DRAM_NO_BURST; slot = queue->slots[slot].next_of_bank)
        of->hits += queue->slots[slot].row == of->row;
    all->hits += of->hits;
    if (of->hit == of->miss)
        of->miss = of->hits == of->count ? DRAM_NO_AGE : find_from(queue, of, of->first, false);
    dram_index_put(all->hitting, index, rank, bank, true);
}

static void change_row(const struct dram_index *index, struct dram_queue_index *all, const struct dram_queue *queue,
                       uint32_t rank, uint32_t bank, uint64_t row)
{
    struct dram_bank_bursts *const of = &all->banks[rank * index->banks_per_rank + bank];

    of->row = row;
    if (of->count == 0)
        return;
    if (of->hits > 0)
        close_row(index, all, queue, of, rank, bank);
    if (row != DRAM_NO_ROW)
        open_row(index, all, queue, of, rank, bank);
}

static void row_changed(struct dram_channel *channel, uint32_t rank, uint32_t bank, uint64_t row)
{
    struct dram_index *const index = channel->index_data;

    dram_index_put(index->open_banks, index, rank, bank, row != DRAM_NO_ROW);
    change_row(index, &index->reads, &channel->reads, rank, bank, row);
    change_row(index, &index->writes, &channel->writes, rank, bank, row);
}

/* --- questions ---------------------------------------------------------------------------------------------------- */

static uint32_t dram_index_find(const struct dram_channel *channel, const struct dram_queue *queue, uint64_t aligned)
{
    if (*filter_place(channel->index_data, dram_index_of(channel, queue), aligned) == 0)
        return DRAM_NO_BURST;
    return dram_queue_find(queue, aligned);
}

static struct dram_waiting waiting(const struct dram_channel *channel, const struct dram_queue *queue,
                                   const struct dram_burst *burst)
{
    const struct dram_bank_bursts *const of = &dram_index_of(channel, queue)->banks[burst->bank_place];

    return (struct dram_waiting){.same_row = of->hits > 0, .other_row = of->count > of->hits};
}

/* --- set-up ------------------------------------------------------------------------------------------------------- */

static bool dram_index_allocate(const struct dram_index *index, struct dram_queue_index *of, uint64_t capacity)
{
    uint64_t const banks = (uint64_t)index->rank_count * index->banks_per_rank;
    size_t const words = (size_t)index->rank_count * index->words_per_rank;
    uint64_t places = 1;

    while (places < FILTER_PLACES_PER_BURST * capacity)
        places *= 2;
    *of = (struct dram_queue_index){.filter_mask = places - 1,
                                    .banks = host_lines_zeroed(banks, sizeof *of->banks),
                                    .waiting = calloc(words, sizeof *of->waiting),
                                    .hitting = calloc(words, sizeof *of->hitting),
                                    .filter = calloc(places, sizeof *of->filter)};
    for (uint64_t i = 0; of->banks && i < banks; i++)
        of->banks[i] = (struct dram_bank_bursts){.row = DRAM_NO_ROW, .first = DRAM_NO_BURST, .last = DRAM_NO_BURST,
                                                 .hit = DRAM_NO_AGE, .miss = DRAM_NO_AGE};
    return of->banks && of->waiting && of->hitting && of->filter;
}

static void free_queue(struct dram_queue_index *of)
{
    host_lines_free(of->banks);
    free(of->waiting);
    free(of->hitting);
    free(of->filter);
}

static void free_index(struct dram_channel *channel)
{
    struct dram_index *const index = channel->index_data;

    free_queue(&index->reads);
    free_queue(&index->writes);
    free(index->open_banks);
    free(index->group_banks);
    free(index);
}

static void note_groups(struct dram_index *index, uint32_t group_count)
{
    for (uint32_t i = 0; i < index->banks_per_rank; i++)
        index->group_banks[i % group_count * index->words_per_rank + i / 64] |= UINT64_C(1) << i % 64;
}

struct fault dram_index_bind(struct dram_channel *channel)
{
    static const struct dram_index_ops ops = {.pushed = pushed, .removing = removing, .row_changed = row_changed,
                                              .find = dram_index_find, .waiting = waiting, .free = free_index};
    static const struct dram_scheduler first_ready = {.choose = dram_choose_first_ready};
    struct dram_index *const index = calloc(1, sizeof *index);
    uint32_t const group_count = channel->ranks[0].group_count;

    if (!index)
        return fault_make(FAULT_MEMORY, "out of memory for an index of DRAM bursts");
    index->rank_count = channel->rank_count;
    index->banks_per_rank = channel->ranks[0].bank_count;
    index->words_per_rank = (index->banks_per_rank + 63) / 64;
    index->burst_shift = channel->geometry.burst.shift;
    index->open_banks = calloc((size_t)index->rank_count * index->words_per_rank, sizeof *index->open_banks);
    index->group_banks = calloc((size_t)group_count * index->words_per_rank, sizeof *index->group_banks);
    channel->index = &ops;
    channel->index_data = index;
    if (!dram_index_allocate(index, &index->reads, channel->reads.capacity)
        || !dram_index_allocate(index, &index->writes, channel->writes.capacity) || !index->open_banks
            || !index->group_banks) return fault_make(FAULT_MEMORY, "out of memory for an index of DRAM bursts");
    note_groups(index, group_count);
    if (channel->scheduler == &dram_scheduler_frfcfs)
        channel->scheduler = &first_ready;
    return fault_none();
}
