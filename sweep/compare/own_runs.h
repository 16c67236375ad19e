/* The runs of a comparison that needs no recorded ones: a program's instruction trace on a system's detailed core, and
 * the replay of its elastic trace on the same system. The elastic trace is captured on the system's core above
 * near-ideal memory (replay/detailed/probe/capture_system.h), once for all systems whose core is the same.
 *
 * Use: own_runs_init; for each program own_runs_begin, then own_runs_detailed and own_runs_replay for each system;
 * own_runs_end. A replay has the ROB and the load and store buffers of the detailed core.
 * Files: elastic traces go into `folder`/PROGRAM, those of further cores into PROGRAM-2, ...; they are removed by
 * own_runs_begin and own_runs_end, unless `keeps`.
 * Ownership: what own_runs_init gets is borrowed. Errors: FAULT_INPUT, for systems with several cores, too. */
#ifndef SWEEP_COMPARE_OWN_RUNS_H
#define SWEEP_COMPARE_OWN_RUNS_H

#include "replay/session/session.h"
#include "sweep/compare/run_figures.h"

struct own_runs_setup {
    const char *folder;                  /* is there */
    bool keeps;
    const char *const *settings;         /* of all systems, as config_set takes them */
    size_t setting_count;
    struct engine_options engine;
    struct workload_options reading;
};

struct own_capture {
    char *system;                        /* that it was captured on, as compact YAML */
    char *folder;
};

struct own_runs {
    struct own_runs_setup setup;
    const char *program, *trace;
    struct own_capture *captures;        /* of this program */
    size_t capture_count;
};

void own_runs_init(struct own_runs *runs, const struct own_runs_setup *setup);
/* Before any program: whether this system will do. */
struct fault own_runs_check(const struct own_runs *runs, const char *system);
/* trace: its path. */
void own_runs_begin(struct own_runs *runs, const char *program, const char *trace);
struct fault own_runs_detailed(struct own_runs *runs, const char *system, struct run_figures *figures);
struct fault own_runs_replay(struct own_runs *runs, const char *system, struct run_figures *figures);
void own_runs_end(struct own_runs *runs);

#endif
