/* An empty file of a test's own.
 *
 * Use: _POSIX_C_SOURCE 200809L before all includes; unlink the path at the end. */
#ifndef TESTS_SUPPORT_TEMPORARY_FILE_H
#define TESTS_SUPPORT_TEMPORARY_FILE_H

#include <unistd.h>

#include "tests/support/unit.h"

enum { TEMPORARY_PATH = 64 };

static inline void make_temporary_file(char path[TEMPORARY_PATH])
{
    int descriptor;

    snprintf(path, TEMPORARY_PATH, "/tmp/rubato-test.XXXXXX");
    descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
}

#endif
