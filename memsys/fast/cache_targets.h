/* Targets of an MSHR for which no packet was made: accesses that cache_try.h took.
 *
 * Shortcut: a core's packet would describe its access, wait in the MSHR, and go back with the answer. Here the target
 * holds only the address, whether it is a store, and the core's token; a packet is made when the plain cache needs
 * one.
 * Why the result is the same: the plain cache never sees such a target. Each hook of struct cache_hooks that leaves an
 * MSHR to the plain cache makes its packets first, from the core's description of the access (above_fast: describe),
 * which equals the request that the core would have sent; the list's flags are those that target_list_note would have
 * left. Snoops ask an MSHR for its flags only. Compared with plain by tests/unit/memsys/fast/test_fast_memory.c. */
#ifndef MEMSYS_FAST_CACHE_TARGETS_H
#define MEMSYS_FAST_CACHE_TARGETS_H

#include "memsys/cache/cache_internal.h"
#include "memsys/fast/ports.h"

/* Of a target that opened its MSHR. */
static inline const struct request *target_request(const struct target *target)
{
    return target->packet ? &target->packet->request : &target->request;
}

static inline uint64_t target_address(const struct target *target)
{
    return target->packet ? target->packet->address : target->request.address;
}

static inline bool target_is_write(const struct target *target)
{
    return target->packet ? packet_is(target->packet, ATTR_WRITE) : target->is_write;
}

static inline struct cache_command_stats *cache_count_target(struct cache *cache, const struct target *target)
{
    return target->packet ? cache_count(cache, target->packet) : cache->hooks.counts[target->is_write];
}

/* Fills a target without packet, except its place at the end of its list, and its ready_ps, which cache_make_packets
 * finds. */
static FORCE_INLINE void cache_fill_target(struct cache *cache, struct target *target, uint64_t address,
                                           uint64_t token, bool is_write)
{
    target->packet = NULL;
    target->received_ps = cache_now_ps(cache);
    target->order = cache->next_order++;
    target->source = TARGET_FROM_ABOVE;
    target->marks_upper_mshr = target->is_described = false;
    target->allocate_on_fill = true;
    target->is_write = is_write;
    target->token = token;
    target->request.address = address;
}

/* Takes the core's description now: the core may have forgotten a store by the time it is answered. Loads that join an
 * MSHR rarely need more than their address. */
static FORCE_INLINE void cache_describe_target(const struct cache *cache, struct target *target)
{
    target->is_described = true;
    cache->above.fast->describe(cache->above.self, target->token, &target->request);
}

/* target_list_note for a target without packet. The bytes that stores overwrite matter when the MSHR is sent; they are
 * recomputed for targets that stay. */
static inline void target_list_note_access(struct target_list *list, const struct target_pool *pool,
                                           const struct target *target, bool is_first, bool in_service)
{
    const struct request *const request = &target->request;

    list->allocate_on_fill = true;
    if (!target->is_write) {
        list->can_merge = false;
        return;
    }
    list->needs_writable = true;
    if (!in_service && list->can_merge && !list->is_whole_line)
        target_list_note_write(list, pool, request->address, request, request->size_bytes, is_first);
}

/* Gives all targets of the MSHR packets, and forgets that its line is absent, so that the plain cache can take
 * over. */
void cache_make_packets(struct cache *cache, struct mshr *mshr);

/* Hooks of struct cache_hooks that do only that, for a cache that takes accesses, and its line reads, evictions and
 * fills as packets. */
bool cache_serve_with_packets(struct cache *cache, struct packet *request);
bool cache_fill_with_packets(struct cache *cache, struct packet *response);
bool cache_send_with_packets(struct cache *cache, struct mshr *mshr);

#endif
