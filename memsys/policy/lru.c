/* Modelled: LRU by the tick of the access (classic-memory 14): equal ticks are possible, the lowest way wins; an
 * invalid block has stamp 0 and so goes first.
 *
 * Stamps are counted from a base, so that 32 bits last for 4 ms: the host has half as much to read. When they no longer
 * suffice, the stamps of each set become their ranks, of which there are at most as many as ways, and the base moves so
 * that all ticks from now on lie above. No stamp of the present tick is among them, since the first would have moved
 * the base. */
#include "memsys/policy/replacement.h"

/* Ages of one set to ranks; equal ones stay equal. */
static void rank_set(struct way *ways, uint32_t assoc)
{
    uint32_t done = 0;                   /* the largest age that has its rank */
    uint32_t rank = 0;

    for (;;) {
        uint32_t next = UINT32_MAX;
        bool found = false;

        for (uint32_t way = 0; way < assoc; way++)
            if (ways[way].age > done && ways[way].age <= next) {
                next = ways[way].age;
                found = true;
            }
        if (!found)
            return;
        rank++;
        for (uint32_t way = 0; way < assoc; way++)
            if (ways[way].age == next)
                ways[way].age = rank;
        done = next;
    }
}

uint32_t age_renew(struct replacement *policy)
{
    for (uint32_t set = 0; set < policy->set_count; set++)
        rank_set(policy->ways + (size_t)set * policy->assoc, policy->assoc);
    policy->age_base_ps = sim_now_ps(policy->sim) - policy->assoc - 1;
    return policy->assoc + 1;
}

static void lru_touch(struct replacement *policy, uint32_t block, const struct packet *packet)
{
    (void)packet;
    age_now(policy, block);
}

static void lru_invalidate(struct replacement *policy, uint32_t block)
{
    policy->ways[block].age = 0;
}

static uint32_t lru_victim(struct replacement *policy, uint32_t first_block)
{
    return age_oldest(policy, first_block);
}

const struct replacement_ops replacement_lru = {
    .name = "lru", .uses = 0,
    .touch = lru_touch, .insert = lru_touch, .invalidate = lru_invalidate, .victim = lru_victim
};
