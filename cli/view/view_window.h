/* The live view in a window. SDL's events want the main thread, so the run has another.
 *
 * Frames: sixty a second during input (pointer, keys, a script) or the run is held at a speed, which is
 * simulated time a frame; thirty while samples arrive without any input, which spares the run; none while nothing
 * changes. Input is answered by the next of sixty frames in any case.
 *
 * Use: fill the options; view_window_show, or view_replay for a replay with --view. Functions return exit codes, after
 * printing any error. */
#ifndef CLI_VIEW_VIEW_WINDOW_H
#define CLI_VIEW_VIEW_WINDOW_H

#include "cli/replay/request.h"
#include "cli/view/view_session.h"

struct view_window_options {
    const char *script;                  /* file of events (viz/view/script.h); NULL: none */
    int width, height;                   /* points; 0: the usual ones */
    double scale;                        /* pixels of a point; 0: as the display is */
    bool is_light, shows_frame_times;
    uint64_t speed_ps;                   /* simulated time a frame; 0: as fast as it runs */
};

enum { VIEW_USUAL_WIDTH = 1280, VIEW_USUAL_HEIGHT = 800 };

/* session: begun, with the arguments of the command line, and not open. */
int view_window_show(struct view_session *session, const struct view_window_options *options);
/* The replay prints its usual results at its end; the window stays until it is closed. */
int view_replay(const struct replay_request *request);

#endif
