/* A sorted array: a replay holds 10 to 40 ready nodes, which fit a few cache lines. Records due soon are inserted from
 * the head on. Most of the rest executes later than nearly all, and is inserted from the other end, which moves down
 * for that; when it has come to the bottom of the array, all are moved up.
 *
 * Invariants: keys[0] to head fall. All from the bottom up to keys[0] are later than any key; READY_LIST_NEAR more
 * like them lie below the bottom, as many as an insertion looks back. keys[0] is at most LOW_PLACES above the bottom,
 * so that the head finds room for the whole capacity.
 *
 * due_bound follows from now_ps and base_ps: code that changes one of these recomputes it.
 *
 * Keys half as long as tick and record are compared and moved in half the time. When a tick or a record comes that the
 * bases do not reach, they are chosen anew, such that the earliest entry has a key and all records fit; records due
 * too late for a key, after 34 ms of simulated time, are in `distant`; each has a READY_LIST_DISTANT at the end of the
 * list, and gets a key when nothing else is left. */
#include "replay/fast/ready_list.h"

#include <stdlib.h>
#include <string.h>

#define LOW_PLACES 64
#define LATE_STEPS 24                /* insertions further from the end search by halving */
#define NO_KEY UINT64_MAX
#define MOST_RECORDS ((size_t)1 << (READY_LIST_RECORD_BITS - 1))    /* half the reach of base_record */

static void free_keys(struct ready_list *list)
{
    if (list->bottom)
        free(list->bottom - READY_LIST_NEAR);
}

/* Moves the keys from the first to the head to LOW_PLACES above `bottom`. */
static void move_up(struct ready_list *list, uint64_t *bottom)
{
    uint64_t *const keys = bottom + LOW_PLACES;
    size_t const count = list->keys ? ready_list_count(list) : 0;
    size_t const longest = list->keys ? ready_list_longest(list) : 0;

    if (count > 0)
        memmove(keys + 1, list->keys + 1, count * sizeof *keys);
    for (uint64_t *low = bottom; low <= keys; low++)
        *low = NO_KEY;
    list->bottom = bottom;
    list->keys = keys;
    list->head = keys + count;
    list->highest = keys + longest;
}

struct fault ready_list_reserve(struct ready_list *list, size_t capacity)
{
    struct ready_list old = *list;
    struct ready_entry *distant;
    uint64_t *places;

    if (capacity <= list->capacity)
        return fault_none();
    if (capacity > MOST_RECORDS)
        return fault_make(FAULT_MEMORY, "more than %zu records may be ready", MOST_RECORDS);
    places = malloc((READY_LIST_NEAR + LOW_PLACES + capacity + 2) * sizeof *places);
    distant = malloc(capacity * sizeof *distant);
    if (!places || !distant) {
        free(places);
        free(distant);
        return fault_make(FAULT_MEMORY, "out of memory for %zu ready records", capacity);
    }
    for (size_t i = 0; i < READY_LIST_NEAR; i++)
        places[i] = NO_KEY;
    if (list->distant_count > 0)
        memcpy(distant, list->distant, list->distant_count * sizeof *distant);
    free(list->distant);
    list->distant = distant;
    move_up(list, places + READY_LIST_NEAR);
    list->capacity = capacity;
    free_keys(&old);
    return fault_none();
}

void ready_list_free(struct ready_list *list)
{
    free_keys(list);
    free(list->distant);
    *list = (struct ready_list){0};
}

/* The part of ready_list_insert_deep for keys far from both ends. */
static void insert_between(struct ready_list *list, uint64_t key)
{
    uint64_t *const keys = list->keys;
    size_t const count = ready_list_count(list);
    size_t place = 1, left = count - READY_LIST_NEAR;

    /* Keys before `place` are higher than the new one; the first that is not is among the next `left`, or the one
     * behind them. */
    while (left > 0) {
        size_t const half = left / 2;
        bool const is_later = keys[place + half] >= key;

        place = is_later ? place + half + 1 : place;
        left = is_later ? left - half - 1 : half;
    }
    memmove(keys + place + 1, keys + place, (count + 1 - place) * sizeof *keys);
    keys[place] = key;
    list->head++;
}

void ready_list_insert_deep(struct ready_list *list, uint64_t key)
{
    uint64_t *place;

    if (ready_list_count(list) > LATE_STEPS && list->keys[LATE_STEPS] >= key) {
        insert_between(list, key);
        return;
    }
    if (list->keys == list->bottom)
        move_up(list, list->bottom);
    place = list->keys--;
    list->highest--;
    for (; place[1] >= key; place++)
        *place = place[1];
    *place = key;
}

/* ---- keys */

static bool has_key(const struct ready_list *list, const struct ready_entry *entry)
{
    return (entry->execute_ps - list->base_ps) >> READY_LIST_TIME_BITS == 0
        && (entry->record - list->base_record) >> READY_LIST_RECORD_BITS == 0;
}

/* All entries become distant, with room for them; answers how many there are. */
static size_t take_all(struct ready_list *list)
{
    while (list->head > list->keys && *list->head != READY_LIST_DISTANT) {
        list->distant[list->distant_count++] =
            (struct ready_entry){ready_list_next_ps(list), ready_list_head_record(list)};
        ready_list_remove_head(list);
    }
    list->head = list->keys;
    return list->distant_count;
}

/* Gives keys to all entries that can have one now, `count` of them distant as take_all has left them. */
static void give_keys(struct ready_list *list, size_t count)
{
    list->distant_count = 0;
    for (size_t i = 0; i < count; i++) {
        struct ready_entry const entry = list->distant[i];
        uint64_t key = READY_LIST_DISTANT, *place = list->head++;

        if (has_key(list, &entry))
            key = (entry.execute_ps - list->base_ps) << READY_LIST_RECORD_BITS | (entry.record - list->base_record);
        else
            list->distant[list->distant_count++] = entry;
        for (; *place < key; place--)
            place[1] = *place;
        place[1] = key;
    }
}

/* New bases: the earliest entry has a key, and so has any record that can be in the list together with the newest. */
static void find_bases(struct ready_list *list, size_t count)
{
    uint64_t earliest_ps = UINT64_MAX, newest = 0;

    for (size_t i = 0; i < count; i++) {
        earliest_ps = list->distant[i].execute_ps < earliest_ps ? list->distant[i].execute_ps : earliest_ps;
        newest = list->distant[i].record > newest ? list->distant[i].record : newest;
    }
    list->base_ps = earliest_ps;
    list->base_record = newest > MOST_RECORDS ? newest - MOST_RECORDS : 0;
    ready_list_set_now(list, list->now_ps);
}

void ready_list_insert_odd(struct ready_list *list, uint64_t execute_ps, uint64_t record)
{
    size_t count = take_all(list);

    list->distant[count++] = (struct ready_entry){execute_ps, record};
    find_bases(list, count);
    give_keys(list, count);
}

uint64_t ready_list_find_distant(struct ready_list *list)
{
    size_t count;

    if (list->head == list->keys)
        return UINT64_MAX;
    count = take_all(list);
    find_bases(list, count);
    give_keys(list, count);
    return ready_list_next_ps(list);
}

void ready_list_shift(struct ready_list *list, uint64_t offset_ps)
{
    size_t const count = take_all(list);

    for (size_t i = 0; i < count; i++) {
        assert(list->distant[i].execute_ps >= offset_ps);
        list->distant[i].execute_ps -= offset_ps;
    }
    find_bases(list, count);
    give_keys(list, count);
}
