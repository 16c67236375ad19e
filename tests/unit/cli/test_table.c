/* cli/common/table.h: one description in all forms: widths, digits, missing cells, columns that a form leaves out. */
#define _POSIX_C_SOURCE 200809L
#include "cli/common/table.h"

#include <math.h>
#include <stdlib.h>

#include "tests/support/unit.h"

static void put_rows(const void *context, struct table_writer *writer)
{
    (void)context;
    table_word(writer, "a,\tb");
    table_word(writer, "programs");
    table_count(writer, 18446744073709551615U);
    table_real(writer, 0.125);
    table_word(writer, "people");
    table_end_row(writer);
    table_word(writer, NULL);
    table_word(writer, NULL);
    table_signed(writer, -1);
    table_real(writer, NAN);
    table_word(writer, "");
    table_end_row(writer);
}

static void print_forms(void **state)
{
    static struct table_column const columns[] = {
        {.name = "name", .heading = "of it", .width = TABLE_FIT_LEFT}, {.name = "kind"},
        {.name = "count", .heading = "count", .width = TABLE_FIT},
        {.name = "share", .heading = "share", .width = 7, .text_digits = 1, .data_digits = -3, .scale = 100,
         .suffix = " %"},
        {.heading = ""}
    };
    static const char *const expected[] = {
        [TABLE_TEXT] = "of it  |               count|  share\n"
                       "a,\\x09b|18446744073709551615| 12.5 %|people\n"
                       "-      |                  -1|      -\n",
        [TABLE_TSV] = "name\tkind\tcount\tshare\na,\\x09b\tprograms\t18446744073709551615\t0.125\n-\t-\t-1\t-\n",
        [TABLE_CSV] = "name,kind,count,share\n\"a,\tb\",programs,18446744073709551615,0.125\n,,-1,\n",
        [TABLE_JSON] = "[\n"
                       "{\"name\": \"a,\\u0009b\", \"kind\": \"programs\", \"count\": 18446744073709551615, "
                       "\"share\": 0.125},\n{\"name\": null, \"kind\": null, \"count\": -1, \"share\": null}\n]\n"
    };
    struct table const table = {
        .columns = columns, .count = sizeof columns / sizeof columns[0], .rows = put_rows, .gap = "|"
    };

    for (enum table_form form = TABLE_TEXT; form <= TABLE_JSON; form++) {
        char *made = NULL;
        size_t length;
        FILE *const to = open_memstream(&made, &length);

        assert_true(table_print(to, form, &table));
        fclose(to);
        assert_string_equal(made, expected[form]);
        free(made);
    }
}

static void put_short_rows(const void *context, struct table_writer *writer)
{
    (void)context;
    table_word(writer, "one");
    table_real(writer, 1);
    table_end_row(writer);
    table_prose(writer, "  of %d\n", 1);
    table_word(writer, "two");
    table_end_row(writer);
}

/* "in the first column, too"; "A row of text may end before its last column"; "In text only: whole lines" */
static void prose_and_short_rows(void **state)
{
    static struct table_column const columns[] = {
        TEXT_COLUMN("name", TABLE_FIT_LEFT, .gap = "> "), {.name = "n", .heading = "n", .width = 3, .gap = " : "},
        TEXT_COLUMN("rest", 0, .gap = "  ")
    };
    static const char *const expected[] = {"> name :   n  rest\n> one  :   1\n  of 1\n> two \n", "n\n1\n\n"};

    for (enum table_form form = TABLE_TEXT; form <= TABLE_TSV; form++) {
        struct table const table = TABLE_OF(columns, put_short_rows, NULL);
        char *made = NULL;
        size_t length;
        FILE *const to = open_memstream(&made, &length);

        assert_true(table_print(to, form, &table));
        fclose(to);
        assert_string_equal(made, expected[form]);
        free(made);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(print_forms), cmocka_unit_test(prose_and_short_rows)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
