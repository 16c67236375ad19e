/* Elastic probe: writes the elastic trace of a detailed core's run, as gem5's ElasticTrace would (elastic-trace 3,
 * elastic-truth 1): deptrace.proto.gz and fetchtrace.proto.gz in a folder.
 *
 * Use: elastic_probe_open; give elastic_probe_listener to the core; after the run elastic_probe_close, or
 * elastic_probe_discard, which leaves nothing. Both files appear when the probe is closed, or neither does.
 * The core should have resources that never hold it up, and near-ideal memory: its waiting times become part of the
 * delays.
 * Units: ticks are picoseconds, so the trace's tick_freq is 10^12.
 * Ownership: the listener is the probe's; it keeps no pointers to the events it receives.
 * Errors: those of a run wait for elastic_probe_close. */
#ifndef REPLAY_DETAILED_PROBE_ELASTIC_PROBE_H
#define REPLAY_DETAILED_PROBE_ELASTIC_PROBE_H

#include "replay/detailed/detailed_cpu.h"
#include "replay/detailed/probe/elastic_window.h"

/* How the reference's scripts have it: three times the ROB. */
enum { ELASTIC_PROBE_ROBS = 3 };

struct elastic_probe_setup {
    const char *folder;                  /* is there */
    const char *object;                  /* the header's obj_id, such as "system.cpu.traceListener" */
    uint64_t period_ps;                  /* of the core's clock */
    uint32_t window;                     /* depWindowSize */
    uint32_t fetch_bytes;                /* fetchBufferSize, a power of two */
    bool has_virtual;                    /* traceVirtAddr */
    uint64_t from;                       /* startTraceInst: committed instructions before the probe listens */
};

struct elastic_probe_counts {
    struct elastic_window_counts data;
    uint64_t fetches;
    uint64_t instructions, before;       /* committed in all, and of these before it listened */
};

struct elastic_probe;

/* NULL on failure. */
struct elastic_probe *elastic_probe_open(const struct elastic_probe_setup *setup, struct fault *fault);
const struct detailed_listener *elastic_probe_listener(const struct elastic_probe *probe);
/* So far: records are counted as they are written, a window late. */
struct elastic_probe_counts elastic_probe_counted(const struct elastic_probe *probe);
/* Gives the files their names and frees the probe in any case. counts: of the whole trace; may be NULL. */
struct fault elastic_probe_close(struct elastic_probe *probe, struct elastic_probe_counts *counts);
/* NULL is fine. */
void elastic_probe_discard(struct elastic_probe *probe);

#endif
