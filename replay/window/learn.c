/* Each rule is a function that collects evidence from a record, and one that decides at the end. */
#include "replay/window/window_learnt.h"

#include <stdlib.h>

#include "base/arith.h"
#include "base/hints.h"
#include "replay/config/op_classes.h"

/* The number of pcs that the comparison of producers distinguishes. */
enum { COMPARED_PCS = UINT16_MAX + 1 };

/* ---- 3.2: latencies */
static void count_delay(struct window_delays *delays, uint64_t delay, uint32_t count, uint64_t period)
{
    if (count == 0)
        return;
    if (delay < delays->least) {
        delays->a_cycle_longer = delay + period == delays->least ? delays->at_least : 0;
        delays->least = delay;
        delays->at_least = 0;
    }
    delays->at_least += delay == delays->least ? count : 0;
    delays->a_cycle_longer += delay == delays->least + period ? count : 0;
}

static void learn_delay(struct window_pc *pc, const struct window_shape *shape, uint64_t period)
{
    pc->far.records += shape->far;
    if (shape->kind.type != DEP_COMP)
        return;
    pc->is_comp = true;
    if (!shape->kind.has_producers) {
        if (shape->far > 0 && shape->delay < pc->least_other)
            pc->least_other = shape->delay;
        return;
    }
    count_delay(&pc->far, shape->delay, shape->far, period);
    count_delay(&pc->all, shape->delay, shape->given, period);
    pc->all.records += shape->given;
}

/* ---- own: delays of short operations that are no latencies */
enum { LEADERS = 4, BUSY_TICKS = 256 };

struct doubts {
    /* The latest records whose delay may be no latency. end: number of the op that is no longer behind it. */
    struct { uint64_t end, done; int32_t pc_number; } last[LEADERS];
    unsigned next;
    uint64_t end;                        /* of the latest one; 0: a jump lies behind it */
    uint64_t last_pc, last_number;       /* of the latest computation */
    struct { uint64_t done; uint32_t count; } busy[BUSY_TICKS];      /* short operations by when they were done */
};

static inline unsigned busy_slot(uint64_t done)
{
    return (unsigned)(done * UINT64_C(0x9e3779b97f4a7c15) >> 56);
}

static inline void count_busy(struct doubts *doubts, uint64_t done)
{
    unsigned const slot = busy_slot(done);

    if (doubts->busy[slot].done != done)
        doubts->busy[slot].count = 0;
    doubts->busy[slot].done = done;
    doubts->busy[slot].count++;
}

/* What is older goes first: an operation of one cycle that finds all units busy is done when one with a latency is. */
static bool was_crowded(const struct window_feed *feed, const struct doubts *doubts,
                        const struct window_record *record, uint64_t delay)
{
    uint64_t const period = window_feed_period(feed);

    for (uint64_t before = period; before < delay; before += period) {
        unsigned const slot = busy_slot(record->done - before);

        if (doubts->busy[slot].done != record->done - before
            || doubts->busy[slot].count < feed->pcs->core.int_units)
            return false;
    }
    return true;
}

static NOINLINE void add_doubt(const struct window_feed *feed, struct doubts *doubts, struct window_pc *pc,
                               const struct window_record *record, uint64_t delay, uint64_t number)
{
    if (delay < pc->doubted) {
        pc->doubted = delay;
        pc->doubts = pc->crowded = pc->led_late = pc->led_early = 0;
    }
    pc->doubts++;
    pc->crowded += was_crowded(feed, doubts, record, delay);
    doubts->end = number + 1 + RULE_LED_REACH;
    doubts->last[doubts->next].end = doubts->end;
    doubts->last[doubts->next].done = record->done;
    doubts->last[doubts->next].pc_number = record->kind.pc_number;
    doubts->next = (doubts->next + 1) % LEADERS;
}

/* Dispatch is in order. So what was dispatched so late that it was done at once is done no later than what is behind
 * it in its group of dispatch, or in the next one. A jump ends a group. */
static NOINLINE void count_led(const struct window_feed *feed, struct doubts *doubts, const struct window_pc *pc,
                               const struct window_record *record, uint64_t number, uint64_t could_be_done)
{
    uint64_t const most_bytes = feed->pcs->has_odd ? RULE_LONGEST_INSTRUCTION : 4;

    if (pc->pc - doubts->last_pc > most_bytes * (number - doubts->last_number))
        doubts->end = 0;
    for (unsigned i = 0; i < LEADERS; i++) {
        struct window_pc *const leader = window_pc_at(feed->pcs, doubts->last[i].pc_number);

        if (doubts->end == 0)
            doubts->last[i].end = 0;
        else if (number < doubts->last[i].end && record->done < doubts->last[i].done)
            leader->led_early++;
        else if (number < doubts->last[i].end)
            leader->led_late += could_be_done < doubts->last[i].done;
    }
}

/* Of a computation with producers. One that takes a cycle at other times could be done a cycle behind its sources. */
static inline void learn_doubts(const struct window_feed *feed, struct doubts *doubts, struct window_pc *pc,
                                const struct window_record *record, uint64_t delay, uint64_t number, bool is_far)
{
    uint64_t const period = window_feed_period(feed);
    bool const is_short = pc->fastest <= period;

    if (number < doubts->end)
        count_led(feed, doubts, pc, record, number, is_short ? record->done - delay + period : UINT64_MAX);
    if (is_short)
        count_busy(doubts, record->done);
    else if (delay <= pc->doubted && is_far)
        add_doubt(feed, doubts, pc, record, delay, number);
    doubts->last_pc = pc->pc;
    doubts->last_number = number;
}

/* Each time that it was least, it was late; half of the times something tells. Not asked of long operations: these
 * fill the ROB, which makes what is behind them late. */
static bool is_no_latency(const struct window_pc *pc)
{
    uint64_t const led = (uint64_t)pc->led_late + pc->led_early;

    if (pc->doubted != pc->far.least || pc->doubts < RULE_DOUBT_RECORDS)
        return false;
    return (UINT64_C(2) * pc->led_late >= pc->doubts
            && pc->led_early * UINT64_C(100) <= led * (uint64_t)RULE_LED_EARLY_PERCENT)
        || pc->crowded * UINT64_C(100) >= pc->doubts * (uint64_t)RULE_CROWDED_PERCENT;
}

/* ---- own: a long operation holds its unit; one that waits for the unit is done one latency behind the one before */
enum { UNITS = 4, UNITS_OF_A_KIND = 2 };         /* operations that one may wait for; of the same pc */

/* When long operations were done, the latest ones. */
struct units {
    struct { uint64_t done; int32_t pc_number; } last[UNITS];
    unsigned next;
};

static bool count_apart(struct window_holds *holds, const struct captured_core *core, uint64_t apart_cyc)
{
    for (unsigned class = 0; class < CAPTURED_LONG_CLASSES; class++)
        if (apart_cyc > 0 && apart_cyc == core->long_classes[class].latency_cyc) {
            holds->apart[class]++;
            return true;
        }
    return false;
}

/* Boyer and Moore's majority: a coincidence is outvoted. */
static void vote_unit(struct window_pc *pc, int32_t before)
{
    if (pc->unit_votes == 0)
        pc->unit_before = before;
    pc->unit_votes += pc->unit_before == before ? 1 : UINT32_MAX;
}

/* `is_far`: no wrong path is near. Loops whose branches are mispredicted each time may have the period of a latency. */
static void learn_unit(const struct window_feed *feed, struct window_pc *pc, struct units *units,
                       const struct window_record *record, bool is_far)
{
    const struct captured_core *const core = &feed->pcs->core;
    uint64_t const period = window_feed_period(feed);
    int32_t const number = record->kind.pc_number;
    unsigned own_left = is_far ? UNITS_OF_A_KIND : 0;

    pc->behind_own.delays += is_far;
    pc->behind_other.delays++;
    for (unsigned i = 1; i <= UNITS; i++) {
        uint64_t const done = units->last[(units->next - i) % UNITS].done;
        int32_t const before = units->last[(units->next - i) % UNITS].pc_number;
        uint64_t const apart_cyc = record->done > done ? (record->done - done) / period : 0;

        if (before != number) {
            if (count_apart(&pc->behind_other, core, apart_cyc))
                vote_unit(pc, before);
        } else if (own_left > 0) {
            own_left = count_apart(&pc->behind_own, core, apart_cyc) ? 0 : own_left - 1;
        }
    }
    units->last[units->next % UNITS].done = record->done;
    units->last[units->next++ % UNITS].pc_number = number;
}

/* No delay is shorter than the latency. */
static unsigned held_class(const struct window_holds *holds, const struct captured_core *core, uint64_t least_cyc)
{
    for (unsigned class = 0; class < CAPTURED_LONG_CLASSES; class++)
        if (holds->delays >= RULE_UNIT_RECORDS && least_cyc >= core->long_classes[class].latency_cyc
            && holds->apart[class] * UINT64_C(100) >= holds->delays * (uint64_t)RULE_UNIT_PERCENT)
            return core->long_classes[class].op;
    return DETAILED_OP_COUNT;
}

/* All classes are decided but for such operations. */
static void decide_unit(struct window_pcs *pcs, struct window_pc *pc, uint64_t period)
{
    uint64_t const least_cyc = pc->all.least < UINT64_MAX ? pc->all.least / period : 0;
    unsigned const own = held_class(&pc->behind_own, &pcs->core, least_cyc);
    unsigned const other = held_class(&pc->behind_other, &pcs->core, least_cyc);

    if (own != DETAILED_OP_COUNT && 2 * pc->behind_own.delays >= pc->far.records)
        pc->op = (uint8_t)own;
    else if (other != DETAILED_OP_COUNT && 2 * pc->behind_other.delays >= pc->all.records
             && window_pc_at(pcs, pc->unit_before)->op == other)
        pc->op = (uint8_t)other;
    else
        return;
    pc->serialises = pc->holds_up = false;
    pc->latency_cyc = 0;
}

/* The least delay of a long operation is a cycle short if its result once found the core asleep (o3-core 1.3 c). */
static uint64_t latency_of(const struct captured_core *core, uint64_t least_cyc)
{
    bool const is_long = least_cyc + 1 >= core->long_cyc;

    return is_long && captured_core_class(core, least_cyc) == DETAILED_OP_COUNT
        && captured_core_class(core, least_cyc + 1) != DETAILED_OP_COUNT ? least_cyc + 1 : least_cyc;
}

static uint64_t cycles_of(uint64_t ticks, uint64_t period)
{
    return (ticks + period / 2) / period;
}

/* An instruction that is always near a wrong path may be delayed each time; its latency is what most delays are. */
static void use_near_delays(struct window_pc *pc)
{
    if (pc->far.records < RULE_LATENCY_RECORDS
        && pc->all.at_least * UINT64_C(100) >= pc->all.records * (uint64_t)RULE_LATENCY_NEAR_PERCENT)
        pc->far = pc->all;
}

/* A result finds the core asleep now and then, not each time. */
static bool is_once_short(const struct window_delays *delays)
{
    return delays->at_least < RULE_LATENCY_RECORDS || 2 * (uint64_t)delays->a_cycle_longer >= delays->at_least;
}

/* Those that the latency explains: as long, or done one latency behind another one, for whose unit it waited. */
static uint64_t explained(const struct captured_core *core, const struct window_pc *pc, unsigned op, bool is_short)
{
    uint64_t count = (uint64_t)pc->far.at_least + (is_short ? pc->far.a_cycle_longer : 0);

    for (unsigned class = 0; class < CAPTURED_LONG_CLASSES; class++)
        if (core->long_classes[class].op == op)
            count += (uint64_t)pc->behind_own.apart[class] + pc->behind_other.apart[class];
    return count;
}

/* A counter of a loop waits for the loop, and each time longer than it takes. What holds its unit may wait for that,
 * unless its own result was what it waited for: then it is done its latency later. Integers have one such unit, which
 * may be busy each time. */
static bool is_explained(const struct captured_core *core, const struct window_pc *pc, unsigned op, uint64_t least_cyc,
                         uint64_t latency_cyc)
{
    bool const is_short = latency_cyc > least_cyc, is_long = latency_cyc >= core->long_cyc;
    uint64_t const count = is_long && !pc->feeds_itself ? explained(core, pc, op, is_short) : pc->far.at_least;
    uint64_t const least_pct = is_long && op == DETAILED_OP_INT_DIV && !pc->feeds_itself ? 0 : RULE_LATENCY_PERCENT;

    return (!is_short || is_once_short(&pc->far)) && (!is_long || count >= RULE_LATENCY_RECORDS)
        && count * 100 >= pc->far.records * least_pct;
}

static void decide_class(const struct captured_core *core, struct window_pc *pc, uint64_t period)
{
    uint64_t least_cyc, latency_cyc;
    unsigned op;

    use_near_delays(pc);
    pc->op = DETAILED_OP_INT_ALU;
    if (pc->far.records < RULE_LATENCY_RECORDS || pc->far.least == UINT64_MAX)
        return;
    least_cyc = cycles_of(pc->far.least, period);
    latency_cyc = latency_of(core, least_cyc);
    op = pc->computes_integers ? captured_core_integer_class(core, latency_cyc)
                               : captured_core_class(core, latency_cyc);
    if (op == DETAILED_OP_COUNT || (latency_cyc < core->long_cyc && is_no_latency(pc))
        || !is_explained(core, pc, op, least_cyc, latency_cyc))
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
    if (next_pc == pc->pc)
        return;                          /* a further micro-op of the same instruction */
    if (pc->last_next != next_pc)
        learn_other_way(pc, next_pc, is_taken);
    pc->times++;
    pc->times_taken += is_taken;
}

/* ---- 3.6: serialising */
static void learn_short(struct window_pc *pc, const struct window_shape *shape, uint64_t period)
{
    bool const is_sourced = shape->kind.type == DEP_COMP && shape->kind.has_producers;

    if (is_sourced && shape->delay < pc->fastest)
        pc->fastest = shape->delay;
    pc->is_short |= is_sourced && shape->delay < RULE_SERIALISE_LEAST_CYC * period;
    pc->is_slow &= is_sourced && shape->delay >= 2 * period;
}

static inline enum window_behind behind_what(const struct window_record *record)
{
    return record->kind.weight > 0 ? BEHIND_FILTERED : BEHIND_RECORD;
}

/* Of a pc with records that took too short for that, only those behind a filtered micro-op may wait, for its sake. */
static inline bool may_wait(const struct window_pc *pc, const struct window_record *record)
{
    return record->kind.type == DEP_COMP && record->kind.gap == 0
        && (!pc->is_short || behind_what(record) == BEHIND_FILTERED);
}

/* False: out of memory. */
static NOINLINE bool count_wait(const struct window_feed *feed, struct window_pc *pc,
                                const struct window_record *record, uint64_t older_done)
{
    uint64_t const period = window_feed_period(feed);
    uint64_t wait_cyc = 0;

    if (!pc->waits)
        pc->waits = calloc(BEHIND_COUNT, sizeof *pc->waits);
    if (!pc->waits)
        return false;
    if (record->start >= older_done + period)
        wait_cyc = min_u64((record->start - older_done) / period, window_longest_wait(feed->pcs));
    pc->waits[behind_what(record)].cycles[wait_cyc]++;
    return true;
}

/* Likewise. `has_missed`: its wait may be one for the L1I. */
static inline bool learn_wait(const struct window_feed *feed, struct window_pc *pc,
                              const struct window_record *record, uint64_t older_done, bool has_missed)
{
    return !may_wait(pc, record) || has_missed || count_wait(feed, pc, record, older_done);
}

/* 5, 6: what serialises waits for the refill at least, and about as long each time. */
static bool is_refill(const struct window_pcs *pcs, const uint32_t *waits, uint64_t median, uint64_t considered)
{
    uint64_t near = 0;

    for (uint64_t i = median - min_u64(median, RULE_REFILL_SPREAD_CYC);
         i <= min_u64(median + RULE_REFILL_SPREAD_CYC, window_longest_wait(pcs)); i++)
        near += waits[i];
    return median >= pcs->core.serial_cyc && 2 * near >= considered;
}

/* The median of waits, if they are those for all older ones; 0: they are not. */
static uint64_t wait_for_all(const struct window_pcs *pcs, const struct window_waits *waits, uint64_t own_cyc)
{
    uint64_t const longest = window_longest_wait(pcs);
    uint64_t considered = 0, late = 0, seen = 0, median = 0;

    for (uint64_t i = 0; i <= longest; i++) {
        considered += waits->cycles[i];
        if (i >= RULE_LATE_CYC + own_cyc)
            late += waits->cycles[i];
    }
    if (considered < RULE_SERIALISE_RECORDS || late * 100 < considered * RULE_SERIALISE_PERCENT)
        return 0;
    for (; median < longest; median++) {
        seen += waits->cycles[median];
        if (2 * seen > considered)
            break;
    }
    return is_refill(pcs, waits->cycles, median, considered) ? median : 0;
}

static struct window_waits all_waits(const struct window_pc *pc)
{
    struct window_waits all = pc->waits[BEHIND_RECORD];
    const struct window_waits *const others = &pc->waits[BEHIND_FILTERED];

    for (size_t i = 0; i <= WINDOW_LONGEST_WAIT; i++)
        all.cycles[i] += others->cycles[i];
    all.count += others->count;
    all.early += others->early;
    all.overtaken += others->overtaken;
    all.overtaken_by_load += others->overtaken_by_load;
    return all;
}

/* Latencies of what serialises, and of what is executed as the oldest one. */
static void set_wait(const struct window_pcs *pcs, struct window_pc *pc, uint64_t median)
{
    uint64_t const serial_cyc = pcs->core.serial_cyc;

    pc->latency_cyc = (uint8_t)min_u64(median > serial_cyc ? median - serial_cyc + 1 : 1, RULE_SERIALISE_MOST_CYC);
}

/* A filtered micro-op before it that serialises makes two refills of the wait, and nothing behind it is early. */
static bool is_held_up(const struct window_pcs *pcs, const struct window_waits *waits, uint64_t median)
{
    return median >= 2 * (uint64_t)pcs->core.serial_cyc
        && waits->early * UINT64_C(100) <= waits->count * (uint64_t)RULE_FOLLOWERS_EARLY_PERCENT;
}

/* What waits for all older ones, while younger ones do not wait for it, is executed as the oldest one; unless a unit
 * explains its wait. */
static bool waits_for_commit(const struct window_pcs *pcs, const struct window_pc *pc, uint64_t least_cyc)
{
    return captured_core_class(&pcs->core, least_cyc) == DETAILED_OP_COUNT
        && held_class(&pc->behind_own, &pcs->core, least_cyc) == DETAILED_OP_COUNT
        && held_class(&pc->behind_other, &pcs->core, least_cyc) == DETAILED_OP_COUNT;
}

static void decide_serialising(const struct window_pcs *pcs, struct window_pc *pc, uint64_t period)
{
    uint64_t const least = pc->far.least != UINT64_MAX ? pc->far.least : pc->least_other;
    uint64_t const least_cyc = least != UINT64_MAX ? latency_of(&pcs->core, cycles_of(least, period)) : 0;
    uint64_t const own_cyc = captured_core_class(&pcs->core, least_cyc) != DETAILED_OP_COUNT ? least_cyc : 1;
    struct window_waits waits;
    uint64_t median;

    if (!pc->waits || least == UINT64_MAX)
        return;
    waits = all_waits(pc);
    median = pc->is_short || least < RULE_SERIALISE_LEAST_CYC * period ? 0 : wait_for_all(pcs, &waits, own_cyc);
    if (median == 0) {
        median = wait_for_all(pcs, &pc->waits[BEHIND_FILTERED], own_cyc);
        pc->holds_up = is_held_up(pcs, &pc->waits[BEHIND_FILTERED], median);
        set_wait(pcs, pc, median);
        return;
    }
    if (waits.count > 0 && waits.overtaken * UINT64_C(100) >= waits.count * (uint64_t)RULE_OVERTAKEN_PERCENT) {
        pc->is_non_speculative = waits_for_commit(pcs, pc, least_cyc);
        if (!pc->is_non_speculative)
            return;
        pc->is_barrier = waits.overtaken_by_load * UINT64_C(100)
                      <= waits.count * (uint64_t)(100 - RULE_BARRIER_PERCENT);
    }
    pc->serialises = !pc->is_non_speculative;
    pc->holds_up = pc->serialises && is_held_up(pcs, &waits, median);
    set_wait(pcs, pc, median);
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
        window_integers_read(feed->pcs, record, parent->kind.pc_number);
        pc->feeds_itself |= parent->kind.pc_number == record->kind.pc_number;
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

/* Only the first record of a shape with producers of the same pcs adds evidence. */
static inline void learn_sources(const struct window_feed *feed, const struct window_record *record,
                                 struct window_shape *shape, bool is_far)
{
    if (!shape->is_known || shape->producers != record->kind.producers)
        learn_sources_anew(feed, record, shape);
    shape->given++;
    shape->far += is_far;
}

/* Adds the counts of a shape to its pc. */
static void learn_shape(const struct window_feed *feed, struct window_shape *shape)
{
    struct window_pc *const pc = window_pc_at(feed->pcs, shape->kind.pc_number);

    count_alike(shape);
    learn_delay(pc, shape, window_feed_period(feed));
    if (shape->kind.type == DEP_COMP && shape->parent_count > 0) {
        pc->sourced += shape->given;
        pc->sourced_alike += shape->alike;
    }
}

/* The wrong path of a branch, which was alone between two records if that is sure. */
static bool learn_gap(struct window_pc *pc, struct window_stream *stream, const struct window_op *op)
{
    if (!op->is_hidden || (op->gap < stream->feed->pcs->core.gap_execute && !op->has_executed))
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
            learn_shape(feed, &feed->shapes[i]);
    window_integers_decide(feed->pcs, window_feed_period(feed));
    for (size_t i = 0; i < feed->pcs->count; i++) {
        feed->pcs->all[i].was_not_taken = feed->pcs->all[i].times > feed->pcs->all[i].times_taken;
        feed->pcs->all[i].is_slow &= feed->pcs->all[i].is_comp;
        window_resolve_decide(&feed->pcs->all[i]);
        window_reads_decide(&feed->pcs->all[i]);
        window_barriers_decide(&feed->pcs->all[i]);
        window_fetched_decide(&feed->pcs->all[i]);
        decide_sources(&feed->pcs->all[i]);
        decide_class(&feed->pcs->core, &feed->pcs->all[i], window_feed_period(feed));
        decide_serialising(feed->pcs, &feed->pcs->all[i], window_feed_period(feed));
    }
    for (size_t i = 0; i < feed->pcs->count; i++)
        decide_unit(feed->pcs, &feed->pcs->all[i], window_feed_period(feed));
}

/* The last record that may serialise, when it and all older ones were done, and how many of its followers are to be
 * looked at. */
struct followed {
    int32_t pc_number;
    enum window_behind behind;
    uint64_t done, older_done;
    unsigned left, loads_left;
};

static inline struct window_waits *followed_waits(const struct window_feed *feed, const struct followed *followed)
{
    return &window_pc_at(feed->pcs, followed->pc_number)->waits[followed->behind];
}

static inline void count_follower(const struct window_feed *feed, const struct window_record *record,
                                  struct followed *followed)
{
    if (followed->left > 0 && record->start <= followed->older_done) {
        followed_waits(feed, followed)->overtaken++;
        followed->older_done = 0;
    }
    if (followed->left > 0 && record->start < followed->done) {
        followed_waits(feed, followed)->early++;
        followed->left = 0;
    }
    if (record->kind.type == DEP_LOAD
        && record->start < followed->done + feed->pcs->core.serial_cyc * window_feed_period(feed)) {
        followed_waits(feed, followed)->overtaken_by_load++;
        followed->loads_left = 0;
    }
    followed->loads_left -= followed->loads_left > 0;
    followed->left -= followed->left > 0;
}

/* What is behind a long operation that waited runs beside it; behind a filtered one that serialises nothing does.
 * Behind one that serialises itself nothing is dispatched before all older ones were done. */
static inline void learn_followers(const struct window_feed *feed, struct window_pc *pc,
                                   const struct window_record *record, uint64_t older_done, struct followed *followed)
{
    if (followed->loads_left > 0)
        count_follower(feed, record, followed);
    if (!pc->waits || !may_wait(pc, record)
        || (pc->is_short && record->start < older_done + 2 * (uint64_t)feed->pcs->core.serial_cyc
                                                             * window_feed_period(feed)))
        return;
    pc->waits[behind_what(record)].count++;
    *followed = (struct followed){record->kind.pc_number, behind_what(record), record->done, older_done,
                                  RULE_FOLLOWERS, RULE_FENCED};
}

/* State of learning between records. */
struct learning {
    uint64_t older_done;                 /* 3.6: when all before it were done */
    struct units units;
    struct doubts doubts;
    struct followed followed;
    struct window_barriers barriers;
    struct window_fetched *fetched;      /* apart, as the rest is copied */
    uint64_t far_from;                   /* number of the op from which on no wrong path is near (5, 5) */
};

static NOINLINE void learn_barriers(const struct window_feed *feed, const struct window_record *record,
                                    struct learning *learning, bool is_far)
{
    if (!is_far || learning->fetched->has_missed)
        learning->barriers.count = 0;
    else if (record->kind.type == DEP_COMP)
        window_barriers_computed(&learning->barriers, feed->pcs, record->start, window_feed_period(feed));
    else if (record->kind.type == DEP_LOAD)
        window_barriers_load(&learning->barriers, feed, record);
}

/* `number`: of its op. False: out of memory. */
static inline bool learn_record(const struct window_feed *feed, struct window_pc *pc,
                                const struct window_record *record, struct learning *learning, uint64_t number)
{
    bool const waits_for_fetch = learning->fetched->has_missed && record->kind.has_producers;
    bool const is_far = number >= learning->far_from && !waits_for_fetch;

    learn_sources(feed, record, window_feed_shape(feed, record), is_far);
    if (record->kind.type == DEP_COMP && record->kind.has_producers)
        learn_doubts(feed, &learning->doubts, pc, record, window_feed_shape(feed, record)->delay, number, is_far);
    if (record->kind.type == DEP_COMP
        && window_feed_shape(feed, record)->delay >= feed->pcs->core.long_cyc * window_feed_period(feed))
        learn_unit(feed, pc, &learning->units, record, is_far);
    learn_followers(feed, pc, record, learning->older_done, &learning->followed);
    if (!learn_wait(feed, pc, record, learning->older_done, learning->fetched->has_missed))
        return false;
    if (record->kind.type == DEP_STORE)
        window_barriers_store(&learning->barriers, record->address,
                              window_feed_shape(feed, record)->size_bytes);
    else if (learning->barriers.count > 0)
        learn_barriers(feed, record, learning, is_far);
    learning->fetched->has_missed = false;
    /* When a load ended that no record reads is not known, but that it was under way is. */
    learning->older_done = max_u64(learning->older_done, record->kind.type != DEP_LOAD || record->kind.has_child
                                                             ? record->done : record->start);
    return true;
}

/* The fast path for most records, those directly followed by another record that was read. Learns the same as from the
 * result of window_stream_next. False: out of memory. */
static bool learn_plain(struct window_stream *stream, struct learning *learning)
{
    struct window_feed *const feed = stream->feed;
    struct window_record *const ring = feed->ring;
    struct window_pc *const all = feed->pcs->all;
    uint64_t const mask = feed->mask, settled = feed->settled;
    uint64_t const end = feed->read > feed->ahead ? feed->read - feed->ahead : 0;
    uint64_t given = feed->given;
    struct learning state = *learning;
    const struct window_op *const last = window_stream_back(stream, 1);
    struct window_record *record = last->record;
    struct window_pc *pc = &all[last->pc_number];
    bool has_memory = true, is_taken;

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
        is_taken = step != pc->size_bytes && window_is_taken_step(feed->pcs, record->kind.pc_number, step);
        learn_branch(pc, next_pc->pc, is_taken);
        window_fetched_op(state.fetched, pc, feed->pcs->core.gap_execute);
        if (is_taken)
            window_fetched_jump(state.fetched);
        has_memory = learn_record(feed, pc, record, &state, stream->op_count - 1);
        window_stream_put(stream, next, next_pc->pc);
        record = next;
        pc = next_pc;
    }
    feed->given = given;
    *learning = state;
    return has_memory;
}

static struct fault learn_no_memory(void)
{
    return fault_make(FAULT_MEMORY, "out of memory for the facts of a trace");
}

struct fault window_learn(struct window_feed *feed)
{
    struct window_stream stream;
    const struct window_op *op;
    struct window_fetched fetched = {0};
    struct learning learning = {.fetched = &fetched};
    bool was_hidden = false;

    feed->retire = learn_shape;
    window_stream_open(&stream, feed);
    while ((op = window_stream_any(&stream, NULL)) != NULL) {
        struct window_pc *const pc = window_pc_at(feed->pcs, op->pc_number);
        uint64_t const number = stream.op_count - (op->is_last ? 1 : 2);

        if (!op->is_last)
            learn_branch(pc, op->next_pc, window_op_is_taken(feed->pcs, op));
        window_fetched_op(&fetched, pc, feed->pcs->core.gap_execute);
        if (op->is_hidden)
            window_barriers_hidden(&learning.barriers, op->pc_number, learning.older_done, was_hidden);
        was_hidden = op->is_hidden;
        if (op->record)
            window_fetched_turn(feed, op, &fetched, learning.older_done, number >= learning.far_from);
        if (!op->is_last && window_op_is_taken(feed->pcs, op))
            window_fetched_jump(&fetched);
        if (!learn_gap(pc, &stream, op) || (op->record && !learn_record(feed, pc, op->record, &learning, number)))
            return learn_no_memory();
        if (op->gap > 0 && op->stray_count > 0)
            window_reads_learn(&stream, op);
        if (op->gap > 0)
            learning.far_from = number + 1 + RULE_LATENCY_FAR;
        was_hidden &= stream.record != NULL;
        if (!stream.record && !op->is_last && !learn_plain(&stream, &learning))
            return learn_no_memory();
    }
    decide(feed);
    return feed->fault;
}
