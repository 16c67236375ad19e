/* Modelled: TAGE-SC-L, 64 KB (A. Seznec, CBP-5, 2016; branch-prediction 11): TAGE predicts, a loop predictor that has
 * proved itself overrules it, a statistical corrector inverts predictions that are often wrong. As in the reference
 * all of it learns at commit: look-ups see committed histories only, so nothing is undone. Unconditional micro-ops
 * are part of the histories.
 *
 * A branch is backward if its target lies below it; one not taken has no target here, so it is taken for backward if it
 * was when last taken: a bit a counter of the bimodal table's size. */
#include <stdlib.h>

#include "replay/config/branch_params.h"
#include "replay/detailed/branch/counter.h"
#include "replay/detailed/branch/parts.h"
#include "replay/detailed/branch/tage.h"

enum { BACKWARD_BITS = 13, USE_LOOP_BITS = 7 };

struct tage_sc_l {
    struct tage *tage;
    struct loop_predictor loops;
    struct corrector corrector;
    int8_t use_loop;                     /* >= 0: the loop predictor may overrule */
    bool is_backward[1 << BACKWARD_BITS];
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
    free(predictor);
}

static void *tage_sc_l_new(const struct branch_params *params)
{
    struct tage_sc_l *const predictor = calloc(1, sizeof *predictor);

    (void)params;
    if (!predictor)
        return NULL;
    predictor->tage = tage_new();
    if (!predictor->tage) {
        free(predictor);
        return NULL;
    }
    predictor->use_loop = -1;
    corrector_init(&predictor->corrector);
    return predictor;
}

static bool tage_sc_l_lookup(void *own, void *own_state, const struct branch_query *query)
{
    const struct tage_sc_l *const predictor = own;
    struct tage_sc_l_state *const state = own_state;
    bool before;

    state->pc = query->pc;
    state->is_conditional = query->is_conditional;
    state->is_indirect = !query->is_direct;
    state->is_taken = true;
    if (!query->is_conditional)
        return true;
    tage_lookup(predictor->tage, &state->tage, query->pc);
    loop_lookup(&predictor->loops, &state->loop, query->pc);
    before = state->loop.is_sure && predictor->use_loop >= 0 ? state->loop.is_taken : state->tage.is_taken;
    corrector_lookup(&predictor->corrector, &state->corrector, query->pc, before, &state->tage,
                     tage_path(predictor->tage));
    state->is_taken = state->corrector.is_taken;
    return state->is_taken;
}

static void tage_sc_l_train(void *own, const void *own_state, bool is_taken, uint64_t target)
{
    struct tage_sc_l *const predictor = own;
    const struct tage_sc_l_state *const state = own_state;

    if (state->is_conditional) {
        bool *const is_backward = &predictor->is_backward[state->pc >> 1 & ((1u << BACKWARD_BITS) - 1)];

        if (state->loop.is_sure && state->loop.is_taken != state->tage.is_taken)
            counter_step_signed(&predictor->use_loop, USE_LOOP_BITS, state->loop.is_taken == is_taken);
        loop_train(&predictor->loops, &state->loop, is_taken, state->tage.is_taken, tage_chance(predictor->tage, 4));
        corrector_train(&predictor->corrector, &state->corrector, is_taken, state->tage.confidence);
        tage_train(predictor->tage, &state->tage, is_taken, state->is_taken == is_taken);
        if (is_taken)
            *is_backward = target < state->pc;
        corrector_push(&predictor->corrector, state->pc, is_taken, *is_backward);
    }
    tage_push(predictor->tage, state->pc, target, is_taken, state->is_indirect);
}

const struct direction_ops direction_tage_sc_l = {
    .name = "tage_sc_l", .state_bytes = sizeof(struct tage_sc_l_state), .new = tage_sc_l_new, .free = tage_sc_l_free,
    .lookup = tage_sc_l_lookup, .train = tage_sc_l_train
};
