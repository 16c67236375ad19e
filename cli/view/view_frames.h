/* Pictures of a view at given simulated times, without a display: the same request gives the same bytes. */
#ifndef CLI_VIEW_VIEW_FRAMES_H
#define CLI_VIEW_VIEW_FRAMES_H

#include "cli/view/view_session.h"

enum { VIEW_MAX_TIMES = 256 };

struct view_frames_options {
    const char *folder;                  /* is made if it is not there; holds frame-NNNN.png */
    uint64_t times_ps[VIEW_MAX_TIMES];   /* rising */
    size_t time_count;                   /* 0: one picture, at the end */
    int width, height;                   /* points; 0: the usual ones */
    double scale;                        /* pixels of a point */
    bool is_light;
};

/* session: begun, with the arguments of the command line, and not open. Returns the exit code. */
int view_frames_write(struct view_session *session, const struct view_frames_options *options);

#endif
