/* Tags whose ways are 8 bytes each (ways.h): binding, far lines, LRU's ages.
 *
 * When 32 bits no longer suffice for ages, those of each set become their ranks, of which there are at most as many as
 * ways, and the base moves so that all ticks from now on lie above. No age of the present tick is among them, since the
 * first would have moved the base. */
#include "memsys/fast/ways.h"

#include <stdlib.h>

#include "base/arith.h"
#include "base/host_facts.h"

/* ---- struct tags_table */

NOINLINE uint32_t ways_find_far(const struct tags *tags, uint64_t line)
{
    uint32_t const first = tags_first(tags, line);

    for (uint32_t block = first; block < first + tags->assoc; block++)
        if (tags->ways[block].tag != 0 && ways_line(tags, block) == line)
            return block;
    return BLOCK_NONE;
}

NOINLINE void ways_put_far(struct tags *tags, uint32_t block, uint64_t line)
{
    uint64_t const high = line >> WAYS_LOW_BITS;

    if (high == 0 && !tags->highs)                       /* no power of two of sets */
        return;
    if (high != 0 && !tags->highs) {
        tags->highs = host_lines_zeroed((size_t)tags->block_count + 2, sizeof *tags->highs);
        if (!tags->highs)
            sim_out_of_memory(tags->policy.sim);
        tags->near_lines = 0;
    }
    tags->highs[block] = (uint32_t)high;
}

static uint32_t ways_find_part(const struct tags *tags, uint64_t line)
{
    return ways_find_line(tags, line);
}

static uint64_t ways_line_of(const struct tags *tags, uint32_t block)
{
    return ways_line(tags, block);
}

static void ways_put_part(struct tags *tags, uint32_t block, uint64_t line)
{
    ways_put(tags, block, line);
}

static void ways_clear(struct tags *tags, uint32_t block)
{
    tags->ways[block].tag = 0;
}

static void free_ways(struct tags *tags)
{
    host_lines_free(tags->ways);
    host_lines_free(tags->highs);
    tags->ways = NULL;
    tags->highs = NULL;
    if (tags->policy.ops == &replacement_ages)
        tags->policy.own = NULL;         /* the tags themselves */
}

/* ---- LRU */

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
        for (uint32_t way = 0; way < assoc && next != rank; way++)      /* pages are written only where ages change */
            if (ways[way].age == next)
                ways[way].age = rank;
        done = next;
    }
}

static void rank_sets(struct tags *tags)
{
    for (uint32_t set = 0; set < tags->set_count; set++)
        rank_set(tags->ways + (size_t)set * tags->assoc, tags->assoc);
}

static void ways_rank(struct tags *tags)
{
    if (tags->policy.ops != &replacement_ages) {
        replacement_rank(&tags->policy);
        return;
    }
    rank_sets(tags);
    tags->age_base_ps = 0;
}

NOINLINE uint32_t ways_renew_ages(struct tags *tags)
{
    rank_sets(tags);
    tags->age_base_ps = sim_now_ps(tags->policy.sim) - tags->assoc - 1;
    return tags->assoc + 1;
}

static void ways_touch_part(struct replacement *policy, uint32_t block, const struct packet *packet)
{
    (void)packet;
    ways_age_now(policy->own, block);
}

static void invalidate(struct replacement *policy, uint32_t block)
{
    struct tags *const tags = policy->own;

    tags->ways[block].age = 0;
}

static uint32_t victim_among(struct replacement *policy, uint32_t first, uint32_t count)
{
    return ways_oldest(policy->own, first, count);
}

static uint32_t victim(struct replacement *policy, uint32_t first_block)
{
    return ways_oldest(policy->own, first_block, policy->assoc);
}

const struct replacement_ops replacement_ages = {
    .name = "lru", .skips_repeats = true, .touch = ways_touch_part, .insert = ways_touch_part,
    .invalidate = invalidate, .victim = victim, .victim_among = victim_among
};

bool ways_are_lru(const struct tags *tags)
{
    return tags->policy.ops == &replacement_lru || tags->policy.ops == &replacement_ages;
}

_Static_assert(sizeof(struct way) == sizeof(uint64_t), "a way takes the place of a line number");

void ways_bind(struct tags *tags)
{
    static const struct tags_table table = {ways_find_part, ways_line_of, ways_put_part, ways_clear, ways_rank,
                                            free_ways};

    assert(!tags->ways);
    tags->ways = (struct way *)(void *)tags->lines;      /* all zero, as no access has come */
    tags->lines = NULL;
    tags->table = &table;
    tags->set_mask = (UINT64_C(1) << log2_down(tags->set_count)) - 1;
    tags->near_lines = is_power_of_two(tags->set_count) ? WAYS_VALID : 0;
    tags->age_base_ps = 0;
    if (ways_are_lru(tags)) {
        free(tags->policy.stamps);
        tags->policy.stamps = NULL;
        tags->policy.ops = &replacement_ages;
        tags->policy.own = tags;
    }
}
