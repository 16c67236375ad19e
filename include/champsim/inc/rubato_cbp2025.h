// From the functions of CBP-2025's kit to a module: get_cond_dir_prediction when a conditional branch is predicted;
// when it is trained, spec_update, then decode, execution and commit, all of the branch alone.
//
// There the history moves behind each prediction with the outcome, on the right path alone. With
// cpu.branchPred.train=trace_order it is so here. Without, other branches come between: the predictor is asked again
// before its update, and its second answer does not count.
#ifndef RUBATO_CBP2025_H
#define RUBATO_CBP2025_H

#include "cbp.h"

#include <rubato_private.h>

namespace rubato_cbp2025 {

struct predictor {
    uint64_t cycle = 0, asked = 0;       // cycle: of calls, since a module of branches knows no other
    bool is_asked = false;
};

struct prediction {
    uint64_t is_taken;
};

inline InstClass class_of(uint8_t kind)
{
    static const InstClass classes[] = {
        InstClass::ReturnInstClass, InstClass::callDirectInstClass, InstClass::callIndirectInstClass,
        InstClass::condBranchInstClass, InstClass::uncondDirectBranchInstClass, InstClass::condBranchInstClass,
        InstClass::uncondIndirectBranchInstClass};
    return classes[kind];
}

inline void *create(const rubato_host *, const rubato_place *, const rubato_value *, uint64_t *)
{
    beginCondDirPredictor();
    return new predictor;
}

inline void destroy(void *self) { delete static_cast<predictor *>(self); }

inline void run_end(void *) { endCondDirPredictor(); }

inline bool ask(predictor &p, const rubato_branch &b)
{
    p.cycle++;
    p.is_asked = true;
    p.asked = b.sequence;
    notify_instr_fetch(b.sequence, 0, b.pc, p.cycle);
    return !b.is_conditional || get_cond_dir_prediction(b.sequence, 0, b.pc, p.cycle);
}

inline bool predict(void *self, void *state, const rubato_branch *b)
{
    bool const is_taken = ask(*static_cast<predictor *>(self), *b);

    static_cast<prediction *>(state)->is_taken = is_taken;
    return is_taken;
}

inline void train(void *self, void *state, const rubato_branch *b)
{
    predictor &p = *static_cast<predictor *>(self);
    bool const predicted = static_cast<prediction *>(state)->is_taken != 0;
    InstClass const kind = class_of(b->kind);
    ExecuteInfo executed;

    if (!p.is_asked || p.asked != b->sequence)
        ask(p, *b);
    executed.dec_info.insn_class = kind;
    executed.taken = b->is_taken;
    executed.next_pc = b->target;
    spec_update(b->sequence, 0, b->pc, kind, b->is_taken, predicted, b->target);
    notify_instr_decode(b->sequence, 0, b->pc, executed.dec_info, p.cycle);
    notify_instr_execute_resolve(b->sequence, 0, b->pc, predicted, executed, p.cycle);
    notify_instr_commit(b->sequence, 0, b->pc, predicted, executed, p.cycle);
    p.is_asked = false;
}

constexpr rubato_direction direction = {sizeof(prediction), predict, nullptr, nullptr, nullptr, train};

}  // namespace rubato_cbp2025

RUBATO_PRIVATE_MODULE(RUBATO_POLICY_VERSION, sizeof(struct rubato_module), 0, RUBATO_CHAMPSIM_NAME,
                      "a predictor for CBP-2025's kit", nullptr, 0, nullptr, 0, rubato_cbp2025::create,
                      rubato_cbp2025::destroy, nullptr, rubato_cbp2025::run_end, nullptr, nullptr,
                      &rubato_cbp2025::direction, nullptr, nullptr, 1, nullptr)

#endif
