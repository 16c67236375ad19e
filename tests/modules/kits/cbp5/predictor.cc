#include "predictor.h"

PREDICTOR::PREDICTOR() {}

bool PREDICTOR::GetPrediction(UINT64 PC)
{
    asked = PC;
    return counters[(PC >> 2) % 1024] >= 2 ? TAKEN : NOT_TAKEN;
}

// The kit promises that the branch is the one that was asked for last.
void PREDICTOR::UpdatePredictor(UINT64 PC, OpType opType, bool resolveDir, bool predDir, UINT64 branchTarget)
{
    UINT32 &counter = counters[(PC >> 2) % 1024];

    assert(PC == asked && (opType == OPTYPE_JMP_DIRECT_COND || opType == OPTYPE_JMP_INDIRECT_COND));
    counter = resolveDir == TAKEN ? SatIncrement(counter, 3) : SatDecrement(counter);
}

void PREDICTOR::TrackOtherInst(UINT64 PC, OpType opType, bool branchDir, UINT64 branchTarget)
{
    assert(branchDir && opType >= OPTYPE_RET_UNCOND && opType <= OPTYPE_CALL_INDIRECT_UNCOND);
}
