/* Linear probing; keys are spread by a multiplication (Knuth, volume 3, 6.4). */
#include "base/number_map.h"

#include <stdlib.h>

#define FIRST_ROOM 256

static struct number_slot *number_map_find(struct number_slot *slots, size_t room, uint64_t key)
{
    size_t place = (size_t)((key + 1) * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (room - 1);

    while (slots[place].key != 0 && slots[place].key != key + 1)
        place = (place + 1) & (room - 1);
    return &slots[place];
}

static bool number_map_grow(struct number_map *map)
{
    size_t const room = map->room ? 2 * map->room : FIRST_ROOM;
    struct number_slot *const slots = calloc(room, sizeof *slots);

    if (!slots)
        return false;
    for (size_t i = 0; i < map->room; i++)
        if (map->slots[i].key != 0)
            *number_map_find(slots, room, map->slots[i].key - 1) = map->slots[i];
    free(map->slots);
    map->slots = slots;
    map->room = room;
    return true;
}

uint64_t *number_map_get(const struct number_map *map, uint64_t key)
{
    struct number_slot *const slot = map->room ? number_map_find(map->slots, map->room, key) : NULL;

    return slot && slot->key != 0 ? &slot->value : NULL;
}

uint64_t *number_map_put(struct number_map *map, uint64_t key)
{
    struct number_slot *slot;

    if (2 * map->count >= map->room && !number_map_grow(map))
        return NULL;
    slot = number_map_find(map->slots, map->room, key);
    if (slot->key == 0) {
        *slot = (struct number_slot){key + 1, 0};
        map->count++;
    }
    return &slot->value;
}

void number_map_add(struct number_map *map, uint64_t key)
{
    map->failed |= number_map_put(map, key) == NULL;
}

void number_map_free(struct number_map *map)
{
    free(map->slots);
    *map = (struct number_map){0};
}
