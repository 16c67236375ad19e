/* RV64GC as the reference's core has it (riscv-decode 2 to 5): one micro-op an instruction, but LR, SC and AMO, which
 * have fences of their own before (rl) and behind (aq).
 *
 * Not modelled: a register that an instruction names twice is listed once, and x0 nowhere; neither can wait. */
#include "replay/detailed/uops/crack.h"

enum { X1 = 1, X5 = 5, FENCE_I = 0x100f, EBREAK = 0x100073, C_EBREAK = 0x9002 };

#define BARRIER (UOP_READ_BARRIER | UOP_WRITE_BARRIER)

static struct uop *crack_rv64_add(struct crack_uops *uops, unsigned op, uint32_t flags)
{
    struct uop *const uop = &uops->list[uops->count++];

    *uop = (struct uop){.op = (uint8_t)op, .flags = flags, .access = UOP_NO_ACCESS};
    return uop;
}

static uint32_t encoding_of(const struct crack_insn *insn)
{
    uint32_t bits = 0;

    for (size_t i = 0; i < insn->length && i < 4; i++)
        bits |= (uint32_t)insn->bytes[i] << 8 * i;
    return bits;
}

/* Those of the address, then the others. */
static void crack_rv64_read_all(struct uop *uop, const struct isa_insn *what)
{
    unsigned const address = what->operand_count > 0 ? what->operands[0].address_reads : 0;

    for (int of_address = 1; of_address >= 0; of_address--)
        for (unsigned i = 0; i < what->read_count; i++)
            if ((int)(address >> i & 1) == of_address)
                uop->sources[uop->source_count++] = what->reads[i];
}

static bool is_float_register(unsigned number)
{
    const char *const name = isa_register_name(ISA_RV64, number);

    return name && name[0] == 'f';
}

static void crack_rv64_write_all(struct uop *uop, const struct isa_insn *what)
{
    for (unsigned i = 0; i < what->write_count; i++) {
        uop->results[uop->result_count++] = what->writes[i];
        if (is_float_register(what->writes[i]))
            uop->flags |= UOP_FLOAT_RESULT;
    }
}

static bool stores_float(const struct isa_insn *what)
{
    for (unsigned i = 0; i < what->read_count; i++)
        if ((what->data_reads >> i & 1) != 0 && is_float_register(what->reads[i]))
            return true;
    return false;
}

static void add_access(const struct isa_insn *what, struct crack_uops *uops)
{
    const struct isa_operand *const operand = &what->operands[0];
    uint32_t flags = operand->is_load && operand->is_store ? UOP_ATOMIC : operand->is_load ? UOP_LOAD : UOP_STORE;
    struct uop *uop;

    if (what->is_atomic && flags != UOP_ATOMIC)
        flags |= UOP_LINKED;
    uop = crack_rv64_add(uops, operand->is_load ? DETAILED_OP_MEM_READ : DETAILED_OP_MEM_WRITE, flags);
    uop->access = 0;
    crack_rv64_read_all(uop, what);
    crack_rv64_write_all(uop, what);
    if ((flags & UOP_LOAD) != 0 && (uop->flags & UOP_FLOAT_RESULT) != 0)
        uop->op = DETAILED_OP_FLOAT_MEM_READ;
    if ((flags & UOP_STORE) != 0 && stores_float(what))
        uop->op = DETAILED_OP_FLOAT_MEM_WRITE;
}

static uint32_t flags_of(const struct crack_insn *insn, uint32_t control)
{
    const struct isa_insn *const what = insn->what;
    uint32_t const bits = encoding_of(insn);
    uint32_t flags = control;

    if (what->fence != ISA_FENCE_NONE)
        flags |= BARRIER;
    if (what->is_serialising)
        flags |= UOP_SERIALISE_AFTER | UOP_NON_SPECULATIVE;
    if ((bits & 0x707f) == FENCE_I)
        flags |= UOP_SQUASH_AFTER;
    if (what->kind == ISA_SYSTEM || bits == EBREAK || bits == C_EBREAK)
        flags |= UOP_TRAP;
    return flags;
}

void crack_rv64(const struct crack_insn *insn, uint32_t control, struct crack_uops *uops)
{
    const struct isa_insn *const what = insn->what;

    if (what->operand_count == 0) {
        struct uop *const uop = crack_rv64_add(uops, what->class, flags_of(insn, control));

        crack_rv64_read_all(uop, what);
        crack_rv64_write_all(uop, what);
    } else {
        if (what->fence == ISA_FENCE_RELEASE || what->fence == ISA_FENCE_FULL)
            crack_rv64_add(uops, DETAILED_OP_NO_OP, BARRIER);
        add_access(what, uops);
        if (what->fence == ISA_FENCE_ACQUIRE || what->fence == ISA_FENCE_FULL)
            crack_rv64_add(uops, DETAILED_OP_NO_OP, BARRIER);
    }
}
