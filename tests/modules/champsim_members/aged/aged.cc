// Least recently used, by the field of lines that policies of 2021 have for it.
#include "cache.h"
#include "util.h"

void CACHE::initialize_replacement() {}

uint32_t CACHE::find_victim(uint32_t triggering_cpu, uint64_t instr_id, uint32_t set, const BLOCK *current_set, uint64_t ip,
                            uint64_t full_addr, uint32_t type)
{
    assert(current_set[0].valid && set < NUM_SET && current_set == &block[set * NUM_WAY]);
    return static_cast<uint32_t>(std::distance(current_set, std::max_element(current_set, current_set + NUM_WAY, lru_comparator<BLOCK, BLOCK>())));
}

void CACHE::update_replacement_state(uint32_t triggering_cpu, uint32_t set, uint32_t way, uint64_t full_addr, uint64_t ip,
                                     uint64_t victim_addr, uint32_t type, uint8_t hit)
{
    auto const begin = std::next(block.begin(), set * NUM_WAY);
    uint32_t const own = begin[way].lru;

    std::for_each(begin, begin + NUM_WAY, [own](BLOCK &line) { line.lru += line.lru <= own; });
    begin[way].lru = 0;
}

void CACHE::replacement_final_stats() { printf("%s aged\n", NAME.c_str()); }
