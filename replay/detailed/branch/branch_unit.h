/* Branch prediction unit of a detailed core: direction predictor, BTB, return address stack, indirect predictor, and
 * the history of the branches in flight (branch-prediction 2 to 11).
 *
 * Use: branch_unit_new; for each control micro-op that fetch builds branch_unit_predict, in fetch order, wrong paths
 * included; when fetch hears of it, branch_unit_squash, branch_unit_correct, branch_unit_train; branch_unit_free.
 * Sequence numbers grow with each prediction; after a squash they continue above the squashed ones.
 * Ownership: the unit owns all tables. Predicting allocates nothing. Errors: FAULT_MEMORY in branch_unit_new. */
#ifndef REPLAY_DETAILED_BRANCH_BRANCH_UNIT_H
#define REPLAY_DETAILED_BRANCH_BRANCH_UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"

/* Class of a control micro-op; the first that fits. suffix, name in statistics */
#define BRANCH_CLASSES(C)                                                                                             \
    C(RETURN, "Return") C(CALL_DIRECT, "CallDirect") C(CALL_INDIRECT, "CallIndirect") C(DIRECT_COND, "DirectCond")    \
    C(DIRECT_UNCOND, "DirectUncond") C(INDIRECT_COND, "IndirectCond") C(INDIRECT_UNCOND, "IndirectUncond")

#define BRANCH_CLASS_ENUM(suffix, name) BRANCH_##suffix,
enum branch_class { BRANCH_CLASSES(BRANCH_CLASS_ENUM) BRANCH_CLASS_COUNT };

/* A control micro-op as fetch builds it. */
struct branch_query {
    uint64_t seq, pc;
    uint64_t fall_through;               /* pc + size */
    uint8_t class;                       /* enum branch_class */
    bool is_call, is_return, is_direct, is_conditional;
    /* The actual outcome, for the predictors perfect and trace; unknown on wrong paths. */
    bool is_known, is_taken;
    uint64_t next_pc;                    /* if is_known */
    uint64_t number;                     /* the same: of its instruction in the trace */
};

struct branch_answer {
    bool is_taken;
    bool is_in_btb;
    uint64_t next_pc;
    uint64_t late_cyc;                   /* fetch waits, since a later prediction overrode the first */
};

struct branch_params;
struct branch_unit;

/* most_in_flight: control micro-ops predicted, neither squashed nor trained yet. */
struct branch_unit *branch_unit_new(const struct branch_params *params, size_t most_in_flight, struct fault *fault);
void branch_unit_free(struct branch_unit *unit);

struct branch_answer branch_unit_predict(struct branch_unit *unit, const struct branch_query *query);
/* Undoes all younger than seq. */
void branch_unit_squash(struct branch_unit *unit, uint64_t seq);
/* The same, and seq itself went to `target`; is_taken as its core reports it. */
void branch_unit_correct(struct branch_unit *unit, uint64_t seq, uint64_t target, bool is_taken);
/* All up to seq have committed. */
void branch_unit_train(struct branch_unit *unit, uint64_t seq);

/* A branch that was executed before the run begins, with its known outcome: predicted; corrected if that was wrong,
 * once all before it have been trained; trained when `in_flight` follow it, as a core commits it later than it fetches
 * those. query->seq and query->class are not looked at. Before any other prediction; then branch_unit_warm_end, once.
 * in_flight: any number from 1 to 40 leaves the same within 1 %. */
enum { BRANCH_WARM_IN_FLIGHT = 16 };
void branch_unit_warm(struct branch_unit *unit, const struct branch_query *query, size_t in_flight);
void branch_unit_warm_end(struct branch_unit *unit);

/* Modules of the unit (include/rubato_policy.h): their statistics, below "system.<core>.branchPred"; the end of the
 * warm-up; the end of the run. */
struct stats;
void branch_unit_add_modules(const struct branch_unit *unit, const char *core, struct stats *stats);
void branch_unit_reset_modules(struct branch_unit *unit);
void branch_unit_end_modules(struct branch_unit *unit);

/* field, name below branchPred, help: branch-prediction 10. Unit: Count */
#define BRANCH_STATISTICS(S)                                                                                          \
    S(cond_predicted, "condPredicted", "conditional branches predicted, wrong paths included")                        \
    S(cond_predicted_taken, "condPredictedTaken", "of these, those that the direction predictor took for taken")      \
    S(cond_incorrect, "condIncorrect", "corrections of any class, by decode or commit")                               \
    S(btb_lookups, "BTBLookups", "look-ups in the BTB")                                                               \
    S(btb_hits, "BTBHits", "hits of the BTB")                                                                         \
    S(btb_updates, "BTBUpdates", "targets written into the BTB")                                                      \
    S(btb_mispredicted, "BTBMispredicted", "of these, those of branches that had missed")                             \
    S(pred_taken_btb_miss, "predTakenBTBMiss", "of these, those whose direction was taken")                           \
    S(not_taken_mispredicted, "NotTakenMispredicted", "corrections to taken")                                         \
    S(taken_mispredicted, "TakenMispredicted", "corrections to not taken")                                            \
    S(indirect_lookups, "indirectLookups", "look-ups in the indirect predictor")                                      \
    S(indirect_hits, "indirectHits", "hits of the indirect predictor")                                                \
    S(indirect_misses, "indirectMisses", "misses of the indirect predictor")                                          \
    S(ras_pushes, "ras.pushes", "pushes, those that undo a pop included")                                             \
    S(ras_pops, "ras.pops", "pops, those that undo a push included")                                                  \
    S(ras_squashes, "ras.squashes", "entries undone")                                                                 \
    S(ras_used, "ras.used", "committed branches whose target the stack gave")                                         \
    S(ras_correct, "ras.correct", "of these, those that went there")                                                  \
    S(ras_incorrect, "ras.incorrect", "of these, those that did not")

/* The same for each class: field, name below branchPred, help */
#define BRANCH_CLASS_STATISTICS(S)                                                                                    \
    S(lookups, "lookups_0", "predictions, wrong paths included")                                                      \
    S(squashes, "squashes_0", "predictions undone")                                                                   \
    S(corrected, "corrected_0", "predictions corrected, by decode or commit")                                         \
    S(committed, "committed_0", "branches committed")                                                                 \
    S(mispredicted, "mispredicted_0", "of these, those that were corrected")                                          \
    S(btb_class_misses, "btb.misses", "misses of the BTB")                                                            \
    S(btb_class_updates, "btb.updates", "targets written into the BTB")

/* The source of a target: suffix, name in statistics. Known: a predictor that reads the trace. */
#define BRANCH_PROVIDERS(P)                                                                                           \
    P(NO_TARGET, "NoTarget") P(BTB, "BTB") P(RAS, "RAS") P(INDIRECT, "Indirect") P(KNOWN, "Known")

#define BRANCH_PROVIDER_ENUM(suffix, name) BRANCH_BY_##suffix,
enum branch_provider { BRANCH_PROVIDERS(BRANCH_PROVIDER_ENUM) BRANCH_PROVIDER_COUNT };

/* The same for each provider */
#define BRANCH_PROVIDER_STATISTICS(S)                                                                                 \
    S(target_provider, "targetProvider_0", "predictions by who gave their target")                                    \
    S(target_wrong, "targetWrong_0", "corrections of their target by who had given it")

#define BRANCH_STATISTIC_FIELD(field, name, help) uint64_t field;
#define BRANCH_CLASS_FIELD(field, name, help) uint64_t field[BRANCH_CLASS_COUNT];
#define BRANCH_PROVIDER_FIELD(field, name, help) uint64_t field[BRANCH_PROVIDER_COUNT];
struct branch_stats {
    BRANCH_STATISTICS(BRANCH_STATISTIC_FIELD)
    BRANCH_CLASS_STATISTICS(BRANCH_CLASS_FIELD)
    BRANCH_PROVIDER_STATISTICS(BRANCH_PROVIDER_FIELD)
};

/* May be cleared at any time. */
struct branch_stats *branch_unit_stats(struct branch_unit *unit);

#endif
