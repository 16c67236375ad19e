/* Modelled: random (classic-memory 14). The mark says that the block is valid. A number is drawn for every victim,
 * also where an invalid block is taken instead. */
#include "memsys/policy/replacement.h"

static void random_touch(struct replacement *policy, uint32_t block, const struct packet *packet)
{
    (void)policy;
    (void)block;
    (void)packet;
}

static void random_insert(struct replacement *policy, uint32_t block, const struct packet *packet)
{
    (void)packet;
    policy->marks[block] = true;
}

static void random_invalidate(struct replacement *policy, uint32_t block)
{
    policy->marks[block] = false;
}

static uint32_t random_victim(struct replacement *policy, uint32_t first_block)
{
    uint32_t const drawn = first_block + random_uniform(&policy->sim->random, 0, policy->assoc - 1);

    for (uint32_t block = first_block; block < first_block + policy->assoc; block++)
        if (!policy->marks[block])
            return block;
    return drawn;
}

const struct replacement_ops replacement_random = {
    .name = "random", .uses = USES_MARKS | USES_CHANCE,
    .touch = random_touch, .insert = random_insert, .invalidate = random_invalidate, .victim = random_victim
};
