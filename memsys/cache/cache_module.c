/* Modelled: events and functions of include/rubato_policy.h. Not modelled: the way of a prefetch for the level below
 * over the crossbar, which takes the latency of the tags and no bandwidth.
 *
 * An instance is a struct module_instance, whose first member is the host that the module gets. The answers of
 * `access` and `fill` are written into the requests of the packets concerned, which repeat them on their way. */
#include "memsys/cache/cache_module.h"

#include <stdlib.h>

#include "memsys/cache/cache_internal.h"
#include "memsys/cache/cache_params.h"
#include "memsys/prefetch/prefetch_params.h"
#include "memsys/sim/sim_statistics.h"

#define MOST_PREFETCHERS 3
#define ALL_TYPES ((1u << (RUBATO_TYPE_UPGRADE + 1)) - 1)

struct module_instance {
    struct rubato_host host;             /* the first member */
    struct cache *cache;
    struct module_use use;
    void *self;
    uint64_t *counters;
    uint64_t random;
    /* Of a prefetcher; NULL: it is the policy. */
    struct prefetcher *prefetcher;
    uint32_t types;
    uint8_t observes;                    /* enum prefetch_training */
    bool is_in_access;
};

struct cache_module {
    struct module_joint joint;
    struct module_instance policy, prefetchers[MOST_PREFETCHERS];
    unsigned prefetcher_count;
    const struct packet *filling;        /* the line of this packet comes in */
    struct rubato_eviction evicted;      /* the last one */
    bool has_evicted;                    /* since the fill began */
    uint32_t *metadata;                  /* [block] */
    struct event cycle_event;
    bool has_cycles;
};

static struct module_instance *instance_of(const struct rubato_host *host)
{
    return (struct module_instance *)(uintptr_t)host;
}

/* ---- addresses, requestors, lines */

static uint64_t virtual_of(const struct cache_module *module, uint64_t physical)
{
    uint64_t address;

    if (!module->joint.virtual_of)
        return physical;
    address = module->joint.virtual_of(module->joint.self, physical);
    return address == PREFETCH_NOWHERE ? physical : address;
}

static uint32_t core_of(const struct cache_module *module, requestor_id requestor)
{
    uint16_t const core = module->joint.world ? module->joint.world->requestor_cores[requestor] : UINT16_MAX;

    return core == UINT16_MAX ? RUBATO_NO_CORE : core;
}

static enum rubato_request_type type_of(const struct cache_module *module, const struct packet *packet)
{
    uint32_t const attributes = command_attributes(packet->command);
    enum module_requestor const kind = module->joint.world
        ? (enum module_requestor)module->joint.world->requestor_kinds[packet->request.requestor]
        : MODULE_REQUESTOR_CORE;

    if (attributes & ATTR_EVICTION)
        return RUBATO_TYPE_WRITEBACK;
    if (kind == MODULE_REQUESTOR_PREFETCHER || (attributes & (ATTR_HARD_PREFETCH | ATTR_SOFT_PREFETCH)))
        return RUBATO_TYPE_PREFETCH;
    if (kind == MODULE_REQUESTOR_WALKER)
        return RUBATO_TYPE_TRANSLATION;
    if (packet->request.flags & REQUEST_FETCH)
        return RUBATO_TYPE_FETCH;
    if (attributes & ATTR_READ)
        return (attributes & ATTR_NEEDS_WRITABLE) && !(attributes & ATTR_WRITE) ? RUBATO_TYPE_RFO : RUBATO_TYPE_LOAD;
    return attributes & ATTR_WRITE ? RUBATO_TYPE_WRITE : RUBATO_TYPE_UPGRADE;
}

static uint32_t way_of_block(const struct cache *cache, uint32_t block)
{
    return block >= cache->tags.block_count ? RUBATO_NO_WAY : block % cache->tags.assoc;
}

static struct rubato_request access_of(const struct cache *cache, const struct packet *packet, uint32_t block)
{
    const struct cache_module *const module = cache->module;
    const struct request *const request = &packet->request;
    uint64_t const address = packet_is(packet, ATTR_EVICTION) ? packet->address : request->address;
    uint32_t const set = tags_set_of(&cache->tags, packet->address >> cache->tags.line_shift);

    return (struct rubato_request){
        .address = address, .virtual_address = virtual_of(module, address), .pc = request->has_pc ? request->pc : 0,
        .has_pc = request->has_pc, .instruction = request->sequence, .metadata = request->metadata,
        .set = set, .way = block < cache->tags.block_count ? block - set * cache->tags.assoc : RUBATO_NO_WAY,
        .core = core_of(module, request->requestor), .type = (uint8_t)type_of(module, packet),
        .hit = block != BLOCK_NONE};
}

static struct rubato_eviction eviction_of(const struct cache *cache, uint32_t block)
{
    const struct cache_module *const module = cache->module;
    uint64_t const address = tags_address(&cache->tags, block);
    unsigned const flags = tags_flags(&cache->tags, block);

    return (struct rubato_eviction){
        .address = address, .virtual_address = virtual_of(module, address),
        .set = tags_set_of(&cache->tags, address >> cache->tags.line_shift), .way = way_of_block(cache, block),
        .metadata = module->metadata[block], .dirty = (flags & BLOCK_DIRTY) != 0,
        .unused = (flags & BLOCK_UNUSED) != 0, .for_fill = module->filling != NULL};
}

static struct rubato_fill fill_of(const struct cache *cache, const struct packet *packet, uint32_t block)
{
    const struct cache_module *const module = cache->module;
    const struct request *const request = &packet->request;
    struct rubato_request const access = access_of(cache, packet, block);

    return (struct rubato_fill){
        .address = access.address, .virtual_address = access.virtual_address, .pc = access.pc,
        .has_pc = access.has_pc, .instruction = access.instruction, .set = access.set, .way = access.way,
        .core = access.core, .metadata = request->metadata, .type = access.type, .has_evicted = module->has_evicted,
        .evicted_address = module->has_evicted ? module->evicted.address : 0,
        .evicted_virtual_address = module->has_evicted ? module->evicted.virtual_address : 0,
        .evicted_metadata = module->has_evicted ? module->evicted.metadata : 0,
        .evicted_dirty = module->has_evicted && module->evicted.dirty,
        .evicted_unused = module->has_evicted && module->evicted.unused};
}

/* ---- what a module may ask */

static bool host_prefetch(const struct rubato_host *host, uint64_t address, uint32_t levels_below, uint32_t metadata)
{
    struct module_instance *const instance = instance_of(host);
    struct prefetcher *const one = instance->prefetcher;
    const struct module_world *const world = instance->cache->module->joint.world;

    struct prefetch_candidate candidate = {
        .line_address = sim_line_address(instance->cache->sim, address), .metadata = metadata,
        .levels_below = (uint8_t)levels_below, .ready_ps = cache_now_ps(instance->cache)};

    if (!one || levels_below > RUBATO_MOST_LEVELS || (levels_below > 0 && !one->first_of_cache->below.take))
        return false;
    candidate.ready_ps += one->latency_ps;
    if (instance->is_in_access) {
        candidate.pc = one->access.pc;
        candidate.has_pc = one->access.has_pc;
    }
    if (instance->is_in_access && !(instance->use.module->prefetcher->flags & RUBATO_ANY_FRAME))
        return prefetcher_propose_candidate(one, &candidate, true);
    if (!one->crosses_pages && world && !world->is_memory(world->self, candidate.line_address & ~ADDRESS_SECURE))
        return false;
    if (!prefetcher_propose_candidate(one, &candidate, false))
        return false;
    cache_schedule_prefetch(instance->cache);
    return true;
}

static uint64_t host_cycle(const struct rubato_host *host)
{
    const struct cache *const cache = instance_of(host)->cache;

    return cache_now_ps(cache) / cache->clock.period_ps;
}

static uint64_t host_retired(const struct rubato_host *host, uint32_t core)
{
    const struct module_world *const world = instance_of(host)->cache->module->joint.world;

    return world && core < world->core_count ? world->retired(world->self, core) : 0;
}

static bool host_is_warm(const struct rubato_host *host)
{
    const struct module_world *const world = instance_of(host)->cache->module->joint.world;

    return !world || world->is_warm;
}

static uint32_t host_memory_bandwidth(const struct rubato_host *host)
{
    const struct module_world *const world = instance_of(host)->cache->module->joint.world;

    return world ? world->memory_bandwidth(world->self) : 0;
}

/* Requests of the read queue are those whose MSHR has not been sent. */
static uint32_t host_occupancy(const struct rubato_host *host, enum rubato_queue queue)
{
    const struct cache *const cache = instance_of(host)->cache;

    switch (queue) {
    case RUBATO_MSHRS: return cache->mshr_count;
    case RUBATO_READ_QUEUE: return cache->mshr_ready_count;
    case RUBATO_WRITE_QUEUE: return cache->write_count;
    case RUBATO_PREFETCH_QUEUE: return cache->prefetcher ? cache->prefetcher->count : 0;
    }
    return 0;
}

static uint32_t host_capacity(const struct rubato_host *host, enum rubato_queue queue)
{
    const struct cache *const cache = instance_of(host)->cache;

    switch (queue) {
    case RUBATO_MSHRS:
    case RUBATO_READ_QUEUE: return cache->mshr_limit;
    case RUBATO_WRITE_QUEUE: return cache->write_buffer_limit;
    case RUBATO_PREFETCH_QUEUE: return cache->prefetcher ? cache->prefetcher->limit : 0;
    }
    return 0;
}

static void host_line(const struct rubato_host *host, uint32_t set, uint32_t way, struct rubato_line *line)
{
    const struct cache *const cache = instance_of(host)->cache;
    uint32_t const block = set * cache->tags.assoc + way;

    *line = (struct rubato_line){.is_valid = false};
    if (set >= cache->tags.set_count || way >= cache->tags.assoc || !tags_is_valid(&cache->tags, block))
        return;
    *line = (struct rubato_line){
        .address = tags_address(&cache->tags, block), .metadata = cache->module->metadata[block], .is_valid = true,
        .is_dirty = tags_has(&cache->tags, block, BLOCK_DIRTY),
        .is_prefetched = tags_has(&cache->tags, block, BLOCK_UNUSED)};
    line->virtual_address = virtual_of(cache->module, line->address);
}

static uint32_t host_set_of(const struct rubato_host *host, uint64_t address)
{
    const struct tags *const tags = &instance_of(host)->cache->tags;

    return tags_set_of(tags, address >> tags->line_shift);
}

static uint32_t host_way_of(const struct rubato_host *host, uint64_t address)
{
    const struct cache *const cache = instance_of(host)->cache;

    return way_of_block(cache, tags_find(&cache->tags, address));
}

static uint64_t host_random(const struct rubato_host *host)
{
    return module_random(&instance_of(host)->random);
}

static const struct rubato_host host_functions = {
    .prefetch = host_prefetch, .cycle = host_cycle, .retired = host_retired, .is_warm = host_is_warm,
    .memory_bandwidth = host_memory_bandwidth, .occupancy = host_occupancy, .capacity = host_capacity,
    .line = host_line, .set_of = host_set_of, .way_of = host_way_of, .random = host_random
};

/* ---- a prefetcher */

struct own {
    struct module_instance *instance;
};

static struct module_instance *instance_of_prefetcher(const struct prefetcher *prefetcher)
{
    return ((const struct own *)prefetcher->own)->instance;
}

/* The same rules as for built-in kinds (memsys/prefetch/prefetcher.c), but the module chooses types of accesses. */
static bool wants(const struct module_instance *instance, const struct prefetch_event *event, unsigned type)
{
    if (!(instance->types & 1u << type))
        return false;
    if (!event->is_miss && instance->observes != PREFETCH_TRAINING_ACCESSES)
        return instance->observes == PREFETCH_TRAINING_FIRST_HITS && event->was_prefetched;
    return !(event->request->flags & REQUEST_UNCACHEABLE);
}

/* Without a packet caches are being warmed, which modules do not hear of. */
static void module_observe(struct prefetcher *prefetcher, const struct prefetch_event *event)
{
    struct module_instance *const instance = instance_of_prefetcher(prefetcher);
    const struct rubato_prefetcher *const functions = instance->use.module->prefetcher;
    struct rubato_request access;

    if (!event->packet || !functions->access
        || !wants(instance, event, type_of(instance->cache->module, event->packet)))
        return;
    access = access_of(instance->cache, event->packet, event->is_miss ? BLOCK_NONE : event->block);
    access.first_use = event->was_prefetched;
    access.joined = event->is_joined;
    prefetcher_begin_access(prefetcher, event);
    instance->is_in_access = true;
    event->packet->request.metadata = functions->access(instance->self, &access);
    instance->is_in_access = false;
}

const struct prefetcher_ops cache_module_prefetcher = {
    .name = "module", .own_bytes = sizeof(struct own), .degree = 1, .training = PREFETCH_TRAINING_AUTO,
    .observe = module_observe
};

/* ---- a policy */

static struct module_instance *instance_of_policy(const struct replacement *policy)
{
    return policy->module;
}

static void policy_touch(struct replacement *policy, uint32_t block, const struct packet *packet)
{
    struct module_instance *const instance = instance_of_policy(policy);
    const struct rubato_replacement *const functions = instance->use.module->replacement;

    if (functions->access) {
        struct rubato_request access = access_of(instance->cache, packet, block);

        access.first_use = tags_has(&instance->cache->tags, block, BLOCK_UNUSED);
        functions->access(instance->self, &access);
    }
}

static void policy_insert(struct replacement *policy, uint32_t block, const struct packet *packet)
{
    struct module_instance *const instance = instance_of_policy(policy);
    const struct rubato_replacement *const functions = instance->use.module->replacement;

    instance->cache->module->metadata[block] = packet->request.metadata;
    if (functions->fill) {
        struct rubato_fill fill = fill_of(instance->cache, packet, block);

        fill.prefetched = instance->cache->prefetcher && instance->cache->prefetcher->is_filling;
        functions->fill(instance->self, &fill);
    }
}

static void policy_invalidate(struct replacement *policy, uint32_t block)
{
    struct module_instance *const instance = instance_of_policy(policy);
    const struct rubato_replacement *const functions = instance->use.module->replacement;
    struct rubato_eviction const eviction = eviction_of(instance->cache, block);

    if (functions->evicted)
        functions->evicted(instance->self, &eviction);
}

static uint32_t policy_victim(struct replacement *policy, uint32_t first_block)
{
    struct module_instance *const instance = instance_of_policy(policy);
    const struct cache *const cache = instance->cache;
    const struct packet *const packet = cache->module->filling;
    struct rubato_request access = {.set = first_block / cache->tags.assoc, .way = RUBATO_NO_WAY,
                                   .core = RUBATO_NO_CORE};
    uint32_t way;

    for (uint32_t block = first_block; block < first_block + cache->tags.assoc; block++)
        if (!tags_is_valid(&cache->tags, block))
            return block;
    if (packet)
        access = access_of(cache, packet, BLOCK_NONE);
    way = instance->use.module->replacement->victim(instance->self, &access);
    if (way < cache->tags.assoc)
        return first_block + way;
    return packet ? BLOCK_NONE : first_block;       /* without a packet caches are being warmed: no line passes by */
}

const struct replacement_ops cache_module_policy = {
    .name = "module", .touch = policy_touch, .insert = policy_insert, .invalidate = policy_invalidate,
    .victim = policy_victim
};

/* ---- events */

void cache_module_missed(struct cache *cache, const struct packet *packet)
{
    struct module_instance *const policy = &cache->module->policy;

    if (policy->self && policy->use.module->replacement->access) {
        struct rubato_request access = access_of(cache, packet, BLOCK_NONE);

        access.joined = cache_find_mshr(cache, packet->address) != NULL;
        policy->use.module->replacement->access(policy->self, &access);
    }
}

void cache_module_fills(struct cache *cache, const struct packet *packet)
{
    cache->module->filling = packet;
    cache->module->has_evicted &= packet == NULL;
}

void cache_module_lost(struct cache *cache, uint32_t block)
{
    struct cache_module *const module = cache->module;

    if (block == cache->tags.temporary)
        return;
    module->evicted = eviction_of(cache, block);
    module->has_evicted = module->filling != NULL;
    for (unsigned i = 0; i < module->prefetcher_count; i++) {
        struct module_instance *const instance = &module->prefetchers[i];

        if (instance->use.module->prefetcher->evicted)
            instance->use.module->prefetcher->evicted(instance->self, &module->evicted);
    }
}

static bool is_only_prefetched(const struct mshr *mshr)
{
    bool is_wanted = !mshr->targets.first || mshr->deferred.first != NULL;

    for (const struct target *target = mshr->targets.first; target; target = target->next)
        is_wanted = is_wanted || target->source != TARGET_FROM_PREFETCHER;
    return !is_wanted;
}

void cache_module_filled(struct cache *cache, const struct packet *packet, const struct mshr *mshr, uint32_t block)
{
    struct cache_module *const module = cache->module;
    uint32_t metadata = packet->request.metadata;

    for (unsigned i = 0; i < module->prefetcher_count; i++) {
        struct module_instance *const instance = &module->prefetchers[i];
        struct rubato_fill fill;

        if (!instance->use.module->prefetcher->fill)
            continue;
        fill = fill_of(cache, packet, block);
        fill.prefetched = mshr && is_only_prefetched(mshr);
        if (fill.prefetched)
            fill.type = RUBATO_TYPE_PREFETCH;
        metadata = instance->use.module->prefetcher->fill(instance->self, &fill);
    }
    module->has_evicted = false;
    module->metadata[block] = metadata;
    for (const struct target *target = mshr ? mshr->targets.first : NULL; target; target = target->next)
        if (target->packet)
            target->packet->request.metadata = metadata;
}

void cache_module_branch(struct cache *cache, const struct rubato_branch *branch)
{
    struct cache_module *const module = cache->module;

    for (unsigned i = 0; module && i < module->prefetcher_count; i++)
        if (module->prefetchers[i].use.module->prefetcher->branch)
            module->prefetchers[i].use.module->prefetcher->branch(module->prefetchers[i].self, branch);
}

static void cycle_begins(void *owner)
{
    struct cache *const cache = owner;
    struct cache_module *const module = cache->module;

    event_schedule(&cache->sim->events, &module->cycle_event, cache_now_ps(cache) + cache->clock.period_ps);
    for (unsigned i = 0; i < module->prefetcher_count; i++)
        if (module->prefetchers[i].use.module->prefetcher->cycle)
            module->prefetchers[i].use.module->prefetcher->cycle(module->prefetchers[i].self);
}

/* ---- life */

static struct fault module_memory(const struct cache *cache)
{
    return fault_make(FAULT_MEMORY, "out of memory for the modules of %s", cache->name);
}

static struct fault make_module(struct cache *cache)
{
    if (cache->module)
        return fault_none();
    cache->module = calloc(1, sizeof *cache->module);
    if (!cache->module)
        return module_memory(cache);
    cache->module->joint.core = RUBATO_NO_CORE;
    cache->module->metadata = calloc((size_t)cache->tags.block_count + 2, sizeof *cache->module->metadata);
    return cache->module->metadata ? fault_none() : module_memory(cache);
}

static struct fault make_instance(struct cache *cache, struct module_instance *instance, const struct module_use *use)
{
    *instance = (struct module_instance){.host = host_functions, .cache = cache, .use = *use};
    instance->counters = calloc((size_t)use->module->statistic_count + 1, sizeof *instance->counters);
    return instance->counters ? fault_none() : module_memory(cache);
}

struct fault cache_module_add_policy(struct cache *cache, const struct module_use *use)
{
    FORWARD(make_module(cache));
    cache->tags.policy.module = &cache->module->policy;
    return make_instance(cache, &cache->module->policy, use);
}

static uint8_t training_of(const struct prefetcher *one, const struct rubato_prefetcher *functions)
{
    static const uint8_t trainings[] = {[RUBATO_ON_ALL] = PREFETCH_TRAINING_ACCESSES,
                                        [RUBATO_ON_MISSES] = PREFETCH_TRAINING_MISSES,
                                        [RUBATO_ON_FIRST_HITS] = PREFETCH_TRAINING_FIRST_HITS};

    return one->training != PREFETCH_TRAINING_AUTO ? one->training : trainings[functions->observes];
}

struct fault cache_module_add_prefetcher(struct cache *cache, struct prefetcher *one, const struct module_use *use)
{
    const struct rubato_prefetcher *const functions = use->module->prefetcher;
    struct module_instance *instance;

    FORWARD(make_module(cache));
    assert(cache->module->prefetcher_count < MOST_PREFETCHERS);
    instance = &cache->module->prefetchers[cache->module->prefetcher_count++];
    FORWARD(make_instance(cache, instance, use));
    instance->prefetcher = one;
    instance->observes = training_of(one, functions);
    instance->types = functions->types ? functions->types : ALL_TYPES & ~(1u << RUBATO_TYPE_UPGRADE);
    one->ignores_queued = (functions->flags & RUBATO_DROPS_OLDEST) == 0;
    one->first_of_cache->refuses = one->first_of_cache->refuses || one->ignores_queued;
    ((struct own *)one->own)->instance = instance;
    if (!functions->cycle || cache->module->has_cycles)
        return fault_none();
    cache->module->has_cycles = true;
    event_init(&cache->module->cycle_event, cycle_begins, cache, EVENT_DEFAULT);
    return event_queue_reserve(&cache->sim->events, 1);
}

void cache_module_join(struct cache *cache, const struct module_joint *joint)
{
    if (cache->module)
        cache->module->joint = *joint;
}

bool cache_module_fills_below(const struct cache *cache)
{
    bool does = false;

    for (unsigned i = 0; cache->module && i < cache->module->prefetcher_count; i++)
        does = does || (cache->module->prefetchers[i].use.module->prefetcher->flags & RUBATO_FILLS_BELOW);
    return does;
}

static struct fault start_instance(struct cache *cache, struct module_instance *instance)
{
    const struct module_joint *const joint = &cache->module->joint;
    struct rubato_place const place = {
        .slot = instance->prefetcher ? RUBATO_IS_PREFETCHER : RUBATO_IS_REPLACEMENT, .core = joint->core,
        .cores = joint->world ? joint->world->core_count : 1, .name = cache->our_name,
        .kind = joint->kind ? joint->kind : cache->name, .sets = (uint32_t)cache->tags.set_count,
        .ways = cache->tags.assoc, .line_bytes = cache->sim->line_bytes, .page_bytes = PREFETCH_PAGE_BYTES,
        .mshrs = cache->mshr_limit, .write_buffers = cache->write_buffer_limit,
        .prefetch_queue = cache->prefetcher ? cache->prefetcher->limit : 0,
        .hit_cycles = (uint32_t)cache->hit_latency_cyc, .clock_ps = cache->clock.period_ps,
        .is_virtual = instance->prefetcher && instance->prefetcher->crosses_pages && joint->virtual_of,
        .system = joint->world ? (uint64_t)(uintptr_t)joint->world->self : 0};

    const struct rubato_module *const module = instance->use.module;
    const char *const reason = module->bytes >= sizeof *module && module->refuses ? module->refuses(&place) : NULL;

    if (reason)
        return fault_make(FAULT_INPUT, "module %.100s cannot be used for %s: %.200s", module->name, cache->our_name,
                          reason);
    instance->self = module->create(&instance->host, &place, instance->use.values, instance->counters);
    return instance->self ? fault_none()
                          : fault_make(FAULT_MEMORY, "module %.100s could not be created for %s", module->name,
                                       cache->our_name);
}

struct fault cache_module_start(struct cache *cache)
{
    struct cache_module *const module = cache->module;

    if (!module)
        return fault_none();
    if (module->policy.use.module)
        FORWARD(start_instance(cache, &module->policy));
    for (unsigned i = 0; i < module->prefetcher_count; i++)
        FORWARD(start_instance(cache, &module->prefetchers[i]));
    if (module->has_cycles)
        event_schedule(&cache->sim->events, &module->cycle_event, cache_edge_ps(cache));
    return fault_none();
}

static void instance_end(const struct module_instance *instance)
{
    if (instance->self && instance->use.module->run_end)
        instance->use.module->run_end(instance->self);
}

void cache_module_end(struct cache *cache)
{
    if (!cache->module)
        return;
    instance_end(&cache->module->policy);
    for (unsigned i = 0; i < cache->module->prefetcher_count; i++)
        instance_end(&cache->module->prefetchers[i]);
}

static void instance_free(struct module_instance *instance)
{
    if (instance->self && instance->use.module->destroy)
        instance->use.module->destroy(instance->self);
    free(instance->counters);
}

void cache_module_free(struct cache *cache)
{
    if (!cache->module)
        return;
    instance_free(&cache->module->policy);
    for (unsigned i = 0; i < cache->module->prefetcher_count; i++)
        instance_free(&cache->module->prefetchers[i]);
    free(cache->module->metadata);
    free(cache->module);
    cache->module = NULL;
}

/* ---- statistics */

static void instance_reset(struct module_instance *instance)
{
    if (!instance->self)
        return;
    for (uint32_t i = 0; i < instance->use.module->statistic_count; i++)
        instance->counters[i] = 0;
    if (instance->use.module->warmup_end)
        instance->use.module->warmup_end(instance->self);
}

static void reset_counters(void *owner, uint64_t now_ps)
{
    struct cache *const cache = owner;

    (void)now_ps;
    instance_reset(&cache->module->policy);
    for (unsigned i = 0; i < cache->module->prefetcher_count; i++)
        instance_reset(&cache->module->prefetchers[i]);
}

void cache_module_add_stats(struct cache *cache, struct stats *stats)
{
    static const char *const keys[MOST_PREFETCHERS] = {"prefetcher", "prefetcher2", "prefetcher3"};
    struct cache_module *const module = cache->module;

    if (!module)
        return;
    if (module->policy.use.module) {
        stats_group(stats, "system.%s.replacement", cache->name);
        module_add_stats(module->policy.use.module, module->policy.counters, stats);
    }
    for (unsigned i = 0; i < module->prefetcher_count; i++) {
        stats_group(stats, "system.%s.%s", cache->name, keys[i]);
        module_add_stats(module->prefetchers[i].use.module, module->prefetchers[i].counters, stats);
    }
    stats_on_reset(stats, reset_counters, cache);
}
