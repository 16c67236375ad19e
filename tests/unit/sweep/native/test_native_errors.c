/* sweep/native/native_errors.h, native_list.h and sweep/compare/rank_correlation.h: definitions by hand-made numbers;
 * ties; what is not known; lists and commands that are wrong. */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "sweep/compare/rank_correlation.h"
#include "sweep/native/native_errors.h"
#include "sweep/native/native_list.h"
#include "sweep/native/native_program.h"
#include "tests/support/unit.h"

static struct native_errors errors;
static struct native_list list;
static struct fault fault;

#define OF(pairs) assert_string_equal(fault_text(native_errors_of(&errors, pairs, sizeof pairs / sizeof pairs[0])), "")

static void is_near(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-12 * fabs(expected)))
        fail_msg("%.17g, expected %.17g", value, expected);
}

/* ---- ranks */

/* rank_correlation.h: "Pearson's correlation of the ranks" */
static void ranks_of_the_same_order_and_of_the_reverse(void **state)
{
    double const one[] = {1, 20, 300}, two[] = {5, 6, 7}, three[] = {9, 8, 2};

    (void)state;
    is_near(rank_spearman(one, two, 3), 1);
    is_near(rank_spearman(one, three, 3), -1);
}

/* "ties at their mean rank": ranks 1, 2.5, 2.5, 4 against 1, 2, 3, 4 */
static void ties_share_the_mean_of_their_ranks(void **state)
{
    double const one[] = {1, 2, 2, 3}, two[] = {1, 2, 3, 4};

    (void)state;
    is_near(rank_spearman(one, two, 4), 4.5 / sqrt(4.5 * 5));
}

/* "NAN if one side has all values equal, or there are fewer than two" */
static void equal_values_have_no_rank_correlation(void **state)
{
    double const one[] = {2, 2}, two[] = {1, 3};

    (void)state;
    assert_true(isnan(rank_spearman(one, two, 2)));
    assert_true(isnan(rank_spearman(two, one, 1)));
    assert_true(isnan(rank_spearman(two, one, 0)));
}

/* ---- errors */

static void means_are_those_of_magnitudes(void **state)
{
    struct native_pair pairs[] = {
        {.name = "a", .native_cycles = 100, .cycles = 110}, {.name = "b", .native_cycles = 200, .cycles = 140},
        {.name = "c", .native_cycles = 50, .cycles = 60}
    };

    (void)state;
    OF(pairs);
    assert_int_equal(errors.count, 3);
    is_near(pairs[1].error, -0.3);
    is_near(errors.mean, 0.2);
    is_near(errors.median, 0.2);
    is_near(errors.worst, -0.3);
    assert_int_equal(errors.worst_pair, 1);
    is_near(errors.rank_cycles, 1);
    assert_true(isnan(errors.rank_cpi) && isnan(errors.change_mean));
}

static void ranks_of_cpi_are_not_those_of_cycles(void **state)
{
    struct native_pair pairs[] = {
        {.name = "a", .native_cycles = 100, .cycles = 100, .instructions = 100},      /* CPI 1, 1 */
        {.name = "b", .native_cycles = 1000, .cycles = 1500, .instructions = 2000},   /* 0.5, 0.75 */
        {.name = "c", .native_cycles = 10000, .cycles = 6000, .instructions = 10000}  /* 1.0, 0.6: a tie natively */
    };

    (void)state;
    OF(pairs);
    is_near(errors.rank_cycles, 1);
    /* native ranks 2.5, 1, 2.5; simulated 3, 2, 1 */
    is_near(errors.rank_cpi, (0.5 * 1 + 0 + 0.5 * -1) / sqrt(1.5 * 2));
}

/* "a program \"name:variant\" is a variant of \"name\", the first of that name" */
static void a_change_is_against_the_first_of_its_name(void **state)
{
    struct native_pair pairs[] = {
        {.name = "sort", .native_cycles = 100, .cycles = 200}, {.name = "sorted", .native_cycles = 1, .cycles = 1},
        {.name = "sort:b", .native_cycles = 50, .cycles = 120}, {.name = "sort:c", .native_cycles = 102, .cycles = 150},
        {.name = "sort:d", .native_cycles = 120, .cycles = 201}
    };

    (void)state;
    OF(pairs);
    assert_true(isnan(pairs[0].change) && isnan(pairs[1].change));
    assert_int_equal(pairs[2].first, 0);
    is_near(pairs[2].native_change, 0.5);
    is_near(pairs[2].change, 0.6);
    is_near(pairs[2].change_error, 0.2);
    assert_true(pairs[2].is_clear && pairs[2].is_right);
    assert_false(pairs[3].is_clear);
    assert_true(pairs[4].is_clear);
    assert_false(pairs[4].is_right);                 /* by half a percent only */
    assert_int_equal(errors.changes, 3);
    assert_int_equal(errors.clear, 2);
    assert_int_equal(errors.right, 1);
    is_near(errors.change_mean, (0.2 + fabs(0.75 / 1.02 - 1) + fabs(1.005 / 1.2 - 1)) / 3);
}

/* "0: not known, and the pair does not count" */
static void what_is_not_known_does_not_count(void **state)
{
    struct native_pair pairs[] = {
        {.name = "a", .native_cycles = 0, .cycles = 110}, {.name = "a:b", .native_cycles = 200, .cycles = 220},
        {.name = "c", .native_cycles = 10, .cycles = 0}
    };
    struct native_pair none[1] = {{.name = "a"}};

    (void)state;
    OF(pairs);
    assert_int_equal(errors.count, 1);
    is_near(errors.mean, 0.1);
    assert_int_equal(errors.worst_pair, 1);
    assert_int_equal(errors.changes, 0);
    OF(none);
    assert_int_equal(errors.count, 0);
    assert_true(isnan(errors.mean) && isnan(errors.median) && isnan(errors.worst));
}

/* ---- commands and lists */

static void words_are_those_of_a_command_line(void **state)
{
    const char *wrong;
    char **const words = native_words("  ./sort 'a b' \"c \\\" d\" e\\ f '' $HOME  x'y'z", &wrong);
    static const char *const expected[] = {"./sort", "a b", "c \" d", "e f", "", "$HOME", "xyz"};

    (void)state;
    assert_non_null(words);
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++)
        assert_string_equal(words[i], expected[i]);
    assert_null(words[sizeof expected / sizeof expected[0]]);
    free(words);
    assert_null(native_words("./sort 'a b", &wrong));
    assert_string_equal(wrong, "a quote has no end");
    assert_null(native_words("  ", &wrong));
    assert_string_equal(wrong, "it is empty");
}

static const char *read_list(const char *text)
{
    static char path[] = "/tmp/rubato-test-native.XXXXXX";
    static char said[700];
    int const file = mkstemp(path);

    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), (ssize_t)strlen(text));
    close(file);
    fault = native_list_read(&list, path);
    unlink(path);
    snprintf(said, sizeof said, "%s", strncmp(fault_text(fault), path, strlen(path)) == 0
             ? fault_text(fault) + strlen(path) : fault_text(fault));
    strcpy(path + strlen(path) - 6, "XXXXXX");
    return said;
}

static void a_list_has_programs_and_regions(void **state)
{
    (void)state;
    assert_string_equal(read_list("name\tother\tcommand\tfrom\tto\tcycles\twarm\tper\r\n# a comment\n"
                                  "sort\tx\t./sort 1\tbegin\tend\t-\t\t\r\n\n"
                                  "sort:b\t\t./sort 2\t-\t\t1e6\t0.5\t100\n"), "");
    assert_int_equal(list.count, 2);
    assert_string_equal(list.cases[0].name, "sort");
    assert_string_equal(list.cases[0].argv[1], "1");
    assert_string_equal(list.cases[0].from, "begin");
    assert_string_equal(list.cases[0].to, "end");
    is_near(list.cases[0].cycles, 0);
    is_near(list.cases[0].per, 1);
    assert_int_equal(list.cases[1].line, 5);
    assert_null(list.cases[1].from);
    is_near(list.cases[1].cycles, 1e6);
    is_near(list.cases[1].warm, 0.5);
    is_near(list.cases[1].per, 100);
    native_list_free(&list);
}

/* "FAULT_INPUT with file, line, column, and what was expected" */
static void wrong_lists_are_refused(void **state)
{
    static const struct { const char *text, *said; } wrong[] = {
        {"", ": no programs; expected a heading"},
        {"name\tcommand\n", ": no programs; expected a heading"},
        {"name\tfrom\n", ": line 1: no column command"},
        {"command\n", ": line 1: no column name"},
        {"name\tcommand\tname\n", ": line 1: column name occurs twice"},
        {"name\tcommand\na\n", ": line 2: no command"},
        {"name\tcommand\na\t./x\ty\n", ": line 2: it has more than the 2 fields"},
        {"name\tcommand\na/b\t./x\n", ": line 2: name is \"a/b\"; expected a name"},
        {"name\tcommand\n:b\t./x\n", ": line 2: name is \":b\"; expected a name"},
        {"name\tcommand\na\t./x 'y\n", ": line 2: command \"./x 'y\": a quote has no end"},
        {"name\tcommand\na\t \n", ": line 2: command \" \": it is empty"},
        {"name\tcommand\na\t./x\na\t./y\n", ": line 3: a occurs twice, first in line 2"},
        {"name\tcommand\tcycles\na\t./x\t0\n", ": line 2: cycles is \"0\"; expected cycles above 0"},
        {"name\tcommand\tcycles\na\t./x\tnan\n", ": line 2: cycles is \"nan\""},
        {"name\tcommand\tcycles\twarm\na\t./x\t5\t1\n", ": line 2: warm is \"1\"; expected a share from 0 to 0.99"},
        {"name\tcommand\twarm\na\t./x\t0.5\n", ": line 2: warm is for programs whose cycles are given"},
        {"name\tcommand\tper\na\t./x\t2\n", ": line 2: per is for programs whose cycles are given"}
    };

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const char *const said = read_list(wrong[i].text);

        assert_int_equal(fault.kind, FAULT_INPUT);
        if (strncmp(said, wrong[i].said, strlen(wrong[i].said)) != 0)
            assert_string_equal(said, wrong[i].said);
    }
}

/* native_program.h: "as a line from 1; 0: they are the same" */
static void outputs_differ_from_a_line_on(void **state)
{
    (void)state;
    assert_int_equal(native_outputs_differ("a\nb\n", 4, "a\nb\n", 4), 0);
    assert_int_equal(native_outputs_differ("", 0, "", 0), 0);
    assert_int_equal(native_outputs_differ("a\nb\n", 4, "a\nc\n", 4), 2);
    assert_int_equal(native_outputs_differ("a\n", 2, "a\nc\n", 4), 2);
    assert_int_equal(native_outputs_differ("", 0, "x", 1), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_of_the_same_order_and_of_the_reverse),
        cmocka_unit_test(ties_share_the_mean_of_their_ranks),
        cmocka_unit_test(equal_values_have_no_rank_correlation),
        cmocka_unit_test(means_are_those_of_magnitudes),
        cmocka_unit_test(ranks_of_cpi_are_not_those_of_cycles),
        cmocka_unit_test(a_change_is_against_the_first_of_its_name),
        cmocka_unit_test(what_is_not_known_does_not_count),
        cmocka_unit_test(words_are_those_of_a_command_line),
        cmocka_unit_test(a_list_has_programs_and_regions),
        cmocka_unit_test(wrong_lists_are_refused),
        cmocka_unit_test(outputs_differ_from_a_line_on)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
