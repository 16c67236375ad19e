// Hooks of rubato_champsim_members.h that a module leaves out, weakly: the module's own definition counts. A form that
// is not there passes on to the next older one. For rubato_champsim_hooks.h, which has the rest.
#ifndef RUBATO_CHAMPSIM_MEMBERS_HOOKS_H
#define RUBATO_CHAMPSIM_MEMBERS_HOOKS_H

#include "rubato_champsim_members.h"

#define RUBATO_LEFT_OUT __attribute__((weak))

RUBATO_LEFT_OUT void CACHE::prefetcher_initialize() {}
RUBATO_LEFT_OUT std::uint32_t CACHE::prefetcher_cache_operate(std::uint64_t, std::uint64_t, std::uint8_t, std::uint8_t,
                                                              std::uint32_t metadata_in)
{
    return metadata_in;
}
RUBATO_LEFT_OUT std::uint32_t CACHE::prefetcher_cache_operate(std::uint64_t addr, std::uint64_t ip,
                                                              std::uint8_t cache_hit, bool, std::uint8_t type,
                                                              std::uint32_t metadata_in)
{
    return prefetcher_cache_operate(addr, ip, cache_hit, type, metadata_in);
}
RUBATO_LEFT_OUT std::uint32_t CACHE::prefetcher_cache_fill(std::uint64_t, std::uint32_t, std::uint32_t, std::uint8_t,
                                                           std::uint64_t, std::uint32_t metadata_in)
{
    return metadata_in;
}
RUBATO_LEFT_OUT void CACHE::prefetcher_cycle_operate() {}
RUBATO_LEFT_OUT void CACHE::prefetcher_branch_operate(std::uint64_t, std::uint8_t, std::uint64_t) {}
RUBATO_LEFT_OUT void CACHE::prefetcher_final_stats() {}
RUBATO_LEFT_OUT void CACHE::initialize_replacement() {}
RUBATO_LEFT_OUT std::uint32_t CACHE::find_victim(std::uint32_t, std::uint64_t, std::uint32_t, const BLOCK *,
                                                 std::uint64_t, std::uint64_t, std::uint32_t)
{
    return 0;
}
RUBATO_LEFT_OUT void CACHE::update_replacement_state(std::uint32_t, std::uint32_t, std::uint32_t, std::uint64_t,
                                                     std::uint64_t, std::uint64_t, std::uint32_t, std::uint8_t) {}
RUBATO_LEFT_OUT void CACHE::replacement_final_stats() {}

RUBATO_LEFT_OUT void O3_CPU::prefetcher_initialize() {}
RUBATO_LEFT_OUT void O3_CPU::prefetcher_branch_operate(std::uint64_t, std::uint8_t, std::uint64_t) {}
RUBATO_LEFT_OUT std::uint32_t O3_CPU::prefetcher_cache_operate(std::uint64_t, std::uint8_t, std::uint8_t,
                                                               std::uint32_t metadata_in)
{
    return metadata_in;
}
RUBATO_LEFT_OUT void O3_CPU::prefetcher_cycle_operate() {}
RUBATO_LEFT_OUT std::uint32_t O3_CPU::prefetcher_cache_fill(std::uint64_t, std::uint32_t, std::uint32_t, std::uint8_t,
                                                            std::uint64_t, std::uint32_t metadata_in)
{
    return metadata_in;
}
RUBATO_LEFT_OUT void O3_CPU::prefetcher_squash(std::uint64_t, std::uint64_t) {}
RUBATO_LEFT_OUT void O3_CPU::prefetcher_final_stats() {}

RUBATO_LEFT_OUT void O3_CPU::initialize_branch_predictor() {}
RUBATO_LEFT_OUT std::uint8_t O3_CPU::predict_branch(std::uint64_t) { return 1; }
RUBATO_LEFT_OUT std::uint8_t O3_CPU::predict_branch(std::uint64_t ip, std::uint64_t, std::uint8_t, std::uint8_t)
{
    return predict_branch(ip);
}
RUBATO_LEFT_OUT void O3_CPU::last_branch_result(std::uint64_t, std::uint64_t, std::uint8_t, std::uint8_t) {}
RUBATO_LEFT_OUT void O3_CPU::initialize_btb() {}
RUBATO_LEFT_OUT std::pair<std::uint64_t, std::uint8_t> O3_CPU::btb_prediction(std::uint64_t) { return {0, 0}; }
RUBATO_LEFT_OUT std::pair<std::uint64_t, std::uint8_t> O3_CPU::btb_prediction(std::uint64_t ip, std::uint8_t)
{
    return btb_prediction(ip);
}
RUBATO_LEFT_OUT void O3_CPU::update_btb(std::uint64_t, std::uint64_t, std::uint8_t, std::uint8_t) {}

#endif
