/* Modelled: LRU by the tick of the access (classic-memory 14): equal ticks are possible, the lowest way wins; an
 * invalid block has stamp 0 and so goes first. */
#include "memsys/policy/replacement.h"

const struct replacement_ops replacement_lru = {
    .name = "lru", .uses = USES_STAMPS | USES_TICKS, .skips_repeats = true,
    .touch = stamp_now, .insert = stamp_now, .invalidate = stamp_clear,
    .victim = stamp_smallest, .victim_among = stamp_smallest_among
};
