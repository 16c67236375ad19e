// Names for modules of ChampSim's oldest interface (2017 to 2020: DPC-3, IPC-1, CRC-2's successor), whose hooks are
// members of CACHE and O3_CPU with the level in the name.
//
// `rubato plugin build` compiles NAME.l1d_pref, .l2c_pref, .llc_pref, .l1i_pref, .llc_repl or .bpred as they are, with
// RUBATO_CHAMPSIM_CONTEST, and beside them a source that includes rubato_champsim_hooks.h. A hook of several forms is
// declared in each: without metadata (2017), with them (2019), and that of Berti's tree, which tells one number and
// virtual addresses more. All code here is rubato's own. A member that is not here is one that rubato cannot give.
//
// Sizes of caches (L1D_SET, LLC_WAY, ...) are macros that `plugin build --system SYSTEM` defines.
#ifndef RUBATO_CHAMPSIM_CONTEST_H
#define RUBATO_CHAMPSIM_CONTEST_H

#include <algorithm>
#include <array>
#include <bitset>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <iterator>
#include <limits>
#include <list>
#include <map>
#include <queue>
#include <set>
#include <sstream>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "rubato_champsim_common.h"

// Modules of this generation write cout and map without std::.
using namespace std;

#define NUM_CPUS RUBATO_NUM_CPUS
#define BLOCK_SIZE 64
#define LOG2_BLOCK_SIZE 6
#define PAGE_SIZE 4096
#define LOG2_PAGE_SIZE 12
#define LOAD 0
#define RFO 1
#define PREFETCH 2
#define WRITEBACK 3
#define NUM_TYPES 4
#define FILL_L1 1
#define FILL_L2 2
#define FILL_LLC 4
#define FILL_DRC 8
#define FILL_DRAM 16
#define NOT_BRANCH 0
#define BRANCH_DIRECT_JUMP 1
#define BRANCH_INDIRECT 2
#define BRANCH_CONDITIONAL 3
#define BRANCH_DIRECT_CALL 4
#define BRANCH_INDIRECT_CALL 5
#define BRANCH_RETURN 6
#define BRANCH_OTHER 7

using rubato_common::lg2;

// A line of the cache; address and tag are its number, without the bits below the line.
class BLOCK {
public:
    uint8_t valid = 0, prefetch = 0, dirty = 0, used = 0;
    uint64_t address = 0, full_addr = 0, v_address = 0, tag = 0, data = 0;
    uint64_t ip = 0, cpu = 0, instr_id = 0;      // of the fill
    uint32_t pf_metadata = 0;
    uint32_t lru = 0;                            // the module's to use; see lru_victim
};

struct rubato_contest_queue {
    uint32_t SIZE, occupancy;
};

class CACHE {
    const rubato_host *host_;
    std::vector<BLOCK> lines_;
    std::vector<BLOCK *> sets_;

public:
    string NAME;
    uint32_t cpu, NUM_SET, NUM_WAY, NUM_LINE, MSHR_SIZE, RQ_SIZE, WQ_SIZE, PQ_SIZE, LATENCY;
    int fill_level = FILL_L1;
    rubato_contest_queue MSHR, RQ, WQ, PQ;
    uint64_t pf_requested = 0, pf_issued = 0, pf_useful = 0, pf_useless = 0, pf_fill = 0;
    bool virtual_prefetch;
    BLOCK **block;                               // [set][way]

    CACHE(const rubato_host *host, const rubato_place &place);
    CACHE(const CACHE &) = delete;

    // True if there was room. Prefetches stay in the page of base_addr, unless the module is of Berti's tree.
    int prefetch_line(uint64_t ip, uint64_t base_addr, uint64_t pf_addr, int fill_level, uint32_t metadata = 0);
    // What a confidence tells further down has no place here.
    int kpc_prefetch_line(uint64_t base_addr, uint64_t pf_addr, int fill_level, int, int, int, int, uint32_t metadata)
    {
        return prefetch_line(0, base_addr, pf_addr, fill_level, metadata);
    }
    // Of the queue MSHR 0, RQ 1, WQ 2, PQ 3.
    uint32_t get_occupancy(uint8_t queue, uint64_t)
    {
        return queue < 4 ? host_->occupancy(host_, static_cast<rubato_queue>(queue)) : 0;
    }
    uint32_t get_size(uint8_t queue, uint64_t)
    {
        return queue < 4 ? host_->capacity(host_, static_cast<rubato_queue>(queue)) : 0;
    }
    uint32_t get_set(uint64_t line) { return host_->set_of(host_, line << LOG2_BLOCK_SIZE); }
    // NUM_WAY: it is not here. The set is up to date afterwards, in a module that looks at `block`.
    uint32_t get_way(uint64_t line, uint32_t set);
    // The way whose `lru` is the largest; lru_update makes a way's 0, and those that were smaller larger.
    uint32_t lru_victim(uint32_t cpu, uint64_t instr_id, uint32_t set, const BLOCK *current_set, uint64_t ip,
                        uint64_t full_addr, uint32_t type);
    void lru_update(uint32_t set, uint32_t way);

    // ---- hooks
#define RUBATO_CONTEST_PREFETCHER(X)                                                                                   \
    void X##_prefetcher_initialize();                                                                                  \
    void X##_prefetcher_operate(uint64_t addr, uint64_t ip, uint8_t cache_hit, uint8_t type);                          \
    void X##_prefetcher_cache_fill(uint64_t addr, uint32_t set, uint32_t way, uint8_t prefetch,                        \
                                   uint64_t evicted_addr);                                                             \
    void X##_prefetcher_final_stats();                                                                                 \
    void X##_prefetcher_print_config();                                                                                \
    void X##_prefetcher_broadcast_bw(uint8_t bw_level);                                                                \
    void X##_prefetcher_broadcast_ipc(uint8_t ipc_level);                                                              \
    void X##_prefetcher_broadcast_acc(uint32_t acc_level);                                                             \
    uint32_t X##_prefetcher_prefetch_hit(uint64_t addr, uint64_t ip, uint32_t metadata_in);
    RUBATO_CONTEST_PREFETCHER(l1d)
    RUBATO_CONTEST_PREFETCHER(l2c)
    RUBATO_CONTEST_PREFETCHER(llc)
    void l1d_prefetcher_operate(uint64_t addr, uint64_t ip, uint8_t cache_hit, uint8_t type, uint8_t critical_ip);
    void l1d_prefetcher_cache_fill(uint64_t addr, uint32_t set, uint32_t way, uint8_t prefetch, uint64_t evicted_addr,
                                   uint32_t metadata_in);
    void l1d_prefetcher_cache_fill(uint64_t v_addr, uint64_t addr, uint32_t set, uint32_t way, uint8_t prefetch,
                                   uint64_t evicted_v_addr, uint64_t evicted_addr, uint32_t metadata_in);
    // Never called: nothing tells of lines of a TLB. A module whose own is not empty is refused.
    void l1d_prefetcher_notify_about_dtlb_eviction(uint64_t addr, uint32_t set, uint32_t way, uint8_t prefetch,
                                                   uint64_t evicted_addr, uint32_t metadata_in);
#define RUBATO_CONTEST_LOWER(X)                                                                                        \
    uint32_t X##_prefetcher_operate(uint64_t addr, uint64_t ip, uint8_t cache_hit, uint8_t type,                       \
                                    uint32_t metadata_in);                                                             \
    uint32_t X##_prefetcher_operate(uint64_t addr, uint64_t ip, uint8_t cache_hit, uint8_t type,                       \
                                    uint32_t metadata_in, uint8_t critical_ip);                                        \
    uint32_t X##_prefetcher_cache_fill(uint64_t addr, uint32_t set, uint32_t way, uint8_t prefetch,                    \
                                       uint64_t evicted_addr, uint32_t metadata_in);
    RUBATO_CONTEST_LOWER(l2c)
    RUBATO_CONTEST_LOWER(llc)
#define RUBATO_CONTEST_REPLACEMENT(X)                                                                                  \
    void X##_initialize_replacement();                                                                                 \
    void X##_initialize_replacement(uint64_t seed);                                                                    \
    uint32_t X##_find_victim(uint32_t cpu, uint64_t instr_id, uint32_t set, const BLOCK *current_set, uint64_t ip,     \
                             uint64_t full_addr, uint32_t type);                                                       \
    void X##_update_replacement_state(uint32_t cpu, uint32_t set, uint32_t way, uint64_t full_addr, uint64_t ip,       \
                                      uint64_t victim_addr, uint32_t type, uint8_t hit);                               \
    void X##_replacement_final_stats();
    RUBATO_CONTEST_REPLACEMENT(l1i)
    RUBATO_CONTEST_REPLACEMENT(l1d)
    RUBATO_CONTEST_REPLACEMENT(l2c)
    RUBATO_CONTEST_REPLACEMENT(llc)

    // ---- for rubato_champsim_contest_hooks.h: the hooks without the level, of the level of this cache

    unsigned rubato_level = 0;                   // 0 L1I, 1 L1D, 2 L2C, 3 LLC
    bool rubato_crosses = false, rubato_is_shared;
    uint64_t rubato_next_broadcast = 0;
    const rubato_fill *rubato_fill_now = nullptr;

    void rubato_begin();
    void rubato_see(uint32_t set);
    BLOCK *rubato_lines(uint32_t set) { return block[set]; }
    void rubato_hears(const rubato_request &request);
    void rubato_fills(const rubato_fill &fill);
    void prefetcher_initialize();
    uint32_t prefetcher_cache_operate(uint64_t addr, uint64_t ip, uint8_t cache_hit, bool, uint8_t type,
                                      uint32_t metadata_in);
    uint32_t prefetcher_cache_fill(uint64_t addr, uint32_t set, uint32_t way, uint8_t prefetch, uint64_t evicted_addr,
                                   uint32_t metadata_in);
    void prefetcher_cycle_operate() {}
    void prefetcher_branch_operate(uint64_t, uint8_t, uint64_t) {}
    void prefetcher_final_stats();
    void initialize_replacement();
    uint32_t find_victim(uint32_t core, uint64_t instr_id, uint32_t set, const BLOCK *current_set, uint64_t ip,
                         uint64_t full_addr, uint32_t type);
    void update_replacement_state(uint32_t core, uint32_t set, uint32_t way, uint64_t full_addr, uint64_t ip,
                                  uint64_t victim_addr, uint32_t type, uint8_t hit);
    void replacement_final_stats();
};

class O3_CPU {
public:
    uint32_t cpu = 0;
    uint64_t num_retired = 0;
    CACHE *rubato_l1i = nullptr;

    O3_CPU() = default;
    O3_CPU(const rubato_place &place, CACHE *l1i) : cpu(rubato_common::core_of(place.core)), rubato_l1i(l1i) {}

    // True if there was room.
    int prefetch_code_line(uint64_t pf_v_addr)
    {
        return rubato_l1i->prefetch_line(pf_v_addr, pf_v_addr, pf_v_addr, FILL_L1, 0);
    }

    // ---- hooks
    void initialize_branch_predictor();
    uint8_t predict_branch(uint64_t ip);
    void last_branch_result(uint64_t ip, uint8_t taken);
    void l1i_prefetcher_initialize();
    void l1i_prefetcher_branch_operate(uint64_t ip, uint8_t branch_type, uint64_t branch_target);
    void l1i_prefetcher_cache_operate(uint64_t v_addr, uint8_t cache_hit, uint8_t prefetch_hit);
    void l1i_prefetcher_cycle_operate();
    void l1i_prefetcher_cache_fill(uint64_t v_addr, uint32_t set, uint32_t way, uint8_t prefetch,
                                   uint64_t evicted_v_addr);
    void l1i_prefetcher_final_stats();

    // ---- for rubato_champsim_hooks.h
    uint8_t predict_branch(uint64_t ip, uint64_t, uint8_t, uint8_t) { return predict_branch(ip); }
    void last_branch_result(uint64_t ip, uint64_t, uint8_t taken, uint8_t) { last_branch_result(ip, taken); }
    void initialize_btb() {}
    std::pair<uint64_t, uint8_t> btb_prediction(uint64_t, uint8_t) { return {0, 0}; }
    void update_btb(uint64_t, uint64_t, uint8_t, uint8_t) {}
    void prefetcher_initialize() { l1i_prefetcher_initialize(); }
    void prefetcher_branch_operate(uint64_t ip, uint8_t type, uint64_t target)
    {
        l1i_prefetcher_branch_operate(ip, type, target);
    }
    uint32_t prefetcher_cache_operate(uint64_t v_addr, uint8_t cache_hit, uint8_t prefetch_hit, uint32_t metadata_in)
    {
        l1i_prefetcher_cache_operate(v_addr, cache_hit, prefetch_hit);
        return metadata_in;
    }
    void prefetcher_cycle_operate() { l1i_prefetcher_cycle_operate(); }
    uint32_t prefetcher_cache_fill(uint64_t v_addr, uint32_t set, uint32_t way, uint8_t prefetch,
                                   uint64_t evicted_v_addr, uint32_t metadata_in)
    {
        l1i_prefetcher_cache_fill(v_addr, set, way, prefetch, evicted_v_addr);
        return metadata_in;
    }
    void prefetcher_final_stats() { l1i_prefetcher_final_stats(); }
};

// Of cores; as of the last call of a hook of a cache.
extern uint64_t current_core_cycle[NUM_CPUS];
extern uint8_t warmup_complete[NUM_CPUS], all_warmup_complete;
extern O3_CPU ooo_cpu[NUM_CPUS];                 // num_retired

#endif
