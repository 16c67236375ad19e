/* Accesses that hosts do not tell, since they follow from others (ring.h, CAPTURE_DERIVED). An access that trapped was
 * told as CAPTURE_FAULT: by its address it is known which instruction made it. */
#include "proto/capture/strand.h"

/* Of an instruction whose accesses are not told. False: what it follows from was not told either. */
static bool derived_address(const struct assembler *all, const struct strand *strand, unsigned i,
                            const struct code_derived *derived, uint64_t *address)
{
    const uint64_t from = derived->is_of_pc ? code_insn(all->code, strand->block, i)->pc
        : strand->first_address[derived->from];

    *address = from + derived->by;
    return derived->is_of_pc || from != UINT64_MAX;
}

void assemble_derive(struct assembler *all, struct strand *strand, unsigned i)
{
    struct code_derived derived;
    uint64_t address;

    if (!code_derived(all->code, strand->block, i, &derived)) {
        if (i == strand->at && strand->event_count > 0)
            strand->first_address[i] = strand->events[0].address;
        return;
    }
    if (!derived_address(all, strand, i, &derived, &address))
        return;
    if (i == strand->at)
        assemble_forget_events(strand);
    for (unsigned store = 0; store < 2; store++)
        for (unsigned k = 0; (store ? derived.is_store : derived.is_load) && k < derived.pieces; k++)
            assemble_add_event(all, strand, address + k * derived.size_bytes, derived.size_bytes, store != 0);
}

unsigned assemble_first_trapped(const struct assembler *all, const struct strand *strand, unsigned end)
{
    for (unsigned i = strand->at; strand->has_fault && i < end; i++) {
        struct code_derived derived;
        uint64_t address;

        if (code_derived(all->code, strand->block, i, &derived) &&
            (strand->faulted_store ? derived.is_store : derived.is_load) &&
            (derived.is_of_pc || derived.from != strand->at || strand->event_count == 0
             ? derived_address(all, strand, i, &derived, &address)
             : (address = strand->events[0].address + derived.by, true)) &&
            ((strand->fault_address - address) & CAPTURE_VALUE_MASK) < (uint64_t)derived.pieces * derived.size_bytes)
            return i;
    }
    return end;
}
