/* The view's own state: runs, time window, the moment shown, the requests to the host.
 *
 * Invariants after every call: window.from_ps < window.to_ps; at most VIEW_RUNS runs; parameter < parameter_count
 * unless parameter_count is 0; texts end with a 0; MODE_VALUE and MODE_PARAMETERS only with parameters. */
#include "viz/view/view.h"

#include <assert.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "viz/panels/panels.h"
#include "viz/view/view_internal.h"

#define HISTORY_BYTES ((size_t)96 << 20)
#define LEAST_SPAN_PS UINT64_C(1000)

enum { ASK_ROOM = sizeof ((struct view *)0)->asked / sizeof(struct view_ask) };

/* Clears everything but `hits`: it is megabytes long, and `hits_clear` resets only the part in use. */
static void view_clear(struct view *view)
{
    memset(view, 0, offsetof(struct view, hits));
    hits_clear(&view->hits);
}

void view_init(struct view *view)
{
    view_clear(view);
    view->window = (struct time_window){.to_ps = LEAST_SPAN_PS, .follows = true, .is_whole = true};
    view->is_dark = true;
    view->layouts = 1;
    view->cycle_ps = LEAST_SPAN_PS;
    view->found = TELEMETRY_NONE;
}

static void free_run(struct view_run *run)
{
    history_free(&run->history);
    if (run->has_old)
        history_free(&run->old);
    requests_free(&run->requests);
    free(run->whole);
    findings_free(&run->findings);
    memset(run, 0, sizeof *run);
}

void view_free(struct view *view)
{
    for (unsigned i = 0; i < view->run_count; i++)
        free_run(&view->runs[i]);
    for (unsigned i = 0; i < PANEL_KINDS; i++) {
        if (view->kept[i].end)
            view->kept[i].end(view->kept[i].memory);
        free(view->kept[i].memory);
    }
    free(view->parameters);
    view_clear(view);
}

struct fault view_add_run(struct view *view, const char *title, const struct telemetry *layout)
{
    struct view_run *const run = &view->runs[view->run_count];

    assert(view->run_count < VIEW_RUNS);
    memset(run, 0, sizeof *run);
    snprintf(run->title, sizeof run->title, "%s", title);
    run->layout = layout;
    FORWARD(history_init(&run->history, layout, HISTORY_BYTES));
    view->run_count++;
    view->layouts++;
    return fault_none();
}

void view_remove_run(struct view *view)
{
    if (view->run_count < VIEW_RUNS)
        return;
    free_run(&view->runs[--view->run_count]);
    view->layouts++;
    view->has_hover = view->has_hover && view->hover.run < view->run_count;
    view->has_pinned = view->has_pinned && view->pinned.run < view->run_count;
    view_update(view);
}

struct fault view_restart_run(struct view *view, unsigned index, const struct telemetry *layout)
{
    struct view_run *const run = &view->runs[index];
    struct history fresh;

    FORWARD(history_init(&fresh, layout, HISTORY_BYTES));
    if (run->has_old)
        history_free(&run->old);
    run->old = run->history;
    run->old_layout = run->layout;
    run->has_old = true;
    run->history = fresh;
    run->layout = layout;
    requests_free(&run->requests);
    view->layouts++;
    run->state = VIEW_RUNNING;
    run->lost = 0;
    view_make_whole(run);
    findings_free(&run->findings);
    view->has_hover = view->has_pinned = view->has_pinned_at = false;
    if (index == 0 && view->found != TELEMETRY_NONE && view->found >= layout->component_count)
        view->found = TELEMETRY_NONE;
    view_update(view);
    return fault_none();
}

void view_forget_old(struct view *view, unsigned run)
{
    if (view->runs[run].has_old)
        history_free(&view->runs[run].old);
    view->runs[run].has_old = false;
    view_update(view);
}

const char *view_state_name(enum view_run_state state)
{
#define STATE_NAME(value, name) [VIEW_##value] = name,
    static const char *const names[] = {VIEW_STATES(STATE_NAME)};
#undef STATE_NAME

    return names[state];
}

bool view_any_run_is(const struct view *view, enum view_run_state state)
{
    for (unsigned i = 0; i < view->run_count; i++)
        if (view->runs[i].state == state)
            return true;
    return false;
}

void view_judge(struct view *view, unsigned run, struct findings *findings)
{
    findings_free(&view->runs[run].findings);
    view->runs[run].findings = *findings;
    *findings = (struct findings){0};
}

void view_note(struct view *view, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(view->note, sizeof view->note, format, arguments);
    va_end(arguments);
}

/* ---- asks */
void view_put_ask(struct view *view, enum view_ask_kind kind, const char *key, const char *value)
{
    struct view_ask *ask;

    if (view->asked_count == ASK_ROOM && kind != VIEW_ASK_QUIT)
        return;
    if (view->asked_count == ASK_ROOM)
        view->asked_count--;
    ask = &view->asked[(view->asked_first + view->asked_count++) % ASK_ROOM];
    *ask = (struct view_ask){.kind = kind};
    snprintf(ask->key, sizeof ask->key, "%s", key ? key : "");
    snprintf(ask->value, sizeof ask->value, "%s", value ? value : "");
}

bool view_ask(struct view *view, struct view_ask *ask)
{
    if (view->asked_count == 0)
        return false;
    *ask = view->asked[view->asked_first];
    view->asked_first = (view->asked_first + 1) % ASK_ROOM;
    view->asked_count--;
    return true;
}

/* ---- time */
/* The newest sample of all runs and of the old ones. */
static uint64_t latest_ps(const struct view *view)
{
    uint64_t end_ps = 0;

    for (unsigned i = 0; i < view->run_count; i++) {
        struct view_run const *const run = &view->runs[i];
        uint64_t const newest_ps = history_end_ps(&run->history);
        uint64_t const old_ps = run->has_old ? history_end_ps(&run->old) : 0;

        end_ps = newest_ps > end_ps ? newest_ps : end_ps;
        end_ps = old_ps > end_ps ? old_ps : end_ps;
    }
    return end_ps;
}

static uint64_t earliest_ps(const struct view *view)
{
    uint64_t begin_ps = UINT64_MAX;

    for (unsigned i = 0; i < view->run_count; i++)
        if (view->runs[i].begin_ps < begin_ps)
            begin_ps = view->runs[i].begin_ps;
    return view->run_count ? begin_ps : 0;
}

static void set_window(struct view *view, double from_ps, double span_ps)
{
    double const begin_ps = (double)earliest_ps(view), end_ps = (double)latest_ps(view);

    if (span_ps < (double)LEAST_SPAN_PS)
        span_ps = (double)LEAST_SPAN_PS;
    if (from_ps + span_ps >= end_ps)
        from_ps = end_ps - span_ps;
    if (from_ps < begin_ps)
        from_ps = begin_ps;
    view->window.from_ps = (uint64_t)from_ps;
    view->window.to_ps = (uint64_t)(from_ps + span_ps + 0.5);
    view->window.follows = from_ps + span_ps >= end_ps;
    view->window.is_whole = view->window.follows && from_ps <= begin_ps;
    view_update(view);
}

void view_zoom(struct view *view, uint64_t about_ps, double factor)
{
    double const span_ps = (double)(view->window.to_ps - view->window.from_ps);
    double const part = ((double)about_ps - (double)view->window.from_ps) / span_ps;
    double wider_ps = span_ps * factor;

    if (wider_ps < (double)LEAST_SPAN_PS)
        wider_ps = (double)LEAST_SPAN_PS;
    set_window(view, (double)about_ps - part * wider_ps, wider_ps);
}

void view_pan(struct view *view, double by_ps)
{
    set_window(view, (double)view->window.from_ps + by_ps, (double)(view->window.to_ps - view->window.from_ps));
}

struct area view_time_axis(const struct view *view, int x, int y)
{
    struct view_layout const layout = view_layout_of(view);
    struct area const panels[] = {layout.strips, layout.heat};

    for (unsigned i = 0; i < 2 * view->run_count; i++) {
        struct area const panel = panels[i % 2];
        struct area axis;

        if (panel.width <= 0 || !area_holds(panel, x, y))
            continue;
        axis = panel_time_area(panel, i / 2, view->run_count);
        if (axis.width > 0 && x >= axis.x && x < axis.x + axis.width)
            return axis;
    }
    return (struct area){0};
}

bool view_time_at(const struct view *view, int x, int y, uint64_t *time_ps)
{
    struct area const axis = view_time_axis(view, x, y);
    double part;

    if (axis.width == 0)
        return false;
    part = (double)(x - axis.x) / axis.width;
    *time_ps = view->window.from_ps + (uint64_t)(part * (double)(view->window.to_ps - view->window.from_ps));
    return true;
}

void view_update(struct view *view)
{
    uint64_t const begin_ps = earliest_ps(view), end_ps = latest_ps(view);
    struct time_window *const window = &view->window;
    uint64_t const span_ps = window->to_ps - window->from_ps;

    for (unsigned i = 0; i < view->run_count; i++)
        view_make_whole(&view->runs[i]);
    if (window->is_whole) {
        window->from_ps = begin_ps;
        window->to_ps = end_ps > begin_ps + LEAST_SPAN_PS ? end_ps : begin_ps + LEAST_SPAN_PS;
    } else if (window->follows) {
        window->to_ps = end_ps > begin_ps + span_ps ? end_ps : begin_ps + span_ps;
        window->from_ps = window->to_ps - span_ps;
    }
    view->has_at = view->mode == MODE_WATCH && view->has_pointer && !(view->is_dragging && view->drag.has_moved)
                   && view_time_at(view, view->pointer_x, view->pointer_y, &view->at_ps);
    if (!view->has_at && view->has_pinned_at) {
        view->has_at = true;
        view->at_ps = view->pinned_ps;
    }
    if (view->has_at)
        return;
    view->at_ps = 0;
    for (unsigned i = 0; i < view->run_count; i++)
        if (history_end_ps(&view->runs[i].history) > view->at_ps)
            view->at_ps = history_end_ps(&view->runs[i].history);
}

/* ---- hovered and pinned elements */
void view_point(struct view *view)
{
    const struct hit *const under = view->has_pointer && !(view->is_dragging && view->drag.has_moved)
                                        ? hits_find(&view->hits, view->pointer_x, view->pointer_y) : NULL;

    view->has_hover = under != NULL;
    if (under)
        view->hover = *under;
    if (!view->has_pinned)
        return;
    for (uint32_t i = view->hits.count; i > 0; i--)
        if (hit_is_same(&view->hits.hits[i - 1], &view->pinned)) {
            view->pinned = view->hits.hits[i - 1];
            return;
        }
}
