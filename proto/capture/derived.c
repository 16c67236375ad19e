/* Derived accesses, which hosts do not report, since they follow from others (ring.h, CAPTURE_DERIVED). A derived
 * access that trapped is reported as CAPTURE_FAULT; its address identifies the instruction. */
#include "proto/capture/strand.h"

enum { PIECES_MOST = 2 * 4 };            /* loads and stores of an instruction */

/* The address of a derived access. False: the access from which it is derived was not reported, either. */
static bool derived_address(const struct assembler *all, const struct strand *strand, unsigned i,
                            const struct code_derived *derived, uint64_t *address)
{
    const uint64_t from = derived->is_of_pc ? code_insn(all->code, strand->block, i)->pc
        : strand->first_address[derived->from];

    *address = from + derived->by;
    return derived->is_of_pc || from != UINT64_MAX;
}

/* Sets the source of the last event, piece `k` of its access, for sinks that store it. assemble_accesses adjusts
 * `back`. */
static void tell_source(struct strand *strand, const struct code_derived *derived, unsigned k)
{
    struct insn_access *const event = &strand->events[strand->event_count - 1];
    const unsigned from = derived->is_of_pc ? 0 : strand->first_access[derived->from];
    const unsigned back = strand->put_count + 1 - from;

    event->is_of_pc = derived->is_of_pc;
    event->back = from != 0 && back + PIECES_MOST <= UINT8_MAX ? (uint8_t)back : 0;
    event->by = insn_access_follows(event) ? derived->by + k * derived->size_bytes : 0;
}

void assemble_derive(struct assembler *all, struct strand *strand, unsigned i)
{
    struct code_derived derived;
    uint64_t address;

    if (!code_derived(all->code, strand->block, i, &derived)) {
        if (i == strand->at && strand->event_count > 0) {
            strand->first_address[i] = strand->events[0].address;
            strand->first_access[i] = all->is_recording && !all->is_done ? (uint16_t)(strand->put_count + 1) : 0;
        }
        return;
    }
    if (!derived_address(all, strand, i, &derived, &address))
        return;
    if (i == strand->at)
        assemble_forget_events(strand);
    for (unsigned store = 0; store < 2; store++)
        for (unsigned k = 0; (store ? derived.is_store : derived.is_load) && k < derived.pieces; k++) {
            assemble_add_event(all, strand, address + k * derived.size_bytes, derived.size_bytes, store != 0);
            tell_source(strand, &derived, k);
        }
}

unsigned assemble_first_trapped(const struct assembler *all, const struct strand *strand, unsigned end)
{
    for (unsigned i = strand->at; strand->has_fault && i < end; i++) {
        struct code_derived derived;
        uint64_t address;

        if (code_derived(all->code, strand->block, i, &derived) &&
            !code_insn(all->code, strand->block, i)->is_prefetch &&
            (strand->faulted_store ? derived.is_store : derived.is_load) &&
            (derived.is_of_pc || derived.from != strand->at || strand->event_count == 0
             ? derived_address(all, strand, i, &derived, &address)
             : (address = strand->events[0].address + derived.by, true)) &&
            ((strand->fault_address - address) & CAPTURE_VALUE_MASK) < (uint64_t)derived.pieces * derived.size_bytes)
            return i;
    }
    return end;
}
