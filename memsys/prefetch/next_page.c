/* Next-page prefetcher: accesses that run towards the end of a page fetch the beginning of the page behind it, and its
 * translation with it.
 *
 * Source: Intel 64 and IA-32 Architectures Optimization Reference Manual, third-generation Core (Ivy Bridge): "next
 * page prefetcher: triggered by sequential accesses to cache lines approaching the page boundary, either upwards or
 * downwards". The manual gives no figures; here: the last 16 pages are kept with their latest line and direction, and
 * two steps in one direction count as sequential. distance: lines from the boundary from which on it is approached;
 * degree: lines fetched of the page. Without cross_pages it fetches nothing. */
#include "memsys/prefetch/prefetch_params.h"
#include "memsys/prefetch/prefetcher.h"

enum { NEXT_PAGE_PAGES = 16, NEXT_PAGE_STEPS = 2 };

struct next_page_entry {
    uint64_t page, last_use;             /* last_use 0: free */
    uint32_t line;                       /* the latest, within the page */
    int32_t steps;                       /* in one direction, one after the other; negative: downwards */
    bool is_done;                        /* its neighbour has been fetched */
};

struct next_page_table {
    struct next_page_entry entries[NEXT_PAGE_PAGES];
    uint64_t uses;
};

/* NULL: the page is new. */
static struct next_page_entry *next_page_find(struct next_page_table *table, uint64_t page, uint32_t line)
{
    struct next_page_entry *victim = &table->entries[0];

    for (unsigned i = 0; i < NEXT_PAGE_PAGES; i++) {
        struct next_page_entry *const entry = &table->entries[i];

        if (entry->last_use && entry->page == page) {
            entry->last_use = ++table->uses;
            return entry;
        }
        if (entry->last_use < victim->last_use)
            victim = entry;
    }
    *victim = (struct next_page_entry){.page = page, .last_use = ++table->uses, .line = line};
    return NULL;
}

static void next_page_train(struct prefetcher *prefetcher, const struct prefetch_access *access)
{
    uint32_t const line = prefetch_page_line(prefetcher, access->address);
    uint32_t const lines = prefetch_page_lines(prefetcher);
    uint64_t const base = access->address & ~(PREFETCH_PAGE_BYTES - 1);
    struct next_page_entry *const entry = next_page_find(prefetcher->own, base, line);
    bool is_up;

    if (!entry || entry->is_done || line == entry->line)
        return;
    is_up = line > entry->line;
    entry->steps = is_up == (entry->steps > 0) ? entry->steps + (is_up ? 1 : -1) : is_up ? 1 : -1;
    entry->line = line;
    if (entry->steps > -NEXT_PAGE_STEPS && entry->steps < NEXT_PAGE_STEPS)
        return;
    if ((is_up ? lines - 1 - line : line) >= prefetcher->distance)
        return;
    entry->is_done = true;
    for (uint64_t i = 0; i < prefetcher->degree; i++) {
        uint64_t const skipped = i * prefetcher->sim->line_bytes;

        if (!prefetcher_propose(prefetcher, is_up ? base + PREFETCH_PAGE_BYTES + skipped
                                                  : base - prefetcher->sim->line_bytes - skipped))
            entry->is_done = i > 0;
    }
}

const struct prefetcher_ops prefetch_next_page = {
    .name = "next_page", .own_bytes = sizeof(struct next_page_table), .degree = 1, .distance = 8,
    .training = PREFETCH_TRAINING_ACCESSES, .ignores_fetches = true, .train = next_page_train
};
