/* Modelled: the reference's BTB (branch-prediction 6): direct mapped, a partial tag, replaced at once. */
#include <stdlib.h>

#include "base/arith.h"
#include "replay/config/branch_params.h"
#include "replay/detailed/branch/parts.h"

#define VALID (UINT64_C(1) << 63)

struct btb_entry {
    uint64_t tag;                        /* with VALID */
    uint64_t target;
};

struct direct_mapped {
    uint64_t index_mask, tag_mask;
    uint32_t index_shift, tag_shift;
    struct btb_entry entries[];
};

static void *direct_mapped_new(const struct branch_params *params)
{
    struct direct_mapped *const btb = calloc(1, sizeof *btb + params->btb_entries * sizeof btb->entries[0]);

    if (btb) {
        btb->index_mask = params->btb_entries - 1;
        btb->tag_mask = (UINT64_C(1) << params->btb_tag_bits) - 1;
        btb->index_shift = (uint32_t)params->inst_shift;
        btb->tag_shift = btb->index_shift + log2_down(params->btb_entries);
    }
    return btb;
}

static inline struct btb_entry *entry_of(struct direct_mapped *btb, uint64_t pc)
{
    return &btb->entries[pc >> btb->index_shift & btb->index_mask];
}

static inline uint64_t tag_of(const struct direct_mapped *btb, uint64_t pc)
{
    return (pc >> btb->tag_shift & btb->tag_mask) | VALID;
}

static bool direct_mapped_lookup(void *own, uint64_t pc, uint64_t *target)
{
    struct direct_mapped *const btb = own;
    const struct btb_entry *const entry = entry_of(btb, pc);

    if (entry->tag != tag_of(btb, pc))
        return false;
    *target = entry->target;
    return true;
}

static void direct_mapped_update(void *own, uint64_t pc, uint64_t target)
{
    struct direct_mapped *const btb = own;

    *entry_of(btb, pc) = (struct btb_entry){.tag = tag_of(btb, pc), .target = target};
}

const struct btb_ops btb_direct_mapped = {
    .name = "direct_mapped", .new = direct_mapped_new, .free = free,
    .lookup = direct_mapped_lookup, .update = direct_mapped_update
};
