/* number_set: see each part. */
#ifndef CLI_COMMON_NUMBER_SET_H
#define CLI_COMMON_NUMBER_SET_H

#include <stdio.h>

#include "base/json.h"
#include "replay/window/window.h"

/* Counts of the values that a detailed core took from an elastic trace, and of those it guessed, as text or JSON. */

/* A member, an object. */
void window_counts_put(struct json *json, const char *key, const struct window_counts *counts);
/* Each line behind `indent`. */
void window_counts_print(FILE *to, const struct window_counts *counts, const char *indent);

#endif
