/* Elastic probes on the detailed cores of a system, one a core: their folders, their options, their end.
 *
 * Use: core_probes_open before the session; give it core_probes_listeners; after the run core_probes_close; then
 * core_probes_free, which leaves nothing that was not there before, unless the probes were closed without a fault.
 * Folders: one core's files lie in the folder itself, those of several in cpu0, cpu1, ... below it; missing folders
 * are created. A core of several that did nothing has none.
 * Errors: as elastic_probe.h; FAULT_INPUT, too, for a window that is smaller than the ROB, and if `from` was not
 * reached. */
#ifndef REPLAY_DETAILED_PROBE_CORE_PROBES_H
#define REPLAY_DETAILED_PROBE_CORE_PROBES_H

#include "replay/detailed/probe/elastic_probe.h"

struct system_config;

struct core_probes_options {
    const char *folder;                  /* borrowed; NULL: no probe */
    uint64_t window;                     /* depWindowSize; 0: ELASTIC_PROBE_ROBS times the ROB */
    bool has_virtual;                    /* traceVirtAddr */
    uint64_t from;                       /* startTraceInst */
};

struct core_probes;

/* *made is NULL after a fault. */
struct fault core_probes_open(struct core_probes **made, const struct core_probes_options *options,
                              const struct system_config *config);
/* An array of one for each core. */
const struct detailed_listener *core_probes_listeners(const struct core_probes *probes);
/* Closes the probes; their traces are then complete. Counts and folders remain available until core_probes_free. */
struct fault core_probes_close(struct core_probes *probes);
/* NULL is fine. */
void core_probes_free(struct core_probes *probes);

uint32_t core_probes_window(const struct core_probes *probes);
unsigned core_probes_count(const struct core_probes *probes);
/* NULL: this core has no trace. */
const char *core_probes_folder(const struct core_probes *probes, unsigned core);
const struct elastic_probe_counts *core_probes_counts(const struct core_probes *probes, unsigned core);

#endif
