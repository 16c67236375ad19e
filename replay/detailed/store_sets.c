/* Modelled: o3-core 5.8, with its surprises: only stores count for the period (S11), and a squash makes entries invalid
 * instead of restoring the store before (S12). */
#include "replay/detailed/store_sets.h"

#include <string.h>

size_t store_sets_bytes(uint64_t ssit_entries, uint64_t lfst_entries)
{
    return ssit_entries * sizeof(struct store_set_id) + lfst_entries * sizeof(struct store_set_last);
}

void store_sets_init(struct store_sets *sets, void *memory, uint64_t ssit_entries, uint64_t lfst_entries,
                     uint64_t period, bool is_on)
{
    *sets = (struct store_sets){
        .last = memory,
        .ids = (struct store_set_id *)(void *)((struct store_set_last *)memory + lfst_entries),
        .id_mask = (uint32_t)ssit_entries - 1,
        .last_mask = (uint32_t)lfst_entries - 1,
        .period = period,
        .is_on = is_on,
    };
    memset(memory, 0, store_sets_bytes(ssit_entries, lfst_entries));
}

static struct store_set_id *id_of(const struct store_sets *sets, uint64_t pc)
{
    return &sets->ids[(pc >> 2) & sets->id_mask];
}

uint64_t store_sets_check(const struct store_sets *sets, uint64_t pc)
{
    const struct store_set_id *const id = id_of(sets, pc);

    if (!id->is_valid || !sets->last[id->id].is_valid)
        return 0;
    return sets->last[id->id].seq;
}

bool store_sets_insert(struct store_sets *sets, uint64_t pc, uint64_t seq, uint32_t *set)
{
    const struct store_set_id *id;

    if (++sets->stores > sets->period) {
        sets->stores = 0;
        for (uint32_t i = 0; i <= sets->id_mask; i++)
            sets->ids[i].is_valid = 0;
        for (uint32_t i = 0; i <= sets->last_mask; i++)
            sets->last[i].is_valid = 0;
    }
    id = id_of(sets, pc);
    if (!id->is_valid)
        return false;
    sets->last[id->id] = (struct store_set_last){seq, 1};
    *set = id->id;
    return true;
}

void store_sets_issued(struct store_sets *sets, uint64_t pc, uint64_t seq)
{
    const struct store_set_id *const id = id_of(sets, pc);

    if (id->is_valid && sets->last[id->id].is_valid && sets->last[id->id].seq == seq)
        sets->last[id->id].is_valid = 0;
}

void store_sets_violation(struct store_sets *sets, uint64_t store_pc, uint64_t load_pc)
{
    struct store_set_id *const store = id_of(sets, store_pc), *const load = id_of(sets, load_pc);

    if (!sets->is_on)
        return;
    if (!store->is_valid && !load->is_valid) {
        uint32_t const id = (uint32_t)(load_pc ^ load_pc >> 10) & sets->last_mask;

        *store = *load = (struct store_set_id){id, 1, 0};
    } else if (!load->is_valid) {
        *load = *store;
    } else if (!store->is_valid) {
        *store = *load;
    } else if (store->id > load->id) {
        store->id = load->id;
    } else {
        load->id = store->id;
    }
}

void store_sets_squash(struct store_sets *sets, uint32_t set, uint64_t seq)
{
    if (sets->last[set].is_valid && sets->last[set].seq > seq)
        sets->last[set].is_valid = 0;
}

void store_sets_waited(struct store_sets *sets, uint64_t load_pc, bool was_right, uint64_t trust)
{
    struct store_set_id *const id = id_of(sets, load_pc);

    if (trust == 0 || !id->is_valid)
        return;
    id->vain = was_right ? 0 : (uint16_t)(id->vain + 1);
    if (id->vain >= trust)
        *id = (struct store_set_id){0};
}
