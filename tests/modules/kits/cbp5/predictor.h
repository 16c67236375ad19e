// Counters of two bits, by the class of CBP-5's kit.
#ifndef PREDICTOR_H
#define PREDICTOR_H

#include "bt9.h"
#include "bt9_reader.h"
#include "utils.h"

class PREDICTOR {
    UINT32 counters[1024] = {};
    UINT64 asked = 0;

public:
    PREDICTOR();
    bool GetPrediction(UINT64 PC);
    void UpdatePredictor(UINT64 PC, OpType opType, bool resolveDir, bool predDir, UINT64 branchTarget);
    void TrackOtherInst(UINT64 PC, OpType opType, bool branchDir, UINT64 branchTarget);
};

#endif
