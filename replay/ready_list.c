/* A sorted array: a replay holds 10 to 40 ready nodes, which fit a few cache lines. Insertions are searched from the
 * head, because most nodes execute soon.
 *
 * Invariant: entries[0..count) fall by (execute_ps, record), but for a pinned head. */
#include "replay/ready_list.h"

#include <stdlib.h>

struct fault ready_list_reserve(struct ready_list *list, size_t capacity)
{
    struct ready_entry *entries;

    if (capacity <= list->capacity)
        return fault_none();
    entries = realloc(list->entries, capacity * sizeof *entries);
    if (!entries)
        return fault_make(FAULT_MEMORY, "out of memory for %zu ready records", capacity);
    list->entries = entries;
    list->capacity = capacity;
    return fault_none();
}

void ready_list_free(struct ready_list *list)
{
    free(list->entries);
    *list = (struct ready_list){0};
}

static bool is_before(const struct ready_entry *entry, uint64_t execute_ps, uint64_t record)
{
    return entry->execute_ps < execute_ps || (entry->execute_ps == execute_ps && entry->record < record);
}

void ready_list_insert(struct ready_list *list, uint64_t execute_ps, uint64_t record, bool head_is_pinned)
{
    struct ready_entry *const entries = list->entries;
    size_t place = list->count;

    assert(place < list->capacity && (!head_is_pinned || place > 0));
    if (head_is_pinned) {
        entries[place] = entries[place - 1];
        place--;
    }
    while (place > 0 && is_before(&entries[place - 1], execute_ps, record)) {
        entries[place] = entries[place - 1];
        place--;
    }
    entries[place] = (struct ready_entry){execute_ps, record};
    list->count++;
}

void ready_list_shift(struct ready_list *list, uint64_t offset_ps)
{
    for (size_t i = 0; i < list->count; i++) {
        assert(list->entries[i].execute_ps >= offset_ps);
        list->entries[i].execute_ps -= offset_ps;
    }
}
