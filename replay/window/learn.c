/* Each rule is a function that takes what a record tells, and one that decides at the end. */
#include "replay/window/learn.h"

#include "replay/config/detailed_params.h"
#include "replay/window/resolve.h"

/* ---- 3.2: latencies */
void window_learn_delay(struct window_pc *pc, const struct window_record *record)
{
    uint64_t *const least = record->has_producers ? &pc->least_delay : &pc->least_other;

    pc->records++;
    if (record->type != DEP_COMP)
        return;
    pc->is_comp = true;
    if (record->delay < *least) {
        *least = record->delay;
        if (record->has_producers)
            pc->at_least = 0;
    }
    if (record->has_producers && record->delay == *least)
        pc->at_least++;
}

/* The op class of a latency in cycles; DETAILED_OP_COUNT: there is none. Those of one latency and unit are alike. */
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

void window_decide_class(struct window_pc *pc, uint64_t period)
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
void window_learn_branch(struct window_pc *pc, const struct window_op *op, bool is_taken)
{
    pc->changes += pc->times++ > 0 && pc->last_next != op->next_pc;
    pc->last_next = op->next_pc;
    if (!is_taken) {
        pc->was_not_taken = true;
        return;
    }
    if (pc->times_taken++ > 0 && pc->target != op->next_pc) {
        pc->has_other_target = true;
        pc->other_target = pc->target;
    }
    pc->target = op->next_pc;
}

/* ---- 3.6: serialising */
void window_learn_wait(struct window_pc *pc, const struct window_record *record, uint64_t older_done, uint64_t period)
{
    uint64_t wait_cyc;

    if (record->type != DEP_COMP || record->gap > 0)
        return;
    wait_cyc = record->start > older_done ? (record->start - older_done) / period : 0;
    pc->waits[wait_cyc < WINDOW_LONGEST_WAIT ? wait_cyc : WINDOW_LONGEST_WAIT]++;
}

void window_decide_serialising(struct window_pc *pc, uint64_t period)
{
    uint64_t const least = pc->least_delay != UINT64_MAX ? pc->least_delay : pc->least_other;
    uint64_t const least_cyc = least != UINT64_MAX ? latency_of(cycles_of(least, period)) : 0;
    uint64_t const own_cyc = class_of(least_cyc) != DETAILED_OP_COUNT ? least_cyc : 1;
    uint64_t considered = 0, late = 0, seen = 0;
    uint64_t median = 0;

    for (uint64_t i = 0; i <= WINDOW_LONGEST_WAIT; i++) {
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

static void learn_sources(const struct window_feed *feed, const struct window_record *record)
{
    struct window_pc *const pc = window_pc_at(feed->pcs, record->pc_number);
    bool const is_first = record->type == DEP_COMP && record->parent_count > 0 && pc->sourced++ == 0;
    unsigned known = 0;

    for (unsigned i = 0; i < record->parent_count; i++) {
        struct window_record *const parent = window_feed_parent(feed, record, i);

        if (!parent)
            continue;
        window_pc_at(feed->pcs, parent->pc_number)->writes = true;
        if (is_first && pc->source_count < RULE_LEARNT)
            pc->sources[pc->source_count++] = parent->pc_number;
        known += has_source(pc, parent->pc_number);
    }
    pc->sourced_alike += record->type == DEP_COMP && known > 0 && known == record->parent_count;
}

/* The wrong path of a branch alone between two records. */
static void learn_path(struct window_pc *pc, const struct window_op *op)
{
    if (!op->is_hidden || op->gap < RULE_GAP_EXECUTE || !op->is_alone)
        return;
    pc->alone++;
    pc->alone_gaps += op->gap;
    pc->path = (uint32_t)(pc->alone_gaps / pc->alone);
}

/* Do its records agree on them? */
static void decide_sources(struct window_pc *pc)
{
    pc->sources_are_sure = pc->sourced >= RULE_LEARNT_RECORDS
                        && pc->sourced_alike * UINT64_C(100) >= pc->sourced * (uint64_t)RULE_LEARNT_PERCENT;
}

struct fault window_learn(struct window_feed *feed)
{
    struct window_stream stream;
    struct window_recent recent = {.count = 0};
    struct window_op op;
    uint64_t older_done = 0;

    window_stream_open(&stream, feed);
    while (window_stream_next(&stream, &op)) {
        struct window_pc *const pc = window_pc_at(feed->pcs, op.pc_number);
        const struct window_record *const record = op.record;

        if (!op.is_last)
            window_learn_branch(pc, &op, window_op_is_taken(feed->pcs, &op));
        if (!window_resolve_learn(pc, &op, &recent, window_feed_period(feed)))
            return fault_make(FAULT_MEMORY, "out of memory for what a trace tells");
        window_resolve_note(&recent, record);
        learn_path(pc, &op);
        if (!record)
            continue;
        window_learn_delay(pc, record);
        window_learn_wait(pc, record, older_done, window_feed_period(feed));
        learn_sources(feed, record);
        if (record->done > older_done && (record->type != DEP_LOAD || record->has_child))
            older_done = record->done;
    }
    for (size_t i = 0; i < feed->pcs->count; i++) {
        window_resolve_decide(&feed->pcs->all[i]);
        decide_sources(&feed->pcs->all[i]);
        window_decide_class(&feed->pcs->all[i], window_feed_period(feed));
        window_decide_serialising(&feed->pcs->all[i], window_feed_period(feed));
    }
    return feed->fault;
}
