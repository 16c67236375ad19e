/* Modelled: virtual-memory 4.1. The most recently used entry is first in its set: most look-ups end there. */
#include "memsys/tlb/tlb.h"

#include <stdlib.h>

struct fault tlb_init(struct tlb *tlb, uint64_t entries, uint64_t assoc)
{
    *tlb = (struct tlb){.assoc = assoc};
    if (entries == 0)
        return fault_none();
    tlb->set_mask = entries / assoc - 1;
    tlb->entries = calloc(entries, sizeof *tlb->entries);
    tlb->is_there = tlb->entries != NULL;
    return tlb->entries ? fault_none() : fault_make(FAULT_MEMORY, "out of memory for the entries of a TLB");
}

void tlb_free(struct tlb *tlb)
{
    free(tlb->entries);
    *tlb = (struct tlb){0};
}

static struct tlb_entry *tlb_set_of(const struct tlb *tlb, struct tlb_key key)
{
    return &tlb->entries[(key.number & tlb->set_mask) * tlb->assoc];
}

static void swap(struct tlb_entry *a, struct tlb_entry *b)
{
    struct tlb_entry const kept = *a;

    *a = *b;
    *b = kept;
}

bool tlb_find(struct tlb *tlb, struct tlb_key key)
{
    struct tlb_entry *set;

    if (!tlb->is_there)
        return false;
    set = tlb_set_of(tlb, key);
    for (uint64_t way = 0; way < tlb->assoc; way++) {
        if (!tlb_keys_are_equal(set[way].key, key))
            continue;
        set[way].used = ++tlb->uses;
        if (way > 0)
            swap(&set[0], &set[way]);
        return true;
    }
    return false;
}

void tlb_put(struct tlb *tlb, struct tlb_key key)
{
    struct tlb_entry *set, *oldest;

    if (!tlb->is_there)
        return;
    set = oldest = tlb_set_of(tlb, key);
    for (uint64_t way = 1; way < tlb->assoc; way++)
        if (set[way].used < oldest->used)
            oldest = &set[way];
    *oldest = (struct tlb_entry){key, ++tlb->uses};
    swap(&set[0], oldest);
}
