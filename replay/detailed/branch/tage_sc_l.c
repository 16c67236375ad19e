/* Modelled: TAGE-SC-L, 64 KB (A. Seznec, CBP-5, 2016; branch-prediction 11): TAGE predicts, a loop predictor that has
 * proved itself overrules it, a statistical corrector inverts predictions that are often wrong. Counters learn at
 * commit. Histories are updated at fetch, and restored by a squash (in_flight.h); without speculative history, as in
 * the reference, they are updated at commit, and look-ups do not see the branches in flight. Unconditional micro-ops
 * are part of the histories.
 *
 * A branch is backward if its target lies below it; one not taken has no target here, so it is taken for backward if it
 * was when last taken: a bit a counter of the bimodal table's size.
 *
 * `tage` is the first part alone: neither loops nor the corrector are asked or trained. */
#include <stdlib.h>

#include "replay/config/branch_params.h"
#include "replay/detailed/branch/counter.h"
#include "replay/detailed/branch/parts.h"
#include "replay/detailed/branch/tage.h"

enum { BACKWARD_BITS = 13, USE_LOOP_BITS = 7 };

/* All that a look-up knows of earlier branches. */
struct histories {
    struct tage_history tage;
    struct corrector_history corrector;
};

struct tage_sc_l {
    struct tage *tage;
    struct loop_predictor loops;
    struct corrector corrector;
    bool is_plain;                       /* `tage` */
    bool is_warming;                     /* `committed` is not kept up to date */
    int8_t use_loop;                     /* >= 0: the loop predictor may overrule */
    bool is_backward[1 << BACKWARD_BITS];
    struct histories committed, speculative;
    struct loop_iterations iterations;   /* with `speculative` */
    struct in_flight *in_flight;         /* NULL: look-ups see `committed` */
};

struct tage_sc_l_state {
    uint64_t pc;
    bool is_conditional, is_indirect, is_taken;
    struct tage_lookup tage;
    struct loop_lookup loop;
    struct corrector_lookup corrector;
};

static void tage_sc_l_free(void *own)
{
    struct tage_sc_l *const predictor = own;

    tage_free(predictor->tage);
    in_flight_free(predictor->in_flight);
    free(predictor);
}

static void *tage_sc_l_new(const struct branch_params *params, size_t most_in_flight)
{
    struct tage_sc_l *const predictor = calloc(1, sizeof *predictor);

    if (!predictor)
        return NULL;
    predictor->tage = tage_new(params);
    if (params->speculative_history)
        predictor->in_flight = in_flight_new(most_in_flight);
    if (!predictor->tage || (params->speculative_history && !predictor->in_flight)) {
        tage_sc_l_free(predictor);
        return NULL;
    }
    predictor->is_plain = params->type == BRANCH_TAGE;
    predictor->use_loop = -1;
    corrector_init(&predictor->corrector);
    return predictor;
}

/* ---- histories */
static bool *backward_bit(struct tage_sc_l *predictor, uint64_t pc)
{
    return &predictor->is_backward[pc >> 1 & ((1u << BACKWARD_BITS) - 1)];
}

static struct branch_outcome outcome_of(struct tage_sc_l *predictor, const struct tage_sc_l_state *state,
                                        bool is_taken, uint64_t target)
{
    return (struct branch_outcome){
        .pc = state->pc, .target = target, .is_conditional = state->is_conditional,
        .is_indirect = state->is_indirect, .is_taken = is_taken,
        .is_backward = is_taken ? target < state->pc : *backward_bit(predictor, state->pc)
    };
}

static void update(const struct tage_sc_l *predictor, struct histories *histories, const struct branch_outcome *outcome)
{
    if (outcome->is_conditional && !predictor->is_plain)
        corrector_push(&histories->corrector, outcome);
    tage_push(predictor->tage, &histories->tage, outcome);
}

static void push_loops(struct tage_sc_l *predictor, const struct branch_outcome *outcome)
{
    if (outcome->is_conditional && !predictor->is_plain)
        loop_push(&predictor->loops, &predictor->iterations, outcome);
}

static void update_speculative(struct tage_sc_l *predictor, const struct branch_outcome *outcome)
{
    update(predictor, &predictor->speculative, outcome);
    push_loops(predictor, outcome);
}

/* The speculative histories anew: the committed ones and what is in flight. While it warms, only iterations can be out
 * of date. */
static void renew(struct tage_sc_l *predictor)
{
    struct in_flight *const in_flight = predictor->in_flight;

    if (!predictor->is_warming)
        predictor->speculative = predictor->committed;
    loop_iterations(&predictor->loops, &predictor->iterations);
    for (uint64_t i = 0; i < in_flight_count(in_flight); i++)
        if (predictor->is_warming)
            push_loops(predictor, in_flight_at(in_flight, i));
        else
            update_speculative(predictor, in_flight_at(in_flight, i));
    in_flight->is_stale = false;
}

static void tage_sc_l_shift(void *own, void *own_state, bool is_taken, uint64_t target)
{
    struct tage_sc_l *const predictor = own;
    struct branch_outcome const outcome = outcome_of(predictor, own_state, is_taken, target);

    if (!predictor->in_flight)
        return;
    in_flight_add(predictor->in_flight, &outcome);
    if (predictor->is_warming || !predictor->in_flight->is_stale)
        update(predictor, &predictor->speculative, &outcome);
    if (!predictor->in_flight->is_stale)
        push_loops(predictor, &outcome);
}

static void tage_sc_l_undo(void *own, const void *own_state)
{
    struct tage_sc_l *const predictor = own;

    (void)own_state;
    if (predictor->in_flight)
        in_flight_drop(predictor->in_flight);
}

static void tage_sc_l_correct(void *own, void *own_state, bool is_taken, uint64_t target)
{
    tage_sc_l_undo(own, own_state);
    tage_sc_l_shift(own, own_state, is_taken, target);
}

/* ---- look-up, training */
static bool tage_sc_l_lookup(void *own, void *own_state, const struct branch_query *query)
{
    struct tage_sc_l *const predictor = own;
    struct tage_sc_l_state *const state = own_state;
    const struct histories *const histories = predictor->in_flight ? &predictor->speculative : &predictor->committed;

    state->pc = query->pc;
    state->is_conditional = query->is_conditional;
    state->is_indirect = !query->is_direct;
    state->is_taken = true;
    if (predictor->in_flight && predictor->in_flight->is_stale)
        renew(predictor);
    if (!query->is_conditional)
        return true;
    tage_lookup(predictor->tage, &histories->tage, &state->tage, query->pc);
    if (predictor->is_plain)
        return state->is_taken = state->tage.is_taken;
    loop_lookup(&predictor->loops, predictor->in_flight ? &predictor->iterations : NULL, &state->loop, query->pc);
    state->corrector.before = state->loop.is_sure && predictor->use_loop >= 0 ? state->loop.is_taken
        : state->tage.is_taken;
    corrector_lookup(&predictor->corrector, &histories->corrector, histories->tage.path, &state->corrector, query->pc,
                     &state->tage);
    state->is_taken = state->corrector.is_taken;
    return state->is_taken;
}

static void tage_sc_l_learn(struct tage_sc_l *predictor, const struct tage_sc_l_state *state, bool is_taken)
{
    bool is_given_away;

    if (predictor->is_plain) {
        tage_train(predictor->tage, &state->tage, is_taken, state->is_taken == is_taken);
        return;
    }
    if (state->loop.is_sure && state->loop.is_taken != state->tage.is_taken)
        counter_step_signed(&predictor->use_loop, USE_LOOP_BITS, state->loop.is_taken == is_taken);
    is_given_away = loop_train(&predictor->loops, &state->loop, is_taken, state->tage.is_taken,
                               tage_chance(predictor->tage, 4));
    if (is_given_away && predictor->in_flight)
        predictor->in_flight->is_stale = true;
    corrector_train(&predictor->corrector, &state->corrector, is_taken, state->tage.confidence);
    tage_train(predictor->tage, &state->tage, is_taken, state->is_taken == is_taken);
}

static void tage_sc_l_train(void *own, const void *own_state, bool is_taken, uint64_t target)
{
    struct tage_sc_l *const predictor = own;
    const struct tage_sc_l_state *const state = own_state;
    struct branch_outcome const outcome = predictor->in_flight ? *in_flight_retire(predictor->in_flight)
        : outcome_of(predictor, state, is_taken, target);

    if (state->is_conditional) {
        tage_sc_l_learn(predictor, state, is_taken);
        if (is_taken)
            *backward_bit(predictor, state->pc) = target < state->pc;
    }
    if (!predictor->is_warming)
        update(predictor, &predictor->committed, &outcome);
}

static void tage_sc_l_warm_begin(void *own)
{
    struct tage_sc_l *const predictor = own;

    predictor->is_warming = predictor->in_flight != NULL;
}

static void tage_sc_l_warm_end(void *own)
{
    struct tage_sc_l *const predictor = own;

    if (predictor->is_warming)
        predictor->committed = predictor->speculative;
    predictor->is_warming = false;
}

static bool tage_is_late(const void *own_state)
{
    const struct tage_sc_l_state *const state = own_state;

    return state->tage.is_late;
}

const struct direction_ops direction_tage = {
    .name = "tage", .state_bytes = sizeof(struct tage_sc_l_state), .new = tage_sc_l_new, .free = tage_sc_l_free,
    .lookup = tage_sc_l_lookup, .shift = tage_sc_l_shift, .undo = tage_sc_l_undo, .correct = tage_sc_l_correct,
    .train = tage_sc_l_train, .warm_begin = tage_sc_l_warm_begin, .warm_end = tage_sc_l_warm_end,
    .is_late = tage_is_late
};

const struct direction_ops direction_tage_sc_l = {
    .name = "tage_sc_l", .state_bytes = sizeof(struct tage_sc_l_state), .new = tage_sc_l_new, .free = tage_sc_l_free,
    .lookup = tage_sc_l_lookup, .shift = tage_sc_l_shift, .undo = tage_sc_l_undo, .correct = tage_sc_l_correct,
    .train = tage_sc_l_train, .warm_begin = tage_sc_l_warm_begin, .warm_end = tage_sc_l_warm_end
};
