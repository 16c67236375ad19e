/* host_facts: see each part. */
#ifndef BASE_HOST_FACTS_H
#define BASE_HOST_FACTS_H

#include <stddef.h>

/* The host's clocks, in seconds: the time that a simulation takes, never simulated time. */

double host_clock_s(void);               /* steady */
double host_thread_s(void);              /* processor time of this thread */
double host_process_s(void);             /* processor time of this process */
double host_children_s(void);            /* of the processes that it started and that have ended */

/* Processors that this process may use: at least 1. */
unsigned host_cores(void);

/* Zeroed tables that begin at a cache line of the host, so that a layout by lines is read by lines.
 *
 * Use: host_lines_zeroed for a table of any size; a large one takes memory of the host only where it is written. One
 * that is looked up at random is better host_lines_written: a page that is read before it is first written costs two
 * page faults. NULL: there is no memory. Ownership: the caller's, until host_lines_free (NULL is fine). */

#define HOST_LINE_BYTES 64

void *host_lines_zeroed(size_t count, size_t element_bytes);
void *host_lines_written(size_t count, size_t element_bytes);
void host_lines_free(void *table);

#endif
