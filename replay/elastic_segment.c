/* Segments that are done again (elastic_segment.h).
 *
 * Why that is exact: the data side is a function of its moment, of what records are, and of what the L1D answers. The
 * latter is known in advance if no event of others comes before the segment's end, and every access hits a line that is
 * there now, since hits move no lines. Fetches do not concern the data side; those of a segment are executed in
 * advance, and must hit as well. All that is found out before anything is executed: what is ahead when it turns out
 * that the segment cannot be done would have been inserted too early, and so would come too late in its tick.
 *
 * Windows: when they are read depends on how many records are complete in all, not on the moment. That is of no
 * consequence if none of the records read can be issued at once, nor any time before it would have been read at the
 * latest (struct elastic_segment: reach). Those that are due within a segment are read before it.
 *
 * States of records are written at the end of a chain only; between its segments, those that are over are marked, so
 * that the ring has room. */
#include "replay/elastic_segment.h"

#include <string.h>

#include "memsys/cache_try.h"
#include "replay/elastic_sides.h"

#define MEMORY_EVENTS 2048            /* more than memories execute within a segment */

/* ---- sums */

/* Loads, stores and others in flight; a store that was sent is not. */
static uint64_t count_in_flight(const struct elastic_cpu *cpu, unsigned type)
{
    return elastic_cpu_held(cpu, type) - (type == DEP_STORE ? cpu->sent_stores : 0);
}

/* The cpu's sums of ticks leave out what is still in flight. Here that counts up to now, so that a segment adds the
 * same whenever it takes place; or, with the sign turned, is taken out again. */
static void integrate(const struct elastic_cpu *cpu, uint64_t flight_ps[DEP_TYPES], uint64_t *sent_stores_ps,
                      uint64_t now)
{
    for (unsigned type = 0; type < DEP_TYPES; type++)
        flight_ps[type] += count_in_flight(cpu, type) * now;
    *sent_stores_ps += cpu->sent_stores * now;
}

void elastic_segment_add_up(const struct elastic_cpu *cpu, struct segment_sums *sums)
{
    const struct elastic_cpu_stats *const stats = &cpu->stats;
    const struct cache *const cache = cpu->dcache.plain_cache;

    *sums = (struct segment_sums){
        .dcache_events = stats->num_sched_dcache_event, .sent = stats->data_send_succeeded, .num_ops = stats->num_ops,
        .sent_stores_ps = cpu->sent_stores_ps, .latency_count = stats->load_latency.count,
        .latency_sum = stats->load_latency.sum,
        .odd = stats->data_send_failed + stats->data_retry_succeeded + stats->split_requests + stats->strict_order_loads
            + stats->strict_order_stores + stats->inst_send_failed + cache->plain_counts[false]->misses
            + cache->plain_counts[true]->misses + cpu->icache.plain_cache->plain_counts[false]->misses};
    memcpy(sums->flight_ps, cpu->flight_ps, sizeof sums->flight_ps);
    memcpy(sums->cycles, stats->cpi_stack.cycles, sizeof sums->cycles);
    integrate(cpu, sums->flight_ps, &sums->sent_stores_ps, sim_now_ps(cpu->sim));
}

static void add_sums(struct elastic_cpu *cpu, const struct elastic_segment *segment)
{
    const struct segment_sums *const sums = &segment->sums;
    struct elastic_cpu_stats *const stats = &cpu->stats;

    stats->num_sched_dcache_event += sums->dcache_events;
    stats->data_send_succeeded += sums->sent;
    stats->load_latency.count += sums->latency_count;
    stats->load_latency.sum += sums->latency_sum;
    stats->load_latency.bins[segment->latency_bin] += sums->latency_count;
    if (sums->latency_count > 0) {
        stats->load_latency.last = segment->latency;
        stats->load_latency.last_bin = (unsigned)segment->latency_bin;
    }
    for (unsigned part = 0; part < CPI_PART_COUNT; part++)
        stats->cpi_stack.cycles[part] += sums->cycles[part];
    for (unsigned type = 0; type < DEP_TYPES; type++)
        cpu->flight_ps[type] += sums->flight_ps[type];
    cpu->sent_stores_ps += sums->sent_stores_ps;
}

/* Data events of a segment, and events of answers, each of which is one. */
static uint64_t count_events(const struct memo_node *from, const struct elastic_segment *segment)
{
    return segment->sums.dcache_events + segment->access_count + from->moment.scalars[MOMENT_ANSWER_COUNT]
         - segment->end->moment.scalars[MOMENT_ANSWER_COUNT];
}

/* ---- what follows */

bool elastic_chain_has_records(const struct elastic_chain *chain, uint64_t first, uint64_t count)
{
    return first >= chain->block + STORE_LINK_REACH && first + count <= chain->block + chain->block_records;
}

/* Has each of `count` records more parents than that? */
static bool have_more_parents(const uint8_t *parents, const uint8_t *done, size_t count)
{
    unsigned any = 0;

    for (size_t i = 0; i < count; i++)
        any |= parents[i] <= done[i];
    return any == 0;
}

/* Are the records at the present those of the segment, as far as it needs them? */
static bool has_same_records(struct elastic_chain *chain, const struct elastic_segment *segment, uint64_t first)
{
    uint64_t const i = first - chain->block;

    if (!elastic_chain_has_records(chain, first, segment->touched))
        return false;
    shape_names_prepare(&chain->names, i, i + segment->touched);
    return memcmp(segment->names, &chain->names.names[i], segment->records * sizeof *segment->names) == 0
        && have_more_parents(&chain->names.parents[i + segment->records], segment->end->moment.done,
                             segment->touched - segment->records);
}

struct elastic_segment *elastic_chain_find(const struct elastic_cpu *cpu, struct elastic_chain *chain,
                                           struct memo_node *node)
{
    struct elastic_segment *segment = node->segments, **place = &node->segments;
    uint64_t const first = elastic_moment_first(cpu, &node->moment);

    while (segment && !has_same_records(chain, segment, first)) {
        place = &segment->next;
        segment = *place;
    }
    if (segment) {
        *place = segment->next;
        segment->next = node->segments;
        node->segments = segment;
    }
    return segment;
}

/* Memories whose answer nobody waits for do what they do among themselves. */
static const struct event_slot *first_foreign(const struct elastic_cpu *cpu)
{
    const struct event *const answers = &cpu->dcache.plain_cache->responses.send_event;
    const struct event_slot *slot = cpu->sim->events.next;
    bool const has_no_packet = cpu->sim->packets->outstanding == 0;

    while (slot->event && (slot->event == answers || slot->event == &cpu->fetch_event
                           || (slot->event->is_apart && has_no_packet)))
        slot--;
    return slot;
}

uint64_t elastic_first_foreign_ps(const struct elastic_cpu *cpu)
{
    return first_foreign(cpu)->when_ps;
}

/* ---- one segment */

/* Reads the windows that are due before the segment's end; false if that might matter, or the ring has no room. */
static bool read_windows(struct elastic_cpu *cpu, struct elastic_chain *chain, const struct elastic_segment *segment,
                         uint64_t first)
{
    uint64_t const window = cpu->record_source.window_records, complete = cpu->graph.retired_count + segment->length;
    uint64_t end = cpu->graph.next_record;

    for (uint64_t due_at = cpu->window_due_at; due_at <= complete; due_at += window)
        end += window;
    if (first + segment->touched > end || end - first + cpu->graph.link_room > cpu->graph.mask + 1
        || end > chain->block + chain->block_records)
        return false;
    if (end == cpu->graph.next_record)
        return true;
    shape_names_prepare(&chain->names, first - chain->block, end - chain->block);
    if (chain->names.most_children > cpu->graph.max_dependents)
        return false;                /* that statistic may count children that are not read yet */
    if (shape_names_farthest(&chain->names, cpu->graph.next_record - chain->block, end - chain->block)
        >= segment->reach)
        return false;
    while (cpu->graph.next_record < end)
        if (!elastic_data_read_window(cpu))
            return false;
    return true;
}

/* Would a load or store of that block simply hit? */
static bool will_hit(struct tags *tags, uint32_t block, bool is_load)
{
    if (RARELY(tags_has(tags, block, BLOCK_LATE)) && tags_ready_ps(tags, block) > 0)
        return false;
    return tags_has(tags, block, is_load ? BLOCK_READABLE : BLOCK_WRITABLE);
}

/* Finds the lines of the accesses; false if one does not simply hit. */
static bool find_lines(struct elastic_cpu *cpu, struct elastic_chain *chain, const struct elastic_segment *segment,
                       uint64_t first)
{
    const struct elastic_graph *const graph = &cpu->graph;
    struct tags *const tags = &cpu->dcache.plain_cache->tags;

    for (uint32_t i = 0; i < segment->access_count; i++) {
        const struct segment_access *const access = &segment->accesses[i];
        uint32_t const place = elastic_graph_place(graph, first + access->record);
        uint64_t const address = graph->addresses[place];

        if ((address & (cpu->line_bytes - 1)) + elastic_graph_shape(graph, place)->size_bytes > cpu->line_bytes
            || !tags_find_near(tags, address, &chain->blocks[i])
            || !will_hit(tags, chain->blocks[i], access->is_load))
            return false;
    }
    return true;
}

/* Is nothing due before the segment's end but fetches that hit, and what concerns only memories? In the very tick in
 * which it ends, and in that of the answer which is due next then, there must not even be a fetch: which comes first,
 * nodes do not tell. */
static bool is_undisturbed(const struct elastic_cpu *cpu, const struct elastic_segment *segment, uint64_t end_ps,
                           size_t *fetches)
{
    const struct elastic_moment_stored *const end = &segment->end->moment;
    uint64_t const answer_ps = end->scalars[MOMENT_ANSWER_COUNT] > 0 ? end_ps + end->scalars[MOMENT_ANSWER_PS] : end_ps;
    const struct event_slot *slot = first_foreign(cpu);
    uint64_t const fetch_ps = elastic_fetch_hits_until(cpu, end_ps, fetches);

    if (slot->when_ps <= end_ps || fetch_ps <= end_ps || fetch_ps == answer_ps)
        return false;
    while (slot->when_ps < answer_ps)
        slot--;
    return slot->when_ps > answer_ps;
}

/* Executes what is due before end_ps when that is undisturbed; false after a fault. */
static bool execute_others(struct elastic_cpu *cpu, uint64_t end_ps)
{
    struct event_queue *const events = &cpu->sim->events;
    uint64_t const now = events->now_ps, horizon_ps = events->horizon_ps;

    events->horizon_ps = end_ps;
    while (events->next->when_ps < events->horizon_ps)
        event_queue_execute(events);
    events->now_ps = now;
    if (events->horizon_ps == 0)
        return false;
    events->horizon_ps = horizon_ps;
    return true;
}

static void access_lines(struct elastic_cpu *cpu, const struct elastic_chain *chain,
                         const struct elastic_segment *segment)
{
    struct cache *const cache = cpu->dcache.plain_cache;
    uint64_t const age = sim_now_ps(cpu->sim) - cache->tags.policy.age_base_ps;

    for (uint32_t i = 0; i < segment->access_count; i++) {
        const struct segment_access *const access = &segment->accesses[i];

        cache->tags.policy.ways[chain->blocks[i]].age = (uint32_t)(age + access->after_ps);
        if (!access->is_load)
            tags_set(&cache->tags, chain->blocks[i], BLOCK_DIRTY);
        cache->plain_counts[!access->is_load]->hits++;
    }
}

/* Records from `first` to `end` are over. */
static void leave_behind(struct elastic_graph *graph, uint64_t first, uint64_t end)
{
    while (first < end) {
        uint64_t const place = first & graph->mask, row = min_u64(end - first, graph->mask + 1 - place);

        memset(&graph->states[place], 0, row * sizeof *graph->states);       /* ELASTIC_GONE */
        memset(&graph->open_dependences[place], 0, row * sizeof *graph->open_dependences);
        first += row;
    }
}

/* Does a segment that the records are known to follow; false if it cannot be done, and nothing has changed but that
 * records were read. The L1D's answers are not scheduled. */
static bool skip(struct elastic_cpu *cpu, struct elastic_chain *chain, const struct memo_node *from,
                 const struct elastic_segment *segment)
{
    struct event_queue *const events = &cpu->sim->events;
    struct elastic_graph *const graph = &cpu->graph;
    uint64_t const end_ps = events->now_ps + segment->span_ps, event_count = count_events(from, segment);
    uint64_t const first = elastic_moment_first(cpu, &from->moment);
    uint64_t first_rob_number;
    size_t fetches;

    if (events->horizon_ps <= end_ps || end_ps >= ELASTIC_LAST_TICK
        || graph->retired_count + segment->length >= cpu->notify_at_records
        || !age_will_be_short(&cpu->dcache.plain_cache->tags.policy, end_ps)
        || !is_undisturbed(cpu, segment, end_ps, &fetches) || events->left <= event_count + fetches + MEMORY_EVENTS)
        return false;
    if (!read_windows(cpu, chain, segment, first) || !find_lines(cpu, chain, segment, first)
        || !execute_others(cpu, end_ps))
        return false;
    first_rob_number = graph->nodes[first & graph->mask].rob_number;
    access_lines(cpu, chain, segment);
    add_sums(cpu, segment);
    cpu->stats.num_ops = first_rob_number + segment->sums.num_ops;
    events->left -= event_count;
    events->now_ps = end_ps;
    graph->retired_count += segment->length;
    leave_behind(graph, first, elastic_moment_first(cpu, &segment->end->moment));
    cpu->memo.skipped_records += segment->length;
    return true;
}

uint64_t elastic_chain_skip(struct elastic_cpu *cpu, struct elastic_chain *chain, struct memo_node **node,
                            uint64_t next_ps)
{
    struct event_queue *const events = &cpu->sim->events;
    struct event *const answers = &cpu->dcache.plain_cache->responses.send_event;
    struct elastic_segment *segment = elastic_chain_find(cpu, chain, *node);
    struct event_place const place = {answers->when_ps, answers->number};
    bool const is_answering = answers->scheduled;
    bool has_moved = false;

    chain->is_at_end = !segment;
    if (!segment)
        return next_ps;
    if (is_answering)
        event_deschedule(events, answers);
    integrate(cpu, cpu->flight_ps, &cpu->sent_stores_ps, events->now_ps);
    while (segment && skip(cpu, chain, *node, segment)) {
        has_moved = true;
        *node = segment->end;
        segment = elastic_chain_find(cpu, chain, *node);
    }
    chain->is_at_end = !segment;
    if (has_moved) {
        events->current_number = ++*events->insertions;
        next_ps = elastic_moment_restore(
            cpu, &(*node)->moment,
            &chain->names.parents[elastic_moment_first(cpu, &(*node)->moment) - chain->block]);
        cpu->activity++;
    } else if (is_answering) {
        event_schedule_reserved(events, answers, &place);
    }
    integrate(cpu, cpu->flight_ps, &cpu->sent_stores_ps, 0 - events->now_ps);
    return next_ps;
}
