/* replay/ready_list.h: order, shift; random differentials against a plain sort. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "replay/ready_list.h"

static struct ready_list list;

static int set_up(void **state)
{
    (void)state;
    assert_int_equal(ready_list_reserve(&list, 512).kind, FAULT_NONE);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    ready_list_free(&list);
    return 0;
}

static void expect_head(uint64_t execute_ps, uint64_t record)
{
    assert_false(ready_list_is_empty(&list));
    assert_int_equal(ready_list_next_ps(&list), execute_ps);
    assert_int_equal(ready_list_next_record(&list), record);
    ready_list_remove_head(&list);
}

/* "Order: tick, then record number" */
static void ticks_order_then_record_numbers(void **state)
{
    (void)state;
    ready_list_insert(&list, 500, 7);
    ready_list_insert(&list, 0, 9);
    ready_list_insert(&list, 500, 3);
    ready_list_insert(&list, 500, 5);
    expect_head(0, 9);
    expect_head(500, 3);
    expect_head(500, 5);
    expect_head(500, 7);
    assert_int_equal(ready_list_count(&list), 0);
}

/* "How long it was at most, if the length was noted"; what else counts stands beside the list */
static void the_longest_length_is_noted(void **state)
{
    (void)state;
    ready_list_forget_longest(&list);
    ready_list_insert(&list, 500, 1);
    ready_list_insert(&list, 600, 2);
    ready_list_note_length(&list, 1);
    expect_head(500, 1);
    ready_list_note_length(&list, 0);
    assert_int_equal(ready_list_longest(&list), 3);
    assert_int_equal(ready_list_reserve(&list, 8192).kind, FAULT_NONE);
    assert_int_equal(ready_list_longest(&list), 3);
    expect_head(600, 2);
    assert_int_equal(ready_list_next_ps(&list), UINT64_MAX);
    ready_list_forget_longest(&list);
    assert_int_equal(ready_list_longest(&list), 0);
}

static void a_shift_keeps_the_order(void **state)
{
    (void)state;
    ready_list_insert(&list, 1500, 1);
    ready_list_insert(&list, 1000, 2);
    ready_list_shift(&list, 1000);
    expect_head(0, 2);
    expect_head(500, 1);
}

/* "ready_list_reserve ... the list is unchanged" by growing */
static void growing_keeps_the_entries(void **state)
{
    (void)state;
    ready_list_insert(&list, 5, 1);
    assert_int_equal(ready_list_reserve(&list, 4096).kind, FAULT_NONE);
    assert_int_equal(list.capacity, 4096);
    assert_int_equal(ready_list_reserve(&list, 8).kind, FAULT_NONE);
    assert_int_equal(list.capacity, 4096);
    expect_head(5, 1);
}

static int compare(const void *left, const void *right)
{
    const struct ready_entry *const a = left, *const b = right;

    if (a->execute_ps != b->execute_ps)
        return a->execute_ps < b->execute_ps ? -1 : 1;
    return a->record < b->record ? -1 : a->record > b->record;
}

static void leaves_in_sorted_order(void **state)
{
    struct ready_entry expected[200];

    (void)state;
    srand(1);
    for (int round = 0; round < 50; round++) {
        for (uint64_t i = 0; i < 200; i++) {
            expected[i] = (struct ready_entry){(uint64_t)rand() % 40, i};
            ready_list_insert(&list, expected[i].execute_ps, i);
        }
        qsort(expected, 200, sizeof expected[0], compare);
        for (int i = 0; i < 200; i++)
            expect_head(expected[i].execute_ps, expected[i].record);
    }
}

struct live {
    struct ready_entry entries[400];
    size_t count, longest;
};

static void insert_live(struct live *live, uint64_t execute_ps, uint64_t record)
{
    live->entries[live->count++] = (struct ready_entry){execute_ps, record};
    ready_list_insert(&list, execute_ps, record);
    ready_list_note_length(&list, 0);
    live->longest = live->count > live->longest ? live->count : live->longest;
    assert_int_equal(ready_list_count(&list), live->count);
    assert_int_equal(ready_list_longest(&list), live->longest);
}

static struct ready_entry *first_live(struct live *live)
{
    struct ready_entry *first = live->entries;

    for (struct ready_entry *entry = first; entry < live->entries + live->count; entry++)
        if (compare(entry, first) < 0)
            first = entry;
    return first;
}

static void expect_first(struct live *live)
{
    struct ready_entry *const first = first_live(live);

    expect_head(first->execute_ps, first->record);
    *first = live->entries[--live->count];
}

/* Records come and go, and most that come execute later than nearly all others; "order: tick, then record number". */
static void late_records_queue_up(void **state)
{
    struct live live = {.count = 0};

    (void)state;
    srand(2);
    for (uint64_t record = 0; record < 20000; record++) {
        insert_live(&live, record / 3 + (uint64_t)rand() % (rand() % 4 == 0 ? 100 : 3), record);
        if (live.count < 400 && rand() % 16)
            continue;
        for (size_t left = 1 + (size_t)rand() % live.count; left > 0; left--)
            expect_first(&live);
    }
}

static uint64_t oldest_live(const struct live *live, uint64_t next_record)
{
    uint64_t oldest = next_record;

    for (size_t i = 0; i < live->count; i++)
        oldest = live->entries[i].record < oldest ? live->entries[i].record : oldest;
    return oldest;
}

/* Delays of all lengths, and records of all numbers: "ready_list_set_now, then ready_list_is_due before each entry is
 * taken", "until the next call all records in the list, and all inserted, are from `first` on, and before
 * first + 2^30". */
static void far_entries_take_their_turn(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= 300; seed++) {
        struct live live = {.count = 0};
        unsigned const longest_delay = 20 + seed % 30, most_live = 1 + seed % 60;
        uint64_t now_ps = 0, record = 0;

        srand(seed);
        ready_list_free(&list);
        assert_int_equal(ready_list_reserve(&list, 512).kind, FAULT_NONE);
        for (int step = 0; step < 500; step++) {
            uint64_t const first = live.count > 0 ? first_live(&live)->execute_ps : now_ps + (uint64_t)rand();

            now_ps = first > now_ps || rand() % 2 ? first : now_ps + (uint64_t)rand() % 5000;
            ready_list_set_now(&list, now_ps);
            while (live.count > 0 && first_live(&live)->execute_ps <= now_ps) {
                assert_true(ready_list_is_due(&list));
                expect_first(&live);
            }
            assert_false(ready_list_is_due(&list));
            if (live.count == 0 && rand() % 8 == 0)
                record += (uint64_t)rand() << rand() % 8;
            ready_list_expect(&list, oldest_live(&live, record));
            for (unsigned left = (unsigned)rand() % 4; left > 0 && live.count < most_live; left--)
                insert_live(&live, now_ps + ((uint64_t)rand() << 20 | (uint64_t)rand() % 500 * 500)
                            % (UINT64_C(1) << rand() % (int)longest_delay), record++);
        }
        while (live.count > 0)
            expect_first(&live);
        assert_true(ready_list_is_empty(&list));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(ticks_order_then_record_numbers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_longest_length_is_noted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_shift_keeps_the_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(growing_keeps_the_entries, set_up, tear_down),
        cmocka_unit_test_setup_teardown(late_records_queue_up, set_up, tear_down),
        cmocka_unit_test_setup_teardown(far_entries_take_their_turn, set_up, tear_down),
        cmocka_unit_test_setup_teardown(leaves_in_sorted_order, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
