/* Table from numbers to numbers, and set of numbers: open addressing, at most half full.
 *
 * Use: all zero is an empty one; number_map_put or number_map_add, number_map_get, number_map_free. Keys are below
 * 2^64 - 1; each takes 32 to 64 bytes. Entries are never removed; pointers to values are valid until the next put.
 * Deterministic: nothing depends on the order of entries. */
#ifndef BASE_NUMBER_MAP_H
#define BASE_NUMBER_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct number_slot { uint64_t key, value; };     /* key: plus 1; 0: a free place */

struct number_map {
    struct number_slot *slots;
    size_t count, room;                          /* room: a power of two, or 0 */
    bool failed;                                 /* number_map_add found no memory: the count is too low */
};

/* The value of a key, which may be changed; NULL: it has none. */
uint64_t *number_map_get(const struct number_map *map, uint64_t key);
/* The same; a key that has none gets 0. NULL: out of memory. */
uint64_t *number_map_put(struct number_map *map, uint64_t key);
/* The same where keys are only counted: the map is a set. */
void number_map_add(struct number_map *map, uint64_t key);
void number_map_free(struct number_map *map);

#endif
