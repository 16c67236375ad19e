#include "viz/state/state.h"

#include <stdlib.h>

#include "base/list.h"

static void thin(struct request_list *list)
{
    size_t kept = 0;

    for (size_t i = 0; i + 1 < list->count; i += 2) {
        struct telemetry_request const *const one = &list->items[i], *const other = one + 1;

        list->items[kept++] = telemetry_request_latency_ps(one) < telemetry_request_latency_ps(other) ? *other : *one;
    }
    list->count = kept;
}

void requests_put(struct request_list *list, const struct telemetry_request *request)
{
    if (list->count == REQUESTS_MOST)
        thin(list);
    if (list_fit(&list->items, list->count + 1, &list->room, sizeof *list->items))
        list->items[list->count++] = *request;
}

/* The first that was answered after that time. */
static size_t first_after(const struct request_list *list, uint64_t time_ps)
{
    size_t low = 0, high = list->count;

    while (low < high) {
        size_t const middle = low + (high - low) / 2;

        if (telemetry_request_end_ps(&list->items[middle]) > time_ps)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

size_t requests_find(const struct request_list *list, uint64_t from_ps, uint64_t to_ps, uint32_t core,
                     const struct telemetry_request **found, size_t most)
{
    size_t count = 0;

    for (size_t i = first_after(list, from_ps); i < list->count; i++) {
        const struct telemetry_request *const request = &list->items[i];
        size_t place = count;

        if (telemetry_request_end_ps(request) > to_ps)
            break;
        if (core != TELEMETRY_NONE && request->core != core)
            continue;
        while (place > 0
               && telemetry_request_latency_ps(found[place - 1]) < telemetry_request_latency_ps(request))
            place--;
        if (place == most)
            continue;
        count += count < most;
        for (size_t j = count - 1; j > place; j--)
            found[j] = found[j - 1];
        found[place] = request;
    }
    return count;
}

void requests_free(struct request_list *list)
{
    free(list->items);
    *list = (struct request_list){0};
}
