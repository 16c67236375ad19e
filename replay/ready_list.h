/* Ready list: nodes that hold their resources and wait for the tick at which they execute (elastic-trace 2.3, 2.7).
 *
 * Order: tick, then record number (file order, as sequence numbers rise). A record whose packet is refused keeps its
 * turn (2.10); its owner takes it out of the list for that time, so that nothing can come before it.
 * Use: ready_list_reserve before the list can grow beyond its capacity (asserted); then nothing allocates.
 * Ownership: plain numbers; ready_list_free frees the array. Units: picoseconds. */
#ifndef REPLAY_READY_LIST_H
#define REPLAY_READY_LIST_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memsys/fault.h"
#include "memsys/hints.h"

#define READY_LIST_NEAR 6

struct ready_entry {
    uint64_t execute_ps;
    uint64_t record;
};

/* Entries are sorted, the head LAST, so that it leaves without moving the others; entries[0] is later than all, so that
 * a search ends there; others like it stand before it. */
struct ready_list {
    struct ready_entry *head;        /* entries[0] if the list is empty */
    struct ready_entry *highest;     /* where the head was when the list was longest, since ready_list_forget_longest */
    struct ready_entry *entries;
    struct ready_entry *bottom;      /* see ready_list.c */
    size_t capacity;
};

/* Room for `capacity` entries in all. FAULT_MEMORY if there is none; the list is then unchanged. */
struct fault ready_list_reserve(struct ready_list *list, size_t capacity);
void ready_list_free(struct ready_list *list);

/* The part of ready_list_insert for what goes behind several entries. */
void ready_list_insert_deep(struct ready_list *list, uint64_t execute_ps, uint64_t record);

/* Makes every entry `offset_ps` earlier; none may be before that (asserted). */
void ready_list_shift(struct ready_list *list, uint64_t offset_ps);

static inline bool ready_entry_is_before(const struct ready_entry *entry, uint64_t execute_ps, uint64_t record)
{
    return entry->execute_ps < execute_ps || (entry->execute_ps == execute_ps && entry->record < record);
}

static inline size_t ready_list_count(const struct ready_list *list)
{
    return (size_t)(list->head - list->entries);
}

/* How long it was at most, if the length was noted by ready_list_note_length after each growth. */
static inline size_t ready_list_longest(const struct ready_list *list)
{
    return (size_t)(list->highest - list->entries);
}

static inline void ready_list_forget_longest(struct ready_list *list)
{
    list->highest = list->entries;
}

/* `more`: records that count, too, though they are not in the list. */
static inline void ready_list_note_length(struct ready_list *list, size_t more)
{
    if (RARELY(list->head + more > list->highest))
        list->highest = list->head + more;
}

/* Most nodes execute soon, so the first few entries are looked at one by one. */
static inline void ready_list_insert(struct ready_list *list, uint64_t execute_ps, uint64_t record)
{
    struct ready_entry *entry = list->head;

    HOT_ASSERT(ready_list_count(list) < list->capacity);
    if (entry[-READY_LIST_NEAR].execute_ps < execute_ps) {
        ready_list_insert_deep(list, execute_ps, record);
        return;
    }
    list->head = entry + 1;
    for (; entry->execute_ps < execute_ps; entry--) {
        entry[1].execute_ps = entry->execute_ps;    /* one by one: both may have been written just now */
        entry[1].record = entry->record;
    }
    for (; entry->execute_ps == execute_ps && entry->record < record; entry--) {
        entry[1].execute_ps = execute_ps;
        entry[1].record = entry->record;
    }
    entry[1].execute_ps = execute_ps;
    entry[1].record = record;
}

/* The list must not be empty (asserted). */
static inline const struct ready_entry *ready_list_head(const struct ready_list *list)
{
    HOT_ASSERT(ready_list_count(list) > 0);
    return list->head;
}

/* Tick of the head; UINT64_MAX if there is none. */
static inline uint64_t ready_list_next_ps(const struct ready_list *list)
{
    return list->head->execute_ps;
}

static inline void ready_list_remove_head(struct ready_list *list)
{
    HOT_ASSERT(ready_list_count(list) > 0);
    list->head--;
}

#endif
