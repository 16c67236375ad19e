/* Boxes of text over the panels: a title, lines of numbers, a paragraph that is broken to the width.
 *
 * A line may hold one tab: what is before it stands left, what is after it right. Ownership: texts are borrowed for the
 * call. */
#ifndef VIZ_DRAW_TEXT_BOX_H
#define VIZ_DRAW_TEXT_BOX_H

#include "viz/draw/canvas.h"

struct text_box {
    const char *title, *numbers, *meaning;   /* NULL or empty: left out */
    int width;                               /* of the box; 0: as its lines need it, within limits */
};

/* Near a point, inside `within`; what is drawn is answered. */
struct area text_box_draw(struct canvas *canvas, const struct theme *theme, const struct text_box *box, int x, int y,
                          struct area within);

/* A paragraph from the area's top, at most as high as the area. The answer is its
 * height; with draws false it is only measured. */
int text_box_paragraph(struct canvas *canvas, struct area area, enum text_style style, struct colour colour,
                       const char *text, bool draws);

#endif
