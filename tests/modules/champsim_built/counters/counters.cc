// Counters of two bits by the pc, by the interface of 2026, as the built-in predictor `local` has them.
#include "modules.h"

namespace {
struct counters : public champsim::modules::branch_predictor {
    champsim::modules::core_module *core;
    std::vector<std::uint8_t> table;
    std::uint64_t line_bytes;
    bool is_begun = false;

    explicit counters(champsim::modules::ModuleBuilder builder)
        : core(builder.get_parent<champsim::modules::core_module>()), table(builder.get_parameter<std::size_t>("size", true, 1024)),
          line_bytes(builder.get_parameter<unsigned>("block_size")) {}

    std::uint8_t &counter_of(champsim::address ip) { return table[(ip.to<std::uint64_t>() >> 2) % table.size()]; }
    void initialize_branch_predictor() override { is_begun = core->cpu < 4 && line_bytes == 64; }
    bool predict_branch(champsim::address ip, champsim::address, bool, std::uint8_t type) override
    {
        assert(is_begun && type <= BRANCH_OTHER);
        return counter_of(ip) >= 2;
    }
    void last_branch_result(champsim::address ip, champsim::address, bool taken, std::uint8_t) override
    {
        std::uint8_t &counter = counter_of(ip);

        counter = static_cast<std::uint8_t>(taken ? counter + (counter < 3) : counter - (counter > 0));
    }
};
}  // namespace

champsim::modules::branch_predictor::register_module<counters> counters_register("counters");
