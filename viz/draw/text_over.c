#include "viz/draw/text_over.h"

#define ENOUGH 4.5                       /* contrast of text, WCAG 2 */

struct text_look text_over_choose(const struct theme *theme, const struct filled_box *box, struct colour beside,
                                  int from, int to)
{
    bool const is_readable = palette_contrast(theme->text, box->fill) >= ENOUGH;

    if (from >= box->edge)
        return (struct text_look){beside, false};
    if (to <= box->edge)
        return (struct text_look){palette_text_on(box->fill), false};
    return (struct text_look){theme->text, !is_readable};
}

void text_over_draw(struct canvas *canvas, const struct theme *theme, const struct filled_box *box, struct area line,
                    enum text_side side, enum text_style style, struct colour beside, const char *text)
{
    int const wanted = canvas_text_width(canvas, style, text), height = canvas_text_height(canvas, style);
    int const width = wanted < line.width ? wanted : line.width;
    int const from = side == TEXT_LEFT ? line.x : side == TEXT_RIGHT ? line.x + line.width - width
                                                                     : line.x + (line.width - width) / 2;
    struct text_look const look = text_over_choose(theme, box, beside, from, from + width);

    if (look.has_plate)
        canvas_fill_round(canvas, (struct area){from - 2, line.y + (line.height - height) / 2, width + 4, height}, 3,
                          box->ground);
    canvas_text(canvas, line, side, style, look.colour, text);
}
