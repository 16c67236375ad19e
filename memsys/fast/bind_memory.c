/* Binds fast paths to components (bind_memory.h): the conditions of each. */
#include "memsys/fast/bind_memory.h"

#include "base/hints.h"
#include "memsys/fast/answers.h"
#include "memsys/fast/cache_fills.h"
#include "memsys/fast/cache_lines.h"
#include "memsys/fast/cache_targets.h"
#include "memsys/fast/crossbar_direct.h"
#include "memsys/fast/dram_index.h"
#include "memsys/fast/queue_index.h"
#include "memsys/fast/ways.h"
#include "memsys/gpu/sector_cache.h"
#include "memsys/gpu/slice.h"
#include "memsys/noc/crossbar_internal.h"

bool cache_is_simple(const struct cache *cache)
{
    return cache->is_coherent && !cache->prefetcher && ways_are_lru(&cache->tags);
}

static void hint_tags(const void *self, uint64_t address)
{
    const struct cache *const cache = self;

    ways_prefetch_hint(&cache->tags, address);
}

static void bind_below(struct below *below, const struct engine_options *options)
{
    static const struct below_fast crossbar = {.prefetch_hint = crossbar_hint}, cache = {.prefetch_hint = hint_tags},
                                   lines = {.prefetch_hint = hint_tags, .takes_lines = true};

    if (!options->buses)
        below->fast = NULL;
    else if (below->ops == &crossbar_coherent_below_ops || below->ops == &crossbar_noncoherent_below_ops)
        below->fast = &crossbar;
    else if (below->ops == &cache_below_ops)
        below->fast = cache_is_simple(below->self) ? &lines : &cache;
}

void responses_bind_fast(struct above *above, struct packet_queue *queue, const struct engine_options *options)
{
    static const struct above_fast cache = {.take_from_queue = cache_take_from_queue},
                                   crossbar = {.take_from_queue = crossbar_take_from_queue};

    if (above->ops == &cache_above_ops)
        above->fast = options->fills ? &cache : NULL;
    else if (crossbar_is_above(above))
        above->fast = options->fills ? &crossbar : NULL;
    else if (!options->hits)
        above->fast = NULL;
    if (queue)
        packet_queue_bind_fast(queue);
}

static void drop(struct cache *cache, struct packet *response)
{
    packet_give(cache->sim->packets, response);
}

void cache_bind_fast(struct cache *cache, const struct engine_options *options)
{
    bool const takes_lines = options->buses && cache_is_simple(cache);
    struct cache_hooks *const hooks = &cache->hooks;
    const struct above_fast *above;

    if (options->hits || options->fills || options->buses) {
        ways_bind(&cache->tags);
        queue_index_bind(cache);
    }
    responses_bind_fast(&cache->above, &cache->responses, options);
    bind_below(&cache->below, options);
    above = cache->above.fast;
    *hooks = (struct cache_hooks){
        .read_command = cache->is_read_only || cache->is_mostly_exclusive ? CMD_ReadCleanReq : CMD_ReadSharedReq,
        .takes_accesses = cache_is_simple(cache) && above && (above->recv_answer || above->ignores_responses),
        .takes_fills = options->fills && !cache->prefetcher && !cache->module && !cache->is_mostly_exclusive,
        .respond = above && above->ignores_responses ? drop : NULL,
        .queued = options->buses ? cache_note_line : NULL,
        .bus = options->buses && cache->is_coherent && !cache->has_write_allocator ? crossbar_direct(&cache->below)
                                                                                   : NULL};
    for (unsigned is_write = 0; is_write < 2; is_write++)
        hooks->counts[is_write] = &cache->stats.commands[(is_write ? CMD_WriteReq : CMD_ReadReq)
                                                         * cache->requestor_count + cache->above.requestor];
    if (above && above->ignores_snoops)
        cache->above.is_snooping = false;
    if (hooks->takes_accesses || takes_lines) {
        hooks->serve = takes_lines ? cache_serve_line : cache_serve_with_packets;
        hooks->fill = cache_fill_with_packets;
        hooks->send_mshr = cache_send_with_packets;
    }
    if (hooks->takes_fills)
        hooks->fill = cache_take_fill;
    if (hooks->bus) {
        hooks->send_mshr = cache_send_mshr_direct;
        hooks->send_write = cache_send_write_direct;
        cache->request_event.handler = cache_send_next_direct;
    }
}

const struct below_fast *cache_below_fast(const struct cache *cache)
{
    static const struct below_fast accesses = {.prefetch_hint = hint_tags};

    return cache->hooks.takes_accesses ? &accesses : NULL;
}

struct fault noc_bind_fast(struct noc *noc, const struct engine_options *options)
{
    struct crossbar *const crossbar = crossbar_of(noc);

    if (!crossbar)
        return fault_none();
    for (unsigned i = 0; i < crossbar->noc.cpu_port_count; i++)
        responses_bind_fast(&crossbar->cpu_ports[i].above, &crossbar->cpu_ports[i].response_queue, options);
    for (unsigned i = 0; i < crossbar->noc.memory_port_count; i++)
        bind_below(&crossbar->memory_ports[i].below, options);
    return crossbar->noc.role.snoop_filter && options->buses ? snoop_words_bind(&crossbar->filter, crossbar->noc.sim)
                                                         : fault_none();
}

struct fault dram_bind_fast(struct mem_ctrl *ctrl, const struct engine_options *options)
{
    for (uint32_t i = 0; options->dram && i < ctrl->channel_count; i++)
        FORWARD(dram_index_bind(&ctrl->channels[i]));
    return fault_none();
}

static void request_is_next(const struct gpu_slices *slices, const struct gpu_slice *slice)
{
    const struct gpu_arrival *const next = &slice->arrivals[slice->first & slices->arrival_mask];

    PREFETCH(&slices->pool->slots[next->slot]);
    if (slices->has_tags)
        PREFETCH(sector_cache_line_at(slice->cache, next->key));
}

static void fill_is_next(const struct sector_cache *cache, uint64_t address, uint32_t mshr)
{
    PREFETCH(sector_cache_mshr_at(cache, mshr));
    PREFETCH(sector_cache_line_at(cache, address));
}

static void answer_is_sent(const struct gpu_slot *slot)
{
    PREFETCH(slot);
}

const struct gpu_hooks gpu_hints = {
    .request_is_next = request_is_next, .fill_is_next = fill_is_next, .answer_is_sent = answer_is_sent
};
