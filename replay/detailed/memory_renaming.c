/* Memory renaming (key memoryRenaming): a load gets the data of a store before it at rename, if both make their address
 * of the same registers.
 *
 * Modelled: the youngest stores that rename has seen, with the physical registers of their addresses. A load that the
 * youngest one which overlaps it covers, of equal address registers, has its result memoryRenamingLatency cycles behind
 * that store's data. It is executed all the same, as cores do that verify the guess, but nothing waits for that.
 * General-purpose registers only. Addresses of a trace are known, so no guess is ever wrong: cores learn not to guess
 * where it would be.
 * Not modelled: the squash of a wrong guess; data of stores whose register has been freed.
 * Source: G. Tyson, T. Austin, "Improving the Accuracy and Performance of Memory Communication Through Renaming",
 * MICRO 1997; A. Fog, "The microarchitecture of Intel, AMD and VIA CPUs", "Mirroring memory operands" (Zen 2). */
#include "replay/detailed/detailed_core.h"

#define STORE_OF(renaming, place) (&(renaming)->stores[(place) & (renaming)->mask])

static bool is_simple(const struct inst *inst, unsigned op)
{
    return inst->op == op && inst->access && inst->access->has_place && !(inst->flags & (UOP_LINKED | UOP_ATOMIC));
}

static void note_store(struct detailed_cpu *cpu, const struct inst *store)
{
    struct memory_renaming *const renaming = &cpu->renaming;
    unsigned const count = store->uop->address_sources;
    unsigned const data = store->source_count > 0 ? store->sources[store->source_count - 1] : 0;
    struct renamed_store *const entry = STORE_OF(renaming, renaming->tail);

    if (renaming->tail - renaming->head > renaming->mask)
        renaming->head++;
    renaming->tail++;
    *entry = (struct renamed_store){
        .seq = store->seq,
        .address = store->access->address,
        .size_bytes = store->access->size_bytes,
        .data = (uint16_t)data,
        .generation = cpu->registers[data].generation,
        .is_simple = store->op == DETAILED_OP_MEM_WRITE && store->source_count == count + 1 && count <= RENAMED_SOURCES,
        .source_count = (uint8_t)count,
    };
    for (unsigned i = 0; i < count && i < RENAMED_SOURCES; i++)
        entry->sources[i] = store->sources[i];
}

/* The store whose data it gets; NULL: it reads memory. */
static const struct renamed_store *find_store(struct detailed_cpu *cpu, const struct inst *load)
{
    struct memory_renaming *const renaming = &cpu->renaming;
    uint64_t const begin = load->access->address, end = begin + load->access->size_bytes;
    uint64_t const oldest = renaming->tail > renaming->head + cpu->params.renamed_stores
                                ? renaming->tail - cpu->params.renamed_stores : renaming->head;

    for (uint64_t place = renaming->tail; place-- > oldest;) {
        const struct renamed_store *const store = STORE_OF(renaming, place);

        if (store->address >= end || begin >= store->address + store->size_bytes)
            continue;
        if (!store->is_simple || store->address != begin || end > store->address + store->size_bytes
            || store->source_count != load->source_count
            || cpu->registers[store->data].generation != store->generation)
            return NULL;
        for (unsigned i = 0; i < store->source_count; i++)
            if (store->sources[i] != load->sources[i])
                return NULL;
        return store;
    }
    return NULL;
}

void memory_renaming_rename(struct detailed_cpu *cpu, struct inst *inst)
{
    struct physical_register *data;
    const struct renamed_store *store;

    if ((inst->flags & UOP_STORE) && inst->access && inst->access->has_place)
        note_store(cpu, inst);
    if (!(inst->flags & UOP_LOAD) || inst->result_count != 1 || !is_simple(inst, DETAILED_OP_MEM_READ))
        return;
    store = find_store(cpu, inst);
    if (!store)
        return;
    data = &cpu->registers[store->data];
    inst->state |= INST_MEMORY_RENAMED;
    inst->renamed_store = store->seq;
    inst->renamed_result = inst->results[0];
    inst->result_count = 0;
    if (data->is_ready) {
        delay_add(cpu, DELAY_RENAMED, inst, cpu->params.memory_renaming_cyc);
        return;
    }
    inst->data_link.inst = inst;
    inst_link_add(&data->waiters, &inst->data_link);
}

void memory_renaming_squash(struct detailed_cpu *cpu, uint64_t seq)
{
    struct memory_renaming *const renaming = &cpu->renaming;

    while (renaming->tail > renaming->head && STORE_OF(renaming, renaming->tail - 1)->seq > seq)
        renaming->tail--;
}
