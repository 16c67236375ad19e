/* Keys and the pointer while requests of a moment are shown. */
#include "viz/panels/panels.h"
#include "viz/panels/strip_rows.h"
#include "viz/view/view_internal.h"

void view_begin_requests(struct view *view, unsigned run)
{
    view->mode = MODE_REQUESTS;
    view->request = 0;
    view->request_run = run < view->run_count ? run : 0;
    if (!view->has_pinned_at) {
        view->pinned_ps = view->at_ps;
        view->has_pinned_at = true;
    }
    view->has_pinned = false;
}

/* The sample before the moment, or after it. */
static void walk(struct view *view, bool goes_on)
{
    const struct history *const history = &view->runs[view->request_run].history;
    size_t place = history_find(history, view->pinned_ps);

    if (history->count == 0)
        return;
    if (place == history->count)
        place = 0;
    else if (history_time_ps(history, place) < view->pinned_ps && place + 1 < history->count)
        place++;                         /* the sample that covers the moment */
    if (goes_on)
        place += place + 1 < history->count;
    else
        place -= place > 0;
    view->pinned_ps = history_time_ps(history, place);
    view->request = 0;
}

void view_key_requests(struct view *view, uint32_t key)
{
    const struct telemetry_request *found[VIEW_REQUESTS];
    uint64_t from_ps, to_ps;
    uint32_t const count = (uint32_t)view_requests(view, view->request_run, found, &from_ps, &to_ps);

    switch (key) {
    case VIEW_KEY_ESCAPE: case 'l': view->mode = MODE_WATCH; break;
    case 'q': view_put_ask(view, VIEW_ASK_QUIT, NULL, NULL); break;
    case 's': view_put_ask(view, VIEW_ASK_PNG, NULL, NULL); break;
    case VIEW_KEY_UP: view->request -= view->request > 0; break;
    case VIEW_KEY_DOWN: view->request += view->request + 1 < count; break;
    case VIEW_KEY_HOME: view->request = 0; break;
    case VIEW_KEY_END: view->request = count ? count - 1 : 0; break;
    case VIEW_KEY_LEFT: walk(view, false); break;
    case VIEW_KEY_RIGHT: walk(view, true); break;
    case VIEW_KEY_ENTER:
        if (view->can_follow && !view->is_following) {
            view->mode = MODE_WATCH;
            view_put_ask(view, VIEW_ASK_FOLLOW, NULL, NULL);
        }
        break;
    default: break;
    }
}

bool view_click_requests(struct view *view, const struct hit *hit)
{
    uint64_t time_ps;

    if (view->mode != MODE_REQUESTS)
        return false;
    if (hit && hit->kind == HIT_REQUEST) {
        view->request = hit->element;
    } else if (view_time_at(view, view->pointer_x, view->pointer_y, &time_ps)) {
        view->pinned_ps = time_ps;
        view->has_pinned_at = true;
        view->request = 0;
    }
    return true;
}

void view_clicked_chart(struct view *view, const struct hit *hit)
{
    bool const is_latency = hit->kind == HIT_CHART && hit->element == STRIP_LATENCY;

    if (!is_latency || !view->has_pinned_at)
        return;
    if (view->runs[hit->run].requests.count > 0)
        view_begin_requests(view, hit->run);
    else if (view->can_follow && !view->is_following)
        view_note(view, "press l to list the requests of that moment");
}
