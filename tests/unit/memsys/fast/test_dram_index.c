/* memsys/fast/dram_index.h: what the index keeps of each bank, and memsys/dram/queue.h, against a plain list. */
#include "memsys/dram/page_policy.h"
#include "memsys/dram/dram_schedule.h"
#include "memsys/fast/dram_index.h"
#include "memsys/sim/sim_random.h"
#include "tests/support/unit.h"

enum { CAPACITY = 40, RANKS = 2, BANKS = 70, ROWS = 3, STEPS = 20000 };

struct entry {
    uint64_t aligned, row;
    uint32_t rank, bank;
};

/* The plain list, oldest first, and the open rows. */
struct plain {
    struct entry entries[CAPACITY];
    uint32_t count;
    uint64_t rows[RANKS][BANKS];
};

/* A channel with nothing but queues, an index, and the shape that the index asks for. */
static struct dram_rank ranks[RANKS];
static struct dram_channel channel = {.ranks = ranks, .rank_count = RANKS};
static struct dram_queue *const queue = &channel.reads;
static struct plain plain;
static struct random_generator generator;

static uint32_t below(uint32_t limit)
{
    return random_uniform(&generator, 0, limit - 1);
}

static void push(void)
{
    /* few banks, so that their lists have length; addresses that share places of the filter */
    struct entry const entry = {.aligned = 64 * (below(8) * 1024 + below(64)), .row = below(ROWS), .rank = below(RANKS),
                                .bank = below(4) * 22};
    struct dram_burst *const burst = dram_queue_room(queue);

    plain.entries[plain.count++] = entry;
    burst->aligned = burst->address = entry.aligned;
    burst->row = entry.row;
    burst->rank = (uint16_t)entry.rank;
    burst->bank = (uint16_t)entry.bank;
    burst->bank_place = entry.rank * BANKS + entry.bank;
    channel.index->pushed(&channel, queue, dram_queue_push(queue));
}

static uint32_t slot_at(uint32_t place)
{
    uint32_t slot = queue->first;

    for (; place > 0; place--)
        slot = queue->slots[slot].next;
    return slot;
}

static void take_out(void)
{
    uint32_t const place = below(plain.count);

    uint32_t const slot = slot_at(place);

    channel.index->removing(&channel, queue, slot);
    dram_queue_remove(queue, slot);
    plain.count--;
    for (uint32_t i = place; i < plain.count; i++)
        plain.entries[i] = plain.entries[i + 1];
}

static void change_row(void)
{
    uint32_t const rank = below(RANKS), bank = below(4) * 22;

    plain.rows[rank][bank] = plain.rows[rank][bank] == DRAM_NO_ROW ? below(ROWS) : DRAM_NO_ROW;
    channel.index->row_changed(&channel, rank, bank, plain.rows[rank][bank]);
}

static void compare_bank(uint32_t rank, uint32_t bank)
{
    const struct dram_index *const index = channel.index_data;
    const struct dram_queue_index *const all = dram_index_of(&channel, queue);
    const struct dram_bank_bursts *const of = &all->banks[rank * BANKS + bank];
    uint32_t const word = rank * index->words_per_rank + bank / 64;
    uint32_t count = 0, hits = 0, hit = DRAM_NO_BURST, miss = DRAM_NO_BURST, slot = queue->first;

    for (uint32_t i = 0; i < plain.count; i++, slot = queue->slots[slot].next) {
        const struct entry *const entry = &plain.entries[i];
        bool const is_hit = entry->row == plain.rows[rank][bank];

        if (entry->rank != rank || entry->bank != bank)
            continue;
        count++;
        hits += is_hit;
        if (is_hit && hit == DRAM_NO_BURST)
            hit = slot;
        if (!is_hit && miss == DRAM_NO_BURST)
            miss = slot;
    }
    assert_int_equal(of->count, count);
    assert_int_equal(of->hits, hits);
    assert_int_equal(dram_age_slot(of->hit), hit);
    assert_int_equal(dram_age_slot(of->miss), miss);
    assert_int_equal(all->waiting[word] >> bank % 64 & 1, count > 0);
    assert_int_equal(all->hitting[word] >> bank % 64 & 1, hits > 0);
    assert_int_equal(index->open_banks[word] >> bank % 64 & 1, plain.rows[rank][bank] != DRAM_NO_ROW);
}

static void compare_all(void)
{
    uint32_t slot = queue->first, hits = 0;

    assert_int_equal(queue->count, plain.count);
    for (uint32_t i = 0; i < plain.count; i++, slot = queue->slots[slot].next) {
        const struct entry *const entry = &plain.entries[i];

        assert_int_equal(queue->slots[slot].aligned, entry->aligned);
        hits += entry->row == plain.rows[entry->rank][entry->bank];
    }
    assert_int_equal(slot, DRAM_NO_BURST);
    assert_int_equal(dram_index_of(&channel, queue)->hits, hits);
    for (uint32_t rank = 0; rank < RANKS; rank++)
        for (uint32_t bank = 0; bank < BANKS; bank += 11)
            compare_bank(rank, bank);
}

static void compare_find(void)
{
    uint64_t const aligned = 64 * (below(8) * 1024 + below(64));
    uint32_t place = 0;

    while (place < plain.count && plain.entries[place].aligned != aligned)
        place++;
    assert_int_equal(channel.index->find(&channel, queue, aligned),
                     place == plain.count ? DRAM_NO_BURST : slot_at(place));
}

/* "for each bank a list of its bursts, the oldest of the open row (a hit) and the oldest of another row" */
static void index_equals_a_plain_list(void **state)
{
    random_init(&generator, 11);
    for (uint32_t rank = 0; rank < RANKS; rank++)
        ranks[rank] = (struct dram_rank){.number = rank, .bank_count = BANKS, .group_count = 1};
    channel.geometry.burst.shift = 6;
    assert_int_equal(dram_queue_init(queue, CAPACITY).kind, FAULT_NONE);
    assert_int_equal(dram_queue_init(&channel.writes, 1).kind, FAULT_NONE);
    assert_int_equal(dram_index_bind(&channel).kind, FAULT_NONE);
    for (uint32_t rank = 0; rank < RANKS; rank++)
        for (uint32_t bank = 0; bank < BANKS; bank++)
            plain.rows[rank][bank] = DRAM_NO_ROW;
    for (int step = 0; step < STEPS; step++) {
        uint32_t const action = below(7);

        if (action < 3 && plain.count < CAPACITY)
            push();
        else if (action < 6 && plain.count > 0)
            take_out();
        else
            change_row();
        compare_all();
        compare_find();
    }
    channel.index->free(&channel);
    dram_queue_free(queue);
    dram_queue_free(&channel.writes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(index_equals_a_plain_list)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
