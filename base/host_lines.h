/* Zeroed tables that begin at a cache line of the host, so that a layout by lines is read by lines.
 *
 * Use: host_lines_zeroed for a table of any size; a large one takes memory of the host only where it is written. One
 * that is looked up at random is better host_lines_written: a page that is read before it is first written costs two
 * page faults. NULL: there is no memory. Ownership: the caller's, until host_lines_free (NULL is fine). */
#ifndef BASE_HOST_LINES_H
#define BASE_HOST_LINES_H

#include <stddef.h>

#define HOST_LINE_BYTES 64

void *host_lines_zeroed(size_t count, size_t element_bytes);
void *host_lines_written(size_t count, size_t element_bytes);
void host_lines_free(void *table);

#endif
