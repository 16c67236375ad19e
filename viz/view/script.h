/* Scripts of the live view: the actions of a user at the window, and the expected display.
 *
 * A line is one step; # begins a comment. Steps are taken in their order, one a frame:
 *   at TIME                    waits until the newest sample of the first run is that far
 *   frames N                   lets N frames pass
 *   key NAME                   a character, or space, enter, escape, backspace, tab, left, right, up, down, home, end,
 *                              f12, shift+tab, ctrl+a, ctrl+enter
 *   type TEXT                  the rest of the line, letter by letter
 *   move X Y   press   release the pointer, in points; button at the place of the last move
 *   wheel X Y N                notches, such as +2 or -3
 *   resize W H   close         the window
 *   stall MS                   the view does nothing for that long
 *   point KIND NAME            moves the pointer to a drawn element: component, link, bank, chart, heat, parameter,
 *                              text, request; NAME is its title, or how it begins (cpu2 is not how cpu2.l1d does)
 *   chart PART                 moves the pointer into the strip charts: PART of the window of time, 0 to 1
 *   expect FACT   await FACT   looks at a fact now, or within a while; `no FACT` is its contrary
 * Facts: running, paused, ended, failed (of any run); runs N; speed TIME (0 means as fast as it runs); window FROM TO;
 * follows; whole; at TIME; newest TIME (of the first run's samples); hover NAME; pinned NAME; found NAME; mode
 * watch|search|parameters|value|metrics|help|requests; parameter KEY VALUE; wanted KEY VALUE (kept, not yet run);
 * filter TEXT; selected; problem TEXT (any part of the panel's); typed TEXT; search TEXT; note TEXT (any
 * part of it); dark; recording; old; lost; samples N (at least); requests N (of the moment, at least); size W H;
 * dragging; totals (means of the whole first run are shown); numbers TEXT (any part of those of the hovered element);
 * difference TEXT (any part of the difference of two systems). Times are such as 2us, exact in ps, and elsewhere where
 * they have three digits or fewer after the point.
 * A time may have ~ before it: off by at most 2 % of the window that is shown.
 *
 * Use: script_read; script_step once a frame, which gives inputs by a function of the caller, until it has ended;
 * script_free. Errors: FAULT_INPUT with file, line, expectation. */
#ifndef VIZ_VIEW_SCRIPT_H
#define VIZ_VIEW_SCRIPT_H

#include "base/fault.h"
#include "viz/view/view.h"

struct script_line;

struct script {
    char *path;
    struct script_line *lines;
    size_t count, place;
    unsigned frames_waited, stall_ms;    /* stall_ms: the caller sleeps for that long after the step */
    int x, y;                            /* of the pointer */
    bool has_failed;
    char failure[400];                   /* file, line, expected and actual state */
};

typedef void script_give(void *context, const struct view_input *input);

struct fault script_read(struct script *script, const char *path, const char *text, size_t length);
void script_free(struct script *script);
/* The window was closed; steps that are left were expected to be taken, and the next one is the failure. */
void script_closed(struct script *script);
/* Takes a step, or waits. Returns false if no step is left, or an expectation was not met (has_failed). */
bool script_step(struct script *script, const struct view *view, script_give *give, void *context);

#endif
