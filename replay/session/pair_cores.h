/* Elastic traces on the cores of a system, one for each core or one for all: open inputs, address spaces of virtual
 * addresses, windows of detailed cores, and traces that start again.
 *
 * Use: pair_cores_open before a system is made, system_create with the traces that it fills in, pair_cores_give; after
 * system_destroy pair_cores_close. Anew for each run. Ownership: borrows all that the setup names. */
#ifndef REPLAY_SESSION_PAIR_CORES_H
#define REPLAY_SESSION_PAIR_CORES_H

#include "replay/config/config.h"
#include "replay/session/workload.h"
#include "replay/system/system.h"
#include "replay/window/window.h"

struct pair_cores;

struct pair_cores_setup {
    const struct system_config *config;  /* finished */
    struct workload *workload;
    struct vm_memory *spaces;            /* NULL: physical addresses count */
    double tick_scale;
    const struct detailed_listener *listener;    /* an array of one for each core, or NULL */
    struct threads_pick pick;            /* a program is a core */
    const struct warn_sink *warn;        /* told what was odd in a first pass, before the next one begins */
};

/* `traces` of all cores. NULL on failure. */
struct pair_cores *pair_cores_open(const struct pair_cores_setup *setup, struct system_traces *traces,
                                   struct fault *fault);
void pair_cores_close(struct pair_cores *pairs);

/* Of traces that start again; nothing otherwise. */
struct fault pair_cores_give(struct pair_cores *pairs, struct system *system);

/* Part of a core's records that have been read in its first pass, 0 to 1; 1 if it is idle. */
double pair_cores_position(const struct pair_cores *pairs, unsigned core);
/* What was odd in what was read, without what was told already. */
void pair_cores_warn(const struct pair_cores *pairs);
/* Of the first pass; false: the core's micro-ops are not rebuilt from an elastic trace. */
bool pair_cores_window_counts(const struct pair_cores *pairs, unsigned core, struct window_counts *counts);

#endif
