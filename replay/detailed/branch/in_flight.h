/* Outcomes of the branches in flight, for predictors whose histories are long: speculative histories are the
 * committed ones and, behind them, these outcomes, as predicted or corrected.
 *
 * Such a predictor keeps its histories twice. A prediction updates the speculative ones, a commit the committed ones. A
 * squash makes the speculative ones stale: before the next look-up they are copied from the committed ones and updated
 * with the outcomes still in flight. So nothing is undone bit by bit, and look-ups after a squash see what they saw
 * before the squashed branches. With speculative history off look-ups see the committed histories.
 *
 * Use: in_flight_new (NULL: no memory), in_flight_free. shift: in_flight_add; undo: in_flight_drop; correct: both;
 * train: in_flight_retire, whose outcome updates the committed histories. in_flight_at numbers them from the oldest. */
#ifndef REPLAY_DETAILED_BRANCH_IN_FLIGHT_H
#define REPLAY_DETAILED_BRANCH_IN_FLIGHT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct branch_outcome {
    uint64_t pc, target;
    bool is_conditional, is_indirect, is_taken;
    bool is_backward;                    /* its target lies below it; if untaken, it did when last taken */
    bool joins_local;                    /* its local history is updated, too */
};

struct in_flight {
    uint64_t begin, end;                 /* numbers: retired, predicted less undone */
    uint64_t mask, most;                 /* of the ring: its present size - 1; the array's size */
    bool is_stale;                       /* the speculative histories have squashed branches */
    struct branch_outcome outcomes[];
};

struct in_flight *in_flight_new(size_t most);
void in_flight_free(struct in_flight *in_flight);

/* Twice the ring, which takes up the front of its array as long as that suffices. */
void in_flight_widen(struct in_flight *in_flight);

static inline void in_flight_add(struct in_flight *in_flight, const struct branch_outcome *outcome)
{
    if (in_flight->end - in_flight->begin > in_flight->mask)
        in_flight_widen(in_flight);
    in_flight->outcomes[in_flight->end++ & in_flight->mask] = *outcome;
}

/* The youngest. */
static inline void in_flight_drop(struct in_flight *in_flight)
{
    in_flight->end--;
    in_flight->is_stale = true;
}

static inline const struct branch_outcome *in_flight_at(const struct in_flight *in_flight, uint64_t number)
{
    return &in_flight->outcomes[(in_flight->begin + number) & in_flight->mask];
}

static inline uint64_t in_flight_count(const struct in_flight *in_flight)
{
    return in_flight->end - in_flight->begin;
}

/* The oldest, which has committed; valid until the next in_flight_add. */
static inline const struct branch_outcome *in_flight_retire(struct in_flight *in_flight)
{
    return &in_flight->outcomes[in_flight->begin++ & in_flight->mask];
}

#endif
