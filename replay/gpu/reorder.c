/* The reorder buffer between an L1 and the registers, and how many requests the L1 has at a time (gpu-traces 14).
 *
 * Modelled: requests get a place in the order in which they leave the LD/ST unit, and answers go to registers in that
 * order, one a cycle; the L1 takes a request when less than in_flight are between their tags and their answer, its
 * place there is free TAG_CYC before the next one's tags. Places are for all requests from the LD/ST unit on, those in
 * the vector memory pipeline too: it is a little larger than the buffer alone. */
#include <stdlib.h>

#include "replay/gpu/gpu_machine.h"

enum { TAG_CYC = 2 };                    /* an L1 looks at the tags so long after it took a request */

struct fault gpu_reorder_init(struct gpu_reorder *reorder, const struct gpu_l1_params *params)
{
    if (params->reorder == 0)
        return fault_none();
    reorder->room = (uint32_t)(params->reorder + params->cache.latency_cyc);
    reorder->entries = calloc(reorder->room, sizeof *reorder->entries);
    reorder->in_flight = calloc(params->in_flight + 1, sizeof *reorder->in_flight);
    if (!reorder->entries || !reorder->in_flight)
        return fault_make(FAULT_MEMORY, "out of memory for the reorder buffer of an SM");
    return fault_none();
}

void gpu_reorder_free(struct gpu_reorder *reorder)
{
    free(reorder->entries);
    free(reorder->in_flight);
}

static uint32_t place_at(const struct gpu_reorder *reorder, uint32_t offset)
{
    uint32_t const at = reorder->head + offset;

    return at < reorder->room ? at : at - reorder->room;
}

uint32_t gpu_reorder_take(struct gpu_reorder *reorder, uint32_t op)
{
    uint32_t const place = place_at(reorder, reorder->count++);

    reorder->entries[place] = (struct gpu_reorder_entry){CYC_NEVER, op, UINT32_MAX};
    return place;
}

uint64_t gpu_reorder_enter_cyc(struct gpu_sm *sm, uint32_t place, uint64_t now_cyc)
{
    struct gpu_reorder *const reorder = &sm->ldst.reorder;
    uint64_t soonest_cyc = CYC_NEVER;

    if (reorder->entries[place].in_flight != UINT32_MAX || sm->machine->params.l1.in_flight == 0)
        return now_cyc;
    for (uint32_t i = 0; i < sm->machine->params.l1.in_flight; i++) {
        if (reorder->in_flight[i] <= now_cyc) {
            reorder->in_flight[i] = CYC_NEVER;
            reorder->entries[place].in_flight = i;
            return now_cyc;
        }
        soonest_cyc = min_u64(soonest_cyc, reorder->in_flight[i]);
    }
    return soonest_cyc;
}

void gpu_reorder_answer(struct gpu_sm *sm, uint32_t place, uint64_t cyc)
{
    struct gpu_reorder *const reorder = &sm->ldst.reorder;
    struct gpu_reorder_entry *const answered = &reorder->entries[place];

    answered->done_cyc = cyc + sm->machine->params.l1.return_latency_cyc;
    if (answered->in_flight != UINT32_MAX)
        reorder->in_flight[answered->in_flight] = cyc + TAG_CYC;
    while (reorder->count > 0 && reorder->entries[reorder->head].done_cyc != CYC_NEVER) {
        struct gpu_reorder_entry const entry = reorder->entries[reorder->head];

        reorder->head = place_at(reorder, 1);
        reorder->count--;
        reorder->last_cyc = max_u64(reorder->last_cyc + 1, entry.done_cyc);
        gpu_ldst_finish_part(sm, entry.op, reorder->last_cyc);
    }
}

/* ---- set-up of an LD/ST unit and its L1 (ldst.c) */

enum { MAX_BANK_ROOM = 1024 };

/* MGPUSim's L1 of scalars (14). */
static const struct sector_cache_params scalar_cache = {
    .sets = 64, .ways = 4, .line_bytes = GPU_SCALAR_LINE_BYTES, .sector_bytes = GPU_SCALAR_LINE_BYTES,
    .alloc = SECTOR_ON_MISS, .write = SECTOR_WRITE_THROUGH, .write_miss = SECTOR_NO_ALLOCATE, .index = SET_LINEAR,
    .mshrs = 16, .merges = 64, .miss_queue = 16, .dirty_percent = 0, .latency_cyc = 1,
};

struct fault gpu_ldst_init(struct gpu_sm *sm)
{
    const struct gpu_params *const params = &sm->machine->params;
    struct gpu_ldst *const ldst = &sm->ldst;

    ldst->current = GPU_NO_OP;
    ldst->banks_cyc = CYC_NEVER;
    ldst->queue_room = (uint32_t)params->sm.schedulers * GPU_LDST_QUEUE;
    ldst->bank_room = (uint32_t)min_u64(max_u64(params->l1.cache.latency_cyc, 1) + params->l1.reorder, MAX_BANK_ROOM);
    ldst->miss_room = (uint32_t)params->l1.cache.miss_queue + SECTOR_MAX_SENDS;
    ldst->queue = calloc(ldst->queue_room, sizeof *ldst->queue);
    ldst->requests = calloc(COALESCE_MAX_ACCESSES, sizeof *ldst->requests);
    ldst->misses = calloc(ldst->miss_room, sizeof *ldst->misses);
    ldst->banks = calloc(params->l1.banks, sizeof *ldst->banks);
    if (!ldst->queue || !ldst->requests || !ldst->misses || !ldst->banks)
        return fault_make(FAULT_MEMORY, "out of memory for the LD/ST unit of SM %u", sm->number);
    for (uint64_t i = 0; i < params->l1.banks; i++) {
        ldst->banks[i].blocked_cyc = ldst->banks[i].due_cyc = CYC_NEVER;
        ldst->banks[i].entries = calloc(ldst->bank_room, sizeof *ldst->banks[i].entries);
        if (!ldst->banks[i].entries)
            return fault_make(FAULT_MEMORY, "out of memory for the L1 of SM %u", sm->number);
    }
    FORWARD(gpu_reorder_init(&ldst->reorder, &params->l1));
    FORWARD(sector_cache_init(&ldst->l1, &params->l1.cache));
    return sector_cache_init(&ldst->scalar, &scalar_cache);
}

void gpu_ldst_free(struct gpu_sm *sm)
{
    struct gpu_ldst *const ldst = &sm->ldst;

    if (ldst->banks)
        for (uint64_t i = 0; i < sm->machine->params.l1.banks; i++)
            free(ldst->banks[i].entries);
    if (ldst->l1)
        sector_cache_free(ldst->l1);
    if (ldst->scalar)
        sector_cache_free(ldst->scalar);
    free(ldst->banks);
    free(ldst->queue);
    free(ldst->requests);
    free(ldst->misses);
    gpu_reorder_free(&ldst->reorder);
}
