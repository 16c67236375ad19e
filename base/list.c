#include "base/list.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 16 };

static bool resize(void *list, size_t room, size_t element_bytes)
{
    void *items, *grown;

    memcpy(&items, list, sizeof items);
    grown = room > SIZE_MAX / element_bytes ? NULL : realloc(items, room * element_bytes);
    if (!grown)
        return false;
    memcpy(list, &grown, sizeof grown);
    return true;
}

bool list_grow(void *list, size_t wanted, size_t *room, size_t element_bytes)
{
    size_t more = *room ? *room : FIRST_ROOM;

    while (more < wanted && more <= SIZE_MAX / 2)
        more *= 2;
    if (more < wanted || !resize(list, more, element_bytes))
        return false;
    *room = more;
    return true;
}

bool list_fit_next(void *list, size_t count, size_t element_bytes)
{
    bool const is_full = (count & (count - 1)) == 0;     /* 0, too */

    return !is_full || (count <= SIZE_MAX / 2 && resize(list, count ? 2 * count : 1, element_bytes));
}
