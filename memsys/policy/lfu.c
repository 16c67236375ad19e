/* Modelled: LFU (classic-memory 14): the stamp counts the fill and the uses since; an invalid block has 0 and so goes
 * first. */
#include "memsys/policy/replacement.h"

static void lfu_touch(struct replacement *policy, uint32_t block, const struct packet *packet)
{
    (void)packet;
    policy->stamps[block]++;
}

static void lfu_insert(struct replacement *policy, uint32_t block, const struct packet *packet)
{
    (void)packet;
    policy->stamps[block] = 1;
}

const struct replacement_ops replacement_lfu = {
    .name = "lfu", .uses = USES_STAMPS,
    .touch = lfu_touch, .insert = lfu_insert, .invalidate = stamp_clear, .victim = stamp_smallest
};
