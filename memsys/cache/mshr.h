/* Miss status holding registers: outstanding misses and the requests that wait for them (classic-memory 4.7).
 *
 * An MSHR has two lists of targets: those that the request in flight (or about to be sent) will serve, and those
 * deferred until it has been answered. Each list keeps summary flags derived from its targets.
 *
 *              open               send                    answer, all served
 *   free ---------------> ready ---------> in service --------------------------> free
 *     |                   ^  | drop         |   |
 *     |                   |  +--> free      |   | answer to a locked read
 *     | locked read hits  +-----------------+   v
 *     +--------------------- deferred left ---- locked ---- locked write --------> free, or ready if some are left
 *
 *   state        in_service  first target                on cache->mshr_ready
 *   ready        no          any                         yes
 *   in service   yes         any                         no
 *   locked       yes         CMD_LockedRMWReadReq        no; the line's R and W are gone (tags.h)
 *
 *   transition               made by
 *   free -> ready            queues.c: cache_allocate_mshr(), enter_mshr()
 *   ready -> in service      queues.c: cache_mark_in_service(), from send.c: cache_send_mshr(), or prefetch.c:
 *                            cache_ask_above() when a cache above answers; a refused or delayed request stays ready
 *   ready -> free            prefetch.c: drop_prefetch(), when a cache above holds the line and no other request joined
 *   in service -> ready      fill.c: retire_mshr(), mshr_promote_deferred(): the deferred targets, and those that a
 *                            ReadRespWithInvalidate left unserved, are a new miss
 *   in service -> free       fill.c: retire_mshr(), cache_free_mshr(), when no target is left
 *   in service -> locked     fill.c: add_placeholder(), retire_mshr()
 *   free -> locked           cache.c: handle_locked_hit(), by way of ready
 *   locked -> free, ready    fill.c: serve_targets(), retire_mshr(), for the answer to the locked write
 *
 * The fast engine makes the first, the second and the fifth transition in memsys/fast/cache_try.c, cache_lines.c and
 * cache_fills.c.
 *
 * While in service, snoop.c: snoop_mshr() sets post_downgrade when a read follows this request in the order of the bus,
 * and post_invalidate when a request for ownership does; both are cleared when the next request is sent.
 * pending_modified: the answer makes the line writable or dirty, so this cache answers such snoops when it comes.
 *
 * Invariants:
 *   1. A ready MSHR has a target; so has one in service, until its answer is taken.
 *   2. `deferred` holds targets only from the first for which cache_must_defer() (cache_internal.h) is true until the
 *      answer is taken; it is empty in a free MSHR.
 *   3. A flag of a list follows from its targets, except has_upper_marks and has_packets, which may stay set too long.
 *   4. The first mshr_count entries of cache->mshrs are not free; mshr->place is the index there.
 *
 * Ownership: the packets of targets belong to the MSHR until they are taken out. Targets come from the miss queue's
 * own free list. An MSHR keeps its address while it is allocated, so packets may point to it (packet->senders). */
#ifndef MEMSYS_CACHE_MSHR_H
#define MEMSYS_CACHE_MSHR_H

#include "memsys/sim/sim.h"

enum target_source { TARGET_FROM_ABOVE, TARGET_FROM_PREFETCHER, TARGET_FROM_SNOOP };

#define LINE_MASK_WORDS 4            /* one bit for each byte of a line of up to 256 bytes */

struct target {
    struct target *next;
    struct packet *packet;           /* NULL only with hooks (cache_hooks.h) */
    uint64_t received_ps;
    uint16_t source;                 /* enum target_source */
    bool marks_upper_mshr;           /* we set downstream_pending in the sender's MSHR */
    bool allocate_on_fill;
    bool is_write, is_described;     /* with token and request in place of a packet that is not made yet */
    uint64_t token;
    uint64_t order;
    struct request request;
    uint64_t ready_ps;
    uint64_t padding[4];             /* two lines of the host, of which most targets touch the first */
};

struct target_list {
    struct target *first, *last;
    uint32_t count;
    bool needs_writable, has_upgrade, allocate_on_fill, can_merge;
    bool has_locked_read, has_others;              /* set with the target, cleared with all others only; others are not
                                                      from above, no reads or writes, or software prefetches */
    bool has_upper_marks;                          /* some target may have marks_upper_mshr */
    bool has_packets;                              /* some target may have a packet */
    bool has_written, is_whole_line;               /* some byte, all bytes are set in written[] */
    uint64_t written[LINE_MASK_WORDS];             /* bytes that stores of this list overwrite; only if has_written */
};

/* Three cache lines of the host; the fields that every miss needs are in the first two. The first ends within
 * `targets`. */
struct mshr {
    uint64_t line_address;
    uint64_t ready_ps;               /* earliest tick to send */
    bool is_uncacheable, in_service, downstream_pending, pending_modified, post_invalidate, post_downgrade;
    bool was_whole_line, is_forward;
    bool line_is_absent;             /* for hooks: it was not there when the miss came, and did not come since */
    bool counts_prefetch;            /* its request in flight is a prefetch that counts in struct prefetch_figures */
    uint32_t place;                  /* index in the cache's list of MSHRs */
    struct target_list targets;
    uint64_t order;
    uint64_t first_order;            /* `order` as it was when the MSHR was allocated */
    struct target_list deferred;     /* empty in a free MSHR, all flags as target_list_init leaves them */
    uint64_t padding[2];
};

/* Where targets come from and go to; grows in chunks, which are kept. */
struct target_pool {
    struct target *free;
    struct target_chunk *chunks;
    uint32_t line_bytes;
    bool reads_overwritten;          /* no list is of a whole line: lines that are overwritten are read, too */
    const struct sim *sim;           /* for sim_out_of_memory; NULL: none */
};

void target_pool_free(struct target_pool *pool);

struct target_arrival {
    uint64_t now_ps, ready_ps, order;
    enum target_source source;
    bool mark_upper_mshr;            /* tell the sender's MSHR that its request waits down here */
    bool allocate_on_fill;
};

static inline void target_list_reset_flags(struct target_list *list)
{
    list->needs_writable = list->has_upgrade = list->allocate_on_fill = list->has_locked_read = false;
    list->has_others = list->has_written = list->is_whole_line = false;
    list->can_merge = true;
}

static inline void target_list_init(struct target_list *list)
{
    list->first = list->last = NULL;
    list->count = 0;
    list->has_upper_marks = list->has_packets = false;
    target_list_reset_flags(list);
}

/* For an MSHR that is free; target_list_init has been called for `deferred` when it was made. */
static inline void mshr_init(struct mshr *mshr, uint64_t line_address, uint64_t ready_ps, uint64_t order,
                             bool is_uncacheable)
{
    mshr->line_address = line_address;
    mshr->ready_ps = ready_ps;
    mshr->order = mshr->first_order = order;
    target_list_init(&mshr->targets);
    mshr->is_uncacheable = is_uncacheable;
    mshr->in_service = mshr->downstream_pending = mshr->pending_modified = false;
    mshr->post_invalidate = mshr->post_downgrade = mshr->was_whole_line = mshr->is_forward = false;
    mshr->line_is_absent = mshr->counts_prefetch = false;
}

static inline struct packet *mshr_first_packet(const struct mshr *mshr)
{
    return mshr->targets.first->packet;
}

static inline uint32_t mshr_target_count(const struct mshr *mshr)
{
    return mshr->targets.count + mshr->deferred.count;
}

static inline void target_give(struct target_pool *pool, struct target *target)
{
    target->next = pool->free;
    pool->free = target;
}

/* Half of target_list_add: more free targets, or sim_out_of_memory. */
void target_pool_grow(struct target_pool *pool);
/* The same: which bytes the list's stores overwrite. Only while list->can_merge, and not the whole line. */
void target_list_note_write(struct target_list *list, const struct target_pool *pool, uint64_t address,
                            const struct request *request, uint32_t size_bytes, bool is_first);

/* Updates the flags of a list for a new target. */
static inline void target_list_note(struct target_list *list, const struct target_pool *pool,
                                    const struct target *target, bool is_first)
{
    const struct packet *const packet = target->packet;
    uint32_t const attributes = command_attributes(packet->command);

    if (packet->command == CMD_LockedRMWReadReq)
        list->has_locked_read = true;
    if (target->source != TARGET_FROM_ABOVE || !(attributes & (ATTR_READ | ATTR_WRITE))
        || (attributes & ATTR_SOFT_PREFETCH))
        list->has_others = true;
    if (target->source == TARGET_FROM_SNOOP)
        return;
    if (attributes & ATTR_NEEDS_WRITABLE)
        list->needs_writable = true;
    if ((attributes & ATTR_UPGRADE) || packet->command == CMD_StoreCondReq)
        list->has_upgrade = true;
    list->allocate_on_fill |= target->allocate_on_fill;
    if (!list->can_merge || list->is_whole_line || target->source == TARGET_FROM_PREFETCHER)
        return;
    if (attributes & ATTR_WRITE)
        target_list_note_write(list, pool, packet->address, &packet->request, packet->size_bytes, is_first);
    else
        list->can_merge = false;
}

/* The MSHR of the cache above that waits for the packet's response; NULL if it comes straight from a core. */
static inline struct mshr *target_sender(const struct packet *packet)
{
    return packet->sender_count ? packet->senders[packet->sender_count - 1] : NULL;
}

/* Puts a target that is in no list at the end. The flags stay as they were. */
static inline void target_list_append(struct target_list *list, struct target *target)
{
    target->next = NULL;
    if (list->last)
        list->last->next = target;
    else
        list->first = target;
    list->last = target;
    list->has_upper_marks |= target->marks_upper_mshr;
    list->has_packets |= target->packet != NULL;
    list->count++;
}

static inline struct target *target_pool_pop(struct target_pool *pool)
{
    struct target *target;

    if (!pool->free)
        target_pool_grow(pool);
    target = pool->free;
    pool->free = target->next;
    return target;
}

/* Takes a target from the pool and fills it from the arrival. */
static inline struct target *target_take(struct target_pool *pool, const struct target_arrival *arrival)
{
    struct target *const target = target_pool_pop(pool);

    target->received_ps = arrival->now_ps;
    target->ready_ps = arrival->ready_ps;
    target->order = arrival->order;
    target->source = (uint16_t)arrival->source;
    target->allocate_on_fill = arrival->allocate_on_fill;
    return target;
}

static inline void target_list_add(struct target_list *list, struct target_pool *pool, struct packet *packet,
                                   const struct target_arrival *arrival)
{
    struct mshr *const sender = arrival->mark_upper_mshr ? target_sender(packet) : NULL;
    struct target *const target = target_take(pool, arrival);

    target->packet = packet;
    target->marks_upper_mshr = sender != NULL;
    if (sender)
        sender->downstream_pending = true;
    target_list_note(list, pool, target, list->count == 0);
    target_list_append(list, target);
}

/* Takes the first target out; the caller returns it with target_give. The flags stay as they were. */
static inline struct target *target_list_pop(struct target_list *list)
{
    struct target *const target = list->first;

    list->first = target->next;
    if (!list->first)
        list->last = NULL;
    list->count--;
    target->next = NULL;
    return target;
}

/* Flags from scratch; to be called after targets were taken out. */
void target_list_rebuild_flags(struct target_list *list, const struct target_pool *pool);
/* Use target_list_clear_upper_marks: this is its half for a list that has any. */
void target_list_clear_marks(struct target_list *list);

static inline void target_list_clear_upper_marks(struct target_list *list)
{
    if (list->has_upper_marks)
        target_list_clear_marks(list);
}

/* A copy of the line is about to be lost: upgrades become reads for ownership. */
void target_list_rewrite_upgrades(struct target_list *list);

/* The request that the MSHR's own request waits behind, further down, is on its way now. */
void mshr_clear_downstream_pending(struct mshr *mshr);
/* classic-memory 4.7; the caller takes it off the ready list. */
void mshr_mark_in_service(struct mshr *mshr, bool responder_was_modified);
/* A locked read was answered and its write has not come yet (classic-memory 4.16). */
static inline bool mshr_holds_lock(const struct mshr *mshr)
{
    return mshr->targets.first && mshr_first_packet(mshr)->command == CMD_LockedRMWReadReq;
}

/* The line arrived writable: deferred stores may be served now (classic-memory 4.10). */
void mshr_promote_writable(struct mshr *mshr);
/* The deferred targets become a new miss; false if no target is left at all. */
bool mshr_promote_deferred(struct mshr *mshr, const struct target_pool *pool, uint64_t now_ps);

#endif
