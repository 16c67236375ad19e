#include "lines.h"

#include "cache.h"

std::uint32_t lines::prefetcher_cache_operate(champsim::address addr, champsim::address, bool cache_hit, bool, access_type type,
                                              std::uint32_t metadata_in)
{
    champsim::block_number const line{addr};

    assert(type != access_type::WRITE && intern_->NUM_WAY > 0);
    if (!cache_hit)
        prefetch_line(champsim::address{line + 1}, true, 7);
    return metadata_in;
}

std::uint32_t lines::prefetcher_cache_fill(champsim::address, long set, long way, bool, champsim::address,
                                           std::uint32_t metadata_in)
{
    assert(set >= 0 && way >= 0 && set < static_cast<long>(intern_->NUM_SET));
    fills++;
    return metadata_in;
}
