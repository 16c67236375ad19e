// From the five functions of CRC-2's kit to a module. The source that `rubato plugin build` writes includes the
// policy's own before, so that NUM_CORE, LLC_SETS and LLC_WAYS are known.
#ifndef RUBATO_CRC2_H
#define RUBATO_CRC2_H

#include <vector>

#include "champsim_crc2.h"

#include <rubato_champsim_common.h>
#include <rubato_private.h>

namespace rubato_crc2 {

struct policy {
    const rubato_host *host;
    uint32_t ways;
    std::vector<BLOCK> set;
};

// Types are those of 2017: a page walk loads.
inline uint32_t type_of(uint8_t type)
{
    uint32_t const number = rubato_common::type_of(type);

    return number < NUM_TYPES ? number : LOAD;
}

inline void *create(const rubato_host *host, const rubato_place *place, const rubato_value *, uint64_t *)
{
    InitReplacementState();
    return new policy{host, place->ways, std::vector<BLOCK>(place->ways)};
}

inline void destroy(void *self) { delete static_cast<policy *>(self); }

inline void run_end(void *) { PrintStats(); }

inline void update(uint32_t core, uint32_t set, uint32_t way, uint64_t address, uint64_t pc, uint64_t evicted,
                   uint8_t type, bool hit)
{
    UpdateReplacementState(rubato_common::core_of(core), set, way, address, pc, evicted, type_of(type), hit);
}

inline void access(void *, const rubato_request *r)
{
    if (r->hit)
        update(r->core, r->set, r->way, r->address, r->pc, 0, r->type, true);
}

inline uint32_t victim(void *self, const rubato_request *r)
{
    policy &own = *static_cast<policy *>(self);
    uint32_t way;

    for (uint32_t i = 0; i < own.ways; i++) {
        rubato_line line;

        own.host->line(own.host, r->set, i, &line);
        own.set[i].valid = line.is_valid;
        own.set[i].dirty = line.is_dirty;
        own.set[i].prefetch = line.is_prefetched;
        own.set[i].used = !line.is_prefetched;
        own.set[i].full_addr = line.address;
        own.set[i].address = own.set[i].tag = line.address >> 6;
    }
    way = GetVictimInSet(rubato_common::core_of(r->core), r->set, own.set.data(), r->pc, r->address, type_of(r->type));
    return way < own.ways ? way : RUBATO_BYPASS;
}

inline void filled(void *self, const rubato_fill *f)
{
    uint32_t const ways = static_cast<policy *>(self)->ways;

    update(f->core, f->set, f->way == RUBATO_NO_WAY ? ways : f->way, f->address, f->pc, f->evicted_address, f->type,
           false);
}

#if defined LLC_SETS && defined LLC_WAYS
// Arrays of a policy have the size that it defines.
inline const char *refuses(const rubato_place *place)
{
    static char text[160];

    if (place->sets <= LLC_SETS && place->ways == LLC_WAYS)
        return nullptr;
    snprintf(text, sizeof text, "it is made for %u sets of %u ways (LLC_SETS, LLC_WAYS), and the cache has %u of %u; "
             "change one of them", static_cast<unsigned>(LLC_SETS), static_cast<unsigned>(LLC_WAYS), place->sets,
             place->ways);
    return text;
}
#define RUBATO_CRC2_REFUSES rubato_crc2::refuses
#else
#define RUBATO_CRC2_REFUSES nullptr
#endif

#ifdef NUM_CORE
constexpr uint32_t most_cores = NUM_CORE;
#else
constexpr uint32_t most_cores = 0;
#endif

constexpr rubato_replacement replacement = {access, victim, filled, nullptr};

}  // namespace rubato_crc2

RUBATO_PRIVATE_MODULE(RUBATO_POLICY_VERSION, sizeof(struct rubato_module), 0, RUBATO_CHAMPSIM_NAME,
                      "a policy for CRC-2's kit", nullptr, 0, nullptr, 0, rubato_crc2::create, rubato_crc2::destroy,
                      nullptr, rubato_crc2::run_end, nullptr, &rubato_crc2::replacement, nullptr, nullptr, nullptr,
                      rubato_crc2::most_cores, RUBATO_CRC2_REFUSES)

#endif
