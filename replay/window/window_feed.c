/* A ring of records. A record is returned once enough later ones are read that no further record can name it: the
 * capture names producers at most one window of numbers back, and order parents at most one window of records.
 *
 * Data shared by the records of a shape is looked up once, while the source keeps the shape. */
#include "replay/window/window_feed.h"

#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/hints.h"
#include "memsys/sim/packet.h"

/* More loads than that are never squashed at once. */
#define MOST_WINDOW (1u << 20)
/* As many shapes as a block of a store has, which lie side by side. */
enum { AT_ONCE = 256, MOST_SQUASHED = 256, SHAPES = 4096 };

static uint64_t power_of_two(uint64_t least)
{
    uint64_t size = 1;

    while (size < least)
        size *= 2;
    return size;
}

bool window_feed_open(struct window_feed *feed, const struct record_source *source, struct window_pcs *pcs)
{
    uint64_t const window = source->window_records;
    uint64_t const size = power_of_two(2 * window + AT_ONCE + 2 * MOST_SQUASHED);
    bool const needs_places = source->known_reach_seq < window;

    if (window > MOST_WINDOW) {
        *feed = (struct window_feed){.fault = fault_make(
            FAULT_INPUT, "%s: the header's window_size is %llu; expected at most %u", source->name,
            (unsigned long long)window, MOST_WINDOW)};
        return false;
    }
    *feed = (struct window_feed){
        .source = source, .pcs = pcs, .fault = fault_none(), .ring = malloc(size * sizeof *feed->ring),
        .notes = malloc(size * sizeof *feed->notes),
        .places = needs_places ? malloc(4 * size * sizeof *feed->places) : NULL,
        .shape_count = (uint32_t)size + SHAPES, .shape_slots = calloc(SHAPES, sizeof *feed->shape_slots),
        .has_times = true,
        .mask = size - 1, .seq_mask = 4 * size - 1, .ahead = window + 1, .window = window};
    feed->shapes = aligned_alloc(sizeof *feed->shapes, feed->shape_count * sizeof *feed->shapes);
    if (!feed->ring || !feed->notes || (needs_places && !feed->places) || !feed->shapes || !feed->shape_slots) {
        feed->fault = fault_make(FAULT_MEMORY, "out of memory for the records of a trace");
        window_feed_close(feed);
        return false;
    }
    feed->shapes[0] = (struct window_shape){0};
    feed->shapes_made = 1;
    for (uint64_t i = 0; i < size; i++)
        feed->ring[i].place = UINT64_MAX;
    for (uint64_t i = 0; needs_places && i < 4 * size; i++)
        feed->places[i] = UINT64_MAX;
    return true;
}

void window_feed_close(struct window_feed *feed)
{
    free(feed->ring);
    free(feed->notes);
    free(feed->places);
    free(feed->shapes);
    free(feed->shape_slots);
    feed->ring = NULL;
    feed->notes = NULL;
    feed->places = NULL;
    feed->shapes = NULL;
    feed->shape_slots = NULL;
}

/* ---- shapes */

/* A shape that no held record uses. Never the first, which means no shape. One is always free: there are more shapes
 * than records. */
static uint32_t free_shape(struct window_feed *feed, uint64_t place)
{
    struct window_shape *shape;

    do {
        feed->next_shape = feed->next_shape + 1 < feed->shape_count ? feed->next_shape + 1 : 1;
        shape = &feed->shapes[feed->next_shape];
        if (feed->next_shape == feed->shapes_made) {
            feed->shapes_made++;
            return feed->next_shape;
        }
    } while (shape->used > 0 && shape->used + feed->mask > place);
    if (feed->retire && shape->given > 0)
        feed->retire(feed, shape);
    return feed->next_shape;
}

/* 3.1: children, and when all parents were done, or had executed where that is enough. */
static inline void take_edges(struct window_record *ring, uint64_t mask, struct window_record *record,
                              const struct window_shape *shape)
{
    uint64_t const place = record->place;
    unsigned const first_producer = shape->done_count - shape->parent_count;
    uint64_t begin = 0;
    uint32_t producers = 0;
    unsigned i = 0;

    for (; i < shape->done_count; i++) {
        struct window_record *const parent = &ring[(place - shape->edges[i]) & mask];

        parent->kind.has_child = true;
        parent->kind.has_reader |= i >= first_producer;
        producers = producers << 16 | (uint16_t)parent->kind.pc_number;
        begin = max_u64(begin, parent->done);
    }
    for (; i < shape->edge_count; i++) {
        struct window_record *const parent = &ring[(place - shape->edges[i]) & mask];

        parent->kind.has_child = true;
        begin = max_u64(begin, parent->start);
    }
    record->start = begin + shape->delay;
    record->kind.producers = producers;
}

/* How far back the record of that number is; 0: it is not in the file, or too far back. */
static uint64_t numbered(const struct window_feed *feed, const struct window_record *record, uint64_t seq)
{
    const struct window_record *const found =
        feed->places ? window_feed_at(feed, feed->places[seq & feed->seq_mask]) : NULL;

    return found && found->seq == seq ? record->place - found->place : 0;
}

/* Edges of one kind while lists are read. */
struct edges { uint32_t count, at[WINDOW_SHAPE_EDGES]; };

/* Puts as many as fit, and leaves room for `reserved`. */
static void put_edges(struct window_shape *shape, const struct edges *edges, uint32_t reserved)
{
    for (uint32_t i = 0; i < edges->count && shape->edge_count + reserved < WINDOW_SHAPE_EDGES; i++)
        shape->edges[shape->edge_count++] = edges->at[i];
}

/* Gives a record's dependences to its shape. False: they are this record's alone, or too many for a shape: the caller
 * then has to note children and start for them, too. */
static bool put_lists(const struct window_feed *feed, const struct window_record *record, struct window_shape *shape,
                      const struct store_lists *lists, uint64_t *begin)
{
    struct edges producers = {0}, orders = {0};
    bool is_early = shape->kind.type != DEP_STORE, is_for_all = !feed->places && record->place > 0;
    uint32_t unknown = 0;
    uint64_t longest = 0;

    for (uint32_t i = 0; i < lists->rob_dep_count + lists->reg_dep_count; i++) {
        bool const is_order = i < lists->rob_dep_count;
        struct edges *const edges = is_order ? &orders : &producers;
        uint64_t const distance = lists->record_distance[i] > 0 ? lists->record_distance[i]
            : numbered(feed, record, record->seq - lists->seq_distance[unknown++]);
        struct window_record *parent;

        if (distance == 0 || distance > feed->mask)
            continue;
        if (distance > record->place || edges->count == WINDOW_SHAPE_EDGES)
            is_for_all = false;
        if (distance > record->place)
            continue;
        parent = &feed->ring[(record->place - distance) & feed->mask];
        parent->kind.has_child = true;
        parent->kind.has_reader |= !is_order;
        *begin = max_u64(*begin, is_order && is_early ? parent->start : parent->done);
        longest = max_u64(longest, distance);
        if (edges->count < WINDOW_SHAPE_EDGES)
            edges->at[edges->count++] = (uint32_t)distance;
    }
    producers.count = (uint32_t)min_u64(producers.count, RULE_SOURCES);
    shape->may_compare = producers.count <= 2 && longest <= feed->window;
    if (!is_early)
        put_edges(shape, &orders, producers.count);
    put_edges(shape, &producers, 0);
    shape->parent_count = (uint8_t)producers.count;
    shape->done_count = shape->edge_count;
    if (is_early)
        put_edges(shape, &orders, 0);
    return is_for_all && producers.count + orders.count == shape->edge_count;
}

/* Copies `count` distances to consecutive edges; returns the longest, or a value above all valid ones. */
static uint64_t put_distances(uint32_t *edges, const uint32_t *distances, uint32_t count)
{
    uint64_t longest = 0;

    for (uint32_t i = 0; i < count; i++) {
        edges[i] = distances[i];
        longest = max_u64(longest, distances[i] > 0 ? distances[i] : UINT64_MAX);
    }
    return longest;
}

/* The common case of put_lists, in which all dependences are held and fit; take_edges gives children and start. False:
 * the shape was not changed. */
static bool put_few(const struct window_feed *feed, uint64_t place, struct window_shape *shape,
                    const struct store_lists *lists)
{
    uint32_t const orders = lists->rob_dep_count, producers = lists->reg_dep_count;
    bool const is_early = shape->kind.type != DEP_STORE;
    const uint32_t *const distances = lists->record_distance;
    uint64_t longest;

    if (feed->places || place == 0 || producers > RULE_SOURCES || orders > WINDOW_SHAPE_EDGES - producers)
        return false;
    longest = max_u64(put_distances(shape->edges + (is_early ? producers : 0), distances, orders),
                      put_distances(shape->edges + (is_early ? 0 : orders), distances + orders, producers));
    if (longest > min_u64(place, feed->mask))
        return false;
    shape->edge_count = (uint8_t)(orders + producers);
    shape->done_count = (uint8_t)(is_early ? producers : orders + producers);
    shape->parent_count = (uint8_t)producers;
    shape->may_compare = producers <= 2 && longest <= feed->window;
    return true;
}

/* A core acts at its clock's edges, so all delays are whole cycles; the first window has seen enough of them. */
static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b > 0) {
        uint64_t const rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

/* Types other than memory accesses only take time. */
static uint8_t sent_type(const struct store_shape *shape)
{
    return shape->is_access && !(shape->flags & REQUEST_STRICT_ORDER) ? shape->links.type : DEP_COMP;
}

static uint32_t gap_before(const struct window_feed *feed, const struct window_record *record, uint32_t weight)
{
    uint64_t missing;

    if (record->place == 0)
        return 0;
    missing = record->seq - feed->ring[(record->place - 1) & feed->mask].seq - 1;
    return missing > weight ? (uint32_t)min_u64(missing - weight, UINT32_MAX / 2) : 0;
}

/* Field by field: there are programs with many shapes, and edges are most of one. */
static void begin_shape(struct window_shape *shape, const struct store_shape *stored)
{
    shape->shape = NULL;
    shape->delay = stored->comp_delay;
    shape->edge_count = shape->done_count = shape->parent_count = 0;
    shape->may_compare = shape->is_known = shape->is_alike = false;
    shape->is_prefetch = (stored->flags & REQUEST_PREFETCH) != 0;
    shape->producers = shape->given = shape->alike = shape->counted = shape->far = 0;
    shape->size_bytes = stored->size_bytes;
    shape->pc = stored->pc;
}

/* Makes the shape of a record, the first one that has it. A shape of the source also holds the distance to the
 * previous record's number. */
static bool make_shape(struct window_feed *feed, struct window_record *record, const struct store_shape *stored)
{
    uint32_t const number = free_shape(feed, record->place);
    struct window_shape *const shape = &feed->shapes[number];
    struct store_lists lists;
    uint64_t begin = 0;
    struct window_kind kind = {
        .shape = number, .pc_number = window_pcs_take(feed->pcs, stored->pc), .weight = stored->weight,
        .gap = gap_before(feed, record, stored->weight), .type = sent_type(stored)};

    if (!feed->has_whole_delays && (feed->period == 0 || stored->comp_delay % feed->period != 0))
        feed->period = common_divisor(feed->period, stored->comp_delay);
    begin_shape(shape, stored);
    if (kind.pc_number == WINDOW_NO_PC) {
        feed->fault = fault_make(FAULT_MEMORY, "out of memory for the pcs of a trace");
        return false;
    }
    if (feed->source->lists(feed->source->self, stored, &lists, &feed->fault) != SOURCE_RECORD)
        return false;
    kind.has_producers = lists.reg_dep_count > 0;
    shape->kind = record->kind = kind;
    if (put_few(feed, record->place, shape, &lists) || put_lists(feed, record, shape, &lists, &begin)) {
        shape->shape = stored;
        feed->shape_slots[(uintptr_t)stored / sizeof *stored % SHAPES] = number;
        feed->has_slots = true;
    }
    take_edges(feed->ring, feed->mask, record, shape);
    record->start = max_u64(record->start, begin + shape->delay);
    return true;
}

/* ---- reading */

static bool next_batch(struct window_feed *feed)
{
    if (!feed->batch.shapes_stay && feed->has_slots) {
        memset(feed->shape_slots, 0, SHAPES * sizeof *feed->shape_slots);
        feed->has_slots = false;
        feed->next_shape = 0;            /* those that are in the host's cache */
    }
    switch (feed->source->batch(feed->source->self, &feed->batch, &feed->fault)) {
    case SOURCE_RECORD:
        feed->used = 0;
        feed->has_whole_delays = feed->batch.delay_unit > 0 && feed->period > 0
                              && feed->batch.delay_unit % feed->period == 0;
        return true;
    case SOURCE_END:
        feed->is_at_end = true;
        return true;
    case SOURCE_FAULT:
        break;
    }
    return false;
}

static void window_feed_take_time(struct window_feed *feed, struct window_record *record)
{
    bool const hits = timeline_hits(feed->timeline, RULE_CACHE_SETS, record->address);

    if (record->kind.type == DEP_LOAD)
        record->done += (hits ? RULE_HIT_CYC : RULE_MISS_CYC) * feed->period;
}

/* Reads `count` records of the batch. */
static bool read_some(struct window_feed *feed, uint64_t count)
{
    const struct store_record *stored = &feed->batch.records[feed->used];
    const struct store_record *const end = stored + count;
    struct window_record *const ring = feed->ring;
    struct window_shape *const shapes = feed->shapes;
    const uint32_t *const slots = feed->shape_slots;
    uint64_t *const places = feed->places;
    uint64_t const mask = feed->mask;
    bool const has_times = feed->has_times;
    uint64_t place = feed->read;

    for (; stored < end; stored++, place++) {
        struct window_record *const record = &ring[place & mask];
        struct window_shape *shape = &shapes[slots[(uintptr_t)stored->shape / sizeof *stored->shape % SHAPES]];

        record->place = place;
        record->seq = stored->seq_num;
        record->address = stored->p_addr;
        if (likely(shape->shape == stored->shape)) {
            record->kind = shape->kind;
            take_edges(ring, mask, record, shape);
        } else {
            if (!make_shape(feed, record, stored->shape))
                return false;
            shape = &shapes[record->kind.shape];
        }
        shape->used = place + 1;
        record->done = record->start;
        if (record->kind.type != DEP_COMP && has_times)
            window_feed_take_time(feed, record);
        if (places)
            places[record->seq & feed->seq_mask] = place;
    }
    feed->read += count;
    feed->used += count;
    return true;
}

static bool read_to(struct window_feed *feed, uint64_t place)
{
    if (feed->fault.kind != FAULT_NONE)
        return false;                    /* the source is not to be asked again */
    while (!feed->is_at_end && feed->read < place) {
        if (feed->used == feed->batch.count && !next_batch(feed))
            return false;
        if (feed->is_at_end)
            return true;
        if (!read_some(feed, min_u64(place - feed->read, feed->batch.count - feed->used)))
            return false;
    }
    return true;
}

/* ---- 5, 1 */
/* Loads that leave the ROB squashed have order dependences only, and nothing depends on them. A run of such loads is of
 * wrong paths, unless no number is missing between the records around it. `place` is that of its first load; all before
 * it is settled. */
void window_feed_settle(struct window_feed *feed, uint64_t place)
{
    uint64_t const first = place;
    struct window_record *record = NULL;
    uint64_t missing = 0;

    for (; place < first + MOST_SQUASHED && read_to(feed, place + feed->ahead) && place < feed->read; place++) {
        record = &feed->ring[place & feed->mask];
        missing += record->kind.gap;
        if (!window_is_loose(record))
            break;
    }
    if (missing > 0 && place < feed->read && !window_is_loose(record)) {
        for (uint64_t at = first; at < place; at++)
            feed->ring[at & feed->mask].kind.type = DEP_INVALID;
        feed->squashed += place - first;
        record->kind.has_strays = true;
        window_feed_notes(feed, record)->strays = place - first;
    }
    feed->settled = place;
}

const struct window_record *window_feed_ahead(struct window_feed *feed, unsigned i)
{
    for (uint64_t place = feed->given; read_to(feed, place + feed->ahead) && place < feed->read; place++) {
        const struct window_record *const record = &feed->ring[place & feed->mask];

        if (place >= feed->settled && window_is_loose(record))
            window_feed_settle(feed, place);
        if (record->kind.type != DEP_INVALID && i-- == 0)
            return record;
    }
    return NULL;
}

bool window_feed_more(struct window_feed *feed)
{
    return read_to(feed, feed->given + feed->ahead + AT_ONCE) && feed->given < feed->read;
}
