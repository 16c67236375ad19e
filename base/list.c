#include "base/list.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 16 };

bool list_resize(void *list, size_t count, size_t element_bytes)
{
    void *items, *grown;

    memcpy(&items, list, sizeof items);
    grown = count > SIZE_MAX / element_bytes ? NULL : realloc(items, count ? count * element_bytes : 1);
    if (!grown)
        return false;
    memcpy(list, &grown, sizeof grown);
    return true;
}

bool list_extend(void *list, size_t had, size_t count, size_t element_bytes, int fill)
{
    uint8_t *items;

    if (!list_resize(list, count, element_bytes))
        return false;
    memcpy(&items, list, sizeof items);
    memset(items + had * element_bytes, fill, (count - had) * element_bytes);
    return true;
}

bool list_grow(void *list, size_t wanted, size_t *room, size_t element_bytes)
{
    size_t more = *room ? *room : FIRST_ROOM;

    while (more < wanted && more <= SIZE_MAX / 2)
        more *= 2;
    if (more < wanted || !list_resize(list, more, element_bytes))
        return false;
    *room = more;
    return true;
}

bool list_grow_32(void *list, uint32_t wanted, uint32_t *room, size_t element_bytes)
{
    size_t more = *room;

    if (wanted > UINT32_MAX / 2 || !list_grow(list, wanted, &more, element_bytes))
        return false;
    *room = (uint32_t)more;
    return true;
}

bool list_grow_zeroed(void *list, size_t wanted, size_t *room, size_t element_bytes)
{
    size_t const had = *room;
    uint8_t *items;

    if (!list_grow(list, wanted, room, element_bytes))
        return false;
    memcpy(&items, list, sizeof items);
    memset(items + had * element_bytes, 0, (*room - had) * element_bytes);
    return true;
}

bool list_fit_next(void *list, size_t count, size_t element_bytes)
{
    bool const is_full = (count & (count - 1)) == 0;     /* 0, too */

    return !is_full || (count <= SIZE_MAX / 2 && list_resize(list, count ? 2 * count : 1, element_bytes));
}
