// What the headers of all generations of ChampSim's interface share: constants and helpers of these names.
#ifndef RUBATO_CHAMPSIM_COMMON_H
#define RUBATO_CHAMPSIM_COMMON_H

#include <cstddef>
#include <cstdint>

#include <rubato_policy.h>

#ifndef RUBATO_NUM_CPUS
#define RUBATO_NUM_CPUS 1
#endif

// A macro in the oldest generation, which names it in #if.
#ifndef RUBATO_CHAMPSIM_CONTEST
constexpr std::size_t NUM_CPUS = RUBATO_NUM_CPUS;
constexpr unsigned BLOCK_SIZE = 64, LOG2_BLOCK_SIZE = 6;
constexpr unsigned PAGE_SIZE = 4096, LOG2_PAGE_SIZE = 12;
#endif

// Arrays of a module may be as long as NUM_CPUS: systems with more cores are refused.
#ifdef RUBATO_HAS_NUM_CPUS
#define RUBATO_MOST_CORES RUBATO_NUM_CPUS
#else
#define RUBATO_MOST_CORES 0
#endif

namespace rubato_common {

constexpr unsigned lg2(std::uint64_t value) { return value < 2 ? 0 : 1 + lg2(value / 2); }
constexpr std::uint64_t bitmask(std::size_t begin, std::size_t end = 0)
{
    return (begin - end >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << (begin - end)) - 1) << end;
}
constexpr bool is_power_of_2(std::uint64_t value) { return value != 0 && (value & (value - 1)) == 0; }

// The number of an access's type in all generations: load 0, RFO 1, prefetch 2, write or write-back 3, translation 4.
inline std::uint8_t type_of(std::uint8_t type)
{
    switch (type) {
    case RUBATO_TYPE_RFO:
    case RUBATO_TYPE_UPGRADE: return 1;
    case RUBATO_TYPE_PREFETCH: return 2;
    case RUBATO_TYPE_WRITE:
    case RUBATO_TYPE_WRITEBACK: return 3;
    case RUBATO_TYPE_TRANSLATION: return 4;
    default: return 0;
    }
}

inline std::uint32_t core_of(std::uint32_t core) { return core == RUBATO_NO_CORE ? 0 : core; }

// Types that prefetchers see by default: loads (of instructions, too) and prefetches from above.
constexpr std::uint32_t prefetcher_types
    = 1u << RUBATO_TYPE_LOAD | 1u << RUBATO_TYPE_FETCH | 1u << RUBATO_TYPE_PREFETCH;

}  // namespace rubato_common

#endif
