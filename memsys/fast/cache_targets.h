/* Targets of an MSHR for which no packet was made: accesses that cache_try.h took.
 *
 * What is shortened: a core's packet would say what its access is, wait in the MSHR, and go back with the answer. Here
 * the target says whether it is a store, where, and the token that the core knows it by; a packet is made as soon as
 * somebody wants to look at one.
 * Why the result is the same: the plain cache never sees such a target. Each hook of struct cache_hooks that lets the
 * plain cache go on with an MSHR makes its packets first, with what the core says of the access (above_fast: describe),
 * which is what it would have put into them; the list's flags are those that target_list_note would have left. Snoops
 * ask an MSHR for its flags only. Compared with plain by tests/unit/memsys/fast/test_fast_memory.c. */
#ifndef MEMSYS_FAST_CACHE_TARGETS_H
#define MEMSYS_FAST_CACHE_TARGETS_H

#include "memsys/cache/internal.h"
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

/* Not told of a target without packet: the end of its list, and its ready_ps, which cache_make_packets finds. */
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

/* Of a store the core may know nothing any more when it is answered. Of a load that does not open its MSHR nobody asks
 * more than the address, as a rule. */
static FORCE_INLINE void cache_describe_target(const struct cache *cache, struct target *target)
{
    target->is_described = true;
    cache->above.fast->describe(cache->above.self, target->token, &target->request);
}

/* target_list_note for one without packet. What stores overwrite matters when the MSHR is sent, and will be found anew
 * for targets that stay. */
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

/* All targets of the MSHR have packets from now on, and whether its line is absent is no longer known: what the plain
 * cache has to find. */
void cache_make_packets(struct cache *cache, struct mshr *mshr);

/* Hooks of struct cache_hooks that do only that, for a cache that takes accesses, and its line reads, evictions and
 * fills as packets. */
bool cache_serve_with_packets(struct cache *cache, struct packet *request);
bool cache_fill_with_packets(struct cache *cache, struct packet *response);
bool cache_send_with_packets(struct cache *cache, struct mshr *mshr);

#endif
