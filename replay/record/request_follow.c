/* A line of the log is written when its action is complete, so the miss of an L2 comes before the send of the L1 that
 * caused it. Lines of the present tick are therefore kept: when a request was sent, they hold the events of its cache
 * line at the next component.
 *
 * An event of a line at a component is a stop of a request only if the request can have reached that component: a
 * miss, a merge, an access only straight behind the send of a neighbour above (buses between them aside), a send only
 * behind the miss at the same component, an answer only where the request was. So misses of other cores to the line do
 * not count. Requests under way are found by their line. */
#include "replay/record/request_follow.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "memsys/telemetry/names.h"

enum { MOST_ACTIVE = 1 << 13, BUCKETS = 1 << 13, NAMES = 1 << 12, TICK_ROOM = 512, NONE = -1 };

enum role { ROLE_OTHER, ROLE_CORE, ROLE_CACHE, ROLE_MEMORY };

/* A component's name in the log, and its meaning; names do not move during the run. */
struct name {
    const char *text;
    uint32_t component;
    enum role role;
};

/* The components next to one towards memory, buses left out. */
struct next {
    uint32_t *items;
    size_t count, room;
};

struct active {
    struct telemetry_request request;
    uint64_t line;
    int32_t next, before;                /* of the same bucket */
    bool is_used;
};

struct line_event {
    uint32_t component;
    enum telemetry_stop_kind kind;
    uint64_t line;
    bool has_burst, is_row_hit;
    uint32_t rank, bank;
    uint64_t row, command_ps, ready_ps;
};

struct request_follow_state {
    const struct telemetry *layout;
    struct log_sink log;
    uint64_t line_mask;
    struct next *nexts;                  /* by component */
    struct name names[NAMES];
    struct active actives[MOST_ACTIVE];  /* a ring: requests that were never answered are overwritten */
    uint32_t next_active;
    int32_t buckets[BUCKETS];
    uint64_t tick_ps;
    struct line_event tick[TICK_ROOM];
    uint32_t tick_count;
    struct telemetry_request slowest[REQUEST_FOLLOW_SLOWEST], drawn[REQUEST_FOLLOW_DRAWN];
    uint32_t slowest_count, drawn_count;
    uint64_t seen, random;               /* requests seen in this stretch; state of the random draw */
};

/* ---- which component */
static uint32_t component_of(const struct telemetry *layout, const char *name, size_t length)
{
    for (uint32_t i = 0; i < layout->component_count; i++) {
        char logged[TELEMETRY_NAME];
        const char *const component
            = telemetry_name_reference(layout->components[i].name, logged) ? logged : layout->components[i].name;

        if (strncmp(component, name, length) == 0 && component[length] == '\0')
            return i;
    }
    return TELEMETRY_NONE;
}

static struct name read_name(const struct request_follow_state *state, const char *text)
{
    static const char data[] = ".data";
    size_t const length = strlen(text), tail = sizeof data - 1;
    bool const is_data = length > tail && strcmp(text + length - tail, data) == 0;
    struct name name = {text, component_of(state->layout, text, is_data ? length - tail : length), ROLE_OTHER};
    enum telemetry_part part;

    if (name.component == TELEMETRY_NONE)
        return name;
    part = state->layout->components[name.component].part;
    if (is_data)
        name.role = part == TELEMETRY_CORE ? ROLE_CORE : ROLE_OTHER;
    else
        name.role = part == TELEMETRY_CACHE ? ROLE_CACHE : part == TELEMETRY_MEMORY ? ROLE_MEMORY : ROLE_OTHER;
    return name;
}

static struct name request_follow_name_of(struct request_follow_state *state, const char *text)
{
    size_t place = ((uintptr_t)text >> 3) * UINT64_C(0x9e3779b97f4a7c15) >> 52;

    for (unsigned i = 0; i < NAMES; i++, place = (place + 1) % NAMES) {
        if (state->names[place].text == text)
            return state->names[place];
        if (!state->names[place].text) {
            state->names[place] = read_name(state, text);
            return state->names[place];
        }
    }
    return read_name(state, text);
}

/* Through buses; false: no memory. */
static bool add_nexts(struct request_follow_state *state, struct next *next, uint32_t from, unsigned depth)
{
    const struct telemetry *const layout = state->layout;

    for (uint32_t i = 0; i < layout->link_count; i++) {
        uint32_t const to = layout->links[i].to;

        if (layout->links[i].from != from)
            continue;
        if (layout->components[to].part == TELEMETRY_BUS) {
            if (depth < layout->component_count && !add_nexts(state, next, to, depth + 1))
                return false;
            continue;
        }
        if (!list_fit(&next->items, next->count + 1, &next->room, sizeof *next->items))
            return false;
        next->items[next->count++] = to;
    }
    return true;
}

static bool is_next(const struct request_follow_state *state, uint32_t from, uint32_t to)
{
    const struct next *const next = &state->nexts[from];

    for (size_t i = 0; i < next->count; i++)
        if (next->items[i] == to)
            return true;
    return false;
}

/* ---- requests under way */
static uint32_t request_follow_bucket_of(uint64_t line)
{
    return (uint32_t)((line >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 51);
}

static void unlink_active(struct request_follow_state *state, struct active *active)
{
    if (active->before != NONE)
        state->actives[active->before].next = active->next;
    else
        state->buckets[request_follow_bucket_of(active->line)] = active->next;
    if (active->next != NONE)
        state->actives[active->next].before = active->before;
    active->is_used = false;
}

/* At the end of its bucket, so that the oldest comes first. */
static struct active *take_active(struct request_follow_state *state, uint64_t line)
{
    int32_t const place = (int32_t)(state->next_active++ % MOST_ACTIVE);
    struct active *const active = &state->actives[place];
    int32_t *end = &state->buckets[request_follow_bucket_of(line)];
    int32_t before = NONE;

    if (active->is_used)
        unlink_active(state, active);
    end = &state->buckets[request_follow_bucket_of(line)];
    while (*end != NONE) {
        before = *end;
        end = &state->actives[before].next;
    }
    *end = place;
    active->line = line;
    active->next = NONE;
    active->before = before;
    active->is_used = true;
    return active;
}

static void add_stop(struct telemetry_request *request, uint32_t component, enum telemetry_stop_kind kind,
                     uint64_t time_ps)
{
    uint64_t const last_ps = request->stop_count ? request->stops[request->stop_count - 1].time_ps : 0;

    if (request->stop_count < TELEMETRY_MOST_STOPS - 1 || (kind == TELEMETRY_STOP_RECEIVE
                                                           && component == request->core
                                                           && request->stop_count < TELEMETRY_MOST_STOPS))
        request->stops[request->stop_count++] = (struct telemetry_stop){component, kind,
                                                                        time_ps > last_ps ? time_ps : last_ps};
}

/* Adds a burst of the request's line. If the line has several bursts, the latest data tick counts. */
static void take_burst(struct telemetry_request *request, const struct line_event *event)
{
    struct telemetry_stop *const last = &request->stops[request->stop_count - 1];

    if (last->kind == TELEMETRY_STOP_READY) {
        if (event->ready_ps > last->time_ps)
            last->time_ps = event->ready_ps;
        return;
    }
    request->has_burst = true;
    request->is_row_hit = event->is_row_hit;
    request->rank = event->rank;
    request->bank = event->bank;
    request->row = event->row;
    add_stop(request, event->component, TELEMETRY_STOP_COMMAND, event->command_ps);
    add_stop(request, event->component, TELEMETRY_STOP_READY, event->ready_ps);
}

static bool was_at(const struct telemetry_request *request, uint32_t component)
{
    bool was = false;

    for (uint32_t i = 1; i < request->stop_count; i++)
        if (request->stops[i].component == component)
            was = request->stops[i].kind != TELEMETRY_STOP_RECEIVE;
    return was;
}

static void look_back(struct request_follow_state *state, struct telemetry_request *request, uint64_t line);

static void apply(struct request_follow_state *state, struct telemetry_request *request,
                  const struct line_event *event)
{
    const struct telemetry_stop *const last = &request->stops[request->stop_count - 1];

    if (event->has_burst) {
        if (last->component == event->component
            && (last->kind == TELEMETRY_STOP_ACCESS || last->kind == TELEMETRY_STOP_READY))
            take_burst(request, event);
        return;
    }
    switch (event->kind) {
    case TELEMETRY_STOP_MISS:
    case TELEMETRY_STOP_MERGE:
    case TELEMETRY_STOP_ACCESS:
        if (last->kind != TELEMETRY_STOP_SEND || !is_next(state, last->component, event->component))
            return;
        break;
    case TELEMETRY_STOP_SEND:
        if (last->component != event->component || last->kind == TELEMETRY_STOP_SEND)
            return;
        break;
    case TELEMETRY_STOP_RECEIVE:
        if (!was_at(request, event->component))
            return;
        break;
    case TELEMETRY_STOP_COMMAND:
    case TELEMETRY_STOP_READY:
    case TELEMETRY_STOP_COUNT:
        return;
    }
    add_stop(request, event->component, event->kind, state->tick_ps);
    if (event->kind == TELEMETRY_STOP_SEND || event->kind == TELEMETRY_STOP_ACCESS)
        look_back(state, request, event->line);
}

/* Finds the events of this tick, at components below, of the line that was sent just now. */
static void look_back(struct request_follow_state *state, struct telemetry_request *request, uint64_t line)
{
    for (uint32_t i = 0; i < state->tick_count; i++) {
        uint32_t const before = request->stop_count;

        if (state->tick[i].line == line && state->tick[i].kind != TELEMETRY_STOP_RECEIVE)
            apply(state, request, &state->tick[i]);
        if (request->stop_count != before)
            return;                      /* it looked on itself, from there */
    }
}

/* ---- which are kept */
static uint64_t request_follow_draw(struct request_follow_state *state, uint64_t below)
{
    state->random = state->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (state->random >> 33) % below;
}

static void request_follow_keep(struct request_follow_state *state, struct telemetry_request request)
{
    struct telemetry_request *least = &state->slowest[0];
    uint64_t place;

    state->seen++;
    if (state->slowest_count < REQUEST_FOLLOW_SLOWEST) {
        state->slowest[state->slowest_count++] = request;
        return;
    }
    for (uint32_t i = 1; i < REQUEST_FOLLOW_SLOWEST; i++)
        if (telemetry_request_latency_ps(&state->slowest[i]) < telemetry_request_latency_ps(least))
            least = &state->slowest[i];
    if (telemetry_request_latency_ps(&request) > telemetry_request_latency_ps(least)) {
        struct telemetry_request const pushed_out = *least;

        *least = request;
        request = pushed_out;
    }
    if (state->drawn_count < REQUEST_FOLLOW_DRAWN) {
        state->drawn[state->drawn_count++] = request;
        return;
    }
    place = request_follow_draw(state, state->seen - REQUEST_FOLLOW_SLOWEST);
    if (place < REQUEST_FOLLOW_DRAWN)
        state->drawn[place] = request;
}

/* ---- lines of the log */
static bool is_write(const char *command)
{
    return strncmp(command, "Write", 5) == 0 || strncmp(command, "StoreCond", 9) == 0
           || strstr(command, "RMWWrite") != NULL;
}

static void begin_request(struct request_follow_state *state, uint32_t core, uint64_t address, const char *command)
{
    uint64_t const line = address & state->line_mask;
    struct active *const active = take_active(state, line);

    memset(&active->request, 0, sizeof active->request);
    active->request.address = address;
    active->request.core = core;
    active->request.is_write = is_write(command);
    add_stop(&active->request, core, TELEMETRY_STOP_SEND, state->tick_ps);
    look_back(state, &active->request, line);
}

static void end_request(struct request_follow_state *state, uint32_t core, uint64_t address, const char *command)
{
    for (int32_t at = state->buckets[request_follow_bucket_of(address & state->line_mask)]; at != NONE;
         at = state->actives[at].next) {
        struct active *const active = &state->actives[at];

        if (active->request.core != core || active->request.address != address
            || active->request.is_write != is_write(command))
            continue;
        add_stop(&active->request, core, TELEMETRY_STOP_RECEIVE, state->tick_ps);
        unlink_active(state, active);
        request_follow_keep(state, active->request);
        return;
    }
}

static void take_event(struct request_follow_state *state, const struct line_event *event)
{
    if (state->tick_count < TICK_ROOM)
        state->tick[state->tick_count++] = *event;
    for (int32_t at = state->buckets[request_follow_bucket_of(event->line)]; at != NONE; at = state->actives[at].next)
        if (state->actives[at].line == event->line)
            apply(state, &state->actives[at].request, event);
}

static bool request_follow_kind_of(const char *what, enum telemetry_stop_kind *kind)
{
    static const struct { const char *what; enum telemetry_stop_kind kind; } kinds[] = {
        {"send", TELEMETRY_STOP_SEND}, {"miss", TELEMETRY_STOP_MISS}, {"merge", TELEMETRY_STOP_MERGE},
        {"access", TELEMETRY_STOP_ACCESS}, {"recv", TELEMETRY_STOP_RECEIVE}
    };

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(what, kinds[i].what) == 0) {
            *kind = kinds[i].kind;
            return true;
        }
    return false;
}

static bool read_burst(const char *command, const char *details, struct line_event *event)
{
    const char *const numbers = details ? strstr(details, "rank=") : NULL;
    unsigned is_hit;

    if (strcmp(command, "Read") != 0 || !numbers
        || sscanf(numbers, "rank=%" SCNu32 " bank=%" SCNu32 " row=%" SCNu64 " hit=%u command=%" SCNu64
                           " ready=%" SCNu64,
                  &event->rank, &event->bank, &event->row, &is_hit, &event->command_ps, &event->ready_ps) != 6)
        return false;
    event->has_burst = true;
    event->is_row_hit = is_hit != 0;
    event->kind = TELEMETRY_STOP_COMMAND;
    return true;
}

static bool is_followed(const struct request_follow_state *state, uint64_t line)
{
    for (int32_t at = state->buckets[request_follow_bucket_of(line)]; at != NONE; at = state->actives[at].next)
        if (state->actives[at].line == line)
            return true;
    return false;
}

static void follow_line(struct request_follow_state *state, uint64_t tick_ps, const char *component, const char *what,
                        const char *command, uint64_t address, const char *details)
{
    struct name const name = request_follow_name_of(state, component);
    struct line_event event = {.component = name.component, .line = address & state->line_mask};

    if (tick_ps != state->tick_ps)
        state->tick_count = 0;
    state->tick_ps = tick_ps;
    if (name.role == ROLE_CORE) {
        if (strcmp(what, "send") == 0)
            begin_request(state, name.component, address, command);
        else if (strcmp(what, "recv") == 0)
            end_request(state, name.component, address, command);
    } else if (name.role == ROLE_MEMORY && strcmp(what, "burst") == 0) {
        if (is_followed(state, event.line) && read_burst(command, details, &event))
            take_event(state, &event);
    } else if (name.role != ROLE_OTHER && request_follow_kind_of(what, &event.kind)) {
        take_event(state, &event);
    }
}

static void request_follow_write_line(void *context, uint64_t tick_ps, const char *component, const char *what,
                                      const char *command, uint64_t address, const char *details)
{
    struct request_follow_state *const state = context;

    follow_line(state, tick_ps, component, what, command, address, details);
    if (state->log.line)
        state->log.line(state->log.context, tick_ps, component, what, command, address, details);
}

/* ---- all of it */
struct fault request_follow_open(struct request_follow *follow, const struct telemetry *layout, uint32_t line_bytes,
                                 struct log_sink log)
{
    struct request_follow_state *const state = calloc(1, sizeof *state);
    bool has_memory = state != NULL;

    follow->state = state;
    if (state) {
        state->layout = layout;
        state->log = log;
        state->line_mask = ~(uint64_t)(line_bytes - 1);
        state->tick_ps = UINT64_MAX;
        for (unsigned i = 0; i < BUCKETS; i++)
            state->buckets[i] = NONE;
        state->nexts = calloc(layout->component_count + (size_t)1, sizeof *state->nexts);
        has_memory = state->nexts != NULL;
    }
    for (uint32_t i = 0; has_memory && i < layout->component_count; i++)
        has_memory = add_nexts(state, &state->nexts[i], i, 0);
    if (has_memory)
        return fault_none();
    request_follow_free(follow);
    return fault_make(FAULT_MEMORY, "out of memory to follow requests");
}

struct log_sink request_follow_sink(const struct request_follow *follow)
{
    return (struct log_sink){.line = request_follow_write_line, .context = follow->state};
}

static int by_end(const void *one, const void *other)
{
    const struct telemetry_request *const first = *(const struct telemetry_request *const *)one;
    const struct telemetry_request *const second = *(const struct telemetry_request *const *)other;
    uint64_t const a = telemetry_request_end_ps(first), b = telemetry_request_end_ps(second);

    if (a != b)
        return a < b ? -1 : 1;
    return first->core != second->core ? (first->core < second->core ? -1 : 1)
           : first->address < second->address ? -1 : first->address > second->address;
}

void request_follow_flush(struct request_follow *follow,
                          void (*put)(void *context, const struct telemetry_request *request), void *context)
{
    struct request_follow_state *const state = follow->state;
    struct telemetry_request *kept[REQUEST_FOLLOW_SLOWEST + REQUEST_FOLLOW_DRAWN];
    size_t count = 0;

    if (!state)
        return;
    for (uint32_t i = 0; i < state->slowest_count; i++) {
        state->slowest[i].is_slow = true;
        kept[count++] = &state->slowest[i];
    }
    for (uint32_t i = 0; i < state->drawn_count; i++)
        kept[count++] = &state->drawn[i];
    qsort(kept, count, sizeof kept[0], by_end);
    for (size_t i = 0; i < count; i++)
        put(context, kept[i]);
    state->slowest_count = state->drawn_count = 0;
    state->seen = 0;
}

void request_follow_free(struct request_follow *follow)
{
    struct request_follow_state *const state = follow->state;

    for (uint32_t i = 0; state && state->nexts && i < state->layout->component_count; i++)
        free(state->nexts[i].items);
    if (state)
        free(state->nexts);
    free(state);
    follow->state = NULL;
}
