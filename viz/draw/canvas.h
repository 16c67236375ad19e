/* The drawing surface of the live view: a window, or an image without a display. SDL2 and SDL2_ttf are loaded when a
 * canvas is made (viz/draw/sdl.h): the program starts and runs without them.
 *
 * Coordinates are points, from the upper left corner; a point is `scale` pixels (HiDPI: 2), so panels know nothing of
 * pixels. Text is cut with an ellipsis where it does not fit. Same calls, same pixels, on one machine.
 *
 * Use: canvas_open_window or canvas_open_image; canvas_begin, draw, canvas_end for each frame; canvas_close.
 * Errors: FAULT_INPUT, whose text names the missing library or display. Ownership: canvases of canvas_open_* are freed
 * by canvas_close; texts are borrowed for the call. */
#ifndef VIZ_DRAW_CANVAS_H
#define VIZ_DRAW_CANVAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "viz/draw/palette.h"

struct canvas;

struct area {
    int x, y, width, height;
};

struct point {
    float x, y;
};

enum text_style { TEXT_SMALL, TEXT_NORMAL, TEXT_STRONG, TEXT_TITLE, TEXT_STYLES };
enum text_side { TEXT_LEFT, TEXT_CENTRE, TEXT_RIGHT };

/* scale: pixels of a point, also on a display that is finer; 0: as the display is. */
struct fault canvas_open_window(struct canvas **canvas, const char *title, int width, int height, double scale);
/* scale: pixels of a point; width and height are in points. */
struct fault canvas_open_image(struct canvas **canvas, int width, int height, double scale);
void canvas_close(struct canvas *canvas);

/* The window's size may have changed; the whole frame is drawn anew. */
void canvas_begin(struct canvas *canvas, struct colour background);
/* Like canvas_begin, but keeps the pixels of the previous frame if size and background are unchanged. Returns how many
 * frames in a row were drawn on these pixels before; 0: the canvas is all background. The caller that drew the
 * previous frame may skip the areas that have not changed. */
uint64_t canvas_resume(struct canvas *canvas, struct colour background);
void canvas_end(struct canvas *canvas);
/* Discards the previous frame: something else may have drawn over the window. */
void canvas_forget(struct canvas *canvas);
int canvas_width(const struct canvas *canvas);
int canvas_height(const struct canvas *canvas);
double canvas_scale(const struct canvas *canvas);
/* A place as events of the window tell it, in points. */
struct point canvas_place(const struct canvas *canvas, int window_x, int window_y);
/* The frame drawn last, as a PNG. */
struct fault canvas_write_png(struct canvas *canvas, const char *path);

void canvas_fill(struct canvas *canvas, struct area area, struct colour colour);
/* One point wide, inside the area. */
void canvas_frame(struct canvas *canvas, struct area area, struct colour colour);
/* The same with round corners. */
void canvas_fill_round(struct canvas *canvas, struct area area, float radius, struct colour colour);
void canvas_frame_round(struct canvas *canvas, struct area area, float radius, struct colour colour);
/* Antialiased lines of any width. The centre of a pixel is at .5, where lines are sharp. A course has a gap at points
 * that are NaN. */
void canvas_line(struct canvas *canvas, struct point from, struct point to, float width, struct colour colour);
void canvas_course(struct canvas *canvas, const struct point *points, size_t count, float width, struct colour colour);
/* width x height colours stretched over the area, without smoothing: heat maps. */
void canvas_cells(struct canvas *canvas, struct area area, const struct colour *cells, int width, int height);

int canvas_text_height(const struct canvas *canvas, enum text_style style);
int canvas_text_width(struct canvas *canvas, enum text_style style, const char *text);
/* At the side of the area's middle line, which may be as flat as it likes; true if it was cut. UTF-8. */
bool canvas_text(struct canvas *canvas, struct area area, enum text_side side, enum text_style style,
                 struct colour colour, const char *text);

/* Until canvas_clip_all, nothing is drawn outside. */
void canvas_clip(struct canvas *canvas, struct area area);
void canvas_clip_all(struct canvas *canvas);

/* ---- areas */
bool area_holds(struct area area, int x, int y);
struct area area_inset(struct area area, int by);
/* Takes a strip of that size off the side, and makes *rest smaller. */
struct area area_take_top(struct area *rest, int height);
struct area area_take_bottom(struct area *rest, int height);
struct area area_take_left(struct area *rest, int width);
struct area area_take_right(struct area *rest, int width);

#endif
