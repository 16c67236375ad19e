/* Modelled: a BTB of sets of ways with partial tags; the way whose last hit or write is longest ago is replaced. Its
 * index drops the bits of the sets, its tag begins above them. */
#include <stdlib.h>

#include "base/arith.h"
#include "replay/config/branch_params.h"
#include "replay/detailed/branch/parts.h"

#define VALID (UINT64_C(1) << 63)

struct btb_way {
    uint64_t tag;                        /* with VALID */
    uint64_t target;
    uint64_t used_at;
};

struct set_associative {
    uint64_t set_mask, tag_mask, now;
    uint32_t index_shift, tag_shift, way_count;
    struct btb_way ways[];
};

static void *set_associative_new(const struct branch_params *params)
{
    struct set_associative *const btb = calloc(1, sizeof *btb + params->btb_entries * sizeof btb->ways[0]);
    uint64_t const set_count = params->btb_entries / params->btb_ways;

    if (btb) {
        btb->set_mask = set_count - 1;
        btb->tag_mask = (UINT64_C(1) << params->btb_tag_bits) - 1;
        btb->index_shift = (uint32_t)params->inst_shift;
        btb->tag_shift = btb->index_shift + log2_down(set_count);
        btb->way_count = (uint32_t)params->btb_ways;
    }
    return btb;
}

static inline struct btb_way *btb_set_associative_set_of(struct set_associative *btb, uint64_t pc)
{
    return btb->ways + (pc >> btb->index_shift & btb->set_mask) * btb->way_count;
}

/* NULL: a miss. */
static inline struct btb_way *btb_set_associative_find(struct set_associative *btb, struct btb_way *set, uint64_t tag)
{
    for (uint32_t i = 0; i < btb->way_count; i++)
        if (set[i].tag == tag)
            return &set[i];
    return NULL;
}

static bool set_associative_lookup(void *own, uint64_t pc, uint64_t *target)
{
    struct set_associative *const btb = own;
    struct btb_way *const way = btb_set_associative_find(btb, btb_set_associative_set_of(btb, pc),
                                                         (pc >> btb->tag_shift & btb->tag_mask) | VALID);

    if (!way)
        return false;
    way->used_at = ++btb->now;
    *target = way->target;
    return true;
}

static void set_associative_update(void *own, uint64_t pc, uint64_t target)
{
    struct set_associative *const btb = own;
    struct btb_way *const set = btb_set_associative_set_of(btb, pc);
    uint64_t const tag = (pc >> btb->tag_shift & btb->tag_mask) | VALID;
    struct btb_way *way = btb_set_associative_find(btb, set, tag);

    if (!way) {
        way = set;
        for (uint32_t i = 1; i < btb->way_count; i++)
            if (set[i].used_at < way->used_at)
                way = &set[i];
    }
    *way = (struct btb_way){.tag = tag, .target = target, .used_at = ++btb->now};
}

const struct btb_ops btb_set_associative = {
    .name = "set_associative", .new = set_associative_new, .free = free,
    .lookup = set_associative_lookup, .update = set_associative_update
};
