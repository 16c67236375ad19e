/* What every unit test program begins with: cmocka, what its header needs before it, and checks that many share.
 *
 * Use: include it instead of <cmocka.h>; POSIX names are asked for before all includes. */
#ifndef TESTS_SUPPORT_UNIT_H
#define TESTS_SUPPORT_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/fault.h"

/* cmocka hands every test a state; only those with a fixture look at it. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static inline void assert_fine(struct fault fault)
{
    if (fault.kind != FAULT_NONE)
        fail_msg("%s", fault_text(fault));
}

/* Faults, warnings: the words that matter of a longer text. */
static inline void assert_text(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("expected \"%s\" in: %s", part, text);
}

#endif
