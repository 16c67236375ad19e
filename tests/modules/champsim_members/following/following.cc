// The prefetcher of champsim/lines by the hooks of 2021; what it counts is shared by the caches of a system, as there.
#include "cache.h"

#ifndef MOST
#define MOST 0xffffffff
#endif

namespace {
unsigned misses[NUM_CPUS];
std::map<CACHE *, unsigned> fills;
bool stays_in_page, goes_below;          // by variables of the environment
}  // namespace

void CACHE::prefetcher_initialize()
{
    fills[this] = 0;
    stays_in_page = getenv("IN_PAGE");
    goes_below = getenv("BELOW");
}

uint32_t CACHE::prefetcher_cache_operate(uint64_t addr, uint64_t ip, uint8_t cache_hit, uint8_t type, uint32_t metadata_in)
{
    assert(type != WRITEBACK && cpu < NUM_CPUS);
    uint64_t const next = ((addr >> LOG2_BLOCK_SIZE) + 1) << LOG2_BLOCK_SIZE;

    if (!cache_hit && misses[cpu]++ < MOST && (!stays_in_page || next / PAGE_SIZE == addr / PAGE_SIZE))
        prefetch_line(ip, addr, next, !goes_below, 7);
    return metadata_in;
}

uint32_t CACHE::prefetcher_cache_fill(uint64_t, uint32_t set, uint32_t way, uint8_t, uint64_t, uint32_t metadata_in)
{
    assert(set < NUM_SET && way < NUM_WAY);
    fills[this]++;
    return metadata_in;
}

void CACHE::prefetcher_final_stats()
{
    printf("%s of %zu: misses %u fills %u\n", NAME.c_str(), fills.size(), misses[0], fills[this]);
}
