// All hooks of an L1I that are members of O3_CPU: the next line of each miss.
#include "cache.h"
#include "ooo_cpu.h"

static uint64_t accesses, fills, cycles, branches, useful, taken;

void O3_CPU::prefetcher_initialize() { assert(static_cast<CACHE *>(L1I_bus.lower_level)->NUM_SET > 0); }

void O3_CPU::prefetcher_branch_operate(uint64_t ip, uint8_t branch_type, uint64_t branch_target)
{
    assert(branch_type > NOT_BRANCH && branch_type <= BRANCH_OTHER);
    branches++;
}

uint32_t O3_CPU::prefetcher_cache_operate(uint64_t v_addr, uint8_t cache_hit, uint8_t prefetch_hit, uint32_t metadata_in)
{
    accesses++;
    useful += prefetch_hit;
    if (!cache_hit)
        taken += prefetch_code_line(v_addr + BLOCK_SIZE);
    return metadata_in;
}

void O3_CPU::prefetcher_cycle_operate() { cycles++; }

uint32_t O3_CPU::prefetcher_cache_fill(uint64_t v_addr, uint32_t set, uint32_t way, uint8_t prefetch, uint64_t evicted_v_addr,
                                       uint32_t metadata_in)
{
    fills++;
    return metadata_in;
}

void O3_CPU::prefetcher_squash(uint64_t ip, uint64_t instr_id) {}

void O3_CPU::prefetcher_final_stats()
{
    printf("L1I accesses %lu fills %lu cycles %lu branches %lu useful %lu taken %lu\n", accesses, fills, cycles, branches, useful, taken);
}
