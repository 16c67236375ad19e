/* base/reuse.h against a list of lines in the order of their last touches, which is searched from its end. */
#include "base/reuse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/random_numbers.h"
#include "tests/support/unit.h"

enum { MOST = 8000 };

struct slow {
    uint64_t lines[MOST];                /* the one touched last comes last */
    size_t count;
    uint64_t first, touches, again[MOST];
};

static void slow_touch(struct slow *slow, uint64_t line)
{
    size_t i = slow->count;

    slow->touches++;
    while (i > 0 && slow->lines[i - 1] != line)
        i--;
    if (i == 0) {
        slow->first++;
        assert_true(slow->count < MOST);
        slow->lines[slow->count++] = line;
        return;
    }
    slow->again[slow->count - i]++;
    memmove(&slow->lines[i - 1], &slow->lines[i], (slow->count - i) * sizeof slow->lines[0]);
    slow->lines[slow->count - 1] = line;
}

static double slow_misses(const struct slow *slow, uint64_t lines)
{
    uint64_t missed = slow->first;

    for (uint64_t distance = lines; distance < MOST; distance++)
        missed += slow->again[distance];
    return (double)missed / (double)slow->touches;
}

/* A loop, a hot set, a random walk, or any line, for a while each. */
static uint64_t next_line(unsigned *left, unsigned *kind, uint64_t *at)
{
    if ((*left)-- == 0) {
        *left = (unsigned)random_below(400);
        *kind = (unsigned)random_below(4);
    }
    switch (*kind) {
    case 0: return *at = (*at + 1) % 1500;
    case 1: return random_below(20);
    case 2: return *at = (*at + random_below(7)) % 5000;
    default: return random_below(900) + (random_below(8) == 0 ? UINT64_C(1) << 60 : 5000);
    }
}

static void all_sizes_miss_as_in_a_plain_list(void **state)
{
    for (uint64_t seed = 1; seed <= 6; seed++) {
        struct slow *const slow = calloc(1, sizeof *slow);
        struct reuse reuse;
        unsigned left = 0, kind = 0;
        uint64_t at = 0;

        random_state = seed;
        reuse_begin(&reuse, REUSE_USUAL_LINES);
        for (int i = 0; i < 20000; i++) {
            uint64_t const line = next_line(&left, &kind, &at);

            reuse_touch(&reuse, line);
            slow_touch(slow, line);
        }
        assert_int_equal(reuse.touches, slow->touches);
        assert_int_equal(reuse.halvings, 0);
        assert_int_equal((uint64_t)reuse.first, slow->first);
        for (unsigned i = 1; i < REUSE_RANGES && reuse_size(i) < MOST; i++)
            assert_true(fabs(reuse_misses(&reuse, reuse_size(i)) - slow_misses(slow, reuse_size(i))) < 1e-12);
        assert_true(fabs(reuse_misses(&reuse, reuse_largest(&reuse)) - (double)slow->first / 20000) < 1e-12);
        assert_true(reuse_misses(&reuse, reuse_largest(&reuse) / 2) > (double)slow->first / 20000);
        reuse_free(&reuse);
        free(slow);
    }
    (void)state;
}

/* "0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16" */
static void sizes_rise(void **state)
{
    static const uint64_t sizes[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20};

    for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        assert_int_equal(reuse_size(i), sizes[i]);
    for (unsigned i = 1; i < REUSE_RANGES; i++)
        assert_true(reuse_size(i) > reuse_size(i - 1));
    (void)state;
}

static void a_loop_misses_until_it_fits(void **state)
{
    struct reuse reuse;

    reuse_begin(&reuse, REUSE_USUAL_LINES);
    for (int i = 0; i < 1000; i++)
        reuse_touch(&reuse, (uint64_t)i % 10);
    assert_true(reuse_misses(&reuse, 8) > 0.9999);
    assert_true(fabs(reuse_misses(&reuse, 10) - 0.01) < 1e-12);
    assert_int_equal(reuse_largest(&reuse), 16);
    reuse_free(&reuse);
    (void)state;
}

static void streams_have_caches_of_their_own(void **state)
{
    struct reuse reuse;

    reuse_begin(&reuse, REUSE_USUAL_LINES);
    for (int stream = 0; stream < 3; stream++) {
        reuse_next_stream(&reuse);
        for (int i = 0; i < 100; i++)
            reuse_touch(&reuse, (uint64_t)i % 10);
    }
    assert_int_equal((int)reuse.first, 30);
    assert_true(fabs(reuse_misses(&reuse, 16) - 0.1) < 1e-12);
    reuse_free(&reuse);
    (void)state;
}

/* "All lines that an access touches" */
static void accesses_touch_their_lines(void **state)
{
    struct reuse reuse;

    reuse_begin(&reuse, REUSE_USUAL_LINES);
    reuse_touch_bytes(&reuse, 60, 8, 64);
    reuse_touch_bytes(&reuse, 64, 0, 64);
    reuse_touch_bytes(&reuse, UINT64_MAX - 3, 8, 64);
    assert_int_equal(reuse.touches, 4);
    assert_int_equal((int)reuse.first, 3);
    reuse_free(&reuse);
    (void)state;
}

/* A quarter of the lines and less: the curve is that of all within two hundredths, and counts add up. */
static void samples_are_near(void **state)
{
    enum { LINES = 200000, TOUCHES = 2000000 };

    struct reuse all, some;

    random_state = 5;
    reuse_begin(&all, REUSE_USUAL_LINES);
    reuse_begin(&some, 4096);
    for (int i = 0; i < TOUCHES; i++) {
        /* the product of two is skewed towards few lines */
        uint64_t const line = random_below(LINES) * random_below(LINES) / LINES;

        reuse_touch(&all, line);
        reuse_touch(&some, line);
    }
    assert_int_equal(all.halvings, 0);
    assert_true(some.halvings >= 4);
    assert_true(some.held_count <= 4096);
    assert_true(fabs(some.first / all.first - 1) < 0.05);
    for (unsigned i = 4; reuse_size(i) < LINES; i++)
        assert_true(fabs(reuse_misses(&all, reuse_size(i)) - reuse_misses(&some, reuse_size(i))) < 0.02);
    reuse_free(&all);
    reuse_free(&some);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_sizes_miss_as_in_a_plain_list), cmocka_unit_test(sizes_rise),
        cmocka_unit_test(a_loop_misses_until_it_fits), cmocka_unit_test(streams_have_caches_of_their_own),
        cmocka_unit_test(accesses_touch_their_lines), cmocka_unit_test(samples_are_near)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
