/* Modelled: the reference's TournamentBP (branch-prediction 9): local counters behind local histories, global counters
 * and choice counters behind one global history, which is updated speculatively with the final prediction. */
#include <stdlib.h>

#include "replay/config/branch_params.h"
#include "replay/detailed/branch/counter.h"
#include "replay/detailed/branch/parts.h"

struct tournament {
    uint32_t history, history_mask;
    uint32_t inst_shift, local_histories_mask, local_mask, global_mask, choice_mask;
    uint8_t local_highest, global_highest, choice_highest;
    uint32_t *local_histories;           /* always masked to the index of the local counters */
    uint8_t *local, *global, *choice;    /* in the block of local_histories */
};

struct tournament_state {
    uint32_t history, local_index, local_history;
    bool has_local, local_says, global_says;
};

static void tournament_free(void *own)
{
    struct tournament *const tournament = own;

    free(tournament->local_histories);
    free(tournament);
}

static void *tournament_new(const struct branch_params *params, size_t most_in_flight)
{
    struct tournament *const tournament = calloc(1, sizeof *tournament);
    size_t const histories = params->local_histories;

    (void)most_in_flight;
    if (!tournament)
        return NULL;
    tournament->local_histories = calloc(1, histories * sizeof *tournament->local_histories + params->local_counters
                                         + params->global_counters + params->choice_counters);
    if (!tournament->local_histories) {
        free(tournament);
        return NULL;
    }
    tournament->local = (uint8_t *)(tournament->local_histories + histories);
    tournament->global = tournament->local + params->local_counters;
    tournament->choice = tournament->global + params->global_counters;
    tournament->local_histories_mask = (uint32_t)histories - 1;
    tournament->local_mask = (uint32_t)params->local_counters - 1;
    tournament->global_mask = (uint32_t)params->global_counters - 1;
    tournament->choice_mask = (uint32_t)params->choice_counters - 1;
    tournament->history_mask = tournament->global_mask | tournament->choice_mask;
    tournament->inst_shift = (uint32_t)params->inst_shift;
    tournament->local_highest = counter_highest(params->local_bits);
    tournament->global_highest = counter_highest(params->global_bits);
    tournament->choice_highest = counter_highest(params->choice_bits);
    return tournament;
}

static bool tournament_lookup(void *own, void *own_state, const struct branch_query *query)
{
    const struct tournament *const tournament = own;
    struct tournament_state *const state = own_state;
    uint32_t const history = tournament->history;

    state->history = history;
    state->has_local = query->is_conditional;
    if (!query->is_conditional)
        return true;
    state->local_index = (uint32_t)(query->pc >> tournament->inst_shift) & tournament->local_histories_mask;
    state->local_history = tournament->local_histories[state->local_index];
    state->local_says = counter_is_yes(tournament->local[state->local_history], tournament->local_highest);
    state->global_says = counter_is_yes(tournament->global[history & tournament->global_mask],
                                        tournament->global_highest);
    return counter_is_yes(tournament->choice[history & tournament->choice_mask], tournament->choice_highest)
        ? state->global_says : state->local_says;
}

/* Both histories to those of the state, and on with is_taken. */
static void tournament_shift(void *own, void *own_state, bool is_taken, uint64_t target)
{
    struct tournament *const tournament = own;
    const struct tournament_state *const state = own_state;

    (void)target;
    tournament->history = (state->history << 1 | is_taken) & tournament->history_mask;
    if (state->has_local)
        tournament->local_histories[state->local_index] =
            (state->local_history << 1 | is_taken) & tournament->local_mask;
}

static void tournament_undo(void *own, const void *own_state)
{
    struct tournament *const tournament = own;
    const struct tournament_state *const state = own_state;

    tournament->history = state->history;
    if (state->has_local)
        tournament->local_histories[state->local_index] = state->local_history;
}

static void tournament_train(void *own, const void *own_state, bool is_taken, uint64_t target)
{
    struct tournament *const tournament = own;
    const struct tournament_state *const state = own_state;

    (void)target;
    if (state->has_local && state->local_says != state->global_says)
        counter_step(&tournament->choice[state->history & tournament->choice_mask], tournament->choice_highest,
                     state->local_says != is_taken);
    counter_step(&tournament->global[state->history & tournament->global_mask], tournament->global_highest, is_taken);
    if (state->has_local)
        counter_step(&tournament->local[state->local_history], tournament->local_highest, is_taken);
}

const struct direction_ops direction_tournament = {
    .name = "tournament", .state_bytes = sizeof(struct tournament_state), .new = tournament_new,
    .free = tournament_free, .lookup = tournament_lookup, .shift = tournament_shift, .undo = tournament_undo,
    .correct = tournament_shift, .train = tournament_train
};
