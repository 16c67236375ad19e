/* replay/regions/launches.h: which launches are alike. */
#include "replay/regions/launches.h"

#include "tests/support/unit.h"

enum { MOST = 8 };

struct launches {
    struct interval intervals[MOST];
    uint64_t names[MOST], shapes[MOST];
    struct kernel_launches list;
};

static void add(struct launches *all, uint64_t name, uint64_t shape, uint64_t instructions, double loads)
{
    size_t const at = all->list.launches.count++;

    all->intervals[at] = (struct interval){.first_event = at, .instructions = instructions,
                                           .vector = {loads, 1 - loads}};
    all->names[at] = name;
    all->shapes[at] = shape;
    all->list.launches.intervals = all->intervals;
    all->list.names = all->names;
    all->list.shapes = all->shapes;
}

static uint32_t groups_of(const struct launches *all, uint32_t most, uint32_t of[MOST], size_t *first_centre)
{
    struct phases groups;
    uint32_t count;

    assert_int_equal(kernels_group(&groups, &all->list, most).kind, FAULT_NONE);
    count = groups.count;
    for (size_t i = 0; i < all->list.launches.count; i++)
        of[i] = groups.of[i];
    *first_centre = groups.centre[0];
    phases_free(&groups);
    return count;
}

static void launches_are_told_by_shape_count_and_classes(void **state)
{
    struct launches all = {0};
    uint32_t of[MOST];
    size_t centre;

    (void)state;
    add(&all, 1, 10, 1000, 0.5);
    add(&all, 1, 10, 1080, 0.5);         /* near in count */
    add(&all, 1, 10, 1500, 0.5);         /* not near */
    add(&all, 1, 10, 1000, 0.3);         /* other classes */
    add(&all, 1, 11, 1000, 0.5);         /* another grid */
    add(&all, 2, 20, 1000, 0.5);         /* another kernel */
    assert_int_equal(groups_of(&all, 30, of, &centre), 5);
    assert_int_equal(of[0], of[1]);
}

/* "near is made wider, and then grids and blocks may differ"; "kernels with other names are never in one" */
static void fewer_groups_are_wider(void **state)
{
    struct launches all = {0};
    uint32_t of[MOST];
    size_t centre;

    (void)state;
    add(&all, 1, 10, 1000, 0.5);
    add(&all, 1, 10, 1300, 0.5);
    add(&all, 1, 11, 1000, 0.5);
    add(&all, 2, 20, 1000, 0.5);
    assert_int_equal(groups_of(&all, 3, of, &centre), 3);
    assert_int_equal(of[0], of[1]);
    assert_int_equal(groups_of(&all, 2, of, &centre), 2);
    assert_int_equal(of[0], of[2]);
    assert_int_equal(groups_of(&all, 1, of, &centre), 2);
}

static void the_middle_of_equal_launches_stands_for_them(void **state)
{
    struct launches all = {0};
    uint32_t of[MOST];
    size_t centre;

    (void)state;
    for (unsigned i = 0; i < 5; i++)
        add(&all, 1, 10, 1000, 0.5);
    assert_int_equal(groups_of(&all, 30, of, &centre), 1);
    assert_int_equal(centre, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(launches_are_told_by_shape_count_and_classes), cmocka_unit_test(fewer_groups_are_wider),
        cmocka_unit_test(the_middle_of_equal_launches_stands_for_them)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
