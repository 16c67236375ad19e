/* Lists that grow by doubling, for what reads and writes .rbt files.
 *
 * Use: before an element is appended. Ownership: the list is the caller's, and stays as it was on failure. */
#ifndef PROTO_INSN_RBT_ROOM_H
#define PROTO_INSN_RBT_ROOM_H

#include "base/list.h"

/* Room for one more of `size` bytes behind `count`. False: out of memory. */
static inline bool rbt_make_room(void **list, size_t count, size_t *room, size_t size)
{
    return list_fit(list, count + 1, room, size);
}

#endif
