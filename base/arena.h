/* Arena: memory of many small things that are freed together.
 *
 * Use: begin with {0}; arena_take and arena_copy; arena_free at the end. Ownership: allocations live until
 * arena_free. NULL when out of memory. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

struct arena_block;

struct arena {
    struct arena_block *blocks;          /* the one that is being filled first */
};

/* Zeroed, aligned for any type. */
void *arena_take(struct arena *arena, size_t bytes);
/* `length` characters and a final zero. */
char *arena_copy(struct arena *arena, const char *text, size_t length);
void arena_free(struct arena *arena);

#endif
