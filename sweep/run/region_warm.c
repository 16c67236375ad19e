#include "sweep/run/region_warm.h"

#include <stdlib.h>
#include <string.h>

enum { WALK_AT_ONCE = 1 << 22 };         /* instructions */

static const char *const warm_names[] = {
#define REGION_WARM_NAME(suffix, name, meaning) name,
    REGION_WARM_METHODS(REGION_WARM_NAME)
#undef REGION_WARM_NAME
};

const char *region_warm_name(enum region_warm_method method)
{
    return warm_names[method];
}

bool region_warm_find(const char *name, enum region_warm_method *method)
{
    for (unsigned i = 0; i < REGION_WARM_COUNT; i++)
        if (strcmp(name, warm_names[i]) == 0) {
            *method = (enum region_warm_method)i;
            return true;
        }
    return false;
}

enum region_warm_method region_warm_of(const struct region_set *set, enum region_warm_method method)
{
    if (method != REGION_WARM_USUAL)
        return method;
    return set->states && warm_file_is_there(set->states) ? REGION_WARM_KEPT : REGION_WARM_DETAILED;
}

/* ---- states */
static int by_place(const void *a, const void *b)
{
    const struct region_place *const one = a, *const other = b;

    if (one->place != other->place)
        return one->place < other->place ? -1 : 1;
    return (one->region > other->region) - (one->region < other->region);
}

void region_places_sort(struct region_place *places, size_t count)
{
    qsort(places, count, sizeof *places, by_place);
}

static struct warm_file_key key_of(const struct region_set *set)
{
    return (struct warm_file_key){set->trace_bytes, set->trace_hash, 0};
}

/* A walk has no file. */
static struct fault open_session(struct region_states *states, const char *trace, const char *format,
                                 const struct session_request *request)
{
    struct session_request wanted = {.config = request->config, .workload = request->workload,
                                     .engine = request->engine, .limits = session_no_limits()};
    struct fault fault;

    wanted.limits.warmup_records = 1;    /* a region's own follow */
    wanted.limits.max_records = 2;
    FORWARD(session_open(&states->session, &wanted));
    states->warming = session_warm(states->session, states->file ? NULL : trace, format, &fault);
    return states->warming ? fault_none() : fault;
}

struct fault region_states_begin(struct region_states *states, enum region_warm_method method,
                                 const struct region_set *set, const char *trace, const char *format,
                                 const struct session_request *request)
{
    struct warm_file_key const key = key_of(set);
    struct fault fault;

    *states = (struct region_states){.session = NULL};
    method = region_warm_of(set, method);
    if (method == REGION_WARM_FUNCTIONAL && !set->regions[0].trace)
        return open_session(states, trace, format, request);
    if (method != REGION_WARM_KEPT)
        return fault_none();
    if (!set->states || !warm_file_is_there(set->states))
        return fault_make(FAULT_INPUT, "%.400s: is not there, so nothing is kept for the regions; choose them anew "
                          "with `rubato regions`, or give --warm functional", set->states ? set->states : "states");
    states->file = warm_file_open(set->states, &key, &fault);
    return states->file ? open_session(states, trace, format, request) : fault;
}

static struct fault walk_towards(struct region_states *states, uint64_t place, bool *is_there)
{
    uint64_t const left = place - states->place;

    states->place += left < WALK_AT_ONCE ? left : WALK_AT_ONCE;
    *is_there = states->place == place;
    return left > 0 ? warm_system_walk_to(states->warming, states->place) : fault_none();
}

struct fault region_states_go_to(struct region_states *states, uint64_t place, bool *is_there)
{
    bool has_next = true;

    *is_there = true;
    if (!states->session)
        return fault_none();
    if (!states->file)
        return walk_towards(states, place, is_there);
    FORWARD(warm_file_check_place(states->file, place));
    for (;;) {
        FORWARD(warm_file_next(states->file, place, &states->state, &has_next));
        if (!has_next)
            return fault_none();
        FORWARD(warm_system_give(states->warming, &states->state));
    }
}

struct fault region_states_take(struct region_states *states, struct workload *workload,
                                const struct workload_options *reading, const struct session_limits *limits)
{
    FORWARD(workload_read_insn_as(workload, reading));
    session_limit(states->session, limits);
    return warm_system_end(states->warming);
}

void region_states_end(struct region_states *states)
{
    warm_state_free(&states->state);
    warm_file_close(states->file);
    warm_system_free(states->warming);
    session_close(states->session);
    *states = (struct region_states){.session = NULL};
}

/* ---- a region */
void region_warm_begin(struct warm_plan *plan, enum region_warm_method method, const struct region_set *set,
                       const struct region *region, const char *trace, struct workload_options *reading,
                       struct session_request *wanted)
{
    *plan = (struct warm_plan){.path = trace, .format = insn_read_format_name(&reading->insn), .place = region->first};
    reading->insn.skipped = region->first;
    wanted->limits.warmup_records = region->warmup;
    wanted->limits.max_records = region->warmup + region->instructions;
    method = region_warm_of(set, method);
    if (method == REGION_WARM_KEPT || method == REGION_WARM_FUNCTIONAL)
        wanted->warm = plan;
    if (method == REGION_WARM_KEPT) {
        plan->states = set->states;
        plan->key = key_of(set);
    } else if (method == REGION_WARM_NONE) {
        reading->insn.skipped += region->warmup;
        wanted->limits.warmup_records = 0;
        wanted->limits.max_records = region->instructions;
    }
}
