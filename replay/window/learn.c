/* Each rule is a function that takes what a record tells, and one that decides at the end. */
#include "replay/window/learn.h"

#include <stdlib.h>

#include "base/arith.h"
#include "base/hints.h"
#include "replay/config/detailed_params.h"
#include "replay/window/resolve.h"

/* As the comparison of producers tells apart. */
enum { COMPARED_PCS = UINT16_MAX + 1 };

/* ---- 3.2: latencies */
static void learn_delay(struct window_pc *pc, const struct window_shape *shape)
{
    uint64_t *const least = shape->has_producers ? &pc->least_delay : &pc->least_other;

    pc->records += shape->given;
    if (shape->kind.type != DEP_COMP)
        return;
    pc->is_comp = true;
    if (shape->delay < *least) {
        *least = shape->delay;
        if (shape->has_producers)
            pc->at_least = 0;
    }
    if (shape->has_producers && shape->delay == *least)
        pc->at_least += shape->given;
}

/* The op class of a latency in cycles; DETAILED_OP_COUNT: none. Those of one latency and unit are alike. */
static unsigned class_of(uint64_t latency_cyc)
{
    static const struct { uint8_t latency_cyc, op; } classes[] = {
        {2, DETAILED_OP_FLOAT_ADD}, {3, DETAILED_OP_INT_MULT}, {4, DETAILED_OP_FLOAT_MULT},
        {5, DETAILED_OP_FLOAT_MULT_ACC}, {12, DETAILED_OP_FLOAT_DIV}, {20, DETAILED_OP_INT_DIV},
        {24, DETAILED_OP_FLOAT_SQRT}};

    for (unsigned i = 0; i < sizeof classes / sizeof *classes; i++)
        if (classes[i].latency_cyc == latency_cyc)
            return classes[i].op;
    return DETAILED_OP_COUNT;
}

/* The least delay of a long operation is a cycle short if its result once found the core asleep (o3-core 1.3 c). */
static uint64_t latency_of(uint64_t least_cyc)
{
    bool const is_long = least_cyc + 1 >= RULE_LATENCY_LONG_CYC;

    return is_long && class_of(least_cyc) == DETAILED_OP_COUNT && class_of(least_cyc + 1) != DETAILED_OP_COUNT
             ? least_cyc + 1 : least_cyc;
}

static uint64_t cycles_of(uint64_t ticks, uint64_t period)
{
    return (ticks + period / 2) / period;
}

static void decide_class(struct window_pc *pc, uint64_t period)
{
    uint64_t latency_cyc;
    unsigned op;

    pc->op = DETAILED_OP_INT_ALU;
    if (pc->records < RULE_LATENCY_RECORDS || pc->least_delay == UINT64_MAX)
        return;
    latency_cyc = latency_of(cycles_of(pc->least_delay, period));
    op = class_of(latency_cyc);
    if (op == DETAILED_OP_COUNT)
        return;
    if (latency_cyc < RULE_LATENCY_LONG_CYC
        && pc->at_least * UINT64_C(100) < pc->records * (uint64_t)RULE_LATENCY_PERCENT)
        return;
    pc->op = (uint8_t)op;
}

/* ---- 3.5: branches */
static NOINLINE void learn_other_way(struct window_pc *pc, uint64_t next_pc, bool is_taken)
{
    pc->changes += pc->times > 0;
    pc->last_next = next_pc;
    if (!is_taken)
        return;
    if (pc->times_taken > 0 && pc->target != next_pc) {
        pc->has_other_target = true;
        pc->other_target = pc->target;
    }
    pc->target = next_pc;
}

/* Where it goes where it went the time before, only that is counted. */
static inline void learn_branch(struct window_pc *pc, uint64_t next_pc, bool is_taken)
{
    if (pc->last_next != next_pc)
        learn_other_way(pc, next_pc, is_taken);
    pc->times++;
    pc->times_taken += is_taken;
}

/* ---- 3.6: serialising */
static void learn_short(struct window_pc *pc, const struct window_shape *shape, uint64_t period)
{
    pc->is_short |= shape->kind.type == DEP_COMP && shape->has_producers
                 && shape->delay < RULE_SERIALISE_LEAST_CYC * period;
}

/* False: out of memory. */
static NOINLINE bool count_wait(struct window_pc *pc, const struct window_record *record, uint64_t older_done,
                                uint64_t period)
{
    uint64_t wait_cyc = 0;

    if (!pc->waits)
        pc->waits = calloc(WINDOW_LONGEST_WAIT + 1, sizeof *pc->waits);
    if (!pc->waits)
        return false;
    if (record->start >= older_done + period)
        wait_cyc = min_u64((record->start - older_done) / period, WINDOW_LONGEST_WAIT);
    pc->waits[wait_cyc]++;
    return true;
}

/* Likewise. */
static inline bool learn_wait(struct window_pc *pc, const struct window_record *record, uint64_t older_done,
                              uint64_t period)
{
    return pc->is_short || record->kind.type != DEP_COMP || record->kind.gap > 0
        || count_wait(pc, record, older_done, period);
}

static void decide_serialising(struct window_pc *pc, uint64_t period)
{
    uint64_t const least = pc->least_delay != UINT64_MAX ? pc->least_delay : pc->least_other;
    uint64_t const least_cyc = least != UINT64_MAX ? latency_of(cycles_of(least, period)) : 0;
    uint64_t const own_cyc = class_of(least_cyc) != DETAILED_OP_COUNT ? least_cyc : 1;
    uint64_t considered = 0, late = 0, seen = 0;
    uint64_t median = 0;

    for (uint64_t i = 0; pc->waits && i <= WINDOW_LONGEST_WAIT; i++) {
        considered += pc->waits[i];
        if (i >= RULE_LATE_CYC + own_cyc)
            late += pc->waits[i];
    }
    if (considered < RULE_SERIALISE_RECORDS || late * 100 < considered * RULE_SERIALISE_PERCENT
        || least == UINT64_MAX || least < RULE_SERIALISE_LEAST_CYC * period)
        return;
    for (; median < WINDOW_LONGEST_WAIT; median++) {
        seen += pc->waits[median];
        if (2 * seen > considered)
            break;
    }
    pc->serialises = true;
    pc->latency_cyc = (uint8_t)(median > RULE_REFILL_CYC ? median - RULE_REFILL_CYC + 1 : 1);
    if (pc->latency_cyc > RULE_SERIALISE_MOST_CYC)
        pc->latency_cyc = RULE_SERIALISE_MOST_CYC;
    if (pc->latency_cyc > 1)
        pc->op = DETAILED_OP_NO_OP;
}

/* ---- 3.7: sources */
static bool has_source(const struct window_pc *pc, int32_t source)
{
    for (unsigned i = 0; i < pc->source_count; i++)
        if (pc->sources[i] == source)
            return true;
    return false;
}

/* Producers whose pcs were not those of the record before. True: the record's agree with its pc's. */
static bool learn_producers(const struct window_feed *feed, const struct window_record *record, unsigned count)
{
    struct window_pc *const pc = window_pc_at(feed->pcs, record->kind.pc_number);
    bool const is_first = record->kind.type == DEP_COMP && count > 0 && !pc->has_sources;
    unsigned known = 0;

    for (unsigned i = 0; i < count; i++) {
        const struct window_record *const parent = window_feed_parent(feed, record, i);

        if (!parent)
            continue;
        window_pc_at(feed->pcs, parent->kind.pc_number)->writes = true;
        if (is_first && pc->source_count < RULE_LEARNT)
            pc->sources[pc->source_count++] = parent->kind.pc_number;
        known += has_source(pc, parent->kind.pc_number);
    }
    pc->has_sources |= is_first;
    return known > 0 && known == count;
}

/* Since that was said. */
static void count_alike(struct window_shape *shape)
{
    shape->alike += shape->is_alike ? shape->given - shape->counted : 0;
    shape->counted = shape->given;
}

/* The shape's cached comparison is no longer valid: learns it again. */
static NOINLINE void learn_sources_anew(const struct window_feed *feed, const struct window_record *record,
                                        struct window_shape *shape)
{
    count_alike(shape);
    shape->is_alike = learn_producers(feed, record, shape->parent_count);
    shape->is_known = shape->may_compare && feed->pcs->count <= COMPARED_PCS;
    learn_short(window_pc_at(feed->pcs, record->kind.pc_number), shape, window_feed_period(feed));
    shape->producers = record->kind.producers;
}

/* What records of one shape with producers of the same pcs tell is the same, but for the first time. */
static inline void learn_sources(const struct window_feed *feed, const struct window_record *record,
                                 struct window_shape *shape)
{
    if (!shape->is_known || shape->producers != record->kind.producers)
        learn_sources_anew(feed, record, shape);
    shape->given++;
}

/* Adds the counts of a shape to its pc. */
static void learn_shape(struct window_pcs *pcs, struct window_shape *shape)
{
    struct window_pc *const pc = window_pc_at(pcs, shape->kind.pc_number);

    count_alike(shape);
    learn_delay(pc, shape);
    if (shape->kind.type == DEP_COMP && shape->parent_count > 0) {
        pc->sourced += shape->given;
        pc->sourced_alike += shape->alike;
    }
}

/* The wrong path of a branch, which was alone between two records if that is sure. */
static bool learn_gap(struct window_pc *pc, struct window_stream *stream, const struct window_op *op)
{
    if (!op->is_hidden || op->gap < RULE_GAP_EXECUTE)
        return true;
    if (op->is_alone) {
        pc->alone++;
        pc->alone_gaps += op->gap;
        pc->path = (uint32_t)(pc->alone_gaps / pc->alone);
    }
    return window_resolve_learn(pc, stream, op);
}

/* Do its records agree on them? */
static void decide_sources(struct window_pc *pc)
{
    pc->sources_are_sure = pc->sourced >= RULE_LEARNT_RECORDS
                        && pc->sourced_alike * UINT64_C(100) >= pc->sourced * (uint64_t)RULE_LEARNT_PERCENT;
}

static void decide(const struct window_feed *feed)
{
    for (uint32_t i = 0; i < feed->shapes_made; i++)
        if (feed->shapes[i].given > 0)
            learn_shape(feed->pcs, &feed->shapes[i]);
    for (size_t i = 0; i < feed->pcs->count; i++) {
        feed->pcs->all[i].was_not_taken = feed->pcs->all[i].times > feed->pcs->all[i].times_taken;
        window_resolve_decide(&feed->pcs->all[i]);
        decide_sources(&feed->pcs->all[i]);
        decide_class(&feed->pcs->all[i], window_feed_period(feed));
        decide_serialising(&feed->pcs->all[i], window_feed_period(feed));
    }
}

/* False: out of memory. */
static inline bool learn_record(const struct window_feed *feed, struct window_pc *pc,
                                const struct window_record *record, uint64_t *older_done)
{
    learn_sources(feed, record, window_feed_shape(feed, record));
    if (!learn_wait(pc, record, *older_done, window_feed_period(feed)))
        return false;
    if (record->kind.type != DEP_LOAD || record->kind.has_child)
        *older_done = max_u64(*older_done, record->done);
    return true;
}

/* Most records: those behind which another one follows that was read, and nothing is missing between them. What
 * window_stream_next gave and was learnt from would be the same. False: out of memory. */
static bool learn_plain(struct window_stream *stream, uint64_t *older_done)
{
    struct window_feed *const feed = stream->feed;
    struct window_record *const ring = feed->ring;
    struct window_pc *const all = feed->pcs->all;
    uint64_t const mask = feed->mask, settled = feed->settled;
    uint64_t const end = feed->read > feed->ahead ? feed->read - feed->ahead : 0;
    uint64_t given = feed->given, done = *older_done;
    const struct window_op *const last = window_stream_back(stream, 1);
    struct window_record *record = last->record;
    struct window_pc *pc = &all[last->pc_number];
    bool has_memory = true;

    while (given < end && has_memory) {
        struct window_record *const next = &ring[given & mask];
        struct window_pc *const next_pc = &all[next->kind.pc_number];
        uint64_t const step = next_pc->pc - pc->pc;

        if (!window_stream_is_plain(next) || (window_is_loose(next) && given >= settled))
            break;
        given++;
        if (next->kind.type == DEP_INVALID)
            continue;
        if (step != pc->size_bytes)
            window_learn_size(feed->pcs, record->kind.pc_number, step);
        learn_branch(pc, next_pc->pc, step != pc->size_bytes && step != 0 && !window_is_size(feed->pcs, step));
        has_memory = learn_record(feed, pc, record, &done);
        window_stream_put(stream, next, next_pc->pc);
        record = next;
        pc = next_pc;
    }
    feed->given = given;
    *older_done = done;
    return has_memory;
}

static struct fault no_memory(void)
{
    return fault_make(FAULT_MEMORY, "out of memory for what a trace tells");
}

struct fault window_learn(struct window_feed *feed)
{
    struct window_stream stream;
    const struct window_op *op;
    uint64_t older_done = 0;

    feed->retire = learn_shape;
    window_stream_open(&stream, feed);
    while ((op = window_stream_any(&stream, NULL)) != NULL) {
        struct window_pc *const pc = window_pc_at(feed->pcs, op->pc_number);

        if (!op->is_last)
            learn_branch(pc, op->next_pc, window_op_is_taken(feed->pcs, op));
        if (!learn_gap(pc, &stream, op) || (op->record && !learn_record(feed, pc, op->record, &older_done)))
            return no_memory();
        if (!stream.record && !op->is_last && !learn_plain(&stream, &older_done))
            return no_memory();
    }
    decide(feed);
    return feed->fault;
}
