/* The live view in a window. SDL's events want the main thread, so the run has another.
 *
 * Frames: sixty a second while somebody acts (pointer, keys, a script) or the run is held at a speed, which is
 * simulated time a frame; thirty while samples come and nobody does anything, which spares the run; none while nothing
 * is different. Input is answered by the next of sixty frames in any case.
 *
 * Use: fill the options; view_window_show, or view_replay for a replay with --view. The answers are exit codes; what is
 * wrong was printed. */
#ifndef CLI_VIEW_WINDOW_H
#define CLI_VIEW_WINDOW_H

#include "cli/replay/request.h"
#include "cli/view/session.h"

struct view_window_options {
    const char *script;                  /* file of events (viz/view/script.h); NULL: none */
    int width, height;                   /* points; 0: the usual ones */
    double scale;                        /* pixels of a point; 0: as the display is */
    bool is_light, shows_frame_times;
    uint64_t speed_ps;                   /* simulated time a frame; 0: as fast as it runs */
};

enum { VIEW_USUAL_WIDTH = 1280, VIEW_USUAL_HEIGHT = 800 };

/* session: begun, with what the command line names, and not open. */
int view_window_show(struct view_session *session, const struct view_window_options *options);
/* The replay prints what it always prints when it is over; the window stays until it is closed. */
int view_replay(const struct replay_request *request);

#endif
