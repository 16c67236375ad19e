/* Boxes of text over the panels: a title, lines of numbers, a paragraph that is broken to the width.
 *
 * A line may hold one tab: the text before it is aligned left, the text after it right. Ownership: texts are borrowed
 * for the call. */
#ifndef VIZ_DRAW_TEXT_BOX_H
#define VIZ_DRAW_TEXT_BOX_H

#include "viz/draw/canvas.h"

struct text_box {
    const char *title, *numbers, *meaning;   /* NULL or empty: left out */
    int width;                               /* of the box; 0: as its lines need it, within limits */
};

/* Draws the box near a point, inside `within`. Returns the area drawn. */
struct area text_box_draw(struct canvas *canvas, const struct theme *theme, const struct text_box *box, int x, int y,
                          struct area within);

/* A sheet with a shadow, over all that was drawn before. Returns the room inside its margins. */
struct area text_box_sheet(struct canvas *canvas, const struct theme *theme, struct area area);

/* A paragraph from the area's top, at most as high as the area. The answer is its
 * height; with draws false it is only measured. */
int text_box_paragraph(struct canvas *canvas, struct area area, enum text_style style, struct colour colour,
                       const char *text, bool draws);

/* Text on a box that is filled from the left up to an edge: one colour a text, readable on any background.
 *
 * Over the fill it is black or white, beside it as asked for. Where the edge runs below a text, that has the theme's
 * text colour if it is readable on both sides, else a plate of the ground hides the edge.
 * Use: text_over_draw for each text; text_over_choose for its choice without drawing. Ownership: texts are
 * borrowed. */

struct filled_box {
    int edge;                            /* x of the first point that is not filled */
    struct colour fill, ground;          /* before the edge, and behind it */
};

struct text_look {
    struct colour colour;
    bool has_plate;
};

/* Of a text from point `from` to before `to`. */
struct text_look text_over_choose(const struct theme *theme, const struct filled_box *box, struct colour beside,
                                  int from, int to);
void text_over_draw(struct canvas *canvas, const struct theme *theme, const struct filled_box *box, struct area line,
                    enum text_side side, enum text_style style, struct colour beside, const char *text);

#endif
