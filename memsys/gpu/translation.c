/* Modelled: gpu-traces 14. L1 TLBs with any page in any entry, least recently used first out, and a number of pages
 * that they wait for at a time; a lookup beyond that waits for the first of them. An L2 TLB of sets. Any number of
 * walks run in parallel, each with the same latency (14.1 has the walker beyond the bus, with 16 at a time).
 * Not modelled: the ports of the TLBs, which take four lookups a cycle. */
#include "memsys/gpu/translation.h"

#include <stdlib.h>

#include "base/arith.h"
#include "memsys/gpu/gpu_params.h"
#include "memsys/sim/out_of_memory.h"

#define NO_PAGE UINT64_MAX

struct entry {
    uint64_t page;
    uint64_t ready_cyc;                  /* it is there from then on */
    uint64_t used;                       /* rises with each use */
};

struct gpu_translation {
    struct gpu_tlb_params params;
    unsigned page_shift;
    uint64_t uses;
    struct entry **last;                 /* of each L1 TLB: the entry used last */
    struct entry *l1;                    /* of each L1 TLB: params.entries */
    struct entry *l2;
};

static void translation_clear(struct entry *entries, size_t count)
{
    for (size_t i = 0; i < count; i++)
        entries[i] = (struct entry){.page = NO_PAGE};
}

struct fault gpu_translation_init(struct gpu_translation **made, const struct gpu_tlb_params *params, unsigned tlbs)
{
    struct gpu_translation *const translation = calloc(1, sizeof *translation);
    size_t const l2_count = params->l2_sets * params->l2_ways, l1_count = params->entries * tlbs;

    *made = translation;
    if (!translation)
        return fault_make(FAULT_MEMORY, "out of memory for the TLBs of a GPU");
    translation->params = *params;
    translation->page_shift = (unsigned)__builtin_ctzll(params->page_bytes);
    translation->last = calloc(tlbs, sizeof *translation->last);
    translation->l1 = calloc(l1_count, sizeof *translation->l1);
    translation->l2 = calloc(l2_count, sizeof *translation->l2);
    if (!translation->last || !translation->l1 || !translation->l2)
        return fault_make(FAULT_MEMORY, "out of memory for the TLBs of a GPU");
    translation_clear(translation->l1, l1_count);
    translation_clear(translation->l2, l2_count);
    for (unsigned i = 0; i < tlbs; i++)
        translation->last[i] = &translation->l1[i * params->entries];
    return fault_none();
}

void gpu_translation_free(struct gpu_translation *translation)
{
    if (!translation)
        return;
    free(translation->last);
    free(translation->l1);
    free(translation->l2);
    free(translation);
}

/* The page's entry, or the one that it replaces. */
static struct entry *translation_find(struct entry *entries, uint64_t count, uint64_t page)
{
    struct entry *oldest = entries;

    for (struct entry *entry = entries; entry < entries + count; entry++) {
        if (entry->page == page)
            return entry;
        if (entry->used < oldest->used)
            oldest = entry;
    }
    return oldest;
}

/* When the TLB has room to wait for another page. */
static uint64_t miss_room_cyc(const struct gpu_tlb_params *params, const struct entry *entries, uint64_t cyc)
{
    for (;;) {
        uint64_t first_cyc = UINT64_MAX, waiting = 0;

        for (uint64_t i = 0; i < params->entries; i++)
            if (entries[i].page != NO_PAGE && entries[i].ready_cyc > cyc) {
                first_cyc = min_u64(first_cyc, entries[i].ready_cyc);
                waiting++;
            }
        if (waiting < params->misses)
            return cyc;
        cyc = first_cyc;
    }
}

static uint64_t look_up_l2(struct gpu_translation *translation, uint64_t page, uint64_t cyc, struct gpu_counts *counts)
{
    const struct gpu_tlb_params *const params = &translation->params;
    struct entry *const set = &translation->l2[page % params->l2_sets * params->l2_ways];
    struct entry *const entry = translation_find(set, params->l2_ways, page);

    if (entry->page != page) {
        *entry = (struct entry){.page = page, .ready_cyc = cyc + params->walk_latency_cyc};
        counts->tlb_walks++;
    }
    entry->used = ++translation->uses;
    /* The earliest look-up in simulated time starts the walk, even if it is processed later. */
    entry->ready_cyc = min_u64(entry->ready_cyc, cyc + params->walk_latency_cyc);
    return max_u64(entry->ready_cyc, cyc);
}

uint64_t gpu_translate(struct gpu_translation *translation, unsigned tlb, uint64_t address, uint64_t cyc,
                       struct gpu_counts *counts)
{
    const struct gpu_tlb_params *const params = &translation->params;
    uint64_t const page = address >> translation->page_shift;
    struct entry *const entries = &translation->l1[tlb * params->entries];
    struct entry *entry = translation->last[tlb];

    counts->tlb_lookups++;
    if (entry->page != page)
        entry = translation_find(entries, params->entries, page);
    if (entry->page != page) {
        cyc = miss_room_cyc(params, entries, cyc);
        counts->tlb_misses++;
        *entry = (struct entry){.page = page,
                                .ready_cyc = look_up_l2(translation, page, cyc, counts) + params->l2_latency_cyc};
    }
    entry->used = ++translation->uses;
    translation->last[tlb] = entry;
    return max_u64(entry->ready_cyc, cyc);
}

/* Modelled: one frame a page, first come, first placed. Not modelled: TLBs, page walks, faults, a GPU's own page sizes
 * beside each other. */

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
