#include "viz/state/state.h"

#include <stdio.h>
#include <stdlib.h>

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
