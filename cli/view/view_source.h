/* Where the samples of a view come from: a run in its own thread, a recording that is played, or a run of another
 * process (replay --publish).
 *
 * Use: view_source_open_run, view_source_open_recording or view_source_attach; then in each frame view_source_next
 * until it returns NULL, view_source_allow for the time it may advance to; view_source_close. A recording can be held
 * at a time like a run; a run of another process continues meanwhile, and the samples it overwrites are lost.
 * Units: picoseconds. Functions that return exit codes have printed the error. */
#ifndef CLI_VIEW_VIEW_SOURCE_H
#define CLI_VIEW_VIEW_SOURCE_H

#include <stdio.h>

#include "cli/view/watched_run.h"
#include "replay/record/recording.h"
#include "replay/record/sample_share.h"

enum view_source_kind { VIEW_SOURCE_RUN, VIEW_SOURCE_RECORDING, VIEW_SOURCE_ATTACHED };

struct view_source {
    enum view_source_kind kind;
    bool is_open;
    struct watched_run run;
    char title[96];
    FILE *file;
    const char *path;
    struct recording recording;
    uint64_t first_offset;               /* of its first sample in the file */
    uint64_t begin_ps;                   /* of a recording of a later stretch of time, its first sample; else 0 */
    struct sample_reader reader;
    struct telemetry_request *requests;  /* of a recording, not taken yet */
    size_t request_count, request_room, request_place;
    bool has_pending;                    /* the reader's or recording's words are a sample that was not given yet */
    uint64_t until_ps, now_ps;
};

/* until_ps: as with view_source_allow. */
int view_source_open_run(struct view_source *source, const struct replay_request *request, uint64_t until_ps);
/* The same, not started yet: its system can be changed (watched_run_change), then view_source_restart. */
void view_source_prepare_run(struct view_source *source, const struct replay_request *request);
int view_source_open_recording(struct view_source *source, const char *path, uint64_t until_ps);
int view_source_attach(struct view_source *source, const char *name, uint64_t until_ps);
/* Starts a run or recording again; an attached run continues instead. Returns an exit code; run.problem has the reason
 * of a failure. */
int view_source_restart(struct view_source *source, uint64_t until_ps);
void view_source_close(struct view_source *source);

/* Is the file a recording? */
bool view_source_is_recording(const char *path);

const struct telemetry *view_source_layout(const struct view_source *source);
/* Between samples, for now. */
uint64_t view_source_interval_ps(const struct view_source *source);
/* Time of the next sample after that time, or TICK_NEVER if no sample follows. While the sample is unknown, the time
 * at which it is due. */
uint64_t view_source_next_ps(struct view_source *source, uint64_t after_ps);
/* The next sample, valid until the next call, or NULL if it is not available yet. */
const uint64_t *view_source_next(struct view_source *source);
/* The next traced request; returns false if none is available yet. Of a recording, requests before the sample taken
 * last. */
bool view_source_next_request(struct view_source *source, struct telemetry_request *request);
uint64_t view_source_lost(const struct view_source *source);
/* It goes to that time at most; SAMPLE_GATE_NO_LIMIT: as fast as it runs. */
void view_source_allow(struct view_source *source, uint64_t until_ps);
/* Whether it waits at its limit, or has ended; all samples up to there are available. */
bool view_source_rests(struct view_source *source);
void view_source_await(struct view_source *source);
/* Over; the exit code. */
bool view_source_is_over(struct view_source *source, int *exit_code);

#endif
