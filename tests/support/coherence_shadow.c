/* What the shims know: data moves when the reference copies it. A hit reads or writes its block in the call that
 * accepts the request; a miss when its target is served; a snoop answer takes the data in the call of the snoop (or,
 * if an MSHR keeps the snoop, when that target is served); an eviction when the block is given up; a memory when it
 * accepts the request.
 *
 * A shim looks at the component before and after the call that it passes on, and moves versions accordingly. Not
 * watched: crossbars, which only pass packets on.
 *
 * Two races are the reference's own; a replay has no data and must keep their order.
 * 1. A response fills the temporary block while a deferred store waits in the MSHR. The block is evicted at once, but
 *    the store's new miss, older by its order, leaves before the eviction (classic-memory 4.8: "c.order < w.order:
 *    return c"): it finds older data below, and what it brings is then hidden from snoops by the older eviction. The
 *    bench notes the line as lost and asks nothing more about it but that its requests are answered.
 * 2. On the memory side a line can be written back while an older read of it is under way; the answer fills the block
 *    that the write-back has just made. The reference would overwrite it, here the newer data stay. */
#include "coherence_bench.h"

#include <inttypes.h>

enum { MOST = 256 };

/* Kept snoops get a version from here on before they are served: their answers, which are copies, can then be told. */
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

/* See the top. */
static void note_lost_line(struct coherence_cache *made, uint64_t address)
{
    struct cache const *const cache = &made->cache;
    struct write_entry const *const write = write_of(cache, address);

    for (uint32_t i = 0; i < cache->mshr_ready_count && write; i++)
        if (cache->mshr_ready[i]->line_address == write->line_address && cache->mshr_ready[i]->order < write->order)
            made->bench->lost |= UINT32_C(1) << coherence_line(made->bench, address);
}

static bool is_in_write_queue(const struct cache *cache, const struct packet *packet)
{
    for (uint32_t i = 0; i < cache->write_count; i++)
        if (cache->writes[i]->packet == packet)
            return true;
    return false;
}

/* A store takes effect on `versions`. It must build on the newest data, unless it and its neighbours cover the line. */
static void perform(struct coherence_bench *bench, const char *where, uint64_t *versions, const struct packet *packet,
                    bool covers_line)
{
    unsigned const line = coherence_line(bench, packet->address);
    struct coherence_request *const request = coherence_request_of(bench, packet);

    if (!covers_line && versions[line] != bench->current[line] && !(bench->lost >> line & 1))
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
    versions[line] = ++bench->current[line];
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

        if (!is_dropped && !is_in_write_queue(cache, packet))
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
    note_lost_line(made, line_address);
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
    uint64_t const version = write && !has_block ? *version_of(write->packet) : made->versions[line];
    struct answers answers;

    note_answers(&made->cache, &answers);
    touch(made->bench, line);
    made->inside_above.ops->recv_snoop(made->inside_above.self, packet, port);
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
    static const struct above_ops ops = {recv_response, recv_request_retry, recv_snoop, recv_snoop_response_retry};

    made->inside_above = cache_above_port(&made->cache);
    return (struct above){.ops = &ops, .self = made, .is_snooping = made->inside_above.is_snooping};
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
