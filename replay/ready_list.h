/* Ready list: nodes that hold their resources and wait for the tick at which they execute (elastic-trace 2.3, 2.7).
 *
 * Order: tick, then record number (file order, as sequence numbers rise). A record whose packet is refused keeps its
 * turn (2.10); its owner takes it out of the list for that time, so that nothing can come before it.
 * Use: ready_list_reserve before the list can grow beyond its capacity (asserted), and ready_list_expect before records
 * are inserted; then nothing allocates. ready_list_set_now, then ready_list_is_due before each entry is taken.
 * Ownership: plain numbers; ready_list_free frees the arrays. Units: picoseconds. */
#ifndef REPLAY_READY_LIST_H
#define REPLAY_READY_LIST_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memsys/clock.h"
#include "memsys/fault.h"
#include "memsys/hints.h"

struct ready_entry {
    uint64_t execute_ps;
    uint64_t record;
};

/* An entry in one word, a key, whose order is that of the list: in the upper bits the time from base_ps to execution,
 * in the lower ones the distance of the record from base_record. */
#define READY_RECORD_BITS 31
#define READY_REACH_PS ((UINT64_C(1) << (64 - READY_RECORD_BITS)) - 1)    /* 8.6 ms; what executes later is far */
#define READY_NONE UINT64_MAX                  /* later than all keys */

#define READY_LIST_NEAR 12
#define READY_LIST_NEXT 3

/* Keys are sorted, the head LAST, so that it leaves without moving the others; keys[0] is READY_NONE, so that a search
 * ends there; others like it stand before it. */
struct ready_list {
    uint64_t *head;                  /* keys[0] if there are none */
    uintptr_t highest;               /* where the head would have been when the list was longest, had there been
                                      * far_count entries less, since ready_list_forget_longest */
    uint64_t *keys;
    uint64_t base_ps, base_record;   /* no entry is before them */
    uint64_t base_key;               /* both, as a key's bits from tick and record 0 */
    uint64_t far_from_ps;            /* what executes from then on is far; 0: base_ps is still to come, look closer */
    uint64_t due;                    /* keys below that are due, at now_ps */
    uint64_t now_ps;
    struct ready_entry *far;         /* sorted, the first to execute last; none while the keys' times reach so far */
    size_t far_count;
    uint64_t *bottom;                /* see ready_list.c */
    size_t capacity;
};

/* Room for `capacity` entries in all. FAULT_MEMORY if there is none; the list is then unchanged. */
struct fault ready_list_reserve(struct ready_list *list, size_t capacity);
void ready_list_free(struct ready_list *list);

/* Until the next call all records in the list, and all inserted, are from `first` on, and before first + 2^30. */
void ready_list_expect(struct ready_list *list, uint64_t first);

/* The parts of ready_list_insert for what goes behind several entries, and for what does not fit a key. */
void ready_list_insert_deep(struct ready_list *list, uint64_t key);
void ready_list_insert_far(struct ready_list *list, uint64_t execute_ps, uint64_t record);

/* Half of ready_list_is_empty, where no key is left. */
bool ready_list_bring_near(struct ready_list *list);

/* The rare half of ready_list_set_now. */
void ready_list_set_late_now(struct ready_list *list);

/* Makes every entry `offset_ps` earlier; none may be before that (asserted). */
void ready_list_shift(struct ready_list *list, uint64_t offset_ps);

static inline size_t ready_list_count(const struct ready_list *list)
{
    return (size_t)(list->head - list->keys) + list->far_count;
}

static inline bool ready_list_is_empty(struct ready_list *list)
{
    return list->head == list->keys && !ready_list_bring_near(list);
}

/* How long it was at most, if the length was noted by ready_list_note_length after each growth. */
static inline size_t ready_list_longest(const struct ready_list *list)
{
    return (list->highest - (uintptr_t)list->keys) / sizeof *list->keys + list->far_count;
}

static inline void ready_list_forget_longest(struct ready_list *list)
{
    list->highest = (uintptr_t)list->keys - list->far_count * sizeof *list->keys;
}

/* `more`: records that count, too, though they are not in the list. */
static inline void ready_list_note_length(struct ready_list *list, size_t more)
{
    uintptr_t const high = (uintptr_t)(list->head + more);

    if (RARELY(high > list->highest))
        list->highest = high;
}

/* Of an entry that is not far. */
static inline uint64_t ready_list_key(const struct ready_list *list, uint64_t execute_ps, uint64_t record)
{
    return (execute_ps << READY_RECORD_BITS) + record - list->base_key;
}

/* Half of ready_list_insert. */
static inline void ready_list_insert_key(struct ready_list *list, uint64_t key)
{
    uint64_t *place = list->head;

    if (place[-READY_LIST_NEAR] < key) {
        ready_list_insert_deep(list, key);
        return;
    }
    list->head = place + 1;
    /* What is put down at each place is the earlier of what stands there and what is carried; the later is carried on. */
    for (int i = 0; i < READY_LIST_NEXT; i++, place--) {
        uint64_t const other = *place;

        place[1] = min_u64(other, key);
        key = max_u64(other, key);
    }
    for (; RARELY(*place < key); place--)
        place[1] = *place;
    place[1] = key;
}

/* `execute_ps` is not before ready_list_set_now's. Most nodes execute soon, but how soon varies, so the first few places
 * are passed without a branch. */
static inline void ready_list_insert(struct ready_list *list, uint64_t execute_ps, uint64_t record)
{
    HOT_ASSERT(ready_list_count(list) < list->capacity && execute_ps >= list->now_ps);
    HOT_ASSERT((record - list->base_record) >> READY_RECORD_BITS == 0);
    if (USUALLY(execute_ps < list->far_from_ps))
        ready_list_insert_key(list, ready_list_key(list, execute_ps, record));
    else
        ready_list_insert_far(list, execute_ps, record);
}

/* Tick of the first entry; UINT64_MAX if ready_list_is_empty was not asked since the last one left. */
static inline uint64_t ready_list_next_ps(const struct ready_list *list)
{
    uint64_t const key = *list->head;

    return USUALLY(key != READY_NONE) ? list->base_ps + (key >> READY_RECORD_BITS) : UINT64_MAX;
}

/* The present, for ready_list_is_due. */
static inline void ready_list_set_now(struct ready_list *list, uint64_t now_ps)
{
    list->now_ps = now_ps;
    list->due = (now_ps + 1 - list->base_ps) << READY_RECORD_BITS;
    if (RARELY(now_ps >= list->far_from_ps))
        ready_list_set_late_now(list);
}

/* Is there a first entry whose tick has come? */
static inline bool ready_list_is_due(struct ready_list *list)
{
    return *list->head < list->due
        || (RARELY(list->far_count > 0) && !ready_list_is_empty(list) && *list->head < list->due);
}

/* Record of the first entry. There must be one, and not a far one. */
static inline uint64_t ready_list_next_record(const struct ready_list *list)
{
    HOT_ASSERT(*list->head != READY_NONE);
    return list->base_record + (*list->head & ((UINT64_C(1) << READY_RECORD_BITS) - 1));
}

/* The same. */
static inline void ready_list_remove_head(struct ready_list *list)
{
    HOT_ASSERT(*list->head != READY_NONE);
    list->head--;
}

#endif
