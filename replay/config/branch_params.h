/* Parameters of the branch prediction unit as data: keys of the section cpu.branchPred, with gem5's names and defaults
 * (branch-prediction 2). Lines as in memsys/sim/param.h. */
#ifndef REPLAY_CONFIG_BRANCH_PARAMS_H
#define REPLAY_CONFIG_BRANCH_PARAMS_H

#include "base/fault.h"
#include "memsys/sim/module_use.h"
#include "memsys/sim/param.h"

/* One line a direction predictor: B(kind, name). `name` is what users write; replay/detailed/branch/ defines its
 * functions as direction_<name>. The other parts likewise: btb_<name>, ras_<name>, indirect_<name>. */
#define BRANCH_PREDICTORS(B)                                                                                          \
    B(BRANCH_TOURNAMENT, tournament)                                                                                  \
    B(BRANCH_BIMODE, bimode)                                                                                          \
    B(BRANCH_LOCAL, local)                                                                                            \
    B(BRANCH_GSHARE, gshare)                                                                                          \
    B(BRANCH_TAGE, tage)                                                                                              \
    B(BRANCH_TAGE_SC_L, tage_sc_l)                                                                                    \
    B(BRANCH_PERCEPTRON, perceptron)                                                                                  \
    B(BRANCH_PERFECT, perfect)                                                                                        \
    B(BRANCH_TRACE, trace)
PARAM_ENUM(branch_predictor, BRANCH_PREDICTORS);

#define BRANCH_BTBS(B)                                                                                                \
    B(BTB_DIRECT_MAPPED, direct_mapped)                                                                               \
    B(BTB_SET_ASSOCIATIVE, set_associative)                                                                           \
    B(BTB_NONE, none)
PARAM_ENUM(branch_btb, BRANCH_BTBS);

#define BRANCH_STACKS(B)                                                                                              \
    B(RAS_STACK, stack)                                                                                               \
    B(RAS_NONE, none)
PARAM_ENUM(branch_stack, BRANCH_STACKS);

#define BRANCH_INDIRECTS(B)                                                                                           \
    B(INDIRECT_PATH, path)                                                                                            \
    B(INDIRECT_PERFECT, perfect)                                                                                      \
    B(INDIRECT_NONE, none)
PARAM_ENUM(branch_indirect, BRANCH_INDIRECTS);

/* Files that the user named. */
enum { BRANCH_MODULE = BRANCH_TRACE + 1, BTB_MODULE = BTB_NONE + 1, INDIRECT_MODULE = INDIRECT_NONE + 1 };

/* When predictors learn: at commit, as the reference's; or at fetch, each branch of the right path once, with its known
 * outcome, as ChampSim's: then mispredictions depend on the trace alone, not on time. */
#define BRANCH_TRAININGS(B) B(TRAIN_COMMIT, commit) B(TRAIN_TRACE_ORDER, trace_order)
PARAM_ENUM(branch_training, BRANCH_TRAININGS);

/* Sizes that index by bits of a pc or a history are powers of two: branch_params_check. */
#define BRANCH_PARAMETERS(P)                                                                                          \
    P(type, type, BRANCH_PREDICTOR, BRANCH_TOURNAMENT, 0, BRANCH_MODULE, "direction predictor, or a module's file")    \
    P(training, train, BRANCH_TRAINING, TRAIN_COMMIT, 0, TRAIN_TRACE_ORDER, "predictors learn at commit; trace_order: "\
      "at fetch, each branch once with its known outcome; needs wrongPath: no")                                       \
    P(inst_shift, instShiftAmt, COUNT, 2, 0, 4, "bits of a pc that no index uses")                                    \
    P(btb, BTB, BRANCH_BTB, BTB_DIRECT_MAPPED, 0, BTB_MODULE, "branch target buffer, or a module's file")            \
    P(btb_entries, BTBEntries, COUNT, 4096, 1, 1 << 22, "entries of the BTB, a power of two")                         \
    P(btb_tag_bits, BTBTagSize, COUNT, 16, 1, 48, "bits of its tags")                                                 \
    P(btb_ways, BTBWays, COUNT, 4, 1, 64, "set_associative: ways of the BTB, a power of two")                         \
    P(ras, RAS, BRANCH_STACK, RAS_STACK, 0, RAS_NONE, "return address stack")                                         \
    P(ras_entries, RASSize, COUNT, 16, 1, 4096, "its slots")                                                          \
    P(indirect, indirectBranchPred, BRANCH_INDIRECT, INDIRECT_PATH, 0, INDIRECT_MODULE, "predictor of indirect "      \
      "jumps, or a module's file")                                                                                    \
    P(indirect_sets, indirectSets, COUNT, 256, 1, 1 << 20, "its sets, a power of two")                                \
    P(indirect_ways, indirectWays, COUNT, 2, 1, 64, "ways of a set")                                                  \
    P(indirect_tag_bits, indirectTagSize, COUNT, 16, 1, 32, "bits of its tags")                                       \
    P(indirect_path, indirectPathLength, COUNT, 3, 0, 64, "targets of earlier indirect jumps in its index")           \
    P(indirect_spare, speculativePathLength, COUNT, 256, 0, 65536, "further targets kept for squashes")               \
    P(indirect_history_bits, indirectGHRBits, COUNT, 13, 1, 31, "directions in its index")                            \
    P(local_counters, localPredictorSize, COUNT, 2048, 2, 1 << 24, "tournament: local counters, a power of two; "     \
      "local: bits of its counters together")                                                                         \
    P(local_bits, localCtrBits, COUNT, 2, 1, 8, "tournament, local: bits of a local counter")                         \
    P(local_histories, localHistoryTableSize, COUNT, 2048, 1, 1 << 24, "tournament: local histories, a power of two") \
    P(global_counters, globalPredictorSize, COUNT, 8192, 2, 1 << 24, "tournament, bimode: global counters, a power "  \
      "of two")                                                                                                       \
    P(global_bits, globalCtrBits, COUNT, 2, 1, 8, "tournament, bimode: bits of a global counter")                     \
    P(choice_counters, choicePredictorSize, COUNT, 8192, 2, 1 << 24, "tournament, bimode: choice counters, a power "  \
      "of two")                                                                                                       \
    P(choice_bits, choiceCtrBits, COUNT, 2, 1, 8, "tournament, bimode: bits of a choice counter")                     \
    P(gshare_counters, gsharePredictorSize, COUNT, 8192, 2, 1 << 24, "gshare: counters, a power of two")              \
    P(gshare_bits, gshareCtrBits, COUNT, 2, 1, 8, "gshare: bits of a counter")                                        \
    P(gshare_history_bits, gshareHistoryBits, COUNT, 13, 1, 24, "gshare: directions in the index, at most those of "  \
      "its size")                                                                                                     \
    P(speculative_history, speculativeHistory, BOOL, 1, 0, 1, "tage, tage_sc_l, perceptron: histories are updated at " \
      "fetch; no: at commit, as the reference's")                                                                     \
    P(tage_shortest, minHist, COUNT, 6, 1, 1000, "tage, tage_sc_l: shortest history, in directions")                  \
    P(tage_longest, maxHist, COUNT, 3000, 2, 4000, "the same: longest; those between are geometric")                  \
    P(tage_bank_bits, logTagTableSize, COUNT, 10, 4, 15, "the same: each of 30 banks of tagged entries has 2 to the " \
      "power of this")                                                                                                \
    P(tage_bimodal_bits, logBimodalSize, COUNT, 13, 4, 20, "the same: bimodal counters, likewise")                    \
    P(first_history, overrideHistory, COUNT, 0, 0, 4000, "tage: tables of histories up to this predict at once, "     \
      "those of longer ones overrideDelay later; 0: all at once")                                                     \
    P(override_cyc, overrideDelay, CYCLES, 0, 0, 64, "tage: cycles without fetch where the later prediction differs") \
    P(perceptron_bits, budgetbits, COUNT, 526336, 131072, 8388608, "perceptron: bits of all its tables, filter and " \
      "local histories")                                                                                              \
    P(mispredict_rate, mispredictRate, COUNT, 5000, 0, 100000, "trace: conditional branches mispredicted of each "    \
      "100000")

struct branch_params {
    BRANCH_PARAMETERS(PARAM_FIELD)
    struct module_use modules[3];        /* of type, BTB, indirectBranchPred */
    struct module_where where;           /* set by each core for its own unit */
};

/* The reference's unit. */
void branch_params_defaults(struct branch_params *params);
/* Fails with the key that does not fit and values that do. */
struct fault branch_params_check(const struct branch_params *params);

#endif
