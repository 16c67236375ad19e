/* Names of statistics of a core's own caches and buses among several cores: ours, "system.cpu13.l1d.replacements", and
 * gem5's, "system.l1d13.replacements". gem5's are in its text layout, and in files that were written before ours were.
 * Columns are called so, too: "system.l3.demandHits::cpu13.l2.prefetcher".
 *
 * Use: for each number from 0 until the answer is false; which of them are names is for the caller to see, as gem5's do
 * not say where a number begins ("l213"). */
#ifndef REPLAY_METRICS_ALIAS_H
#define REPLAY_METRICS_ALIAS_H

#include <stdbool.h>
#include <stddef.h>

enum { ALIAS_BYTES = 300 };

/* False: `name` has no alias of that number. */
bool alias_of(const char *name, unsigned number, char alias[ALIAS_BYTES]);

#endif
