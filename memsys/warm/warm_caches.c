/* Modelled: classic-memory 4.2 to 4.5, 4.10 to 4.13: hits, fills, clusivity, evictions, upgrades. Of snoops: those of
 * caches beside the one that asks. Prefetches come at once (13.1, 13.2). Not modelled: a dirty line that a cache beside
 * hands over on a read stays where it is, and the cache below is asked, too.
 *
 * A touch advances the ticks of all caches, so that no two touches are of one tick; warm_rank turns them into ranks,
 * which are below all later ticks. */
#include "memsys/warm/warm_caches.h"

#include "memsys/cache/evict.h"

/* What a cache gets with a line. */
enum grant { GRANT_WRITABLE = 1, GRANT_DIRTY = 2 };

void warm_join(struct warm_caches *caches, struct warm_node *nodes, size_t count, const size_t *below)
{
    *caches = (struct warm_caches){.nodes = nodes, .count = count};
    for (size_t i = 0; i < count; i++)
        nodes[i].below = below[i] == SIZE_MAX ? NULL : &nodes[below[i]];
    for (size_t i = 0; i < count; i++)
        if (nodes[i].below) {
            nodes[i].next_beside = nodes[i].below->first_above;
            nodes[i].below->first_above = &nodes[i];
        }
}

static struct tags *tags_of(const struct warm_node *node)
{
    return &node->cache->tags;
}

static void advance(struct warm_caches *caches, const struct warm_node *node)
{
    node->cache->sim->events.now_ps = ++caches->touches;
    caches->is_ranked = false;
}

static void touch(struct warm_caches *caches, const struct warm_node *node, uint32_t block,
                  const struct packet *packet)
{
    advance(caches, node);
    tags_touch(tags_of(node), block, packet);
}

static bool is_held_above(const struct warm_node *node, uint64_t address)
{
    for (const struct warm_node *above = node->first_above; above; above = above->next_beside)
        if (tags_find(tags_of(above), address) != BLOCK_NONE || is_held_above(above, address))
            return true;
    return false;
}

/* ---- evictions */
static void write_back(struct warm_caches *caches, const struct warm_node *node, uint64_t address, unsigned flags);

static struct packet eviction_packet(const struct warm_node *node, uint64_t address, enum command command)
{
    struct request const request = {.address = address, .size_bytes = node->cache->sim->line_bytes,
                                    .requestor = REQUESTOR_WRITEBACKS};
    struct packet packet;

    packet_init(&packet, &request, command);
    return packet;
}

/* A clean line has left the caches above `node`. */
static void notice(struct warm_caches *caches, const struct warm_node *node, uint64_t address, unsigned flags)
{
    for (; node; node = node->below) {
        uint32_t const block = tags_find(tags_of(node), address);

        if (block != BLOCK_NONE) {
            struct packet const packet = eviction_packet(node, address, CMD_CleanEvict);

            touch(caches, node, block, &packet);
            return;
        }
        if (node->cache->forward_clean) {
            write_back(caches, node->below, address, flags);
            return;
        }
    }
}

static void evict(struct warm_caches *caches, const struct warm_node *node, uint32_t block)
{
    struct cache *const cache = node->cache;
    unsigned const flags = tags_flags(&cache->tags, block);
    uint64_t const address = tags_address(&cache->tags, block);

    tags_invalidate(&cache->tags, block);
    if (flags & BLOCK_DIRTY)
        write_back(caches, node->below, address, flags);
    else if ((!cache->is_coherent && !cache->writeback_clean) || is_held_above(node, address))
        return;
    else if (cache->writeback_clean)
        write_back(caches, node->below, address, flags);
    else
        notice(caches, node->below, address, flags);
}

static uint32_t make_room(struct warm_caches *caches, const struct warm_node *node, const struct packet *packet)
{
    struct tags *const tags = tags_of(node);
    uint32_t const block = node->cache->is_divided ? cache_victim_of_side(node->cache, packet)
                                                   : tags_victim(tags, packet->address);

    if (tags_is_valid(tags, block))
        evict(caches, node, block);
    advance(caches, node);
    tags_insert(tags, block, packet);
    tags_set(tags, block, BLOCK_READABLE);
    return block;
}

/* flags: of the block above that it left. */
static void write_back(struct warm_caches *caches, const struct warm_node *node, uint64_t address, unsigned flags)
{
    struct packet packet;
    uint32_t block;

    if (!node)
        return;
    packet = eviction_packet(node, address, flags & BLOCK_DIRTY ? CMD_WritebackDirty : CMD_WritebackClean);
    block = tags_find(tags_of(node), address);
    if (block != BLOCK_NONE)
        touch(caches, node, block, &packet);
    else
        block = make_room(caches, node, &packet);
    tags_set(tags_of(node), block, flags & BLOCK_DIRTY);
    if ((flags & BLOCK_WRITABLE) || !node->cache->is_coherent)
        tags_set(tags_of(node), block, BLOCK_WRITABLE);
}

/* ---- requests */

/* Caches beside give up the line to a writer, or their permission to write to a reader. True: one keeps it. */
static bool ask_beside(const struct warm_node *node, uint64_t address, bool writes, unsigned *grant)
{
    bool is_shared = false;

    for (const struct warm_node *other = node->below ? node->below->first_above : NULL; other;
         other = other->next_beside) {
        struct tags *const tags = tags_of(other);
        uint32_t const block = other == node ? BLOCK_NONE : tags_find(tags, address);

        if (block == BLOCK_NONE)
            continue;
        if (writes) {
            *grant |= tags_has(tags, block, BLOCK_DIRTY) ? GRANT_DIRTY : 0;
            tags_invalidate(tags, block);
        } else {
            tags_clear(tags, block, BLOCK_WRITABLE);
            is_shared = true;
        }
    }
    return is_shared;
}

static unsigned ask_below(struct warm_caches *caches, const struct warm_node *node, const struct packet *packet,
                          bool writes);
static void take(struct tags *tags, uint32_t block, unsigned grant);

/* What a cache above gets of a block, as cache_satisfy_read and cache_maintain_clusivity have it. */
static unsigned hand_up(const struct warm_node *node, uint32_t block, bool writes, bool keeps_ownership)
{
    struct tags *const tags = tags_of(node);
    unsigned grant = 0;

    if (!node->cache->is_coherent)
        return GRANT_WRITABLE;
    if (writes || (tags_has(tags, block, BLOCK_WRITABLE) && !keeps_ownership)) {
        grant = GRANT_WRITABLE | (tags_has(tags, block, BLOCK_DIRTY) ? GRANT_DIRTY : 0);
        tags_clear(tags, block, BLOCK_DIRTY);
    }
    if (node->cache->is_mostly_exclusive && !tags_has(tags, block, BLOCK_DIRTY))
        tags_invalidate(tags, block);
    return grant;
}

static void take(struct tags *tags, uint32_t block, unsigned grant)
{
    tags_set(tags, block, (grant & GRANT_WRITABLE ? BLOCK_WRITABLE : 0u) | (grant & GRANT_DIRTY ? BLOCK_DIRTY : 0u));
}

/* ---- prefetchers */

/* All that the prefetcher has asked for. */
static void fetch_ahead(struct warm_caches *caches, const struct warm_node *node)
{
    struct prefetcher *const prefetcher = node->cache->prefetcher;
    struct prefetch_candidate candidate;

    while (prefetcher_take(prefetcher, &candidate)) {
        struct request const request = {
            .address = candidate.line_address, .pc = candidate.pc, .has_pc = candidate.has_pc,
            .size_bytes = node->cache->sim->line_bytes, .requestor = prefetcher->requestor};
        struct packet packet;
        unsigned grant;
        uint32_t block;

        if (tags_find(tags_of(node), candidate.line_address) != BLOCK_NONE
            || is_held_above(node, candidate.line_address))
            continue;
        packet_init(&packet, &request, CMD_HardPFReq);
        grant = ask_below(caches, node, &packet, false);
        block = make_room(caches, node, &packet);
        take(tags_of(node), block, grant);
        tags_set(tags_of(node), block, BLOCK_PREFETCHED);
        prefetcher_line_filled(prefetcher, candidate.line_address, true);
    }
}

static bool learns(const struct warm_caches *caches, const struct warm_node *node)
{
    return caches->prefetches && node->cache->prefetcher;
}

/* What a prefetcher learns of a line: its state before the request, which takes the mark away. */
struct before { bool is_miss, was_prefetched; };

static struct before use_mark(const struct warm_caches *caches, const struct warm_node *node, uint32_t block)
{
    struct tags *const tags = tags_of(node);
    bool const is_hit = block != BLOCK_NONE, is_marked = is_hit && tags_has(tags, block, BLOCK_PREFETCHED);

    if (is_marked)
        tags_clear(tags, block, BLOCK_PREFETCHED);
    return (struct before){!is_hit, is_marked && learns(caches, node)
                                    && tags_filled_by(tags, block, node->cache->prefetcher->requestor)};
}

/* After the request was served. command: as which it comes to this cache. */
static void warm_observe(struct warm_caches *caches, const struct warm_node *node, const struct packet *packet,
                         enum command command, struct before before)
{
    struct prefetch_event const event = {.request = &packet->request, .command = command, .is_miss = before.is_miss,
                                         .was_prefetched = before.was_prefetched};

    if (!learns(caches, node))
        return;
    prefetcher_observe(node->cache->prefetcher, &event);
    fetch_ahead(caches, node);
}

/* A request of the cache above, which may not write what it gets if keeps_ownership. */
static unsigned serve(struct warm_caches *caches, const struct warm_node *node, const struct packet *packet,
                      bool writes, bool keeps_ownership)
{
    struct tags *const tags = tags_of(node);
    uint32_t block = tags_find(tags, packet->address);
    struct before const before = use_mark(caches, node, block);
    unsigned grant;

    if (block != BLOCK_NONE) {
        touch(caches, node, block, packet);
        if (writes && !tags_has(tags, block, BLOCK_WRITABLE))
            take(tags, block, ask_below(caches, node, packet, true));
        grant = hand_up(node, block, writes, keeps_ownership);
    } else {
        grant = ask_below(caches, node, packet, writes);
        if (node->cache->is_mostly_exclusive) {
            grant = keeps_ownership ? 0 : grant;
        } else {
            block = make_room(caches, node, packet);
            take(tags, block, grant);
            grant = hand_up(node, block, writes, keeps_ownership);
        }
    }
    warm_observe(caches, node, packet, writes ? CMD_ReadExReq : (enum command)packet->command, before);
    return grant;
}

static unsigned ask_below(struct warm_caches *caches, const struct warm_node *node, const struct packet *packet,
                          bool writes)
{
    unsigned grant = 0;
    bool const is_shared = ask_beside(node, packet->address, writes, &grant);

    if (!node->below)
        return grant | GRANT_WRITABLE;
    return grant | serve(caches, node->below, packet, writes, is_shared || node->cache->is_read_only);
}

void warm_access(struct warm_caches *caches, struct warm_node *node, const struct warm_request *request)
{
    struct tags *const tags = tags_of(node);
    bool const writes = request->kind == WARM_WRITE;
    struct request const asked = {
        .address = request->address & ~(uint64_t)(node->cache->sim->line_bytes - 1), .pc = request->pc,
        .size_bytes = node->cache->sim->line_bytes, .flags = request->kind == WARM_FETCH ? REQUEST_FETCH : 0,
        .requestor = request->requestor, .has_pc = request->has_pc};
    uint32_t block = tags_find(tags, asked.address);
    struct before const before = use_mark(caches, node, block);
    struct packet packet;

    packet_init(&packet, &asked, writes ? CMD_WriteReq : CMD_ReadReq);
    if (block != BLOCK_NONE) {
        touch(caches, node, block, &packet);
        if (writes && !tags_has(tags, block, BLOCK_WRITABLE))
            take(tags, block, ask_below(caches, node, &packet, true));
    } else {
        unsigned const grant = ask_below(caches, node, &packet, writes);

        block = make_room(caches, node, &packet);
        take(tags, block, grant);
    }
    if (writes)
        tags_set(tags, block, BLOCK_DIRTY);
    warm_observe(caches, node, &packet, (enum command)packet.command, before);
}

void warm_rank(struct warm_caches *caches)
{
    for (size_t i = 0; i < caches->count && !caches->is_ranked; i++)
        tags_rank(tags_of(&caches->nodes[i]));
    caches->is_ranked = true;
}

static bool has_filter(const struct warm_node *node)
{
    return node->bus && node->cache->is_coherent;
}

/* A line is in the filters below each cache that it has passed. */
static void hold_lines(const struct warm_node *node)
{
    const struct tags *const tags = tags_of(node);
    bool is_wanted = false;

    for (const struct warm_node *at = node; at; at = at->below)
        is_wanted |= has_filter(at);
    for (uint32_t block = 0; block < tags->block_count && is_wanted; block++)
        for (const struct warm_node *at = node; at && tags_is_valid(tags, block); at = at->below)
            if (has_filter(at))
                snoop_filter_hold(&at->bus->filter, tags_line(tags, block), at->cache->below.port);
}

void warm_end(struct warm_caches *caches)
{
    warm_rank(caches);
    for (size_t i = 0; i < caches->count; i++)
        hold_lines(&caches->nodes[i]);
    for (size_t i = 0; i < caches->count; i++) {
        struct cache *const cache = caches->nodes[i].cache;

        cache->sim->events.now_ps = 0;
        if (cache->prefetcher)
            cache->prefetcher->stats = (struct prefetcher_stats){0};
    }
}
