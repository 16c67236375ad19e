/* Statistics as text, in the layout of the reference's stats.txt: name, value, share and cumulated share of bins,
 * comment. */
#ifndef CLI_REPLAY_STATS_TEXT_H
#define CLI_REPLAY_STATS_TEXT_H

#include <stdio.h>

#include "memsys/sim/stats.h"

/* Writes one block, with its Begin and End lines, as of tick now. Errors of the file show in ferror. */
void stats_text_write(FILE *file, const struct stats *stats, uint64_t now_ps);

#endif
