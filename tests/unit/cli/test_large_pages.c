/* cli/common/large_pages.h: where memory lies, and which of it the host was asked to give in large pages. Whether it
 * does so is the host's choice; /proc shows that it was asked. */
#include <sys/mman.h>
#include <unistd.h>

#include "cli/common/large_pages.h"
#include "tests/support/unit.h"

/* Around the 128 KiB from which on glibc gives a table a mapping of its own. */
#define MIDDLE_TABLE_BYTES (100 * 1024)
#define LARGE_TABLE_BYTES (200 * 1024)

#define SMALL_PAGE_BYTES 4096

static uintptr_t heap_start;         /* before anything was done */
static unsigned written;             /* small pages of the large ones that had memory right after */

static uintptr_t first_large_page(void)
{
    return (heap_start + LARGE_PAGE_BYTES) / LARGE_PAGE_BYTES * LARGE_PAGE_BYTES;
}

/* A host without large pages, or another malloc than the C library's (sanitizers have theirs). */
static void need_large_pages(void)
{
#ifdef __GLIBC__
    void *const small = malloc(64);
    bool const is_in_heap = (uintptr_t)small >= heap_start && (uintptr_t)small < (uintptr_t)sbrk(0);

    free(small);
    if (is_in_heap && access("/sys/kernel/mm/transparent_hugepage/enabled", R_OK) == 0)
        return;
#endif
    skip();
}

/* Was the host asked for a large page there? */
static bool is_asked_for(uintptr_t place)
{
    FILE *const maps = fopen("/proc/self/smaps", "r");
    char line[512];
    bool is_here = false, is_asked = false;
    unsigned long first, behind;

    assert_non_null(maps);
    while (fgets(line, sizeof line, maps))
        if (sscanf(line, "%lx-%lx ", &first, &behind) == 2)
            is_here = place >= first && place < behind;
        else if (is_here && strncmp(line, "VmFlags:", 8) == 0)
            is_asked = strstr(line, " hg") != NULL;
    fclose(maps);
    return is_asked;
}

/* header: "The start of the heap in large pages of the host" */
static void the_heap_starts_with_large_pages(void **state)
{
    uintptr_t const page = first_large_page();

    need_large_pages();
    assert_true(is_asked_for(page));
    assert_true(is_asked_for(page + LARGE_PAGES_BYTES - 1));
    assert_false(is_asked_for(page - 1));
}

/* A range with one small page keeps small pages. */
static void large_pages_are_not_written_at_first(void **state)
{
    need_large_pages();
    assert_int_equal(written, 0);
}

/* header: "Memory behind them comes in the host's usual pages, as it is needed" */
static void tables_fill_the_pages_and_continue_behind_them(void **state)
{
    enum { TABLES = 2 * LARGE_PAGES_BYTES / MIDDLE_TABLE_BYTES, FILLING = LARGE_PAGES_BYTES / MIDDLE_TABLE_BYTES };
    void *tables[TABLES];
    char *large;
    unsigned asked = 0;

    need_large_pages();
    for (unsigned i = 0; i < TABLES; i++) {
        tables[i] = malloc(MIDDLE_TABLE_BYTES);
        assert_non_null(tables[i]);
        assert_in_range((uintptr_t)tables[i], heap_start, (uintptr_t)sbrk(0));
        asked += is_asked_for((uintptr_t)tables[i]);
    }
    assert_in_range(asked, FILLING - 1, FILLING + 1);
    large = calloc(1, LARGE_TABLE_BYTES);
    assert_non_null(large);
    assert_not_in_range((uintptr_t)large, heap_start, (uintptr_t)sbrk(0));
    assert_false(is_asked_for((uintptr_t)large));
    free(large);
    for (unsigned i = 0; i < TABLES; i++)
        free(tables[i]);
}

static unsigned count_written(uintptr_t page)
{
    unsigned char has_memory[LARGE_PAGES_BYTES / SMALL_PAGE_BYTES];
    unsigned count = 0;

    if (mincore((void *)page, LARGE_PAGES_BYTES, has_memory) != 0)
        return 0;
    for (size_t i = 0; i < sizeof has_memory; i++)
        count += has_memory[i] & 1;
    return count;
}

/* The first large page behind a place; 0: none. */
static uintptr_t page_behind(uintptr_t place)
{
    uintptr_t const first = (place + LARGE_PAGE_BYTES - 1) / LARGE_PAGE_BYTES * LARGE_PAGE_BYTES;

    for (uintptr_t page = first; page < (uintptr_t)sbrk(0); page += LARGE_PAGE_BYTES)
        if (is_asked_for(page))
            return page;
    return 0;
}

/* header: "before a simulation is set up" */
static void a_heap_in_use_continues_in_large_pages(void **state)
{
    enum { TABLES = 20, BEFORE = 2 * LARGE_PAGES_BYTES / MIDDLE_TABLE_BYTES };
    void *tables[TABLES], *before[BEFORE];
    uintptr_t end, page;
    unsigned in_pages = 0;

    need_large_pages();
    for (unsigned i = 0; i < BEFORE; i++)
        before[i] = malloc(MIDDLE_TABLE_BYTES);
    end = (uintptr_t)sbrk(0);
    large_pages_for_threads();
    page = page_behind(end);
    assert_int_not_equal(page, 0);
    assert_int_equal(count_written(page), 0);
    for (unsigned i = 0; i < TABLES; i++) {
        tables[i] = malloc(MIDDLE_TABLE_BYTES);
        in_pages += (uintptr_t)tables[i] >= page && (uintptr_t)tables[i] < page + LARGE_PAGES_BYTES;
    }
    for (unsigned i = 0; i < TABLES; i++)
        free(tables[i]);
    for (unsigned i = 0; i < BEFORE; i++)
        free(before[i]);
    assert_in_range(in_pages, TABLES / 2, TABLES);
}

/* header: "its buffers lie there, which are as large as tables of which only parts are ever written" */
static void buffers_lie_in_the_heap_before_packing(void **state)
{
    uintptr_t place;
    char *buffer;

    need_large_pages();
    large_pages_for_packing();
    buffer = malloc(LARGE_TABLE_BYTES);
    assert_non_null(buffer);
    place = (uintptr_t)buffer;
    free(buffer);
    assert_in_range(place, heap_start, (uintptr_t)sbrk(0));
}

int main(void)
{
    struct CMUnitTest const tests[] = {
        cmocka_unit_test(the_heap_starts_with_large_pages),
        cmocka_unit_test(large_pages_are_not_written_at_first),
        cmocka_unit_test(tables_fill_the_pages_and_continue_behind_them),
        cmocka_unit_test(a_heap_in_use_continues_in_large_pages),
        cmocka_unit_test(buffers_lie_in_the_heap_before_packing)
    };

    heap_start = (uintptr_t)sbrk(0);
    large_pages_for_heap();
    written = count_written(first_large_page());
    return cmocka_run_group_tests(tests, NULL, NULL);
}
