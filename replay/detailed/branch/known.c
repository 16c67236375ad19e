/* Modelled: predictors that look into the trace, which says where its control micro-ops go; on wrong paths it does not,
 * and conditional branches are predicted not taken there, others as the BTB, the stack and the indirect predictor have
 * it.
 *
 * perfect: the outcomes in the trace. trace: the same, but mispredictRate of each 100000 conditional branches go the
 * other way, as evenly spread as can be: each adds the rate to a sum, and when that reaches 100000 one is
 * mispredicted. A branch that is not taken can be mispredicted only where the BTB has a target; without one the sum
 * stays and the next branch is turned. Squashes undo the sum. */
#include <stdlib.h>

#include "replay/config/branch_params.h"
#include "replay/detailed/branch/parts.h"

enum { WHOLE = 100000 };

struct known {
    uint64_t rate, sum;
};

struct known_state {
    uint64_t sum;
    bool is_taken, is_turned;            /* is_taken: as the trace has it */
};

static void *perfect_new(const struct branch_params *params, size_t most_in_flight)
{
    (void)most_in_flight;
    (void)params;
    return calloc(1, sizeof(struct known));
}

static void *trace_new(const struct branch_params *params, size_t most_in_flight)
{
    struct known *const known = calloc(1, sizeof *known);

    (void)most_in_flight;
    if (known)
        known->rate = params->mispredict_rate;
    return known;
}

static bool known_lookup(void *own, void *own_state, const struct branch_query *query)
{
    struct known *const known = own;
    struct known_state *const state = own_state;

    *state = (struct known_state){.sum = known->sum, .is_taken = query->is_taken};
    if (!query->is_conditional)
        return true;
    if (!query->is_known)
        return false;
    known->sum += known->rate;
    state->is_turned = known->sum >= WHOLE;
    return query->is_taken != state->is_turned;
}

/* The unit's final answer: a branch turned to taken without a target was none. */
static void known_shift(void *own, void *own_state, bool is_taken, uint64_t target)
{
    struct known *const known = own;
    const struct known_state *const state = own_state;

    (void)target;
    if (state->is_turned && is_taken != state->is_taken)
        known->sum -= WHOLE;
}

static void known_undo(void *own, const void *own_state)
{
    struct known *const known = own;
    const struct known_state *const state = own_state;

    known->sum = state->sum;
}

static void known_train(void *own, const void *own_state, bool is_taken, uint64_t target)
{
    (void)own, (void)own_state, (void)is_taken, (void)target;
}

const struct direction_ops direction_perfect = {
    .name = "perfect", .state_bytes = sizeof(struct known_state), .knows_targets = true, .new = perfect_new,
    .free = free, .lookup = known_lookup, .train = known_train
};

const struct direction_ops direction_trace = {
    .name = "trace", .state_bytes = sizeof(struct known_state), .knows_targets = true, .new = trace_new,
    .free = free, .lookup = known_lookup, .shift = known_shift, .undo = known_undo, .train = known_train
};
