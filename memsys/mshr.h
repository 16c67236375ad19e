/* Miss status holding registers: outstanding misses and the requests that wait for them (classic-memory 4.7).
 *
 * An MSHR has two lists of targets: those that the request in flight (or about to be sent) will serve, and those
 * deferred until it has been answered. Each list keeps summary flags derived from its targets.
 *
 * Ownership: the packets of targets belong to the MSHR until they are taken out. Targets come from the miss queue's
 * own free list. An MSHR keeps its address while it is allocated, so packets may point to it (packet->senders). */
#ifndef MEMSYS_MSHR_H
#define MEMSYS_MSHR_H

#include "memsys/sim.h"

enum target_source { TARGET_FROM_ABOVE, TARGET_FROM_PREFETCHER, TARGET_FROM_SNOOP };

#define LINE_MASK_WORDS 4            /* one bit for each byte of a line of up to 256 bytes */

struct target {
    struct target *next;
    struct packet *packet;
    uint64_t received_ps, ready_ps, order;
    enum target_source source;
    bool marks_upper_mshr;           /* we set downstream_pending in the sender's MSHR */
    bool allocate_on_fill;
};

struct target_list {
    struct target *first, *last;
    uint32_t count;
    bool needs_writable, has_upgrade, allocate_on_fill, can_merge;
    bool has_locked_read;                          /* set with the target, cleared with all others only */
    uint64_t written[LINE_MASK_WORDS];             /* bytes that stores of this list overwrite */
};

struct mshr {
    uint64_t line_address;
    uint64_t ready_ps;               /* earliest tick to send */
    uint64_t order;
    struct target_list targets, deferred;
    bool is_uncacheable, in_service, downstream_pending, pending_modified, post_invalidate, post_downgrade;
    bool was_whole_line, is_forward;
};

/* Where targets come from and go to; grows in chunks, which are kept. */
struct target_pool {
    struct target *free;
    struct target_chunk *chunks;
    uint32_t line_bytes;
};

void target_pool_free(struct target_pool *pool);

struct target_arrival {
    uint64_t now_ps, ready_ps, order;
    enum target_source source;
    bool mark_upper_mshr;            /* tell the sender's MSHR that its request waits down here */
    bool allocate_on_fill;
};

void mshr_init(struct mshr *mshr, uint64_t line_address, uint64_t ready_ps, uint64_t order, bool is_uncacheable);

static inline struct packet *mshr_first_packet(const struct mshr *mshr)
{
    return mshr->targets.first->packet;
}

static inline uint32_t mshr_target_count(const struct mshr *mshr)
{
    return mshr->targets.count + mshr->deferred.count;
}

/* All bytes of the line are overwritten by the stores of the list. */
static inline bool target_list_is_whole_line(const struct target_list *list, const struct target_pool *pool)
{
    uint64_t const full = pool->line_bytes < 64 ? (UINT64_C(1) << pool->line_bytes) - 1 : UINT64_MAX;

    for (uint32_t word = 0; word * 64 < pool->line_bytes; word++)
        if (list->written[word] != full)
            return false;
    return true;
}

void target_list_add(struct target_list *list, struct target_pool *pool, struct packet *packet,
                     const struct target_arrival *arrival);
/* Puts a target that is in no list at the end. The flags stay as they were. */
void target_list_append(struct target_list *list, struct target *target);
/* Takes the first target out; the caller returns it with target_give. The flags stay as they were. */
struct target *target_list_pop(struct target_list *list);

static inline void target_give(struct target_pool *pool, struct target *target)
{
    target->next = pool->free;
    pool->free = target;
}

/* Flags from scratch; to be called after targets were taken out. */
void target_list_rebuild_flags(struct target_list *list, const struct target_pool *pool);
void target_list_clear_upper_marks(struct target_list *list);
/* A copy of the line is about to be lost: upgrades become reads for ownership. */
void target_list_rewrite_upgrades(struct target_list *list);

/* The request that the MSHR's own request waits behind, further down, is on its way now. */
void mshr_clear_downstream_pending(struct mshr *mshr);
/* classic-memory 4.7; the caller takes it off the ready list. */
void mshr_mark_in_service(struct mshr *mshr, const struct target_pool *pool, bool responder_was_modified);
/* A locked read was answered and its write has not come yet (classic-memory 4.16). */
static inline bool mshr_holds_lock(const struct mshr *mshr)
{
    return mshr->targets.first && mshr->targets.first->packet->command == CMD_LockedRMWReadReq;
}

/* The line arrived writable: deferred stores may be served now (classic-memory 4.10). */
void mshr_promote_writable(struct mshr *mshr);
/* The deferred targets become a new miss; false if no target is left at all. */
bool mshr_promote_deferred(struct mshr *mshr, const struct target_pool *pool, uint64_t now_ps);

#endif
