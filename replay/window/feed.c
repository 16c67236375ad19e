/* A ring of records. A record is judged when so many were read behind it that nobody further on can name it: the
 * capture names producers at most one window of numbers back, and order parents at most one window of records. */
#include "replay/window/feed.h"

#include <stdlib.h>

enum { KEPT_DEPTH = 1024 };              /* more loads than that are never squashed at once */

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
    uint64_t const size = power_of_two(4 * window + 2 * KEPT_DEPTH);

    *feed = (struct window_feed){
        .source = source, .pcs = pcs, .fault = fault_none(), .ring = malloc(size * sizeof *feed->ring),
        .places = malloc(4 * size * sizeof *feed->places), .stack = malloc(size * sizeof *feed->stack),
        .mask = size - 1, .seq_mask = 4 * size - 1, .ahead = window + 1};
    if (!feed->ring || !feed->places || !feed->stack) {
        feed->fault = fault_make(FAULT_MEMORY, "out of memory for the records of a trace");
        window_feed_close(feed);
        return false;
    }
    for (uint64_t i = 0; i < size; i++)
        feed->ring[i].place = UINT64_MAX;
    for (uint64_t i = 0; i < 4 * size; i++)
        feed->places[i] = UINT64_MAX;
    return true;
}

void window_feed_close(struct window_feed *feed)
{
    free(feed->ring);
    free(feed->places);
    free(feed->stack);
    feed->ring = NULL;
    feed->places = feed->stack = NULL;
}

/* The record of a dependence; NULL: it is not in the file, or too far back. */
static struct window_record *parent_of(const struct window_feed *feed, const struct window_record *record,
                                       uint32_t distance, uint64_t seq_distance)
{
    uint64_t const seq = record->seq - seq_distance;
    struct window_record *parent;

    if (distance > 0)
        return distance <= record->place ? window_feed_at(feed, record->place - distance) : NULL;
    if (seq_distance > record->seq)
        return NULL;
    parent = window_feed_at(feed, feed->places[seq & feed->seq_mask]);
    return parent && parent->seq == seq ? parent : NULL;
}

/* 3.1: children, and the capture's time. */
static bool take_parents(struct window_feed *feed, struct window_record *record, const struct store_shape *shape)
{
    struct store_lists lists;
    uint32_t unknown = 0;
    uint64_t begin = 0;

    if (feed->source->lists(feed->source->self, shape, &lists, &feed->fault) != SOURCE_RECORD)
        return false;
    record->has_producers = lists.reg_dep_count > 0;
    for (uint32_t i = 0; i < lists.rob_dep_count + lists.reg_dep_count; i++) {
        uint32_t const distance = lists.record_distance[i];
        bool const is_order = i < lists.rob_dep_count;
        struct window_record *const parent =
            parent_of(feed, record, distance, distance == 0 ? lists.seq_distance[unknown++] : 0);
        uint64_t end;

        if (!parent)
            continue;
        parent->has_child = true;
        end = is_order && parent->type == DEP_LOAD && record->type != DEP_STORE ? parent->start : parent->done;
        begin = end > begin ? end : begin;
        if (is_order)
            continue;
        parent->has_register_child = true;
        if (record->parent_count < RULE_SOURCES)
            record->parents[record->parent_count++] = parent->place;
    }
    record->start = begin + record->delay;
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

static bool read_one(struct window_feed *feed)
{
    const struct store_record *stored;
    const struct store_shape *shape;
    struct window_record *record;

    if (feed->used == feed->batch.count) {
        switch (feed->source->batch(feed->source->self, &feed->batch, &feed->fault)) {
        case SOURCE_RECORD:
            feed->used = 0;
            break;
        case SOURCE_END:
            feed->is_at_end = true;
            return true;
        case SOURCE_FAULT:
            return false;
        }
    }
    stored = &feed->batch.records[feed->used++];
    shape = stored->shape;
    record = &feed->ring[feed->read & feed->mask];
    *record = (struct window_record){
        .place = feed->read, .seq = stored->seq_num, .pc = shape->pc, .address = stored->p_addr,
        .delay = shape->comp_delay, .size_bytes = shape->size_bytes, .weight = shape->weight,
        .type = shape->links.type, .pc_number = window_pcs_take(feed->pcs, shape->pc)};
    if (record->pc_number == WINDOW_NO_PC) {
        feed->fault = fault_make(FAULT_MEMORY, "out of memory for the pcs of a trace");
        return false;
    }
    if (feed->read > 0) {
        uint64_t const missing = record->seq - feed->ring[(feed->read - 1) & feed->mask].seq - 1;

        record->gap = missing > record->weight ? (uint32_t)(missing - record->weight) : 0;
    }
    feed->period = common_divisor(feed->period, record->delay);
    if (!take_parents(feed, record, shape))
        return false;
    record->done = record->start;
    if (record->type != DEP_COMP) {
        bool const hits = timeline_hits(&feed->timeline, record->address);

        if (record->type == DEP_LOAD)
            record->done += (hits ? RULE_HIT_CYC : RULE_MISS_CYC) * feed->period;
    }
    feed->places[record->seq & feed->seq_mask] = record->place;
    feed->read++;
    return true;
}

/* 3.3: a load that nobody depends on, with numbers missing behind it or not, is of a wrong path if the record does not
 * follow it in memory and nothing was filtered between them. */
static void judge(struct window_feed *feed)
{
    struct window_record *const record = &feed->ring[feed->judged++ & feed->mask];

    while (feed->stack_tail > feed->stack_head && record->weight == 0) {
        struct window_record *const top = &feed->ring[feed->stack[(feed->stack_tail - 1) & feed->mask] & feed->mask];

        if (top->type != DEP_LOAD || top->has_child || record->pc - top->pc == 2 || record->pc - top->pc == 4)
            break;
        top->is_squashed = true;
        record->weight = top->weight;
        record->gap += 1 + top->gap;
        feed->stack_tail--;
        feed->squashed++;
    }
    feed->stack[feed->stack_tail++ & feed->mask] = record->place;
}

struct window_record *window_feed_next(struct window_feed *feed)
{
    while (feed->stack_tail - feed->stack_head < KEPT_DEPTH && !(feed->is_at_end && feed->judged == feed->read)) {
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
