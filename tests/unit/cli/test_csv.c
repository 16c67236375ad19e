/* cli/common/shown.h: which cells are in quotes, and which get an apostrophe. */
#include "cli/common/shown.h"

#include <stdlib.h>

#include "tests/support/unit.h"

static void cells(void **state)
{
    static const char *const pairs[][2] = {
        {"", ""}, {"a", "a"}, {"a,b", "\"a,b\""}, {"a\"b", "\"a\"\"b\""}, {"a\nb", "\"a\nb\""}, {"5", "5"},
        {"-5", "-5"},
        {"-1.5e-3", "-1.5e-3"}, {"+7", "+7"}, {"-", "\"'-\""}, {"=1+1", "\"'=1+1\""}, {"+cmd|x", "\"'+cmd|x\""},
        {"-2+3", "\"'-2+3\""}, {"@SUM(A1)", "\"'@SUM(A1)\""}, {"\t=1", "\"'\t=1\""}, {"\r=1", "\"'\r=1\""},
        {"=\"a\"", "\"'=\"\"a\"\"\""}, {"a=1", "a=1"}, {"'=1", "'=1"}, {"-inf", "-inf"}
    };

    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char *made = NULL;
        size_t length;
        FILE *const to = open_memstream(&made, &length);

        csv_put_cell(to, pairs[i][0]);
        fclose(to);
        assert_string_equal(made, pairs[i][1]);
        free(made);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(cells)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
