// Counters of two bits and a table of targets, both in one module, for each core its own.
#include "ooo_cpu.h"

namespace {
std::map<O3_CPU *, std::array<uint8_t, 1024>> counters;
std::map<uint64_t, uint64_t> targets[NUM_CPUS];
}  // namespace

void O3_CPU::initialize_branch_predictor() { counters[this].fill(0); }

uint8_t O3_CPU::predict_branch(uint64_t ip, uint64_t predicted_target, uint8_t always_taken, uint8_t branch_type)
{
    assert(branch_type != NOT_BRANCH);
    return counters[this][(ip >> 2) % 1024] >= 2;
}

void O3_CPU::last_branch_result(uint64_t ip, uint64_t branch_target, uint8_t taken, uint8_t branch_type)
{
    uint8_t &counter = counters[this][(ip >> 2) % 1024];

    counter = static_cast<uint8_t>(taken ? counter + (counter < 3) : counter - (counter > 0));
}

void O3_CPU::initialize_btb() { targets[cpu].clear(); }

std::pair<uint64_t, uint8_t> O3_CPU::btb_prediction(uint64_t ip)
{
    auto const found = targets[cpu].find(ip);

    return {found == targets[cpu].end() ? 0 : found->second, false};
}

void O3_CPU::update_btb(uint64_t ip, uint64_t branch_target, uint8_t taken, uint8_t branch_type)
{
    if (taken)
        targets[cpu][ip] = branch_target;
}
