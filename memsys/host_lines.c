/* calloc knows which memory comes fresh from the system and leaves it untouched, but aligns less; what it gave stands
 * right before the table. */
#include "memsys/host_lines.h"

#include <stdint.h>
#include <stdlib.h>

void *host_lines_zeroed(size_t count, size_t element_bytes)
{
    size_t const most = SIZE_MAX - HOST_LINE_BYTES - sizeof(void *);
    char *whole, *table;

    if (element_bytes != 0 && count > most / element_bytes)
        return NULL;
    whole = calloc(1, count * element_bytes + HOST_LINE_BYTES + sizeof(void *));
    if (!whole)
        return NULL;
    table = whole + sizeof(void *);
    table += (size_t)-(uintptr_t)table % HOST_LINE_BYTES;
    ((void **)(void *)table)[-1] = whole;
    return table;
}

void host_lines_free(void *table)
{
    if (table)
        free(((void **)table)[-1]);
}
