/* The end of the heap is moved to the boundary of a large page, and the heap grown before anything is written there: a
 * range that once had a small page keeps small pages. malloc writes at the start of an extension of the heap and
 * behind the first block it returns from it, so both are placed below the large page. */
#include "cli/common/large_pages.h"

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
/* Initial limits of malloc; once one of its limits is set, it no longer adapts the others. Smaller tables on the heap
 * are zeroed explicitly, so they take memory even where nothing else is ever written. */
#define OWN_MAPPING_BYTES (128 * 1024)       /* once the heap is full, a table of this size stays outside of it */
#define GROWTH_BYTES (128 * 1024)
#define BUFFER_BYTES (2 * 1024 * 1024)
#define FREE_BYTES (16 * 1024 * 1024)        /* at the end of the heap, that the host does not get back */
#define MOST_MAPPING_BYTES (32 * 1024 * 1024)

void large_pages_for_heap(void)
{
    size_t const left = mallinfo2().keepcost;    /* free at the heap's end; larger blocks extend the heap */
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
