/* Statistics in ChampSim's forms: --stats champsim.json as its JSON printer writes, --stats champsim.txt as its tables
 * by type of access. The name of the file, or its end behind a point (a.champsim.json), chooses.
 *
 * Use: begin with {0}; champsim_stats_keep at the end of each core's first pass, if programs start again; then
 * champsim_stats_write at the run's end; champsim_stats_free. "roi" are figures of a core's own first pass, "sim" those
 * of the whole run behind the warm-up; without passes both are the same.
 *
 * Types: LOAD are reads of cores and caches, and fetches; RFO reads for ownership; WRITE stores, and dirty lines that a
 * cache above gives up; PREFETCH; TRANSLATION reads of page walks. A miss on a line that was asked for already is a
 * mshr_merge, and a miss, too. Not counted here: occupancy of the ROB at a misprediction (null), and cycles of a
 * congested data bus (null). */
#ifndef CLI_REPLAY_CHAMPSIM_STATS_H
#define CLI_REPLAY_CHAMPSIM_STATS_H

#include <stdbool.h>
#include <stdio.h>

#include "base/json.h"
#include "replay/system/system.h"

struct champsim_core;                    /* all figures of one core */

struct champsim_stats {
    struct champsim_core *kept[CONFIG_MAX_CORES];        /* NULL: of no pass */
    bool lacks_memory;
};

/* Does the name of a --stats file ask for one of these forms? */
bool champsim_stats_is_name(const char *path);

void champsim_stats_keep(struct champsim_stats *stats, const struct system *system, unsigned core);
/* traces: their names, as given. False: out of memory. */
bool champsim_stats_json(const struct champsim_stats *stats, struct json *json, const struct system *system,
                         const char *const *traces, size_t trace_count);
bool champsim_stats_text(const struct champsim_stats *stats, FILE *to, const struct system *system,
                         const char *const *traces, size_t trace_count);
void champsim_stats_free(struct champsim_stats *stats);

#endif
