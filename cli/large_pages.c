/* The heap is moved to where a large page may begin, and is grown before anything is written there: what had one small
 * page has small pages for good. malloc writes at the start of what it adds to the heap, and behind what it first gives
 * of that, so both lie below the large page. */
#define _DEFAULT_SOURCE              /* madvise, sbrk */
#include "cli/large_pages.h"

#include <stdint.h>
#include <stdlib.h>

#if defined __GLIBC__ && defined __GLIBC_PREREQ
#if __GLIBC_PREREQ(2, 33)            /* mallinfo2 */
#define HAS_HEAP
#endif
#endif

#ifdef HAS_HEAP
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#define SMALL_PAGE_BYTES 4096
/* What malloc does at first, unless told otherwise; told one of its limits, it no longer learns the others. Smaller
 * tables on the heap are zeroed by hand, so they take memory where nothing is ever written. */
#define OWN_MAPPING_BYTES (128 * 1024)       /* once the heap is full, a table of this size stays outside of it */
#define GROWTH_BYTES (128 * 1024)
#define BUFFER_BYTES (2 * 1024 * 1024)
#define FREE_BYTES (16 * 1024 * 1024)        /* at the end of the heap, that the host does not get back */
#define MOST_MAPPING_BYTES (32 * 1024 * 1024)

void large_pages_for_heap(void)
{
    size_t const left = mallinfo2().keepcost;    /* at the heap's end; for more, malloc goes on behind */
    uintptr_t const end = (uintptr_t)sbrk(0);
    uintptr_t const page = (end + left + SMALL_PAGE_BYTES + LARGE_PAGE_BYTES - 1) / LARGE_PAGE_BYTES * LARGE_PAGE_BYTES;
    uintptr_t const start = (page - left) / SMALL_PAGE_BYTES * SMALL_PAGE_BYTES - SMALL_PAGE_BYTES;
    void *volatile first;            /* volatile: or the compiler leaves malloc and free out */

    if (sysconf(_SC_PAGESIZE) != SMALL_PAGE_BYTES || left > LARGE_PAGE_BYTES
        || !mallopt(M_MMAP_THRESHOLD, MOST_MAPPING_BYTES) || !mallopt(M_TRIM_THRESHOLD, FREE_BYTES)
        || !mallopt(M_TOP_PAD, LARGE_PAGES_BYTES))
        return;
    if (start >= end && (intptr_t)sbrk((intptr_t)(start - end)) != -1) {
        first = malloc(left + 1);
        free(first);
        madvise((void *)page, LARGE_PAGES_BYTES, MADV_HUGEPAGE);
    }
    mallopt(M_TOP_PAD, GROWTH_BYTES);
    mallopt(M_MMAP_THRESHOLD, OWN_MAPPING_BYTES);
}

void large_pages_for_threads(void)
{
    mallopt(M_ARENA_MAX, 1);
    large_pages_for_heap();
}

void large_pages_for_packing(void)
{
    mallopt(M_ARENA_MAX, 1);
    mallopt(M_MMAP_THRESHOLD, BUFFER_BYTES);
}

#else

void large_pages_for_heap(void)
{
}

void large_pages_for_threads(void)
{
}

void large_pages_for_packing(void)
{
}

#endif
