// From the hooks of rubato_champsim_members.h to the functions of a module, for the source that `rubato plugin build`
// writes. It defines RUBATO_CHAMPSIM_NAME, and RUBATO_HAS_... for each kind and costly hook that the module has.
//
// Hooks that the module leaves out are defined here, weakly: the module's own definition counts. A form that is not
// there passes on to the next older one.
#ifndef RUBATO_CHAMPSIM_HOOKS_H
#define RUBATO_CHAMPSIM_HOOKS_H

#include "rubato_champsim_members.h"
#include "rubato_private.h"

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

namespace rubato_members {

using u64 = std::uint64_t;
using u32 = std::uint32_t;
using u8 = std::uint8_t;

inline u8 type_of(u8 type)
{
    switch (type) {
    case RUBATO_TYPE_RFO:
    case RUBATO_TYPE_UPGRADE: return RFO;
    case RUBATO_TYPE_PREFETCH: return PREFETCH;
    case RUBATO_TYPE_WRITE:
    case RUBATO_TYPE_WRITEBACK: return WRITEBACK;
    case RUBATO_TYPE_TRANSLATION: return TRANSLATION;
    default: return LOAD;
    }
}

inline u8 branch_of(u8 kind)
{
    static const u8 types[] = {BRANCH_RETURN, BRANCH_DIRECT_CALL, BRANCH_INDIRECT_CALL, BRANCH_CONDITIONAL,
                               BRANCH_DIRECT_JUMP, BRANCH_CONDITIONAL, BRANCH_INDIRECT};
    return types[kind];
}

inline u32 core_of(u32 core) { return core == RUBATO_NO_CORE ? 0 : core; }

// A part of one kind; a module of several has one of each.
struct instance {
    u32 slot;
    CACHE *cache;
    O3_CPU *core;
};

// ---- caches

inline CACHE &cache_of(void *self)
{
    CACHE &cache = *static_cast<instance *>(self)->cache;

    cache.rubato_begin();
    return cache;
}

inline u32 way_of(const CACHE &cache, u32 way) { return way == RUBATO_NO_WAY ? cache.NUM_WAY : way; }

inline void took(CACHE &cache, const rubato_fill &f)
{
    if (f.way == RUBATO_NO_WAY)
        return;
    BLOCK &line = cache.block[std::size_t{f.set} * cache.NUM_WAY + f.way];

    line.ip = f.pc;
    line.cpu = core_of(f.core);
    line.instr_id = f.instruction;
}

inline u32 operate(void *self, const rubato_request *r)
{
    CACHE &cache = cache_of(self);
    u64 const where = cache.virtual_prefetch ? r->virtual_address : r->address;

#ifdef RUBATO_HAS_BLOCK
    cache.rubato_see(r->set);
#endif
    return cache.prefetcher_cache_operate(where, r->pc, static_cast<u8>(r->hit), static_cast<bool>(r->first_use),
                                          type_of(r->type), r->metadata);
}

inline u32 filled(void *self, const rubato_fill *f)
{
    CACHE &cache = cache_of(self);
    bool const is_virtual = cache.virtual_prefetch;

#ifdef RUBATO_HAS_BLOCK
    cache.rubato_see(f->set);
    took(cache, *f);
#endif
    return cache.prefetcher_cache_fill(is_virtual ? f->virtual_address : f->address, f->set, way_of(cache, f->way),
                                       f->prefetched, is_virtual ? f->evicted_virtual_address : f->evicted_address,
                                       f->metadata);
}

inline void cycle(void *self) { cache_of(self).prefetcher_cycle_operate(); }

inline void branch(void *self, const rubato_branch *b)
{
    cache_of(self).prefetcher_branch_operate(b->pc, branch_of(b->kind), b->is_taken ? b->target : 0);
}

inline void accessed(void *self, const rubato_request *r)
{
    CACHE &cache = cache_of(self);

    if (!r->hit)
        return;
#ifdef RUBATO_HAS_BLOCK
    cache.rubato_see(r->set);
#endif
    cache.update_replacement_state(core_of(r->core), r->set, r->way, r->address, r->pc, 0, type_of(r->type), 1);
}

// A way beyond the last one: the line passes by.
inline u32 victim(void *self, const rubato_request *r)
{
    CACHE &cache = cache_of(self);
    u32 way;

    cache.rubato_see(r->set);
    way = cache.find_victim(core_of(r->core), r->instruction, r->set, &cache.block[std::size_t{r->set} * cache.NUM_WAY],
                            r->pc, r->address, type_of(r->type));
    return way < cache.NUM_WAY ? way : RUBATO_BYPASS;
}

inline void policy_filled(void *self, const rubato_fill *f)
{
    CACHE &cache = cache_of(self);

#ifdef RUBATO_HAS_BLOCK
    cache.rubato_see(f->set);
#endif
    took(cache, *f);
    cache.update_replacement_state(core_of(f->core), f->set, way_of(cache, f->way), f->address, f->pc,
                                   f->evicted_address, type_of(f->type), 0);
}

// Types that prefetchers see by default: loads (of instructions, too) and prefetches from above.
constexpr u32 prefetcher_types = 1u << RUBATO_TYPE_LOAD | 1u << RUBATO_TYPE_FETCH | 1u << RUBATO_TYPE_PREFETCH;

constexpr rubato_prefetcher prefetcher = {
    prefetcher_types, RUBATO_ON_ALL, RUBATO_CROSSES_PAGES | RUBATO_FILLS_BELOW, operate, filled, nullptr,
#ifdef RUBATO_HAS_CYCLE
    cycle,
#else
    nullptr,
#endif
#ifdef RUBATO_HAS_BRANCH_OPERATE
    branch
#else
    nullptr
#endif
};
constexpr rubato_replacement replacement = {accessed, victim, policy_filled, nullptr};

// ---- branches

inline O3_CPU &core_at(void *self) { return *static_cast<instance *>(self)->core; }

inline bool predict(void *self, void *, const rubato_branch *b)
{
    return core_at(self).predict_branch(b->pc, 0, 0, branch_of(b->kind)) != 0;
}

inline void train(void *self, void *, const rubato_branch *b)
{
    core_at(self).last_branch_result(b->pc, b->is_taken ? b->target : 0, b->is_taken, branch_of(b->kind));
}

// A conditional branch without a target goes where its direction says, and to 0 if that is taken: a wrong target.
inline bool find(void *self, const rubato_branch *b, u64 *target, bool *always_taken)
{
    auto const answer = core_at(self).btb_prediction(b->pc, branch_of(b->kind));

    *target = answer.first;
    *always_taken = answer.second != 0;
    return answer.first != 0 || b->is_conditional;
}

inline void learn(void *self, const rubato_branch *b)
{
    core_at(self).update_btb(b->pc, b->is_taken ? b->target : 0, b->is_taken, branch_of(b->kind));
}

constexpr rubato_direction direction = {0, predict, nullptr, nullptr, nullptr, train};
constexpr rubato_btb btb = {find, nullptr, learn};

// ---- instances

inline void *create(const rubato_host *host, const rubato_place *place, const rubato_value *, u64 *)
{
    bool const is_of_cache = place->slot == RUBATO_IS_PREFETCHER || place->slot == RUBATO_IS_REPLACEMENT;
    auto *const own = new instance{place->slot, is_of_cache ? new CACHE(host, *place) : nullptr,
                                   is_of_cache ? nullptr : new O3_CPU(*place)};

    if (is_of_cache)
        own->cache->rubato_begin();
    switch (place->slot) {
    case RUBATO_IS_PREFETCHER: own->cache->prefetcher_initialize(); break;
    case RUBATO_IS_REPLACEMENT: own->cache->initialize_replacement(); break;
    case RUBATO_IS_DIRECTION: own->core->initialize_branch_predictor(); break;
    default: own->core->initialize_btb();
    }
    return own;
}

inline void destroy(void *self)
{
    auto *const own = static_cast<instance *>(self);

    delete own->cache;
    delete own->core;
    delete own;
}

inline void run_end(void *self)
{
    auto const slot = static_cast<instance *>(self)->slot;

    if (slot == RUBATO_IS_PREFETCHER)
        cache_of(self).prefetcher_final_stats();
    else if (slot == RUBATO_IS_REPLACEMENT)
        cache_of(self).replacement_final_stats();
}

}  // namespace rubato_members

#ifdef RUBATO_HAS_PREFETCHER
#define RUBATO_PREFETCHER_OF &rubato_members::prefetcher
#else
#define RUBATO_PREFETCHER_OF nullptr
#endif
#ifdef RUBATO_HAS_REPLACEMENT
#define RUBATO_REPLACEMENT_OF &rubato_members::replacement
#else
#define RUBATO_REPLACEMENT_OF nullptr
#endif
#ifdef RUBATO_HAS_DIRECTION
#define RUBATO_DIRECTION_OF &rubato_members::direction
#else
#define RUBATO_DIRECTION_OF nullptr
#endif
#ifdef RUBATO_HAS_BTB
#define RUBATO_BTB_OF &rubato_members::btb
#else
#define RUBATO_BTB_OF nullptr
#endif
#ifdef RUBATO_HAS_NUM_CPUS
#define RUBATO_MOST_CORES RUBATO_NUM_CPUS
#else
#define RUBATO_MOST_CORES 0
#endif

RUBATO_PRIVATE_MODULE(RUBATO_POLICY_VERSION, sizeof(struct rubato_module), 0, RUBATO_CHAMPSIM_NAME,
                      "hooks of ChampSim's interface of 2021", nullptr, 0, nullptr, 0, rubato_members::create,
                      rubato_members::destroy, nullptr, rubato_members::run_end, RUBATO_PREFETCHER_OF,
                      RUBATO_REPLACEMENT_OF, RUBATO_DIRECTION_OF, RUBATO_BTB_OF, nullptr, RUBATO_MOST_CORES)

#endif
