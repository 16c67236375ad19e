/* A replay in a thread of its own, with a gate to a view (replay/session/sample_gate.h): it can be paused, stepped,
 * held at a time, ended, and started anew with other values of parameters. Its ticks and statistics are those of the
 * replay alone.
 *
 * Use: watched_run_init with the request; watched_run_start, then look at `layout` and use `gate`; watched_run_stop or
 * watched_run_finish, then start again if wanted; watched_run_free.
 * Ownership: the request's texts are borrowed. A layout lives until the start after the next, so that a view can show
 * the course of the run before. Errors of a request are in `problem`; later ones are printed. */
#ifndef CLI_VIEW_WATCHED_RUN_H
#define CLI_VIEW_WATCHED_RUN_H

#include <pthread.h>

#include "cli/replay/request.h"
#include "replay/session/sample_gate.h"
#include "viz/state/state_figures.h"

enum { WATCHED_SETTING = 160, WATCHED_MAX_CHANGES = 32, WATCHED_PROBLEM = 480 };

struct watched_run {
    struct replay_request request;
    size_t request_settings;             /* those of the command line; the changes follow them */
    struct watched_changes {
        char of[WATCHED_MAX_CHANGES][WATCHED_SETTING];
        size_t count;
    } changes;
    char problem[WATCHED_PROBLEM];       /* why the last start failed */
    struct sample_gate gate;
    pthread_t thread;
    bool is_started;
    struct telemetry_text texts[2];      /* of this start, and of the one before */
    bool has_text[2];
    unsigned text;
    const struct telemetry *layout;
    uint64_t *words;                     /* room for a sample */
    struct findings findings;            /* of the finished run; the caller that shows them may take them over */
};

void watched_run_init(struct watched_run *run, const struct replay_request *request);
/* Sets KEY=VALUE for the next start, in place of earlier changes of that key. FAULT_INPUT: the system refuses it, and
 * nothing was changed. */
struct fault watched_run_change(struct watched_run *run, const char *key, const char *value);
/* Restores the previous `changes`; the next start uses them. */
void watched_run_undo(struct watched_run *run, const struct watched_changes *before);
/* until_ps: the run waits there. An exit code: it ran before there was a layout, or there is no thread to be had. */
int watched_run_start(struct watched_run *run, uint64_t until_ps);
/* Ends it at once; without results. */
void watched_run_stop(struct watched_run *run);
/* Lets it run to its end by itself, and waits for that; its exit code. */
int watched_run_finish(struct watched_run *run);
void watched_run_free(struct watched_run *run);

/* FAULT_INPUT: the request with its changes does not fit the system. */
struct fault watched_run_check(const struct watched_run *run);
/* The effective system, with all changes. */
struct fault watched_run_config(const struct watched_run *run, struct system_config *config);

#endif
