/* A sorted array: a replay holds 10 to 40 ready nodes, which fit a few cache lines.
 *
 * Invariant: entries[0] to head fall by (execute_ps, record). */
#include "replay/ready_list.h"

#include <stdlib.h>
#include <string.h>

/* Before entries[0] stand as many like it as an insertion looks back. */
static void free_entries(struct ready_list *list)
{
    if (list->entries)
        free(list->entries - READY_LIST_NEAR);
}

struct fault ready_list_reserve(struct ready_list *list, size_t capacity)
{
    static const struct ready_entry none = {UINT64_MAX, UINT64_MAX};
    size_t const count = list->entries ? ready_list_count(list) : 0;
    size_t const longest = list->entries ? ready_list_longest(list) : 0;
    struct ready_entry *entries;

    if (capacity <= list->capacity)
        return fault_none();
    entries = malloc((READY_LIST_NEAR + capacity + 2) * sizeof *entries);
    if (!entries)
        return fault_make(FAULT_MEMORY, "out of memory for %zu ready records", capacity);
    for (size_t i = 0; i < READY_LIST_NEAR; i++)
        entries[i] = none;
    if (list->entries)
        memcpy(entries + READY_LIST_NEAR, list->entries, (count + 1) * sizeof *entries);
    else
        entries[READY_LIST_NEAR] = none;
    free_entries(list);
    list->entries = entries + READY_LIST_NEAR;
    list->head = list->entries + count;
    list->highest = list->entries + longest;
    list->capacity = capacity;
    return fault_none();
}

void ready_list_free(struct ready_list *list)
{
    free_entries(list);
    *list = (struct ready_list){0};
}

void ready_list_insert_deep(struct ready_list *list, uint64_t execute_ps, uint64_t record)
{
    struct ready_entry *const entries = list->entries;
    size_t const count = ready_list_count(list);
    size_t place = 1, left = count - 1 - READY_LIST_NEAR;

    /* Entries before `place` execute later than the new one; the first that does not is among the next `left`, or the
     * one behind them. */
    while (left > 0) {
        size_t const half = left / 2;
        bool const is_later = !ready_entry_is_before(&entries[place + half], execute_ps, record);

        place = is_later ? place + half + 1 : place;
        left = is_later ? left - half - 1 : half;
    }
    memmove(entries + place + 1, entries + place, (count - place) * sizeof *entries);
    entries[place] = (struct ready_entry){execute_ps, record};
}

void ready_list_shift(struct ready_list *list, uint64_t offset_ps)
{
    for (size_t i = 1; i <= ready_list_count(list); i++) {
        assert(list->entries[i].execute_ps >= offset_ps);
        list->entries[i].execute_ps -= offset_ps;
    }
}
