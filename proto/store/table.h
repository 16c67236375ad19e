/* A hash table of a block's items of one kind, at most STORE_BLOCK_SHAPES. The user probes the next place while the
 * present one holds another item, and clears the places it has filled. */
#ifndef PROTO_STORE_TABLE_H
#define PROTO_STORE_TABLE_H

#include <stdint.h>

#include "proto/store/format.h"

enum { STORE_TABLE_BITS = 14, STORE_TABLE = 1 << STORE_TABLE_BITS };
_Static_assert(STORE_TABLE == 4 * STORE_BLOCK_SHAPES, "never more than a quarter full");

struct store_table {
    uint16_t numbers[STORE_TABLE];   /* number + 1; 0: empty */
};

static inline uint32_t store_table_place(uint64_t hash)
{
    return (uint32_t)((hash * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - STORE_TABLE_BITS));
}

#endif
