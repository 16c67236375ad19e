#include "cli/regions/cut_trace.h"

#include <stdlib.h>
#include <string.h>

#include "proto/insn/rbt/copy.h"
#include "replay/regions/trace_mark.h"

enum { BEHIND_INSNS = 8192 };

struct ordered { uint64_t first; size_t region; };

static int in_order(const void *a, const void *b)
{
    const struct ordered *const one = a, *const other = b;

    return one->first < other->first ? -1 : one->first > other->first;
}

static struct fault copy_regions(struct region_set *set, struct insn_trace *trace, const char *path,
                                 struct ordered *order, struct rbt_copy_part *parts)
{
    struct rbt_copy_request const request = {.path = path, .behind = UINT64_MAX, .parts = parts,
                                             .part_count = set->count};
    struct rbt_copy_result result;

    for (size_t i = 0; i < set->count; i++)
        order[i] = (struct ordered){set->regions[i].first, i};
    qsort(order, set->count, sizeof *order, in_order);
    for (size_t i = 0; i < set->count; i++) {
        const struct region *const region = &set->regions[order[i].region];

        parts[i] = (struct rbt_copy_part){
            .first = region->first, .insns = region->warmup + region->instructions + BEHIND_INSNS};
    }
    FORWARD(rbt_copy(trace, &request, &result));
    for (size_t i = 0; i < set->count; i++)
        set->regions[order[i].region].first = parts[i].placed;
    free(set->trace);
    set->trace = strdup(path);
    return set->trace ? trace_mark(path, &set->trace_bytes, &set->trace_hash) : fault_memory(path, NULL);
}

struct fault cut_trace(struct region_set *set, const char *trace_path, const char *format, const char *path,
                       uint64_t **firsts)
{
    struct ordered *const order = calloc(set->count, sizeof *order);
    struct rbt_copy_part *const parts = calloc(set->count, sizeof *parts);
    struct fault fault = fault_none();
    struct insn_trace *const trace = insn_trace_open_as(trace_path, format, INSN_OPEN_RAW, &fault);

    *firsts = calloc(set->count, sizeof **firsts);
    for (size_t i = 0; *firsts && i < set->count; i++)
        (*firsts)[i] = set->regions[i].first;
    if (trace)
        fault = order && parts && *firsts ? copy_regions(set, trace, path, order, parts) : fault_memory(path, NULL);
    insn_trace_close(trace);
    free(order);
    free(parts);
    return fault;
}
