/* Text on a box that is filled from the left up to an edge: one colour a text, readable on whatever lies below it.
 *
 * Over the fill it is black or white, beside it as asked for. Where the edge runs below a text, that has the theme's
 * text colour if it is readable on both sides, else a plate of the ground hides the edge.
 * Use: text_over_draw for each text; text_over_choose for what it would do. Ownership: texts are borrowed. */
#ifndef VIZ_DRAW_TEXT_OVER_H
#define VIZ_DRAW_TEXT_OVER_H

#include "viz/draw/canvas.h"

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
