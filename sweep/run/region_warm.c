#include "sweep/run/region_warm.h"

#include <stdlib.h>
#include <string.h>

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

struct fault region_states_begin(struct region_states *states, enum region_warm_method method,
                                 const struct region_set *set, const struct system_config *config)
{
    struct warm_file_key const key = {set->trace_bytes, set->trace_hash, 0};
    struct fault fault;

    *states = (struct region_states){.set = NULL};
    if (region_warm_of(set, method) != REGION_WARM_KEPT)
        return fault_none();
    if (!set->states || !warm_file_is_there(set->states))
        return fault_make(FAULT_INPUT, "%.400s: is not there, so nothing is kept for the regions; choose them anew "
                          "with `rubato regions`, or give --warm functional", set->states ? set->states : "states");
    states->set = set;
    states->order = malloc(set->count * sizeof *states->order);
    if (!states->order)
        return fault_memory(set->states, NULL);
    for (size_t i = 0; i < set->count; i++)
        states->order[i] = (struct region_place){set->regions[i].first, i};
    region_places_sort(states->order, set->count);
    states->file = warm_file_open(set->states, &key, &fault);
    if (states->file)
        states->predictor = warm_predictor_new(config, &fault);
    return fault;
}

struct fault region_states_go_to(struct region_states *states, uint64_t place)
{
    const struct region_set *const set = states->set;

    for (; set && states->learnt < set->count && states->order[states->learnt].place <= place; states->learnt++) {
        uint64_t const next = states->order[states->learnt].place;

        if (states->learnt > 0 && states->state.place == next)
            continue;                    /* two regions that begin together */
        FORWARD(warm_file_next(states->file, next, &states->state));
        warm_predictor_learn(states->predictor, &states->state);
    }
    return fault_none();
}

void region_states_end(struct region_states *states)
{
    warm_state_free(&states->state);
    warm_file_close(states->file);
    warm_predictor_free(states->predictor);
    free(states->order);
    *states = (struct region_states){.set = NULL};
}

/* ---- a region */
void region_warm_begin(struct warm_plan *plan, enum region_warm_method method, const struct region_states *states,
                       const struct region *region, const char *trace, struct workload_options *reading,
                       struct session_request *wanted)
{
    *plan = (struct warm_plan){.path = trace, .format = insn_read_format_name(&reading->insn), .place = region->first};
    reading->insn.skipped = region->first;
    wanted->limits.warmup_records = region->warmup;
    wanted->limits.max_records = region->warmup + region->instructions;
    if (states->set) {
        plan->state = &states->state;
        plan->predictor = states->predictor;
        reading->insn.pages = states->state.touched.list;
        reading->insn.page_count = states->state.touched.count;
        wanted->warm = plan;
    } else if (method == REGION_WARM_FUNCTIONAL) {
        wanted->warm = plan;
    } else if (method == REGION_WARM_NONE) {
        reading->insn.skipped += region->warmup;
        wanted->limits.warmup_records = 0;
        wanted->limits.max_records = region->instructions;
    }
}
