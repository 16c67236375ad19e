/* A record is looked at if it is the first one behind several filtered micro-ops with a jump among them whose places
 * no other record tells, as the head of a loop is that ends with two branches. Where such a loop is bound by fetch,
 * what is in it is done before the next turn is fetched, and the head's turns are as far apart as fetch takes. */
#include "replay/window/window_learnt.h"

#include "base/arith.h"

/* Was it fetched late, and nothing but fetch to be waited for? Not its sources: it began cycles behind them. Not a full
 * ROB or queue: all before it was done. */
static bool waits_for_fetch(const struct window_feed *feed, const struct window_record *record, uint64_t older_done)
{
    uint64_t const period = window_feed_period(feed);

    return record->kind.has_producers && window_feed_shape(feed, record)->delay >= RULE_TURN_LATE_CYC * period
        && older_done <= record->start + RULE_TURN_DONE_CYC * period;
}

void window_fetched_turn(const struct window_feed *feed, const struct window_op *op,
                         const struct window_fetched *fetched, uint64_t older_done, bool is_far)
{
    struct window_pc *const pc = window_pc_at(feed->pcs, op->pc_number);
    uint64_t const start = op->record->start, fetch_cyc = fetched->cycles - pc->turn_cycles;
    uint64_t const turn_cyc = start > pc->turn_start ? (start - pc->turn_start) / window_feed_period(feed) : 0;

    if (op->is_open && is_far && !fetched->has_missed && pc->turn_start > 0 && fetch_cyc <= RULE_TURN_FETCH_CYC) {
        pc->turns++;
        pc->late_turns += turn_cyc >= fetch_cyc + RULE_TURN_LATE_CYC - 1
                       && waits_for_fetch(feed, op->record, older_done);
    }
    pc->turn_start = start;
    pc->turn_cycles = fetched->cycles;
}

void window_fetched_decide(struct window_pc *pc)
{
    pc->is_behind_line = pc->turns >= RULE_TURNS
                      && pc->late_turns * UINT64_C(100) >= pc->turns * (uint64_t)RULE_TURNS_PERCENT;
}
