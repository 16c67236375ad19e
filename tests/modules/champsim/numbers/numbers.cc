// The same prefetcher by numbers in place of addresses, all in one source.
#include "cache.h"
#include "modules.h"

class numbers : public champsim::modules::prefetcher {
public:
    using champsim::modules::prefetcher::prefetcher;

    void prefetcher_initialize() { assert(intern_->PQ_SIZE > 0); }
    std::uint32_t prefetcher_cache_operate(std::uint64_t addr, std::uint64_t, std::uint8_t cache_hit, bool, std::uint8_t type,
                                           std::uint32_t metadata_in)
    {
        assert(type <= TRANSLATION);
        if (!cache_hit)
            prefetch_line(((addr >> LOG2_BLOCK_SIZE) + 1) << LOG2_BLOCK_SIZE, true, 7);
        return metadata_in;
    }
    std::uint32_t prefetcher_cache_fill(std::uint64_t, long, long, bool, std::uint64_t, std::uint32_t metadata_in)
    {
        return metadata_in;
    }
    void prefetcher_final_stats() {}
};
