// Targets by their pc.
#include "modules.h"

struct jumps : champsim::modules::btb {
    using btb::btb;
    std::map<champsim::address, champsim::address> targets;

    void initialize_btb() {}
    std::pair<champsim::address, bool> btb_prediction(champsim::address ip)
    {
        auto const found = targets.find(ip);

        return found == targets.end() ? std::pair{champsim::address{}, false} : std::pair{found->second, false};
    }
    void update_btb(champsim::address ip, champsim::address target, bool taken, std::uint8_t type)
    {
        assert(type <= BRANCH_OTHER);
        if (taken)
            targets[ip] = target;
    }
};
