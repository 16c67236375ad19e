// gshare with a speculative history of 12 directions, a branch target buffer and a predictor of indirect jumps. The
// state of a branch is the history before it.
#include <rubato_policy.h>

#include <cstdlib>
#include <new>
#include <unordered_map>

namespace {

struct gshare {
    uint32_t history = 0;
    uint8_t counters[4096] = {};
    std::unordered_map<uint64_t, uint64_t> targets;
};
struct before { uint32_t history; };

gshare &self_of(void *self) { return *static_cast<gshare *>(self); }
before &state_of(void *state) { return *static_cast<before *>(state); }

void *create(const rubato_host *, const rubato_place *, const rubato_value *, uint64_t *)
{
    return new (std::nothrow) gshare;
}
void destroy(void *self) { delete static_cast<gshare *>(self); }

uint8_t &counter(gshare &self, const before &state, const rubato_branch &branch)
{
    return self.counters[(branch.pc >> 1 ^ state.history) & 4095];
}
bool predict(void *self, void *state, const rubato_branch *branch)
{
    state_of(state).history = self_of(self).history;
    return counter(self_of(self), state_of(state), *branch) >= 2;
}
void shift(void *self, void *state, const rubato_branch *branch)
{
    self_of(self).history = (state_of(state).history << 1 | branch->is_taken) & 4095;
}
void undo(void *self, void *state, const rubato_branch *) { self_of(self).history = state_of(state).history; }
void train(void *self, void *state, const rubato_branch *branch)
{
    uint8_t &value = counter(self_of(self), state_of(state), *branch);

    if (branch->is_conditional)
        value = static_cast<uint8_t>(branch->is_taken ? value + (value < 3) : value - (value > 0));
}

bool find(void *self, const rubato_branch *branch, uint64_t *target)
{
    auto const found = self_of(self).targets.find(branch->pc);

    if (found == self_of(self).targets.end())
        return false;
    *target = found->second;
    return true;
}
bool predict_target(void *self, const rubato_branch *branch, uint64_t *target, bool *)
{
    return find(self, branch, target);
}
void learn(void *self, const rubato_branch *branch)
{
    if (branch->is_taken)
        self_of(self).targets[branch->pc] = branch->target;
}

const rubato_direction direction = {sizeof(before), predict, shift, undo, shift, train};
const rubato_btb btb = {predict_target, learn, nullptr};
const rubato_indirect indirect = {find, learn};

}  // namespace

RUBATO_EXPORT const rubato_module rubato_module = {
    RUBATO_POLICY_VERSION, sizeof(struct rubato_module), 0, "gshare", "gshare with all targets", nullptr, 0, nullptr, 0,
    create, destroy, nullptr, nullptr, nullptr, nullptr, &direction, &btb, &indirect};
