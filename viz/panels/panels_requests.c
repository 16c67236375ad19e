/* Left the requests that were answered about the moment that is pinned, the slowest first; right the way of the one
 * that is chosen: its legs one below the other, on one axis of time. */
#include "viz/panels/panels.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "viz/draw/text_box.h"
#include "viz/state/state_figures.h"

enum { ROW = 18, LEAST_LEG = 8, TIME_WIDTH = 64, LEG_WIDTH = 210, GAP = 16, TEXT_ROOM = 160, SPLIT = 46 };

/* A leg's colour is a series' of charts: reads, writes and so on have other meanings there, so legs are labelled. */
static struct colour panels_requests_colour_of(const struct panel *panel, const struct telemetry_leg *leg, bool is_back)
{
    const struct telemetry *const layout = panel->view->runs[panel->run].layout;
    enum telemetry_part const part = layout->components[leg->component].part;

    return panel->theme->series[is_back ? 2 : part == TELEMETRY_MEMORY ? 1 : part == TELEMETRY_CORE ? 4 : 0];
}

static void draw_row(const struct panel *panel, struct area line, const struct telemetry_request *request,
                     uint32_t place)
{
    struct view *const view = panel->view;
    const struct telemetry *const layout = view->runs[panel->run].layout;
    bool const is_chosen = place == view->request;
    struct colour const colour = request->is_slow ? panel->theme->text : panel->theme->faint;
    char time[32], source[64], text[TEXT_ROOM];
    struct hit *const hit = hits_add(&view->hits, HIT_REQUEST, line);

    figures_time(time, sizeof time, (double)telemetry_request_latency_ps(request));
    telemetry_request_source(request, layout, source, sizeof source);
    snprintf(text, sizeof text, "%.20s %s 0x%" PRIx64, layout->components[request->core].name,
             request->is_write ? "store" : "load", request->address);
    if (hit) {
        hit->run = panel->run;
        hit->element = place;
        snprintf(hit->title, sizeof hit->title, "%.90s", text);
        snprintf(hit->numbers, sizeof hit->numbers, "took\t%s\nanswered by\t%s", time, source);
        hit->meaning = request->is_slow ? "One of the slowest requests between two samples."
                                        : "A random request between two samples, as an example of a usual one.";
    }
    if (is_chosen) {
        struct colour behind = panel->theme->highlight;

        behind.alpha = 40;
        canvas_fill_round(panel->canvas, line, 3, behind);
    }
    area_take_left(&line, 6);
    area_take_right(&line, 6);
    canvas_text(panel->canvas, area_take_left(&line, TIME_WIDTH), TEXT_RIGHT, TEXT_STRONG, colour, time);
    area_take_left(&line, 10);
    canvas_text(panel->canvas, area_take_right(&line, line.width * 44 / 100), TEXT_LEFT, TEXT_SMALL, colour, source);
    canvas_text(panel->canvas, line, TEXT_LEFT, TEXT_SMALL, colour, text);
}

static void draw_list(const struct panel *panel, struct area area, const struct telemetry_request *const *found,
                      size_t count)
{
    size_t const rows = area.height > ROW ? (size_t)(area.height / ROW) : 1;
    size_t const first = panel->view->request >= rows ? panel->view->request - rows + 1 : 0;

    for (size_t i = first; i < count && i < first + rows; i++)
        draw_row(panel, area_take_top(&area, ROW), found[i], (uint32_t)i);
}

static void draw_leg(const struct panel *panel, struct area line, const struct telemetry_leg *leg,
                     const struct telemetry_request *request, bool is_back)
{
    uint64_t const start_ps = telemetry_request_start_ps(request);
    double const whole_ps = (double)telemetry_request_latency_ps(request);
    struct area const label = area_take_left(&line, line.width * 2 / 5 < LEG_WIDTH ? line.width * 2 / 5 : LEG_WIDTH);
    struct area bar;
    char time[32];
    struct hit *hit;

    figures_time(time, sizeof time, (double)(leg->to_ps - leg->from_ps));
    hit = hits_add_text(&panel->view->hits, (struct area){label.x, line.y, label.width + line.width, line.height},
                        panel->run, leg->text, "A part of the request's path: where it was, and for how long.");
    if (hit)
        snprintf(hit->numbers, sizeof hit->numbers, "%s", time);
    canvas_text(panel->canvas, label, TEXT_LEFT, TEXT_SMALL, panel->theme->text, leg->text);
    canvas_text(panel->canvas, area_take_right(&line, TIME_WIDTH), TEXT_RIGHT, TEXT_SMALL, panel->theme->faint, time);
    area_take_left(&line, 8);
    area_take_right(&line, 4);
    bar.x = line.x + (int)((double)(leg->from_ps - start_ps) / whole_ps * line.width);
    bar.width = line.x + (int)((double)(leg->to_ps - start_ps) / whole_ps * line.width) - bar.x;
    bar.width = bar.width > 1 ? bar.width : 1;
    bar.y = line.y + 3;
    bar.height = line.height > 8 ? line.height - 6 : 2;
    canvas_fill(panel->canvas, (struct area){line.x, line.y + line.height - 1, line.width, 1}, panel->theme->grid);
    canvas_fill_round(panel->canvas, bar, 2, panels_requests_colour_of(panel, leg, is_back));
}

static void draw_way(const struct panel *panel, struct area area, const struct telemetry_request *request)
{
    const struct telemetry *const layout = panel->view->runs[panel->run].layout;
    struct telemetry_leg legs[TELEMETRY_MOST_STOPS];
    unsigned const count = telemetry_request_legs(request, layout, legs);
    char time[32], text[TEXT_ROOM];
    int height;

    figures_time(time, sizeof time, (double)telemetry_request_start_ps(request));
    snprintf(text, sizeof text, "%.20s %s 0x%" PRIx64 ", sent at %s", layout->components[request->core].name,
             request->is_write ? "stores" : "loads", request->address, time);
    canvas_text(panel->canvas, area_take_top(&area, ROW), TEXT_LEFT, TEXT_STRONG, panel->theme->text, text);
    if (count == 0)
        return;
    height = area.height / (int)count < ROW ? area.height / (int)count : ROW;
    height = height > LEAST_LEG ? height : LEAST_LEG;
    for (unsigned i = 0; i < count && area.height >= height; i++)
        draw_leg(panel, area_take_top(&area, height), &legs[i], request, strncmp(legs[i].text, "back", 4) == 0);
}

static const char *nothing_of(const struct view *view, unsigned run)
{
    return view->is_following || view->runs[run].requests.count > 0
           ? "None of the traced requests completed in that time."
           : view->can_follow ? "Requests are not traced yet. Press Enter to restart the run with request tracing: "
                                "it keeps the slowest requests between two samples, and some random ones."
           : "No requests were traced. Use rubato view SYSTEM TRACES --requests, or replay --record FILE "
             "--requests.";
}

void panel_requests(const struct panel *panel)
{
    struct view *const view = panel->view;
    const struct telemetry_request *found[VIEW_REQUESTS];
    uint64_t from_ps, to_ps;
    size_t const count = view_requests(view, panel->run, found, &from_ps, &to_ps);
    const char *const chosen = view_chosen(view);
    struct area rest = panel->area, list, foot;
    char from[32], to[32], text[TEXT_ROOM];

    hits_add_text(&view->hits, rest, panel->run, "Requests", "Loads and stores that were traced from the core to "
                  "their response: the slowest between two samples, and some random ones.");
    rest = text_box_sheet(panel->canvas, panel->theme, rest);
    figures_time(from, sizeof from, (double)from_ps);
    figures_time(to, sizeof to, (double)to_ps);
    snprintf(text, sizeof text, "Requests%s%.40s completed from %s to %s, slowest first", chosen ? " of " : "",
             chosen ? chosen : "", from, to);
    canvas_text(panel->canvas, area_take_top(&rest, canvas_text_height(panel->canvas, TEXT_TITLE) + 4), TEXT_LEFT,
                TEXT_TITLE, panel->theme->text, text);
    foot = area_take_bottom(&rest, 16);
    canvas_text(panel->canvas, foot, TEXT_LEFT, TEXT_SMALL, panel->theme->faint,
                "Up and down choose a request, left and right go to the previous and next sample, Esc closes.");
    if (count == 0) {
        area_take_top(&rest, 8);
        text_box_paragraph(panel->canvas, rest, TEXT_NORMAL, panel->theme->text, nothing_of(view, panel->run), true);
        return;
    }
    area_take_top(&rest, 6);
    list = area_take_left(&rest, (rest.width - GAP) * SPLIT / 100);
    area_take_left(&rest, GAP);
    draw_list(panel, list, found, count);
    draw_way(panel, rest, found[view->request < count ? view->request : count - 1]);
}
