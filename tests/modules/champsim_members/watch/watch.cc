// All hooks of a cache, with the rules that must hold: the fill of a prefetch follows its request, an evicted line was
// filled before, metadata come back, a full queue refuses. The end prints what was seen.
#include "cache.h"
#include "champsim.h"
#include "util.h"

#include <unordered_set>

namespace {
struct seen {
    uint64_t accesses = 0, useful = 0, fills = 0, prefetched = 0, taken = 0, refused = 0, cycles = 0, branches = 0,
             returned = 0, broken = 0, digest = 0, last_cycle = 0;
    std::unordered_set<uint64_t> asked, present;
};
std::map<CACHE *, seen> all;

void hold(seen &own, bool rule) { own.broken += !rule; }
void mix(seen &own, uint64_t value) { own.digest = (own.digest ^ value) * 0x9e3779b97f4a7c15u; }
uint64_t line(uint64_t address) { return address >> LOG2_BLOCK_SIZE; }
}  // namespace

void CACHE::prefetcher_initialize()
{
    hold(all[this], NUM_WAY > 0 && block.size() == std::size_t{NUM_SET} * NUM_WAY && !block[0].valid);
}

uint32_t CACHE::prefetcher_cache_operate(uint64_t addr, uint64_t ip, uint8_t cache_hit, bool useful_prefetch, uint8_t type,
                                         uint32_t metadata_in)
{
    seen &own = all[this];
    uint32_t const set = get_set(addr);

    own.accesses++;
    own.useful += useful_prefetch;
    own.returned += metadata_in == 5;
    mix(own, addr ^ ip);
    own.asked.insert(line(addr));
    hold(own, current_cycle >= own.last_cycle && set < NUM_SET && type < NUM_TYPES && type != RFO && type != WRITEBACK);
    hold(own, !useful_prefetch || cache_hit);
    hold(own, get_occupancy(3, addr) <= get_size(3, addr) && get_occupancy(0, 0) <= get_size(0, 0));
    own.last_cycle = current_cycle;
    if (!virtual_prefetch) {
        uint32_t const way = get_way(addr, set);

        hold(own, (way < NUM_WAY) == (cache_hit != 0));
        if (way < NUM_WAY)
            hold(own, block[std::size_t{set} * NUM_WAY + way].valid && line(block[std::size_t{set} * NUM_WAY + way].address) == line(addr));
    }
    for (uint64_t next = 1; next < 8 && !cache_hit; next++) {
        bool const has_room = get_occupancy(3, addr) < get_size(3, addr);
        bool const is_taken = prefetch_line((line(addr) + next) << LOG2_BLOCK_SIZE, true, 5);

        hold(own, has_room || !is_taken);
        (is_taken ? own.taken : own.refused)++;
        if (is_taken)
            own.asked.insert(line(addr) + next);
    }
    return metadata_in;
}

uint32_t CACHE::prefetcher_cache_fill(uint64_t addr, uint32_t set, uint32_t way, uint8_t prefetch, uint64_t evicted_addr,
                                      uint32_t metadata_in)
{
    seen &own = all[this];

    own.fills++;
    own.prefetched += prefetch;
    own.returned += metadata_in == 5;
    mix(own, addr ^ set ^ way);
    hold(own, set < NUM_SET && way <= NUM_WAY);
    hold(own, !prefetch || own.asked.count(line(addr)) > 0);
    if (evicted_addr)
        hold(own, own.present.erase(line(evicted_addr)) == 1);
    own.present.insert(line(addr));
    return metadata_in;
}

void CACHE::prefetcher_cycle_operate() { all[this].cycles++; }

void CACHE::prefetcher_branch_operate(uint64_t ip, uint8_t branch_type, uint64_t)
{
    all[this].branches++;
    hold(all[this], branch_type > NOT_BRANCH && branch_type <= BRANCH_OTHER && ip != 0);
}

void CACHE::prefetcher_final_stats()
{
    const seen &own = all[this];

    printf("%s accesses %lu useful %lu fills %lu prefetched %lu taken %lu refused %lu cycles %lu branches %lu returned %lu broken %lu "
           "digest %lx\n", NAME.c_str(), own.accesses, own.useful, own.fills, own.prefetched, own.taken, own.refused, own.cycles,
           own.branches, own.returned, own.broken, own.digest);
}
