// Modules written for ChampSim's interface of 2024 (classes of champsim::modules with overloads), on rubato_policy.h.
//
// `rubato plugin build` finds the class of a source and compiles it with this header and a line
// RUBATO_CHAMPSIM_PREFETCHER(NAME) or the like. A hook has several forms; the first of them that the class has is
// called, as in ChampSim. Names, hooks and types are those that modules use; all code here is rubato's own.
//
// Not here: what needs ChampSim's own core or channels. A module that names such a thing does not compile, and the
// compiler says where.
#ifdef RUBATO_CHAMPSIM_CONTEST
#include "rubato_champsim_contest.h"
#elif defined RUBATO_CHAMPSIM_MEMBERS
#include "rubato_champsim_members.h"
#elif !defined RUBATO_CHAMPSIM_H
#define RUBATO_CHAMPSIM_H

#include <array>
#include <cassert>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "rubato_champsim_common.h"

enum class access_type : unsigned { LOAD = 0, RFO, PREFETCH, WRITE, TRANSLATION, NUM_TYPES };
constexpr unsigned LOAD = 0, RFO = 1, PREFETCH = 2, WRITE = 3, TRANSLATION = 4;

enum branch_type {
    BRANCH_DIRECT_JUMP = 0, BRANCH_INDIRECT, BRANCH_CONDITIONAL, BRANCH_DIRECT_CALL, BRANCH_INDIRECT_CALL,
    BRANCH_RETURN, BRANCH_OTHER, NOT_BRANCH
};

namespace champsim {

template <typename T> constexpr auto to_underlying(T value) { return static_cast<std::underlying_type_t<T>>(value); }

using rubato_common::bitmask;
using rubato_common::is_power_of_2;
using rubato_common::lg2;

namespace data {
enum class bits : std::uint64_t {};
struct bytes {
    long long value;
    constexpr explicit bytes(long long count) : value(count) {}
    constexpr long long count() const { return value; }
};
namespace data_literals {
constexpr bits operator""_b(unsigned long long value) { return bits{value}; }
constexpr bytes operator""_B(unsigned long long value) { return bytes{static_cast<long long>(value)}; }
constexpr bytes operator""_kiB(unsigned long long value) { return bytes{static_cast<long long>(value << 10)}; }
constexpr bytes operator""_MiB(unsigned long long value) { return bytes{static_cast<long long>(value << 20)}; }
}  // namespace data_literals
}  // namespace data

// Bits [low, high) of an address.
template <unsigned High, unsigned Low> class slice {
    std::uint64_t value_ = 0;        // without the bits below Low

public:
    using underlying_type = std::uint64_t;
    using difference_type = std::int64_t;

    constexpr slice() = default;
    constexpr explicit slice(std::uint64_t value) : value_(value & bits()) {}
    template <unsigned H, unsigned L>
    constexpr explicit slice(slice<H, L> other) : value_(other.full() >> Low & bits()) {}

    static constexpr std::uint64_t bits()
    {
        return High - Low >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << (High - Low)) - 1;
    }
    constexpr std::uint64_t full() const { return value_ << Low; }
    template <typename T> constexpr T to() const { return static_cast<T>(value_); }

    constexpr bool operator==(slice other) const { return value_ == other.value_; }
    constexpr bool operator!=(slice other) const { return value_ != other.value_; }
    constexpr bool operator<(slice other) const { return value_ < other.value_; }
    constexpr bool operator>(slice other) const { return value_ > other.value_; }
    constexpr bool operator<=(slice other) const { return value_ <= other.value_; }
    constexpr bool operator>=(slice other) const { return value_ >= other.value_; }
    constexpr slice operator+(difference_type d) const { return slice{value_ + static_cast<std::uint64_t>(d)}; }
    constexpr slice operator-(difference_type d) const { return slice{value_ - static_cast<std::uint64_t>(d)}; }
    constexpr slice &operator+=(difference_type d) { return *this = *this + d; }
    constexpr slice &operator-=(difference_type d) { return *this = *this - d; }
    constexpr slice &operator++() { return *this += 1; }
    constexpr slice &operator--() { return *this -= 1; }
    constexpr slice operator++(int) { slice const before = *this; ++*this; return before; }
    constexpr slice operator--(int) { slice const before = *this; --*this; return before; }

    template <typename B> slice<64, 0> slice_upper(B begin) const
    {
        return slice<64, 0>{value_ >> static_cast<std::uint64_t>(begin)};
    }
    template <typename B> slice<64, 0> slice_lower(B end) const
    {
        return slice<64, 0>{value_ & ((std::uint64_t{1} << static_cast<std::uint64_t>(end)) - 1)};
    }
};

using address = slice<64, 0>;
using block_number = slice<64, LOG2_BLOCK_SIZE>;
using block_offset = slice<LOG2_BLOCK_SIZE, 0>;
using page_number = slice<64, LOG2_PAGE_SIZE>;
using page_offset = slice<LOG2_PAGE_SIZE, 0>;

template <unsigned H, unsigned L> constexpr std::int64_t offset(slice<H, L> from, slice<H, L> to)
{
    return static_cast<std::int64_t>(to.template to<std::uint64_t>() - from.template to<std::uint64_t>());
}
template <unsigned H, unsigned L> constexpr std::uint64_t uoffset(slice<H, L> from, slice<H, L> to)
{
    return to.template to<std::uint64_t>() - from.template to<std::uint64_t>();
}
// The upper bits of one slice and the lower bits of another.
template <unsigned H, unsigned L> constexpr address splice(slice<64, H> upper, slice<H, L> lower)
{
    return address{upper.full() | lower.full()};
}

struct cache_block {
    bool valid = false, prefetch = false, dirty = false;
    champsim::address address{}, v_address{}, data{};
    std::uint32_t pf_metadata = 0;
};

}  // namespace champsim

using CACHE_BLOCK = champsim::cache_block;

// What modules read of their cache.
class CACHE {
    const rubato_host *host_;

    std::vector<std::size_t> one(std::size_t value) const { return {value}; }

public:
    std::string NAME;
    std::uint32_t cpu = 0, NUM_SET = 0, NUM_WAY = 0, MSHR_SIZE = 0, HIT_LATENCY = 0;
    std::size_t PQ_SIZE = 0;
    bool virtual_prefetch = false;

    CACHE(const rubato_host *host, const rubato_place &place)
        : host_(host), NAME(place.name), cpu(place.core == RUBATO_NO_CORE ? 0 : place.core), NUM_SET(place.sets),
          NUM_WAY(place.ways), MSHR_SIZE(place.mshrs), HIT_LATENCY(place.hit_cycles), PQ_SIZE(place.prefetch_queue),
          virtual_prefetch(place.is_virtual) {}

    bool prefetch_line(champsim::address address, bool fill_this_level, std::uint32_t metadata)
    {
        return host_->prefetch(host_, address.to<std::uint64_t>(), fill_this_level ? 0 : 1, metadata);
    }
    bool prefetch_line(std::uint64_t address, bool fill_this_level, std::uint32_t metadata)
    {
        return prefetch_line(champsim::address{address}, fill_this_level, metadata);
    }
    // Of the 2021 form; the first two do not count.
    bool prefetch_line(std::uint64_t, std::uint64_t, std::uint64_t address, bool fill_this_level,
                       std::uint32_t metadata)
    {
        return prefetch_line(address, fill_this_level, metadata);
    }
    std::uint64_t current_cycle() const { return host_->cycle(host_); }
    std::size_t get_mshr_occupancy() const { return host_->occupancy(host_, RUBATO_MSHRS); }
    std::size_t get_mshr_size() const { return MSHR_SIZE; }
    double get_mshr_occupancy_ratio() const
    {
        return static_cast<double>(get_mshr_occupancy()) / static_cast<double>(MSHR_SIZE);
    }
    std::vector<std::size_t> get_pq_occupancy() const { return one(host_->occupancy(host_, RUBATO_PREFETCH_QUEUE)); }
    std::vector<std::size_t> get_pq_size() const { return one(host_->capacity(host_, RUBATO_PREFETCH_QUEUE)); }
    std::vector<std::size_t> get_rq_occupancy() const { return one(host_->occupancy(host_, RUBATO_READ_QUEUE)); }
    std::vector<std::size_t> get_rq_size() const { return one(host_->capacity(host_, RUBATO_READ_QUEUE)); }
    std::vector<std::size_t> get_wq_occupancy() const { return one(host_->occupancy(host_, RUBATO_WRITE_QUEUE)); }
    std::vector<std::size_t> get_wq_size() const { return one(host_->capacity(host_, RUBATO_WRITE_QUEUE)); }
    long get_set_index(champsim::address address) const
    {
        return host_->set_of(host_, address.to<std::uint64_t>());
    }
    std::uint64_t retired(std::uint32_t core) const { return host_->retired(host_, core); }
    unsigned bandwidth() const { return host_->memory_bandwidth(host_); }
    champsim::cache_block block_at(std::uint32_t set, std::uint32_t way) const
    {
        rubato_line line;
        champsim::cache_block block;

        host_->line(host_, set, way, &line);
        block.valid = line.is_valid;
        block.dirty = line.is_dirty;
        block.prefetch = line.is_prefetched;
        block.address = champsim::address{line.address};
        block.v_address = champsim::address{line.virtual_address};
        block.pf_metadata = line.metadata;
        return block;
    }
};

class O3_CPU {
public:
    std::uint32_t cpu = 0;

    explicit O3_CPU(const rubato_place &place) : cpu(rubato_common::core_of(place.core)) {}
};

#ifndef RUBATO_CHAMPSIM_BUILDER
namespace champsim::modules {

struct prefetcher {
    CACHE *intern_;

    explicit prefetcher(CACHE *cache) : intern_(cache) {}
    bool prefetch_line(champsim::address address, bool fill_this_level, std::uint32_t metadata) const
    {
        return intern_->prefetch_line(address, fill_this_level, metadata);
    }
    bool prefetch_line(std::uint64_t address, bool fill_this_level, std::uint32_t metadata) const
    {
        return intern_->prefetch_line(address, fill_this_level, metadata);
    }
};

struct replacement {
    CACHE *intern_;

    explicit replacement(CACHE *cache) : intern_(cache) {}
};

struct branch_predictor {
    O3_CPU *intern_;

    explicit branch_predictor(O3_CPU *core) : intern_(core) {}
};

struct btb {
    O3_CPU *intern_;

    explicit btb(O3_CPU *core) : intern_(core) {}
};

}  // namespace champsim::modules
#endif

// ---- from hooks to the functions of a module

namespace rubato_champsim {

// Has the class that hook with these arguments?
#define RUBATO_CHAMPSIM_HOOK(hook)                                                                                     \
    template <typename T, typename... A> struct has_##hook {                                                           \
        template <typename U>                                                                                          \
        static auto test(int) -> decltype(std::declval<U &>().hook(std::declval<A>()...), std::true_type{});           \
        template <typename> static std::false_type test(...);                                                          \
        static constexpr bool value = decltype(test<T>(0))::value;                                                     \
    };
RUBATO_CHAMPSIM_HOOK(prefetcher_initialize)
RUBATO_CHAMPSIM_HOOK(prefetcher_cache_operate)
RUBATO_CHAMPSIM_HOOK(prefetcher_cache_fill)
RUBATO_CHAMPSIM_HOOK(prefetcher_cycle_operate)
RUBATO_CHAMPSIM_HOOK(prefetcher_final_stats)
RUBATO_CHAMPSIM_HOOK(prefetcher_branch_operate)
RUBATO_CHAMPSIM_HOOK(initialize_replacement)
RUBATO_CHAMPSIM_HOOK(find_victim)
RUBATO_CHAMPSIM_HOOK(update_replacement_state)
RUBATO_CHAMPSIM_HOOK(replacement_cache_fill)
RUBATO_CHAMPSIM_HOOK(replacement_final_stats)
RUBATO_CHAMPSIM_HOOK(initialize_branch_predictor)
RUBATO_CHAMPSIM_HOOK(predict_branch)
RUBATO_CHAMPSIM_HOOK(last_branch_result)
RUBATO_CHAMPSIM_HOOK(initialize_btb)
RUBATO_CHAMPSIM_HOOK(btb_prediction)
RUBATO_CHAMPSIM_HOOK(update_btb)

using champsim::address;
using u64 = std::uint64_t;
using u32 = std::uint32_t;
using u8 = std::uint8_t;

using rubato_common::prefetcher_types;

inline access_type type_of(u8 type) { return static_cast<access_type>(rubato_common::type_of(type)); }

inline u8 branch_of(u8 kind)
{
    static const u8 types[] = {BRANCH_RETURN, BRANCH_DIRECT_CALL, BRANCH_INDIRECT_CALL, BRANCH_CONDITIONAL,
                               BRANCH_DIRECT_JUMP, BRANCH_CONDITIONAL, BRANCH_INDIRECT};
    return types[kind];
}

template <typename T> struct of_cache {
    CACHE cache;
    T module;

    of_cache(const rubato_host *host, const rubato_place &place) : cache(host, place), module(&cache) {}
};

template <typename T> void destroy(void *self) { delete static_cast<T *>(self); }

// ---- prefetchers

template <typename T>
void *create_prefetcher(const rubato_host *host, const rubato_place *place, const rubato_value *, u64 *)
{
    auto *const self = new of_cache<T>{host, *place};

    if constexpr (has_prefetcher_initialize<T>::value)
        self->module.prefetcher_initialize();
    return self;
}

template <typename T> u32 operate(void *self, const rubato_request *r)
{
    auto &own = *static_cast<of_cache<T> *>(self);
    T &m = own.module;
    u64 const where = own.cache.virtual_prefetch ? r->virtual_address : r->address;
    address const a{where}, ip{r->pc};
    access_type const type = type_of(r->type);
    u8 const number = static_cast<u8>(type);

    if constexpr (has_prefetcher_cache_operate<T, address, address, bool, bool, access_type, u32>::value)
        return m.prefetcher_cache_operate(a, ip, r->hit, r->first_use, type, r->metadata);
    else if constexpr (has_prefetcher_cache_operate<T, address, address, u8, bool, u8, u32>::value)
        return m.prefetcher_cache_operate(a, ip, static_cast<u8>(r->hit), r->first_use, number, r->metadata);
    else if constexpr (has_prefetcher_cache_operate<T, u64, u64, u8, bool, u8, u32>::value)
        return m.prefetcher_cache_operate(where, r->pc, static_cast<u8>(r->hit), r->first_use, number, r->metadata);
    else if constexpr (has_prefetcher_cache_operate<T, u64, u64, u8, u8, u32>::value)
        return m.prefetcher_cache_operate(where, r->pc, static_cast<u8>(r->hit), number, r->metadata);
    else
        return r->metadata;
}

template <typename T> u32 filled(void *self, const rubato_fill *f)
{
    auto &own = *static_cast<of_cache<T> *>(self);
    T &m = own.module;
    bool const is_virtual = own.cache.virtual_prefetch;
    u64 const where = is_virtual ? f->virtual_address : f->address;
    u64 const evicted = is_virtual ? f->evicted_virtual_address : f->evicted_address;
    long const way = f->way == RUBATO_NO_WAY ? own.cache.NUM_WAY : f->way;
    long const set = f->set;

    if constexpr (has_prefetcher_cache_fill<T, address, long, long, bool, address, u32>::value)
        return m.prefetcher_cache_fill(address{where}, set, way, f->prefetched, address{evicted}, f->metadata);
    else if constexpr (has_prefetcher_cache_fill<T, u64, long, long, bool, u64, u32>::value)
        return m.prefetcher_cache_fill(where, set, way, f->prefetched, evicted, f->metadata);
    else
        return f->metadata;
}

template <typename T> void cycle(void *self)
{
    if constexpr (has_prefetcher_cycle_operate<T>::value)
        static_cast<of_cache<T> *>(self)->module.prefetcher_cycle_operate();
}

template <typename T> void branch(void *self, const rubato_branch *b)
{
    T &m = static_cast<of_cache<T> *>(self)->module;

    (void)m, (void)b;
    if constexpr (has_prefetcher_branch_operate<T, address, u8, address>::value)
        m.prefetcher_branch_operate(address{b->pc}, branch_of(b->kind), address{b->is_taken ? b->target : 0});
    else if constexpr (has_prefetcher_branch_operate<T, u64, u8, u64>::value)
        m.prefetcher_branch_operate(b->pc, branch_of(b->kind), b->is_taken ? b->target : 0);
}

template <typename T> void end_prefetcher(void *self)
{
    if constexpr (has_prefetcher_final_stats<T>::value)
        static_cast<of_cache<T> *>(self)->module.prefetcher_final_stats();
}

template <typename T> constexpr rubato_prefetcher prefetcher_of = {
    prefetcher_types, RUBATO_ON_ALL, RUBATO_CROSSES_PAGES | RUBATO_FILLS_BELOW, operate<T>, filled<T>, nullptr,
    has_prefetcher_cycle_operate<T>::value ? cycle<T> : nullptr, branch<T>};

// ---- replacement

template <typename T> struct of_policy : of_cache<T> {
    std::vector<champsim::cache_block> set;

    using of_cache<T>::of_cache;
};

template <typename T>
void *create_policy(const rubato_host *host, const rubato_place *place, const rubato_value *, u64 *)
{
    auto *const self = new of_policy<T>{host, *place};

    self->set.resize(place->ways);
    if constexpr (has_initialize_replacement<T>::value)
        self->module.initialize_replacement();
    return self;
}

template <typename T> void update(of_policy<T> &own, const rubato_request &r, u64 evicted, long way)
{
    T &m = own.module;
    u32 const core = r.core == RUBATO_NO_CORE ? 0 : r.core;
    address const a{r.address}, ip{r.pc}, victim{evicted};
    access_type const type = type_of(r.type);
    long const set = r.set;
    u8 const hit = r.hit;

    if constexpr (has_update_replacement_state<T, u32, long, long, address, address, address, access_type, u8>::value)
        m.update_replacement_state(core, set, way, a, ip, victim, type, hit);
    else if constexpr (has_update_replacement_state<T, u32, long, long, address, address, access_type, u8>::value)
        m.update_replacement_state(core, set, way, a, ip, type, hit);
    else if constexpr (has_update_replacement_state<T, u32, long, long, u64, u64, u64, unsigned, u8>::value)
        m.update_replacement_state(core, set, way, r.address, r.pc, evicted, static_cast<unsigned>(type), hit);
}

template <typename T> constexpr bool has_fill_hook
    = has_replacement_cache_fill<T, u32, long, long, address, address, address, access_type>::value;

// A miss calls this only for policies whose fills have a hook of their own.
template <typename T> void policy_access(void *self, const rubato_request *r)
{
    auto &own = *static_cast<of_policy<T> *>(self);

    if (r->hit)
        update(own, *r, 0, r->way);
    else if (has_fill_hook<T>)
        update(own, *r, 0, own.cache.NUM_WAY);
}

template <typename T> void policy_fill(void *self, const rubato_fill *f)
{
    auto &own = *static_cast<of_policy<T> *>(self);
    u32 const core = f->core == RUBATO_NO_CORE ? 0 : f->core;
    long const way = f->way == RUBATO_NO_WAY ? own.cache.NUM_WAY : f->way;
    rubato_request request = {};

    if constexpr (has_fill_hook<T>) {
        own.module.replacement_cache_fill(core, long{f->set}, way, address{f->address}, address{f->pc},
                                          address{f->evicted_address}, type_of(f->type));
        return;
    }
    request.address = f->address;
    request.pc = f->pc;
    request.set = f->set;
    request.core = core;
    request.type = f->type;
    update(own, request, f->evicted_address, way);
}

template <typename T> u32 policy_victim(void *self, const rubato_request *r)
{
    auto &own = *static_cast<of_policy<T> *>(self);
    u32 const core = r->core == RUBATO_NO_CORE ? 0 : r->core;
    const champsim::cache_block *const set = own.set.data();
    long const number = r->set;
    access_type const type = type_of(r->type);
    long way;

    for (u32 i = 0; i < own.cache.NUM_WAY; i++)
        own.set[i] = own.cache.block_at(r->set, i);
    if constexpr (has_find_victim<T, u32, u64, long, const champsim::cache_block *, address, address,
                                  access_type>::value)
        way = static_cast<long>(own.module.find_victim(core, r->instruction, number, set, address{r->pc},
                                                       address{r->address}, type));
    else
        way = static_cast<long>(own.module.find_victim(core, r->instruction, number, set, r->pc, r->address,
                                                       static_cast<unsigned>(type)));
    return way >= 0 && way < static_cast<long>(own.cache.NUM_WAY) ? static_cast<u32>(way) : RUBATO_BYPASS;
}

template <typename T> void end_policy(void *self)
{
    if constexpr (has_replacement_final_stats<T>::value)
        static_cast<of_policy<T> *>(self)->module.replacement_final_stats();
}

template <typename T> constexpr rubato_replacement replacement_of = {policy_access<T>, policy_victim<T>,
                                                                     policy_fill<T>, nullptr};

// ---- branches: predicted and trained in ChampSim's order, at once; here training follows when the branch commits

template <typename T> struct of_core {
    O3_CPU core;
    T module{&core};

    explicit of_core(const rubato_place &place) : core(place) {}
};

template <typename T>
void *create_branch(const rubato_host *, const rubato_place *place, const rubato_value *, u64 *)
{
    auto *const self = new of_core<T>{*place};

    if constexpr (has_initialize_branch_predictor<T>::value)
        self->module.initialize_branch_predictor();
    if constexpr (has_initialize_btb<T>::value)
        self->module.initialize_btb();
    return self;
}

template <typename T> bool predict(void *self, void *, const rubato_branch *b)
{
    T &m = static_cast<of_core<T> *>(self)->module;
    u8 const type = branch_of(b->kind);

    if constexpr (has_predict_branch<T, address, address, u8, u8>::value)
        return m.predict_branch(address{b->pc}, address{}, u8{0}, type);
    else if constexpr (has_predict_branch<T, address>::value)
        return m.predict_branch(address{b->pc});
    else if constexpr (has_predict_branch<T, u64, u64, u8, u8>::value)
        return m.predict_branch(b->pc, u64{0}, u8{0}, type);
    else
        return m.predict_branch(b->pc);
}

template <typename T> void train(void *self, void *, const rubato_branch *b)
{
    T &m = static_cast<of_core<T> *>(self)->module;
    u8 const type = branch_of(b->kind);
    u64 const target = b->is_taken ? b->target : 0;

    if constexpr (has_last_branch_result<T, address, address, bool, u8>::value)
        m.last_branch_result(address{b->pc}, address{target}, b->is_taken, type);
    else
        m.last_branch_result(b->pc, target, b->is_taken, type);
}

template <typename T> constexpr rubato_direction direction_of = {0, predict<T>, nullptr, nullptr, nullptr, train<T>};

template <typename T> bool find(void *self, const rubato_branch *b, u64 *target, bool *always_taken)
{
    T &m = static_cast<of_core<T> *>(self)->module;
    u8 const type = branch_of(b->kind);

    auto const take = [&](auto const &answer) {
        if constexpr (std::is_convertible_v<decltype(answer.first), u64>)
            *target = answer.first;
        else
            *target = answer.first.template to<u64>();
        *always_taken = answer.second != 0;
        // Without a target a conditional branch goes where its direction says, and to 0 if that is taken.
        return *target != 0 || b->is_conditional;
    };
    if constexpr (has_btb_prediction<T, address, u8>::value)
        return take(m.btb_prediction(address{b->pc}, type));
    else if constexpr (has_btb_prediction<T, address>::value)
        return take(m.btb_prediction(address{b->pc}));
    else if constexpr (has_btb_prediction<T, u64, u8>::value)
        return take(m.btb_prediction(b->pc, type));
    else
        return take(m.btb_prediction(b->pc));
}

template <typename T> void learn(void *self, const rubato_branch *b)
{
    T &m = static_cast<of_core<T> *>(self)->module;
    u8 const type = branch_of(b->kind);
    u64 const target = b->is_taken ? b->target : 0;

    if constexpr (has_update_btb<T, address, address, bool, u8>::value)
        m.update_btb(address{b->pc}, address{target}, b->is_taken, type);
    else
        m.update_btb(b->pc, target, static_cast<u8>(b->is_taken), type);
}

template <typename T> constexpr rubato_btb btb_of = {find<T>, nullptr, learn<T>};

}  // namespace rubato_champsim

// Of rubato_private.h, which the source of the macros' use includes.
#define RUBATO_CHAMPSIM_HEAD(NAME, text)                                                                               \
    RUBATO_POLICY_VERSION, sizeof(struct rubato_module), 0, #NAME, text, nullptr, 0, nullptr, 0
#define RUBATO_CHAMPSIM_PREFETCHER(NAME)                                                                               \
    RUBATO_PRIVATE_MODULE(                                                                                             \
        RUBATO_CHAMPSIM_HEAD(NAME, "a prefetcher for ChampSim"), rubato_champsim::create_prefetcher<NAME>,             \
        rubato_champsim::destroy<rubato_champsim::of_cache<NAME>>, nullptr, rubato_champsim::end_prefetcher<NAME>,     \
        &rubato_champsim::prefetcher_of<NAME>, nullptr, nullptr, nullptr, nullptr, RUBATO_MOST_CORES, nullptr)
#define RUBATO_CHAMPSIM_REPLACEMENT(NAME)                                                                              \
    RUBATO_PRIVATE_MODULE(                                                                                             \
        RUBATO_CHAMPSIM_HEAD(NAME, "a replacement policy for ChampSim"), rubato_champsim::create_policy<NAME>,         \
        rubato_champsim::destroy<rubato_champsim::of_policy<NAME>>, nullptr, rubato_champsim::end_policy<NAME>,        \
        nullptr, &rubato_champsim::replacement_of<NAME>, nullptr, nullptr, nullptr, RUBATO_MOST_CORES, nullptr)
#define RUBATO_CHAMPSIM_BRANCH_PREDICTOR(NAME)                                                                         \
    RUBATO_PRIVATE_MODULE(                                                                                             \
        RUBATO_CHAMPSIM_HEAD(NAME, "a direction predictor for ChampSim"), rubato_champsim::create_branch<NAME>,        \
        rubato_champsim::destroy<rubato_champsim::of_core<NAME>>, nullptr, nullptr, nullptr, nullptr,                  \
        &rubato_champsim::direction_of<NAME>, nullptr, nullptr, RUBATO_MOST_CORES, nullptr)
#define RUBATO_CHAMPSIM_BTB(NAME)                                                                                      \
    RUBATO_PRIVATE_MODULE(                                                                                             \
        RUBATO_CHAMPSIM_HEAD(NAME, "a branch target buffer for ChampSim"), rubato_champsim::create_branch<NAME>,       \
        rubato_champsim::destroy<rubato_champsim::of_core<NAME>>, nullptr, nullptr, nullptr, nullptr, nullptr,         \
        &rubato_champsim::btb_of<NAME>, nullptr, RUBATO_MOST_CORES, nullptr)

#ifdef RUBATO_CHAMPSIM_BUILDER
#include "rubato_champsim_builder.h"
#endif

#endif
