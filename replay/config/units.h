/* Numbers as users write them: 32KiB, 2GHz, 13.75ns, 12.8GiB/s, 85%, yes.
 *
 * Use: units_parse turns text into the integer that a parameter holds (ps, bytes, bytes a second); units_format gives a
 * short text that units_parse reads back as the same integer.
 * Rules (classic-memory 1.1): rounding is half up; k, M, G, T of a capacity are binary with or without the i, those of
 * a bandwidth decimal without it. Times and clocks need a unit, except a time of 0. Parsing is exact: no floating
 * point except for RATIO.
 * Ownership: plain values, nothing to free. No allocation, no input or output. */
#ifndef REPLAY_CONFIG_UNITS_H
#define REPLAY_CONFIG_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "replay/config/tables.h"

enum { UNITS_TEXT = 48 };            /* bytes that hold any formatted value */

/* Text of a value of this unit. RATIO: `ratio` receives it, all others: `value`. NULL on success, else the error, as
 * the end of a sentence that begins with the text ("has no unit"). Limits are the caller's to check. */
const char *units_parse(enum param_unit unit, const char *text, uint64_t *value, double *ratio);
/* The form of a value of this unit: "a capacity such as 64B, 32KiB or 2MiB", "one of open, close". */
void units_expected(enum param_unit unit, char *text, size_t size);
/* Value as text; size >= UNITS_TEXT. */
void units_format(enum param_unit unit, uint64_t value, double ratio, char *text, size_t size);
/* Short name of the unit for lists: "bytes", "cycles", "yes/no", ... */
const char *units_name(enum param_unit unit);

#endif
