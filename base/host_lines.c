/* The C library knows which memory comes fresh from the system and leaves it untouched, but aligns less; the pointer
 * that it gave lies right before the table. */
#include "base/host_lines.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define BEFORE_BYTES (HOST_LINE_BYTES + sizeof(void *))

/* What to ask for; 0: too much. */
static size_t whole_bytes(size_t count, size_t element_bytes)
{
    return count > (SIZE_MAX - BEFORE_BYTES) / element_bytes ? 0 : count * element_bytes + BEFORE_BYTES;
}

static void *table_in(void *whole)
{
    char *table = (char *)whole + sizeof whole;

    table += (size_t)-(uintptr_t)table % HOST_LINE_BYTES;
    ((void **)(void *)table)[-1] = whole;
    return table;
}

void *host_lines_zeroed(size_t count, size_t element_bytes)
{
    size_t const bytes = whole_bytes(count, element_bytes);
    void *const whole = bytes ? calloc(1, bytes) : NULL;

    return whole ? table_in(whole) : NULL;
}

void *host_lines_written(size_t count, size_t element_bytes)
{
    size_t const bytes = whole_bytes(count, element_bytes);
    void *const whole = bytes ? malloc(bytes) : NULL;

    return whole ? memset(table_in(whole), 0, count * element_bytes) : NULL;
}

void host_lines_free(void *table)
{
    if (table)
        free(((void **)table)[-1]);
}
