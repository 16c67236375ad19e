/* base/nearest.h: which name a mistyped one is taken for, and when none is. */
#include "base/nearest.h"

#include <string.h>

#include "tests/support/unit.h"

/* "letters put in, taken out, changed, or two neighbours swapped; case aside" */
static void distances_count_edits(void **state)
{
    static const struct { const char *one, *other; unsigned edits; } cases[] = {
        {"", "", 0}, {"", "abc", 3}, {"wide", "WIDE", 0}, {"wide", "wyde", 1}, {"laptop", "laptp", 1},
        {"list", "lsit", 1}, {"hbm", "hbmm", 1}, {"kitten", "sitting", 3}, {"ca", "abc", 3}
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(name_distance(cases[i].one, cases[i].other), cases[i].edits);
        assert_int_equal(name_distance(cases[i].other, cases[i].one), cases[i].edits);
    }
    (void)state;
}

static void long_names_are_cut(void **state)
{
    char one[200], other[200];

    memset(one, 'a', sizeof one - 1);
    memset(other, 'a', sizeof other - 1);
    one[sizeof one - 1] = other[sizeof other - 1] = '\0';
    other[100] = 'b';
    assert_int_equal(name_distance(one, other), 0);
    other[62] = 'b';
    assert_int_equal(name_distance(one, other), 1);
    (void)state;
}

static const char *question(const char *typed, char text[100])
{
    static const char *const names[] = {"replay", "report", "results", "trace", "traffic", "view", "config"};
    struct nearest nearest = nearest_to(typed);

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        nearest_offer(&nearest, names[i]);
    return nearest_question(&nearest, text, 100);
}

static void only_near_names_are_offered(void **state)
{
    char text[100];

    assert_string_equal(question("repaly", text), "; did you mean replay?");
    assert_string_equal(question("resutls", text), "; did you mean results?");
    assert_string_equal(question("conf", text), "; did you mean config?");     /* a prefix of the candidate */
    assert_string_equal(question("xyzzy", text), "");
    assert_string_equal(question("v", text), "");
    (void)state;
}

static void no_candidates_give_no_answer(void **state)
{
    struct nearest const nearest = nearest_to("a");
    char text[10];

    assert_false(nearest_is_likely(&nearest));
    assert_string_equal(nearest_question(&nearest, text, sizeof text), "");
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_count_edits), cmocka_unit_test(long_names_are_cut),
        cmocka_unit_test(only_near_names_are_offered), cmocka_unit_test(no_candidates_give_no_answer)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
