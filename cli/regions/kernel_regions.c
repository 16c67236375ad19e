#include "cli/regions/kernel_regions.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/arith.h"
#include "cli/common/interrupt.h"
#include "cli/common/progress.h"
#include "replay/regions/launches.h"
#include "replay/regions/trace_mark.h"

static bool show(void *context, uint64_t launches)
{
    progress_show(context, launches, PROGRESS_NO_TIME, 0);
    return interrupt_came();
}

static struct fault profile(struct kernel_launches *list, const char *path, bool is_quiet)
{
    struct progress progress;
    struct fault fault;

    progress_start(&progress);
    progress.what = "launches of kernels";
    progress.is_shown &= !is_quiet;
    interrupt_listen();
    fault = kernels_profile(list, path, show, &progress);
    progress_end(&progress);
    return interrupt_came() ? fault_make(FAULT_STALL, "stopped by %s; nothing was written", interrupt_name()) : fault;
}

static struct fault choose(struct region_set *set, const struct kernel_launches *list, const struct choice *choice)
{
    struct choice own = *choice;
    struct phases groups;
    struct fault fault = kernels_group(&groups, list, choice->most_phases);

    own.interval = own.warmup = 0;
    set->method = choice->method;
    set->interval = 1;
    set->instructions = list->launches.instructions;
    if (fault.kind == FAULT_NONE)
        fault = choose_of_phases(set, &list->launches, &groups, &own);
    for (size_t i = 0; i < set->count; i++) {
        struct region *const region = &set->regions[i];

        region->warmup = min_u64(choice->warmup, region->first);
        region->first -= region->warmup;
    }
    phases_free(&groups);
    return fault;
}

struct fault kernel_regions_find(struct region_set *set, const char *path, const struct choice *choice, bool is_quiet)
{
    struct kernel_launches list;
    struct fault fault;

    *set = (struct region_set){.trace = strdup(path), .is_of_kernels = true};
    if (!set->trace)
        return fault_memory(path, NULL);
    FORWARD(trace_mark_kernels(path, &set->trace_bytes, &set->trace_hash));
    fault = profile(&list, path, is_quiet);
    if (fault.kind == FAULT_NONE)
        fault = choose(set, &list, choice);
    kernels_free(&list);
    return fault;
}

void kernel_regions_print(const struct region_set *set, const char *output)
{
    uint64_t launches = 0, run = 0, warmups = 0;

    for (size_t i = 0; i < set->stratum_count; i++)
        launches += set->strata[i].intervals;
    for (size_t i = 0; i < set->count; i++) {
        run += set->regions[i].instructions;
        warmups += set->regions[i].warmup;
    }
    printf("program       %" PRIu64 " launches of kernels, %" PRIu64 " warp instructions\n", launches,
           set->instructions);
    printf("regions       %zu launches, %s, in %zu group%s: %s\n", set->count, region_method_name(set->method),
           set->stratum_count, set->stratum_count == 1 ? "" : "s", output);
    printf("to simulate   %" PRIu64 " warp instructions, 1 of %.1f, and %" PRIu64 " launches before them\n", run,
           (double)set->instructions / (double)run, warmups);
}
