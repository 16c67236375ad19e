/* Where a GPU's pages lie in the memory that it shares with cores.
 *
 * A GPU's trace has virtual addresses of its own; the system's memory is smaller than their range. Each page gets the
 * next free frame of a window when it is first asked for, so that the same run gives the same places. When the window
 * is used up, the frames are given out again from the first on: capacity is not modelled, only place.
 *
 * Use: gpu_pages_init, gpu_pages_place for addresses, gpu_pages_free. Units: bytes. Ownership: the table is its own;
 * it grows with the pages touched. */
#ifndef MEMSYS_GPU_PAGES_H
#define MEMSYS_GPU_PAGES_H

#include <stdint.h>

#include "base/number_map.h"

struct sim;

struct gpu_pages {
    uint64_t base, frames;                   /* of the window */
    unsigned page_shift;
    uint64_t next;                           /* frame to be given next */
    struct number_map frame_bases;           /* by the number of the page */
    uint64_t last_page, last_base;           /* of the answer before, plus 1 */
    const struct sim *sim;
};

/* page_bytes: a power of two; size_bytes: at least a page (both checked by the configuration). */
void gpu_pages_init(struct gpu_pages *pages, const struct sim *sim, uint64_t base, uint64_t size_bytes,
                    uint64_t page_bytes);
void gpu_pages_free(struct gpu_pages *pages);

/* Where the byte at a GPU's address lies; or sim_out_of_memory. */
uint64_t gpu_pages_place(struct gpu_pages *pages, uint64_t address);

#endif
