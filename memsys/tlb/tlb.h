/* An array of translations: sets of ways, least recently used goes first (virtual-memory 4.1). Page-walk caches are
 * such arrays of one set, too.
 *
 * Use: tlb_init, tlb_free; tlb_find marks an entry as used last, tlb_put makes one. A key is the number of a space and
 * the translated part of an address: its page number, or its part above a table. Keys differ, whichever page size they
 * are of: tlb_key. No entries at all: nothing is found, and nothing put. */
#ifndef MEMSYS_TLB_TLB_H
#define MEMSYS_TLB_TLB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"

/* what: the address >> shift. kind: of the key, so that pages of two sizes can share an array. */
struct tlb_key {
    uint64_t number;                     /* address >> shift: low bits choose the set */
    uint32_t space;                      /* from 1 on; 0: no entry */
    uint32_t shift;
};

static inline struct tlb_key tlb_key(unsigned space, uint64_t address, unsigned shift)
{
    return (struct tlb_key){address >> shift, space, shift};
}

static inline bool tlb_keys_are_equal(struct tlb_key a, struct tlb_key b)
{
    return a.number == b.number && a.space == b.space && a.shift == b.shift;
}

struct tlb_entry {
    struct tlb_key key;
    uint64_t used;                       /* when last, in uses of the array */
};

struct tlb {
    struct tlb_entry *entries;           /* set by set */
    uint64_t set_mask, assoc, uses;
    bool is_there;
};

/* entries: 0, or a power of two times assoc (checked by the configuration). FAULT_MEMORY. */
struct fault tlb_init(struct tlb *tlb, uint64_t entries, uint64_t assoc);
void tlb_free(struct tlb *tlb);

bool tlb_find(struct tlb *tlb, struct tlb_key key);
/* The key must not be there; an entry that is not used yet is taken first. */
void tlb_put(struct tlb *tlb, struct tlb_key key);

#endif
