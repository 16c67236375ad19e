/* replay/fast/ready_list.h: order, shift, keys; a random differential against a plain sort. */
#include "replay/fast/ready_list.h"
#include "tests/support/unit.h"

static struct ready_list list;

static int set_up(void **state)
{
    assert_int_equal(ready_list_reserve(&list, 512).kind, FAULT_NONE);
    return 0;
}

static int tear_down(void **state)
{
    ready_list_free(&list);
    return 0;
}

static void expect_head(uint64_t execute_ps, uint64_t record)
{
    assert_int_equal(ready_list_next_ps(&list), execute_ps);
    assert_int_equal(ready_list_head_record(&list), record);
    ready_list_remove_head(&list);
}

/* "Order: tick, then record number" */
static void ticks_order_then_record_numbers(void **state)
{
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

/* "How long it was at most, if the length was noted"; other counts are beside the list */
static void the_longest_length_is_noted(void **state)
{
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
    ready_list_insert(&list, 1500, 1);
    ready_list_insert(&list, 1000, 2);
    ready_list_shift(&list, 1000);
    expect_head(0, 2);
    expect_head(500, 1);
}

/* "ready_list_reserve ... the list is unchanged" by growing */
static void growing_keeps_the_entries(void **state)
{
    ready_list_insert(&list, 5, 1);
    assert_int_equal(ready_list_reserve(&list, 4096).kind, FAULT_NONE);
    assert_int_equal(list.capacity, 4096);
    assert_int_equal(ready_list_reserve(&list, 8).kind, FAULT_NONE);
    assert_int_equal(list.capacity, 4096);
    expect_head(5, 1);
}

/* "What executes too late for a key has READY_LIST_DISTANT in its place", and a key when all before it have left */
static void distant_ticks_keep_their_order(void **state)
{
    ready_list_insert(&list, 500, 1);
    ready_list_insert(&list, (UINT64_C(1) << 62) + 3, 4);
    ready_list_insert(&list, UINT64_C(1) << 40, 6);
    ready_list_insert(&list, (UINT64_C(1) << 62) + 3, 2);
    ready_list_insert(&list, 700, 3);
    ready_list_insert(&list, (UINT64_C(1) << 40) - 1, 7);
    assert_int_equal(ready_list_count(&list), 6);
    assert_int_equal(ready_list_reserve(&list, 1024).kind, FAULT_NONE);
    expect_head(500, 1);
    expect_head(700, 3);
    expect_head((UINT64_C(1) << 40) - 1, 7);
    ready_list_insert(&list, 800, 8);
    expect_head(800, 8);
    expect_head(UINT64_C(1) << 40, 6);
    expect_head((UINT64_C(1) << 62) + 3, 2);
    expect_head((UINT64_C(1) << 62) + 3, 4);
    assert_int_equal(ready_list_next_ps(&list), UINT64_MAX);
}

/* "It has fewer bits than a word": the highest tick and record of one base are no mark */
static void the_highest_key_is_a_key(void **state)
{
    uint64_t const last_ps = (UINT64_C(1) << READY_LIST_TIME_BITS) - 1;
    uint64_t const last_record = (UINT64_C(1) << READY_LIST_RECORD_BITS) - 1;

    ready_list_insert(&list, 0, last_record - 1);
    ready_list_insert(&list, last_ps, last_record);
    ready_list_insert(&list, last_ps, last_record - 2);
    expect_head(0, last_record - 1);
    assert_int_equal(list.distant_count, 0);
    expect_head(last_ps, last_record - 2);
    expect_head(last_ps, last_record);
    assert_int_equal(ready_list_count(&list), 0);
}

static void expect_due(uint64_t now_ps, bool is_due)
{
    ready_list_set_now(&list, now_ps);
    assert_int_equal(ready_list_is_due(&list), is_due);
}

/* "those are due that execute at now_ps or before", with a key and without, also after keys were chosen anew */
static void a_head_is_due_from_its_tick_on(void **state)
{
    uint64_t const late_ps = UINT64_C(1) << 40;

    expect_due(0, false);
    ready_list_insert(&list, 500, 7);
    ready_list_insert(&list, 500, 9);
    ready_list_insert(&list, late_ps, 3);
    expect_due(499, false);
    expect_due(late_ps - 1, true);
    expect_due(500, true);
    expect_head(500, 7);
    assert_true(ready_list_is_due(&list));
    expect_head(500, 9);
    assert_false(ready_list_is_due(&list));
    expect_due(late_ps - 1, false);
    expect_due(late_ps, true);
    ready_list_insert(&list, late_ps + 1, 4);
    expect_head(late_ps, 3);
    assert_false(ready_list_is_due(&list));
    ready_list_set_now_to_head(&list, late_ps + 1);
    assert_true(ready_list_is_due(&list));
    ready_list_insert(&list, 600, 5);
    assert_true(ready_list_is_due(&list));
    expect_head(600, 5);
    assert_true(ready_list_is_due(&list));
    expect_head(late_ps + 1, 4);
    assert_false(ready_list_is_due(&list));
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

/* Records come and go, and most that come execute later than nearly all others; "order: tick, then record number". */
static void come_and_go(uint64_t first_record, uint64_t record_step, uint64_t step_ps, uint64_t count_of_records)
{
    struct ready_entry live[400];
    size_t count = 0;

    srand(2);
    for (uint64_t i = 0; i < count_of_records; i++) {
        uint64_t const ahead = (uint64_t)rand() % (rand() % 4 == 0 ? 100 : 3);

        live[count] = (struct ready_entry){(i / 3 + ahead) * step_ps, first_record + i * record_step};
        ready_list_insert(&list, live[count].execute_ps, live[count].record);
        count++;
        assert_int_equal(ready_list_count(&list), count);
        if (count < 400 && rand() % 16)
            continue;
        for (size_t left = 1 + (size_t)rand() % count; left > 0; left--) {
            size_t first = 0;

            for (size_t k = 1; k < count; k++)
                if (compare(&live[k], &live[first]) < 0)
                    first = k;
            expect_head(live[first].execute_ps, live[first].record);
            live[first] = live[--count];
        }
    }
}

static void late_records_queue_up(void **state)
{
    come_and_go(0, 1, 1, 20000);
}

/* Both parts of a key run over again and again; records are up to 2^27 apart. */
static void bases_follow_records_and_ticks(void **state)
{
    come_and_go(UINT64_C(1) << 40, 100000, UINT64_C(1) << 33, 20000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(ticks_order_then_record_numbers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_longest_length_is_noted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_head_is_due_from_its_tick_on, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_shift_keeps_the_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(growing_keeps_the_entries, set_up, tear_down),
        cmocka_unit_test_setup_teardown(distant_ticks_keep_their_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_highest_key_is_a_key, set_up, tear_down),
        cmocka_unit_test_setup_teardown(late_records_queue_up, set_up, tear_down),
        cmocka_unit_test_setup_teardown(bases_follow_records_and_ticks, set_up, tear_down),
        cmocka_unit_test_setup_teardown(leaves_in_sorted_order, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
