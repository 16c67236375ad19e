/* The walker's half of an MMU (virtual-memory 5); private to memsys/tlb/. */
#ifndef MEMSYS_TLB_WALKER_H
#define MEMSYS_TLB_WALKER_H

#include "memsys/tlb/mmu.h"

static inline void packet_list_add(struct packet_list *list, struct packet *packet)
{
    packet->next = NULL;
    if (list->first)
        list->last->next = packet;
    else
        list->first = packet;
    list->last = packet;
}

static inline struct packet *packet_list_pop(struct packet_list *list)
{
    struct packet *const packet = list->first;

    list->first = packet->next;
    return packet;
}

static inline void miss_list_add(struct miss_list *list, struct mmu_miss *miss)
{
    miss->next = NULL;
    if (list->first)
        list->last->next = miss;
    else
        list->first = miss;
    list->last = miss;
}

static inline struct mmu_miss *miss_list_pop(struct miss_list *list)
{
    struct mmu_miss *const miss = list->first;

    list->first = miss->next;
    return miss;
}

/* The address bits that choose the entry of a level. */
static inline unsigned walker_entry_shift(unsigned level)
{
    return 12 + 9 * (level - 1);
}

/* A page of a guest is no larger in a TLB than the host's pages. */
static inline struct tlb_key mmu_key_of(const struct mmu *mmu, const struct vm_page *page)
{
    bool const is_huge = page->bytes == VM_HUGE_BYTES && (!mmu->host || space_page_bytes(mmu->host) == VM_HUGE_BYTES);

    return tlb_key(space_number(page->space), page->address, is_huge ? 21 : 12);
}

static inline struct tlb *mmu_l1_of(struct mmu_side *side, struct tlb_key key)
{
    return key.shift == 12 ? &side->small : &side->huge;
}

/* A page that is in no TLB: joins a walk, begins one, or waits for its turn. */
void walker_ask(struct mmu *mmu, struct mmu_miss *miss);
/* An entry has come. Takes the packet. */
void walker_take(struct mmu *mmu, struct packet *packet);
/* Continues the walks whose entries have come until one of them ends: true, with the key whose translation is known. */
bool walker_next(struct mmu *mmu, struct tlb_key *key);
/* Begins walks that wait, as far as the limit allows; when walker_next has returned false. */
void walker_begin_queued(struct mmu *mmu);

#endif
