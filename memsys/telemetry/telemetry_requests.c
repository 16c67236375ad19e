/* A leg is named by the stops at its two ends. A cache looks a request up from its miss on, which it counts in the tick
 * in which the bus above took the request: the time on that bus is part of the cache's leg. */
#include "memsys/telemetry/telemetry_requests.h"

#include <inttypes.h>
#include <stdio.h>

#define STOP_NAME(value, name) name,
static const char *const stop_names[TELEMETRY_STOP_COUNT] = {TELEMETRY_STOPS(STOP_NAME)};
#undef STOP_NAME

const char *telemetry_stop_name(enum telemetry_stop_kind kind)
{
    return stop_names[kind];
}

bool telemetry_request_is_sound(const struct telemetry_request *request, const struct telemetry *layout)
{
    uint32_t const count = request->stop_count;

    if (count < 2 || count > TELEMETRY_MOST_STOPS || request->core >= layout->component_count
        || request->stops[0].component != request->core || request->stops[0].kind != TELEMETRY_STOP_SEND
        || request->stops[count - 1].component != request->core
        || request->stops[count - 1].kind != TELEMETRY_STOP_RECEIVE)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (request->stops[i].component >= layout->component_count || request->stops[i].kind >= TELEMETRY_STOP_COUNT
            || (i > 0 && request->stops[i].time_ps < request->stops[i - 1].time_ps))
            return false;
    return true;
}

uint32_t telemetry_bus_above(const struct telemetry *layout, uint32_t component)
{
    for (uint32_t i = 0; i < layout->link_count; i++)
        if (layout->links[i].to == component && layout->components[layout->links[i].from].part == TELEMETRY_BUS)
            return layout->links[i].from;
    return TELEMETRY_NONE;
}

static const char *telemetry_requests_name_of(const struct telemetry *layout, uint32_t component)
{
    return layout->components[component].name;
}

/* "l2, by tol2bus" */
static void put_place(const struct telemetry *layout, uint32_t component, const char *what, char *text)
{
    uint32_t const bus = telemetry_bus_above(layout, component);

    if (bus == TELEMETRY_NONE)
        snprintf(text, TELEMETRY_LEG_TEXT, "%.40s%s", telemetry_requests_name_of(layout, component), what);
    else
        snprintf(text, TELEMETRY_LEG_TEXT, "%.24s, %.30s%s", telemetry_requests_name_of(layout, bus),
                 telemetry_requests_name_of(layout, component), what);
}

/* The component that answers the requests of another, if only one can. */
static uint32_t only_below(const struct telemetry *layout, uint32_t component)
{
    uint32_t found = TELEMETRY_NONE;

    for (uint32_t i = 0; i < layout->link_count; i++) {
        if (layout->links[i].from != component)
            continue;
        if (found != TELEMETRY_NONE)
            return TELEMETRY_NONE;
        found = layout->links[i].to;
    }
    if (found != TELEMETRY_NONE && layout->components[found].part == TELEMETRY_BUS)
        return only_below(layout, found);
    return found;
}

static void name_answer(const struct telemetry *layout, uint32_t component, char *text)
{
    uint32_t const below = only_below(layout, component);

    if (layout->components[component].part == TELEMETRY_CORE)
        snprintf(text, TELEMETRY_LEG_TEXT, "L1 of %.40s: hit", telemetry_requests_name_of(layout, component));
    else if (below != TELEMETRY_NONE)
        put_place(layout, below, layout->components[below].part == TELEMETRY_CACHE ? ": hit" : "", text);
    else
        snprintf(text, TELEMETRY_LEG_TEXT, "below %.40s", telemetry_requests_name_of(layout, component));
}

static void name_leg(const struct telemetry_request *request, const struct telemetry *layout,
                     const struct telemetry_stop *from, const struct telemetry_stop *to, char *text)
{
    switch (from->kind) {
    case TELEMETRY_STOP_MISS:
        put_place(layout, from->component, to->kind == TELEMETRY_STOP_SEND ? ": miss" : "", text);
        break;
    case TELEMETRY_STOP_MERGE:
        put_place(layout, from->component, ": joins a miss", text);
        break;
    case TELEMETRY_STOP_ACCESS:
        put_place(layout, from->component, to->kind == TELEMETRY_STOP_COMMAND ? ": queue" : "", text);
        break;
    case TELEMETRY_STOP_COMMAND:
        snprintf(text, TELEMETRY_LEG_TEXT, "rank %" PRIu32 " bank %" PRIu32 ", row %" PRIu64 ": %s", request->rank,
                 request->bank, request->row, request->is_row_hit ? "was open" : "opened");
        break;
    case TELEMETRY_STOP_SEND:
        if (to->kind == TELEMETRY_STOP_RECEIVE && to->component == from->component) {
            name_answer(layout, from->component, text);
            break;
        }
        snprintf(text, TELEMETRY_LEG_TEXT, "%.30s to %.30s", telemetry_requests_name_of(layout, from->component),
                 telemetry_requests_name_of(layout, to->component));
        break;
    case TELEMETRY_STOP_READY:
    case TELEMETRY_STOP_RECEIVE:
    case TELEMETRY_STOP_COUNT:
        snprintf(text, TELEMETRY_LEG_TEXT, "back from %.30s to %.30s", telemetry_requests_name_of(layout,
                                                                                                  from->component),
                 telemetry_requests_name_of(layout, to->component));
        break;
    }
}

unsigned telemetry_request_legs(const struct telemetry_request *request, const struct telemetry *layout,
                                struct telemetry_leg *legs)
{
    unsigned count = 0;

    for (uint32_t i = 0; i + 1 < request->stop_count; i++) {
        const struct telemetry_stop *const from = &request->stops[i], *const to = from + 1;

        if (from->time_ps == to->time_ps)
            continue;
        legs[count] = (struct telemetry_leg){from->time_ps, to->time_ps, from->component, ""};
        name_leg(request, layout, from, to, legs[count++].text);
    }
    return count;
}

void telemetry_request_source(const struct telemetry_request *request, const struct telemetry *layout, char *text,
                              size_t room)
{
    const struct telemetry_stop *deepest = &request->stops[0];
    uint32_t below;

    for (uint32_t i = 1; i < request->stop_count && request->stops[i].kind != TELEMETRY_STOP_RECEIVE; i++)
        deepest = &request->stops[i];
    below = only_below(layout, deepest->component);
    if (request->has_burst)
        snprintf(text, room, "%.30s, row %s", telemetry_requests_name_of(layout, deepest->component),
                 request->is_row_hit ? "hit" : "miss");
    else if (deepest->kind == TELEMETRY_STOP_MERGE)
        snprintf(text, room, "%.30s, joins a miss", telemetry_requests_name_of(layout, deepest->component));
    else if (deepest->kind == TELEMETRY_STOP_ACCESS)
        snprintf(text, room, "%.30s", telemetry_requests_name_of(layout, deepest->component));
    else if (layout->components[deepest->component].part == TELEMETRY_CORE)
        snprintf(text, room, "L1 hit");
    else if (below != TELEMETRY_NONE)
        snprintf(text, room, "%.30s%s", telemetry_requests_name_of(layout, below),
                 layout->components[below].part == TELEMETRY_CACHE ? " hit" : "");
    else
        snprintf(text, room, "below %.30s", telemetry_requests_name_of(layout, deepest->component));
}
