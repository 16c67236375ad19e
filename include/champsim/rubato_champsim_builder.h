// Modules of ChampSim's interface of 2026: classes with virtual hooks, made from a ModuleBuilder and registered at file
// scope with champsim::modules::prefetcher::register_module<T>, or that of replacement, branch_predictor or btb, on
// rubato_champsim.h.
//
// `rubato plugin build` compiles the module's sources with RUBATO_CHAMPSIM_BUILDER, and beside them a source that
// defines RUBATO_CHAMPSIM_NAME and includes this header. Here are the base classes; all code is rubato's own.
#ifndef RUBATO_CHAMPSIM_BUILDER_H
#define RUBATO_CHAMPSIM_BUILDER_H

#include "rubato_champsim.h"

namespace champsim {

using pf_meta_t = std::uint32_t;

// Where a request comes from. Modules read its core as a member, and as the answer of a function.
struct origin {
    struct number {
        std::uint32_t value = 0;
        constexpr operator std::uint32_t() const { return value; }
        constexpr std::uint32_t operator()() const { return value; }
    } cpu;

    constexpr operator std::uint32_t() const { return cpu; }
};

namespace modules {

using cache_module = ::CACHE;
using core_module = ::O3_CPU;

// What a module is made from. It has no parameters but the sizes of lines and pages, and the defaults that modules ask
// with.
class ModuleBuilder {
    CACHE *cache_ = nullptr;
    O3_CPU *core_ = nullptr;

public:
    ModuleBuilder() = default;
    explicit ModuleBuilder(CACHE *cache) : cache_(cache) {}
    explicit ModuleBuilder(O3_CPU *core) : core_(core) {}

    template <typename T> T *get_parent() const
    {
        if constexpr (std::is_same_v<T, core_module>)
            return core_;
        else
            return cache_;
    }
    template <typename T> T get_parameter(const std::string &name, bool is_optional = false, T fallback = T{}) const
    {
        if constexpr (std::is_arithmetic_v<T>) {
            static const struct { const char *name; unsigned value; } known[] = {
                {"block_size", BLOCK_SIZE}, {"log2_block_size", LOG2_BLOCK_SIZE}, {"page_size", PAGE_SIZE},
                {"log2_page_size", LOG2_PAGE_SIZE}};

            for (auto const &one : known)
                if (name == one.name)
                    return static_cast<T>(one.value);
        }
        if (!is_optional) {
            std::fprintf(stderr, "rubato: the module needs a parameter %s, and has no default for it\n", name.c_str());
            std::abort();
        }
        return fallback;
    }
};

// A kind of modules: its base class derives from this, and of the classes registered with it the last one is made.
template <typename KIND> struct registered {
    using factory = KIND *(*)(ModuleBuilder);
    static inline factory rubato_factory = nullptr;

    template <typename T> struct register_module {
        explicit register_module(const std::string &)
        {
            rubato_factory = [](ModuleBuilder builder) -> KIND * { return new T(builder); };
        }
    };

    virtual ~registered() = default;
};

struct prefetcher : registered<prefetcher> {
    virtual void prefetcher_initialize() {}
    virtual pf_meta_t prefetcher_cache_operate(address, address, bool, bool, access_type, pf_meta_t metadata_in)
    {
        return metadata_in;
    }
    virtual pf_meta_t prefetcher_cache_fill(address, long, long, bool, address, pf_meta_t metadata_in)
    {
        return metadata_in;
    }
    virtual void prefetcher_cache_evict(address, bool) {}
    virtual void prefetcher_cycle_operate() {}
    virtual void prefetcher_branch_operate(address, std::uint8_t, address) {}
    virtual void prefetcher_final_stats() {}
};

struct replacement : registered<replacement> {
    virtual void initialize_replacement() {}
    virtual long find_victim(origin, std::uint64_t, long, const cache_block *, address, address, access_type) = 0;
    virtual void update_replacement_state(origin, long, long, address, address, address, access_type, bool) {}
    virtual void replacement_cache_fill(origin, long, long, address, address, address, access_type) {}
    virtual void replacement_final_stats() {}
};

struct branch_predictor : registered<branch_predictor> {
    virtual void initialize_branch_predictor() {}
    virtual bool predict_branch(address, address, bool, std::uint8_t) = 0;
    virtual void last_branch_result(address, address, bool, std::uint8_t) {}
};

struct btb : registered<btb> {
    virtual void initialize_btb() {}
    virtual std::pair<address, bool> btb_prediction(address, std::uint8_t) = 0;
    virtual void update_btb(address, address, bool, std::uint8_t) {}
};

}  // namespace modules
}  // namespace champsim

#ifdef RUBATO_CHAMPSIM_NAME
#include "rubato_private.h"

namespace rubato_built {

using champsim::address;
using champsim::origin;
using u64 = std::uint64_t;
using u32 = std::uint32_t;

// The hooks as rubato_champsim.h calls them.
struct prefetcher {
    std::unique_ptr<champsim::modules::prefetcher> own;

    explicit prefetcher(CACHE *cache)
        : own(champsim::modules::prefetcher::rubato_factory(champsim::modules::ModuleBuilder{cache})) {}
    void prefetcher_initialize() { own->prefetcher_initialize(); }
    u32 prefetcher_cache_operate(address a, address ip, bool hit, bool useful, access_type type, u32 metadata)
    {
        return own->prefetcher_cache_operate(a, ip, hit, useful, type, metadata);
    }
    u32 prefetcher_cache_fill(address a, long set, long way, bool prefetch, address evicted, u32 metadata)
    {
        return own->prefetcher_cache_fill(a, set, way, prefetch, evicted, metadata);
    }
#ifdef RUBATO_HAS_CYCLE
    void prefetcher_cycle_operate() { own->prefetcher_cycle_operate(); }
#endif
    void prefetcher_branch_operate(address ip, std::uint8_t type, address target)
    {
        own->prefetcher_branch_operate(ip, type, target);
    }
    void prefetcher_final_stats() { own->prefetcher_final_stats(); }
};

struct replacement {
    std::unique_ptr<champsim::modules::replacement> own;

    explicit replacement(CACHE *cache)
        : own(champsim::modules::replacement::rubato_factory(champsim::modules::ModuleBuilder{cache})) {}
    void initialize_replacement() { own->initialize_replacement(); }
    long find_victim(u32 core, u64 id, long set, const champsim::cache_block *blocks, address ip, address a,
                     access_type type)
    {
        return own->find_victim(origin{{core}}, id, set, blocks, ip, a, type);
    }
    void update_replacement_state(u32 core, long set, long way, address a, address ip, address victim, access_type type,
                                  std::uint8_t hit)
    {
        own->update_replacement_state(origin{{core}}, set, way, a, ip, victim, type, hit != 0);
    }
#ifdef RUBATO_HAS_CACHE_FILL
    void replacement_cache_fill(u32 core, long set, long way, address a, address ip, address victim, access_type type)
    {
        own->replacement_cache_fill(origin{{core}}, set, way, a, ip, victim, type);
    }
#endif
    void replacement_final_stats() { own->replacement_final_stats(); }
};

struct branch_predictor {
    std::unique_ptr<champsim::modules::branch_predictor> own;

    explicit branch_predictor(O3_CPU *core)
        : own(champsim::modules::branch_predictor::rubato_factory(champsim::modules::ModuleBuilder{core})) {}
    void initialize_branch_predictor() { own->initialize_branch_predictor(); }
    bool predict_branch(address ip, address target, std::uint8_t always_taken, std::uint8_t type)
    {
        return own->predict_branch(ip, target, always_taken != 0, type);
    }
    void last_branch_result(address ip, address target, bool taken, std::uint8_t type)
    {
        own->last_branch_result(ip, target, taken, type);
    }
};

struct btb {
    std::unique_ptr<champsim::modules::btb> own;

    explicit btb(O3_CPU *core)
        : own(champsim::modules::btb::rubato_factory(champsim::modules::ModuleBuilder{core})) {}
    void initialize_btb() { own->initialize_btb(); }
    std::pair<address, bool> btb_prediction(address ip, std::uint8_t type) { return own->btb_prediction(ip, type); }
    void update_btb(address ip, address target, bool taken, std::uint8_t type)
    {
        own->update_btb(ip, target, taken, type);
    }
};

using of_cache = rubato_champsim::of_cache<prefetcher>;

inline void evicted(void *self, const rubato_eviction *e)
{
    of_cache &own = *static_cast<of_cache *>(self);

    own.module.own->prefetcher_cache_evict(address{own.cache.virtual_prefetch ? e->virtual_address : e->address},
                                           e->unused);
}

constexpr rubato_prefetcher prefetcher_functions = {
    rubato_common::prefetcher_types, RUBATO_ON_ALL, RUBATO_CROSSES_PAGES | RUBATO_FILLS_BELOW,
    rubato_champsim::operate<prefetcher>, rubato_champsim::filled<prefetcher>, evicted,
#ifdef RUBATO_HAS_CYCLE
    rubato_champsim::cycle<prefetcher>,
#else
    nullptr,
#endif
    rubato_champsim::branch<prefetcher>};

}  // namespace rubato_built

#define RUBATO_BUILT_HEAD                                                                                              \
    RUBATO_POLICY_VERSION, sizeof(struct rubato_module), 0, RUBATO_CHAMPSIM_NAME,                                      \
        "a module of ChampSim's interface of 2026", nullptr, 0, nullptr, 0
#ifdef RUBATO_HAS_PREFETCHER
RUBATO_PRIVATE_MODULE(RUBATO_BUILT_HEAD, rubato_champsim::create_prefetcher<rubato_built::prefetcher>,
                      rubato_champsim::destroy<rubato_built::of_cache>, nullptr,
                      rubato_champsim::end_prefetcher<rubato_built::prefetcher>, &rubato_built::prefetcher_functions,
                      nullptr, nullptr, nullptr, nullptr, RUBATO_MOST_CORES, nullptr)
#elif defined RUBATO_HAS_DIRECTION
RUBATO_PRIVATE_MODULE(RUBATO_BUILT_HEAD, rubato_champsim::create_branch<rubato_built::branch_predictor>,
                      rubato_champsim::destroy<rubato_champsim::of_core<rubato_built::branch_predictor>>, nullptr,
                      nullptr, nullptr, nullptr, &rubato_champsim::direction_of<rubato_built::branch_predictor>,
                      nullptr, nullptr, RUBATO_MOST_CORES, nullptr)
#elif defined RUBATO_HAS_BTB
RUBATO_PRIVATE_MODULE(RUBATO_BUILT_HEAD, rubato_champsim::create_branch<rubato_built::btb>,
                      rubato_champsim::destroy<rubato_champsim::of_core<rubato_built::btb>>, nullptr, nullptr, nullptr,
                      nullptr, nullptr, &rubato_champsim::btb_of<rubato_built::btb>, nullptr, RUBATO_MOST_CORES,
                      nullptr)
#else
RUBATO_PRIVATE_MODULE(RUBATO_BUILT_HEAD, rubato_champsim::create_policy<rubato_built::replacement>,
                      rubato_champsim::destroy<rubato_champsim::of_policy<rubato_built::replacement>>, nullptr,
                      rubato_champsim::end_policy<rubato_built::replacement>, nullptr,
                      &rubato_champsim::replacement_of<rubato_built::replacement>, nullptr, nullptr, nullptr,
                      RUBATO_MOST_CORES, nullptr)
#endif
#endif

#endif
