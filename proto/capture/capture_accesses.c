/* Accesses of an instruction: joins the pieces that the host reports, and adds the accesses that it does not report.
 * The rules are at the top of strand.c. */
#include "proto/capture/strand.h"

/* Appends to merged[]: a piece joins the last access of its direction if it touches it and both fit the operand. */
static size_t merge(struct strand *strand, const struct code_insn *insn, struct insn_access *merged)
{
    const uint32_t most[2] = {
        insn->load_bytes != 0 ? insn->load_bytes : MERGED_BYTES,
        insn->store_bytes != 0 ? insn->store_bytes : MERGED_BYTES
    };
    const bool adds_loads = insn->is_update && strand->has_store && !strand->has_load;
    struct insn_access *last[2] = {NULL, NULL};
    size_t count = 0;

    for (unsigned i = 0; i < strand->event_count; i++) {
        const struct insn_access *const event = &strand->events[i];
        struct insn_access *const before = last[event->is_write];

        if (insn->is_exclusive_store && !event->is_write)
            continue;
        if (before != NULL && before->address + before->size_bytes == event->address &&
            before->size_bytes + event->size_bytes <= most[event->is_write]) {
            before->size_bytes += event->size_bytes;
            if (adds_loads)
                before[-1].size_bytes += event->size_bytes;
            continue;
        }
        if (adds_loads) {
            merged[count] = *event;
            merged[count++].is_write = false;
        }
        merged[count] = *event;
        last[event->is_write] = &merged[count++];
    }
    return count;
}

void assemble_accesses(struct assembler *all, struct strand *strand, const struct code_insn *insn)
{
    const bool is_whole = strand->event_count == 1 && !insn->is_update;
    const bool has_operands = !is_whole && insn->is_known && !insn->is_string;
    struct insn_access *const accesses = has_operands ? strand->merged : strand->events;
    const size_t count = has_operands ? merge(strand, insn, accesses) : strand->event_count;
    size_t stores = 0;

    /* `back` counts accesses back to the source, so it grows by one for each further access of the instruction. */
    for (size_t i = 0; i < count; i++) {
        stores += accesses[i].is_write;
        accesses[i].back = (uint8_t)(accesses[i].back != 0 ? accesses[i].back + i : 0);
    }
    strand->insn.accesses = accesses;
    strand->insn.access_count = count;
    all->counts.stores += stores;
    all->counts.loads += strand->insn.access_count - stores;
}

/* The host does not report the writes of dc zva; see zeroing.h. */
void assemble_zeroed(struct assembler *all, struct strand *strand, const struct code_insn *insn)
{
    const uint32_t size_bytes = all->code->zeroed_bytes;
    uint64_t address;

    if (size_bytes == 0 || !zeroing_address(&strand->registers, &insn->zeroing, &address)) {
        all->counts.zeroings++;
        return;
    }
    strand->merged[0] = (struct insn_access){
        .address = address & ~(uint64_t)(size_bytes - 1), .size_bytes = size_bytes, .is_write = true
    };
    strand->insn.accesses = strand->merged;
    strand->insn.access_count = 1;
    all->counts.stores++;
    all->counts.zeroed++;
}

/* Of x86-64 the load has been derived (derived.c), or reported by Valgrind. */
void assemble_prefetch(struct assembler *all, struct strand *strand, const struct code_insn *insn)
{
    uint64_t address;

    if (strand->insn.access_count == 0 && zeroing_address(&strand->registers, &insn->zeroing, &address)) {
        strand->merged[0] = (struct insn_access){.address = address, .size_bytes = 1};
        strand->insn.accesses = strand->merged;
        strand->insn.access_count = 1;
        all->counts.loads++;
    }
    if (strand->insn.access_count > 0)
        all->counts.prefetches_known++;
    else
        all->counts.prefetches++;
}
