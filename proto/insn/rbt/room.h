/* Lists that grow by doubling, for what reads and writes .rbt files.
 *
 * Use: before an element is appended. Ownership: the list is the caller's, and stays as it was on failure. */
#ifndef PROTO_INSN_RBT_ROOM_H
#define PROTO_INSN_RBT_ROOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

/* Room for one more of `size` bytes behind `count`. False: out of memory. */
static inline bool rbt_make_room(void **list, size_t count, size_t *room, size_t size)
{
    size_t const more = *room ? 2 * *room : 16;
    void *larger;

    if (count < *room)
        return true;
    larger = realloc(*list, more * size);
    if (!larger)
        return false;
    *list = larger;
    *room = more;
    return true;
}

#endif
