/* A sorted array: a replay holds 10 to 40 ready nodes, which fit a few cache lines.
 *
 * Invariant: entries[0..count] fall by (execute_ps, record). */
#include "replay/ready_list.h"

#include <stdlib.h>
#include <string.h>

struct fault ready_list_reserve(struct ready_list *list, size_t capacity)
{
    struct ready_entry *entries;

    if (capacity <= list->capacity)
        return fault_none();
    entries = realloc(list->entries, (capacity + 1) * sizeof *entries);
    if (!entries)
        return fault_make(FAULT_MEMORY, "out of memory for %zu ready records", capacity);
    entries[0] = (struct ready_entry){UINT64_MAX, UINT64_MAX};
    list->entries = entries;
    list->capacity = capacity;
    return fault_none();
}

void ready_list_free(struct ready_list *list)
{
    free(list->entries);
    *list = (struct ready_list){0};
}

void ready_list_insert_deep(struct ready_list *list, uint64_t execute_ps, uint64_t record)
{
    struct ready_entry *const entries = list->entries;
    size_t place = 1, left = list->count - 1 - READY_LIST_NEAR;

    /* Entries before `place` execute later than the new one; the first that does not is among the next `left`, or the
     * one behind them. */
    while (left > 0) {
        size_t const half = left / 2;
        bool const is_later = !ready_entry_is_before(&entries[place + half], execute_ps, record);

        place = is_later ? place + half + 1 : place;
        left = is_later ? left - half - 1 : half;
    }
    memmove(entries + place + 1, entries + place, (list->count - place) * sizeof *entries);
    entries[place] = (struct ready_entry){execute_ps, record};
}

void ready_list_shift(struct ready_list *list, uint64_t offset_ps)
{
    for (size_t i = 1; i <= list->count; i++) {
        assert(list->entries[i].execute_ps >= offset_ps);
        list->entries[i].execute_ps -= offset_ps;
    }
}
