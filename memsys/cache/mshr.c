/* Modelled: classic-memory 4.7 (targets, whole-line detection, promotion), 4.16 (locked read-modify-write placeholder).
 * Not modelled: cache maintenance operations, which no trace can contain.
 *
 * Invariant: list->count targets hang between first and last. */
#include "memsys/cache/mshr.h"

#include <string.h>

#include "base/host_facts.h"

/* A store with one of these flags never merges into a whole-line write. */
#define FLAGS_NO_MERGE                                                                                                \
    (REQUEST_UNCACHEABLE | REQUEST_STRICT_ORDER | REQUEST_PRIVILEGED | REQUEST_LLSC | REQUEST_SWAP                    \
     | REQUEST_SWAP_CONDITIONAL | REQUEST_SECURE | REQUEST_LOCKED_RMW)

#define TARGETS_PER_CHUNK 64

struct target_chunk {
    struct target targets[TARGETS_PER_CHUNK];
    struct target_chunk *next;
};
_Static_assert(sizeof(struct target) % HOST_LINE_BYTES == 0 && sizeof(struct mshr) % HOST_LINE_BYTES == 0,
               "targets and MSHRs begin at lines of the host");

void target_pool_grow(struct target_pool *pool)
{
    struct target_chunk *const chunk = host_lines_zeroed(1, sizeof *chunk);

    if (!chunk)
        sim_out_of_memory(pool->sim);
    chunk->next = pool->chunks;
    pool->chunks = chunk;
    for (size_t i = 0; i < TARGETS_PER_CHUNK; i++)
        target_give(pool, &chunk->targets[i]);
}

void target_pool_free(struct target_pool *pool)
{
    while (pool->chunks) {
        struct target_chunk *const next = pool->chunks->next;

        host_lines_free(pool->chunks);
        pool->chunks = next;
    }
    pool->free = NULL;
}

/* `count` bits from bit `first` on; of one word. */
static uint64_t bits(uint32_t first, uint32_t count)
{
    return (count < 64 ? (UINT64_C(1) << count) - 1 : UINT64_MAX) << first;
}

static void mark_written(struct target_list *list, uint32_t offset, uint32_t size_bytes, uint32_t line_bytes)
{
    if (line_bytes <= 64 && size_bytes <= 64 - offset) {
        list->written[0] |= bits(offset, size_bytes);
        return;
    }
    while (size_bytes > 0 && offset < LINE_MASK_WORDS * 64) {
        uint32_t const first = offset % 64;
        uint32_t const count = size_bytes < 64 - first ? size_bytes : 64 - first;

        list->written[offset / 64] |= bits(first, count);
        offset += count;
        size_bytes -= count;
    }
}

/* Are all bytes of the line written? */
static bool mshr_is_full(const struct target_list *list, uint32_t line_bytes)
{
    uint64_t const full = bits(0, line_bytes);

    if (line_bytes <= 64)
        return (list->written[0] & full) == full;
    for (uint32_t word = 0; word * 64 < line_bytes; word++)
        if ((list->written[word] & full) != full)
            return false;
    return true;
}

void target_list_note_write(struct target_list *list, const struct target_pool *pool, uint64_t address,
                            const struct request *request, uint32_t size_bytes, bool is_first)
{
    bool const mergeable = (request->flags & FLAGS_NO_MERGE) == 0;

    if (is_first || mergeable) {
        if (!list->has_written)
            memset(list->written, 0, sizeof list->written);
        list->has_written = true;
        mark_written(list, (uint32_t)(address & (pool->line_bytes - 1)), size_bytes, pool->line_bytes);
        list->is_whole_line = !pool->reads_overwritten && mshr_is_full(list, pool->line_bytes);
    }
    list->can_merge = mergeable;
}

void target_list_rebuild_flags(struct target_list *list, const struct target_pool *pool)
{
    target_list_reset_flags(list);
    for (const struct target *target = list->first; target; target = target->next)
        target_list_note(list, pool, target, false);
}

void target_list_clear_marks(struct target_list *list)
{
    list->has_upper_marks = false;
    for (struct target *target = list->first; target; target = target->next) {
        if (!target->marks_upper_mshr)
            continue;
        if (target_sender(target->packet))
            mshr_clear_downstream_pending(target_sender(target->packet));
        target->marks_upper_mshr = false;
    }
}

void target_list_rewrite_upgrades(struct target_list *list)
{
    if (!list->has_upgrade)
        return;
    for (struct target *target = list->first; target; target = target->next)
        if (target->packet)
            packet_rewrite_upgrade(target->packet);
    list->has_upgrade = false;
}

void mshr_clear_downstream_pending(struct mshr *mshr)
{
    assert(mshr->downstream_pending);
    mshr->downstream_pending = false;
    target_list_clear_upper_marks(&mshr->targets);
}

void mshr_mark_in_service(struct mshr *mshr, bool responder_was_modified)
{
    mshr->in_service = true;
    mshr->pending_modified = mshr->targets.needs_writable || responder_was_modified;
    mshr->post_invalidate = mshr->post_downgrade = false;
    if (!mshr->downstream_pending)
        target_list_clear_upper_marks(&mshr->targets);
    mshr->was_whole_line = mshr->targets.is_whole_line;
}

static void append_deferred(struct mshr *mshr)
{
    struct target_list *const targets = &mshr->targets, *const deferred = &mshr->deferred;

    if (deferred->first) {
        if (targets->last)
            targets->last->next = deferred->first;
        else
            targets->first = deferred->first;
        targets->last = deferred->last;
        targets->count += deferred->count;
        targets->has_locked_read |= deferred->has_locked_read;
        targets->has_others |= deferred->has_others;
        targets->has_upper_marks |= deferred->has_upper_marks;
        targets->has_packets |= deferred->has_packets;
    }
    target_list_init(deferred);
}

void mshr_promote_writable(struct mshr *mshr)
{
    if (!mshr->deferred.first || !mshr->deferred.needs_writable || mshr->post_invalidate || mshr->post_downgrade)
        return;
    mshr->targets.needs_writable = true;
    target_list_clear_upper_marks(&mshr->deferred);
    append_deferred(mshr);
}

bool mshr_promote_deferred(struct mshr *mshr, const struct target_pool *pool, uint64_t now_ps)
{
    if (!mshr->targets.first && !mshr->deferred.first)
        return false;
    append_deferred(mshr);
    target_list_rebuild_flags(&mshr->targets, pool);
    mshr->order = mshr->targets.first->order;
    mshr->ready_ps = max_u64(now_ps, mshr->targets.first->ready_ps);
    return true;
}
