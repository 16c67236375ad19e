// Counters of two bits by the pc, as the built-in predictor `local` has them.
#include "modules.h"

struct counters : champsim::modules::branch_predictor {
    using branch_predictor::branch_predictor;
    std::array<std::uint8_t, 1024> table{};

    bool predict_branch(champsim::address ip) { return table[(ip.to<std::uint64_t>() >> 2) % table.size()] >= 2; }
    void last_branch_result(champsim::address ip, champsim::address, bool taken, std::uint8_t)
    {
        std::uint8_t &counter = table[(ip.to<std::uint64_t>() >> 2) % table.size()];

        counter = static_cast<std::uint8_t>(taken ? counter + (counter < 3) : counter - (counter > 0));
    }
};
