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

/* The first elements of a list, all bytes 0: pages of a large one that are never used are never asked for. */
static bool list_begin_zeroed(void *list, size_t count, size_t element_bytes)
{
    void *const items = calloc(count ? count : 1, element_bytes);

    if (!items)
        return false;
    memcpy(list, &items, sizeof items);
    return true;
}

static bool list_is_new(const void *list)
{
    void *items;

    memcpy(&items, list, sizeof items);
    return !items;
}

bool list_extend(void *list, size_t had, size_t count, size_t element_bytes, int fill)
{
    uint8_t *items;

    if (fill == 0 && list_is_new(list))
        return list_begin_zeroed(list, count, element_bytes);
    if (!list_resize(list, count, element_bytes))
        return false;
    memcpy(&items, list, sizeof items);
    memset(items + had * element_bytes, fill, (count - had) * element_bytes);
    return true;
}

/* Twice the room, as often as needed. 0: there is no such number. */
static size_t list_room(size_t room, size_t wanted)
{
    size_t more = room ? room : FIRST_ROOM;

    while (more < wanted && more <= SIZE_MAX / 2)
        more *= 2;
    return more < wanted ? 0 : more;
}

bool list_grow(void *list, size_t wanted, size_t *room, size_t element_bytes)
{
    size_t const more = list_room(*room, wanted);

    if (more == 0 || !list_resize(list, more, element_bytes))
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
    size_t const had = *room, more = list_room(had, wanted);
    uint8_t *items;

    if (more > 0 && list_is_new(list)) {
        if (!list_begin_zeroed(list, more, element_bytes))
            return false;
        *room = more;
        return true;
    }
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
