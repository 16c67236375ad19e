#include "viz/draw/text_box.h"

#include <stdio.h>
#include <string.h>

enum { MARGIN = 10, SHEET_MARGIN = 14, SHADOW = 4, LEAST_WIDTH = 180, MOST_WIDTH = 380, AWAY = 14, LINE_ROOM = 256,
       COLUMN_GAP = 18 };

/* The next line of a text without its line end, or NULL at the end of the text. */
static const char *next_line(const char *text, char line[LINE_ROOM])
{
    size_t length;

    if (!text || *text == '\0')
        return NULL;
    length = strcspn(text, "\n");
    snprintf(line, LINE_ROOM, "%.*s", (int)(length < LINE_ROOM ? length : LINE_ROOM - 1), text);
    return text + length + (text[length] == '\n');
}

static int line_width(struct canvas *canvas, char *line)
{
    char *const tab = strchr(line, '\t');
    int width;

    if (!tab)
        return canvas_text_width(canvas, TEXT_NORMAL, line);
    *tab = '\0';
    width = canvas_text_width(canvas, TEXT_NORMAL, line) + COLUMN_GAP + canvas_text_width(canvas, TEXT_NORMAL, tab + 1);
    *tab = '\t';
    return width;
}

static void draw_line(struct canvas *canvas, const struct theme *theme, struct area area, char *line)
{
    char *const tab = strchr(line, '\t');

    if (tab) {
        *tab = '\0';
        canvas_text(canvas, area_take_right(&area, canvas_text_width(canvas, TEXT_NORMAL, tab + 1) + 1), TEXT_RIGHT,
                    TEXT_NORMAL, theme->text, tab + 1);
        area_take_right(&area, COLUMN_GAP / 2);
    }
    canvas_text(canvas, area, TEXT_LEFT, TEXT_NORMAL, tab ? theme->faint : theme->text, line);
}

/* One line of a paragraph: as many words as fit, at least one. */
static const char *take_words(struct canvas *canvas, enum text_style style, const char *text, int width,
                              char line[LINE_ROOM])
{
    size_t taken = 0;

    line[0] = '\0';
    while (*text == ' ')
        text++;
    while (text[taken] != '\0' && text[taken] != '\n') {
        size_t const gap = strspn(text + taken, " ");
        size_t const word = gap + strcspn(text + taken + gap, " \n");
        char longer[LINE_ROOM];

        if (taken + word >= LINE_ROOM)
            break;
        snprintf(longer, sizeof longer, "%.*s", (int)(taken + word), text);
        if (taken > 0 && canvas_text_width(canvas, style, longer) > width)
            break;
        memcpy(line, longer, sizeof longer);
        taken += word;
    }
    if (taken == 0 && text[0] != '\0' && text[0] != '\n') {      /* one word longer than any line */
        taken = strlen(text) < LINE_ROOM ? strlen(text) : LINE_ROOM - 1;
        snprintf(line, LINE_ROOM, "%.*s", (int)taken, text);
    }
    return text + taken + (text[taken] == '\n');
}

int text_box_paragraph(struct canvas *canvas, struct area area, enum text_style style, struct colour colour,
                       const char *text, bool draws)
{
    int const line_height = canvas_text_height(canvas, style) + 1;
    int height = 0;

    while (text && *text != '\0' && height + line_height <= area.height) {
        char line[LINE_ROOM];

        text = take_words(canvas, style, text, area.width, line);
        if (draws)
            canvas_text(canvas, (struct area){area.x, area.y + height, area.width, line_height}, TEXT_LEFT, style,
                        colour, line);
        height += line_height;
    }
    return height;
}

static int inner_width(struct canvas *canvas, const struct text_box *box)
{
    int width = box->title ? canvas_text_width(canvas, TEXT_STRONG, box->title) : 0;
    const char *rest = box->numbers;
    char line[LINE_ROOM];

    while ((rest = next_line(rest, line))) {
        int const needed = line_width(canvas, line);

        width = needed > width ? needed : width;
    }
    if (box->meaning && width < LEAST_WIDTH + 60)
        width = LEAST_WIDTH + 60;
    return width < LEAST_WIDTH ? LEAST_WIDTH : width > MOST_WIDTH ? MOST_WIDTH : width + 2;
}

static int count_lines(const char *text)
{
    char line[LINE_ROOM];
    int count = 0;

    while ((text = next_line(text, line)))
        count++;
    return count;
}

/* Below and right of the point, or on its other side where the room ends. */
static struct area text_box_place(int x, int y, int width, int height, struct area within)
{
    struct area area = {x + AWAY, y + AWAY, width, height};

    if (area.x + width > within.x + within.width)
        area.x = x - AWAY - width;
    if (area.y + height > within.y + within.height)
        area.y = y - AWAY - height;
    if (area.x < within.x)
        area.x = within.x;
    if (area.y < within.y)
        area.y = within.y;
    return area;
}

struct area text_box_draw(struct canvas *canvas, const struct theme *theme, const struct text_box *box, int x, int y,
                          struct area within)
{
    int const inner = box->width ? box->width - 2 * MARGIN : inner_width(canvas, box);
    int const title = box->title && *box->title ? canvas_text_height(canvas, TEXT_STRONG) + 5 : 0;
    int const line_height = canvas_text_height(canvas, TEXT_NORMAL) + 3;
    int const numbers = count_lines(box->numbers) * line_height;
    struct area const any = {0, 0, inner, within.height / 2};
    int const paragraph = text_box_paragraph(canvas, any, TEXT_SMALL, theme->faint, box->meaning, false);
    int const meaning = paragraph > 0 ? 6 + paragraph : 0;
    struct area const area = text_box_place(x, y, inner + 2 * MARGIN, title + numbers + meaning + 2 * MARGIN, within);
    struct area rest = area_inset(area, MARGIN);
    struct colour const shade = {0, 0, 0, 70};
    const char *numbers_left = box->numbers;
    char line[LINE_ROOM];

    canvas_fill(canvas, (struct area){area.x + 3, area.y + 3, area.width, area.height}, shade);
    canvas_fill(canvas, area, theme->panel);
    canvas_frame(canvas, area, theme->border);
    if (title)
        canvas_text(canvas, area_take_top(&rest, title), TEXT_LEFT, TEXT_STRONG, theme->text, box->title);
    while ((numbers_left = next_line(numbers_left, line)))
        draw_line(canvas, theme, area_take_top(&rest, line_height), line);
    if (meaning) {
        area_take_top(&rest, 6);
        text_box_paragraph(canvas, rest, TEXT_SMALL, theme->faint, box->meaning, true);
    }
    return area;
}

struct area text_box_sheet(struct canvas *canvas, const struct theme *theme, struct area area)
{
    canvas_fill(canvas, (struct area){area.x + SHADOW, area.y + SHADOW, area.width, area.height},
                (struct colour){0, 0, 0, 80});
    canvas_fill_round(canvas, area, 6, theme->panel);
    canvas_frame_round(canvas, area, 6, theme->border);
    return area_inset(area, SHEET_MARGIN);
}

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
