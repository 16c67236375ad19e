/* Numbers of items by the items' hashes: open addressing, at most half full. Items and their comparison are the
 * owner's.
 *
 * Use: begin with {0}. To look for an item:
 *      if (!hash_index_fit(&index, hash_of, owner)) there is no memory;
 *      for (at = hash; (number = hash_index_at(&index, at)) != HASH_INDEX_NONE; at++)
 *          if (the item of that number is equal) it is found;
 *      hash_index_put(&index, at, number of a new item);
 * Deterministic: nothing depends on the order of slots. */
#ifndef BASE_HASH_INDEX_H
#define BASE_HASH_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HASH_INDEX_NONE UINT32_MAX

struct hash_index {
    uint32_t *slots;                 /* number + 1; 0: empty */
    size_t count, room;              /* room: a power of two, or 0 */
};

bool hash_index_grow(struct hash_index *index, uint64_t (*hash_of)(const void *owner, uint32_t number),
                     const void *owner);
/* Room for one more. hash_of gives the hash of an item that the index has. */
static inline bool hash_index_fit(struct hash_index *index, uint64_t (*hash_of)(const void *owner, uint32_t number),
                                  const void *owner)
{
    return 2 * index->count < index->room || hash_index_grow(index, hash_of, owner);
}

/* Forgets all numbers and keeps the memory. */
void hash_index_clear(struct hash_index *index);
void hash_index_free(struct hash_index *index);

static inline uint32_t hash_index_at(const struct hash_index *index, uint64_t at)
{
    return index->slots[at & (index->room - 1)] - 1;
}

static inline void hash_index_put(struct hash_index *index, uint64_t at, uint32_t number)
{
    index->slots[at & (index->room - 1)] = number + 1;
    index->count++;
}

#endif
