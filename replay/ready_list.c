/* A sorted array: a replay holds 10 to 40 ready nodes, which fit a few cache lines. What executes soon is inserted
 * from the head on. Most of the rest executes later than nearly all, and is inserted from the other end, which moves
 * down for that; when it has come to the bottom of the array, all are moved up.
 *
 * Invariants: entries[0] to head fall by (execute_ps, record). All from the bottom up to entries[0] are later than any
 * record; READY_LIST_NEAR more like them lie below the bottom, as many as an insertion looks back. entries[0] is at
 * most LOW_PLACES above the bottom, so that the head finds room for the whole capacity. */
#include "replay/ready_list.h"

#include <stdlib.h>
#include <string.h>

#define LOW_PLACES 64
#define LATE_STEPS 24                /* insertions further from the end search by halving */

static const struct ready_entry none = {UINT64_MAX, UINT64_MAX};

static void free_entries(struct ready_list *list)
{
    if (list->bottom)
        free(list->bottom - READY_LIST_NEAR);
}

/* `entries` from its first to the head are to stand LOW_PLACES above `bottom`. */
static void move_up(struct ready_list *list, struct ready_entry *bottom)
{
    struct ready_entry *const entries = bottom + LOW_PLACES;
    size_t const count = list->entries ? ready_list_count(list) : 0;
    size_t const longest = list->entries ? ready_list_longest(list) : 0;

    if (count > 0)
        memmove(entries + 1, list->entries + 1, count * sizeof *entries);
    for (struct ready_entry *low = bottom; low <= entries; low++)
        *low = none;
    list->bottom = bottom;
    list->entries = entries;
    list->head = entries + count;
    list->highest = entries + longest;
}

struct fault ready_list_reserve(struct ready_list *list, size_t capacity)
{
    struct ready_list old = *list;
    struct ready_entry *places;

    if (capacity <= list->capacity)
        return fault_none();
    places = malloc((READY_LIST_NEAR + LOW_PLACES + capacity + 2) * sizeof *places);
    if (!places)
        return fault_make(FAULT_MEMORY, "out of memory for %zu ready records", capacity);
    for (size_t i = 0; i < READY_LIST_NEAR; i++)
        places[i] = none;
    move_up(list, places + READY_LIST_NEAR);
    list->capacity = capacity;
    free_entries(&old);
    return fault_none();
}

void ready_list_free(struct ready_list *list)
{
    free_entries(list);
    *list = (struct ready_list){0};
}

/* The part of ready_list_insert_deep for what is far from both ends. */
static void insert_between(struct ready_list *list, uint64_t execute_ps, uint64_t record)
{
    struct ready_entry *const entries = list->entries;
    size_t const count = ready_list_count(list);
    size_t place = 1, left = count - READY_LIST_NEAR;

    /* Entries before `place` execute later than the new one; the first that does not is among the next `left`, or the
     * one behind them. */
    while (left > 0) {
        size_t const half = left / 2;
        bool const is_later = !ready_entry_is_before(&entries[place + half], execute_ps, record);

        place = is_later ? place + half + 1 : place;
        left = is_later ? left - half - 1 : half;
    }
    memmove(entries + place + 1, entries + place, (count + 1 - place) * sizeof *entries);
    entries[place] = (struct ready_entry){execute_ps, record};
    list->head++;
}

void ready_list_insert_deep(struct ready_list *list, uint64_t execute_ps, uint64_t record)
{
    struct ready_entry *entry;

    if (ready_list_count(list) > LATE_STEPS
        && !ready_entry_is_before(&list->entries[LATE_STEPS], execute_ps, record)) {
        insert_between(list, execute_ps, record);
        return;
    }
    if (RARELY(list->entries == list->bottom))
        move_up(list, list->bottom);
    entry = list->entries--;
    list->highest--;
    for (; !ready_entry_is_before(&entry[1], execute_ps, record); entry++) {
        entry->execute_ps = entry[1].execute_ps;
        entry->record = entry[1].record;
    }
    entry->execute_ps = execute_ps;
    entry->record = record;
}

void ready_list_shift(struct ready_list *list, uint64_t offset_ps)
{
    for (size_t i = 1; i <= ready_list_count(list); i++) {
        assert(list->entries[i].execute_ps >= offset_ps);
        list->entries[i].execute_ps -= offset_ps;
    }
}
