/* Modelled: one frame a page, first come, first placed. Not modelled: TLBs, page walks, faults, a GPU's own page sizes
 * beside each other. */
#include "memsys/gpu/pages.h"

#include <stdlib.h>

#include "memsys/sim/out_of_memory.h"

#define FIRST_PLACES 256u

static uint64_t first_place(const struct gpu_pages *pages, uint64_t page)
{
    return page * UINT64_C(0x9e3779b97f4a7c15) >> 20 & pages->mask;
}

/* The entry of a page, or the free one where it belongs. */
static struct gpu_page *find(const struct gpu_pages *pages, uint64_t page)
{
    uint64_t place = first_place(pages, page);

    while (pages->table[place].number != 0 && pages->table[place].number != page + 1)
        place = (place + 1) & pages->mask;
    return &pages->table[place];
}

static void grow(struct gpu_pages *pages)
{
    struct gpu_page *const old = pages->table;
    uint64_t const places = pages->mask + 1;

    struct gpu_page *const table = calloc(2 * places, sizeof *table);

    if (!table)
        sim_out_of_memory(pages->sim);
    pages->table = table;
    pages->mask = 2 * places - 1;
    for (uint64_t i = 0; i < places; i++)
        if (old[i].number)
            *find(pages, old[i].number - 1) = old[i];
    free(old);
}

struct fault gpu_pages_init(struct gpu_pages *pages, const struct sim *sim, uint64_t base, uint64_t size_bytes,
                            uint64_t page_bytes)
{
    *pages = (struct gpu_pages){.sim = sim, .base = base, .frames = size_bytes / page_bytes, .mask = FIRST_PLACES - 1,
                                .table = calloc(FIRST_PLACES, sizeof *pages->table)};
    while (UINT64_C(1) << pages->page_shift < page_bytes)
        pages->page_shift++;
    return pages->table ? fault_none() : fault_make(FAULT_MEMORY, "out of memory for the pages of a GPU");
}

void gpu_pages_free(struct gpu_pages *pages)
{
    free(pages->table);
    *pages = (struct gpu_pages){0};
}

uint64_t gpu_pages_place(struct gpu_pages *pages, uint64_t address)
{
    uint64_t const page = address >> pages->page_shift;
    uint64_t const offset = address & ((UINT64_C(1) << pages->page_shift) - 1);
    struct gpu_page *entry;

    if (pages->last_page == page + 1)
        return pages->last_base + offset;
    entry = find(pages, page);
    if (entry->number == 0) {
        if (2 * (pages->count + 1) > pages->mask) {
            grow(pages);
            entry = find(pages, page);
        }
        *entry = (struct gpu_page){page + 1, pages->base + (pages->next << pages->page_shift)};
        pages->next = (pages->next + 1) % pages->frames;
        pages->count++;
    }
    pages->last_page = page + 1;
    pages->last_base = entry->base;
    return entry->base + offset;
}
