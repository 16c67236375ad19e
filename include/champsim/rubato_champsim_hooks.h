// From hooks that are members of CACHE and O3_CPU (2021 to 2023, and the contests before) to the functions of a module,
// for the source that `rubato plugin build` writes. It defines RUBATO_CHAMPSIM_NAME, and RUBATO_HAS_... for each kind
// and costly hook that the module has.
#ifndef RUBATO_CHAMPSIM_HOOKS_H
#define RUBATO_CHAMPSIM_HOOKS_H

#ifdef RUBATO_CHAMPSIM_CONTEST
#include "rubato_champsim_contest_hooks.h"
#else
#include "rubato_champsim_members_hooks.h"
#endif
#include "rubato_private.h"

namespace rubato_members {

using u64 = std::uint64_t;
using u32 = std::uint32_t;
using u8 = std::uint8_t;

using rubato_common::core_of;

#ifdef RUBATO_CHAMPSIM_CONTEST
// Of 2017 no type is that of a page walk: it loads.
inline u8 type_of(u8 type)
{
    u8 const number = rubato_common::type_of(type);

    return number < NUM_TYPES ? number : LOAD;
}
#else
using rubato_common::type_of;
#endif

inline u8 branch_of(u8 kind)
{
    static const u8 types[] = {BRANCH_RETURN, BRANCH_DIRECT_CALL, BRANCH_INDIRECT_CALL, BRANCH_CONDITIONAL,
                               BRANCH_DIRECT_JUMP, BRANCH_CONDITIONAL, BRANCH_INDIRECT};
    return types[kind];
}

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

inline O3_CPU &core_at(void *self) { return *static_cast<instance *>(self)->core; }

// Are this prefetcher's hooks those of the core whose L1I it is?
inline bool core_hears(void *self) { return static_cast<instance *>(self)->core != nullptr; }

inline u32 way_of(const CACHE &cache, u32 way) { return way == RUBATO_NO_WAY ? cache.NUM_WAY : way; }

inline void took(CACHE &cache, const rubato_fill &f)
{
    if (f.way == RUBATO_NO_WAY)
        return;
    BLOCK &line = cache.rubato_lines(f.set)[f.way];

    line.ip = f.pc;
    line.cpu = core_of(f.core);
    line.instr_id = f.instruction;
}

inline u32 operate(void *self, const rubato_request *r)
{
    CACHE &cache = cache_of(self);
    u64 const where = cache.virtual_prefetch ? r->virtual_address : r->address;

    cache.rubato_hears(*r);
#ifdef RUBATO_HAS_BLOCK
    cache.rubato_see(r->set);
#endif
#ifdef RUBATO_HAS_CORE_PREFETCHER
    if (core_hears(self))
        return core_at(self).prefetcher_cache_operate(where, r->hit, r->first_use, r->metadata);
#endif
    return cache.prefetcher_cache_operate(where, r->pc, static_cast<u8>(r->hit), static_cast<bool>(r->first_use),
                                          type_of(r->type), r->metadata);
}

inline u32 filled(void *self, const rubato_fill *f)
{
    CACHE &cache = cache_of(self);
    bool const is_virtual = cache.virtual_prefetch;
    u64 const where = is_virtual ? f->virtual_address : f->address;
    u64 const evicted = is_virtual ? f->evicted_virtual_address : f->evicted_address;

    cache.rubato_fills(*f);
#ifdef RUBATO_HAS_BLOCK
    cache.rubato_see(f->set);
    took(cache, *f);
#endif
#ifdef RUBATO_HAS_CORE_PREFETCHER
    if (core_hears(self))
        return core_at(self).prefetcher_cache_fill(where, f->set, way_of(cache, f->way), f->prefetched, evicted,
                                                   f->metadata);
#endif
    return cache.prefetcher_cache_fill(where, f->set, way_of(cache, f->way), f->prefetched, evicted, f->metadata);
}

inline void cycle(void *self)
{
    CACHE &cache = cache_of(self);

#ifdef RUBATO_HAS_CORE_PREFETCHER
    if (core_hears(self))
        return core_at(self).prefetcher_cycle_operate();
#endif
    cache.prefetcher_cycle_operate();
}

inline void branch(void *self, const rubato_branch *b)
{
    CACHE &cache = cache_of(self);
    u64 const target = b->is_taken ? b->target : 0;

#ifdef RUBATO_HAS_CORE_PREFETCHER
    if (core_hears(self))
        return core_at(self).prefetcher_branch_operate(b->pc, branch_of(b->kind), target);
#endif
    cache.prefetcher_branch_operate(b->pc, branch_of(b->kind), target);
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

#if defined RUBATO_HAS_BLOCK || defined RUBATO_HAS_VICTIM_LINES
    cache.rubato_see(r->set);
#endif
    way = cache.find_victim(core_of(r->core), r->instruction, r->set, cache.rubato_lines(r->set), r->pc, r->address,
                            type_of(r->type));
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

#if defined RUBATO_CHAMPSIM_CONTEST && !defined RUBATO_CONTEST_CROSSES && !defined RUBATO_HAS_CORE_PREFETCHER
constexpr u32 page_flags = RUBATO_ANY_FRAME;
#else
constexpr u32 page_flags = RUBATO_CROSSES_PAGES;
#endif
constexpr rubato_prefetcher prefetcher = {
    rubato_common::prefetcher_types, RUBATO_ON_ALL, page_flags | RUBATO_FILLS_BELOW, operate, filled, nullptr,
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

// A module with hooks of both calls those of the core for an L1I.
inline bool is_of_core(const rubato_place &place)
{
#ifdef RUBATO_HAS_CACHE_PREFETCHER
    return std::strcmp(place.kind, "l1i") == 0;
#else
    return (void)place, true;
#endif
}

inline void *create(const rubato_host *host, const rubato_place *place, const rubato_value *, u64 *)
{
    bool const is_of_cache = place->slot == RUBATO_IS_PREFETCHER || place->slot == RUBATO_IS_REPLACEMENT;
    bool needs_core = !is_of_cache;
    CACHE *const cache = is_of_cache ? new CACHE(host, *place) : nullptr;

#ifdef RUBATO_HAS_CORE_PREFETCHER
    needs_core = needs_core || (place->slot == RUBATO_IS_PREFETCHER && is_of_core(*place));
#endif
    auto *const own = new instance{place->slot, cache, needs_core ? new O3_CPU(*place, cache) : nullptr};

    if (is_of_cache)
        cache->rubato_begin();
    switch (place->slot) {
    case RUBATO_IS_PREFETCHER:
        if (own->core)
            own->core->prefetcher_initialize();
        else
            cache->prefetcher_initialize();
        break;
    case RUBATO_IS_REPLACEMENT: cache->initialize_replacement(); break;
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

    if (slot == RUBATO_IS_PREFETCHER && core_hears(self))
        core_at(self).prefetcher_final_stats();
    else if (slot == RUBATO_IS_PREFETCHER)
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
#ifndef RUBATO_REFUSES
#define RUBATO_REFUSES nullptr
#endif
#ifdef RUBATO_CHAMPSIM_CONTEST
#define RUBATO_CHAMPSIM_TEXT "hooks of ChampSim's interface of 2017"
#else
#define RUBATO_CHAMPSIM_TEXT "hooks of ChampSim's interface of 2021"
#endif

RUBATO_PRIVATE_MODULE(RUBATO_POLICY_VERSION, sizeof(struct rubato_module), 0, RUBATO_CHAMPSIM_NAME,
                      RUBATO_CHAMPSIM_TEXT, nullptr, 0, nullptr, 0, rubato_members::create,
                      rubato_members::destroy, nullptr, rubato_members::run_end, RUBATO_PREFETCHER_OF,
                      RUBATO_REPLACEMENT_OF, RUBATO_DIRECTION_OF, RUBATO_BTB_OF, nullptr, RUBATO_MOST_CORES,
                      RUBATO_REFUSES)

#endif
