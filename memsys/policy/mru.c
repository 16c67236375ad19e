/* Modelled: MRU by the tick of the access (classic-memory 14): the first block that is invalid, or was used in tick 0,
 * goes; else the latest, the lowest way among equals. */
#include "memsys/policy/replacement.h"

static uint32_t mru_victim(struct replacement *policy, uint32_t first_block)
{
    const uint64_t *const stamps = policy->stamps;
    uint32_t victim = first_block;

    for (uint32_t block = first_block; block < first_block + policy->assoc; block++) {
        if (stamps[block] == 0)
            return block;
        if (stamps[block] > stamps[victim])
            victim = block;
    }
    return victim;
}

const struct replacement_ops replacement_mru = {
    .name = "mru", .uses = USES_STAMPS | USES_TICKS, .skips_repeats = true,
    .touch = stamp_now, .insert = stamp_now, .invalidate = stamp_clear, .victim = mru_victim
};
