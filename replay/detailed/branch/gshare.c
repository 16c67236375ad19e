/* Modelled: gshare (S. McFarling, "Combining branch predictors", WRL TN-36, 1993): counters indexed by the pc xor the
 * directions of the last conditional branches, aligned at the upper end where the history is the shorter. The history
 * is updated speculatively. */
#include <stdlib.h>

#include "base/arith.h"
#include "replay/config/branch_params.h"
#include "replay/detailed/branch/counter.h"
#include "replay/detailed/branch/parts.h"

struct gshare {
    uint32_t history, history_mask, history_shift, mask, inst_shift;
    uint8_t highest;
    uint8_t counters[];
};

struct gshare_state {
    uint32_t history, index;
    bool is_conditional;
};

static void *gshare_new(const struct branch_params *params, size_t most_in_flight)
{
    struct gshare *const gshare = calloc(1, sizeof *gshare + params->gshare_counters);

    (void)most_in_flight;
    if (gshare) {
        gshare->mask = (uint32_t)params->gshare_counters - 1;
        gshare->history_mask = (1u << params->gshare_history_bits) - 1;
        gshare->history_shift = log2_down(params->gshare_counters) - (uint32_t)params->gshare_history_bits;
        gshare->inst_shift = (uint32_t)params->inst_shift;
        gshare->highest = counter_highest(params->gshare_bits);
    }
    return gshare;
}

static bool gshare_lookup(void *own, void *own_state, const struct branch_query *query)
{
    const struct gshare *const gshare = own;
    struct gshare_state *const state = own_state;
    uint32_t const at = (uint32_t)(query->pc >> gshare->inst_shift);

    state->is_conditional = query->is_conditional;
    state->history = gshare->history;
    state->index = (at ^ gshare->history << gshare->history_shift) & gshare->mask;
    return !query->is_conditional || counter_is_yes(gshare->counters[state->index], gshare->highest);
}

static void gshare_shift(void *own, void *own_state, bool is_taken, uint64_t target)
{
    struct gshare *const gshare = own;
    const struct gshare_state *const state = own_state;

    (void)target;
    if (state->is_conditional)
        gshare->history = (state->history << 1 | is_taken) & gshare->history_mask;
    else
        gshare->history = state->history;
}

static void gshare_undo(void *own, const void *own_state)
{
    struct gshare *const gshare = own;
    const struct gshare_state *const state = own_state;

    gshare->history = state->history;
}

static void gshare_train(void *own, const void *own_state, bool is_taken, uint64_t target)
{
    struct gshare *const gshare = own;
    const struct gshare_state *const state = own_state;

    (void)target;
    if (state->is_conditional)
        counter_step(&gshare->counters[state->index], gshare->highest, is_taken);
}

const struct direction_ops direction_gshare = {
    .name = "gshare", .state_bytes = sizeof(struct gshare_state), .new = gshare_new, .free = free,
    .lookup = gshare_lookup, .shift = gshare_shift, .undo = gshare_undo, .correct = gshare_shift,
    .train = gshare_train
};
