/* Which set of a cache a line goes to (gpu-traces 12.1, 12.2).
 *
 * Use: set_index_init once, then set_index_of. Units: bytes. Ownership: plain values. */
#ifndef MEMSYS_GPU_SET_INDEX_H
#define MEMSYS_GPU_SET_INDEX_H

#include <stdbool.h>

#include "base/fault.h"
#include "memsys/gpu/ipoly.h"
#include "memsys/gpu/params.h"

struct cache_index {
    enum set_index kind;
    uint64_t sets;
    unsigned line_shift, set_shift;      /* set_shift: of a power of two; else is_divided */
    bool is_divided;
    struct ipoly ipoly;
};

/* Faults name the key to change. line_bytes: a power of two. */
struct fault set_index_init(struct cache_index *index, const struct sector_cache_params *params);

/* Use set_index_of: this is its rare half. */
uint64_t set_index_hash(const struct cache_index *index, uint64_t number);

/* number: of the line, its address / line_bytes. */
static inline uint64_t set_index_of(const struct cache_index *index, uint64_t number)
{
    if (index->kind == SET_IPOLY)
        return ipoly_hash(&index->ipoly, number & (index->sets - 1), number >> index->set_shift);
    if (index->kind == SET_LINEAR && !index->is_divided)
        return number & (index->sets - 1);
    return set_index_hash(index, number);
}

#endif
