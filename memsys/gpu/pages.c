/* Modelled: one frame a page, first come, first placed. Not modelled: TLBs, page walks, faults, a GPU's own page sizes
 * beside each other. */
#include "memsys/gpu/pages.h"

#include "base/arith.h"
#include "memsys/sim/out_of_memory.h"

void gpu_pages_init(struct gpu_pages *pages, const struct sim *sim, uint64_t base, uint64_t size_bytes,
                    uint64_t page_bytes)
{
    *pages = (struct gpu_pages){.sim = sim, .base = base, .frames = size_bytes / page_bytes,
                                .page_shift = log2_up(page_bytes)};
}

void gpu_pages_free(struct gpu_pages *pages)
{
    number_map_free(&pages->frame_bases);
    *pages = (struct gpu_pages){0};
}

uint64_t gpu_pages_place(struct gpu_pages *pages, uint64_t address)
{
    uint64_t const page = address >> pages->page_shift;
    uint64_t const offset = address & ((UINT64_C(1) << pages->page_shift) - 1);
    size_t const known = pages->frame_bases.count;
    uint64_t *base;

    if (pages->last_page == page + 1)
        return pages->last_base + offset;
    base = number_map_put(&pages->frame_bases, page);
    if (!base)
        sim_out_of_memory(pages->sim);
    if (pages->frame_bases.count > known) {
        *base = pages->base + (pages->next << pages->page_shift);
        pages->next = (pages->next + 1) % pages->frames;
    }
    pages->last_page = page + 1;
    pages->last_base = *base;
    return *base + offset;
}
