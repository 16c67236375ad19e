#include "proto/insn/rbt/rows.h"

#include <stdlib.h>
#include <string.h>

#include "proto/insn/rbt/format.h"

enum { FIRST_ROOM = 1024 };
#define MOST (UINT32_MAX / 4)

static bool make_room(struct rbt_rows *rows)
{
    if (rows->count == rows->room) {
        uint32_t const room = rows->room ? 2 * rows->room : FIRST_ROOM;
        struct rbt_row *const more = rows->count < MOST ? realloc(rows->rows, room * sizeof *more) : NULL;

        if (!more)
            return false;
        rows->rows = more;
        rows->room = room;
    }
    if (rows->slot_count + RBT_REGULAR_ACCESSES > rows->slot_room) {
        uint32_t const room = rows->slot_room ? 2 * rows->slot_room : FIRST_ROOM;
        struct insn_access *const more = rows->slot_count < MOST ? realloc(rows->accesses, room * sizeof *more) : NULL;

        if (!more)
            return false;
        rows->accesses = more;
        rows->slot_room = room;
    }
    return true;
}

bool rbt_rows_add(struct rbt_rows *rows, struct rbt_row row, const struct insn_access *accesses)
{
    if (!make_room(rows))
        return false;
    row.first_slot = rows->slot_count;
    rows->rows[rows->count++] = row;
    if (row.flags & RBT_IRREGULAR) {
        rows->accesses[rows->slot_count++] = (struct insn_access){0};
        return true;
    }
    for (unsigned i = 0; i < row.access_count; i++)
        rows->accesses[rows->slot_count++] = (struct insn_access){.size_bytes = accesses[i].size_bytes,
                                                                  .is_write = accesses[i].is_write};
    return true;
}

void rbt_rows_free(struct rbt_rows *rows)
{
    free(rows->rows);
    free(rows->accesses);
    *rows = (struct rbt_rows){0};
}
