/* A register holds an integer or a floating-point number, never both, so one load whose address depends on it tells.
 * Not asked of stores, whose data may be either. */
#include "replay/window/window_learnt.h"

static bool has_read(const struct window_pc *pc, int32_t producer)
{
    for (unsigned i = 0; i < pc->read_count; i++)
        if (pc->read[i] == producer)
            return true;
    return false;
}

void window_integers_read(struct window_pcs *pcs, const struct window_record *record, int32_t producer)
{
    struct window_pc *const pc = window_pc_at(pcs, record->kind.pc_number);

    if (record->kind.type == DEP_LOAD)
        window_pc_at(pcs, producer)->is_integer = true;
    else if (record->kind.type == DEP_COMP && pc->read_count < RULE_INTEGER_SOURCES && !has_read(pc, producer))
        pc->read[pc->read_count++] = producer;
}

/* Where no floating-point operation takes a cycle, what does computes integers of integers. */
static bool takes_a_cycle(const struct window_pc *pc, uint64_t period)
{
    return pc->fastest <= period;
}

/* To the sources of all integers that tell. True: some of them are new. */
static bool pass_on(struct window_pcs *pcs, uint64_t period)
{
    bool has_new = false;

    for (size_t i = pcs->count; i-- > 0;) {
        const struct window_pc *const pc = &pcs->all[i];
        bool const tells = takes_a_cycle(pc, period)
                        || (pc->fastest < UINT64_MAX && pc->fastest + period >= pcs->core.long_cyc * period);

        for (unsigned j = 0; pc->is_integer && tells && j < pc->read_count; j++) {
            struct window_pc *const source = window_pc_at(pcs, pc->read[j]);

            has_new |= !source->is_integer;
            source->is_integer = true;
        }
    }
    return has_new;
}

void window_integers_decide(struct window_pcs *pcs, uint64_t period)
{
    for (size_t i = 0; i < pcs->count && !window_is_cracked(pcs); i++)
        pcs->all[i].is_integer |= takes_a_cycle(&pcs->all[i], period);
    while (pass_on(pcs, period))
        ;
    for (size_t i = 0; i < pcs->count; i++) {
        struct window_pc *const pc = &pcs->all[i];

        for (unsigned j = 0; j < pc->read_count; j++)
            pc->computes_integers |= pc->is_integer && window_pc_at(pcs, pc->read[j])->is_integer;
    }
}
