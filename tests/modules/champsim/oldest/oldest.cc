// Least recently used, with the stamps that a policy of 2024 keeps itself.
#include "modules.h"

#include <algorithm>

#include "cache.h"

struct oldest : champsim::modules::replacement {
    long ways;
    std::uint64_t clock = 0;
    std::vector<std::uint64_t> used;

    explicit oldest(CACHE *cache) : replacement(cache), ways(cache->NUM_WAY), used(cache->NUM_SET * cache->NUM_WAY) {}

    long find_victim(std::uint32_t, std::uint64_t, long set, const champsim::cache_block *blocks, champsim::address,
                     champsim::address, access_type)
    {
        auto const begin = used.begin() + set * ways;

        assert(blocks[0].valid);
        return std::min_element(begin, begin + ways) - begin;
    }
    void update_replacement_state(std::uint32_t, long set, long way, champsim::address, champsim::address, champsim::address,
                                  access_type, std::uint8_t)
    {
        used[static_cast<std::size_t>(set * ways + way)] = ++clock;
    }
};
