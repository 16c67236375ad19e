/* For tests of branch prediction: parameters with their defaults, and control micro-ops in few words. */
#ifndef TESTS_SUPPORT_BRANCH_BENCH_H
#define TESTS_SUPPORT_BRANCH_BENCH_H

#include "replay/config/branch_params.h"
#include "replay/detailed/branch/branch_unit.h"
#include "tests/support/unit.h"

#define BENCH_DEFAULT(field, key, unit, fallback, lowest, highest, help) .field = fallback,

static inline struct branch_params bench_params(enum branch_predictor type)
{
    struct branch_params params = {BRANCH_PARAMETERS(BENCH_DEFAULT)};

    params.type = type;
    return params;
}

static inline struct branch_unit *bench_unit(const struct branch_params *params, size_t most_in_flight)
{
    struct fault fault = fault_none();
    struct branch_unit *const unit = branch_unit_new(params, most_in_flight, &fault);

    assert_fine(fault);
    assert_non_null(unit);
    return unit;
}

/* seq is left for the caller. Instructions of four bytes. */
static inline struct branch_query bench_query(enum branch_class class, uint64_t pc)
{
    return (struct branch_query){
        .pc = pc, .fall_through = pc + 4, .class = (uint8_t)class,
        .is_call = class == BRANCH_CALL_DIRECT || class == BRANCH_CALL_INDIRECT, .is_return = class == BRANCH_RETURN,
        .is_direct = class == BRANCH_CALL_DIRECT || class == BRANCH_DIRECT_COND || class == BRANCH_DIRECT_UNCOND,
        .is_conditional = class == BRANCH_DIRECT_COND || class == BRANCH_INDIRECT_COND
    };
}

/* Predicts a micro-op and, if that was wrong, corrects it as execution does (outcome: whether it goes elsewhere than to
 * pc + 4); answers whether the prediction was right. */
static inline bool bench_right(struct branch_unit *unit, const struct branch_query *query, uint64_t next_pc)
{
    struct branch_query known = *query;

    known.is_known = true;
    known.next_pc = next_pc;
    known.is_taken = next_pc != query->fall_through;
    if (branch_unit_predict(unit, &known).next_pc == next_pc)
        return true;
    branch_unit_correct(unit, query->seq, next_pc, !query->is_conditional || next_pc != query->pc + 4);
    return false;
}

#endif
