/* Samples of a run while it executes: into a recording, into shared memory, to a view in another thread, to a watcher.
 *
 * Use, by session.c: sampling_begin_system or sampling_begin_gpu when the run is made and before its first event; run
 * up to sampling_due at most, with sampling_poll, or, of a GPU alone, sampling_gpu_piece events, then call
 * sampling_look; sampling_restarted where statistics restart; sampling_end after a run that went well; sampling_free in
 * any case. Without a receiver of samples nothing is allocated, and sampling_due is never reached.
 *
 * A sample on request: the watcher or a reader of the shared memory asks (replay/record/sample_share.h); it is taken
 * within SAMPLING_EVENTS events, since a look at each would cost more than all samples, and goes wherever samples go.
 * Those that are due by time are due as they were.
 *
 * A recording that cannot be written any more does not stop the run: it is said once, and sampling_end fails. After a
 * run that failed the recording has no end, as readers will say. The run itself is the same with samples and without.
 * Ownership: the contents of samples are borrowed. */
#ifndef REPLAY_SESSION_SAMPLING_H
#define REPLAY_SESSION_SAMPLING_H

#include <stdio.h>

#include "replay/record/recording.h"
#include "replay/record/request_follow.h"
#include "replay/record/sample_share.h"
#include "replay/record/telemetry_text.h"
#include "replay/session/sample_gate.h"
#include "replay/source/warn_sink.h"

/* A program that wants to see samples itself, in the thread of the run. */
struct sample_watcher {
    struct fault (*begin)(void *context, const struct telemetry *layout);    /* that lives as long as the session */
    void (*put)(void *context, const uint64_t *words);                       /* NULL: it only asks */
    bool (*is_asked)(void *context);                                         /* true: one is to be taken now */
    void *context;
};

struct session_samples {
    FILE *record;                        /* the caller opens and closes it; NULL: no recording */
    const char *record_name;
    const char *publish;                 /* a name that sample_share_path takes; NULL: none */
    uint64_t interval_ps;                /* 0: the usual one */
    struct sample_gate *gate;            /* of a view in another thread; NULL: none */
    bool has_commands;                   /* of commands_from_ps <= t < commands_to_ps, into the recording */
    uint64_t commands_from_ps, commands_to_ps;
    bool has_requests;                   /* requests are followed, of a system, into recording and view */
    struct sample_watcher watcher;       /* begin NULL: none */
};

/* Events between two checks for requests: a fraction of a millisecond. One of a GPU alone is a cycle of all its
 * SMs. */
enum { SAMPLING_EVENTS = 1000, SAMPLING_EVENTS_GPU = 50 };

struct sampling {
    const struct session_samples *samples;
    const struct warn_sink *warn;
    struct telemetry_system made;
    bool is_on, has_failed, has_sampled, is_asked;
    struct system_poll poll;             /* for requests in between; events 0: none can come */
    uint64_t next_ps, last_ps;
    uint64_t *words;
    struct recording_writer writer;
    struct sample_share share;
    struct command_window window;
    struct request_follow follow;
};

/* samples: NULL, or with nothing in it: none are taken. */
struct fault sampling_begin_system(struct sampling *sampling, const struct session_samples *samples,
                                   const struct warn_sink *warn, struct system *system);
struct fault sampling_begin_gpu(struct sampling *sampling, const struct session_samples *samples,
                                const struct warn_sink *warn, const char *name, const struct gpu_run *run);

/* The run may not go beyond that time before sampling_look. */
static inline uint64_t sampling_due(const struct sampling *sampling)
{
    return sampling->is_on ? sampling->next_ps : TICK_NEVER - 1;
}

/* Has the view asked the run to end at once, without results? */
static inline bool sampling_is_stopped(const struct sampling *sampling)
{
    return sampling->samples && sampling->samples->gate && sample_gate_is_stopped(sampling->samples->gate);
}

/* The check for requests of samples in between; NULL: none can come. */
static inline const struct system_poll *sampling_poll(const struct sampling *sampling)
{
    return sampling->poll.events ? &sampling->poll : NULL;
}

/* How many events of a GPU alone to execute before sampling_look, at most. */
static inline uint64_t sampling_gpu_piece(const struct sampling *sampling, uint64_t most)
{
    return sampling->poll.events ? min_u64(most, SAMPLING_EVENTS_GPU) : most;
}

/* After a piece: the run is at now_ps, its next event at next_ps. Takes a sample if one was asked for, or if one is due
 * and all events up to now_ps have happened; then waits if a view has set an end there. */
void sampling_look(struct sampling *sampling, uint64_t now_ps, uint64_t next_ps);
void sampling_restarted(struct sampling *sampling, uint64_t now_ps);
/* The run is over: a last sample. The fault is that of a recording that is not whole. */
struct fault sampling_end(struct sampling *sampling, uint64_t now_ps);
void sampling_free(struct sampling *sampling);

#endif
