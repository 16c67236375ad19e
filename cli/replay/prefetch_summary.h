/* What the summary of a replay says of prefetchers. */
#ifndef CLI_REPLAY_PREFETCH_SUMMARY_H
#define CLI_REPLAY_PREFETCH_SUMMARY_H

#include <stdio.h>

#include "replay/system/system.h"

/* A line a prefetcher, or a line for all of one kind where there are many and not `shows_all`; nothing where there is
 * none. width: columns of names. kept: by cache lines that stand there instead, or NULL; NULL: none. */
void prefetch_summary_print(FILE *to, const struct system *system, int width, bool shows_all, char *const *kept);
/* The line of one cache; nothing if it has no prefetcher. */
void prefetch_summary_print_one(FILE *to, const struct system *system, int width, unsigned number);

#endif
