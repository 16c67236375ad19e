/* The live view of one run, or of two side by side: what it shows, what keys and the pointer do to it. No window and no
 * run in here: who has both hands events in, draws frames, and carries out what the view asks for.
 *
 * Use: view_init; view_add_run for each run; history_put into its history when samples come; view_event for each key,
 * motion or wheel; view_ask until it has nothing; view_draw for a frame; view_free.
 *
 * States of a run: RUNNING -> PAUSED -> RUNNING by the space key, or one sample further by "."; -> ENDED or FAILED when
 * it is over. The view asks, the host does it and sets the state.
 * Units: picoseconds, points. Ownership: layouts are borrowed; everything else is the view's. Errors: FAULT_MEMORY. */
#ifndef VIZ_VIEW_VIEW_H
#define VIZ_VIEW_VIEW_H

#include "viz/draw/input.h"
#include "viz/state/state.h"

void view_init(struct view *view);
void view_free(struct view *view);
struct fault view_add_run(struct view *view, const char *title, const struct telemetry *layout);
/* Takes the second one away; with one run it does nothing. */
void view_remove_run(struct view *view);
/* The run begins again, with another layout perhaps; what it showed becomes the old course. */
struct fault view_restart_run(struct view *view, unsigned run, const struct telemetry *layout);

/* Without the course of the run before. */
void view_forget_old(struct view *view, unsigned run);

const char *view_state_name(enum view_run_state state);
bool view_any_run_is(const struct view *view, enum view_run_state state);

/* Takes what is known of a run that is over; until it starts anew. */
void view_judge(struct view *view, unsigned run, struct findings *findings);

/* A line for the user; it stays until the next key. */
/* The panel of parameters opens with that value in its field, and says what is wrong with it. */
void view_refuse_value(struct view *view, const char *key, const char *value, const char *problem);
void view_note(struct view *view, const char *format, ...) __attribute__((format(printf, 2, 3)));

void view_event(struct view *view, const struct view_input *input);
/* After samples came: brings the time window and the moment that is shown up to date. view_event and view_draw do it
 * themselves. */
void view_update(struct view *view);
bool view_ask(struct view *view, struct view_ask *ask);
void view_draw(struct view *view, struct canvas *canvas);

#endif
