/* The keys and the pointer of a canvas' window (viz/draw/draw_window.h).
 *
 * Use: window_next until it returns false, once a frame; window_wait to sleep until something comes. Scripts put in
 * the same events that a keyboard and a mouse make: window_push, which come out of window_next in that order.
 * Units: points. */
#ifndef VIZ_DRAW_DRAW_WINDOW_H
#define VIZ_DRAW_DRAW_WINDOW_H

#include <stdint.h>

#include "viz/draw/canvas.h"

/* Keys and the pointer, from any source: SDL's events (viz/draw/draw_window.h) or a script (viz/view/script.h).
 *
 * Characters are Unicode. Units: points. Ownership: plain values. */

enum view_input_kind { VIEW_KEY, VIEW_MOTION, VIEW_PRESS, VIEW_RELEASE, VIEW_WHEEL, VIEW_RESIZE, VIEW_CLOSE };
enum view_key { VIEW_KEY_ENTER = 13, VIEW_KEY_ESCAPE = 27, VIEW_KEY_BACKSPACE = 8, VIEW_KEY_TAB = 9,
                VIEW_KEY_LEFT = 0x110000, VIEW_KEY_RIGHT, VIEW_KEY_UP, VIEW_KEY_DOWN, VIEW_KEY_HOME, VIEW_KEY_END,
                VIEW_KEY_F12, VIEW_KEY_BACK_TAB, VIEW_KEY_SELECT_ALL, VIEW_KEY_CTRL_ENTER };
/* Shift and Tab, Ctrl and A, Ctrl and Enter are keys of their own: BACK_TAB, SELECT_ALL, CTRL_ENTER. */

struct view_input {
    enum view_input_kind kind;
    uint32_t key;                        /* a character, or enum view_key */
    int x, y;                            /* points; of the pointer, of the new size */
    int wheel;                           /* notches, away from the user is positive */
};

/* Returns false if no event is waiting. Wheel events have the position of the last motion. */
bool window_next(struct canvas *canvas, struct view_input *input);
void window_wait(struct canvas *canvas, int most_ms);
/* Sleeps in any case. */
void window_pause(struct canvas *canvas, int ms);
/* VIEW_RESIZE changes the window's size. */
void window_push(struct canvas *canvas, const struct view_input *input);

#endif
