/* A slow model of the TLBs and walk caches of memsys/tlb: lists in order of use.
 *
 * Use: set the arrays of `model` (array_of), then model_access for each access, one after the other; its counts are
 * those that an mmu must have. */
#ifndef TESTS_SUPPORT_SLOW_TLB_H
#define TESTS_SUPPORT_SLOW_TLB_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "memsys/tlb/mmu.h"

enum { MODEL_WAYS = 64, MODEL_SETS = 64 };
struct model_array {
    uint64_t sets, assoc, keys[MODEL_SETS][MODEL_WAYS];
    unsigned used[MODEL_SETS];
};

static bool model_use(struct model_array *array, uint64_t number, uint64_t tag, bool fills)
{
    uint64_t const set = array->assoc ? number % array->sets : 0, key = number << 8 | tag;
    uint64_t *const keys = array->keys[set];
    unsigned place = 0;

    if (array->assoc == 0)
        return false;
    while (place < array->used[set] && keys[place] != key)
        place++;
    if (place == array->used[set]) {
        if (!fills)
            return false;
        if (array->used[set] < array->assoc)
            array->used[set]++;
        place = array->used[set] - 1;
        memmove(keys + 1, keys, place * sizeof *keys);
        keys[0] = key;
        return false;
    }
    memmove(keys + 1, keys, place * sizeof *keys);
    keys[0] = key;
    return true;
}

static struct model {
    struct model_array l1[MMU_SIDES][2], l2, caches[5];
    uint64_t hits[MMU_SIDES], misses[MMU_SIDES], l2_hits, walks, reads, huge_walks;
} model;

static struct model_array array_of(uint64_t entries, uint64_t assoc)
{
    return (struct model_array){.sets = assoc ? entries / assoc : 1, .assoc = assoc};
}

static void model_access(enum mmu_side_number side, unsigned space, uint64_t address, bool is_huge)
{
    unsigned const leaf = is_huge ? 2 : 1, shift = is_huge ? 21 : 12, tag = space << 4 | (is_huge ? 1 : 0);
    unsigned level = 4;

    if (model_use(&model.l1[side][is_huge], address >> shift, tag, true)) {
        model.hits[side]++;
        return;
    }
    model.misses[side]++;
    if (model_use(&model.l2, address >> shift, tag, true)) {
        model.l2_hits++;
        return;
    }
    model.walks++;
    model.huge_walks += is_huge;
    for (unsigned known = leaf + 1; known <= 4; known++)
        if (model_use(&model.caches[known], address >> (12 + 9 * (known - 1)), space << 4, false)) {
            level = known - 1;
            break;
        }
    for (; level >= leaf; level--) {
        model.reads++;
        if (level > leaf)
            model_use(&model.caches[level], address >> (12 + 9 * (level - 1)), space << 4, true);
    }
}

#endif
