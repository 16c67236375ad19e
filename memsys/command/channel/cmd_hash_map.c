/* All entries form one list; a bucket knows the entry before its first. A new entry goes to the front of its bucket,
 * or, if that is empty, to the front of the list. When buckets grow, entries are put in again in the order of the
 * list. */
#include "memsys/command/channel/cmd_hash_map.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"

enum { EMPTY = 0, AT_FRONT = 1 };        /* of before[] */

static uint32_t bucket_of(const struct cmd_hash_map *map, int32_t key)
{
    return (uint32_t)((uint64_t)(int64_t)key % map->buckets);
}

/* Link that points at the first entry of a bucket that is not empty. */
static uint32_t *link_of(const struct cmd_hash_map *map, uint32_t bucket)
{
    struct cmd_hash_map *const changed = (struct cmd_hash_map *)(uintptr_t)map;

    return map->before[bucket] == AT_FRONT ? &changed->first : &map->entries[map->before[bucket] - 2].next;
}

/* Link that points at the entry of a key; NULL: it is not there. */
static uint32_t *find(const struct cmd_hash_map *map, int32_t key)
{
    uint32_t bucket, *link;

    if (map->buckets == 0)
        return NULL;
    bucket = bucket_of(map, key);
    if (map->before[bucket] == EMPTY)
        return NULL;
    for (link = link_of(map, bucket); *link && bucket_of(map, map->entries[*link - 1].key) == bucket;
         link = &map->entries[*link - 1].next)
        if (map->entries[*link - 1].key == key)
            return link;
    return NULL;
}

int64_t *cmd_hash_map_get(const struct cmd_hash_map *map, int32_t key)
{
    const uint32_t *const link = find(map, key);

    return link ? &map->entries[*link - 1].value : NULL;
}

static void place_entry(struct cmd_hash_map *map, uint32_t place)
{
    struct cmd_hash_entry *const entry = &map->entries[place];
    uint32_t const bucket = bucket_of(map, entry->key);

    if (map->before[bucket] != EMPTY) {
        uint32_t *const link = link_of(map, bucket);

        entry->next = *link;
        *link = place + 1;
        return;
    }
    entry->next = map->first;
    map->first = place + 1;
    map->before[bucket] = AT_FRONT;
    if (entry->next)
        map->before[bucket_of(map, map->entries[entry->next - 1].key)] = place + 2;
}

static uint32_t next_size(uint32_t buckets)
{
    static const uint32_t sizes[] = {13, 29, 59, 127, 257, 541, 1109, 2357, 5087, 10273, 20753, 42043, 85229, 172933,
                                     351061,
                                     712697, 1447153, 2938679, 5967347, 12117689, 24607243, 49969847, 101473717};
    size_t i = 0;

    while (i + 1 < sizeof sizes / sizeof *sizes && sizes[i] <= buckets)
        i++;
    return sizes[i];
}

static bool grow(struct cmd_hash_map *map)
{
    uint32_t const buckets = next_size(map->buckets);
    uint32_t *const before = calloc(buckets, sizeof *before);
    uint32_t place = map->first;

    if (!before)
        return false;
    free(map->before);
    map->before = before;
    map->buckets = buckets;
    map->first = 0;
    while (place) {
        uint32_t const next = map->entries[place - 1].next;

        place_entry(map, place - 1);
        place = next;
    }
    return true;
}

int64_t *cmd_hash_map_put(struct cmd_hash_map *map, int32_t key)
{
    int64_t *const value = cmd_hash_map_get(map, key);
    uint32_t place;

    if (value)
        return value;
    if (map->count + 1 > map->buckets && !grow(map))
        return NULL;
    if (map->free) {
        place = map->free - 1;
        map->free = map->entries[place].next;
    } else {
        if (!list_fit_32(&map->entries, map->used + 1, &map->room, sizeof *map->entries))
            return NULL;
        place = map->used++;
    }
    map->entries[place] = (struct cmd_hash_entry){.key = key};
    map->count++;
    place_entry(map, place);
    return &map->entries[place].value;
}

void cmd_hash_map_remove(struct cmd_hash_map *map, int32_t key)
{
    uint32_t *const link = find(map, key);
    uint32_t place, bucket, next_bucket;
    struct cmd_hash_entry *entry;

    if (!link)
        return;
    place = *link - 1;
    entry = &map->entries[place];
    bucket = bucket_of(map, key);
    next_bucket = entry->next ? bucket_of(map, map->entries[entry->next - 1].key) : bucket;
    if (entry->next && next_bucket != bucket)            /* the next bucket's first has another one before it */
        map->before[next_bucket] = link == &map->first ? AT_FRONT
            : (uint32_t)((struct cmd_hash_entry *)(void *)((char *)link - offsetof(struct cmd_hash_entry, next))
                         - map->entries) + 2;
    if (link == link_of(map, bucket) && (!entry->next || next_bucket != bucket))
        map->before[bucket] = EMPTY;
    *link = entry->next;
    entry->next = map->free;
    map->free = place + 1;
    map->count--;
}

void cmd_hash_map_clear(struct cmd_hash_map *map)
{
    map->first = map->free = map->used = map->count = 0;
    if (map->before)
        memset(map->before, 0, map->buckets * sizeof *map->before);
}

void cmd_hash_map_free(struct cmd_hash_map *map)
{
    free(map->entries);
    free(map->before);
    memset(map, 0, sizeof *map);
}
