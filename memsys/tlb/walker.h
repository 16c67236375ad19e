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

/* A page that is in no TLB: joins a walk, begins one, or waits for its turn. */
void walker_ask(struct mmu *mmu, struct mmu_miss *miss);
/* An entry has come. Takes the packet. */
void walker_take(struct mmu *mmu, struct packet *packet);
/* Continues the walks whose entries have come until one of them ends: true, with the key whose translation is known. */
bool walker_next(struct mmu *mmu, struct tlb_key *key);
/* Begins walks that wait, as far as the limit allows; when walker_next has returned false. */
void walker_begin_queued(struct mmu *mmu);

#endif
