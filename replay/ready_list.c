/* A sorted array: a replay holds 10 to 40 ready nodes, which fit a few cache lines. What executes soon is inserted
 * from the head on. Most of the rest executes later than nearly all, and is inserted from the other end, which moves
 * down for that; when it has come to the bottom of the array, all are moved up.
 *
 * Entries that a key cannot hold are far, in a sorted array of their own; common traces have none. Which ones that are
 * changes with base_ps, which follows time when the keys do not reach far enough any more.
 *
 * Invariants: keys[0] to head fall. All from the bottom up to keys[0] are READY_NONE; READY_LIST_NEAR more like them
 * lie below the bottom, as many as an insertion looks back. keys[0] is at most LOW_PLACES above the bottom, so that the
 * head finds room for the whole capacity. Far entries execute after those that have keys. */
#include "replay/ready_list.h"

#include <stdlib.h>
#include <string.h>

#define LOW_PLACES 64
#define LATE_STEPS 24                /* insertions further from the end search by halving */

static size_t key_count(const struct ready_list *list)
{
    return (size_t)(list->head - list->keys);
}

static bool is_before(const struct ready_entry *entry, uint64_t execute_ps, uint64_t record)
{
    return entry->execute_ps < execute_ps || (entry->execute_ps == execute_ps && entry->record < record);
}

static void free_keys(struct ready_list *list)
{
    if (list->bottom)
        free(list->bottom - READY_LIST_NEAR);
}

/* `keys` from its first to the head are to stand LOW_PLACES above `bottom`. */
static void move_up(struct ready_list *list, uint64_t *bottom)
{
    uint64_t *const keys = bottom + LOW_PLACES;
    size_t const count = list->keys ? key_count(list) : 0;
    uintptr_t const higher = list->keys ? list->highest - (uintptr_t)list->keys : 0;

    if (count > 0)
        memmove(keys + 1, list->keys + 1, count * sizeof *keys);
    for (uint64_t *low = bottom; low <= keys; low++)
        *low = READY_NONE;
    list->bottom = bottom;
    list->keys = keys;
    list->head = keys + count;
    list->highest = (uintptr_t)keys + higher;
}

static void set_base(struct ready_list *list, uint64_t base_ps, uint64_t base_record)
{
    uint64_t const since_ps = list->now_ps - base_ps;
    bool const is_past = base_ps <= list->now_ps;

    list->base_ps = base_ps;
    list->base_record = base_record;
    list->base_key = (base_ps << READY_RECORD_BITS) + base_record;
    list->far_from_ps = is_past ? base_ps + READY_REACH_PS : 0;
    list->due = !is_past ? 0 : since_ps >= READY_REACH_PS ? READY_NONE : (since_ps + 1) << READY_RECORD_BITS;
}

struct fault ready_list_reserve(struct ready_list *list, size_t capacity)
{
    struct ready_list old = *list;
    struct ready_entry *far;
    uint64_t *places;

    if (capacity <= list->capacity)
        return fault_none();
    places = malloc((READY_LIST_NEAR + LOW_PLACES + capacity + 2) * sizeof *places);
    far = places ? realloc(list->far, capacity * sizeof *far) : NULL;
    if (!far) {
        free(places);
        return fault_make(FAULT_MEMORY, "out of memory for %zu ready records", capacity);
    }
    for (size_t i = 0; i < READY_LIST_NEAR; i++)
        places[i] = READY_NONE;
    move_up(list, places + READY_LIST_NEAR);
    if (!list->far)
        set_base(list, 0, 0);
    list->far = far;
    list->capacity = capacity;
    free_keys(&old);
    return fault_none();
}

void ready_list_free(struct ready_list *list)
{
    free_keys(list);
    free(list->far);
    *list = (struct ready_list){0};
}

/* ---- keys */

/* The part of ready_list_insert_deep for what is far from both ends. */
static void insert_between(struct ready_list *list, uint64_t key)
{
    uint64_t *const keys = list->keys;
    size_t const count = key_count(list);
    size_t place = 1, left = count - READY_LIST_NEAR;

    /* Keys before `place` are later than the new one; the first that is not is among the next `left`, or the one behind
     * them. */
    while (left > 0) {
        size_t const half = left / 2;
        bool const is_later = keys[place + half] > key;

        place = is_later ? place + half + 1 : place;
        left = is_later ? left - half - 1 : half;
    }
    memmove(keys + place + 1, keys + place, (count + 1 - place) * sizeof *keys);
    keys[place] = key;
    list->head++;
}

/* A new place below all keys. */
static uint64_t *add_place(struct ready_list *list)
{
    if (RARELY(list->keys == list->bottom))
        move_up(list, list->bottom);
    list->highest -= sizeof *list->keys;
    return list->keys--;
}

void ready_list_insert_deep(struct ready_list *list, uint64_t key)
{
    uint64_t *place;

    if (key_count(list) > LATE_STEPS && list->keys[LATE_STEPS] > key) {
        insert_between(list, key);
        return;
    }
    for (place = add_place(list); place[1] > key; place++)
        *place = place[1];
    *place = key;
}

/* ---- far entries */

static struct ready_entry entry_of(const struct ready_list *list, uint64_t key)
{
    return (struct ready_entry){list->base_ps + (key >> READY_RECORD_BITS),
                                list->base_record + (key & ((UINT64_C(1) << READY_RECORD_BITS) - 1))};
}

/* Makes far entries keys, as far as keys reach. They are later than all that are keys already. */
static void take_keys(struct ready_list *list)
{
    while (list->far_count > 0) {
        const struct ready_entry *const first = &list->far[list->far_count - 1];

        if (first->execute_ps - list->base_ps >= READY_REACH_PS)
            break;
        list->far_count--;
        list->highest += sizeof *list->keys;
        *add_place(list) = ready_list_key(list, first->execute_ps, first->record);
    }
}

/* Keys count from other bases on, which no entry is before. */
static void rebase(struct ready_list *list, uint64_t base_ps, uint64_t base_record)
{
    for (uint64_t *key = list->keys + 1; key <= list->head; key++)
        list->far[list->far_count++] = entry_of(list, *key);
    list->highest -= key_count(list) * sizeof *list->keys;
    list->head = list->keys;
    set_base(list, base_ps, base_record);
    take_keys(list);
}

/* Tick of the first entry, UINT64_MAX if there is none. */
static uint64_t first_ps(const struct ready_list *list)
{
    if (list->head > list->keys)
        return ready_list_next_ps(list);
    return list->far_count > 0 ? list->far[list->far_count - 1].execute_ps : UINT64_MAX;
}

bool ready_list_bring_near(struct ready_list *list)
{
    if (list->far_count == 0)
        return false;
    rebase(list, first_ps(list), list->base_record);
    return true;
}

void ready_list_set_late_now(struct ready_list *list)
{
    rebase(list, min_u64(first_ps(list), list->now_ps), list->base_record);
}

void ready_list_expect(struct ready_list *list, uint64_t first)
{
    if (first - list->base_record >= UINT64_C(1) << (READY_RECORD_BITS - 1))
        rebase(list, list->base_ps, first);
}

void ready_list_insert_far(struct ready_list *list, uint64_t execute_ps, uint64_t record)
{
    uint64_t const first = min_u64(first_ps(list), execute_ps), early = min_u64(first, list->now_ps);
    uint64_t const base_ps = execute_ps - early < READY_REACH_PS ? early : first;
    size_t place = list->far_count;

    if (execute_ps - base_ps < READY_REACH_PS) {
        if (base_ps != list->base_ps)
            rebase(list, base_ps, list->base_record);
        ready_list_insert_key(list, ready_list_key(list, execute_ps, record));
        return;
    }
    for (; place > 0 && is_before(&list->far[place - 1], execute_ps, record); place--)
        list->far[place] = list->far[place - 1];
    list->far[place] = (struct ready_entry){execute_ps, record};
    list->far_count++;
    list->highest -= sizeof *list->keys;
}

void ready_list_shift(struct ready_list *list, uint64_t offset_ps)
{
    uint64_t const first = first_ps(list);

    if (first == UINT64_MAX)
        return;
    assert(first >= offset_ps);
    rebase(list, first, list->base_record);
    set_base(list, first - offset_ps, list->base_record);
    for (size_t i = 0; i < list->far_count; i++)
        list->far[i].execute_ps -= offset_ps;
}
