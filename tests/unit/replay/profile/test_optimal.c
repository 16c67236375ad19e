/* replay/profile/optimal.h: beside the least of all ways to keep lines; lists whose bound is known. */
#include "replay/profile/optimal.h"

#include <string.h>

#include "tests/support/random_numbers.h"
#include "tests/support/unit.h"

enum { MOST = 40, LINES = 6 };

/* The least fetches over every choice of which lines are kept after each access; kept: bits of lines. */
static uint64_t try_all(const struct optimal_access *list, size_t count, size_t from, uint32_t assoc)
{
    uint64_t rest[1 << LINES] = {0}, least[1 << LINES];

    for (size_t at = count; at-- > 0;) {
        unsigned const bit = 1u << list[at].line;

        for (unsigned kept = 0; kept < 1u << LINES; kept++) {
            least[kept] = UINT64_MAX;
            for (unsigned next = 0; next < 1u << LINES; next++)
                if ((next & ~(kept | bit)) == 0 && (uint32_t)__builtin_popcount(next) <= assoc
                    && rest[next] < least[kept])
                    least[kept] = rest[next];
            least[kept] += !(kept & bit) && !list[at].is_free && at >= from;
        }
        memcpy(rest, least, sizeof rest);
    }
    return rest[0];
}

static uint64_t least_of(const struct optimal_access *list, size_t count, size_t from, uint32_t assoc)
{
    uint64_t least;

    assert_true(optimal_least(list, count, from, assoc, &least).kind == FAULT_NONE);
    return least;
}

static void equals_the_best_of_all_choices(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 200; round++) {
        struct optimal_access list[MOST];
        size_t const count = 3 + random_below(MOST - 2);
        uint32_t const assoc = 1 + (uint32_t)random_below(4);

        for (size_t i = 0; i < count; i++)
            list[i] = (struct optimal_access){.line = random_below(LINES),
                                              .is_free = random_below(4) == 0};
        assert_int_equal(least_of(list, count, 0, assoc), try_all(list, count, 0, assoc));
    }
}

/* A loop over one line more than the cache has: LRU fetches each time, the best once a round. */
static void a_loop_that_is_too_long(void **state)
{
    struct optimal_access list[400];

    (void)state;
    for (size_t i = 0; i < COUNT(list); i++)
        list[i] = (struct optimal_access){.line = i % 5};
    assert_int_equal(least_of(list, COUNT(list), 0, 4), 4 + 80);
    assert_int_equal(least_of(list, COUNT(list), 0, 5), 5);
    assert_int_equal(least_of(list, COUNT(list), 5, 5), 0);
}

static void sets_do_not_share(void **state)
{
    struct optimal_access list[40];

    (void)state;
    for (size_t i = 0; i < COUNT(list); i++)
        list[i] = (struct optimal_access){.line = i % 4, .set = (uint32_t)(i % 4)};
    assert_int_equal(least_of(list, COUNT(list), 0, 1), 4);
    for (size_t i = 0; i < COUNT(list); i++)
        list[i].set = 0;
    assert_int_equal(least_of(list, COUNT(list), 0, 1), 31);
}

static void nothing(void **state)
{
    (void)state;
    assert_int_equal(least_of(NULL, 0, 0, 8), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_the_best_of_all_choices),
        cmocka_unit_test(a_loop_that_is_too_long),
        cmocka_unit_test(sets_do_not_share),
        cmocka_unit_test(nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
