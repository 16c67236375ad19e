// A prefetcher of the next line, by the types of 2024.
#include "champsim.h"
#include "modules.h"

struct lines : public champsim::modules::prefetcher {
    using champsim::modules::prefetcher::prefetcher;
    std::uint64_t fills = 0;

    std::uint32_t prefetcher_cache_operate(champsim::address addr, champsim::address ip, bool cache_hit,
                                           bool useful_prefetch, access_type type, std::uint32_t metadata_in);
    std::uint32_t prefetcher_cache_fill(champsim::address addr, long set, long way, bool prefetch,
                                        champsim::address evicted_addr, std::uint32_t metadata_in);
};
