/* Tag store of a set-associative cache: which line is where, in what state (classic-memory 4.2, 4.3).
 *
 * A block is named by its number, set * assoc + way. The set of a line is its number (address / line size) modulo the
 * number of sets. The temporary block, which holds a fill that may not allocate, has the second number after the last;
 * the one between never holds a line. The ticks at which fills are complete are kept in a separate list, for the few
 * blocks whose tick is in the future; these have the mark BLOCK_LATE.
 *
 * States of a block are sets of marks; D, W, R are BLOCK_DIRTY, _WRITABLE, _READABLE, always with BLOCK_VALID:
 *
 *   M  R W D  modified                        fill, shared         upgrade            store
 *   O  R   D  owned: dirty, copies elsewhere    I ------------> S --------------> E ------------> M
 *   E  R W    exclusive                         I ------------------------------> E               |
 *   S  R      shared                                fill, alone                                   |
 *   I         invalid: no mark but P            S <------------- snoop: read ---- E               |
 *   (P: BLOCK_PREFETCHED)                       O <------------- snoop: read ---------------------+
 *
 *   transition              made by
 *   I -> S, E, M            fill.c: fill(), by has_sharers and cache_responding of the response
 *   S -> E, M; O -> M       the same, for the answer to an upgrade
 *   I -> S, E, O, M         cache.c: access_writeback(), of a line that a cache above gives up: D if it was dirty, W if
 *                           it had no sharers
 *   S -> E, O, M; E, O -> M the same, for a line that is here already
 *   E -> M                  cache_internal.h: cache_satisfy(), of a store
 *   O -> S, M -> E          cache_internal.h: cache_pass_dirty_up(): the cache above becomes the owner
 *   E -> S, M -> O          snoop.c: cache_snoop_block(), of a read; fill.c: serve_targets(), of a read snooped
 *                           while the line was on its way (post_downgrade)
 *   any -> I                cache_internal.h: cache_invalidate(), for a snoop, an eviction, a request from above
 *                           (InvalidateReq), cache_maintain_clusivity(), or a response that takes the line away
 *   R is cleared            cache.c: queue_miss(), fill.c: retire_mshr(), while an upgrade is pending; fill() sets it
 *   R, W are cleared        cache.c: handle_locked_hit(), fill.c: lock_line(), while a locked read holds the line;
 *                           cache.c: cache_serve(), of the locked write, sets them
 *
 * The fast engine makes the same transitions in memsys/fast/cache_fills.c, cache_lines.c and cache_try.c.
 *
 * Invariants: a line is in one block of its set at most; W without R, or neither in a valid block, means one of the
 * last two rows; the temporary block is valid only while its fill serves targets, or while a locked read holds it.
 *
 * Hook: `table` is where the numbers of lines are kept and searched. It is the tag store's own, unless the fast engine
 * puts another in its place before the first access (memsys/fast/ways.h), LRU's stamps with it.
 * Use: tags_find without side effect, tags_touch when an access counts, tags_victim + tags_insert for a fill,
 * tags_invalidate; the tables only through the functions. Ownership: tags_free frees what tags_init took. Out of
 * memory in tags_insert and tags_complete is sim_out_of_memory. */
#ifndef MEMSYS_CACHE_TAGS_H
#define MEMSYS_CACHE_TAGS_H

#include "memsys/policy/replacement.h"

#define BLOCK_NONE UINT32_MAX

/* BLOCK_PREFETCHED is the reference's mark, with its oddities. BLOCK_UNUSED: the cache's own prefetch brought the line,
 * and no request has used it; BLOCK_COUNTED: this prefetch counts in struct prefetch_figures. */
enum block_flag {
    BLOCK_READABLE = 1, BLOCK_WRITABLE = 2, BLOCK_DIRTY = 4, BLOCK_PREFETCHED = 8, BLOCK_LATE = 16,
    BLOCK_UNUSED = 32, BLOCK_COUNTED = 64, BLOCK_VALID = 128
};

struct late_fill {
    uint64_t ready_ps;
    uint32_t block;
};

struct cache_params;
struct tags;
struct way;

struct tags_table {
    /* Block that holds the line, BLOCK_NONE if none; never the temporary block. */
    uint32_t (*find)(const struct tags *tags, uint64_t line);
    uint64_t (*line)(const struct tags *tags, uint32_t block);              /* of a valid block */
    void (*put)(struct tags *tags, uint32_t block, uint64_t line);
    void (*clear)(struct tags *tags, uint32_t block);
    void (*rank)(struct tags *tags);                                        /* tags_rank */
    void (*free)(struct tags *tags);
};

struct tags {
    uint16_t *flags;                 /* [block]: enum block_flag */
    uint32_t assoc, block_count;
    uint32_t temporary;              /* number of the temporary block */
    unsigned line_shift;
    /* ---- kept for memsys/fast/ways.h; no meaning here */
    struct way *ways;
    uint64_t near_lines, set_mask;
    uint64_t age_base_ps;
    uint32_t *highs;

    struct late_fill *late;          /* the youngest last: all that lie ahead, and others; the last of a block counts */
    uint32_t late_count, late_room;
    struct replacement policy;
    requestor_id *fillers;           /* [block]: requestor of the fill; NULL before tags_keep_fillers */
    const struct tags_table *table;
    uint64_t *lines;                 /* [block]: number of its line */
    uint64_t set_count;
};

struct fault tags_init(struct tags *tags, struct sim *sim, const struct cache_params *params);
/* From now on the requestors of fills are kept, for tags_filled_by. FAULT_MEMORY. */
struct fault tags_keep_fillers(struct tags *tags);
void tags_free(struct tags *tags);

static inline bool tags_has(const struct tags *tags, uint32_t block, unsigned flag)
{
    return (tags->flags[block] & flag) != 0;
}

static inline bool tags_is_valid(const struct tags *tags, uint32_t block)
{
    return block != BLOCK_NONE && tags_has(tags, block, BLOCK_VALID);
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

/* Before a run begins at tick 0: the order of what was touched at other ticks stays (replacement_rank). */
void tags_rank(struct tags *tags);

/* Are all fills complete? */
bool tags_are_complete(const struct tags *tags);

void tags_make_late_room(struct tags *tags);

/* The block gets the marks `flags`, and is complete at ready_ps. */
static inline void tags_complete(struct tags *tags, uint32_t block, unsigned flags, uint64_t ready_ps)
{
    if (tags->late_count == tags->late_room)
        tags_make_late_room(tags);
    tags->late[tags->late_count++] = (struct late_fill){ready_ps, block};
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

/* Did `requestor` cause the fill? After tags_keep_fillers. */
static inline bool tags_filled_by(const struct tags *tags, uint32_t block, requestor_id requestor)
{
    return tags->fillers[block] == requestor;
}

/* Number of the line of a valid block. */
static inline uint64_t tags_line(const struct tags *tags, uint32_t block)
{
    return tags->table->line(tags, block);
}

static inline uint64_t tags_address(const struct tags *tags, uint32_t block)
{
    return tags_line(tags, block) << tags->line_shift;
}

static inline uint32_t tags_set_of(const struct tags *tags, uint64_t line)
{
    return (uint32_t)(line % tags->set_count);
}

/* The first block of the line's set. */
static inline uint32_t tags_first(const struct tags *tags, uint64_t line)
{
    return tags_set_of(tags, line) * tags->assoc;
}

/* Block that holds the address's line, BLOCK_NONE if none; never the temporary block. */
static inline uint32_t tags_find(const struct tags *tags, uint64_t address)
{
    return tags->table->find(tags, address >> tags->line_shift);
}

/* packet: the access that finds the block. */
static inline void tags_touch(struct tags *tags, uint32_t block, const struct packet *packet)
{
    tags->policy.ops->touch(&tags->policy, block, packet);
}

/* Block that a fill of this address reuses; may be valid. */
static inline uint32_t tags_victim(struct tags *tags, uint64_t address)
{
    return tags->policy.ops->victim(&tags->policy, tags_first(tags, address >> tags->line_shift));
}

/* The same among `count` ways from `way` on: an invalid one first. Only of a policy with victim_among. */
uint32_t tags_victim_among(struct tags *tags, uint64_t address, uint32_t way, uint32_t count);

/* Puts the line of the packet, a response or a write-back, into the block, which is invalid or was just evicted. The
 * line has no permissions yet (the mark `prefetched` may be left over, classic-memory 13.5). The caller sets the tick
 * at which it is ready. */
void tags_insert(struct tags *tags, uint32_t block, const struct packet *packet);
/* The same for the temporary block, which no policy sees. */
uint32_t tags_insert_temporary(struct tags *tags, uint64_t address);
/* Clears all marks; also for the temporary block. */
void tags_invalidate(struct tags *tags, uint32_t block);

#endif
