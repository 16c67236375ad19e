/* The parts of a branch prediction unit, each a struct of functions: direction predictors, branch target buffers,
 * return address stacks, predictors of indirect jumps. A kind is a file here and a line of its list in
 * replay/config/branch_params.h.
 *
 * Use: new answers NULL if there is no memory; free takes the result of new. Nothing else allocates. A part writes the
 * data that it needs later of a micro-op into the state that the unit keeps for that micro-op: state_bytes, at any
 * multiple of 8. The unit undoes states youngest first, and trains them oldest first. */
#ifndef REPLAY_DETAILED_BRANCH_PARTS_H
#define REPLAY_DETAILED_BRANCH_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "replay/detailed/branch/branch_unit.h"

struct rubato_branch;                    /* include/rubato_policy.h */

struct direction_ops {
    const char *name;
    size_t state_bytes;
    bool knows_targets;                  /* returns next_pc from the query's known outcome */
    void *(*new)(const struct branch_params *params, size_t most_in_flight);
    void (*free)(void *predictor);
    /* Fills the state. Of micro-ops that are not conditional true. */
    bool (*lookup)(void *predictor, void *state, const struct branch_query *query);
    /* The first three may be NULL, of predictors without speculative history.
     * shift: appends is_taken to the history at fetch; target: where fetch goes on. undo: restores the history from
     * before the lookup of this state. correct: undo, then shift with is_taken. train: the micro-op committed; its
     * counters learn. */
    void (*shift)(void *predictor, void *state, bool is_taken, uint64_t target);
    void (*undo)(void *predictor, const void *state);
    void (*correct)(void *predictor, void *state, bool is_taken, uint64_t target);
    void (*train)(void *predictor, const void *state, bool is_taken, uint64_t target);
    /* Both or none. In between, shift takes outcomes, none of which is undone or corrected: histories that commits
     * update may be left as they are until warm_end, when all have been trained. */
    void (*warm_begin)(void *predictor);
    void (*warm_end)(void *predictor);
    /* May be NULL. A conditional branch of this state got its prediction overrideDelay later than others. */
    bool (*is_late)(const void *state);
};

struct btb_ops {
    const char *name;
    void *(*new)(const struct branch_params *params);
    void (*free)(void *btb);
    /* false: a miss, *target is untouched. */
    bool (*lookup)(void *btb, uint64_t pc, uint64_t *target);
    void (*update)(void *btb, uint64_t pc, uint64_t target);
    /* Of modules, in place of lookup and update, and when a branch commits; NULL otherwise. */
    bool (*predict)(void *btb, const struct branch_query *query, uint64_t *target, bool *always_taken);
    void (*learn)(void *btb, const struct rubato_branch *branch);
    void (*train)(void *btb, const struct rubato_branch *branch);
};

struct ras_state {
    bool did_push, did_pop, was_written; /* was_written: the slot that was popped */
    uint32_t top;
    uint64_t value;
};

struct ras_ops {
    const char *name;
    void *(*new)(const struct branch_params *params);
    void (*free)(void *ras);
    void (*push)(void *ras, struct ras_state *state, uint64_t address);
    /* false: the slot was never written; *address is untouched. */
    bool (*pop)(void *ras, struct ras_state *state, uint64_t *address);
    /* Of a state with did_push or did_pop. */
    void (*undo)(void *ras, const struct ras_state *state);
};

struct indirect_state {
    uint32_t history, set, tag;          /* set, tag: if was_indirect */
    bool was_indirect;                   /* its target is part of the path */
};

struct indirect_ops {
    const char *name;
    void *(*new)(const struct branch_params *params, size_t most_in_flight);
    void (*free)(void *predictor);
    /* false: a miss, *target is untouched. */
    bool (*lookup)(void *predictor, const struct branch_query *query, uint64_t *target);
    /* All of these or none, of predictors without history. shift: after the prediction of any control micro-op. */
    void (*shift)(void *predictor, struct indirect_state *state, const struct branch_query *query, bool is_taken,
                  uint64_t target);
    void (*undo)(void *predictor, const struct indirect_state *state);
    void (*correct)(void *predictor, struct indirect_state *state, uint64_t pc, bool is_taken, uint64_t target);
    void (*commit)(void *predictor);
    /* Of modules, when a branch commits; NULL otherwise. */
    void (*train)(void *predictor, const struct rubato_branch *branch);
};

#define BRANCH_DECLARE_DIRECTION(kind, name) extern const struct direction_ops direction_##name;
#define BRANCH_DECLARE_BTB(kind, name) extern const struct btb_ops btb_##name;
#define BRANCH_DECLARE_RAS(kind, name) extern const struct ras_ops ras_##name;
#define BRANCH_DECLARE_INDIRECT(kind, name) extern const struct indirect_ops indirect_##name;
BRANCH_PREDICTORS(BRANCH_DECLARE_DIRECTION)
BRANCH_BTBS(BRANCH_DECLARE_BTB)
BRANCH_STACKS(BRANCH_DECLARE_RAS)
BRANCH_INDIRECTS(BRANCH_DECLARE_INDIRECT)

/* A jump whose target the indirect predictor keeps. */
static inline bool branch_is_indirect(const struct branch_query *query)
{
    return !query->is_direct && !query->is_return;
}

#endif
