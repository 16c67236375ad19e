/* Translation of a GPU's addresses: L1 TLBs, an L2 TLB that they share, page walks (gpu-traces 14).
 *
 * Use: gpu_translation_init; gpu_translate for each access, which says when its page is known. Times are cycles of the
 * core clock. All ends of lookups are known when they begin, so nobody is called back; lookups need not come in the
 * order of their times, as those of an access that is on its way come early. Ownership: the translation owns its
 * entries. Pages are told apart, not mapped: physical addresses are those of the trace. */
#ifndef MEMSYS_GPU_TRANSLATION_H
#define MEMSYS_GPU_TRANSLATION_H

#include <stdint.h>

#include "base/fault.h"
#include "memsys/gpu/counts.h"
#include "memsys/gpu/params.h"

struct gpu_translation;

/* `tlbs`: L1 TLBs, numbered from 0. */
struct fault gpu_translation_init(struct gpu_translation **translation, const struct gpu_tlb_params *params,
                                  unsigned tlbs);
void gpu_translation_free(struct gpu_translation *translation);

/* L1 TLB `tlb` looks `address` up in cycle `cyc`: the answer is the cycle in which it has the page, `cyc` on a hit. */
uint64_t gpu_translate(struct gpu_translation *translation, unsigned tlb, uint64_t address, uint64_t cyc,
                       struct gpu_counts *counts);

#endif
