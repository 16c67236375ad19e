/* Fences have no record, as they write no register. Memory accesses behind one wait until it was executed, at the head
 * of the ROB: behind all that is older than it, even if their own sources were there long before. */
#include "replay/window/window_learnt.h"

void window_barriers_hidden(struct window_barriers *barriers, int32_t pc_number, uint64_t older_done, bool follows)
{
    bool const is_new = !follows || barriers->count == 0;

    if (is_new && barriers->count == WINDOW_BARRIER_RUNS)
        return;
    barriers->count += is_new;
    barriers->runs[barriers->count - 1].pc_number = pc_number;
    barriers->runs[barriers->count - 1].older_done = older_done;
}

void window_barriers_computed(struct window_barriers *barriers, const struct window_pcs *pcs, uint64_t start,
                              uint64_t period)
{
    uint64_t const least = pcs->core.serial_cyc * period;

    while (barriers->count > 0 && start >= barriers->runs[barriers->count - 1].older_done + least)
        barriers->count--;
}

/* Did a store write a part of what the load reads? Then that is repeated until the store is done, which is no fence. */
static bool is_stored_in_part(const struct window_barriers *barriers, uint64_t address, uint64_t end)
{
    for (unsigned i = 0; i < WINDOW_BARRIER_STORES; i++)
        if (address < barriers->stores[i].end && barriers->stores[i].address < end
            && (address < barriers->stores[i].address || barriers->stores[i].end < end))
            return true;
    return false;
}

void window_barriers_load(struct window_barriers *barriers, const struct window_feed *feed,
                          const struct window_record *load)
{
    const struct window_shape *const shape = window_feed_shape(feed, load);
    uint64_t const least = feed->pcs->core.serial_cyc * window_feed_period(feed);
    bool has_late = is_stored_in_part(barriers, load->address, load->address + shape->size_bytes);

    for (unsigned i = barriers->count; i-- > 0 && !has_late;) {
        struct window_pc *const pc = window_pc_at(feed->pcs, barriers->runs[i].pc_number);
        bool const is_early = load->start < barriers->runs[i].older_done + least;

        has_late = !is_early && shape->delay >= least;
        pc->barrier_early += is_early;
        pc->barrier_late += has_late;
    }
    barriers->count = 0;
}

void window_barriers_decide(struct window_pc *pc)
{
    uint64_t const considered = (uint64_t)pc->barrier_late + pc->barrier_early;

    pc->is_barrier = considered >= RULE_BARRIER_SEEN
                  && pc->barrier_late * UINT64_C(100) >= considered * (uint64_t)RULE_BARRIER_PERCENT;
}
