/* Overlays above the panels: boxes of the hovered and the pinned element, the search, the parameters, the keys. */
#include <math.h>
#include <stdio.h>

#include "viz/draw/text_box.h"
#include "viz/panels/panels.h"
#include "viz/state/state_figures.h"
#include "viz/view/keys.h"
#include "viz/view/view.h"
#include "viz/view/view_internal.h"

enum { ROW = 22, MARGIN = 14, TEXT_ROOM = 200, FOUND_ROWS = 8 };

static struct colour faded(struct colour colour, unsigned alpha)
{
    colour.alpha = (uint8_t)alpha;
    return colour;
}

/* Between bar and status line. */
static struct area middle(const struct panel *panel)
{
    struct area all = panel->area;

    area_take_top(&all, VIEW_BAR);
    area_take_bottom(&all, VIEW_STATUS);
    return area_inset(all, VIEW_GAP);
}

/* A sheet of that size in the middle, with a title. The answer is the room below that. */
static struct area draw_sheet(const struct panel *panel, struct area area, const char *title)
{
    area = text_box_sheet(panel->canvas, panel->theme, area);
    canvas_text(panel->canvas, area_take_top(&area, canvas_text_height(panel->canvas, TEXT_TITLE) + 4), TEXT_LEFT,
                TEXT_TITLE, panel->theme->text, title);
    area_take_top(&area, 6);
    return area;
}

static struct area centred(struct area within, int width, int height)
{
    width = width < within.width ? width : within.width;
    height = height < within.height ? height : within.height;
    return (struct area){within.x + (within.width - width) / 2, within.y + (within.height - height) / 2, width, height};
}

/* ---- keys */
static void draw_help(const struct panel *panel)
{
    struct area rest;
    int const height = 2 * MARGIN + 34 + VIEW_KEY_ACTIONS * ROW;
    struct area const area = centred(middle(panel), 700, height);
    int const row = height > area.height ? (area.height - 2 * MARGIN - 34) / VIEW_KEY_ACTIONS : ROW;

    rest = draw_sheet(panel, area, "Keys and pointer");
    for (unsigned i = 0; i < VIEW_KEY_ACTIONS; i++) {
        struct area line = area_take_top(&rest, row);

        canvas_text(panel->canvas, area_take_left(&line, 90), TEXT_LEFT, TEXT_STRONG, panel->theme->highlight,
                    view_key_lines[i].shown);
        canvas_text(panel->canvas, line, TEXT_LEFT, TEXT_NORMAL, panel->theme->text, view_key_lines[i].help);
    }
}

/* ---- search */
/* A page of the components found, each with its activity. */
static void draw_found(const struct panel *panel, struct area rest)
{
    struct view const *const view = panel->view;
    const struct telemetry *const layout = view->runs[0].layout;
    const uint64_t *before, *words;
    bool const has_samples = view_samples(view, 0, &before, &words);
    uint32_t const first = view->found_place - view->found_place % FOUND_ROWS;
    uint32_t place = 0;

    for (uint32_t i = 0; i < layout->component_count && place < first + FOUND_ROWS; i++) {
        struct area line;
        char text[TEXT_ROOM];
        double busy;

        if (!view_search_finds(view, i) || place++ < first)
            continue;
        line = area_take_top(&rest, ROW);
        if (i == view->found)
            canvas_fill_round(panel->canvas, line, 3, faded(panel->theme->highlight, 40));
        area_take_left(&line, 6);
        area_take_right(&line, 6);
        busy = has_samples ? figures_of(layout, i, before, words).busy : (double)NAN;
        if (!isnan(busy)) {
            figures_percent(text, sizeof text, busy);
            canvas_text(panel->canvas, line, TEXT_RIGHT, TEXT_NORMAL, panel->theme->faint, text);
        }
        canvas_text(panel->canvas, line, TEXT_LEFT, TEXT_NORMAL, panel->theme->text, layout->components[i].name);
    }
}

static void draw_search(const struct panel *panel)
{
    struct view const *const view = panel->view;
    struct area const within = middle(panel);
    uint32_t const rows = view->found_count < FOUND_ROWS ? view->found_count : FOUND_ROWS;
    struct area rest = {within.x + within.width / 2 - 200, within.y + 24, 400, 100 + (int)rows * ROW};
    char text[TEXT_ROOM];

    hits_add_text(&panel->view->hits, rest, 0, "Find a component", "Type a part of a name. Up and down choose a "
                  "match, Enter selects it, Esc closes. The numbers show how busy each component is.");
    rest = draw_sheet(panel, rest, "Find a component");
    snprintf(text, sizeof text, "%s|", view->search);
    canvas_text(panel->canvas, area_take_top(&rest, ROW), TEXT_LEFT, TEXT_STRONG, panel->theme->highlight, text);
    if (view->found != TELEMETRY_NONE)
        snprintf(text, sizeof text, "%u of %u", view->found_place + 1, view->found_count);
    else
        snprintf(text, sizeof text, "%s", view->search[0] ? "no component has this in its name"
                                                          : "type a part of its name");
    canvas_text(panel->canvas, area_take_top(&rest, ROW), TEXT_LEFT, TEXT_NORMAL, panel->theme->faint, text);
    if (view->found != TELEMETRY_NONE)
        draw_found(panel, rest);
}

/* ---- parameters */
/* Draws the selection behind a text that is aligned right in its field. */
static void draw_selection(const struct panel *panel, struct area field, const char *text)
{
    int const width = canvas_text_width(panel->canvas, TEXT_STRONG, text) + 4;
    struct area const behind = {field.x + field.width - width + 2, field.y, width, field.height};

    canvas_fill_round(panel->canvas, behind, 2, faded(panel->theme->highlight, 110));
}

static void draw_parameter(const struct panel *panel, struct area line, size_t which)
{
    struct view *const view = panel->view;
    struct view_parameter const *const parameter = &view->parameters[which];
    bool const is_chosen = which == view->parameter;
    bool const is_edited = is_chosen && view->mode == MODE_VALUE, is_wanted = parameter->wanted[0] != '\0';
    struct area field;
    struct hit *const hit = hits_add(&view->hits, HIT_PARAMETER, line);
    char text[TEXT_ROOM];

    if (hit) {
        hit->element = (uint32_t)which;
        snprintf(hit->title, sizeof hit->title, "%s", parameter->key);
        snprintf(hit->numbers, sizeof hit->numbers, "%s", parameter->value);
        hit->meaning = parameter->help;
    }
    if (is_chosen)
        canvas_fill_round(panel->canvas, line, 3, faded(panel->theme->highlight, 40));
    area_take_left(&line, 6);
    area_take_right(&line, 6);
    if (is_edited && parameter->choices)
        snprintf(text, sizeof text, "\u2039 %s| \u203a", view->typed);
    else
        snprintf(text, sizeof text, is_edited ? "%s|" : "%s",
                 is_edited ? view->typed : is_wanted ? parameter->wanted : parameter->value);
    field = area_take_right(&line, line.width * 45 / 100);
    if (is_edited && view->is_all_selected)
        draw_selection(panel, field, text);
    canvas_text(panel->canvas, field, TEXT_RIGHT, TEXT_STRONG,
                is_edited || is_wanted ? panel->theme->highlight : panel->theme->text, text);
    canvas_text(panel->canvas, line, TEXT_LEFT, TEXT_NORMAL, panel->theme->text, parameter->key);
}

/* The listed ones, as many as there are rows: from the chosen one's page. */
static void draw_listed(const struct panel *panel, struct area rest)
{
    struct view const *const view = panel->view;
    size_t const rows = rest.height > ROW ? (size_t)(rest.height / ROW) : 1;
    size_t listed = 0, before = 0, place = 0, first;

    for (size_t i = 0; i < view->parameter_count; i++)
        if (view_parameter_is_listed(view, i)) {
            listed++;
            before += i < view->parameter;
        }
    first = before >= rows ? before - rows + 1 : 0;
    if (listed == 0)
        canvas_text(panel->canvas, area_take_top(&rest, ROW), TEXT_LEFT, TEXT_NORMAL, panel->theme->faint,
                    "no parameter has this in its name");
    for (size_t i = 0; i < view->parameter_count; i++) {
        if (!view_parameter_is_listed(view, i))
            continue;
        if (place >= first && place < first + rows)
            draw_parameter(panel, area_take_top(&rest, ROW), i);
        place++;
    }
}

static void draw_filter(const struct panel *panel, struct area line)
{
    struct view const *const view = panel->view;
    char text[TEXT_ROOM];

    snprintf(text, sizeof text, "%s|", view->filter);
    if (view->is_all_selected && view->mode == MODE_PARAMETERS) {
        struct area const behind = {line.x - 2, line.y, canvas_text_width(panel->canvas, TEXT_STRONG, text) + 4,
                                    line.height};

        canvas_fill_round(panel->canvas, behind, 2, faded(panel->theme->highlight, 110));
    }
    canvas_text(panel->canvas, line, TEXT_LEFT, TEXT_STRONG,
                view->filter_is_kept ? panel->theme->faint : panel->theme->highlight, text);
    if (view->filter[0] == '\0')
        canvas_text(panel->canvas, (struct area){line.x + 10, line.y, line.width - 10, line.height}, TEXT_LEFT,
                    TEXT_NORMAL, panel->theme->faint, "type a part of a name");
}

static void draw_parameters(const struct panel *panel)
{
    struct view const *const view = panel->view;
    struct area within = middle(panel);
    struct area rest = area_take_right(&within, within.width < 400 ? within.width : 400);
    struct area foot;

    hits_add_text(&panel->view->hits, rest, 0, "Parameters", "Parameters of the system. A new value restarts "
                  "the run; the charts keep the curve of the previous run for comparison.");
    rest = draw_sheet(panel, rest, "Parameters");
    foot = area_take_bottom(&rest, view->problem[0] ? 150 : 94);
    draw_filter(panel, area_take_top(&rest, ROW));
    area_take_top(&rest, 4);
    draw_listed(panel, rest);
    area_take_top(&foot, 8);
    if (view->problem[0]) {
        text_box_paragraph(panel->canvas, area_take_top(&foot, 76), TEXT_SMALL, panel->theme->bad, view->problem,
                           true);
        text_box_paragraph(panel->canvas, foot, TEXT_SMALL, panel->theme->faint,
                           "Type another value, Enter tries it, Esc gives up the change.", true);
        return;
    }
    text_box_paragraph(panel->canvas, area_take_top(&foot, 34), TEXT_SMALL, panel->theme->text,
                       view_parameter_is_listed(view, view->parameter) ? view->parameters[view->parameter].help : "",
                       true);
    text_box_paragraph(panel->canvas, foot, TEXT_SMALL, panel->theme->faint,
                       view->mode == MODE_VALUE
                           ? "Type a value, or press left or right. Enter restarts with it, Tab goes on to the next "
                             "one and keeps it till then, Ctrl+Enter compares, Esc cancels."
                           : "Type to filter the list. Up, down and Tab choose, Enter edits, Esc closes.", true);
}

/* ---- requests: over the diagrams, so that the charts stay to be clicked at */
static void draw_requests(const struct panel *panel)
{
    struct view_layout const layout = view_layout(panel->view->width, panel->view->height, panel->view->run_count,
                                                  panel_strips_height(panel->view));
    struct panel requests = *panel;

    requests.run = panel->view->request_run;
    requests.area = (struct area){layout.strips.x, layout.diagram[0].y, layout.strips.width,
                                  layout.strips.y - VIEW_GAP - layout.diagram[0].y};
    panel_requests(&requests);
}

/* ---- boxes of hovered and pinned elements */
static void draw_box(const struct panel *panel, const struct hit *hit, int x, int y, bool is_pinned)
{
    struct text_box const box = {.title = hit->title, .numbers = hit->numbers, .meaning = hit->meaning};
    struct area const drawn = text_box_draw(panel->canvas, panel->theme, &box, x, y, middle(panel));

    if (is_pinned)
        canvas_frame(panel->canvas, drawn, panel->theme->highlight);
}

static void draw_boxes(const struct panel *panel)
{
    struct view const *const view = panel->view;

    if (view->has_pinned) {
        struct area const area = view->pinned.area;

        canvas_frame(panel->canvas, area, panel->theme->highlight);
        draw_box(panel, &view->pinned, area.x + area.width - 8, area.y + area.height / 2, true);
    }
    if (view->has_hover && !(view->has_pinned && hit_is_same(&view->pinned, &view->hover))
        && (view->hover.title[0] || view->hover.numbers[0]))
        draw_box(panel, &view->hover, view->pointer_x, view->pointer_y, false);
}

/* The pointer finds elements on a sheet instead of those below it, so it is looked up after sheets are drawn. */
void view_draw_over(const struct panel *panel)
{
    switch (panel->view->mode) {
    case MODE_PARAMETERS: case MODE_VALUE: draw_parameters(panel); break;
    case MODE_SEARCH: draw_search(panel); break;
    case MODE_METRICS: view_draw_metrics(panel, middle(panel)); break;
    case MODE_HELP: draw_help(panel); break;
    case MODE_REQUESTS: draw_requests(panel); break;
    case MODE_WATCH: break;
    }
    view_point(panel->view);
    if (panel->view->mode != MODE_SEARCH && panel->view->mode != MODE_HELP)
        draw_boxes(panel);
}
