/* Modelled, of A64, x86-64 and formats that have registers only: a load for each read access, a computation, a store
 * for each write access, the write-back of a base, fences around those that order, a branch as the last one. They wait
 * for each other by registers that only they have:
 *   - TEMPORARY + n: the result of load n of the instruction, for its computation or its stores;
 *   - GATHERED: sources that one micro-op has no room for; COMPUTED: the value to be stored.
 * An instruction that reads and writes as one (locked, LDADD) is one atomic micro-op. A serialising instruction
 * serialises at its last micro-op. A system call is one micro-op that traps. RV64GC: crack_rv64.c.
 *
 * Not modelled: micro-ops of the makers' own machines, which differ in number and are not published. Of an instruction
 * in several pieces (crack_shape) the registers wait for the last piece alone. */
#include "replay/detailed/uops/crack.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

#include "proto/insn/champsim_registers.h"

enum { TEMPORARY = 256, GATHERED = TEMPORARY + CRACK_MOST_ACCESSES, COMPUTED, MOST_SOURCES = 32, MOST_RESULTS = 16 };
_Static_assert((int)COMPUTED < (int)UOP_REGISTERS, "temporaries of an instruction");
_Static_assert((int)TEMPORARY == (int)ISA_REGISTERS, "temporaries stand above the registers of the architecture");

#define ISB UINT32_C(0xd5033fdf)
#define BARRIER (UOP_READ_BARRIER | UOP_WRITE_BARRIER)

/* A micro-op with as many registers as it likes. */
struct wide {
    unsigned op;
    uint32_t flags;
    unsigned access;
    bool is_float;
    unsigned source_count, result_count, address_count;
    uint16_t sources[MOST_SOURCES], results[MOST_RESULTS];
};

struct making {
    const struct crack_insn *insn;
    const struct isa_insn *what;         /* NULL: not known */
    struct crack_shape shape;
    struct crack_uops *uops;
    bool computes;                       /* besides its accesses and its branch */
    bool is_branch, is_float;
    unsigned written[ISA_MAX_WRITES];    /* registers that do not come of the address alone */
    unsigned written_count;
};

/* Is the register one of floating point or vectors? RV64's: crack_rv64.c. */
static bool is_float_register(enum isa isa, unsigned number)
{
    const char *const name = number < ISA_REGISTERS ? isa_register_name(isa, number) : NULL;

    if (!name)
        return false;
    switch (isa) {
    case ISA_A64: return name[0] == 'v';
    case ISA_X86_64:
    case ISA_X86_32:
        return strstr(name, "mm") != NULL || strcmp(name, "x87") == 0 || (name[0] == 'k' && isdigit((int)name[1]));
    default: return false;
    }
}

static bool is_flags_register(enum isa isa, unsigned number)
{
    const char *const name = number < ISA_REGISTERS ? isa_register_name(isa, number) : NULL;

    return name && strcmp(name, "flags") == 0;
}

static bool is_float_class(unsigned class)
{
    return class >= ISA_CLASS_FLOAT_ADD && class < ISA_CLASS_COUNT;
}

uint32_t crack_control(const struct crack_insn *insn)
{
    switch (insn->kind) {
    case ISA_DIRECT_JUMP: return UOP_CONTROL | UOP_DIRECT;
    case ISA_INDIRECT_JUMP: return UOP_CONTROL;
    case ISA_CONDITIONAL: return UOP_CONTROL | UOP_DIRECT | UOP_CONDITIONAL;
    case ISA_DIRECT_CALL: return UOP_CONTROL | UOP_DIRECT | UOP_CALL;
    case ISA_INDIRECT_CALL: return UOP_CONTROL | UOP_CALL;
    case ISA_RETURN:
        /* jalr with one link register and another one is both (branch-prediction 1) */
        return UOP_CONTROL | UOP_RETURN
            | (insn->isa == ISA_RV64 && insn->what && insn->what->write_count > 0
               && (insn->what->writes[0] == 1 || insn->what->writes[0] == 5) ? UOP_CALL : 0);
    case ISA_OTHER_BRANCH:
        /* in machine code it is a return from the kernel; in other formats, a branch of unknown kind */
        return insn->length > 0 && insn->isa != ISA_REGDEPS && insn->isa != ISA_CHAMPSIM
            ? UOP_CONTROL : UOP_CONTROL | UOP_CONDITIONAL;
    default: return 0;
    }
}

/* ---- micro-ops */

static struct uop *crack_add(struct crack_uops *uops, unsigned op, uint32_t flags)
{
    struct uop *const uop = &uops->list[uops->count++];

    assert(uops->count <= CRACK_MOST_UOPS);
    *uop = (struct uop){.op = (uint8_t)op, .flags = flags, .access = UOP_NO_ACCESS};
    return uop;
}

static void read_one(struct wide *wide, unsigned number)
{
    for (unsigned i = 0; i < wide->source_count; i++)
        if (wide->sources[i] == number)
            return;
    assert(wide->source_count < MOST_SOURCES);
    wide->sources[wide->source_count++] = (uint16_t)number;
}

static void read_some(struct wide *wide, const struct isa_insn *what, unsigned bits)
{
    for (unsigned i = 0; what && i < what->read_count; i++)
        if ((bits >> i & 1) != 0 && what->reads[i] != 0)
            read_one(wide, what->reads[i]);
}

static void write_one(struct wide *wide, unsigned number)
{
    assert(wide->result_count < MOST_RESULTS);
    wide->results[wide->result_count++] = (uint16_t)number;
}

static void write_written(struct wide *wide, const struct making *making)
{
    for (unsigned i = 0; i < making->written_count; i++)
        write_one(wide, making->written[i]);
}

static void copy_results(const struct making *making, const struct wide *wide, unsigned first, unsigned count,
                         struct uop *uop)
{
    for (unsigned i = first; i < first + count; i++) {
        unsigned const number = wide->results[i];

        if (number >= TEMPORARY)
            uop->temporary_results |= (uint8_t)(1u << uop->result_count);
        else if (is_flags_register(making->insn->isa, number))
            uop->flag_results |= (uint8_t)(1u << uop->result_count);
        uop->results[uop->result_count++] = (uint16_t)number;
        if (number >= TEMPORARY ? wide->is_float : is_float_register(making->insn->isa, number))
            uop->flags |= UOP_FLOAT_RESULT;
    }
}

/* As many micro-ops as its registers need: those before gather sources, those behind write further results. */
static void emit(const struct making *making, struct wide *wide)
{
    struct crack_uops *const uops = making->uops;
    unsigned done = 0;

    while (wide->source_count > UOP_SOURCES) {
        struct uop *const gather = crack_add(uops, DETAILED_OP_INT_ALU, 0);
        unsigned const left = wide->source_count - UOP_SOURCES;

        memcpy(gather->sources, wide->sources, sizeof gather->sources);
        gather->source_count = UOP_SOURCES;
        gather->results[0] = GATHERED;
        gather->result_count = 1;
        memmove(wide->sources + 1, wide->sources + UOP_SOURCES, left * sizeof wide->sources[0]);
        wide->sources[0] = GATHERED;
        wide->source_count = 1 + left;
    }
    do {
        unsigned const more = wide->result_count - done, count = more < UOP_RESULTS ? more : UOP_RESULTS;
        struct uop *const uop = crack_add(uops, wide->op, wide->flags);

        assert(wide->access == UOP_NO_ACCESS || wide->result_count <= UOP_RESULTS);
        uop->access = (uint16_t)wide->access;
        uop->address_sources = (uint8_t)wide->address_count;
        memcpy(uop->sources, wide->sources, wide->source_count * sizeof uop->sources[0]);
        uop->source_count = (uint8_t)wide->source_count;
        copy_results(making, wide, done, count, uop);
        done += count;
    } while (done < wide->result_count);
}

/* ---- accesses */

/* The operand of the n-th access of its kind; accesses beyond the operands belong to the last one. NULL: none. */
static const struct isa_operand *operand_of(const struct isa_insn *what, size_t n, bool is_store)
{
    const struct isa_operand *operand = NULL;

    for (unsigned i = 0; what && i < what->operand_count; i++) {
        if (is_store ? !what->operands[i].is_store : !what->operands[i].is_load)
            continue;
        operand = &what->operands[i];
        if (n-- == 0)
            break;
    }
    return operand;
}

static void note_scale(const struct making *making, size_t n, bool is_store)
{
    const struct isa_operand *const operand = operand_of(making->what, n, is_store);

    if (operand && operand->is_scaled)
        making->uops->list[making->uops->count - 1].traits |= UOP_SCALED;
}

static void read_address(struct wide *wide, const struct making *making, size_t n, bool is_store)
{
    const struct isa_operand *const operand = operand_of(making->what, n, is_store);

    if (operand)
        read_some(wide, making->what, operand->address_reads);
}

static struct wide memory_op(const struct making *making, bool is_store, uint32_t flags, unsigned access)
{
    unsigned const op = is_store ? (making->is_float ? DETAILED_OP_FLOAT_MEM_WRITE : DETAILED_OP_MEM_WRITE)
                                 : (making->is_float ? DETAILED_OP_FLOAT_MEM_READ : DETAILED_OP_MEM_READ);

    return (struct wide){.op = op, .flags = flags, .access = access, .is_float = making->is_float};
}

static void read_loaded(struct wide *wide, const struct making *making)
{
    for (unsigned i = 0; i < making->shape.loads; i++)
        read_one(wide, TEMPORARY + i);
}

/* Do loads write the instruction's registers themselves? */
static bool loads_write(const struct making *making)
{
    return !making->computes && !making->is_branch;
}

static void add_loads(struct making *making)
{
    const struct isa_insn *const what = making->what;
    unsigned const loads = making->shape.loads;
    bool const is_linked = what && what->is_atomic;

    for (unsigned i = 0; i < loads; i++) {
        uint32_t const flags = UOP_LOAD | (what && what->is_prefetch ? UOP_PREFETCH : 0) | (is_linked ? UOP_LINKED : 0);
        struct wide wide = memory_op(making, false, flags, i);

        read_address(&wide, making, i, false);
        wide.address_count = wide.source_count;
        if (what && !what->is_prefetch) {
            if (!loads_write(making) || making->shape.stores > 0)
                write_one(&wide, TEMPORARY + i);
            /* several loads of several registers: each its share */
            for (unsigned j = 0; loads_write(making) && j < making->written_count; j++)
                if (j * loads / making->written_count == i)
                    write_one(&wide, making->written[j]);
        }
        emit(making, &wide);
        note_scale(making, i, false);
    }
}

/* The i-th of the registers that are stored, if there is one for each store; else 0. */
static unsigned own_data(const struct making *making, unsigned i)
{
    unsigned count = 0, found = 0;

    for (unsigned j = 0; j < making->what->read_count; j++) {
        if ((making->what->data_reads >> j & 1) == 0)
            continue;
        if (count++ == i)
            found = making->what->reads[j];
    }
    return count == making->shape.stores ? found : 0;
}

static void add_stores(struct making *making)
{
    const struct isa_insn *const what = making->what;
    bool const is_linked = what && what->is_atomic;
    uint32_t const flags = UOP_STORE | (is_linked ? UOP_LINKED : 0) | (what && what->is_streaming ? UOP_STREAMING : 0);

    for (unsigned i = 0; i < making->shape.stores; i++) {
        struct wide wide = memory_op(making, true, flags, making->shape.loads + i);

        read_address(&wide, making, i, true);
        wide.address_count = wide.source_count;
        if (making->computes) {
            read_one(&wide, COMPUTED);
        } else if (what && !making->is_branch) {
            unsigned const own = making->shape.stores > 1 ? own_data(making, i) : 0;

            if (own != 0)
                read_one(&wide, own);
            else
                read_some(&wide, what, what->data_reads);
            /* the loaded value is stored if there is no other source */
            if (what->data_reads == 0)
                read_loaded(&wide, making);
        }
        if (is_linked && !making->computes && i == 0)
            write_written(&wide, making);
        emit(making, &wide);
    }
}

/* Reads and writes as one. */
static void add_atomic(struct making *making)
{
    struct wide wide = memory_op(making, false, UOP_ATOMIC, 0);
    bool const fits = making->written_count <= UOP_RESULTS;

    read_address(&wide, making, 0, false);
    read_some(&wide, making->what, making->what->data_reads);
    if (fits)
        write_written(&wide, making);
    else
        write_one(&wide, TEMPORARY);
    emit(making, &wide);
    if (!fits) {
        struct wide rest = {.op = DETAILED_OP_INT_ALU, .access = UOP_NO_ACCESS};

        read_one(&rest, TEMPORARY);
        write_written(&rest, making);
        emit(making, &rest);
    }
}

/* ---- computation, order, branch */

static void add_computation(struct making *making)
{
    const struct isa_insn *const what = making->what;
    bool const has_accesses = making->shape.loads > 0 || making->shape.stores > 0;
    unsigned op = what->class;
    struct wide wide;

    if (op == ISA_CLASS_NO_OP && has_accesses)
        op = making->is_float ? ISA_CLASS_SIMD_MISC : ISA_CLASS_INT_ALU;
    wide = (struct wide){.op = op, .access = UOP_NO_ACCESS, .is_float = is_float_class(op)};
    read_some(&wide, what, has_accesses ? what->data_reads : ~0u);
    read_loaded(&wide, making);
    write_written(&wide, making);
    if (making->shape.stores > 0)
        write_one(&wide, COMPUTED);
    emit(making, &wide);
}

static void add_write_back(struct making *making)
{
    const struct isa_insn *const what = making->what;
    struct wide wide = {.op = DETAILED_OP_INT_ALU, .access = UOP_NO_ACCESS};
    unsigned bits = 0;

    for (unsigned i = 0; i < what->operand_count; i++)
        bits |= what->operands[i].address_reads;
    read_some(&wide, what, bits);
    for (unsigned i = 0; i < what->write_count; i++)
        if ((what->address_writes >> i & 1) != 0 && what->writes[i] != 0)
            write_one(&wide, what->writes[i]);
    if (wide.result_count > 0)
        emit(making, &wide);
}

static void add_branch(struct making *making)
{
    const struct isa_insn *const what = making->what;
    bool const has_accesses = making->shape.loads > 0 || making->shape.stores > 0;
    unsigned const op = what && what->class != ISA_CLASS_NO_OP ? what->class : ISA_CLASS_INT_ALU;
    struct wide wide = {.op = op, .flags = crack_control(making->insn), .access = UOP_NO_ACCESS};

    if (what) {
        read_some(&wide, what, has_accesses ? what->data_reads : ~0u);
        read_loaded(&wide, making);
        write_written(&wide, making);
    }
    emit(making, &wide);
}

/* Before the accesses or after them. A fence without accesses counts as before. */
static void crack_add_order(struct making *making, bool is_before)
{
    bool const has_accesses = crack_accesses(making->shape) > 0;
    uint32_t flags = 0;

    switch ((enum isa_fence)making->what->fence) {
    case ISA_FENCE_NONE: return;
    case ISA_FENCE_FULL: flags = is_before || has_accesses ? BARRIER : 0; break;
    case ISA_FENCE_LOAD: flags = is_before ? UOP_READ_BARRIER : 0; break;
    case ISA_FENCE_STORE: flags = is_before ? UOP_WRITE_BARRIER : 0; break;
    case ISA_FENCE_ACQUIRE: flags = is_before ? 0 : BARRIER; break;
    case ISA_FENCE_RELEASE: flags = is_before ? BARRIER : 0; break;
    }
    if (flags != 0)
        crack_add(making->uops, DETAILED_OP_NO_OP, flags);
}

static bool is_isb(const struct crack_insn *insn)
{
    return insn->isa == ISA_A64 && insn->length == 4
           && (insn->bytes[0] | (uint32_t)insn->bytes[1] << 8 | (uint32_t)insn->bytes[2] << 16
               | (uint32_t)insn->bytes[3] << 24) == ISB;
}

static void serialise(struct making *making)
{
    struct crack_uops *const uops = making->uops;

    if (uops->count == 0 || (uops->list[uops->count - 1].flags & UOP_MEMORY) != 0)
        crack_add(uops, DETAILED_OP_NO_OP, 0);
    uops->list[uops->count - 1].flags |= UOP_SERIALISE_AFTER | UOP_NON_SPECULATIVE
                                         | (is_isb(making->insn) ? UOP_SQUASH_AFTER : 0);
}

/* Traits of the micro-op that computes or branches, which follow from the instruction. `first`: of its kind. */
static void add_traits(const struct making *making, unsigned first)
{
    static const uint8_t fusions[] = {[ISA_FUSES_COMPARE] = UOP_FUSES_COMPARE,
                                      [ISA_FUSES_ARITHMETIC] = UOP_FUSES_ARITHMETIC,
                                      [ISA_FUSES_LOGIC] = UOP_FUSES_LOGIC};
    const struct isa_insn *const what = making->what;
    struct crack_uops *const uops = making->uops;
    struct uop *const uop = &uops->list[first];

    if (first + 1 != uops->count)
        return;                          /* it took several */
    if (first > 0 && (uops->list[first - 1].flags & UOP_LOAD) != 0)
        uop->traits |= UOP_JOINS;
    if (!making->is_branch)
        uop->traits |= fusions[what->fusion];
    if (uops->count > 1)
        return;
    if (what->is_move && uop->source_count == 1 && uop->result_count == 1)
        uop->traits |= UOP_MOVES;
    if (what->is_zeroing && uop->source_count == 0)
        uop->traits |= UOP_ZEROES;
}

/* ---- the whole */

static bool touches_float(const struct crack_insn *insn)
{
    const struct isa_insn *const what = insn->what;

    for (unsigned i = 0; i < what->write_count; i++)
        if (is_float_register(insn->isa, what->writes[i]))
            return true;
    for (unsigned i = 0; i < what->read_count; i++)
        if ((what->data_reads >> i & 1) != 0 && is_float_register(insn->isa, what->reads[i]))
            return true;
    return is_float_class(what->class);
}

/* ChampSim's records do not contain the operation of an instruction. One with accesses that leaves the flags alone
 * moves data, unless it loads and reads a register that is no part of the address, or writes a vector register that it
 * reads. */
static bool only_moves(const struct crack_insn *insn)
{
    const struct isa_insn *const what = insn->what;

    if (insn->isa != ISA_CHAMPSIM || what->operand_count == 0)
        return false;
    if (what->operands[0].is_load && (what->data_reads & ~what->operands[0].address_reads) != 0)
        return false;
    for (unsigned i = 0; i < what->write_count; i++)
        if (what->writes[i] == CHAMPSIM_FLAGS
            || (what->writes[i] > CHAMPSIM_IP && what->read_count > 1
                && memchr(what->reads, what->writes[i], what->read_count)))
            return false;
    return true;
}

static void crack_look_at(struct making *making)
{
    const struct isa_insn *const what = making->what;
    unsigned const loads = making->shape.loads, stores = making->shape.stores;

    making->is_float = touches_float(making->insn);
    for (unsigned i = 0; making->shape.is_last && i < what->write_count; i++)
        if ((what->address_writes >> i & 1) == 0 && what->writes[i] != 0)
            making->written[making->written_count++] = what->writes[i];
    if (making->is_branch || making->shape.is_atomic || what->is_prefetch)
        return;
    making->computes = what->class != ISA_CLASS_NO_OP && !what->is_nop && !only_moves(making->insn);
    if (making->written_count == 0 || (what->is_atomic && stores > 0))
        return;
    /* registers that no load can write, or only all of them together */
    if (loads == 0 || loads > making->written_count || making->written_count > UOP_RESULTS * loads || stores > 0)
        making->computes = true;
}

static void crack_known(struct making *making)
{
    const struct isa_insn *const what = making->what;
    unsigned first;

    crack_look_at(making);
    if (!what->is_prefetch)
        crack_add_order(making, true);
    if (making->shape.is_atomic)
        add_atomic(making);
    add_loads(making);
    first = making->uops->count;
    if (making->computes) {
        add_computation(making);
        add_traits(making, first);
    }
    add_stores(making);
    if (making->shape.is_last && what->address_writes != 0)
        add_write_back(making);
    if (!what->is_prefetch)
        crack_add_order(making, false);
    first = making->uops->count;
    if (making->is_branch) {
        add_branch(making);
        add_traits(making, first);
    }
    if (what->is_serialising && making->shape.is_last)
        serialise(making);
}

struct crack_shape crack_usual(const struct isa_insn *what)
{
    struct crack_shape shape = {.is_last = true};

    for (unsigned i = 0; i < what->operand_count; i++) {
        const struct isa_operand *const operand = &what->operands[i];

        if (what->is_atomic && operand->is_load && operand->is_store)
            return (struct crack_shape){.is_atomic = true, .is_last = true};
        if (operand->is_load && crack_accesses(shape) < CRACK_MOST_ACCESSES)
            shape.loads++;
        if (operand->is_store && crack_accesses(shape) < CRACK_MOST_ACCESSES)
            shape.stores++;
    }
    return shape;
}

bool crack_is_fixed(const struct crack_insn *insn)
{
    return insn->what && (insn->isa == ISA_RV64 || insn->kind == ISA_SYSTEM || crack_usual(insn->what).is_atomic);
}

void crack(const struct crack_insn *insn, struct crack_shape shape, struct crack_uops *uops)
{
    struct making making = {.insn = insn, .what = insn->what, .shape = shape, .uops = uops,
                            .is_branch = isa_kind_is_branch(insn->kind)};

    uops->count = 0;
    if (insn->what && insn->isa == ISA_RV64) {
        crack_rv64(insn, crack_control(insn), uops);
    } else if (insn->kind == ISA_SYSTEM) {
        crack_add(uops, DETAILED_OP_NO_OP, UOP_TRAP | UOP_SERIALISE_AFTER | UOP_NON_SPECULATIVE);
    } else if (insn->what) {
        crack_known(&making);
        if (uops->count == 0)
            crack_add(uops, DETAILED_OP_NO_OP, 0)->traits = insn->what->is_nop ? UOP_DOES_NOTHING : 0;
    } else {
        add_loads(&making);
        add_stores(&making);
        if (making.is_branch)
            add_branch(&making);
        if (uops->count == 0)
            crack_add(uops, DETAILED_OP_INT_ALU, 0);
    }
    uops->list[uops->count - 1].flags |= UOP_LAST;
}

void crack_nothing(struct crack_uops *uops)
{
    uops->count = 0;
    crack_add(uops, DETAILED_OP_INT_ALU, UOP_LAST);
}
