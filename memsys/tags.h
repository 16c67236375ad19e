/* Tag store of a set-associative cache: which line is where, in what state (classic-memory 4.2, 4.3).
 *
 * A block is named by its number, set * assoc + way; the temporary block, which holds a fill that may not allocate,
 * has the number after the last. Line numbers (address / line size) lie in an array of their own, so that a look-up
 * reads one or two cache lines of the host.
 *
 * Use: tags_find without side effect, tags_touch when an access counts, tags_victim + tags_insert for a fill,
 * tags_invalidate. Ownership: tags_free frees what tags_init took. */
#ifndef MEMSYS_TAGS_H
#define MEMSYS_TAGS_H

#include "memsys/hints.h"
#include "memsys/replacement.h"

#define BLOCK_NONE UINT32_MAX
#define LINE_INVALID UINT64_MAX      /* no line has this number: lines are at least 16 bytes */

enum block_flag { BLOCK_READABLE = 1, BLOCK_WRITABLE = 2, BLOCK_DIRTY = 4, BLOCK_PREFETCHED = 8 };

struct block_state {
    uint64_t when_ready_ps;          /* the fill is complete */
    requestor_id filler;             /* who caused the fill */
    uint8_t flags;                   /* enum block_flag */
};

struct tags {
    uint64_t *lines;                 /* [block]; LINE_INVALID where nothing valid is */
    struct block_state *states;      /* [block] */
    struct replacement policy;
    uint64_t set_mask;
    uint32_t assoc, block_count;
    uint32_t temporary;              /* number of the temporary block */
    unsigned line_shift;
};

struct fault tags_init(struct tags *tags, struct sim *sim, const struct cache_params *params);
void tags_free(struct tags *tags);

static inline bool tags_is_valid(const struct tags *tags, uint32_t block)
{
    return block != BLOCK_NONE && tags->lines[block] != LINE_INVALID;
}

static inline bool tags_has(const struct tags *tags, uint32_t block, unsigned flag)
{
    return (tags->states[block].flags & flag) != 0;
}

static inline void tags_set(struct tags *tags, uint32_t block, unsigned flag)
{
    tags->states[block].flags |= (uint8_t)flag;
}

static inline void tags_clear(struct tags *tags, uint32_t block, unsigned flag)
{
    tags->states[block].flags &= (uint8_t)~flag;
}

static inline uint64_t tags_address(const struct tags *tags, uint32_t block)
{
    return tags->lines[block] << tags->line_shift;
}

/* Block that holds the address's line, BLOCK_NONE if none; never the temporary block. */
static inline uint32_t tags_find(const struct tags *tags, uint64_t address)
{
    uint64_t const line = address >> tags->line_shift;
    uint32_t const first = (uint32_t)(line & tags->set_mask) * tags->assoc;
    const uint64_t *const lines = tags->lines + first;

    if (lines[0] == line)
        return first;
    for (uint32_t way = 1; way < tags->assoc; way++)
        if (lines[way] == line)
            return first + way;
    return BLOCK_NONE;
}

/* The set of this address will be looked at. */
static inline void tags_expect(const struct tags *tags, uint64_t address)
{
    uint32_t const first = (uint32_t)((address >> tags->line_shift) & tags->set_mask) * tags->assoc;

    FETCH_SOON(&tags->lines[first]);
    FETCH_SOON(&tags->states[first]);
    FETCH_SOON(&tags->states[first + tags->assoc / 2]);
    if (tags->policy.stamps)
        FETCH_SOON(&tags->policy.stamps[first]);
}

/* packet: the access that finds the block. */
static inline void tags_touch(struct tags *tags, uint32_t block, const struct packet *packet)
{
    if (USUALLY(tags->policy.ops == &replacement_lru))        /* the usual one, in line */
        stamp_now(&tags->policy, block, packet);
    else
        tags->policy.ops->touch(&tags->policy, block, packet);
}

/* Block that a fill of this address reuses; may be valid. */
uint32_t tags_victim(struct tags *tags, uint64_t address);
/* The block, invalid until now, takes the line of the packet, which is a response or a write-back: no permission yet,
 * not ready (the mark `prefetched` may be left over, classic-memory 13.5). */
void tags_insert(struct tags *tags, uint32_t block, const struct packet *packet);
/* The same for the temporary block, which no policy sees. */
uint32_t tags_insert_temporary(struct tags *tags, uint64_t address);
/* Clears all marks; also for the temporary block. */
void tags_invalidate(struct tags *tags, uint32_t block);

#endif
