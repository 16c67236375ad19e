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

bool window_reads_guess(const struct window_feed *feed, enum window_reads reads, int32_t pc_number, uint64_t place,
                        uint32_t nth, uint64_t *address)
{
    const struct window_record *const load = reads == READS_NEXT ? load_from(feed, pc_number, place, nth)
                                                                 : load_before(feed, pc_number, place, 0);
    const struct window_record *before;

    if (!load)
        return false;
    *address = load->address;
    if (reads != READS_STEP)
        return true;
    before = load_before(feed, pc_number, place, 1);
    if (before)
        *address += (nth + 1) * (load->address - before->address);
    return before != NULL;
}

/* Does a rule say what a squashed load read? Loads before it may not have been finished, so it may be any from the
 * nth on; returns its number plus 1. 0: it does not. */
static uint32_t find_next(const struct window_feed *feed, const struct window_record *stray, uint64_t place,
                          uint32_t nth)
{
    uint32_t number = 0;

    for (uint64_t end = place + RULE_READS_REACH; place < end && place < feed->read; place++) {
        const struct window_record *const record = window_feed_at(feed, place);

        if (!record || record->kind.type != DEP_LOAD || record->kind.pc_number != stray->kind.pc_number)
            continue;
        if (number == nth + RULE_READS_MISSED)
            return 0;
        if (number++ >= nth && record->address == stray->address)
            return number;
    }
    return 0;
}

static uint32_t find_read(const struct window_feed *feed, enum window_reads reads, const struct window_record *stray,
                          uint64_t place, uint32_t nth)
{
    const struct window_record *last, *before;

    if (reads == READS_NEXT)
        return find_next(feed, stray, place, nth);
    last = load_before(feed, stray->kind.pc_number, place, 0);
    if (!last)
        return 0;
    if (reads == READS_AGAIN)
        return last->address == stray->address ? nth + 1 : 0;
    before = load_before(feed, stray->kind.pc_number, place, 1);
    for (uint32_t number = nth + 1; before && number <= nth + RULE_READS_MISSED; number++)
        if (last->address + number * (last->address - before->address) == stray->address)
            return number;
    return 0;
}

void window_reads_learn(const struct window_stream *stream, const struct window_op *op)
{
    const struct window_feed *const feed = stream->feed;
    uint32_t next[RULE_STRAYS][READS_COUNT] = {{0}};     /* of each, from which number on the next of its pc is */

    for (uint64_t i = 0; i < op->stray_count && i < RULE_STRAYS; i++) {
        const struct window_record *const stray = window_feed_at(feed, op->strays + i);
        struct window_pc *pc;

        if (!stray)
            return;
        pc = window_pc_at(feed->pcs, stray->kind.pc_number);
        if (pc->strays == RULE_READS_MOST)
            continue;
        pc->strays++;
        for (uint64_t j = 0; j < i; j++)
            if (window_feed_at(feed, op->strays + j)->kind.pc_number == stray->kind.pc_number)
                memcpy(next[i], next[j], sizeof next[i]);
        for (unsigned reads = READS_NEXT; reads < READS_COUNT; reads++) {
            uint32_t const found = find_read(feed, reads, stray, op->strays, next[i][reads]);

            pc->strays_by[reads] += found > 0;
            next[i][reads] = found > 0 ? found : next[i][reads] + 1;
        }
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
