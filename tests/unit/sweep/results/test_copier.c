/* Copiers of result files: each ends when its writer says so, whatever other processes hold. */
#define _POSIX_C_SOURCE 200809L

#include <unistd.h>

#include "sweep/results/results.h"
#include "tests/support/unit.h"

enum { LONGEST_S = 20 };                 /* a copier that does not end kills the test */

/* The process of the second is forked from one that holds the first one's end. */
static void test_the_first_that_was_opened_may_be_closed_first(void **state)
{
    char folder[] = "/tmp/rubato-test.XXXXXX", names[2][64];
    struct results *files[2];

    assert_non_null(mkdtemp(folder));
    alarm(LONGEST_S);
    for (size_t i = 0; i < COUNT(files); i++) {
        snprintf(names[i], sizeof names[i], "%s/%zu.db", folder, i);
        assert_fine(results_open(&files[i], names[i], RESULTS_WRITE));
    }
    for (size_t i = 0; i < COUNT(files); i++)
        assert_fine(results_close(files[i]));
    alarm(0);
    for (size_t i = 0; i < COUNT(files); i++)
        assert_int_equal(unlink(names[i]), 0);
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_first_that_was_opened_may_be_closed_first)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
