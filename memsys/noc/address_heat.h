/* Where in memory the accesses go: how many by region of addresses, of the requests that a bus hands to a memory.
 *
 * The map has ADDRESS_HEAT_REGIONS regions of one size. It begins with small ones where the first access is; when an
 * access lies outside, regions double in size, and their counts are merged, until all fit. So small footprints are
 * seen in detail, and each access is counted exactly once.
 *
 * Use: address_heat_tap before the run, when all ports are connected. A tap sits between the interconnect and each
 * component below it: it counts requests that are accepted and changes nothing else; without it nothing is counted.
 * Ownership: the map must outlive the last request and not move; address_heat_free gives back the taps. */
#ifndef MEMSYS_NOC_ADDRESS_HEAT_H
#define MEMSYS_NOC_ADDRESS_HEAT_H

#include "base/fault.h"
#include "memsys/noc/noc.h"

enum { ADDRESS_HEAT_REGIONS = 256, ADDRESS_HEAT_FIRST_SHIFT = 12 };

struct address_heat_tap;

struct address_heat {
    uint64_t base;                       /* of region 0; a multiple of the size of a region */
    uint64_t shift;                      /* a region has 2^shift bytes; 0: nothing was counted yet */
    uint64_t counts[ADDRESS_HEAT_REGIONS];
    struct address_heat_tap *taps;
    unsigned tap_count;
};

/* Counts the requests through all memory-side ports of the interconnect; to be called once. FAULT_MEMORY. */
struct fault address_heat_tap(struct address_heat *heat, struct noc *noc);
void address_heat_free(struct address_heat *heat);
/* Counts 0; base and size of the regions stay. */
void address_heat_reset(struct address_heat *heat);

/* Use address_heat_count: this is its half for addresses outside. */
void address_heat_grow(struct address_heat *heat, uint64_t address);

static inline void address_heat_count(struct address_heat *heat, uint64_t address)
{
    if (heat->shift == 0 || address < heat->base
        || (address - heat->base) >> heat->shift >= ADDRESS_HEAT_REGIONS)
        address_heat_grow(heat, address);
    heat->counts[(address - heat->base) >> heat->shift]++;
}

#endif
