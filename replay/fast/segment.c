/* Segments that are done again (segment.h).
 *
 * Why that is exact: the data side is a function of its snapshot, of the records, and of the L1D's answers. The
 * latter are known in advance if no event of others comes before the segment's end, and every access hits a line that
 * is there now, since hits move no lines. Fetches do not concern the data side; those of a segment are executed in
 * advance, and must hit as well. All this is checked before anything is executed: an event already inserted for a
 * segment that then fails would have been inserted too early, and so would come too late in its tick.
 *
 * Windows: when they are read depends on how many records are complete in all, not on the snapshot. That is of no
 * consequence if none of the records read can be issued at once, nor any time before it would have been read at the
 * latest (struct elastic_segment: reach). Those that are due within a segment are read before it.
 *
 * States of records are written at the end of a chain only; between its segments, those that are over are marked, so
 * that the ring has room. */
#include "replay/fast/segment.h"

#include <string.h>

#include "memsys/fast/cache_replay.h"
#include "memsys/sim/event_skip.h"
#include "replay/fast/fast_core.h"
#include "replay/fast/memo.h"

#define MEMORY_EVENTS 2048            /* more than memories execute within a segment */

/* Number of events of a segment: data events, and one event for each answer. */
static uint64_t count_events(const struct memo_node *from, const struct elastic_segment *segment)
{
    return segment->sums.dcache_events + segment->access_count + from->snapshot.scalars[SNAPSHOT_ANSWER_COUNT]
         - segment->end->snapshot.scalars[SNAPSHOT_ANSWER_COUNT];
}

/* ---- the next segment */

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
        && have_more_parents(&chain->names.parents[i + segment->records], segment->end->snapshot.done,
                             segment->touched - segment->records);
}

struct elastic_segment *elastic_chain_find(const struct elastic_cpu *cpu, struct elastic_chain *chain,
                                           struct memo_node *node)
{
    struct elastic_segment *segment = node->segments, **place = &node->segments;
    uint64_t const first = elastic_snapshot_first(cpu, &node->snapshot);

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

/* Memories with no outstanding request from a core act only among themselves. */
static const struct event_slot *first_foreign(const struct elastic_cpu *cpu)
{
    return event_first_foreign(&cpu->sim->events, &cache_answers(accesses_l1d(cpu))->send_event, &cpu->fetch_event,
                               cpu->sim->packets->outstanding == 0);
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
    uint64_t const window = cpu->record_source.window_records;
    uint64_t const complete = fast_of(cpu)->graph.retired_count + segment->length;
    uint64_t end = fast_of(cpu)->graph.next_record;

    for (uint64_t due_at = fast_of(cpu)->window_due_at; due_at <= complete; due_at += window)
        end += window;
    if (first + segment->touched > end || end - first + fast_of(cpu)->graph.link_room > fast_of(cpu)->graph.mask + 1
        || end > chain->block + chain->block_records)
        return false;
    if (end == fast_of(cpu)->graph.next_record)
        return true;
    shape_names_prepare(&chain->names, first - chain->block, end - chain->block);
    if (chain->names.most_children > fast_of(cpu)->graph.max_dependents)
        return false;                /* that statistic may count children that are not read yet */
    if (shape_names_farthest(&chain->names, fast_of(cpu)->graph.next_record - chain->block, end - chain->block)
        >= segment->reach)
        return false;
    while (fast_of(cpu)->graph.next_record < end)
        if (!fast_data_read_window(cpu))
            return false;
    return true;
}

/* Finds the lines of the accesses; false if one does not simply hit. */
static bool find_lines(struct elastic_cpu *cpu, struct elastic_chain *chain, const struct elastic_segment *segment,
                       uint64_t first)
{
    const struct elastic_graph *const graph = &fast_of(cpu)->graph;
    struct cache *const l1d = accesses_l1d(cpu);

    for (uint32_t i = 0; i < segment->access_count; i++) {
        const struct segment_access *const access = &segment->accesses[i];
        uint32_t const place = elastic_graph_place(graph, first + access->record);
        uint64_t const address = graph->addresses[place];

        if (elastic_graph_shape(graph, place)->size_bytes > elastic_rest_of_line(cpu, address)
            || !cache_find_hit(l1d, address, !access->is_load, &chain->blocks[i]))
            return false;
    }
    return true;
}

/* Are only fetches that hit, and events of memories alone, due before the segment's end? In the tick in which it ends,
 * and in that of the next answer due then, not even a fetch is allowed, since nodes do not contain their order. */
static bool is_undisturbed(const struct elastic_cpu *cpu, const struct elastic_segment *segment, uint64_t end_ps,
                           size_t *fetches)
{
    const struct elastic_snapshot_stored *const end = &segment->end->snapshot;
    uint64_t const answer_ps = end->scalars[SNAPSHOT_ANSWER_COUNT] > 0
        ? end_ps + end->scalars[SNAPSHOT_ANSWER_PS] : end_ps;
    const struct event_slot *slot = first_foreign(cpu);
    uint64_t const fetch_ps = accesses_fetch_hits_until(cpu, end_ps, fetches);

    if (slot->when_ps <= end_ps || fetch_ps <= end_ps || fetch_ps == answer_ps)
        return false;
    return event_first_from_ps(slot, answer_ps) > answer_ps;
}

static void access_lines(struct elastic_cpu *cpu, const struct elastic_chain *chain,
                         const struct elastic_segment *segment)
{
    struct cache *const l1d = accesses_l1d(cpu);
    uint64_t const now = sim_now_ps(cpu->sim);

    for (uint32_t i = 0; i < segment->access_count; i++)
        cache_replay_hit(l1d, chain->blocks[i], now + segment->accesses[i].after_ps, !segment->accesses[i].is_load);
}

/* Does a segment that the records are known to follow; false if it cannot be done, and nothing has changed but that
 * records were read. The L1D's answers are not scheduled. */
static bool skip(struct elastic_cpu *cpu, struct elastic_chain *chain, const struct memo_node *from,
                 const struct elastic_segment *segment)
{
    struct event_queue *const events = &cpu->sim->events;
    uint64_t const end_ps = events->now_ps + segment->span_ps, event_count = count_events(from, segment);
    uint64_t const first = elastic_snapshot_first(cpu, &from->snapshot);
    size_t fetches;

    if (!event_queue_may_skip(events, end_ps, event_count + MEMORY_EVENTS) || end_ps >= ELASTIC_LAST_TICK
        || fast_of(cpu)->graph.retired_count + segment->length >= cpu->notify_at_records
        || !cache_may_replay(accesses_l1d(cpu), end_ps) || !is_undisturbed(cpu, segment, end_ps, &fetches)
        || !event_queue_may_skip(events, end_ps, event_count + fetches + MEMORY_EVENTS))
        return false;
    if (!read_windows(cpu, chain, segment, first) || !find_lines(cpu, chain, segment, first)
        || !event_queue_execute_before(events, end_ps))
        return false;
    access_lines(cpu, chain, segment);
    event_queue_skip(events, end_ps, event_count);
    elastic_advance(cpu, &(struct elastic_stretch){
        .sums = &segment->sums, .latency = segment->latency, .latency_bin = (unsigned)segment->latency_bin,
        .length = segment->length, .first = first,
        .end = elastic_snapshot_first(cpu, &segment->end->snapshot) + segment->length});
    chain->skipped_records += segment->length;
    return true;
}

/* Puts the core into the state of the node's snapshot, except the part that elastic_advance has done; next_ps as in
 * elastic_chain_skip. */
static uint64_t arrive(struct elastic_cpu *cpu, struct elastic_chain *chain, const struct memo_node *node)
{
    struct elastic_responses responses;
    uint64_t const i = elastic_snapshot_first(cpu, &node->snapshot) - chain->block;
    uint64_t next_ps;

    event_queue_end_skip(&cpu->sim->events);
    next_ps = elastic_snapshot_restore(cpu, &node->snapshot, &chain->names.parents[i], &responses);
    packet_queue_restore(cache_answers(accesses_l1d(cpu)), &responses.due);
    return next_ps;
}

uint64_t elastic_chain_skip(struct elastic_cpu *cpu, struct elastic_chain *chain, struct memo_node **node,
                            uint64_t next_ps)
{
    struct packet_queue *const answers = cache_answers(accesses_l1d(cpu));
    struct elastic_segment *segment = elastic_chain_find(cpu, chain, *node);
    struct event_place place;
    bool is_answering, has_moved = false;

    chain->is_at_end = !segment;
    if (!segment)
        return next_ps;
    is_answering = packet_queue_suspend(answers, &place);
    elastic_advance_begin(cpu);
    while (segment && skip(cpu, chain, *node, segment)) {
        has_moved = true;
        *node = segment->end;
        segment = elastic_chain_find(cpu, chain, *node);
    }
    chain->is_at_end = !segment;
    if (has_moved)
        next_ps = arrive(cpu, chain, *node);
    else if (is_answering)
        packet_queue_resume(answers, &place);
    elastic_advance_end(cpu);
    return next_ps;
}
