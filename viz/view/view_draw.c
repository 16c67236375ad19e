/* One frame: the bar, the panels, the status line, and the boxes over them. All add their pointer areas while they are
 * drawn, so the pointer is looked up afterwards, and boxes are drawn last. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "viz/panels/panels.h"
#include "viz/state/state_figures.h"
#include "viz/view/view.h"
#include "viz/view/view_internal.h"

enum { TEXT_ROOM = 160, CHIP = 9, CORNER = 6 };

static struct colour state_colour(const struct theme *theme, enum view_run_state state)
{
    return state == VIEW_RUNNING ? theme->good : state == VIEW_FAILED ? theme->bad
           : state == VIEW_PAUSED ? theme->highlight : theme->faint;
}

/* Texts of the bar and of the status line. T(value, title, meaning) */
#define BAR_TEXTS(T)                                                                                                  \
    T(TIME, "Simulated time", "The time that diagram and banks show: of the newest sample, of the moment that you "   \
      "point at or click in a chart, or, once the run is over, the length of the whole run.")                         \
    T(SPEED, "Speed", "Simulated time that passes from one frame to the next. Press + or - to change it.")            \
    T(SAMPLES, "Samples", "Samples received so far, from all runs.")                                                  \
    T(LOST, "Lost " \
            "samples", "Samples that the view was too slow to take. Nothing is lost: the next sample includes their " \
                       "counts.")     \
    T(KEYS, "Keys", "Press ? for a list of all keys and of what the pointer does.")                                   \
    T(WINDOW, "Time " \
              "window", "The time that the charts show. Turn the wheel to zoom, drag to move, press Home for the "    \
      "whole run or End for the newest sample, and r to write this time to a file.")                                  \
    T(RECORDING, "Recording", "Samples are being written to a file. Press R to stop.")                                \
    T(HINT, "First keys", "Space pauses, . steps, + and - set the speed, the wheel zooms, dragging moves. Point at "  \
      "anything to see what it is. Press ? for all keys.")

#define BAR_TEXT_VALUE(value, title, meaning) BAR_##value,
enum bar_text { BAR_TEXTS(BAR_TEXT_VALUE) BAR_TEXT_COUNT };
#define BAR_TEXT_LINE(value, title, meaning) {title, meaning},
static const struct { const char *title, *meaning; } bar_texts[BAR_TEXT_COUNT] = {BAR_TEXTS(BAR_TEXT_LINE)};

/* A text at the right end of the bar, which gets narrower. */
static void put_right(const struct panel *panel, struct area *rest, enum text_style style, struct colour colour,
                      enum bar_text what, const char *text)
{
    int const width = canvas_text_width(panel->canvas, style, text) + 1;
    struct area area;
    struct hit *hit;

    if (width > rest->width)
        return;
    area = area_take_right(rest, width);
    canvas_text(panel->canvas, area, TEXT_RIGHT, style, colour, text);
    hit = hits_add_text(&panel->view->hits, area, 0, bar_texts[what].title, bar_texts[what].meaning);
    if (hit)
        snprintf(hit->numbers, sizeof hit->numbers, "%s", text);
    area_take_right(rest, 18);
}

static void speed_text(const struct view *view, char *text, size_t room)
{
    char time[32];

    if (view->speed_ps == 0) {
        snprintf(text, room, "as fast as it runs");
        return;
    }
    figures_time(time, sizeof time, (double)view->speed_ps);
    snprintf(text, room, view->speed_ps == view->cycle_ps ? "one cycle (%s) a frame" : "%s a frame", time);
}

static void draw_title(const struct panel *panel, struct area area, unsigned which)
{
    struct view_run const *const run = &panel->view->runs[which];
    struct area chip = area_take_left(&area, CHIP);
    int width;

    hits_add_text(&panel->view->hits, (struct area){chip.x, chip.y, area.width + CHIP, area.height}, which,
                  view_state_name(run->state), run->title);
    chip = (struct area){chip.x, chip.y + (chip.height - CHIP) / 2, CHIP, CHIP};
    canvas_fill_round(panel->canvas, chip, CHIP / 2.0f, state_colour(panel->theme, run->state));
    area_take_left(&area, 8);
    width = canvas_text_width(panel->canvas, TEXT_TITLE, run->title) + 2;
    canvas_text(panel->canvas, area_take_left(&area, width < area.width - 60 ? width : area.width - 60), TEXT_LEFT,
                TEXT_TITLE, panel->theme->text, run->title);
    area_take_left(&area, 10);
    canvas_text(panel->canvas, area, TEXT_LEFT, TEXT_NORMAL, panel->theme->faint, view_state_name(run->state));
}

static bool shows_whole(const struct view *view)
{
    for (unsigned i = 0; i < view->run_count; i++)
        if (!view_shows_whole(view, i, NULL))
            return false;
    return true;
}

static void draw_bar(const struct panel *panel, struct area area, const struct view_layout *layout)
{
    struct view const *const view = panel->view;
    struct area rest = area;
    char text[TEXT_ROOM], number[64];
    uint64_t samples = 0, lost = 0;

    area_take_left(&rest, VIEW_GAP + 4);
    area_take_right(&rest, VIEW_GAP + 4);
    for (unsigned i = 0; i < view->run_count; i++) {
        samples += view->runs[i].history.put_count;
        lost += view->runs[i].lost;
    }
    figures_time(number, sizeof number, (double)view->at_ps);
    snprintf(text, sizeof text, view->has_at ? "at %s" : shows_whole(view) ? "whole run, %s" : "%s", number);
    put_right(panel, &rest, TEXT_TITLE, view->has_at ? panel->theme->highlight : panel->theme->text,
              BAR_TIME, text);
    speed_text(view, text, sizeof text);
    put_right(panel, &rest, TEXT_NORMAL, panel->theme->faint, BAR_SPEED, text);
    snprintf(text, sizeof text, "%" PRIu64 " sample%s", samples, samples == 1 ? "" : "s");
    put_right(panel, &rest, TEXT_NORMAL, panel->theme->faint, BAR_SAMPLES, text);
    if (lost > 0) {
        snprintf(text, sizeof text, "%" PRIu64 " lost", lost);
        put_right(panel, &rest, TEXT_NORMAL, panel->theme->bad, BAR_LOST, text);
    }
    /* Each above its column. */
    if (view->run_count == VIEW_RUNS) {
        draw_title(panel, area_take_left(&rest, layout->diagram[1].x - rest.x - VIEW_GAP), 0);
        area_take_left(&rest, VIEW_GAP + 4);
    }
    draw_title(panel, rest, view->run_count - 1);
}

static void draw_status(const struct panel *panel, struct area area)
{
    struct view const *const view = panel->view;
    char from[32], to[32], text[TEXT_ROOM];

    area_take_left(&area, VIEW_GAP + 4);
    area_take_right(&area, VIEW_GAP + 4);
    put_right(panel, &area, TEXT_SMALL, panel->theme->faint, BAR_KEYS, "? keys");
    figures_time(from, sizeof from, (double)view->window.from_ps);
    figures_time(to, sizeof to, (double)view->window.to_ps);
    snprintf(text, sizeof text, "%s to %s%s", from, to, view->window.is_whole ? " (whole run)"
                                                         : view->window.follows ? " (follows)" : "");
    put_right(panel, &area, TEXT_SMALL, panel->theme->faint, BAR_WINDOW, text);
    if (view->is_recording)
        put_right(panel, &area, TEXT_SMALL, panel->theme->bad, BAR_RECORDING, "recording");
    if (view->note[0])
        hits_add_text(&panel->view->hits, area, 0, "Message", view->note);
    else
        hits_add_text(&panel->view->hits, area, 0, bar_texts[BAR_HINT].title, bar_texts[BAR_HINT].meaning);
    canvas_text(panel->canvas, area, TEXT_LEFT, TEXT_SMALL, view->note[0] ? panel->theme->highlight
                                                                          : panel->theme->faint,
                view->note[0] ? view->note : "space pauses, . steps, + and - set the speed, wheel and drag move time, "
                                             "point at anything");
}

/* Panels draw on a sheet of their own, over that of the frame before: it covers all but its corners. */
static void draw_sheet(const struct panel *panel, struct area area)
{
    int const right = area.x + area.width - CORNER, bottom = area.y + area.height - CORNER;

    for (unsigned i = 0; i < 4; i++)
        canvas_fill(panel->canvas, (struct area){i % 2 ? right : area.x, i / 2 ? bottom : area.y, CORNER, CORNER},
                    panel->theme->background);
    canvas_fill_round(panel->canvas, area, 4, panel->theme->panel);
}

static void call_panel(struct panel panel, void (*draw)(const struct panel *panel), struct area area, unsigned run)
{
    if (area.width <= 0 || area.height <= 0)
        return;
    draw_sheet(&panel, area);
    canvas_clip(panel.canvas, area);
    panel.area = area;
    panel.run = run;
    draw(&panel);
    canvas_clip_all(panel.canvas);
}

/* The space between panels is kept, unless a box may lie over it. */
static void view_draw_clear(const struct panel *panel, uint64_t frames, const struct view_layout *layout)
{
    struct view *const view = panel->view;
    struct view_drawn const before = view->drawn;
    struct area const all = {0, 0, view->width, view->height};

    view->drawn = (struct view_drawn){frames, all, layout->strips, view->run_count, false};
    if (frames == 0)
        return;
    if (frames != before.frames + 1 || before.has_over || view->run_count != before.run_count
        || memcmp(&all, &before.all, sizeof all) != 0
        || memcmp(&layout->strips, &before.strips, sizeof layout->strips) != 0) {
        canvas_fill(panel->canvas, all, panel->theme->background);
        return;
    }
    canvas_fill(panel->canvas, layout->bar, panel->theme->background);
    canvas_fill(panel->canvas, layout->results, panel->theme->background);
    canvas_fill(panel->canvas, layout->status, panel->theme->background);
}

void view_draw(struct view *view, struct canvas *canvas)
{
    struct panel panel = {.view = view, .canvas = canvas, .theme = palette_theme(view->is_dark)};
    uint64_t const frames = canvas_resume(canvas, panel.theme->background);
    struct view_layout layout;

    view->width = canvas_width(canvas);
    view->height = canvas_height(canvas);
    view_update(view);
    hits_clear(&view->hits);
    for (unsigned i = 0; i < VIEW_SCROLLS; i++)
        view->scrolls[i].most = 0;
    layout = view_layout_of(view);
    view_draw_clear(&panel, frames, &layout);
    if (view->run_count > 0) {
        for (unsigned i = 0; i < view->run_count; i++) {
            call_panel(panel, panel_diagram, layout.diagram[i], i);
            call_panel(panel, panel_banks, layout.banks[i], i);
        }
        call_panel(panel, panel_strips, layout.strips, 0);
        call_panel(panel, panel_heat, layout.heat, 0);
        draw_bar(&panel, layout.bar, &layout);
        view_draw_results(&panel, layout.results, &layout);
        draw_status(&panel, layout.status);
        panel.area = (struct area){0, 0, view->width, view->height};
        view_draw_over(&panel);
        view->drawn.has_over = view->mode != MODE_WATCH || view->has_hover || view->has_pinned;
    }
    canvas_end(canvas);
}
