/* Statistics as JSON: one object a block, {"name": number, ...}, names as in stats.txt, in its order
 * (docs/stats.schema.json).
 *
 * Differences to stats.txt: numbers have all their digits; undefined values (0/0, x/0) are null; bins have no shares;
 * statistics that the reference does not have are included. Zeros that stats.txt leaves out are left out here too.
 * Several blocks (--interval) follow each other in one file, as `jq` and other JSON stream readers take them. */
#ifndef REPLAY_RECORD_STATS_JSON_H
#define REPLAY_RECORD_STATS_JSON_H

#include <stdbool.h>
#include <stdio.h>

#include "base/json.h"
#include "memsys/sim/sim_statistics.h"

/* One block as of tick now, as the next value of `json`. */
void stats_json_put(struct json *json, struct json_layout layout, const struct stats *stats, uint64_t now_ps);
/* Writes one block as of tick now. False: out of memory. Errors of the file show in ferror. */
bool stats_json_write(FILE *file, const struct stats *stats, uint64_t now_ps);
/* One figure of such a block, for objects that are made of something else. */
void stats_json_member(FILE *file, bool is_first, const char *name, double value);

#endif
