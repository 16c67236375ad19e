/* What must hold between two events, of each line that the cores use:
 * 1. caches of one level: a writable copy is the only valid one; a write-back under way that gives the right to write
 * on
 *      is such a copy
 *   2. at most one dirty copy, blocks, write-backs and answers that hand the dirty line over counted; it is the newest
 *   3. no dirty copy: memory (or the cache on its side) has the newest
 *   4. the L1s have nothing but the newest
 * Exempt from 2 and 3 is a line that a store is about to overwrite as a whole: its data are given up before. Below
 * the point of coherency only 3 is asked.
 * 5. no request waits longer than the bench's patience.
 *
 * 1 to 4 are checked for an overtaken line (coherence_shadow.c), too, but violations are only counted. The line is
 * settled, and found at fault again, as soon as nothing is left of the overtaking: see settle. */
#include "coherence_bench.h"
#include "memsys/cache/cache_params.h"
#include "memsys/prefetch/prefetch_params.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void coherence_fail(struct coherence_bench *bench, const char *format, ...)
{
    size_t used;
    va_list arguments;

    if (bench->failure[0])
        return;                          /* what follows the first failure tells nothing */
    used = (size_t)snprintf(bench->failure, sizeof bench->failure,
                            "seed %" PRIu64 ", event %" PRIu64 ", %" PRIu64 " ps: ", bench->seed, bench->steps,
                            sim_now_ps(&bench->sim));
    va_start(arguments, format);
    used += (size_t)vsnprintf(bench->failure + used, sizeof bench->failure - used, format, arguments);
    va_end(arguments);
    used += (size_t)snprintf(bench->failure + used, sizeof bench->failure - used, "\n");
    coherence_describe_system(bench, bench->failure + used, sizeof bench->failure - used);
}

void coherence_deviate(struct coherence_bench *bench, unsigned line, const char *format, ...)
{
    char text[512];
    va_list arguments;

    if (bench->overtakers[line]) {
        bench->disturbed |= UINT32_C(1) << line;
        return;
    }
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    coherence_fail(bench, "%s", text);
}

/* Lines that an event has touched are checked after it, all lines after this number of events. */
enum { ROUND = 16 };

/* The copies of one line, as far as they have been counted. */
struct copies {
    unsigned dirty;
    unsigned valid[4], writable[4];      /* by level */
    const char *first_dirty, *second_dirty;
    uint64_t dirty_version;
    bool has_dirty_data, is_overwritten;
};

static void count_dirty(struct copies *copies, const char *where, uint64_t version, bool has_data)
{
    if (copies->dirty++ == 0)
        copies->first_dirty = where;
    else
        copies->second_dirty = where;
    if (has_data) {
        copies->dirty_version = version;
        copies->has_dirty_data = true;
    }
}

static void count_queue(const struct coherence_bench *bench, const struct packet_queue *queue, const char *where,
                        unsigned line, struct copies *copies)
{
    for (uint32_t i = 0; i < packet_queue_count(queue); i++) {
        const struct packet *const packet = packet_queue_entry_at(queue, i)->packet;

        if (coherence_line(bench, packet->address) == line && packet->cache_responding && !packet->has_sharers)
            count_dirty(copies, where, packet->request.pc, packet_is(packet, ATTR_DATA));
    }
}

static void count_cache(struct coherence_bench *bench, struct coherence_cache *made, unsigned line,
                        struct copies *copies)
{
    struct cache *const cache = &made->cache;
    uint64_t const address = coherence_line_address(bench, line);
    uint32_t const block = tags_find(&cache->tags, address);

    if (tags_is_valid(&cache->tags, cache->tags.temporary))
        coherence_fail(bench, "%s: the temporary block outlives its fill", made->name);
    if (block != BLOCK_NONE) {
        copies->valid[made->level]++;
        copies->writable[made->level] += tags_has(&cache->tags, block, BLOCK_WRITABLE);
        if (tags_has(&cache->tags, block, BLOCK_DIRTY))
            count_dirty(copies, made->name, made->versions[line], true);
        if (made->level == 1 && made->versions[line] != bench->current[line])
            coherence_deviate(bench, line, "%s holds version %" PRIu64 " of line %u, the newest is %" PRIu64,
                              made->name, made->versions[line], line, bench->current[line]);
    }
    for (uint32_t i = 0; i < cache->write_count; i++) {
        const struct packet *const packet = cache->writes[i]->packet;

        if (cache->writes[i]->line_address != address || cache->writes[i]->is_uncacheable)
            continue;
        if (packet->command != CMD_CleanEvict && !packet->has_sharers) {
            copies->valid[made->level]++;
            copies->writable[made->level]++;
        }
        if (packet->command == CMD_WritebackDirty)
            count_dirty(copies, made->name, packet->request.pc, true);
    }
    for (uint32_t i = 0; i < cache->mshr_count; i++)
        if (cache->mshrs[i]->line_address == address && cache->mshrs[i]->in_service && cache->mshrs[i]->was_whole_line)
            copies->is_overwritten = true;
    if (made->level > 1)
        count_queue(bench, &cache->responses, made->name, line, copies);
    count_queue(bench, &cache->snoop_responses, made->name, line, copies);
}

/* Version that a read would find below the point of coherency. */
static uint64_t memory_version(const struct coherence_bench *bench, unsigned line)
{
    struct coherence_cache const *const made = &bench->caches[bench->cache_count - 1];
    struct cache const *const cache = &made->cache;
    uint64_t version = bench->memory.versions[line];

    if (made->level != COHERENCE_MEMORY_SIDE)
        return version;
    for (uint32_t i = 0; i < cache->write_count; i++)
        if (coherence_line(bench, cache->writes[i]->line_address) == line)
            version = cache->writes[i]->packet->request.pc;
    return tags_find(&cache->tags, coherence_line_address(bench, line)) != BLOCK_NONE ? made->versions[line] : version;
}

static void check_line(struct coherence_bench *bench, unsigned line)
{
    struct copies copies = {0};

    for (unsigned i = 0; i < bench->cache_count; i++)
        if (bench->caches[i].level != COHERENCE_MEMORY_SIDE)
            count_cache(bench, &bench->caches[i], line, &copies);
    for (unsigned i = 0; i < bench->crossbar_count; i++)
        for (unsigned port = 0; port < bench->crossbars[i].noc.cpu_port_count; port++)
            count_queue(bench, &bench->crossbars[i].cpu_ports[port].response_queue, bench->crossbar_names[i], line,
                        &copies);
    for (unsigned level = 1; level <= 3; level++)
        if (copies.writable[level] > 1 || (copies.writable[level] == 1 && copies.valid[level] > 1))
            coherence_deviate(bench, line, "line %u: level %u has %u valid copies, %u of them writable", line, level,
                              copies.valid[level], copies.writable[level]);
    if (copies.dirty > 1)
        coherence_deviate(bench, line, "line %u has %u dirty copies, in %s and %s", line, copies.dirty,
                          copies.first_dirty, copies.second_dirty);
    if (copies.is_overwritten)
        return;
    if (copies.dirty == 0 && memory_version(bench, line) != bench->current[line])
        coherence_deviate(bench, line, "line %u: nobody has the newest version, %" PRIu64 "; memory has %" PRIu64,
                          line, bench->current[line], memory_version(bench, line));
    if (copies.has_dirty_data && copies.dirty_version != bench->current[line])
        coherence_deviate(bench, line,
                          "line %u: the dirty copy in %s has version %" PRIu64 ", the newest is %" PRIu64, line,
                          copies.first_dirty, copies.dirty_version, bench->current[line]);
}

static bool has_mshr(const struct cache *cache, uint64_t address)
{
    for (uint32_t i = 0; i < cache->mshr_count; i++)
        if (cache->mshrs[i]->line_address == address)
            return true;
    return false;
}

/* The overtakers and the caches above them have no copy of the line, no MSHR waits for it, no answer is under way, and
 * all that is left of it has one version, which memory has too if it is not dirty: then that is the newest. It is
 * older than it was if the reference has lost a store. Requests under way may have been issued when it was not. */
static void settle(struct coherence_bench *bench, unsigned line)
{
    uint64_t const address = coherence_line_address(bench, line);
    unsigned level = 1;
    struct copies answers = {0};
    uint64_t version = 0;
    unsigned dirty = 0;

    for (unsigned i = 0; i < bench->crossbar_count; i++)
        for (unsigned port = 0; port < bench->crossbars[i].noc.cpu_port_count; port++)
            count_queue(bench, &bench->crossbars[i].cpu_ports[port].response_queue, "", line, &answers);
    for (unsigned i = 0; i < bench->cache_count; i++)
        if ((bench->overtakers[line] >> i & 1) && bench->caches[i].level > level)
            level = bench->caches[i].level;
    for (unsigned i = 0; i < bench->cache_count; i++) {
        struct coherence_cache const *const made = &bench->caches[i];
        struct cache const *const cache = &made->cache;
        uint32_t const block = tags_find(&cache->tags, address);
        bool const may_hold = !(bench->overtakers[line] >> i & 1) && made->level >= level;

        if (has_mshr(cache, address))
            return;
        count_queue(bench, &cache->snoop_responses, "", line, &answers);
        if (made->level == COHERENCE_MEMORY_SIDE)
            continue;
        count_queue(bench, &cache->responses, "", line, &answers);
        if (block != BLOCK_NONE) {
            if (!may_hold || (version && version != made->versions[line]))
                return;
            version = made->versions[line];
            dirty += tags_has(&cache->tags, block, BLOCK_DIRTY);
        }
        for (uint32_t j = 0; j < cache->write_count; j++) {
            const struct packet *const packet = cache->writes[j]->packet;

            if (cache->writes[j]->line_address != address)
                continue;
            if (!may_hold || (version && version != packet->request.pc))
                return;
            version = packet->request.pc;
            dirty += packet->command == CMD_WritebackDirty;
        }
    }
    if (answers.dirty || dirty > 1 || (version && !dirty && version != memory_version(bench, line)))
        return;
    bench->overtakers[line] = 0;
    version = version ? version : memory_version(bench, line);
    bench->lost_stores += bench->current[line] - version;
    bench->current[line] = version;
    for (unsigned i = 0; i < bench->agent_count; i++)
        for (unsigned j = 0; j < COHERENCE_WINDOW; j++) {
            struct coherence_request *const request = &bench->agents[i].requests[j];

            if (request->is_live && request->line == line && request->version > bench->current[line])
                request->version = bench->current[line];
        }
}

static void check_patience(struct coherence_bench *bench)
{
    uint64_t const now_ps = sim_now_ps(&bench->sim);
    bool const is_over = event_queue_next_ps(&bench->sim.events) == TICK_NEVER;

    for (unsigned i = 0; i < bench->agent_count; i++)
        for (unsigned j = 0; j < COHERENCE_WINDOW; j++) {
            struct coherence_request const *const request = &bench->agents[i].requests[j];
            char path[2048];

            if (!request->is_live || (!is_over && now_ps - request->issued_ps < bench->patience_ps))
                continue;
            coherence_describe(bench, request->address, path, sizeof path);
            coherence_fail(bench, "stuck: %s of %s, line %u, address 0x%" PRIx64 ", issued at %" PRIu64 " ps%s\n%s",
                           command_table[request->command].name, bench->agents[i].name, request->line, request->address,
                           request->issued_ps, is_over ? "; no event is left" : "", path);
            return;
        }
}

static bool all_answered(const struct coherence_bench *bench)
{
    for (unsigned i = 0; i < bench->agent_count; i++)
        if (bench->agents[i].live > 0 || bench->agents[i].left > 0)
            return false;
    return true;
}

void coherence_check(struct coherence_bench *bench)
{
    bool const is_round = bench->steps % ROUND == 0;

    for (unsigned line = 0; line < bench->cached_lines && !bench->failure[0]; line++)
        if (is_round || (bench->touched >> line & 1)) {
            if (bench->overtakers[line])
                settle(bench, line);
            check_line(bench, line);
        }
    bench->touched = 0;
    if (is_round || event_queue_next_ps(&bench->sim.events) == TICK_NEVER)
        check_patience(bench);
    if (all_answered(bench) && bench->memory.kind == COHERENCE_DRAM)
        event_queue_stop(&bench->sim.events);            /* refreshes would never end */
}

/* ---- the report of a failure */

static void append(char *text, size_t size, const char *line)
{
    size_t const used = strlen(text);

    if (used + 1 < size)
        snprintf(text + used, size - used, "    %s\n", line);
}

static void append_layer(char *text, size_t size, const char *crossbar, const char *what, const char *peer,
                         const struct layer *layer)
{
    char line[256];
    bool const is_free = layer_release_ps(layer) == TICK_NEVER;

    snprintf(line, sizeof line, "%s: %s to %s %s, %u senders wait", crossbar, what, peer,
             layer->peer_refused ? "wait for its retry" : is_free ? "find the path free" : "occupy the path",
             (unsigned)layer->waiting_count);
    append(text, size, line);
}

void coherence_describe(const struct coherence_bench *bench, uint64_t address, char *text, size_t size)
{
    char line[256];

    text[0] = '\0';
    for (unsigned i = 0; i < bench->agent_count; i++) {
        struct packet const *const refused = bench->agents[i].refused;

        if (refused && sim_line_address(&bench->sim, refused->address) == sim_line_address(&bench->sim, address)) {
            snprintf(line, sizeof line, "%s: refused by its L1", bench->agents[i].name);
            append(text, size, line);
        }
    }
    for (unsigned i = 0; i < bench->cache_count; i++)
        if (cache_describe(&bench->caches[i].cache, address, line, sizeof line))
            append(text, size, line);
    for (unsigned i = 0; i < bench->crossbar_count; i++) {
        struct crossbar const *const crossbar = &bench->crossbars[i];

        append_layer(text, size, crossbar->noc.name, "requests", crossbar->memory_ports[0].peer_name,
                     &crossbar->memory_ports[0].request_layer);
        for (unsigned port = 0; port < crossbar->noc.cpu_port_count; port++)
            if (crossbar->cpu_ports[port].response_layer.waiting_count > 0)
                append_layer(text, size, crossbar->noc.name, "responses", crossbar->cpu_ports[port].peer_name,
                             &crossbar->cpu_ports[port].response_layer);
    }
    if (bench->memory.kind == COHERENCE_SIMPLE)
        simple_memory_describe(&bench->memory.simple, address, line, sizeof line);
    else if (bench->memory.kind == COHERENCE_DRAM)
        mem_ctrl_describe(&bench->memory.dram, address, line, sizeof line);
    else
        snprintf(line, sizeof line, "memory: %u answers due", packet_queue_count(&bench->memory.answers));
    append(text, size, line);
}

void coherence_describe_system(const struct coherence_bench *bench, char *text, size_t size)
{
    static const char *const kinds[] = {"simple", "DRAM", "moody"};
    char line[256];

    text[0] = '\0';
    snprintf(line, sizeof line, "%u cores, lines of %u bytes, %u cached, %s memory, rare %u, pause %" PRIu64 " ps",
             bench->core_count, bench->sim.line_bytes, bench->cached_lines, kinds[bench->memory.kind],
             bench->line_weight, bench->pause_ps);
    append(text, size, line);
    for (unsigned i = 0; i < bench->cache_count; i++) {
        struct cache_params const *const p = &bench->caches[i].params.cache;

        snprintf(line, sizeof line, "%-9s %u lines, %u ways, latencies %u %u %u, %u MSHRs of %u targets, "
                 "%u write buffers,%s%s%s%s%s", bench->caches[i].name,
                 (unsigned)(p->size_bytes / bench->sim.line_bytes), (unsigned)p->assoc, (unsigned)p->tag_latency_cyc,
                 (unsigned)p->data_latency_cyc, (unsigned)p->response_latency_cyc,
                 (unsigned)p->mshrs, (unsigned)p->targets_per_mshr, (unsigned)p->write_buffers,
                 p->writeback_clean ? " writeback_clean" : "",
                 p->clusivity == CLUSIVITY_MOSTLY_EXCL ? " mostly_excl" : "",
                 p->write_allocator ? " write_allocator" : "", p->read_only ? " read_only" : "",
                 bench->caches[i].params.prefetcher.type != PREFETCHER_NONE ? " prefetcher" : "");
        append(text, size, line);
    }
    for (unsigned i = 0; i < bench->crossbar_count; i++) {
        struct noc_role const *const role = &bench->crossbars[i].noc.role;

        snprintf(line, sizeof line, "%s: %u ports%s", bench->crossbar_names[i], bench->crossbars[i].noc.cpu_port_count,
                 role->coherent && !role->snoop_filter ? ", no snoop filter" : "");
        append(text, size, line);
    }
}
