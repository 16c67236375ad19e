/* The keys and the pointer of a canvas' window (viz/draw/input.h).
 *
 * Use: window_next until it has nothing, once a frame; window_wait to sleep until something comes. Scripts put in the
 * same events that a keyboard and a mouse make: window_push, which come out of window_next in that order.
 * Units: points. */
#ifndef VIZ_DRAW_WINDOW_H
#define VIZ_DRAW_WINDOW_H

#include "viz/draw/canvas.h"
#include "viz/draw/input.h"

/* False: there is none. A wheel has the place of the last motion. */
bool window_next(struct canvas *canvas, struct view_input *input);
void window_wait(struct canvas *canvas, int most_ms);
/* Sleeps in any case. */
void window_pause(struct canvas *canvas, int ms);
/* VIEW_RESIZE changes the window's size. */
void window_push(struct canvas *canvas, const struct view_input *input);

#endif
