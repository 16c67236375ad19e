/* Each squashed load of the capture is compared with what each rule would have said of it. */
#include "replay/window/window_learnt.h"

#include <string.h>

/* The n-th load of a pc from a record on, or before it; NULL: none is near. */
static const struct window_record *load_from(const struct window_feed *feed, int32_t pc_number, uint64_t place,
                                             uint32_t nth)
{
    for (uint64_t end = place + RULE_READS_REACH; place < end && place < feed->read; place++) {
        const struct window_record *const record = window_feed_at(feed, place);

        if (record && record->kind.type == DEP_LOAD && record->kind.pc_number == pc_number && nth-- == 0)
            return record;
    }
    return NULL;
}

static const struct window_record *load_before(const struct window_feed *feed, int32_t pc_number, uint64_t place,
                                               uint32_t nth)
{
    for (uint64_t i = 1; i <= RULE_READS_REACH && i <= place; i++) {
        const struct window_record *const record = window_feed_at(feed, place - i);

        if (record && record->kind.type == DEP_LOAD && record->kind.pc_number == pc_number && nth-- == 0)
            return record;
    }
    return NULL;
}

static uint64_t mirrored(const struct window_record *last, const struct window_record *next)
{
    return 2 * last->address - next->address;
}

static uint64_t distance(uint64_t one, uint64_t other)
{
    return one > other ? one - other : other - one;
}

static bool is_of_line(uint64_t address, uint64_t other)
{
    return address / TIMELINE_LINE_BYTES == other / TIMELINE_LINE_BYTES;
}

/* A bisection's reads lie in the half that it chose: one twice as far away as the first is of another search, which
 * both paths come to. */
static uint64_t mirrored_nth(const struct window_feed *feed, const struct window_record *last,
                             const struct window_record *nth, uint64_t place)
{
    const struct window_record *const first = load_from(feed, last->kind.pc_number, place, 0);
    uint64_t const half = distance(last->address, first->address);

    return distance(last->address, nth->address) < 2 * half ? mirrored(last, nth) : nth->address;
}

bool window_reads_guess(const struct window_feed *feed, enum window_reads reads, int32_t pc_number, uint64_t place,
                        uint32_t nth, uint64_t *address)
{
    bool const is_next = reads == READS_NEXT || reads == READS_MIRRORED;
    const struct window_record *const load = is_next ? load_from(feed, pc_number, place, nth)
                                                     : load_before(feed, pc_number, place, 0);
    const struct window_record *before;

    if (!load)
        return false;
    *address = load->address;
    if (reads == READS_NEXT || reads == READS_AGAIN)
        return true;
    before = load_before(feed, pc_number, place, reads == READS_STEP ? 1 : 0);
    if (before && reads == READS_STEP)
        *address += (nth + 1) * (load->address - before->address);
    else if (before)
        *address = mirrored_nth(feed, before, load, place);
    return before != NULL;
}

/* Does a rule say what a squashed load read? Loads of its pc before it may not have been finished, so it may be any of
 * the first ones. */
static bool is_next(const struct window_feed *feed, const struct window_record *stray, uint64_t place)
{
    const struct window_record *next;

    for (uint32_t nth = 0; nth <= RULE_READS_MISSED; nth++) {
        next = load_from(feed, stray->kind.pc_number, place, nth);
        if (!next || next->address == stray->address)
            return next != NULL;
    }
    return false;
}

static bool is_step(const struct window_record *stray, const struct window_record *last,
                    const struct window_record *before)
{
    for (uint64_t number = 1; number <= RULE_READS_MISSED + 1; number++)
        if (last->address + number * (last->address - before->address) == stray->address)
            return true;
    return false;
}

static bool is_read(const struct window_feed *feed, enum window_reads reads, const struct window_record *stray,
                    uint64_t place)
{
    const struct window_record *const last = load_before(feed, stray->kind.pc_number, place, 0);
    const struct window_record *other;

    switch (reads) {
    case READS_NEXT:
        return is_next(feed, stray, place);
    case READS_STEP:
        other = load_before(feed, stray->kind.pc_number, place, 1);
        return other && is_step(stray, last, other);
    case READS_AGAIN:
        return last && last->address == stray->address;
    case READS_MIRRORED:
        other = last ? load_from(feed, stray->kind.pc_number, place, 0) : NULL;
        return other && is_of_line(mirrored(last, other), stray->address);
    case READS_NOWHERE:
    case READS_COUNT:
        break;
    }
    return false;
}

/* Is it the first of its pc on its path? Where the others read depends on where that one did. */
static bool is_first(const struct window_stream *stream, const struct window_op *op, uint64_t number)
{
    int32_t const pc_number = window_feed_at(stream->feed, op->strays + number)->kind.pc_number;

    for (uint64_t i = 0; i < number; i++)
        if (window_feed_at(stream->feed, op->strays + i)->kind.pc_number == pc_number)
            return false;
    return true;
}

void window_reads_learn(const struct window_stream *stream, const struct window_op *op)
{
    for (uint64_t i = 0; i < op->stray_count && i < RULE_STRAYS; i++) {
        const struct window_record *const stray = window_feed_at(stream->feed, op->strays + i);
        struct window_pc *pc;

        if (!stray)
            return;
        pc = window_pc_at(stream->feed->pcs, stray->kind.pc_number);
        if (pc->strays == RULE_READS_MOST || !is_first(stream, op, i))
            continue;
        pc->strays++;
        for (unsigned reads = READS_NEXT; reads < READS_COUNT; reads++)
            pc->strays_by[reads] += is_read(stream->feed, reads, stray, op->strays);
    }
}

void window_reads_decide(struct window_pc *pc)
{
    uint32_t best = 0;

    for (unsigned reads = READS_NEXT; reads < READS_COUNT; reads++)
        if (pc->strays >= RULE_READS_SEEN && pc->strays_by[reads] > best
            && pc->strays_by[reads] * UINT64_C(100) >= pc->strays * (uint64_t)RULE_READS_PERCENT) {
            best = pc->strays_by[reads];
            pc->reads = (uint8_t)reads;
        }
}
