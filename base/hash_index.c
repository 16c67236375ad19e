#include "base/hash_index.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 256 };

bool hash_index_grow(struct hash_index *index, uint64_t (*hash_of)(const void *owner, uint32_t number),
                     const void *owner)
{
    struct hash_index larger = {.room = index->room ? 2 * index->room : FIRST_ROOM};

    larger.slots = calloc(larger.room, sizeof *larger.slots);
    if (!larger.slots)
        return false;
    for (size_t i = 0; i < index->room; i++)
        if (index->slots[i] != 0) {
            uint64_t at = hash_of(owner, index->slots[i] - 1);

            while (hash_index_at(&larger, at) != HASH_INDEX_NONE)
                at++;
            hash_index_put(&larger, at, index->slots[i] - 1);
        }
    free(index->slots);
    *index = larger;
    return true;
}

void hash_index_clear(struct hash_index *index)
{
    if (index->count > 0)
        memset(index->slots, 0, index->room * sizeof *index->slots);
    index->count = 0;
}

void hash_index_free(struct hash_index *index)
{
    free(index->slots);
    *index = (struct hash_index){0};
}
