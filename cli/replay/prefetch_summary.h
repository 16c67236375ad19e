/* What the summary of a replay says of prefetchers. */
#ifndef CLI_REPLAY_PREFETCH_SUMMARY_H
#define CLI_REPLAY_PREFETCH_SUMMARY_H

#include <stdio.h>

#include "replay/system/system.h"

/* A line a prefetcher, or a line for all of one kind where there are many and not `shows_all`; nothing where there is
 * none. width: columns of names. */
void prefetch_summary_print(FILE *to, const struct system *system, int width, bool shows_all);

#endif
