#include "viz/state/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *view_memory(struct view *view, enum panel_kind kind, size_t bytes, void (*end)(void *memory))
{
    struct view_memory *const kept = &view->kept[kind];

    if (!kept->memory) {
        kept->memory = calloc(1, bytes);
        kept->end = kept->memory ? end : NULL;
    }
    return kept->memory;
}

bool view_samples(const struct view *view, unsigned index, const uint64_t **before, const uint64_t **words)
{
    struct history const *const history = &view->runs[index].history;
    size_t place;

    if (history->count == 0)
        return false;
    place = view->has_at ? history_find(history, view->at_ps) : history->count - 1;
    if (view->has_at && place == history->count)         /* before the first sample: that one covers it */
        place = 0;
    else if (view->has_at && place + 1 < history->count && history_time_ps(history, place) < view->at_ps)
        place++;                                         /* a sample tells of the time before it */
    *words = history_at(history, place);
    *before = place > 0 ? history_at(history, place - 1) : NULL;
    return true;
}

static const char *core_name(const struct view *view, unsigned run, uint32_t component)
{
    const struct telemetry_component *const of = component != TELEMETRY_NONE
                                                     ? &view->runs[run].layout->components[component] : NULL;

    return of && (of->part == TELEMETRY_CORE || of->part == TELEMETRY_SM) ? of->name : NULL;
}

void view_choose(struct view *view, unsigned run, uint32_t component)
{
    const char *const name = core_name(view, run, component);

    snprintf(view->chosen, sizeof view->chosen, "%s", name ? name : "");
}

const char *view_chosen(const struct view *view)
{
    const char *const found = view->mode == MODE_SEARCH ? core_name(view, 0, view->found) : NULL;

    return found ? found : view->chosen[0] ? view->chosen : NULL;
}

enum { USUAL_COLUMNS = 900 };

static uint32_t component_named(const struct telemetry *layout, const char *name)
{
    for (uint32_t i = 0; name && i < layout->component_count; i++)
        if (strcmp(layout->components[i].name, name) == 0)
            return i;
    return TELEMETRY_NONE;
}

size_t view_requests(const struct view *view, unsigned run, const struct telemetry_request *found[VIEW_REQUESTS],
                     uint64_t *from_ps, uint64_t *to_ps)
{
    uint64_t const half_ps = (view->window.to_ps - view->window.from_ps) / USUAL_COLUMNS / 2;
    const uint64_t *before, *words;

    *from_ps = *to_ps = view->at_ps;
    if (!view_samples(view, run, &before, &words))
        return 0;
    *from_ps = before ? before[TELEMETRY_TIME] : 0;
    *to_ps = words[TELEMETRY_TIME];
    if (*to_ps - *from_ps < 2 * half_ps) {
        *from_ps = view->at_ps > half_ps ? view->at_ps - half_ps : 0;
        *to_ps = view->at_ps + half_ps;
    }
    return requests_find(&view->runs[run].requests, *from_ps, *to_ps,
                         component_named(view->runs[run].layout, view_chosen(view)), found, VIEW_REQUESTS);
}
