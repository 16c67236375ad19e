/* Internals of `rubato sweep`, shared by its parts: cli/sweep/sweep.c (arguments, the run), traces.c (traces, packed
 * once), try.c (--dry-run), print.c (progress, points, summary), slurm.c (array jobs), collect.c (shards to one
 * file). */
#ifndef CLI_SWEEP_SWEEP_H
#define CLI_SWEEP_SWEEP_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/sweep/unasked.h"
#include "sweep/plan/plan.h"
#include "sweep/run/runner.h"

enum { SWEEP_PATH_MAX = 4096, SWEEP_MAX_SBATCH = 32 };

struct sweep_request {
    const char *spec;
    const char *output, *cache;          /* NULL: as usual */
    const char *report;                  /* the page to write in the end; NULL: none */
    const char *models;                  /* NULL: as the file says, as are the next two */
    const char *confidence, *until_error, *warm;
    size_t workers;
    uint64_t module_limit_ps;            /* 0: the default */
    size_t shard, shard_count;           /* counted from 1; 0: no shard was asked for */
    const char *designs;                 /* the file of those to run; NULL: all */
    uint64_t progress_ps;                /* between lines; 0: as usual */
    bool is_dry, shows_all, shows_axes, collects, retries, has_no_cache, verifies;
    const char *scheduler;               /* --on */
    size_t shards, throttle;             /* of the array job; 0: not given */
    const char *partition, *time;
    const char *sbatch[SWEEP_MAX_SBATCH];    /* further options of its own */
    size_t sbatch_count;
    size_t jobs;                         /* as given; 0: not */
    size_t crash_point;                  /* for tests; 0: none */
};

/* Everything that is open during a sweep. */
struct sweep_session {
    const struct sweep_request *request;
    struct origin origin;
    struct spec *spec;
    struct workload *workloads;
    size_t workload_count;
    struct plan *plan;
    char output[SWEEP_PATH_MAX];         /* the file of all results */
    char shards[SWEEP_PATH_MAX];         /* the folder of the shards' files */
    char shard_file[SWEEP_PATH_MAX];     /* this shard's */
};

/* ---- what `rubato search` shares */
/* Reads the file, opens the traces, names the results: all but the points. Returns an exit code, as parts do. */
int sweep_open(struct sweep_session *session);
/* Signals that end the run take effect after finished points are saved; a second one ends it at once. */
void sweep_listen_to_signals(void);
bool sweep_was_interrupted(void);
/* The shell is to see that it was interrupted, if it was. */
void sweep_end_by_signal(void);

/* Takes the stores of a workload's traces from the folder, and makes those that are not there. NULL: none. verifies: as
 * in struct workload_stores. */
void sweep_find_stores(struct workload *workload, const char *folder, bool verifies);

/* ---- the parts; each returns an exit code, after printing any error */
int sweep_open_traces(struct sweep_session *session);
void sweep_close_traces(struct sweep_session *session);
/* Makes the system of each point and opens its traces, without running any. CLI_BAD_INPUT: the first point that cannot
 * run was printed, and their number. */
int sweep_try_points(const struct sweep_session *session);
int sweep_submit(const struct sweep_session *session);
int sweep_collect(const struct sweep_session *session);

/* ---- printing */
struct sweep_progress {
    bool is_terminal;
    double shown_s;                      /* when the last line was written */
    double every_s;
    unsigned width;
};

/* every_ps: between lines; 0: ten seconds. A terminal's bar is drawn anew all the time. */
void sweep_progress_start(struct sweep_progress *progress, uint64_t every_ps);
void sweep_progress_show(struct sweep_progress *progress, const struct runner_tally *tally);
void sweep_progress_end(struct sweep_progress *progress);
/* Points with their values and states: all, or of more than ten the axes and the first ten. `results` may be NULL. */
int sweep_print_points(const struct plan *plan, struct results *results, bool shows_all);
/* Of each workload of regions, how much a point simulates. */
void sweep_print_regions(const struct plan *plan);
void sweep_print_summary(const struct plan *plan, const struct runner_tally *tally, const char *file);

#endif
