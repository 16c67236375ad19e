#include "replay/detailed/uops/seen_code.h"

#include <stdlib.h>

enum { FIRST_ROOM = 4096 };

/* Where the pc is, or would be: at most half of the table is in use. */
static struct seen_insn *place_of(const struct seen_code *seen, uint64_t pc)
{
    size_t at = (size_t)(pc * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (seen->room - 1);

    while (seen->table[at].number_and_1 != 0 && seen->table[at].pc != pc)
        at = (at + 1) & (seen->room - 1);
    return &seen->table[at];
}

static bool seen_code_grow(struct seen_code *seen)
{
    struct seen_code more = {.room = seen->room ? 2 * seen->room : FIRST_ROOM, .count = seen->count};

    more.table = calloc(more.room, sizeof *more.table);
    if (!more.table)
        return false;
    for (size_t i = 0; i < seen->room; i++)
        if (seen->table[i].number_and_1 != 0)
            *place_of(&more, seen->table[i].pc) = seen->table[i];
    free(seen->table);
    *seen = more;
    return true;
}

bool seen_code_put(struct seen_code *seen, uint64_t pc, uint32_t number)
{
    struct seen_insn *place;

    if (2 * seen->count >= seen->room && !seen_code_grow(seen))
        return false;
    place = place_of(seen, pc);
    seen->count += place->number_and_1 == 0;
    *place = (struct seen_insn){pc, number + 1};
    return true;
}

int64_t seen_code_find(const struct seen_code *seen, uint64_t pc)
{
    const struct seen_insn *const place = seen->room > 0 ? place_of(seen, pc) : NULL;

    return place ? (int64_t)place->number_and_1 - 1 : SEEN_NOTHING;
}

void seen_code_free(struct seen_code *seen)
{
    free(seen->table);
    *seen = (struct seen_code){0};
}
