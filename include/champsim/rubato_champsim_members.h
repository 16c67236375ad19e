// Names for modules of ChampSim's interface of 2021 to 2023, whose hooks are members of CACHE and O3_CPU.
//
// `rubato plugin build` compiles a module's own sources as they are, with RUBATO_CHAMPSIM_MEMBERS, and beside them a
// source that includes rubato_champsim_hooks.h. All code here is rubato's own. A hook that has several forms is
// declared in each. A member that is not here is one that rubato cannot give; the compiler says where a module uses it.
#ifndef RUBATO_CHAMPSIM_MEMBERS_H
#define RUBATO_CHAMPSIM_MEMBERS_H

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

// What ChampSim's headers bring along; the source that rubato writes does without it.
#ifndef RUBATO_CHAMPSIM_NAME
#include <algorithm>
#include <array>
#include <bitset>
#include <cassert>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <iostream>
#include <iterator>
#include <list>
#include <map>
#include <set>
#include <unordered_map>
#endif

#include "rubato_champsim_common.h"

constexpr unsigned LOAD = 0, RFO = 1, PREFETCH = 2, WRITEBACK = 3, WRITE = 3, TRANSLATION = 4, NUM_TYPES = 5;
constexpr std::uint8_t NOT_BRANCH = 0, BRANCH_DIRECT_JUMP = 1, BRANCH_INDIRECT = 2, BRANCH_CONDITIONAL = 3,
                       BRANCH_DIRECT_CALL = 4, BRANCH_INDIRECT_CALL = 5, BRANCH_RETURN = 6, BRANCH_OTHER = 7;

using rubato_common::bitmask;
using rubato_common::is_power_of_2;
using rubato_common::lg2;
constexpr std::uint64_t splice_bits(std::uint64_t upper, std::uint64_t lower, std::size_t bits)
{
    return (upper & ~bitmask(bits)) | (lower & bitmask(bits));
}

namespace champsim {
using ::bitmask;
using ::is_power_of_2;
using ::lg2;
using ::splice_bits;
}  // namespace champsim

// A line of the cache. `lru` is the module's to use.
struct BLOCK {
    bool valid = false, prefetch = false, dirty = false;
    std::uint64_t address = 0, v_address = 0;
    std::uint64_t ip = 0, cpu = 0, instr_id = 0;         // of the fill
    std::uint32_t pf_metadata = 0;
    std::uint32_t lru = std::numeric_limits<std::uint32_t>::max() >> 1;
};

template <typename T, typename U> struct lru_comparator {
    bool operator()(const T &one, const U &other) const { return one.lru < other.lru; }
};

class CACHE {
    const rubato_host *host_;

public:
    using BLOCK = ::BLOCK;

    std::string NAME;
    std::uint32_t cpu, NUM_SET, NUM_WAY, MSHR_SIZE, WQ_SIZE, HIT_LATENCY;
    std::size_t PQ_SIZE;
    bool virtual_prefetch;
    bool warmup = false;
    std::uint64_t current_cycle = 0;
    std::vector<BLOCK> block;            // [set * NUM_WAY + way]

    CACHE(const rubato_host *host, const rubato_place &place)
        : host_(host), NAME(place.name), cpu(rubato_common::core_of(place.core)), NUM_SET(place.sets),
          NUM_WAY(place.ways), MSHR_SIZE(place.mshrs), WQ_SIZE(place.write_buffers), HIT_LATENCY(place.hit_cycles),
          PQ_SIZE(place.prefetch_queue), virtual_prefetch(place.is_virtual),
          block(std::size_t{place.sets} * place.ways) {}

    int prefetch_line(std::uint64_t address, bool fill_this_level, std::uint32_t metadata)
    {
        return host_->prefetch(host_, address, fill_this_level ? 0 : 1, metadata);
    }
    // The first two do not count.
    int prefetch_line(std::uint64_t, std::uint64_t, std::uint64_t address, bool fill_this_level, std::uint32_t metadata)
    {
        return prefetch_line(address, fill_this_level, metadata);
    }
    // Of the queue MSHR 0, RQ 1, WQ 2, PQ 3.
    std::uint32_t get_occupancy(std::uint8_t queue, std::uint64_t)
    {
        return queue < 4 ? host_->occupancy(host_, static_cast<rubato_queue>(queue)) : 0;
    }
    std::uint32_t get_size(std::uint8_t queue, std::uint64_t)
    {
        return queue < 4 ? host_->capacity(host_, static_cast<rubato_queue>(queue)) : 0;
    }
    std::uint32_t get_set(std::uint64_t address) const { return host_->set_of(host_, address); }
    // NUM_WAY: it is not here.
    std::uint32_t get_way(std::uint64_t address, std::uint32_t) const
    {
        std::uint32_t const way = host_->way_of(host_, address);

        return way == RUBATO_NO_WAY ? NUM_WAY : way;
    }

    // ---- hooks
    void prefetcher_initialize();
    std::uint32_t prefetcher_cache_operate(std::uint64_t addr, std::uint64_t ip, std::uint8_t cache_hit,
                                           std::uint8_t type, std::uint32_t metadata_in);
    std::uint32_t prefetcher_cache_operate(std::uint64_t addr, std::uint64_t ip, std::uint8_t cache_hit,
                                           bool useful_prefetch, std::uint8_t type, std::uint32_t metadata_in);
    std::uint32_t prefetcher_cache_fill(std::uint64_t addr, std::uint32_t set, std::uint32_t way, std::uint8_t prefetch,
                                        std::uint64_t evicted_addr, std::uint32_t metadata_in);
    void prefetcher_cycle_operate();
    void prefetcher_branch_operate(std::uint64_t ip, std::uint8_t branch_type, std::uint64_t branch_target);
    void prefetcher_final_stats();
    void initialize_replacement();
    std::uint32_t find_victim(std::uint32_t triggering_cpu, std::uint64_t instr_id, std::uint32_t set,
                              const BLOCK *current_set, std::uint64_t ip, std::uint64_t full_addr, std::uint32_t type);
    void update_replacement_state(std::uint32_t triggering_cpu, std::uint32_t set, std::uint32_t way,
                                  std::uint64_t full_addr, std::uint64_t ip, std::uint64_t victim_addr,
                                  std::uint32_t type, std::uint8_t hit);
    void replacement_final_stats();

    // ---- for rubato_champsim_hooks.h

    BLOCK *rubato_lines(std::uint32_t set) { return &block[std::size_t{set} * NUM_WAY]; }
    void rubato_hears(const rubato_request &) {}
    void rubato_fills(const rubato_fill &) {}
    void rubato_begin()
    {
        current_cycle = host_->cycle(host_);
        warmup = !host_->is_warm(host_);
    }
    void rubato_see(std::uint32_t set)
    {
        for (std::uint32_t way = 0; way < NUM_WAY; way++) {
            BLOCK &own = block[std::size_t{set} * NUM_WAY + way];
            rubato_line line;

            host_->line(host_, set, way, &line);
            own.valid = line.is_valid;
            own.prefetch = line.is_prefetched;
            own.dirty = line.is_dirty;
            own.address = line.address;
            own.v_address = line.virtual_address;
            own.pf_metadata = line.metadata;
        }
    }
};

class O3_CPU {
public:
    std::uint32_t cpu;
    struct {
        CACHE *lower_level;
    } L1I_bus;                           // the L1I, of the hooks of an L1I's prefetcher

    O3_CPU(const rubato_place &place, CACHE *l1i) : cpu(rubato_common::core_of(place.core)), L1I_bus{l1i} {}

    int prefetch_code_line(std::uint64_t pf_v_addr) { return L1I_bus.lower_level->prefetch_line(pf_v_addr, true, 0); }

    // ---- hooks
    void prefetcher_initialize();
    void prefetcher_branch_operate(std::uint64_t ip, std::uint8_t branch_type, std::uint64_t branch_target);
    std::uint32_t prefetcher_cache_operate(std::uint64_t v_addr, std::uint8_t cache_hit, std::uint8_t prefetch_hit,
                                           std::uint32_t metadata_in);
    void prefetcher_cycle_operate();
    std::uint32_t prefetcher_cache_fill(std::uint64_t v_addr, std::uint32_t set, std::uint32_t way,
                                        std::uint8_t prefetch, std::uint64_t evicted_v_addr, std::uint32_t metadata_in);
    void prefetcher_squash(std::uint64_t ip, std::uint64_t instr_id);      // never called, as there
    void prefetcher_final_stats();
    void initialize_branch_predictor();
    std::uint8_t predict_branch(std::uint64_t ip);
    std::uint8_t predict_branch(std::uint64_t ip, std::uint64_t predicted_target, std::uint8_t always_taken,
                                std::uint8_t branch_type);
    void last_branch_result(std::uint64_t ip, std::uint64_t branch_target, std::uint8_t taken,
                            std::uint8_t branch_type);
    void initialize_btb();
    std::pair<std::uint64_t, std::uint8_t> btb_prediction(std::uint64_t ip);
    std::pair<std::uint64_t, std::uint8_t> btb_prediction(std::uint64_t ip, std::uint8_t branch_type);
    void update_btb(std::uint64_t ip, std::uint64_t branch_target, std::uint8_t taken, std::uint8_t branch_type);
};

#endif
