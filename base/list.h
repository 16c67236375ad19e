/* Lists that grow: an array, the number of its elements, and how many it has room for. All arrays that grow in place
 * grow here.
 *
 * Use: begin with NULL, 0 and 0; before an element is added:
 *      if (!list_fit(&items, count + 1, &room, sizeof *items)) there is no memory;
 *      items[count++] = item;
 * Ownership: the array is the caller's, to free. Errors: without memory, false, and all stays as it was. */
#ifndef BASE_LIST_H
#define BASE_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool list_grow(void *list, size_t wanted, size_t *room, size_t element_bytes);

/* Room for `wanted` elements in all. `list` is the address of the pointer to the first; new ones are not set. */
static inline bool list_fit(void *list, size_t wanted, size_t *room, size_t element_bytes)
{
    return wanted <= *room || list_grow(list, wanted, room, element_bytes);
}

/* The same where counts have 32 bits. */
bool list_grow_32(void *list, uint32_t wanted, uint32_t *room, size_t element_bytes);
static inline bool list_fit_32(void *list, uint32_t wanted, uint32_t *room, size_t element_bytes)
{
    return wanted <= *room || list_grow_32(list, wanted, room, element_bytes);
}

/* The same; all bytes of new elements are 0. */
bool list_grow_zeroed(void *list, size_t wanted, size_t *room, size_t element_bytes);
static inline bool list_fit_zeroed(void *list, size_t wanted, size_t *room, size_t element_bytes)
{
    return wanted <= *room || list_grow_zeroed(list, wanted, room, element_bytes);
}

/* Room for exactly `count` elements, which the caller keeps in mind. 0 takes a byte all the same. */
bool list_resize(void *list, size_t count, size_t element_bytes);
/* From room for `had` elements to exactly `count`; each byte of the new ones is `fill`. */
bool list_extend(void *list, size_t had, size_t count, size_t element_bytes, int fill);

/* Room for one more than `count` where `room` is not kept: it is the power of two that is not below the count. For
 * lists that never shrink. */
bool list_fit_next(void *list, size_t count, size_t element_bytes);

#endif
