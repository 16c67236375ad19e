// Targets by their pc, by the interface of 2026.
#include "modules.h"

namespace {
struct jumps : public champsim::modules::btb {
    std::map<champsim::address, champsim::address> targets;
    bool is_begun = false;

    explicit jumps(champsim::modules::ModuleBuilder) {}

    void initialize_btb() override { is_begun = true; }
    std::pair<champsim::address, bool> btb_prediction(champsim::address ip, std::uint8_t) override
    {
        auto const found = targets.find(ip);

        assert(is_begun);
        return found == targets.end() ? std::pair{champsim::address{}, false} : std::pair{found->second, false};
    }
    void update_btb(champsim::address ip, champsim::address target, bool taken, std::uint8_t) override
    {
        if (taken)
            targets[ip] = target;
    }
};
}  // namespace

champsim::modules::btb::register_module<jumps> jumps_register("jumps");
