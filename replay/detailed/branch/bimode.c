/* Modelled: the reference's BiModeBP (branch-prediction 11): a choice by the pc between two arrays of counters, which
 * pc and global history index together. Unconditional micro-ops pass as chosen taken and train, too. */
#include <stdlib.h>

#include "replay/config/branch_params.h"
#include "replay/detailed/branch/counter.h"
#include "replay/detailed/branch/parts.h"

struct bimode {
    uint32_t history, history_mask, choice_mask, inst_shift;
    uint8_t global_highest, choice_highest;
    uint8_t *not_taken, *taken;          /* in one block with the choice */
    uint8_t choice[];
};

struct bimode_state {
    uint32_t history, index, choice_index;
    bool choice, final;
};

static void *bimode_new(const struct branch_params *params, size_t most_in_flight)
{
    struct bimode *const bimode = calloc(1, sizeof *bimode + params->choice_counters + 2 * params->global_counters);

    (void)most_in_flight;
    if (bimode) {
        bimode->not_taken = bimode->choice + params->choice_counters;
        bimode->taken = bimode->not_taken + params->global_counters;
        bimode->history_mask = (uint32_t)params->global_counters - 1;
        bimode->choice_mask = (uint32_t)params->choice_counters - 1;
        bimode->inst_shift = (uint32_t)params->inst_shift;
        bimode->global_highest = counter_highest(params->global_bits);
        bimode->choice_highest = counter_highest(params->choice_bits);
    }
    return bimode;
}

static bool bimode_lookup(void *own, void *own_state, const struct branch_query *query)
{
    const struct bimode *const bimode = own;
    struct bimode_state *const state = own_state;
    uint32_t const at = (uint32_t)(query->pc >> bimode->inst_shift);

    state->history = bimode->history;
    state->index = (at ^ bimode->history) & bimode->history_mask;
    state->choice_index = at & bimode->choice_mask;
    state->choice = state->final = true;
    if (query->is_conditional) {
        state->choice = counter_is_yes(bimode->choice[state->choice_index], bimode->choice_highest);
        state->final = counter_is_yes((state->choice ? bimode->taken : bimode->not_taken)[state->index],
                                      bimode->global_highest);
    }
    return state->final;
}

static void bimode_shift(void *own, void *own_state, bool is_taken, uint64_t target)
{
    struct bimode *const bimode = own;
    const struct bimode_state *const state = own_state;

    (void)target;
    bimode->history = (state->history << 1 | is_taken) & bimode->history_mask;
}

static void bimode_undo(void *own, const void *own_state)
{
    struct bimode *const bimode = own;
    const struct bimode_state *const state = own_state;

    bimode->history = state->history;
}

static void bimode_train(void *own, const void *own_state, bool is_taken, uint64_t target)
{
    struct bimode *const bimode = own;
    const struct bimode_state *const state = own_state;

    (void)target;
    counter_step(&(state->choice ? bimode->taken : bimode->not_taken)[state->index], bimode->global_highest, is_taken);
    /* A choice that was wrong stays where the array that it chose was right all the same. */
    if (state->final != is_taken || state->final == state->choice)
        counter_step(&bimode->choice[state->choice_index], bimode->choice_highest, is_taken);
}

const struct direction_ops direction_bimode = {
    .name = "bimode", .state_bytes = sizeof(struct bimode_state), .new = bimode_new, .free = free,
    .lookup = bimode_lookup, .shift = bimode_shift, .undo = bimode_undo, .correct = bimode_shift,
    .train = bimode_train
};
