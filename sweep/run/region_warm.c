#include "sweep/run/region_warm.h"

#include <string.h>

#include "replay/warm/warm_file.h"

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

static struct fault begin_kept(struct region_warm *warm, const struct region_set *set, const struct region *region,
                               struct workload_options *reading)
{
    struct warm_file_key const key = {set->trace_bytes, set->trace_hash, 0};

    if (!set->states || !warm_file_is_there(set->states))
        return fault_make(FAULT_INPUT, "%.400s: is not there, so nothing is kept for the regions; choose them anew "
                          "with `rubato regions`, or give --warm functional", set->states ? set->states : "states");
    FORWARD(warm_file_load(set->states, &key, region->first, &warm->state));
    warm->plan.state = &warm->state;
    reading->insn.pages = warm->state.touched.list;
    reading->insn.page_count = warm->state.touched.count;
    return fault_none();
}

struct fault region_warm_begin(struct region_warm *warm, enum region_warm_method method, const struct region_set *set,
                               const struct region *region, const char *trace, struct workload_options *reading,
                               struct session_request *wanted)
{
    *warm = (struct region_warm){.plan = {.path = trace, .format = insn_read_format_name(&reading->insn),
                                          .place = region->first}};
    reading->insn.skipped = region->first;
    wanted->limits.warmup_records = region->warmup;
    wanted->limits.max_records = region->warmup + region->instructions;
    switch (region_warm_of(set, method)) {
    case REGION_WARM_KEPT:
        wanted->warm = &warm->plan;
        return begin_kept(warm, set, region, reading);
    case REGION_WARM_FUNCTIONAL:
        wanted->warm = &warm->plan;
        break;
    case REGION_WARM_NONE:
        reading->insn.skipped += region->warmup;
        wanted->limits.warmup_records = 0;
        wanted->limits.max_records = region->instructions;
        break;
    default:
        break;
    }
    return fault_none();
}

void region_warm_end(struct region_warm *warm)
{
    warm_state_free(&warm->state);
}
