/* Blocks double in size, so that their number stays small; a piece never moves. */
#include "base/arena.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_BYTES = 4096 };

struct arena_block {
    struct arena_block *next;
    size_t used, size;
    alignas(max_align_t) unsigned char bytes[];
};

void *arena_take(struct arena *arena, size_t bytes)
{
    size_t const rounded = (bytes + alignof(max_align_t) - 1) / alignof(max_align_t) * alignof(max_align_t);
    struct arena_block *block = arena->blocks;

    if (!block || block->size - block->used < rounded) {
        size_t size = block ? 2 * block->size : FIRST_BYTES;

        while (size < rounded)
            size *= 2;
        block = calloc(1, sizeof *block + size);
        if (!block)
            return NULL;
        *block = (struct arena_block){.next = arena->blocks, .size = size};
        arena->blocks = block;
    }
    block->used += rounded;
    return block->bytes + block->used - rounded;
}

char *arena_copy(struct arena *arena, const char *text, size_t length)
{
    char *const copy = arena_take(arena, length + 1);

    if (copy)
        memcpy(copy, text, length);
    return copy;
}

void arena_free(struct arena *arena)
{
    while (arena->blocks) {
        struct arena_block *const block = arena->blocks;

        arena->blocks = block->next;
        free(block);
    }
}
