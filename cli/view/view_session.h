/* A view with its runs: brings samples from the sources into the view, lets the runs advance as the view's speed
 * allows, carries out the view's requests. The window and the frames without a display use it.
 *
 * Use: view_session_begin; view_session_open for one run or two; view_session_take once a frame, and view_session_do
 * for the requests of the view; view_session_end.
 * Files requested by keys are written here. Functions that return exit codes have printed the error. */
#ifndef CLI_VIEW_VIEW_SESSION_H
#define CLI_VIEW_VIEW_SESSION_H

#include "cli/view/view_files.h"
#include "cli/view/parameters.h"
#include "cli/view/view_source.h"
#include "viz/view/view.h"

struct view_session {
    struct view view;
    struct view_source sources[VIEW_RUNS];
    struct view_parameters parameters;
    /* The arguments of the command line: */
    const struct replay_request *request;        /* NULL: one of these two */
    const char *recording, *attach;
    const char *compare;                         /* a second system or recording; NULL: none, or the first's system */
    const char *const *compare_settings;         /* KEY=VALUE of the second run alone: any make a second run */
    size_t compare_setting_count;
    bool is_beside_replay;                       /* the run is the command's: it is not ended or started anew */
    uint64_t target_ps;                          /* as far as runs may go at the view's speed */
    struct view_recording recorded;              /* of the key R */
    bool has_quit;
};

void view_session_begin(struct view_session *session);
/* Opens the run of the command line, at rest before its first sample. An exit code. */
int view_session_open(struct view_session *session);
/* Lets the runs go, at the view's speed. */
void view_session_go(struct view_session *session);
/* Takes new samples into the view, and lets the runs advance. Returns whether there was something new. most_ms: limit,
 * in time of the host. */
bool view_session_take(struct view_session *session, double most_ms);
/* For canvas NULL, pictures are not to be had. */
void view_session_do(struct view_session *session, struct canvas *canvas);
/* To that time exactly, with all samples, and waits until they are there: pictures at given times. */
void view_session_reach(struct view_session *session, uint64_t time_ps);
void view_session_end(struct view_session *session);

#endif
