/* The table of policies, and functions that several of them share. The policies themselves: the other files. */
#include "memsys/policy/replacement.h"

#include <stdlib.h>

#include "memsys/policy/policy_params.h"

#define REPLACEMENT_DECLARATION(kind, name) extern const struct replacement_ops replacement_##name;
REPLACEMENT_POLICIES(REPLACEMENT_DECLARATION)

#define POLICY_ROW(kind, name) [REPLACEMENT_##kind] = &replacement_##name,
static const struct replacement_ops *const policies[] = {REPLACEMENT_POLICIES(POLICY_ROW)};

struct fault replacement_check(const char *cache, uint64_t kind, uint64_t assoc)
{
    uint64_t above = 2;

    assert(kind <= REPLACEMENT_MODULE);
    if (kind == REPLACEMENT_MODULE)
        return fault_none();
    if (!policies[kind]->needs_power_of_two || (assoc >= 2 && (assoc & (assoc - 1)) == 0))
        return fault_none();
    while (above < assoc)
        above *= 2;
    return fault_make(FAULT_INPUT, "%s.replacement: %s needs a power of two of at least 2 ways, but %s.assoc is %llu; "
                      "give %s.assoc: %llu, or another policy such as lru", cache, policies[kind]->name, cache,
                      (unsigned long long)assoc, cache, (unsigned long long)above);
}

bool replacement_uses_chance(uint64_t kind)
{
    return kind == REPLACEMENT_MODULE || (policies[kind]->uses & USES_CHANCE) != 0;
}

struct fault replacement_init(struct replacement *policy, struct sim *sim, uint64_t kind, uint32_t block_count,
                              uint32_t assoc)
{
    *policy = (struct replacement){.sim = sim};
    FORWARD(replacement_check("cache", kind, assoc));
    return replacement_init_of(policy, sim, policies[kind], block_count, assoc);
}

struct fault replacement_init_of(struct replacement *policy, struct sim *sim, const struct replacement_ops *ops,
                                 uint32_t block_count, uint32_t assoc)
{
    *policy = (struct replacement){.sim = sim, .assoc = assoc, .set_count = block_count / assoc, .ops = ops};
    if (ops->uses & USES_STAMPS)
        policy->stamps = calloc(block_count, sizeof *policy->stamps);
    if (ops->uses & USES_MARKS)
        policy->marks = calloc(block_count, sizeof *policy->marks);
    if (ops->own_bytes)
        policy->own = calloc(1, ops->own_bytes(policy));
    if (((ops->uses & USES_STAMPS) && !policy->stamps) || ((ops->uses & USES_MARKS) && !policy->marks)
        || (ops->own_bytes && !policy->own))
        return fault_make(FAULT_MEMORY, "out of memory for the replacement state of %u blocks", block_count);
    if (ops->start)
        ops->start(policy);
    return fault_none();
}

void replacement_free(struct replacement *policy)
{
    free(policy->stamps);
    free(policy->marks);
    free(policy->own);
    *policy = (struct replacement){0};
}

static void rank_set(uint64_t *stamps, uint32_t assoc)
{
    uint64_t done = 0;                   /* the largest stamp that has its rank */

    for (uint64_t rank = 1;; rank++) {
        uint64_t next = UINT64_MAX;

        for (uint32_t way = 0; way < assoc; way++)
            if (stamps[way] > done && stamps[way] < next)
                next = stamps[way];
        if (next == UINT64_MAX)
            return;
        for (uint32_t way = 0; way < assoc; way++)
            if (stamps[way] == next)
                stamps[way] = rank;
        done = next;
    }
}

void replacement_rank(struct replacement *policy)
{
    if (!(policy->ops->uses & USES_TICKS))
        return;
    for (uint32_t set = 0; set < policy->set_count; set++)
        rank_set(policy->stamps + (size_t)set * policy->assoc, policy->assoc);
}

void stamp_now(struct replacement *policy, uint32_t block, const struct packet *packet)
{
    (void)packet;
    policy->stamps[block] = sim_now_ps(policy->sim);
}

void stamp_clear(struct replacement *policy, uint32_t block)
{
    policy->stamps[block] = 0;
}

uint32_t stamp_smallest_among(struct replacement *policy, uint32_t first, uint32_t count)
{
    const uint64_t *const stamps = policy->stamps;
    uint32_t smallest = first;

    for (uint32_t block = first + 1; block < first + count; block++)
        if (stamps[block] < stamps[smallest])
            smallest = block;
    return smallest;
}

uint32_t stamp_smallest(struct replacement *policy, uint32_t first_block)
{
    return stamp_smallest_among(policy, first_block, policy->assoc);
}

bool replacement_chance(struct replacement *policy, uint32_t percent)
{
    assert((policy->ops->uses & USES_CHANCE) != 0);
    return random_uniform(&policy->sim->random, 1, 100) <= percent;
}
