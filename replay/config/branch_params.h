/* Parameters of the branch prediction unit as data: keys of the section cpu.branchPred, with gem5's names and defaults
 * (branch-prediction 2). Lines as in memsys/sim/params.h. */
#ifndef REPLAY_CONFIG_BRANCH_PARAMS_H
#define REPLAY_CONFIG_BRANCH_PARAMS_H

#include "memsys/sim/params.h"

/* One line a direction predictor: B(kind, name). `name` is what users write; replay/branch/ defines its functions. */
#define BRANCH_PREDICTORS(B)                                                                                          \
    B(BRANCH_TOURNAMENT, tournament)                                                                                  \
    B(BRANCH_BIMODE, bimode)                                                                                          \
    B(BRANCH_LOCAL, local)                                                                                            \
    B(BRANCH_GSHARE, gshare)                                                                                          \
    B(BRANCH_TAGE_SC_L, tage_sc_l)                                                                                    \
    B(BRANCH_PERCEPTRON, perceptron)                                                                                  \
    B(BRANCH_PERFECT, perfect)                                                                                        \
    B(BRANCH_TRACE, trace)
PARAM_ENUM(branch_predictor, BRANCH_PREDICTORS);

#define BRANCH_PARAMETERS(P)                                                                                          \
    P(type, type, BRANCH_PREDICTOR, BRANCH_TOURNAMENT, 0, BRANCH_TRACE, "direction predictor")                        \
    P(btb_entries, BTBEntries, COUNT, 4096, 1, 1 << 22, "branch target buffer, a power of two")                       \
    P(btb_tag_bits, BTBTagSize, COUNT, 16, 1, 48, "bits of its tags")                                                 \
    P(ras_entries, RASSize, COUNT, 16, 1, 4096, "return address stack")                                               \
    P(indirect_sets, indirectSets, COUNT, 256, 1, 1 << 20, "sets of the indirect predictor, a power of two")          \
    P(indirect_ways, indirectWays, COUNT, 2, 1, 64, "ways of the indirect predictor")                                 \
    P(inst_shift, instShiftAmt, COUNT, 2, 0, 4, "bits of a pc that no index uses")

struct branch_params { BRANCH_PARAMETERS(PARAM_FIELD) };

#endif
