// The prefetcher of champsim/lines by the interface of 2026, with a hook of evictions.
#include "modules.h"

namespace {
struct next_lines : public champsim::modules::prefetcher {
    champsim::modules::cache_module *cache;
    std::uint32_t mark;
    std::map<champsim::block_number, bool> present;
    std::uint64_t fills = 0, evictions = 0, unused = 0, broken = 0;

    explicit next_lines(champsim::modules::ModuleBuilder builder)
        : cache(builder.get_parent<champsim::modules::cache_module>()), mark(builder.get_parameter<std::uint32_t>("mark", true, 7)) {}

    std::uint32_t prefetcher_cache_operate(champsim::address addr, champsim::address, bool cache_hit, bool, access_type,
                                           std::uint32_t metadata_in) override
    {
        if (!cache_hit)
            cache->prefetch_line(champsim::address{champsim::block_number{addr} + 1}, true, mark);
        return metadata_in;
    }
    std::uint32_t prefetcher_cache_fill(champsim::address addr, long, long, bool, champsim::address, std::uint32_t metadata_in) override
    {
        fills++;
        present[champsim::block_number{addr}] = true;
        return metadata_in;
    }
    void prefetcher_cache_evict(champsim::address addr, bool unused_prefetch) override
    {
        evictions++;
        unused += unused_prefetch;
        broken += present.erase(champsim::block_number{addr}) != 1;
    }
    void prefetcher_final_stats() override
    {
        printf("%s fills %lu evictions %lu broken %lu\n", cache->NAME.c_str(), fills, evictions, broken);
    }
};
}  // namespace

champsim::modules::prefetcher::register_module<next_lines> next_lines_register("next_lines");
