/* Tag store of a set-associative cache: which line is where, in what state (classic-memory 4.2, 4.3).
 *
 * A block is named by its number, set * assoc + way. The temporary block, which holds a fill that may not allocate, has
 * the second number after the last; the one between never holds a line (tags_find_near). What is looked at together
 * stands together: one table of line numbers (address / line size) and LRU's stamps, one of marks, in which the blocks
 * of a set are neighbours. When fills are complete stands apart, for those few blocks of which that lies ahead; they
 * have the mark BLOCK_LATE.
 *
 * The set of a line is its number modulo the number of sets (classic-memory 4.2): for powers of two its low bits. Other
 * numbers take the way of lines beyond near_lines, which is 0 for them, so that they cost the usual look-up nothing.
 *
 * Use: tags_find without side effect, tags_touch when an access counts, tags_victim + tags_insert for a fill,
 * tags_invalidate; the tables only through the functions. Ownership: tags_free frees what tags_init took. Out of
 * memory in tags_insert is sim_out_of_memory. */
#ifndef MEMSYS_CACHE_TAGS_H
#define MEMSYS_CACHE_TAGS_H

#include "base/hints.h"
#include "memsys/policy/replacement.h"

#define BLOCK_NONE UINT32_MAX

/* BLOCK_PREFETCHED is the reference's mark, with its oddities. BLOCK_UNUSED: the cache's own prefetch brought the line,
 * and no request has used it; BLOCK_COUNTED: this prefetch counts in struct prefetch_figures. */
enum block_flag {
    BLOCK_READABLE = 1, BLOCK_WRITABLE = 2, BLOCK_DIRTY = 4, BLOCK_PREFETCHED = 8, BLOCK_LATE = 16,
    BLOCK_UNUSED = 32, BLOCK_COUNTED = 64
};

/* A line number is kept in two parts; the upper one is 0 for all lines of the first 128 GiB, if lines have 64 bytes. */
#define TAGS_LOW_BITS 31
#define TAGS_VALID (UINT32_C(1) << TAGS_LOW_BITS)

struct late_fill {
    uint64_t ready_ps;
    uint32_t block;
};

struct tags {
    struct way *ways;                /* [block]; tag: low part of the line number | TAGS_VALID; 0: nothing valid */
    uint32_t *highs;                 /* [block]: the upper part; NULL while it is 0 for all blocks */
    uint16_t *flags;                 /* [block]: enum block_flag */
    requestor_id *fillers;           /* [block]: who caused the fill; NULL unless somebody asks */
    struct late_fill *late;          /* the youngest last: all that lie ahead, and others; the last of a block counts */
    uint32_t late_count, late_room;
    struct replacement policy;
    uint64_t near_lines;             /* below that number the low part suffices: TAGS_VALID; 0 with `highs`, and ... */
    uint64_t set_mask, set_count;    /* ... where the count is no power of two: set_mask + 1 is the one below */
    uint32_t assoc, block_count;
    uint32_t temporary;              /* number of the temporary block */
    unsigned line_shift;
};

struct fault tags_init(struct tags *tags, struct sim *sim, const struct cache_params *params);
/* From now on who caused a fill is kept, for tags_filled_by. FAULT_MEMORY if there is none. */
struct fault tags_keep_fillers(struct tags *tags);
void tags_free(struct tags *tags);

static inline bool tags_is_valid(const struct tags *tags, uint32_t block)
{
    return block != BLOCK_NONE && tags->ways[block].tag != 0;
}

static inline bool tags_has(const struct tags *tags, uint32_t block, unsigned flag)
{
    return (tags->flags[block] & flag) != 0;
}

static inline void tags_set(struct tags *tags, uint32_t block, unsigned flag)
{
    tags->flags[block] |= (uint16_t)flag;
}

static inline void tags_clear(struct tags *tags, uint32_t block, unsigned flag)
{
    tags->flags[block] &= (uint16_t)~flag;
}

/* Clears a mark of all blocks. */
void tags_clear_all(struct tags *tags, unsigned flag);

/* enum block_flag of a block, all of them. */
static inline unsigned tags_flags(const struct tags *tags, uint32_t block)
{
    return tags->flags[block];
}

/* When the block's fill is complete; 0 if it is already. */
uint64_t tags_ready_ps(struct tags *tags, uint32_t block);

/* Are all fills complete? */
bool tags_are_complete(const struct tags *tags);

void tags_make_late_room(struct tags *tags);

/* The block gets the marks `flags`, and is complete at ready_ps. */
static inline void tags_complete(struct tags *tags, uint32_t block, unsigned flags, uint64_t ready_ps)
{
    struct late_fill *late;

    if (tags->late_count == tags->late_room)
        tags_make_late_room(tags);
    late = &tags->late[tags->late_count++];
    late->ready_ps = ready_ps;
    late->block = block;
    tags_set(tags, block, flags | BLOCK_LATE);
}

static inline void tags_set_ready_ps(struct tags *tags, uint32_t block, uint64_t ready_ps)
{
    tags_complete(tags, block, 0, ready_ps);
}

/* Will the fill not be complete at when_ps, which is not in the past? */
static inline bool tags_is_late(struct tags *tags, uint32_t block, uint64_t when_ps)
{
    return tags_has(tags, block, BLOCK_LATE) && tags_ready_ps(tags, block) > when_ps;
}

/* Was it `requestor` who caused the fill? After tags_keep_fillers. */
static inline bool tags_filled_by(const struct tags *tags, uint32_t block, requestor_id requestor)
{
    return tags->fillers[block] == requestor;
}

static inline uint64_t tags_high(const struct tags *tags, uint32_t block)
{
    return tags->highs ? tags->highs[block] : 0;
}

/* Of a valid block. */
static inline uint64_t tags_line(const struct tags *tags, uint32_t block)
{
    return (tags->ways[block].tag & ~TAGS_VALID) | tags_high(tags, block) << TAGS_LOW_BITS;
}

static inline uint64_t tags_address(const struct tags *tags, uint32_t block)
{
    return tags_line(tags, block) << tags->line_shift;
}

static inline uint32_t tags_set_of(const struct tags *tags, uint64_t line)
{
    return (uint32_t)(tags->set_mask + 1 == tags->set_count ? line & tags->set_mask : line % tags->set_count);
}

/* The first block of the line's set. */
static inline uint32_t tags_first(const struct tags *tags, uint64_t line)
{
    return tags_set_of(tags, line) * tags->assoc;
}

/* tags_find where upper parts matter. */
uint32_t tags_find_far(const struct tags *tags, uint64_t line);

/* Do upper parts matter for this address, or is the number of sets no power of two? */
static inline bool tags_is_far(const struct tags *tags, uint64_t address)
{
    return address >> tags->line_shift >= tags->near_lines;
}

/* Block that holds the address's line, BLOCK_NONE if none; never the temporary block. */
static inline uint32_t tags_find(const struct tags *tags, uint64_t address)
{
    uint64_t const line = address >> tags->line_shift;
    uint32_t const low = (uint32_t)line | TAGS_VALID;
    uint32_t const first = (uint32_t)(line & tags->set_mask) * tags->assoc;
    const struct way *const ways = tags->ways + first;
    uint32_t way;

    if (line >= tags->near_lines)
        return tags_find_far(tags, line);
    if (ways[0].tag == low)
        return first;
    way = way_search(ways, tags->assoc, low);
    return way == tags->assoc ? BLOCK_NONE : first + way;
}

/* For sets of few ways, without a call. False may be wrong for lines from near_lines on: tags_find decides. Which of
 * the first two ways it is costs no branch: nobody can guess it. In a set of one way the second look is at a block that
 * holds another line, or none. */
static inline bool tags_find_near(const struct tags *tags, uint64_t address, uint32_t *block)
{
    uint64_t const line = address >> tags->line_shift;
    uint32_t const low = (uint32_t)line | TAGS_VALID;
    size_t const first = (line & tags->set_mask) * tags->assoc;
    const struct way *const ways = tags->ways + first;
    size_t way = ways[0].tag != low;

    if (line >= tags->near_lines)
        return false;
    while (ways[way].tag != low)
        if (++way >= tags->assoc)
            return false;
    *block = (uint32_t)(first + way);
    return true;
}

/* The set of this address will be looked at. */
static inline void tags_prefetch_hint(const struct tags *tags, uint64_t address)
{
    uint32_t const first = (uint32_t)((address >> tags->line_shift) & tags->set_mask) * tags->assoc;

    PREFETCH(&tags->ways[first]);
    PREFETCH(&tags->flags[first]);
}

/* packet: the access that finds the block. */
static inline void tags_touch(struct tags *tags, uint32_t block, const struct packet *packet)
{
    if (tags->policy.ops == &replacement_lru)        /* the usual one, in line */
        age_now(&tags->policy, block);
    else
        tags->policy.ops->touch(&tags->policy, block, packet);
}

/* Block that a fill of this address reuses; may be valid. */
static inline uint32_t tags_victim(struct tags *tags, uint64_t address)
{
    uint32_t const first = tags_first(tags, address >> tags->line_shift);

    if (tags->policy.ops != &replacement_lru)
        return tags->policy.ops->victim(&tags->policy, first);
    /* The policy would answer the same: the stamp of an invalid block is 0. But a page of the host that is read before
     * it is written costs a second page fault, which matters while a cache is cold. */
    return tags->ways[first].tag == 0 ? first : age_oldest(&tags->policy, first);
}

/* The same among `count` ways from `way` on, of LRU only: the least recently used, an invalid one first. */
uint32_t tags_victim_among(const struct tags *tags, uint64_t address, uint32_t way, uint32_t count);

/* Use tags_insert: these are its rare halves, for a line from near_lines on, and when somebody asks who fills. */
void tags_set_far_line(struct tags *tags, uint32_t block, uint64_t line);
void tags_note_filler(struct tags *tags, uint32_t block, const struct packet *packet);

static inline void tags_set_line(struct tags *tags, uint32_t block, uint64_t line)
{
    tags->ways[block].tag = (uint32_t)line | TAGS_VALID;
    if (line >= tags->near_lines)
        tags_set_far_line(tags, block, line);
}

/* The block, invalid until now, or evicted but for a mark that is lost, takes the line of the packet, which is a
 * response or a write-back: no permission yet (the mark `prefetched` may be left over, classic-memory 13.5). The caller
 * says when it is ready. */
static inline void tags_insert(struct tags *tags, uint32_t block, const struct packet *packet)
{
    tags_set_line(tags, block, packet->address >> tags->line_shift);
    tags->flags[block] &= BLOCK_PREFETCHED;
    if (tags->fillers)
        tags_note_filler(tags, block, packet);
    if (tags->policy.ops == &replacement_lru)
        age_now(&tags->policy, block);
    else
        tags->policy.ops->insert(&tags->policy, block, packet);
}

/* The same for the temporary block, which no policy sees. */
uint32_t tags_insert_temporary(struct tags *tags, uint64_t address);
/* Clears all marks; also for the temporary block. */
static inline void tags_invalidate(struct tags *tags, uint32_t block)
{
    if (block != tags->temporary) {
        if (tags->policy.ops == &replacement_lru)
            tags->ways[block].age = 0;
        else
            tags->policy.ops->invalidate(&tags->policy, block);
    }
    tags->ways[block].tag = 0;
    tags->flags[block] = 0;
}

#endif
