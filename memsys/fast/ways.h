/* Tags whose ways are 8 bytes each, LRU's stamp included.
 *
 * Shortcut: the plain tag store has 8 bytes of line number and, with LRU, 8 bytes of stamp for each block, in two
 * tables, and calls a function for each step. Here a way is the low part of the line number and an age of 32 bits,
 * side by side, so that a set is one line of the host or little more; several ways are compared at once.
 * Why the result is the same: a line number is kept in two parts, of which the upper one is 0 for all lines of the
 * first 128 GiB, if lines have 64 bytes; beyond, both parts are compared. Ages are ticks from age_base_ps on, which
 * last for 4 ms; ways_renew_ages then turns the ages of each set into their ranks, which keeps their order, and moves
 * the base. Compared with the plain tag store by tests/unit/memsys/cache/test_tags.c and test_replacement.c.
 *
 * Use: ways_bind before the first access. From then on the functions of tags.h work on ways, too; those below do the
 * same in line. They find a set with a mask: other numbers of sets than powers of two take the way of lines beyond
 * near_lines, which is 0 for them, so that they cost the usual look-up nothing. */
#ifndef MEMSYS_FAST_WAYS_H
#define MEMSYS_FAST_WAYS_H

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "base/hints.h"
#include "memsys/cache/tags.h"

struct way {
    uint32_t tag;                    /* low part of the line number | WAYS_VALID; 0: nothing valid */
    uint32_t age;                    /* LRU's stamp */
};

#define WAYS_LOW_BITS 31
#define WAYS_VALID (UINT32_C(1) << WAYS_LOW_BITS)

/* Once: the ways take the memory of the plain table, which is as large. */
void ways_bind(struct tags *tags);

/* With LRU? Before or after ways_bind. */
bool ways_are_lru(const struct tags *tags);

/* Index of the first of `count` ways with that tag; `count` if none has it. */
static inline uint32_t way_search(const struct way *ways, uint32_t count, uint32_t tag)
{
    uint32_t i = 0;

#if defined(__SSE2__)
    for (; i + 8 <= count; i += 8) {
        __m128i const pattern = _mm_set1_epi32((int)tag);
        __m128i equal[4];
        unsigned places;

        for (unsigned two = 0; two < 4; two++)
            equal[two] = _mm_cmpeq_epi32(_mm_loadu_si128((const void *)(ways + i + 2 * two)), pattern);
        places = (unsigned)_mm_movemask_epi8(_mm_packs_epi16(_mm_packs_epi32(equal[0], equal[1]),
                                                             _mm_packs_epi32(equal[2], equal[3])));
        places &= 0x5555;                    /* two bits a word: one of each tag's */
        if (places != 0)
            return i + (uint32_t)__builtin_ctz(places) / 2;
    }
#endif
    for (; i < count; i++)
        if (ways[i].tag == tag)
            return i;
    return count;
}

/* tags_find where upper parts matter. */
uint32_t ways_find_far(const struct tags *tags, uint64_t line);

/* Do upper parts matter for this address, or is the number of sets no power of two? */
static inline bool ways_are_far(const struct tags *tags, uint64_t address)
{
    return address >> tags->line_shift >= tags->near_lines;
}

/* tags_find of a line number */
static inline uint32_t ways_find_line(const struct tags *tags, uint64_t line)
{
    uint32_t const low = (uint32_t)line | WAYS_VALID;
    uint32_t const first = (uint32_t)(line & tags->set_mask) * tags->assoc;
    const struct way *const ways = tags->ways + first;
    uint32_t way;

    if (unlikely(line >= tags->near_lines))
        return ways_find_far(tags, line);
    if (ways[0].tag == low)
        return first;
    way = way_search(ways, tags->assoc, low);
    return way == tags->assoc ? BLOCK_NONE : first + way;
}

static inline uint32_t ways_find(const struct tags *tags, uint64_t address)
{
    return ways_find_line(tags, address >> tags->line_shift);
}

/* For sets of few ways, without a call. False may be wrong for lines from near_lines on: ways_find decides. Which of
 * the first two ways it is costs no branch: it cannot be predicted. In a set of one way the second look is at a block
 * that holds another line, or none. */
static inline bool ways_find_near(const struct tags *tags, uint64_t address, uint32_t *block)
{
    uint64_t const line = address >> tags->line_shift;
    uint32_t const low = (uint32_t)line | WAYS_VALID;
    size_t const first = (line & tags->set_mask) * tags->assoc;
    const struct way *const ways = tags->ways + first;
    size_t way = ways[0].tag != low;

    if (unlikely(line >= tags->near_lines))
        return false;
    while (unlikely(ways[way].tag != low))
        if (++way >= tags->assoc)
            return false;
    *block = (uint32_t)(first + way);
    return true;
}

/* The set of this address will be looked at. */
static inline void ways_prefetch_hint(const struct tags *tags, uint64_t address)
{
    uint32_t const first = (uint32_t)((address >> tags->line_shift) & tags->set_mask) * tags->assoc;

    PREFETCH(&tags->ways[first]);
    PREFETCH(&tags->flags[first]);
}

/* Number of the line of a valid block. */
static inline uint64_t ways_line(const struct tags *tags, uint32_t block)
{
    return (tags->ways[block].tag & ~WAYS_VALID) | (uint64_t)(tags->highs ? tags->highs[block] : 0) << WAYS_LOW_BITS;
}

/* ---- LRU */

/* The slow part of ways_age_now: ticks too old for an age become 1, 2, .. in the same order, set by set; 0 stays.
 * Returns the age of now, which is above these. */
uint32_t ways_renew_ages(struct tags *tags);

/* Is ways_age_now without ways_renew_ages at now_ps? */
static inline bool ways_age_will_be_short(const struct tags *tags, uint64_t now_ps)
{
    return now_ps - tags->age_base_ps <= UINT32_MAX;
}

static inline bool ways_age_is_short(const struct tags *tags)
{
    return ways_age_will_be_short(tags, sim_now_ps(tags->policy.sim));
}

/* The same at when_ps, for which ways_age_will_be_short. */
static inline void ways_age_at(struct tags *tags, uint32_t block, uint64_t when_ps)
{
    tags->ways[block].age = (uint32_t)(when_ps - tags->age_base_ps);
}

static inline void ways_age_now(struct tags *tags, uint32_t block)
{
    uint64_t const age = sim_now_ps(tags->policy.sim) - tags->age_base_ps;

    tags->ways[block].age = likely(age <= UINT32_MAX) ? (uint32_t)age : ways_renew_ages(tags);
}

/* A choice without a branch: the oldest way cannot be predicted. */
static inline uint32_t ways_oldest(const struct tags *tags, uint32_t first, uint32_t count)
{
    const struct way *const ways = tags->ways + first;
    uint32_t oldest = ways[0].age;
    uint32_t way = 0;

    for (uint32_t i = 1; i < count; i++) {
        uint32_t const age = ways[i].age;

        way = age < oldest ? i : way;
        oldest = age < oldest ? age : oldest;
    }
    return first + way;
}

/* Policies of tags with ways and LRU. */
extern const struct replacement_ops replacement_ages;

/* ---- the functions of tags.h, in line for LRU */

static inline void ways_touch(struct tags *tags, uint32_t block, const struct packet *packet)
{
    if (likely(tags->policy.ops == &replacement_ages))
        ways_age_now(tags, block);
    else
        tags->policy.ops->touch(&tags->policy, block, packet);
}

static inline uint32_t ways_victim(struct tags *tags, uint64_t address)
{
    uint64_t const line = address >> tags->line_shift;
    uint32_t const set = (uint32_t)(likely(tags->set_mask + 1 == tags->set_count) ? line & tags->set_mask
                                                                                  : line % tags->set_count);
    uint32_t const first = set * tags->assoc;

    if (unlikely(tags->policy.ops != &replacement_ages))
        return tags->policy.ops->victim(&tags->policy, first);
    /* The policy would answer the same: the stamp of an invalid block is 0. But a page of the host that is read before
     * it is written costs a second page fault, which matters while a cache is cold. */
    return tags->ways[first].tag == 0 ? first : ways_oldest(tags, first, tags->assoc);
}

/* Rare half of ways_put: a line from near_lines on. */
void ways_put_far(struct tags *tags, uint32_t block, uint64_t line);

static inline void ways_put(struct tags *tags, uint32_t block, uint64_t line)
{
    tags->ways[block].tag = (uint32_t)line | WAYS_VALID;
    if (unlikely(line >= tags->near_lines))
        ways_put_far(tags, block, line);
}

static inline void ways_insert(struct tags *tags, uint32_t block, const struct packet *packet)
{
    ways_put(tags, block, packet->address >> tags->line_shift);
    tags->flags[block] = (uint16_t)((tags->flags[block] & BLOCK_PREFETCHED) | BLOCK_VALID);
    if (unlikely(tags->fillers != NULL))
        tags->fillers[block] = packet->request.requestor;
    if (likely(tags->policy.ops == &replacement_ages))
        ways_age_now(tags, block);
    else
        tags->policy.ops->insert(&tags->policy, block, packet);
}

#endif
