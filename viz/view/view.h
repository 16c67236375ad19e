/* The live view of one run, or of two side by side: its contents, and the effects of keys and the pointer. It contains
 * neither window nor run: the host, which has both, passes events in, draws frames, and carries out the requests of
 * the view.
 *
 * Use: view_init; view_add_run for each run; history_put into its history when samples come; view_event for each key,
 * motion or wheel; view_ask until no request is left; view_draw for a frame; view_free.
 *
 * States of a run: RUNNING -> PAUSED -> RUNNING by the space key, or one sample further by "."; -> ENDED or FAILED when
 * it is over. The view asks, the host does it and sets the state.
 * Units: picoseconds, points. Ownership: layouts are borrowed; everything else is the view's. Errors: FAULT_MEMORY. */
#ifndef VIZ_VIEW_VIEW_H
#define VIZ_VIEW_VIEW_H

#include "viz/draw/draw_window.h"
#include "viz/state/state.h"

void view_init(struct view *view);
void view_free(struct view *view);
struct fault view_add_run(struct view *view, const char *title, const struct telemetry *layout);
/* Takes the second one away; with one run it does nothing. */
void view_remove_run(struct view *view);
/* The run starts again, perhaps with another layout; its previous history becomes the old course. */
struct fault view_restart_run(struct view *view, unsigned run, const struct telemetry *layout);

/* Without the course of the run before. */
void view_forget_old(struct view *view, unsigned run);

const char *view_state_name(enum view_run_state state);
bool view_any_run_is(const struct view *view, enum view_run_state state);

/* Takes the findings of a finished run, which are kept until the run starts again. */
void view_judge(struct view *view, unsigned run, struct findings *findings);

/* A line for the user; it stays until the next key. */
/* Opens the panel of parameters with that value in its field, and shows the problem. */
void view_refuse_value(struct view *view, const char *key, const char *value, const char *problem);
void view_note(struct view *view, const char *format, ...) __attribute__((format(printf, 2, 3)));

void view_event(struct view *view, const struct view_input *input);
/* After samples came: brings the time window and the moment that is shown up to date. view_event and view_draw do it
 * themselves. */
void view_update(struct view *view);
bool view_ask(struct view *view, struct view_ask *ask);
void view_draw(struct view *view, struct canvas *canvas);

/* Where the panels of the live view are, for a size of the window and a number of runs.
 *
 * One run: diagram upper left, banks upper right, strips and the heat map on one time axis below. Two runs: a column a
 * run for diagram and banks; strips and heat map divide theirs by themselves. Too small a window leaves out heat map,
 * then banks. Areas lie inside, do not overlap, and are empty (width 0) where a panel is left out. Units: points. */

enum { VIEW_GAP = 8, VIEW_BAR = 34, VIEW_STATUS = 26 };

struct view_layout {
    struct area bar, status;
    struct area results;                 /* lines below the bar; height 0: no results */
    struct area diagram[VIEW_RUNS], banks[VIEW_RUNS];
    struct area strips, heat;
};

/* strips_height: the height at which the strips are legible; they get more if the window is high, and less if it is
 * low. */
struct view_layout view_layout(int width, int height, unsigned run_count, int strips_height);

/* For the view as it is now: with its lines of results. */
struct view_layout view_layout_of(const struct view *view);

#endif
