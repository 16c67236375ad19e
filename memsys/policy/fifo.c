/* Modelled: FIFO and second chance (classic-memory 14). The stamp is a number of the cache's own count, taken at the
 * fill and at the invalidation, so that an invalid block is not preferred: it goes to the end of the queue. Blocks
 * that never held anything have stamp 0 and come first. Second chance: the mark says that the block was used since it
 * got its number. */
#include "memsys/policy/replacement.h"

static void fifo_touch(struct replacement *policy, uint32_t block, const struct packet *packet)
{
    (void)policy;
    (void)block;
    (void)packet;
}

static void fifo_invalidate(struct replacement *policy, uint32_t block)
{
    policy->stamps[block] = ++policy->counter;
}

static void fifo_insert(struct replacement *policy, uint32_t block, const struct packet *packet)
{
    (void)packet;
    fifo_invalidate(policy, block);
}

static void second_chance_touch(struct replacement *policy, uint32_t block, const struct packet *packet)
{
    (void)packet;
    policy->marks[block] = true;
}

static void second_chance_invalidate(struct replacement *policy, uint32_t block)
{
    fifo_invalidate(policy, block);
    policy->marks[block] = false;
}

static void second_chance_insert(struct replacement *policy, uint32_t block, const struct packet *packet)
{
    (void)packet;
    second_chance_invalidate(policy, block);
}

static uint32_t second_chance_victim(struct replacement *policy, uint32_t first_block)
{
    uint32_t victim = stamp_smallest(policy, first_block);

    while (policy->marks[victim]) {
        second_chance_invalidate(policy, victim);    /* to the end of the queue, its chance is used */
        victim = stamp_smallest(policy, first_block);
    }
    return victim;
}

const struct replacement_ops replacement_fifo = {
    .name = "fifo", .uses = USES_STAMPS,
    .touch = fifo_touch, .insert = fifo_insert, .invalidate = fifo_invalidate, .victim = stamp_smallest
};

const struct replacement_ops replacement_second_chance = {
    .name = "second_chance", .uses = USES_STAMPS | USES_MARKS, .touch = second_chance_touch,
    .insert = second_chance_insert, .invalidate = second_chance_invalidate, .victim = second_chance_victim
};
