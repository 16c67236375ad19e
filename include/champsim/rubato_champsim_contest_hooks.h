// Hooks of rubato_champsim_contest.h that a module leaves out, weakly: the module's own definition counts; a form that
// is not there passes on to the next older one. Then which hook a cache calls: that of its level. For
// rubato_champsim_hooks.h, which has the rest.
#ifndef RUBATO_CHAMPSIM_CONTEST_HOOKS_H
#define RUBATO_CHAMPSIM_CONTEST_HOOKS_H

#include "rubato_champsim_contest.h"

uint64_t current_core_cycle[NUM_CPUS];
uint8_t warmup_complete[NUM_CPUS], all_warmup_complete;
O3_CPU ooo_cpu[NUM_CPUS];

// ---- hooks that are left out

#define RUBATO_LEFT_OUT __attribute__((weak))
#define RUBATO_NO_PREFETCHER(X)                                                                                        \
    RUBATO_LEFT_OUT void CACHE::X##_prefetcher_initialize() {}                                                         \
    RUBATO_LEFT_OUT void CACHE::X##_prefetcher_operate(uint64_t, uint64_t, uint8_t, uint8_t) {}                        \
    RUBATO_LEFT_OUT void CACHE::X##_prefetcher_cache_fill(uint64_t, uint32_t, uint32_t, uint8_t, uint64_t) {}          \
    RUBATO_LEFT_OUT void CACHE::X##_prefetcher_final_stats() {}                                                        \
    RUBATO_LEFT_OUT void CACHE::X##_prefetcher_print_config() {}                                                       \
    RUBATO_LEFT_OUT void CACHE::X##_prefetcher_broadcast_bw(uint8_t) {}                                                \
    RUBATO_LEFT_OUT uint32_t CACHE::X##_prefetcher_prefetch_hit(uint64_t, uint64_t, uint32_t metadata_in)              \
    {                                                                                                                  \
        return metadata_in;                                                                                            \
    }
RUBATO_NO_PREFETCHER(l1d)
RUBATO_NO_PREFETCHER(l2c)
RUBATO_NO_PREFETCHER(llc)

RUBATO_LEFT_OUT void CACHE::l1d_prefetcher_operate(uint64_t addr, uint64_t ip, uint8_t cache_hit, uint8_t type, uint8_t)
{
    l1d_prefetcher_operate(addr, ip, cache_hit, type);
}
RUBATO_LEFT_OUT void CACHE::l1d_prefetcher_cache_fill(uint64_t addr, uint32_t set, uint32_t way, uint8_t prefetch,
                                                      uint64_t evicted_addr, uint32_t)
{
    l1d_prefetcher_cache_fill(addr, set, way, prefetch, evicted_addr);
}
RUBATO_LEFT_OUT void CACHE::l1d_prefetcher_cache_fill(uint64_t, uint64_t addr, uint32_t set, uint32_t way,
                                                      uint8_t prefetch, uint64_t, uint64_t evicted_addr,
                                                      uint32_t metadata_in)
{
    l1d_prefetcher_cache_fill(addr, set, way, prefetch, evicted_addr, metadata_in);
}

#define RUBATO_NO_LOWER(X)                                                                                             \
    RUBATO_LEFT_OUT uint32_t CACHE::X##_prefetcher_operate(uint64_t addr, uint64_t ip, uint8_t cache_hit,              \
                                                           uint8_t type, uint32_t metadata_in)                         \
    {                                                                                                                  \
        X##_prefetcher_operate(addr, ip, cache_hit, type);                                                             \
        return metadata_in;                                                                                            \
    }                                                                                                                  \
    RUBATO_LEFT_OUT uint32_t CACHE::X##_prefetcher_operate(uint64_t addr, uint64_t ip, uint8_t cache_hit,              \
                                                           uint8_t type, uint32_t metadata_in, uint8_t)                \
    {                                                                                                                  \
        return X##_prefetcher_operate(addr, ip, cache_hit, type, metadata_in);                                         \
    }                                                                                                                  \
    RUBATO_LEFT_OUT uint32_t CACHE::X##_prefetcher_cache_fill(uint64_t addr, uint32_t set, uint32_t way,               \
                                                              uint8_t prefetch, uint64_t evicted_addr,                 \
                                                              uint32_t metadata_in)                                    \
    {                                                                                                                  \
        X##_prefetcher_cache_fill(addr, set, way, prefetch, evicted_addr);                                             \
        return metadata_in;                                                                                            \
    }
RUBATO_NO_LOWER(l2c)
RUBATO_NO_LOWER(llc)

#define RUBATO_NO_REPLACEMENT(X)                                                                                       \
    RUBATO_LEFT_OUT void CACHE::X##_initialize_replacement() {}                                                        \
    RUBATO_LEFT_OUT void CACHE::X##_initialize_replacement(uint64_t) { X##_initialize_replacement(); }                 \
    RUBATO_LEFT_OUT uint32_t CACHE::X##_find_victim(uint32_t core, uint64_t instr_id, uint32_t set,                    \
                                                    const BLOCK *current_set, uint64_t ip, uint64_t full_addr,         \
                                                    uint32_t type)                                                     \
    {                                                                                                                  \
        return lru_victim(core, instr_id, set, current_set, ip, full_addr, type);                                      \
    }                                                                                                                  \
    RUBATO_LEFT_OUT void CACHE::X##_update_replacement_state(uint32_t, uint32_t, uint32_t, uint64_t, uint64_t,         \
                                                             uint64_t, uint32_t, uint8_t) {}                           \
    RUBATO_LEFT_OUT void CACHE::X##_replacement_final_stats() {}
RUBATO_NO_REPLACEMENT(l1i)
RUBATO_NO_REPLACEMENT(l1d)
RUBATO_NO_REPLACEMENT(l2c)
RUBATO_NO_REPLACEMENT(llc)

RUBATO_LEFT_OUT void O3_CPU::initialize_branch_predictor() {}
RUBATO_LEFT_OUT uint8_t O3_CPU::predict_branch(uint64_t) { return 1; }
RUBATO_LEFT_OUT void O3_CPU::last_branch_result(uint64_t, uint8_t) {}
RUBATO_LEFT_OUT void O3_CPU::l1i_prefetcher_initialize() {}
RUBATO_LEFT_OUT void O3_CPU::l1i_prefetcher_branch_operate(uint64_t, uint8_t, uint64_t) {}
RUBATO_LEFT_OUT void O3_CPU::l1i_prefetcher_cache_operate(uint64_t, uint8_t, uint8_t) {}
RUBATO_LEFT_OUT void O3_CPU::l1i_prefetcher_cycle_operate() {}
RUBATO_LEFT_OUT void O3_CPU::l1i_prefetcher_cache_fill(uint64_t, uint32_t, uint32_t, uint8_t, uint64_t) {}
RUBATO_LEFT_OUT void O3_CPU::l1i_prefetcher_final_stats() {}

// ---- the cache

namespace rubato_contest {

// RUBATO_CONTEST_PREFETCHERS, RUBATO_CONTEST_POLICIES: a bit for each level whose hooks the module has.
#ifndef RUBATO_CONTEST_PREFETCHERS
#define RUBATO_CONTEST_PREFETCHERS 0
#endif
#ifndef RUBATO_CONTEST_POLICIES
#define RUBATO_CONTEST_POLICIES 0
#endif

// The level whose hooks a cache calls: its own, else the nearest one that the module has hooks of, below before above.
inline unsigned level_of(const rubato_place &place, unsigned has)
{
    string const kind = place.kind;
    unsigned const own = kind == "l1i" ? 0 : kind == "l1d" ? 1 : kind == "l2" ? 2 : 3;

    for (unsigned level = own; level <= 3; level++)
        if (has & 1u << level)
            return level;
    for (unsigned level = own; level > 0; level--)
        if (has & 1u << (level - 1))
            return level - 1;
    return own;
}

inline unsigned level_of(const rubato_place &place)
{
    return level_of(place, place.slot == RUBATO_IS_PREFETCHER ? RUBATO_CONTEST_PREFETCHERS : RUBATO_CONTEST_POLICIES);
}

inline unsigned depth_of(int fill_level) { return fill_level <= FILL_L1 ? 0 : fill_level <= FILL_L2 ? 1 : 2; }

#ifdef RUBATO_HAS_GEOMETRY
// Why a module with arrays of the sizes that it was built for cannot serve a cache of other sizes.
inline const char *refuses(const rubato_place *place)
{
    static const struct { const char *name; unsigned sets, ways; } levels[] = {
        {"L1I", L1I_SET, L1I_WAY}, {"L1D", L1D_SET, L1D_WAY}, {"L2C", L2C_SET, L2C_WAY}, {"LLC", LLC_SET, LLC_WAY}};
    auto const &level = levels[level_of(*place)];
    static char text[200];

    if (level.sets == place->sets && level.ways == place->ways)
        return nullptr;
    snprintf(text, sizeof text, "it has arrays for %u sets of %u ways (%s_SET, %s_WAY), and the cache %u of %u; "
             "build it with --system of this system", level.sets, level.ways, level.name, level.name,
             place->sets, place->ways);
    return text;
}
#define RUBATO_REFUSES rubato_contest::refuses
#endif

}  // namespace rubato_contest

CACHE::CACHE(const rubato_host *host, const rubato_place &place)
    : host_(host), lines_(size_t{place.sets} * place.ways), sets_(place.sets), NAME(place.name),
      cpu(rubato_common::core_of(place.core)), NUM_SET(place.sets), NUM_WAY(place.ways),
      NUM_LINE(place.sets * place.ways), MSHR_SIZE(place.mshrs), RQ_SIZE(place.mshrs), WQ_SIZE(place.write_buffers),
      PQ_SIZE(place.prefetch_queue), LATENCY(place.hit_cycles), MSHR{place.mshrs, 0}, RQ{place.mshrs, 0},
      WQ{place.write_buffers, 0}, PQ{place.prefetch_queue, 0}, virtual_prefetch(place.is_virtual), block(sets_.data()),
      rubato_level(rubato_contest::level_of(place)), rubato_is_shared(place.core == RUBATO_NO_CORE)
{
    for (uint32_t set = 0; set < NUM_SET; set++) {
        sets_[set] = &lines_[size_t{set} * NUM_WAY];
        for (uint32_t way = 0; way < NUM_WAY; way++)
            sets_[set][way].lru = way;
    }
    fill_level = rubato_level < 2 ? FILL_L1 : rubato_level == 2 ? FILL_L2 : FILL_LLC;
#ifdef RUBATO_CONTEST_CROSSES
    rubato_crosses = true;
#endif
}

int CACHE::prefetch_line(uint64_t, uint64_t base_addr, uint64_t pf_addr, int asked_level, uint32_t metadata)
{
    unsigned const asked = rubato_contest::depth_of(asked_level), own = rubato_contest::depth_of(fill_level);

    pf_requested++;
    if (!rubato_crosses && base_addr >> LOG2_PAGE_SIZE != pf_addr >> LOG2_PAGE_SIZE)
        return 0;
    if (!host_->prefetch(host_, pf_addr, asked > own ? asked - own : 0, metadata))
        return 0;
    pf_issued++;
    PQ.occupancy = host_->occupancy(host_, RUBATO_PREFETCH_QUEUE);
    return 1;
}

uint32_t CACHE::get_way(uint64_t line, uint32_t set)
{
    uint32_t const way = host_->way_of(host_, line << LOG2_BLOCK_SIZE);

#ifdef RUBATO_HAS_BLOCK
    rubato_see(set);
#endif
    return way == RUBATO_NO_WAY ? NUM_WAY : way;
}

uint32_t CACHE::lru_victim(uint32_t, uint64_t, uint32_t set, const BLOCK *, uint64_t, uint64_t, uint32_t)
{
    uint32_t oldest = 0;

    for (uint32_t way = 0; way < NUM_WAY; way++)
        if (block[set][way].lru > block[set][oldest].lru)
            oldest = way;
    return oldest;
}

void CACHE::lru_update(uint32_t set, uint32_t way)
{
    for (uint32_t other = 0; other < NUM_WAY; other++)
        block[set][other].lru += block[set][other].lru < block[set][way].lru;
    block[set][way].lru = 0;
}

void CACHE::rubato_begin()
{
#ifdef RUBATO_HAS_CORE_CYCLE
    for (auto &cycle : current_core_cycle)
        cycle = host_->cycle(host_);
#endif
#ifdef RUBATO_HAS_WARMUP
    all_warmup_complete = host_->is_warm(host_);
    for (auto &is_complete : warmup_complete)
        is_complete = all_warmup_complete;
#endif
#ifdef RUBATO_HAS_RETIRED
    for (uint32_t core = 0; core < NUM_CPUS; core++) {
        ooo_cpu[core].cpu = core;
        ooo_cpu[core].num_retired = host_->retired(host_, core);
    }
#endif
#ifdef RUBATO_HAS_OCCUPANCY
    MSHR.occupancy = host_->occupancy(host_, RUBATO_MSHRS);
    RQ.occupancy = host_->occupancy(host_, RUBATO_READ_QUEUE);
    WQ.occupancy = host_->occupancy(host_, RUBATO_WRITE_QUEUE);
    PQ.occupancy = host_->occupancy(host_, RUBATO_PREFETCH_QUEUE);
#endif
}

void CACHE::rubato_see(uint32_t set)
{
    for (uint32_t way = 0; way < NUM_WAY; way++) {
        BLOCK &own = block[set][way];
        rubato_line line;

        host_->line(host_, set, way, &line);
        own.valid = line.is_valid;
        own.prefetch = line.is_prefetched;
        own.used = line.is_valid && !line.is_prefetched;
        own.dirty = line.is_dirty;
        own.address = own.tag = line.address >> LOG2_BLOCK_SIZE;
        own.full_addr = line.address;
        own.v_address = line.virtual_address >> LOG2_BLOCK_SIZE;
        own.pf_metadata = line.metadata;
    }
}

// A shared cache's `cpu` is the core of the access.
void CACHE::rubato_hears(const rubato_request &request)
{
    if (rubato_is_shared)
        cpu = rubato_common::core_of(request.core);
    pf_useful += request.first_use;
}

void CACHE::rubato_fills(const rubato_fill &fill)
{
    if (rubato_is_shared)
        cpu = rubato_common::core_of(fill.core);
    pf_fill += fill.prefetched;
    pf_useless += fill.has_evicted && fill.evicted_unused;
    rubato_fill_now = &fill;
}

// ---- by level

#define RUBATO_AT_PREFETCHER(call)                                                                                     \
    if (rubato_level <= 1)                                                                                             \
        l1d_##call;                                                                                                    \
    else if (rubato_level == 2)                                                                                        \
        l2c_##call;                                                                                                    \
    else                                                                                                               \
        llc_##call
#define RUBATO_AT_LEVEL(call)                                                                                          \
    rubato_level == 0 ? l1i_##call : rubato_level == 1 ? l1d_##call : rubato_level == 2 ? l2c_##call : llc_##call

void CACHE::prefetcher_initialize()
{
    RUBATO_AT_PREFETCHER(prefetcher_initialize());
    RUBATO_AT_PREFETCHER(prefetcher_print_config());
}

uint32_t CACHE::prefetcher_cache_operate(uint64_t addr, uint64_t ip, uint8_t cache_hit, bool, uint8_t type,
                                         uint32_t metadata_in)
{
#ifdef RUBATO_HAS_BROADCAST
    // A quarter of the memory's bandwidth is a level. It is measured again after 1024 cycles.
    if (host_->cycle(host_) >= rubato_next_broadcast) {
        uint8_t const level = static_cast<uint8_t>(min(host_->memory_bandwidth(host_) / 250, 3u));

        RUBATO_AT_PREFETCHER(prefetcher_broadcast_bw(level));
        rubato_next_broadcast = host_->cycle(host_) + 1024;
    }
#endif
    if (cache_hit && type == PREFETCH)
        metadata_in = rubato_level <= 1 ? l1d_prefetcher_prefetch_hit(addr, ip, metadata_in)
            : rubato_level == 2 ? l2c_prefetcher_prefetch_hit(addr, ip, metadata_in)
                                : llc_prefetcher_prefetch_hit(addr, ip, metadata_in);
    if (rubato_level == 2)
        return l2c_prefetcher_operate(addr, ip, cache_hit, type, metadata_in, 0);
    if (rubato_level == 3)
        return llc_prefetcher_operate(addr, ip, cache_hit, type, metadata_in, 0);
    l1d_prefetcher_operate(addr, ip, cache_hit, type, 0);
    return metadata_in;
}

uint32_t CACHE::prefetcher_cache_fill(uint64_t addr, uint32_t set, uint32_t way, uint8_t prefetch,
                                      uint64_t evicted_addr, uint32_t metadata_in)
{
    const rubato_fill &f = *rubato_fill_now;

    if (rubato_level == 2)
        return l2c_prefetcher_cache_fill(addr, set, way, prefetch, evicted_addr, metadata_in);
    if (rubato_level == 3)
        return llc_prefetcher_cache_fill(addr, set, way, prefetch, evicted_addr, metadata_in);
    l1d_prefetcher_cache_fill(f.virtual_address, f.address, set, way, prefetch, f.evicted_virtual_address,
                              f.evicted_address, metadata_in);
    return metadata_in;
}

void CACHE::prefetcher_final_stats() { RUBATO_AT_PREFETCHER(prefetcher_final_stats()); }

void CACHE::initialize_replacement() { RUBATO_AT_LEVEL(initialize_replacement(1)); }

uint32_t CACHE::find_victim(uint32_t core, uint64_t instr_id, uint32_t set, const BLOCK *current_set, uint64_t ip,
                            uint64_t full_addr, uint32_t type)
{
    return RUBATO_AT_LEVEL(find_victim(core, instr_id, set, current_set, ip, full_addr, type));
}

void CACHE::update_replacement_state(uint32_t core, uint32_t set, uint32_t way, uint64_t full_addr, uint64_t ip,
                                     uint64_t victim_addr, uint32_t type, uint8_t hit)
{
    RUBATO_AT_LEVEL(update_replacement_state(core, set, way, full_addr, ip, victim_addr, type, hit));
}

void CACHE::replacement_final_stats() { RUBATO_AT_LEVEL(replacement_final_stats()); }

#endif
