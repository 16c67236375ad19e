/* Ready list: nodes that hold their resources and wait for the tick at which they execute (elastic-trace 2.3, 2.7).
 *
 * Order: tick, then record number (file order, as sequence numbers rise). A record whose packet is refused keeps its
 * turn (2.10); its owner takes it out of the list for that time, so that nothing can come before it.
 * Use: ready_list_reserve before the list can grow beyond its capacity (asserted); then nothing allocates.
 * Records that are in the list at one time are less than its capacity apart.
 * Ownership: plain numbers; ready_list_free frees the arrays. Units: picoseconds. */
#ifndef REPLAY_FAST_READY_LIST_H
#define REPLAY_FAST_READY_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "base/hints.h"

#define READY_LIST_NEAR 6

/* A key is one number that has the order of tick and record: picoseconds after base_ps, and in the lower bits records
 * after base_record. It has fewer bits than a word. */
#define READY_LIST_TIME_BITS 35
#define READY_LIST_RECORD_BITS 28
#define READY_LIST_DISTANT (UINT64_MAX - 1)

struct ready_entry {
    uint64_t execute_ps, record;
};

/* Keys are sorted, the head LAST, so that it leaves without moving the others; keys[0] is later than all, so that a
 * search ends there; further sentinels lie before it. An entry that executes too late for a key has
 * READY_LIST_DISTANT in its place. */
struct ready_list {
    uint64_t *head;                  /* keys[0] if the list is empty */
    uint64_t *highest;               /* where the head was when the list was longest, since ready_list_forget_longest */
    uint64_t base_ps, base_record;
    uint64_t due_bound, now_ps;      /* keys below due_bound are those of entries that execute at now_ps or before */
    uint64_t *keys;
    uint64_t *bottom;                /* see ready_list.c */
    size_t capacity;
    struct ready_entry *distant;     /* in no order */
    size_t distant_count;
};

/* Room for `capacity` entries in all. FAULT_MEMORY if memory is out or `capacity` exceeds 2^27; the list is then
 * unchanged. */
struct fault ready_list_reserve(struct ready_list *list, size_t capacity);
void ready_list_free(struct ready_list *list);

/* The part of ready_list_insert for entries that go behind several others. */
void ready_list_insert_deep(struct ready_list *list, uint64_t key);
/* The part for entries without a key yet. */
void ready_list_insert_odd(struct ready_list *list, uint64_t execute_ps, uint64_t record);
/* The part of ready_list_next_ps for a list without keys. */
uint64_t ready_list_find_distant(struct ready_list *list);

/* Makes every entry `offset_ps` earlier; none may be before that (asserted). */
void ready_list_shift(struct ready_list *list, uint64_t offset_ps);

static inline size_t ready_list_count(const struct ready_list *list)
{
    return (size_t)(list->head - list->keys);
}

/* How long it was at most, if the length was noted by ready_list_note_length after each growth. */
static inline size_t ready_list_longest(const struct ready_list *list)
{
    return (size_t)(list->highest - list->keys);
}

static inline void ready_list_forget_longest(struct ready_list *list)
{
    list->highest = list->keys;
}

/* `more`: records that count, too, though they are not in the list. */
static inline void ready_list_note_length(struct ready_list *list, size_t more)
{
    if (list->head + more > list->highest)
        list->highest = list->head + more;
}

/* Most nodes execute soon, so the first few keys are looked at one by one. */
static inline void ready_list_insert(struct ready_list *list, uint64_t execute_ps, uint64_t record)
{
    uint64_t const ahead_ps = execute_ps - list->base_ps, number = record - list->base_record;
    uint64_t const key = ahead_ps << READY_LIST_RECORD_BITS | number;
    uint64_t *place = list->head;

    HOT_ASSERT(ready_list_count(list) < list->capacity);
    if ((ahead_ps >> READY_LIST_TIME_BITS | number >> READY_LIST_RECORD_BITS) != 0) {
        ready_list_insert_odd(list, execute_ps, record);
        return;
    }
    if (place[-READY_LIST_NEAR] < key) {
        ready_list_insert_deep(list, key);
        return;
    }
    list->head = place + 1;
    for (; *place < key; place--)
        place[1] = *place;
    place[1] = key;
}

/* From now on those are due that execute at now_ps or before. */
static inline void ready_list_set_now(struct ready_list *list, uint64_t now_ps)
{
    uint64_t const ahead_ps = now_ps - list->base_ps, most_ps = (UINT64_C(1) << READY_LIST_TIME_BITS) - 1;

    list->now_ps = now_ps;
    list->due_bound = now_ps < list->base_ps ? 0
                    : (ahead_ps < most_ps ? ahead_ps + 1 : most_ps + 1) << READY_LIST_RECORD_BITS;
}

/* The same for the tick of the head, which has a key. */
static inline void ready_list_set_now_to_head(struct ready_list *list, uint64_t now_ps)
{
    list->now_ps = now_ps;
    list->due_bound = (*list->head | ((UINT64_C(1) << READY_LIST_RECORD_BITS) - 1)) + 1;
}

static inline uint64_t ready_list_key_ps(const struct ready_list *list, uint64_t key)
{
    return list->base_ps + (key >> READY_LIST_RECORD_BITS);
}

static inline uint64_t ready_list_key_record(const struct ready_list *list, uint64_t key)
{
    return list->base_record + (key & ((UINT64_C(1) << READY_LIST_RECORD_BITS) - 1));
}

/* Tick of the head; UINT64_MAX if the list is empty. */
static inline uint64_t ready_list_next_ps(struct ready_list *list)
{
    uint64_t const key = *list->head;

    if (key >= READY_LIST_DISTANT)
        return ready_list_find_distant(list);
    return ready_list_key_ps(list, key);
}

/* Is there a head, and is it due? */
static inline bool ready_list_is_due(struct ready_list *list)
{
    if (*list->head < list->due_bound)
        return true;
    return *list->head == READY_LIST_DISTANT && ready_list_find_distant(list) <= list->now_ps;
}

/* Record of the head; valid after ready_list_next_ps, or if the head is due. */
static inline uint64_t ready_list_head_record(const struct ready_list *list)
{
    HOT_ASSERT(*list->head < READY_LIST_DISTANT);
    return ready_list_key_record(list, *list->head);
}

static inline void ready_list_remove_head(struct ready_list *list)
{
    HOT_ASSERT(ready_list_count(list) > 0);
    list->head--;
}

#endif
