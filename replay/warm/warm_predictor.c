/* The unit is left in the middle of its warm-up between two states: the branches that are in flight there are trained
 * with the next ones, or by the core that takes the unit. So states that follow each other without a gap teach it what
 * a walk over all of them does. */
#include "replay/warm/warm_predictor.h"

#include <stdlib.h>

#include "replay/config/config_values.h"
#include "replay/detailed/detailed_cpu.h"

struct warm_predictor {
    struct branch_unit *unit;            /* NULL: taken */
};

struct warm_predictor *warm_predictor_new(const struct system_config *config, struct fault *fault)
{
    struct warm_predictor *const predictor = calloc(1, sizeof *predictor);

    *fault = predictor ? fault_none() : fault_make(FAULT_MEMORY, "out of memory for a predictor");
    if (!predictor)
        return NULL;
    predictor->unit = branch_unit_new(config_branch(config), detailed_cpu_most_branches(config_detailed(config)),
                                      fault);
    if (predictor->unit)
        return predictor;
    free(predictor);
    return NULL;
}

void warm_predictor_free(struct warm_predictor *predictor)
{
    if (!predictor)
        return;
    branch_unit_free(predictor->unit);
    free(predictor);
}

struct branch_query warm_predictor_query(const struct warm_branch *branch)
{
    return (struct branch_query){
        .pc = branch->pc, .fall_through = branch->pc + branch->size_bytes, .next_pc = branch->next_pc,
        .is_call = branch->flags & WARM_BRANCH_CALL, .is_return = branch->flags & WARM_BRANCH_RETURN,
        .is_direct = branch->flags & WARM_BRANCH_DIRECT, .is_conditional = branch->flags & WARM_BRANCH_CONDITIONAL,
        .is_known = true, .is_taken = branch->next_pc != branch->pc + branch->size_bytes};
}

void warm_predictor_learn(struct warm_predictor *predictor, const struct warm_state *state)
{
    for (size_t i = 0; i < state->branch_count; i++) {
        struct branch_query const query = warm_predictor_query(&state->branches[i]);

        branch_unit_warm(predictor->unit, &query, BRANCH_WARM_IN_FLIGHT);
    }
}

struct branch_unit *warm_predictor_take(struct warm_predictor *predictor)
{
    struct branch_unit *const unit = predictor->unit;

    predictor->unit = NULL;
    return unit;
}
