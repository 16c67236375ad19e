/* What was taken from an elastic trace for a detailed core, and what was guessed, as lines of text. */
#ifndef CLI_WINDOW_COUNTS_H
#define CLI_WINDOW_COUNTS_H

#include <stdio.h>

#include "replay/window/window.h"

/* Each line behind `indent`. */
void window_counts_print(FILE *to, const struct window_counts *counts, const char *indent);

#endif
