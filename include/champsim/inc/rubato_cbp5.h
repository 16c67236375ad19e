// From the class PREDICTOR of CBP-5's kit (or CBP-4's, with numbers of 32 bits) to a module.
//
// There a prediction is followed by its update at once, and predictors keep what they looked up in between. With
// cpu.branchPred.train=trace_order it is so here. Without, other branches come between: the predictor is asked again
// before its update, and its second answer does not count.
#ifndef RUBATO_CBP5_H
#define RUBATO_CBP5_H

#include <type_traits>
#include <utility>

#include "utils.h"

#include <rubato_private.h>

namespace rubato_cbp5 {

struct predictor {
    PREDICTOR own;
    bool is_asked = false;               // its last call was a prediction, of the branch with this number
    uint64_t asked = 0;
};

struct prediction {
    uint64_t is_taken;
};

inline OpType type_of(uint8_t kind)
{
    static const OpType types[] = {OPTYPE_RET_UNCOND, OPTYPE_CALL_DIRECT_UNCOND, OPTYPE_CALL_INDIRECT_UNCOND,
                                   OPTYPE_JMP_DIRECT_COND, OPTYPE_JMP_DIRECT_UNCOND, OPTYPE_JMP_INDIRECT_COND,
                                   OPTYPE_JMP_INDIRECT_UNCOND};
    return types[kind];
}

// The forms of both kits; the first one that the class has.
template <typename P>
auto update(P &own, const rubato_branch &b, bool predicted, int)
    -> decltype(own.UpdatePredictor(b.pc, OPTYPE_OP, true, true, b.target))
{
    own.UpdatePredictor(b.pc, type_of(b.kind), b.is_taken, predicted, b.target);
}
template <typename P>
auto update(P &own, const rubato_branch &b, bool predicted, long)
    -> decltype(own.UpdatePredictor(static_cast<UINT32>(b.pc), true, true, static_cast<UINT32>(b.target)))
{
    own.UpdatePredictor(static_cast<UINT32>(b.pc), b.is_taken, predicted, static_cast<UINT32>(b.target));
}
template <typename P>
auto track(P &own, const rubato_branch &b, int) -> decltype(own.TrackOtherInst(b.pc, OPTYPE_OP, true, b.target))
{
    own.TrackOtherInst(b.pc, type_of(b.kind), b.is_taken, b.target);
}
template <typename P>
auto track(P &own, const rubato_branch &b, long)
    -> decltype(own.TrackOtherInst(static_cast<UINT32>(b.pc), OPTYPE_OP, static_cast<UINT32>(b.target)))
{
    own.TrackOtherInst(static_cast<UINT32>(b.pc), type_of(b.kind), static_cast<UINT32>(b.target));
}

inline void *create(const rubato_host *, const rubato_place *, const rubato_value *, uint64_t *)
{
    return new predictor;
}

inline void destroy(void *self) { delete static_cast<predictor *>(self); }

inline bool predict(void *self, void *state, const rubato_branch *b)
{
    predictor &p = *static_cast<predictor *>(self);
    auto *const made = static_cast<prediction *>(state);

    if (!b->is_conditional)
        return true;
    made->is_taken = p.own.GetPrediction(b->pc);
    p.is_asked = true;
    p.asked = b->sequence;
    return made->is_taken != 0;
}

inline void train(void *self, void *state, const rubato_branch *b)
{
    predictor &p = *static_cast<predictor *>(self);

    if (b->is_conditional) {
        if (!p.is_asked || p.asked != b->sequence)
            p.own.GetPrediction(b->pc);
        update(p.own, *b, static_cast<prediction *>(state)->is_taken != 0, 0);
    } else {
        track(p.own, *b, 0);
    }
    p.is_asked = false;
}

constexpr rubato_direction direction = {sizeof(prediction), predict, nullptr, nullptr, nullptr, train};

}  // namespace rubato_cbp5

RUBATO_PRIVATE_MODULE(RUBATO_POLICY_VERSION, sizeof(struct rubato_module), 0, RUBATO_CHAMPSIM_NAME,
                      "a predictor for CBP-5's kit", nullptr, 0, nullptr, 0, rubato_cbp5::create, rubato_cbp5::destroy,
                      nullptr, nullptr, nullptr, nullptr, &rubato_cbp5::direction, nullptr, nullptr, 0, nullptr)

#endif
