/* Where the samples of a view come from: a run in its own thread, or a recording that is played.
 *
 * Use: view_source_open_run or view_source_open_recording; then in each frame view_source_next until it has nothing,
 * view_source_allow for how far it may go; view_source_close. A recording is held at a time as a run is.
 * Units: picoseconds. Exit codes: what is wrong was printed. */
#ifndef CLI_VIEW_SOURCE_H
#define CLI_VIEW_SOURCE_H

#include <stdio.h>

#include "cli/watched_run.h"
#include "replay/recording.h"

struct view_source {
    bool is_open, is_recording;
    struct watched_run run;
    char title[96];
    FILE *file;
    const char *path;
    struct recording recording;
    uint64_t first_offset;               /* of its first sample in the file */
    bool has_pending;                    /* recording.words is a sample that was not given yet */
    uint64_t until_ps, now_ps;
};

/* until_ps: as with view_source_allow. */
int view_source_open_run(struct view_source *source, const struct replay_request *request, uint64_t until_ps);
int view_source_open_recording(struct view_source *source, const char *path, uint64_t until_ps);
/* From the beginning. */
int view_source_restart(struct view_source *source, uint64_t until_ps);
void view_source_close(struct view_source *source);

/* Is the file a recording? */
bool view_source_is_recording(const char *path);

const struct telemetry *view_source_layout(const struct view_source *source);
/* Between samples, for now. */
uint64_t view_source_interval_ps(const struct view_source *source);
/* The next sample; NULL: there is none yet. It stays until the next call. */
const uint64_t *view_source_next(struct view_source *source);
uint64_t view_source_lost(const struct view_source *source);
/* It goes to that time at most; SAMPLE_GATE_NO_LIMIT: as fast as it runs. */
void view_source_allow(struct view_source *source, uint64_t until_ps);
/* It waits where it may not go on, or is over; all samples up to there are to be had. */
bool view_source_rests(struct view_source *source);
void view_source_await(struct view_source *source);
/* Over; the exit code. */
bool view_source_is_over(struct view_source *source, int *exit_code);

#endif
