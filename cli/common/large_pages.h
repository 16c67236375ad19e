/* A part of the heap in large pages of the host. A replay's tables and queues take 1 to 3 MiB; page by page the host
 * would be asked for that 400 to 700 times, which is 2 to 4 % of a short replay; and a large page keeps tables together
 * in the host's caches. To make a store meanwhile takes 1,300 pages more.
 *
 * Use: large_pages_for_heap before a simulation is set up; if 2 MiB are free at the end of the heap by then, nothing is
 * done. Later allocations of malloc are mostly in these pages, until they are full; nothing is to be freed. Each
 * page is taken when those before it are full. Memory behind them comes in the host's usual pages, as it is needed.
 * Where the C library or the host has no such pages nothing is gained and nothing fails. */
#ifndef CLI_COMMON_LARGE_PAGES_H
#define CLI_COMMON_LARGE_PAGES_H

#define LARGE_PAGE_BYTES (2 * 1024 * 1024)
#define LARGE_PAGES_BYTES (6 * LARGE_PAGE_BYTES)

void large_pages_for_heap(void);
/* The same where the simulation has a thread of its own, not yet begun: all threads share the heap, instead of one for
 * each, so none of them may allocate all the time. */
void large_pages_for_threads(void);
/* After one of the two, before a store is made: its threads share the heap, too, and its buffers lie there, which are
 * as large as tables of which only parts are ever written, but are written all over. */
void large_pages_for_packing(void);

#endif
