/* Summary of a replay for people: time, CPI and its stack, caches, memory, load latency; a screenful of text. */
#ifndef CLI_SUMMARY_H
#define CLI_SUMMARY_H

#include <stdio.h>

#include "replay/system.h"

/* After system_run. host_s: seconds that the replay took. */
void summary_print(FILE *to, const struct system *system, double host_s);

/* What sharing the memory system cost each core, and the GPU after them, against having it alone: ticks from start to
 * end of each, TICK_NEVER where a run ended before that. */
void summary_print_sharing(FILE *to, unsigned cores, bool has_gpu, const uint64_t *shared_ps,
                           const uint64_t *alone_ps);

/* What the run survived that the reference would not: one warning each on stderr. */
void summary_warn(const struct system *system);

#endif
