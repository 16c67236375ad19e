/* A ring of records. A record is judged when so many were read behind it that nobody further on can name it: the
 * capture names producers at most one window of numbers back, and order parents at most one window of records.
 *
 * What records of one shape share is looked up once for as long as the source keeps the shape. */
#include "replay/window/feed.h"

#include <stdlib.h>

#include "base/arith.h"
#include "base/hints.h"
#include "memsys/sim/packet.h"

/* More loads than that are never squashed at once. */
#define MOST_WINDOW (1u << 20)
/* As many shapes as a block of a store has, which lie side by side. */
enum { KEPT_DEPTH = 256, SHAPES = 4096, SHAPE_DISTANCES = 9 };

struct window_shape {
    const struct store_shape *shape;
    uint32_t epoch;                      /* as of the feed, else it is void */
    int32_t pc_number;
    uint8_t order_count, count;          /* dependences; order ones first */
    uint32_t distances[SHAPE_DISTANCES]; /* in records; 0: not in the file */
};

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
    uint64_t const size = power_of_two(3 * window + 2 * KEPT_DEPTH);
    bool const needs_places = source->known_reach_seq < window;

    if (window > MOST_WINDOW) {
        *feed = (struct window_feed){.fault = fault_make(
            FAULT_INPUT, "%s: the header's window_size is %llu; expected at most %u", source->name,
            (unsigned long long)window, MOST_WINDOW)};
        return false;
    }
    *feed = (struct window_feed){
        .source = source, .pcs = pcs, .fault = fault_none(), .ring = malloc(size * sizeof *feed->ring),
        .places = needs_places ? malloc(4 * size * sizeof *feed->places) : NULL,
        .shapes = calloc(SHAPES, sizeof *feed->shapes), .stack = malloc(size * sizeof *feed->stack),
        .epoch = 1, .has_times = true,
        .mask = size - 1, .seq_mask = 4 * size - 1, .ahead = window + 1, .window = window};
    if (!feed->ring || (needs_places && !feed->places) || !feed->shapes || !feed->stack) {
        feed->fault = fault_make(FAULT_MEMORY, "out of memory for the records of a trace");
        window_feed_close(feed);
        return false;
    }
    for (uint64_t i = 0; i < size; i++)
        feed->ring[i].place = UINT64_MAX;
    for (uint64_t i = 0; needs_places && i < 4 * size; i++)
        feed->places[i] = UINT64_MAX;
    return true;
}

void window_feed_close(struct window_feed *feed)
{
    free(feed->ring);
    free(feed->places);
    free(feed->shapes);
    free(feed->stack);
    feed->ring = NULL;
    feed->places = feed->stack = NULL;
    feed->shapes = NULL;
}

/* ---- dependences */

/* 3.1: children, and when its parents are done. */
static uint64_t take_parent(struct window_record *record, struct window_record *parent, bool is_order, uint64_t begin)
{
    bool const is_early = is_order && parent->type == DEP_LOAD && record->type != DEP_STORE;
    uint64_t const end = is_early ? parent->start : parent->done;

    parent->has_child = true;
    if (!is_order && record->parent_count < RULE_SOURCES)
        record->parents[record->parent_count++] = (uint32_t)(record->place - parent->place);
    return end > begin ? end : begin;
}

/* The record of that number; NULL: it is not in the file, or too far back. */
static struct window_record *numbered(const struct window_feed *feed, uint64_t seq)
{
    struct window_record *const record = feed->places ? window_feed_at(feed, feed->places[seq & feed->seq_mask]) : NULL;

    return record && record->seq == seq ? record : NULL;
}

static uint64_t take_lists(const struct window_feed *feed, struct window_record *record,
                           const struct store_lists *lists)
{
    uint32_t unknown = 0;
    uint64_t begin = 0;

    for (uint32_t i = 0; i < lists->rob_dep_count + lists->reg_dep_count; i++) {
        uint32_t const distance = lists->record_distance[i];
        struct window_record *const parent =
            distance == 0 ? numbered(feed, record->seq - lists->seq_distance[unknown++])
            : distance <= record->place ? window_feed_at(feed, record->place - distance) : NULL;

        if (parent)
            begin = take_parent(record, parent, i < lists->rob_dep_count, begin);
    }
    return begin;
}

static uint64_t take_distances(const struct window_feed *feed, struct window_record *record,
                               const struct window_shape *shape)
{
    uint64_t begin = 0;

    for (unsigned i = 0; i < shape->count; i++) {
        uint32_t const distance = shape->distances[i];
        struct window_record *const parent =
            distance > 0 && distance <= record->place ? window_feed_at(feed, record->place - distance) : NULL;

        if (parent)
            begin = take_parent(record, parent, i < shape->order_count, begin);
    }
    return begin;
}

static void keep_shape(struct window_feed *feed, struct window_shape *known, const struct store_shape *shape,
                       const struct store_lists *lists, int32_t pc_number)
{
    uint32_t const count = lists->rob_dep_count + lists->reg_dep_count;

    if (count > SHAPE_DISTANCES || feed->places)
        return;
    *known = (struct window_shape){.shape = shape, .epoch = feed->epoch, .pc_number = pc_number,
                                   .order_count = (uint8_t)lists->rob_dep_count, .count = (uint8_t)count};
    for (uint32_t i = 0; i < count; i++)
        known->distances[i] = lists->record_distance[i];
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

/* Producers, pc, and the capture's time. */
static bool take_shape(struct window_feed *feed, struct window_record *record, const struct store_shape *shape)
{
    struct window_shape *const known = &feed->shapes[(uintptr_t)shape / sizeof *shape % SHAPES];
    struct store_lists lists;

    if (likely(known->shape == shape && known->epoch == feed->epoch)) {
        record->pc_number = known->pc_number;
        record->has_producers = known->count > known->order_count;
        record->start = take_distances(feed, record, known) + shape->comp_delay;
        return true;
    }
    if (feed->period == 0 || shape->comp_delay % feed->period != 0)
        feed->period = common_divisor(feed->period, shape->comp_delay);
    record->pc_number = window_pcs_take(feed->pcs, shape->pc);
    if (record->pc_number == WINDOW_NO_PC) {
        feed->fault = fault_make(FAULT_MEMORY, "out of memory for the pcs of a trace");
        return false;
    }
    if (feed->source->lists(feed->source->self, shape, &lists, &feed->fault) != SOURCE_RECORD)
        return false;
    keep_shape(feed, known, shape, &lists, record->pc_number);
    record->has_producers = lists.reg_dep_count > 0;
    record->start = take_lists(feed, record, &lists) + shape->comp_delay;
    return true;
}

/* ---- reading */

/* What is no access of memory only takes its time. */
static uint8_t sent_type(const struct store_shape *shape)
{
    return shape->is_access && !(shape->flags & REQUEST_STRICT_ORDER) ? shape->links.type : DEP_COMP;
}

static bool next_batch(struct window_feed *feed)
{
    if (!feed->batch.shapes_stay)
        feed->epoch++;
    switch (feed->source->batch(feed->source->self, &feed->batch, &feed->fault)) {
    case SOURCE_RECORD:
        feed->used = 0;
        return true;
    case SOURCE_END:
        feed->is_at_end = true;
        return true;
    case SOURCE_FAULT:
        break;
    }
    return false;
}

static bool read_one(struct window_feed *feed)
{
    const struct store_record *stored;
    const struct store_shape *shape;
    struct window_record *record;

    if (feed->used == feed->batch.count && !next_batch(feed))
        return false;
    if (feed->is_at_end)
        return true;
    stored = &feed->batch.records[feed->used++];
    shape = stored->shape;
    record = &feed->ring[feed->read & feed->mask];
    /* one by one, but for `parents` and what take_shape sets: all of it at once would take longer */
    record->place = feed->read;
    record->seq = stored->seq_num;
    record->pc = shape->pc;
    record->address = stored->p_addr;
    record->delay = shape->comp_delay;
    record->strays = record->uop = 0;
    record->size_bytes = shape->size_bytes;
    record->weight = shape->weight;
    record->gap = 0;
    record->type = sent_type(shape);
    record->parent_count = 0;
    record->has_child = false;
    record->is_prefetch = (shape->flags & REQUEST_PREFETCH) != 0;
    if (feed->read > 0) {
        uint64_t const missing = record->seq - feed->ring[(feed->read - 1) & feed->mask].seq - 1;

        record->gap = missing > record->weight ? (uint32_t)min_u64(missing - record->weight, UINT32_MAX / 2) : 0;
    }
    if (!take_shape(feed, record, shape))
        return false;
    record->done = record->start;
    if (feed->has_times && record->type != DEP_COMP) {
        bool const hits = timeline_hits(&feed->timeline, record->address);

        if (record->type == DEP_LOAD)
            record->done += (hits ? RULE_HIT_CYC : RULE_MISS_CYC) * feed->period;
    }
    if (feed->places)
        feed->places[record->seq & feed->seq_mask] = record->place;
    feed->read++;
    return true;
}

/* ---- 3.3 */

/* The loads squashed before `top`, it, and those behind it. */
static uint64_t joined(const struct window_feed *feed, struct window_record *top, uint64_t behind)
{
    uint64_t const first = top->strays;
    struct window_record *last = NULL;

    for (uint64_t at = first; at > 0 && (last = window_feed_at(feed, at - 1)) != NULL && last->strays > 0;)
        at = last->strays;
    top->strays = behind;
    if (!last)
        return top->place + 1;
    last->strays = top->place + 1;
    return first;
}

/* A load that nobody depends on is of a wrong path if the record behind it does not follow it in memory and nothing was
 * filtered between them. */
static void judge(struct window_feed *feed)
{
    struct window_record *const record = &feed->ring[feed->judged++ & feed->mask];

    while (feed->stack_tail > feed->stack_head && record->weight == 0) {
        struct window_record *const top =
            &feed->ring[feed->stack[(feed->stack_tail - 1) & feed->mask] & feed->mask];

        if (top->type != DEP_LOAD || top->has_child || window_is_size(feed->pcs, record->pc - top->pc))
            break;
        record->strays = joined(feed, top, record->strays);
        record->weight = top->weight;
        record->gap += 1 + top->gap;
        feed->stack_tail--;
        feed->squashed++;
    }
    feed->stack[feed->stack_tail++ & feed->mask] = record->place;
}

/* May more be judged before one is given? All that are kept, and their producers, stay in the ring. */
static bool has_room(const struct window_feed *feed)
{
    uint64_t const kept = feed->stack_tail - feed->stack_head;
    uint64_t const oldest = kept > 0 ? feed->stack[feed->stack_head & feed->mask] : feed->judged;

    return kept < KEPT_DEPTH && feed->judged + feed->ahead + feed->window - oldest <= feed->mask;
}

struct window_record *window_feed_next(struct window_feed *feed)
{
    while (has_room(feed) && !(feed->is_at_end && feed->judged == feed->read)) {
        while (!feed->is_at_end && feed->read < feed->judged + feed->ahead)
            if (!read_one(feed))
                return NULL;
        if (feed->judged < feed->read)
            judge(feed);
    }
    if (feed->stack_tail == feed->stack_head)
        return NULL;
    return &feed->ring[feed->stack[feed->stack_head++ & feed->mask] & feed->mask];
}
