// Least recently used, by the interface of 2026.
#include "modules.h"

#include <algorithm>

namespace {
struct oldest : champsim::modules::replacement {
    long ways;
    std::uint64_t clock = 0;
    std::vector<std::uint64_t> used;

    explicit oldest(champsim::modules::ModuleBuilder builder)
        : ways(builder.get_parent<champsim::modules::cache_module>()->NUM_WAY),
          used(builder.get_parent<champsim::modules::cache_module>()->NUM_SET * static_cast<std::size_t>(ways)) {}

    long find_victim(champsim::origin origin, std::uint64_t, long set, const champsim::cache_block *, champsim::address, champsim::address,
                     access_type) override
    {
        auto const begin = used.begin() + set * ways;

        assert(origin.cpu < 4);
        return std::min_element(begin, begin + ways) - begin;
    }
    void update_replacement_state(champsim::origin, long set, long way, champsim::address, champsim::address, champsim::address, access_type,
                                  bool hit) override
    {
        if (hit)
            used[static_cast<std::size_t>(set * ways + way)] = ++clock;
    }
    void replacement_cache_fill(champsim::origin, long set, long way, champsim::address, champsim::address, champsim::address,
                                access_type) override
    {
        used[static_cast<std::size_t>(set * ways + way)] = ++clock;
    }
};
}  // namespace

champsim::modules::replacement::register_module<oldest> oldest_register("oldest");
