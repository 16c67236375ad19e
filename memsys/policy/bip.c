/* Modelled: BIP and LIP (classic-memory 14; Qureshi et al., "Adaptive insertion policies for high performance
 * caching", ISCA 2007): LRU, but most fills go in at the LRU end, stamp 1, so that a working set which does not fit
 * keeps a part of itself. A fill draws a random number in both, though LIP's never matters. */
#include "memsys/policy/replacement.h"

#define BIP_RECENT_PERCENT 3             /* of the fills go in as just used */
#define LIP_RECENT_PERCENT 0
#define STAMP_LEAST_RECENT 1

static void insert_with_chance(struct replacement *policy, uint32_t block, uint32_t recent_percent)
{
    policy->stamps[block] = replacement_chance(policy, recent_percent) ? sim_now_ps(policy->sim) : STAMP_LEAST_RECENT;
}

static void bip_insert(struct replacement *policy, uint32_t block, const struct packet *packet)
{
    (void)packet;
    insert_with_chance(policy, block, BIP_RECENT_PERCENT);
}

static void lip_insert(struct replacement *policy, uint32_t block, const struct packet *packet)
{
    (void)packet;
    insert_with_chance(policy, block, LIP_RECENT_PERCENT);
}

const struct replacement_ops replacement_bip = {
    .name = "bip", .uses = USES_STAMPS | USES_CHANCE | USES_TICKS,
    .touch = stamp_now, .insert = bip_insert, .invalidate = stamp_clear, .victim = stamp_smallest
};

const struct replacement_ops replacement_lip = {
    .name = "lip", .uses = USES_STAMPS | USES_CHANCE | USES_TICKS,
    .touch = stamp_now, .insert = lip_insert, .invalidate = stamp_clear, .victim = stamp_smallest
};
