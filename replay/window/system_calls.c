/* A system call faults at the ROB's head and is squashed (o3-core 7.5): its number is missing, with those that were
 * fetched behind it, and so are its bytes. Only RISC-V's and A64's, of 4 bytes. */
#include "replay/window/window_learnt.h"

/* What writes a register that is read, or has no sources, is no branch that skips an instruction. */
uint64_t window_system_call_behind(const struct window_pcs *pcs, const struct window_op *op)
{
    const struct window_pc *const pc = window_pc_at(pcs, op->pc_number);
    uint64_t const size = op->next_pc - op->pc - RULE_SYSTEM_CALL_BYTES;

    if (op->gap == 0 || op->has_executed || !op->record || pcs->has_odd || !window_is_size(pcs, size))
        return 0;
    return pc->writes || pc->source_count == 0 ? op->pc + size : 0;
}

/* What is fetched behind it is squashed and fetched again. */
void window_system_call_make(struct supply_insn *insn, struct uop *uop, uint64_t pc, uint64_t number)
{
    *insn = (struct supply_insn){.pc = pc, .next_pc = pc + RULE_SYSTEM_CALL_BYTES, .number = number, .uops = uop,
                                 .uop_count = 1, .size_bytes = RULE_SYSTEM_CALL_BYTES};
    *uop = (struct uop){.op = DETAILED_OP_NO_OP, .access = UOP_NO_ACCESS,
                        .flags = UOP_LAST | UOP_TRAP | UOP_SERIALISE_AFTER | UOP_NON_SPECULATIVE};
}
