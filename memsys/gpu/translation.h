/* Translation of a GPU's addresses: L1 TLBs, an L2 TLB that they share, page walks (gpu-traces 14).
 *
 * Use: gpu_translation_init; gpu_translate for each access, which says when its page is known. Times are cycles of the
 * core clock. All ends of lookups are known when they begin, so no callbacks are needed; lookups need not come in the
 * order of their times: those of later accesses may be made early. Ownership: the translation owns its entries. Pages
 * are distinguished, not mapped: physical addresses are those of the trace. */
#ifndef MEMSYS_GPU_TRANSLATION_H
#define MEMSYS_GPU_TRANSLATION_H

#include <stdint.h>

#include "base/fault.h"
#include "base/number_map.h"
#include "memsys/gpu/counts.h"

struct gpu_tlb_params;
struct gpu_translation;

/* `tlbs`: L1 TLBs, numbered from 0. */
struct fault gpu_translation_init(struct gpu_translation **translation, const struct gpu_tlb_params *params,
                                  unsigned tlbs);
void gpu_translation_free(struct gpu_translation *translation);

/* L1 TLB `tlb` looks `address` up in cycle `cyc`: the answer is the cycle in which it has the page, `cyc` on a hit. */
uint64_t gpu_translate(struct gpu_translation *translation, unsigned tlb, uint64_t address, uint64_t cyc,
                       struct gpu_counts *counts);

/* Where a GPU's pages lie in the memory that it shares with cores.
 *
 * A GPU's trace has virtual addresses of its own; the system's memory is smaller than their range. Each page gets the
 * next free frame of a window when it is first asked for, so that the same run gives the same places. When the window
 * is used up, the frames are given out again from the first on: capacity is not modelled, only place.
 *
 * Use: gpu_pages_init, gpu_pages_place for addresses, gpu_pages_free. Units: bytes. Ownership: the table is its own;
 * it grows with the pages touched. */

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
