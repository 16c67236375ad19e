/* base/list.h: lists have the requested room, keep their entries, and are unchanged if memory is exhausted. */
#include "base/list.h"

#include "tests/support/unit.h"

static void lists_fit_the_requested_count(void **state)
{
    uint32_t *items = NULL;
    size_t room = 0;

    for (size_t count = 0; count < 5000; count++) {
        assert_true(list_fit(&items, count + 1, &room, sizeof *items));
        assert_true(room > count);
        items[count] = (uint32_t)count;
    }
    for (size_t i = 0; i < 5000; i++)
        assert_int_equal(items[i], i);
    assert_true(list_fit(&items, 1000000, &room, sizeof *items));
    assert_true(room >= 1000000);
    items[999999] = 1;
    assert_int_equal(items[4999], 4999);
    free(items);
    (void)state;
}

static void lists_without_room_grow_at_powers_of_two(void **state)
{
    uint64_t *items = NULL;

    for (size_t count = 0; count < 5000; count++) {
        assert_true(list_fit_next(&items, count, sizeof *items));
        items[count] = count;
    }
    for (size_t i = 0; i < 5000; i++)
        assert_int_equal(items[i], i);
    free(items);
    (void)state;
}

static void new_elements_are_set(void **state)
{
    uint64_t *items = NULL;
    uint32_t *narrow = NULL;
    size_t room = 0;
    uint32_t room_32 = 0;

    for (size_t count = 0; count < 5000; count++) {
        assert_true(list_fit_zeroed(&items, count + 1, &room, sizeof *items));
        assert_int_equal(items[count], 0);
        items[count] = count + 1;
        assert_true(list_fit_32(&narrow, (uint32_t)count + 1, &room_32, sizeof *narrow));
        narrow[count] = (uint32_t)count;
    }
    assert_true(list_extend(&items, 5000, 9000, sizeof *items, 0xff));
    for (size_t i = 0; i < 9000; i++)
        assert_true(items[i] == (i < 5000 ? i + 1 : UINT64_MAX));
    for (size_t i = 0; i < 5000; i++)
        assert_int_equal(narrow[i], i);
    assert_true(list_resize(&items, 3, sizeof *items));
    assert_int_equal(items[2], 3);
    assert_true(list_resize(&items, 0, sizeof *items));
    assert_non_null(items);
    free(items);
    free(narrow);
    (void)state;
}

static void lists_that_cannot_be_stay_as_they_were(void **state)
{
    uint64_t *items = NULL;
    size_t room = 0;

    assert_true(list_fit(&items, 1, &room, sizeof *items));

    uint64_t *const before = items;
    size_t const room_before = room;

    items[0] = 7;
    assert_false(list_fit(&items, SIZE_MAX, &room, sizeof *items));
    assert_false(list_fit(&items, SIZE_MAX / sizeof *items + 1, &room, sizeof *items));
    assert_false(list_fit_next(&items, SIZE_MAX / 2 + 1, sizeof *items));
    assert_false(list_fit_zeroed(&items, SIZE_MAX, &room, sizeof *items));
    assert_false(list_resize(&items, SIZE_MAX / 4, sizeof *items));
    assert_false(list_extend(&items, room, SIZE_MAX / 4, sizeof *items, 0));
    assert_ptr_equal(items, before);
    assert_int_equal(room, room_before);
    assert_int_equal(items[0], 7);
    free(items);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_fit_the_requested_count), cmocka_unit_test(lists_without_room_grow_at_powers_of_two),
        cmocka_unit_test(new_elements_are_set), cmocka_unit_test(lists_that_cannot_be_stay_as_they_were)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
