/* Modelled: tree pseudo-LRU (classic-memory 14). A set of n ways has n - 1 nodes; node i has the children 2i + 1 and
 * 2i + 2, the ways are the leaves n - 1 .. 2n - 2. A node points to its right child where it is true, at first to the
 * left. The nodes of a set are kept in the marks of its blocks: node i in that of way i, the last one is unused. */
#include "memsys/policy/replacement.h"

/* All nodes above the block point to it, or all away from it. */
static void point(struct replacement *policy, uint32_t block, bool towards)
{
    uint32_t const way = block & (policy->assoc - 1);
    uint8_t *const nodes = &policy->marks[block - way];
    uint32_t node = way + policy->assoc - 1;

    do {
        bool const is_right_child = node % 2 == 0;

        node = (node - 1) / 2;
        nodes[node] = is_right_child == towards;
    } while (node != 0);
}

static void plru_touch(struct replacement *policy, uint32_t block, const struct packet *packet)
{
    (void)packet;
    point(policy, block, false);
}

static void plru_invalidate(struct replacement *policy, uint32_t block)
{
    point(policy, block, true);
}

static uint32_t plru_victim(struct replacement *policy, uint32_t first_block)
{
    const uint8_t *const nodes = &policy->marks[first_block];
    uint32_t node = 0;

    while (node < policy->assoc - 1)
        node = 2 * node + 1 + nodes[node];
    return first_block + node - (policy->assoc - 1);
}

const struct replacement_ops replacement_tree_plru = {
    .name = "tree_plru", .uses = USES_MARKS, .needs_power_of_two = true, .skips_repeats = true,
    .touch = plru_touch, .insert = plru_touch, .invalidate = plru_invalidate, .victim = plru_victim
};
