/* What the shims know: data moves when the reference copies it. A hit reads or writes its block in the call that
 * accepts the request; a miss when its target is served; a snoop answer takes the data in the call of the snoop (or,
 * if an MSHR keeps the snoop, when that target is served); an eviction when the block is given up; a memory when it
 * accepts the request.
 *
 * A shim looks at the component before and after the call that it passes on, and moves versions accordingly. Not
 * watched: crossbars, which only pass packets on.
 *
 * Two races are the reference's own; a replay has no data and must keep their order.
 * 1. A response fills the temporary block while a deferred store waits in the MSHR. The block is evicted at once. If
 *    then the write queue is full, or no MSHR is ready, the store's new miss, older by its order, leaves before the
 *    eviction (classic-memory 4.8: "c.order < w.order: return c"). It may find older data below; when the eviction
 *    follows, a snoop filter forgets that the cache has the line again, or the level below has data that are older than
 *    the cache's. The bench sees the very request that overtakes the very eviction (overtakes). Most of the time
 *    nothing comes of it, and the line is judged as ever. From the overtaking on until nothing is left of it (see
 *    settle in coherence_check.c), violations are counted and do not fail: reads answered with older
 *    data, stores that build on them, copies.
 * 2. On the memory side a line can be written back while an older read of it is under way; the answer fills the block
 *    that the write-back has just made. The reference would overwrite it, here the newer data stay. */
#include "coherence_bench.h"

#include <inttypes.h>

enum { MOST = 256 };

/* Kept snoops get a version from here on before they are served: their answers, which are copies, can then be
 * recognised. */
#define SNOOP_MARK (UINT64_C(1) << 48)

static uint64_t *version_of(struct packet *packet)
{
    return &packet->request.pc;
}

static void touch(struct coherence_bench *bench, unsigned line)
{
    bench->touched |= UINT32_C(1) << line;
}

static bool holds(const struct packet_queue *queue, const struct packet *packet)
{
    for (uint32_t i = 0; i < packet_queue_count(queue); i++)
        if (packet_queue_entry_at(queue, i)->packet == packet)
            return true;
    return false;
}

static const struct write_entry *write_of(const struct cache *cache, uint64_t address)
{
    for (uint32_t i = 0; i < cache->write_count; i++)
        if (cache->writes[i]->line_address == sim_line_address(cache->sim, address)
            && !cache->writes[i]->is_uncacheable)
            return cache->writes[i];
    return NULL;
}

static bool has_mshr(const struct cache *cache, uint64_t address)
{
    for (uint32_t i = 0; i < cache->mshr_count; i++)
        if (cache->mshrs[i]->line_address == sim_line_address(cache->sim, address) && !cache->mshrs[i]->is_uncacheable)
            return true;
    return false;
}

static const struct write_entry *entry_of(const struct cache *cache, const struct packet *packet)
{
    for (uint32_t i = 0; i < cache->write_count; i++)
        if (cache->writes[i]->packet == packet)
            return cache->writes[i];
    return NULL;
}

/* After a response: did its MSHR stay, and the line leave from the temporary block? */
static void note_left_behind(struct coherence_cache *made, uint64_t address)
{
    struct cache const *const cache = &made->cache;
    struct write_entry const *const write = write_of(cache, address);

    for (uint32_t i = 0; i < cache->mshr_ready_count && write; i++)
        if (cache->mshr_ready[i]->line_address == write->line_address && cache->mshr_ready[i]->order < write->order)
            made->left_behind[coherence_line(made->bench, address)] = write->packet;
}

/* Once it is gone, its packet may come back as another one. */
static void forget_left_behind(struct coherence_cache *made, unsigned line)
{
    if (!entry_of(&made->cache, made->left_behind[line]))
        made->left_behind[line] = NULL;
}

/* A request overtakes an eviction: only that of the temporary block, only if the miss is the cache's own and older, and
 * only when the reference's choice does so. Anything else that overtakes is a mistake, and will be found. */
static bool overtakes(const struct coherence_cache *made, const struct packet *packet, unsigned line)
{
    struct cache const *const cache = &made->cache;
    struct write_entry const *const write = entry_of(cache, made->left_behind[line]);
    struct mshr const *const mshr = packet->sender_count ? packet->senders[packet->sender_count - 1] : NULL;
    bool const is_full = cache->write_count >= cache->write_buffer_limit;
    bool const is_ready = cache->mshr_ready_count && cache->mshr_ready[0]->ready_ps <= sim_now_ps(cache->sim);

    return write && write->packet != packet && mshr >= cache->mshr_entries
           && mshr < cache->mshr_entries + cache->mshr_limit && mshr->line_address == write->line_address
           && mshr->order < write->order && !mshr->is_uncacheable && (is_full || !is_ready);
}

/* A store takes effect on `versions`. It must build on the newest data, unless it and its neighbours cover the line. */
static void perform(struct coherence_bench *bench, const char *where, uint64_t *versions, const struct packet *packet,
                    bool covers_line)
{
    unsigned const line = coherence_line(bench, packet->address);
    struct coherence_request *const request = coherence_request_of(bench, packet);

    if (!covers_line && versions[line] != bench->current[line] && bench->overtakers[line])
        bench->stale_stores++;
    else if (!covers_line && versions[line] != bench->current[line])
        coherence_fail(bench, "%s: %s of line %u builds on version %" PRIu64 ", the newest is %" PRIu64, where,
                       command_table[packet->command].name, line, versions[line], bench->current[line]);
    if (!request || !packet_is(packet, ATTR_WRITE))
        coherence_fail(bench, "%s: a %s of line %u that no core has asked for is performed", where,
                       command_table[packet->command].name, line);
    else if (request->is_performed)
        coherence_fail(bench, "%s: %s of line %u is performed twice", where, command_table[packet->command].name, line);
    else
        request->is_performed = true;
    bench->writes_performed++;
    versions[line] = bench->current[line] = ++bench->highest[line];
}

/* Evictions made in the last call have no version yet. */
static void give_versions_to_evictions(struct coherence_cache *made)
{
    for (uint32_t i = 0; i < made->cache.write_count; i++) {
        struct packet *const packet = made->cache.writes[i]->packet;
        unsigned const line = coherence_line(made->bench, packet->address);

        if (packet->request.requestor == REQUESTOR_WRITEBACKS && *version_of(packet) == 0) {
            *version_of(packet) = made->versions[line];
            touch(made->bench, line);
        }
    }
}

/* Snoop answers that were queued before a call. */
struct answers {
    const struct packet *seen[MOST];
    uint32_t count;
};

static void note_answers(const struct cache *cache, struct answers *answers)
{
    const struct packet_queue *const queue = &cache->snoop_responses;

    answers->count = packet_queue_count(queue);
    assert(packet_queue_count(queue) <= MOST);
    for (uint32_t i = 0; i < packet_queue_count(queue); i++)
        answers->seen[i] = packet_queue_entry_at(queue, i)->packet;
}

/* New answers for the line that still carry `mark` get `version`; all new ones if it is 0. Returns how many. */
static unsigned give_version_to_answers(struct coherence_cache *made, const struct answers *before, unsigned line,
                                        uint64_t mark, uint64_t version)
{
    const struct packet_queue *const queue = &made->cache.snoop_responses;
    unsigned count = 0;

    for (uint32_t i = 0; i < packet_queue_count(queue); i++) {
        struct packet *const packet = packet_queue_entry_at(queue, i)->packet;
        bool is_new = coherence_line(made->bench, packet->address) == line
                      && (mark == 0 || *version_of(packet) == mark);

        for (uint32_t j = 0; j < before->count && is_new; j++)
            is_new = before->seen[j] != packet;
        if (is_new)
            *version_of(packet) = version;
        count += is_new;
    }
    return count;
}

/* ---- requests */

static bool recv_request(void *self, struct packet *packet, unsigned port)
{
    struct coherence_cache *const made = self;
    struct cache *const cache = &made->cache;
    unsigned const line = coherence_line(made->bench, packet->address);
    unsigned const command = packet->command;
    uint64_t const address = packet->address, version = *version_of(packet);
    bool const was_claimed = packet->cache_responding;
    bool const had_block = tags_find(&cache->tags, address) != BLOCK_NONE;
    bool const had_write = write_of(cache, address) != NULL, had_mshr = has_mshr(cache, address);

    touch(made->bench, line);
    if (!made->inside_below.ops->recv_request(made->inside_below.self, packet, port))
        return false;
    give_versions_to_evictions(made);
    if (was_claimed)
        return true;
    if (command_attributes(command) & ATTR_EVICTION) {
        bool const is_dropped = command == CMD_CleanEvict || (command == CMD_WritebackClean && (had_write || had_mshr));

        if (!is_dropped && !entry_of(cache, packet))
            made->versions[line] = version;
        return true;
    }
    if (!holds(&cache->responses, packet) || (command_attributes(command) & ATTR_SOFT_PREFETCH))
        return true;
    if (command_attributes(command) & ATTR_READ)
        *version_of(packet) = made->versions[line];
    if ((command_attributes(command) & ATTR_WRITE) && had_block)    /* without block: a store conditional that fails */
        perform(made->bench, made->name, made->versions, packet, false);
    return true;
}

/* ---- responses */

struct waiting {
    struct packet *packet;
    unsigned command;
    enum target_source source;
    uint64_t mark;
};

static unsigned note_targets(const struct target_list *list, struct waiting *waiting, unsigned count)
{
    for (const struct target *target = list->first; target; target = target->next) {
        assert(count < MOST);
        waiting[count] = (struct waiting){.packet = target->packet, .command = target->packet->command,
                                          .source = target->source, .mark = SNOOP_MARK + count};
        if (target->source == TARGET_FROM_SNOOP)
            *version_of(target->packet) = waiting[count].mark;
        count++;
    }
    return count;
}

static bool is_in_list(const struct target_list *list, const struct packet *packet)
{
    for (const struct target *target = list->first; target; target = target->next)
        if (target->packet == packet)
            return true;
    return false;
}

static bool still_waits(const struct cache *cache, const struct mshr *mshr, const struct packet *packet)
{
    for (uint32_t i = 0; i < cache->mshr_count; i++)
        if (cache->mshrs[i] == mshr)
            return is_in_list(&mshr->targets, packet) || is_in_list(&mshr->deferred, packet);
    return false;
}

/* A response as it was before the cache took it. */
struct arrival {
    uint64_t version;
    unsigned line, command;
    bool is_forward, covers_line, has_block, invalidates;
};

static void serve(struct coherence_cache *made, struct arrival *arrival, const struct answers *answers,
                  const struct waiting *target)
{
    uint32_t const attributes = command_attributes(target->command);
    bool const has_data = (command_attributes(arrival->command) & ATTR_DATA) != 0;

    if (target->source == TARGET_FROM_SNOOP) {
        give_version_to_answers(made, answers, arrival->line, target->mark, made->versions[arrival->line]);
        if ((attributes & ATTR_INVALIDATE) && !(attributes & ATTR_CHECK_ABOVE))
            arrival->has_block = false;
        return;
    }
    if (target->source == TARGET_FROM_PREFETCHER || ((attributes & ATTR_SOFT_PREFETCH) && made->cache.is_coherent))
        return;
    if (arrival->has_block && (!arrival->is_forward || !has_data)) {
        if (attributes & ATTR_READ)
            *version_of(target->packet) = made->versions[arrival->line];
        if (attributes & ATTR_WRITE) {
            perform(made->bench, made->name, made->versions, target->packet, arrival->covers_line);
            arrival->covers_line = false;
        }
        if (target->command == CMD_InvalidateReq)
            arrival->has_block = false;
        return;
    }
    if (arrival->invalidates)
        arrival->has_block = false;
    if ((attributes & ATTR_READ) && !has_data)
        coherence_fail(made->bench, "%s: %s of line %u is answered by a %s, which carries no data", made->name,
                       command_table[target->command].name, arrival->line, command_table[arrival->command].name);
    *version_of(target->packet) = arrival->version;
}

static bool take_response(struct coherence_cache *made, struct packet *packet, unsigned port, bool is_snoop_response)
{
    struct cache *const cache = &made->cache;
    struct mshr const *const mshr = packet->sender_count ? packet->senders[packet->sender_count - 1] : NULL;
    uint64_t const line_address = sim_line_address(cache->sim, packet->address);
    struct waiting waiting[MOST];
    unsigned count;
    struct answers answers;
    struct arrival arrival;
    bool has_newer;

    if (packet_is(packet, ATTR_WRITE))                   /* of an uncacheable write: passed on */
        return made->inside_above.ops->recv_response(made->inside_above.self, packet, port);
    arrival = (struct arrival){
        .version = *version_of(packet), .line = coherence_line(made->bench, packet->address),
        .command = packet->command, .is_forward = mshr->is_forward, .covers_line = mshr->was_whole_line,
        .has_block = tags_find(&cache->tags, packet->address) != BLOCK_NONE,
        .invalidates = packet_is(packet, ATTR_INVALIDATE) && !mshr->was_whole_line};
    has_newer = !cache->is_coherent && arrival.has_block && arrival.version < made->versions[arrival.line];
    count = note_targets(&mshr->deferred, waiting, note_targets(&mshr->targets, waiting, 0));
    note_answers(cache, &answers);
    touch(made->bench, arrival.line);
    if (is_snoop_response)
        made->inside_below.ops->recv_snoop_response(made->inside_below.self, packet, port);
    else
        made->inside_above.ops->recv_response(made->inside_above.self, packet, port);
    if (!arrival.is_forward && ((command_attributes(arrival.command) & ATTR_READ) || arrival.command == CMD_UpgradeResp
                                || arrival.covers_line)) {
        if (has_newer)
            ;
        else if (command_attributes(arrival.command) & ATTR_DATA)
            made->versions[arrival.line] = arrival.version;
        else if (!arrival.has_block && !arrival.covers_line)
            coherence_fail(made->bench, "%s: line %u is filled by a %s, which carries no data", made->name,
                           arrival.line, command_table[arrival.command].name);
        arrival.has_block = true;
    }
    for (unsigned i = 0; i < count; i++)
        if (!still_waits(cache, mshr, waiting[i].packet))
            serve(made, &arrival, &answers, &waiting[i]);
    give_versions_to_evictions(made);
    note_left_behind(made, line_address);
    return true;
}

static bool recv_response(void *self, struct packet *packet, unsigned port)
{
    return take_response(self, packet, port, false);
}

static bool recv_snoop_response(void *self, struct packet *packet, unsigned port)
{
    struct coherence_cache *const made = self;
    struct cache *const cache = &made->cache;
    struct mshr const *const mshr = packet->sender_count ? packet->senders[packet->sender_count - 1] : NULL;

    if (packet->command == CMD_HardPFResp && mshr >= cache->mshr_entries
        && mshr < cache->mshr_entries + cache->mshr_limit)
        return take_response(made, packet, port, true);
    return made->inside_below.ops->recv_snoop_response(made->inside_below.self, packet, port);
}

/* ---- snoops */

static void recv_snoop(void *self, struct packet *packet, unsigned port)
{
    struct coherence_cache *const made = self;
    unsigned const line = coherence_line(made->bench, packet->address);
    struct write_entry const *const write = write_of(&made->cache, packet->address);
    bool const has_block = tags_find(&made->cache.tags, packet->address) != BLOCK_NONE;
    bool const write_answers = write && (!has_block || write->packet->command == CMD_WritebackDirty);
    uint64_t const version = write_answers ? *version_of(write->packet) : made->versions[line];
    struct answers answers;

    note_answers(&made->cache, &answers);
    touch(made->bench, line);
    made->inside_above.ops->recv_snoop(made->inside_above.self, packet, port);
    forget_left_behind(made, line);
    if (give_version_to_answers(made, &answers, line, 0, version) > 1)
        coherence_fail(made->bench, "%s answers a snoop of line %u twice", made->name, line);
}

static void recv_response_retry(void *self, unsigned port)
{
    struct coherence_cache *const made = self;

    made->inside_below.ops->recv_response_retry(made->inside_below.self, port);
}

static void recv_request_retry(void *self, unsigned port)
{
    struct coherence_cache *const made = self;

    made->inside_above.ops->recv_request_retry(made->inside_above.self, port);
}

static void recv_snoop_response_retry(void *self, unsigned port)
{
    struct coherence_cache *const made = self;

    made->inside_above.ops->recv_snoop_response_retry(made->inside_above.self, port);
}

struct below coherence_shim_below(struct coherence_cache *made)
{
    static const struct below_ops ops = {recv_request, recv_response_retry, recv_snoop_response};

    made->inside_below = cache_below_port(&made->cache);
    return (struct below){.ops = &ops, .self = made};
}

struct above coherence_shim_above(struct coherence_cache *made)
{
    static const struct above_ops ops = {recv_response, recv_request_retry, recv_snoop, recv_snoop_response_retry,
                                         NULL};

    made->inside_above = cache_above_port(&made->cache);
    return (struct above){.ops = &ops, .self = made, .is_snooping = made->inside_above.is_snooping};
}

/* ---- requests that leave a cache */

static bool outside_recv_request(void *self, struct packet *packet, unsigned port)
{
    struct coherence_cache *const made = self;
    struct coherence_bench *const bench = made->bench;
    unsigned const line = coherence_line(bench, packet->address);
    bool const is_overtaking = overtakes(made, packet, line);
    uint32_t const before = bench->overtakers[line];

    (void)port;
    if (is_overtaking)
        bench->overtakers[line] |= UINT32_C(1) << (made - bench->caches);    /* before the levels below act on it */
    if (!made->outside_below.ops->recv_request(made->outside_below.self, packet, made->outside_below.port)) {
        bench->overtakers[line] = before;
        return false;
    }
    bench->overtakings += is_overtaking;
    if (packet == made->left_behind[line])
        made->left_behind[line] = NULL;
    return true;
}

static void outside_recv_response_retry(void *self, unsigned port)
{
    struct coherence_cache *const made = self;

    (void)port;
    made->outside_below.ops->recv_response_retry(made->outside_below.self, made->outside_below.port);
}

static bool outside_recv_snoop_response(void *self, struct packet *packet, unsigned port)
{
    struct coherence_cache *const made = self;

    (void)port;
    return made->outside_below.ops->recv_snoop_response(made->outside_below.self, packet, made->outside_below.port);
}

struct below coherence_shim_outside(struct coherence_cache *made, struct below below)
{
    static const struct below_ops ops = {outside_recv_request, outside_recv_response_retry,
                                         outside_recv_snoop_response};

    made->outside_below = below;
    return (struct below){.ops = &ops, .self = made};
}

/* ---- memory */

static bool memory_recv_request(void *self, struct packet *packet, unsigned port)
{
    struct coherence_memory *const memory = self;
    unsigned const line = coherence_line(memory->bench, packet->address);
    unsigned const command = packet->command;
    struct packet const copy = *packet;

    if (!memory->inside.ops->recv_request(memory->inside.self, packet, port))
        return false;
    if (command == CMD_WritebackDirty || command == CMD_WritebackClean)
        memory->versions[line] = copy.request.pc;
    else if (command_attributes(command) & ATTR_WRITE)
        perform(memory->bench, "memory", memory->versions, &copy, false);
    else
        *version_of(packet) = memory->versions[line];
    return true;
}

static void memory_recv_response_retry(void *self, unsigned port)
{
    struct coherence_memory *const memory = self;

    memory->inside.ops->recv_response_retry(memory->inside.self, port);
}

struct below coherence_shim_memory(struct coherence_memory *memory)
{
    static const struct below_ops ops = {memory_recv_request, memory_recv_response_retry, NULL};

    return (struct below){.ops = &ops, .self = memory};
}
