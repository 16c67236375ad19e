/* Expressions of standard files: numbers, names, + - * / // (whole), comparisons, and, or, parentheses, ceil, floor,
 * round, max, min, always.
 *
 * Use: cmd_evaluate with a function that finds names. Division is exact (double); all else is, too, up to 2^53.
 * Errors: FAULT_INPUT that quotes the expression and says what is wrong with it; its value is within +-2^30. */
#ifndef MEMSYS_COMMAND_DEVICE_CMD_EXPRESSION_H
#define MEMSYS_COMMAND_DEVICE_CMD_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/fault.h"

/* Value of the name text[0 .. length); false: an unknown name. */
typedef bool (*cmd_name_value)(const void *names, const char *text, size_t length, double *value);

struct fault cmd_evaluate(const char *expression, cmd_name_value find, const void *names, double *value);

#endif
