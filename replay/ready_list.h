/* Ready list: nodes that hold their resources and wait for the tick at which they execute (elastic-trace 2.3, 2.7).
 *
 * Order: tick, then record number (file order, as sequence numbers rise). One exception (2.10): while a refused
 * packet belongs to the head, the head is pinned and nothing is put before it.
 * Use: ready_list_reserve before the list can grow beyond its capacity (asserted); then nothing allocates.
 * Ownership: plain numbers; ready_list_free frees the array. Units: picoseconds. */
#ifndef REPLAY_READY_LIST_H
#define REPLAY_READY_LIST_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memsys/fault.h"

struct ready_entry {
    uint64_t execute_ps;
    uint64_t record;
};

struct ready_list {
    struct ready_entry *entries;     /* sorted, the head LAST, so that it leaves without moving the others */
    size_t count, capacity;
};

/* Room for `capacity` entries in all. FAULT_MEMORY if there is none; the list is then unchanged. */
struct fault ready_list_reserve(struct ready_list *list, size_t capacity);
void ready_list_free(struct ready_list *list);

void ready_list_insert(struct ready_list *list, uint64_t execute_ps, uint64_t record, bool head_is_pinned);
/* Makes every entry `offset_ps` earlier; none may be before that (asserted). */
void ready_list_shift(struct ready_list *list, uint64_t offset_ps);

/* The list must not be empty (asserted). */
static inline const struct ready_entry *ready_list_head(const struct ready_list *list)
{
    assert(list->count > 0);
    return &list->entries[list->count - 1];
}

static inline void ready_list_remove_head(struct ready_list *list)
{
    assert(list->count > 0);
    list->count--;
}

#endif
