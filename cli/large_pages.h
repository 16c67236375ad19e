/* The start of the heap in large pages of the host. A replay's tables and queues take 1 to 3 MiB; page by page the host
 * would be asked for that 400 to 700 times, which is 2 to 4 % of a short replay.
 *
 * Use: large_pages_for_heap first of all in a command that simulates, before any memory is taken. What malloc gives
 * lies in these pages until they are full; nothing is to be freed. The second page is taken when the first is full.
 * Memory behind them comes in the host's usual pages, as it is needed. Where the C library or the host has no such
 * pages, or memory was taken before, nothing is gained and nothing fails. */
#ifndef CLI_LARGE_PAGES_H
#define CLI_LARGE_PAGES_H

#define LARGE_PAGE_BYTES (2 * 1024 * 1024)
#define LARGE_PAGES_BYTES (2 * LARGE_PAGE_BYTES)

void large_pages_for_heap(void);

#endif
