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
