/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Decodes the forms that compilers emit most: moves, arithmetic of a register and a memory operand, stack operations,
 * moves of SSE. Not decoded, and therefore reported: segments, 32-bit addresses, locked operations, VEX and EVEX,
 * string instructions, x87. Sizes and order of accesses are as QEMU reports them: 16 bytes are two pieces; a
 * read-modify-write operand is a load and a store. Source: Intel SDM volume 2, 2.1, 2.2 and appendix A. */
#include "derive.h"

#include <string.h>

#include "../ring.h"

enum { RAX, RCX, RDX, RSP = 4, RBP, NO_REGISTER = 16 };

/* The use of an opcode's ModRM operand (E), and of its register (G). */
enum what {
    UNKNOWN,
    NOTHING,                             /* accesses are reported; no tracked register is written */
    WRITE_G, WRITE_A_D,                  /* likewise, except for G, or rax and rdx */
    LOAD,                                /* E is read */
    LOAD_G,                              /* E is read, G is written */
    STORE,                               /* E is written */
    UPDATE,                              /* E is read and written */
    ADDRESS,                             /* lea: G is E's address */
    PREFETCH                             /* QEMU reports no access of E */
};

struct insn {
    unsigned opcode;                     /* 0x100 and more: behind 0f */
    unsigned size;                       /* of operands: 1, 2, 4, 8 */
    unsigned rex, mod, reg, rm;
    bool has_66, has_f2, has_f3, has_segment;
    bool has_modrm, is_memory, is_pc_relative;
    unsigned base, index, scale;
    int64_t displacement;
    size_t at;                           /* behind ModRM, SIB and displacement: the place of immediates */
};

void derive_begin(struct derive *derive)
{
    derive->root_count = derive->ids = 0;
    for (unsigned i = 0; i < DERIVE_REGISTERS; i++)
        derive->registers[i] = (struct derive_value){++derive->ids, 0};
}

static void forget(struct derive *derive, unsigned reg)
{
    if (reg < DERIVE_REGISTERS)
        derive->registers[reg] = (struct derive_value){++derive->ids, 0};
}

static void forget_all(struct derive *derive)
{
    for (unsigned i = 0; i < DERIVE_REGISTERS; i++)
        forget(derive, i);
}

static int64_t number_at(const uint8_t *bytes, size_t at, size_t count, unsigned size)
{
    int8_t byte;
    int32_t word;

    if (at + size > count)
        return 0;
    if (size == 1) {
        memcpy(&byte, bytes + at, 1);
        return byte;
    }
    memcpy(&word, bytes + at, 4);
    return word;
}

static bool has_modrm(unsigned opcode)
{
    if (opcode >= 0x100)
        return !((opcode >= 0x180 && opcode <= 0x18f) || (opcode >= 0x1c8 && opcode <= 0x1cf) || opcode == 0x105 ||
                 opcode == 0x10b || opcode == 0x1a2);
    return (opcode < 0x40 && (opcode & 7) < 4) || opcode == 0x63 || opcode == 0x69 || opcode == 0x6b ||
        (opcode >= 0x80 && opcode <= 0x8f) || opcode == 0xc0 || opcode == 0xc1 || opcode == 0xc6 || opcode == 0xc7 ||
        (opcode >= 0xd0 && opcode <= 0xd3) || opcode == 0xf6 || opcode == 0xf7 || opcode == 0xfe || opcode == 0xff;
}

/* ModRM, SIB and displacement. False: the bytes end before. */
static bool read_operand(struct insn *insn, const uint8_t *bytes, size_t count)
{
    unsigned modrm, displacement_bytes;

    if (insn->at >= count)
        return false;
    modrm = bytes[insn->at++];
    insn->mod = modrm >> 6;
    insn->reg = (modrm >> 3 & 7) | (insn->rex & 4) << 1;
    insn->rm = (modrm & 7) | (insn->rex & 1) << 3;
    insn->base = insn->rm;
    insn->index = NO_REGISTER;
    insn->is_memory = insn->mod != 3;
    if (!insn->is_memory)
        return true;
    displacement_bytes = insn->mod == 1 ? 1 : insn->mod == 2 ? 4 : 0;
    if ((modrm & 7) == 4) {
        unsigned sib;

        if (insn->at >= count)
            return false;
        sib = bytes[insn->at++];
        insn->base = (sib & 7) | (insn->rex & 1) << 3;
        insn->index = (sib >> 3 & 7) | (insn->rex & 2) << 2;
        insn->scale = sib >> 6;
        if (insn->index == RSP)
            insn->index = NO_REGISTER;
        if ((sib & 7) == 5 && insn->mod == 0) {
            insn->base = NO_REGISTER;
            displacement_bytes = 4;
        }
    } else if ((modrm & 7) == 5 && insn->mod == 0) {
        insn->base = NO_REGISTER;
        insn->is_pc_relative = true;
        displacement_bytes = 4;
    }
    if (insn->index == NO_REGISTER)
        insn->scale = 0;
    if (insn->at + displacement_bytes > count)
        return false;
    insn->displacement = displacement_bytes == 0 ? 0 : number_at(bytes, insn->at, count, displacement_bytes);
    insn->at += displacement_bytes;
    return true;
}

/* False: it is of a kind that is not read. */
static bool read_insn(struct insn *insn, const uint8_t *bytes, size_t count)
{
    size_t at = 0;

    *insn = (struct insn){.base = NO_REGISTER, .index = NO_REGISTER};
    for (; at < count; at++)
        if (bytes[at] == 0x66)
            insn->has_66 = true;
        else if (bytes[at] == 0xf2)
            insn->has_f2 = true;
        else if (bytes[at] == 0xf3)
            insn->has_f3 = true;
        else if (bytes[at] == 0x64 || bytes[at] == 0x65)
            insn->has_segment = true;
        else if (bytes[at] != 0x2e && bytes[at] != 0x3e)
            break;
    if (at < count && (bytes[at] & 0xf0) == 0x40)
        insn->rex = bytes[at++];
    if (at >= count)
        return false;
    insn->opcode = bytes[at++];
    if (insn->opcode == 0x0f) {
        if (at >= count || bytes[at] == 0x38 || bytes[at] == 0x3a)
            return false;
        insn->opcode = 0x100 | bytes[at++];
    }
    insn->at = at;
    insn->size = (insn->rex & 8) != 0 ? 8 : insn->has_66 ? 2 : 4;
    insn->has_modrm = has_modrm(insn->opcode);
    return !insn->has_modrm || read_operand(insn, bytes, count);
}

/* Moves and operations of SSE, by the prefix: bytes in memory; 0: not read here. */
static unsigned sse_bytes(const struct insn *insn)
{
    const unsigned prefix = insn->has_f3 ? 3 : insn->has_f2 ? 2 : insn->has_66 ? 1 : 0;
    static const uint8_t of_moves[] = {16, 16, 8, 4};

    if (insn->has_66 && (insn->has_f2 || insn->has_f3))
        return 0;
    switch (insn->opcode) {
    case 0x110:
    case 0x111: return of_moves[prefix];
    case 0x112: case 0x113: case 0x116: case 0x117: return prefix < 2 ? 8 : 0;
    case 0x128:
    case 0x129: return prefix < 2 ? 16 : 0;
    case 0x16f:
    case 0x17f: return prefix == 0 ? 8 : prefix == 2 ? 0 : 16;
    case 0x17e: return prefix == 3 ? 8 : 0;
    case 0x1d6: return prefix == 1 ? 8 : 0;
    default: return 0;
    }
}

/* The operand use of an opcode behind 0f; *bytes: size of its memory operand, 0: its operand size. */
static enum what what_of_0f(struct insn *insn, unsigned *bytes)
{
    const unsigned opcode = insn->opcode;

    *bytes = sse_bytes(insn);
    if (*bytes != 0) {
        const bool is_store = opcode == 0x111 || opcode == 0x113 || opcode == 0x117 || opcode == 0x129 ||
            opcode == 0x17f || opcode == 0x1d6;

        return is_store ? STORE : LOAD;
    }
    if ((opcode >= 0x114 && opcode <= 0x115) || opcode == 0x12a || opcode == 0x12e || opcode == 0x12f ||
        (opcode >= 0x151 && opcode <= 0x16d) || (opcode >= 0x170 && opcode <= 0x176) || opcode == 0x1c6 ||
        (opcode >= 0x1d8 && opcode <= 0x1fe && opcode != 0x1f7))
        return NOTHING;                  /* arithmetic of SSE */
    if (insn->is_memory && (opcode == 0x10d || (opcode == 0x118 && (insn->reg & 7) < 4))) {
        *bytes = 1;
        return PREFETCH;
    }
    if (opcode == 0x11e || opcode == 0x11f || opcode == 0x118)
        return opcode == 0x11e && insn->is_memory ? UNKNOWN : NOTHING;      /* endbr64, long nop */
    if (opcode == 0x12c || opcode == 0x12d || opcode == 0x150 || opcode == 0x1d7 || opcode == 0x1bc ||
        opcode == 0x1bd || (opcode == 0x1b8 && insn->has_f3))
        return WRITE_G;
    if (insn->has_f2 || insn->has_f3)
        return UNKNOWN;
    if (opcode >= 0x140 && opcode <= 0x14f)
        return LOAD_G;
    if (opcode >= 0x190 && opcode <= 0x19f) {
        *bytes = 1;
        insn->size = 1;
        return STORE;
    }
    switch (opcode) {
    case 0x1af: return LOAD_G;
    case 0x1b6:
    case 0x1be: *bytes = 1; return LOAD_G;
    case 0x1b7:
    case 0x1bf: *bytes = 2; return LOAD_G;
    default: return UNKNOWN;
    }
}

static enum what what_of(struct insn *insn, unsigned *bytes)
{
    const unsigned opcode = insn->opcode, way = insn->reg & 7;

    if (opcode >= 0x100)
        return what_of_0f(insn, bytes);
    *bytes = 0;
    if (insn->has_f2 || insn->has_f3)
        return UNKNOWN;
    if ((opcode < 0x40 && (opcode & 7) < 6) || (opcode >= 0x80 && opcode <= 0x8b) || opcode == 0xa8 || opcode == 0xc0 ||
        opcode == 0xc6 || opcode == 0xd0 || opcode == 0xd2 || opcode == 0xf6 || opcode == 0xfe)
        insn->size = (opcode & 1) != 0 ? insn->size : 1;
    if (opcode < 0x40)
        switch (opcode & 7) {
        case 0:
        case 1: return opcode >= 0x38 ? LOAD : UPDATE;
        case 2:
        case 3: return opcode >= 0x38 ? LOAD : LOAD_G;
        default: return UNKNOWN;
        }
    switch (opcode) {
    case 0x63: *bytes = 4; return insn->has_66 ? UNKNOWN : LOAD_G;
    case 0x69:
    case 0x6b: return LOAD_G;
    case 0x80: case 0x81: case 0x83: return way == 7 ? LOAD : UPDATE;
    case 0x84:
    case 0x85: return LOAD;
    case 0x88:
    case 0x89: return STORE;
    case 0x8a:
    case 0x8b: return LOAD_G;
    case 0x8d: return insn->is_memory ? ADDRESS : UNKNOWN;
    case 0xc0: case 0xc1: case 0xd0: case 0xd1: case 0xd2: case 0xd3: return insn->is_memory ? UNKNOWN : UPDATE;
    case 0xc6:
    case 0xc7: return way == 0 ? STORE : UNKNOWN;
    case 0xf6:
    case 0xf7: return way < 2 ? LOAD : way < 4 ? UPDATE : WRITE_A_D;
    case 0xfe: return way < 2 ? UPDATE : UNKNOWN;
    case 0xff:
        *bytes = way == 4 ? 8 : 0;
        return way < 2 ? UPDATE : way == 4 ? LOAD : UNKNOWN;
    default: return UNKNOWN;
    }
}

/* --- addresses --- */

static unsigned log_of(unsigned bytes)
{
    return (unsigned)__builtin_ctz(bytes);
}

/* Encodes an access of `bytes` bytes for derive->access. */
static uint64_t access_of(uint64_t ways, unsigned bytes)
{
    const unsigned pieces = bytes == 16 ? 2 : 1;

    return ways | (uint64_t)(pieces - 1) << CAPTURE_DERIVED_PIECES_SHIFT |
        (uint64_t)log_of(bytes / pieces) << CAPTURE_DERIVED_SIZE_SHIFT;
}

/* Returns the derivation of derive->access, or 0 if there is no source. */
static uint64_t follow_source(const struct derive *derive, const struct derive_root *at)
{
    for (unsigned i = derive->root_count; i-- > 0;) {
        const struct derive_root *const root = &derive->roots[i];
        const int64_t by = at->offset - root->offset;

        if (root->base == at->base && root->index == at->index && root->scale == at->scale && by == (int32_t)by)
            return CAPTURE_DERIVED | derive->access | (uint64_t)root->insn << CAPTURE_DERIVED_FROM_SHIFT |
                (uint64_t)(uint32_t)by << CAPTURE_DERIVED_BY_SHIFT;
    }
    return 0;
}

/* Likewise; without a source it is reported and becomes a source itself. */
static uint64_t follow(struct derive *derive, unsigned insn, const struct derive_root *at)
{
    const uint64_t bits = follow_source(derive, at);

    if (bits != 0)
        return bits;
    if (derive->root_count == DERIVE_ROOTS)
        derive->root_count = 0;
    derive->roots[derive->root_count] = *at;
    derive->roots[derive->root_count++].insn = (uint16_t)insn;
    return 0;
}

static struct derive_root place_of(const struct derive *derive, const struct insn *insn)
{
    struct derive_root place = {.scale = (uint8_t)insn->scale, .offset = insn->displacement};

    if (insn->base != NO_REGISTER) {
        place.base = derive->registers[insn->base].id;
        place.offset += derive->registers[insn->base].offset;
    }
    if (insn->index != NO_REGISTER) {
        place.index = derive->registers[insn->index].id;
        place.offset += derive->registers[insn->index].offset * (1 << insn->scale);
    }
    return place;
}

static uint64_t follow_operand(struct derive *derive, unsigned number, const struct insn *insn, enum what what,
                               unsigned bytes, size_t count)
{
    const uint64_t ways = what == UPDATE ? CAPTURE_DERIVED_LOADS | CAPTURE_DERIVED_STORES
        : what == STORE ? CAPTURE_DERIVED_STORES : CAPTURE_DERIVED_LOADS;
    struct derive_root place;

    derive->access = access_of(ways, bytes);
    if (insn->has_segment)
        return 0;
    if (insn->is_pc_relative) {
        const int64_t by = insn->displacement + (int64_t)count;

        return by != (int32_t)by ? 0 : CAPTURE_DERIVED | CAPTURE_DERIVED_PC | derive->access |
            (uint64_t)(uint32_t)by << CAPTURE_DERIVED_BY_SHIFT;
    }
    place = place_of(derive, insn);
    return what == PREFETCH ? follow_source(derive, &place) : follow(derive, number, &place);
}

/* The stack moves down by 8 before, or up by 8 after, an access of 8 bytes. */
static uint64_t follow_stack(struct derive *derive, unsigned number, bool is_push)
{
    struct derive_value *const rsp = &derive->registers[RSP];
    struct derive_root place = {.base = rsp->id};
    uint64_t bits;

    if (is_push)
        rsp->offset -= 8;
    place.offset = rsp->offset;
    derive->access = access_of(is_push ? CAPTURE_DERIVED_STORES : CAPTURE_DERIVED_LOADS, 8);
    bits = follow(derive, number, &place);
    if (!is_push)
        rsp->offset += 8;
    return bits;
}

static bool is_of_stack(unsigned opcode)
{
    return (opcode >= 0x50 && opcode <= 0x5f) || opcode == 0x68 || opcode == 0x6a || opcode == 0xe8 || opcode == 0xc9 ||
        opcode == 0xc3;
}

/* Instructions without ModRM, and stack operations. True: `insn` is one, and *bits is the derivation of its
 * accesses. */
static bool other(struct derive *derive, unsigned number, const struct insn *insn, uint64_t *bits)
{
    const unsigned opcode = insn->opcode, low = (opcode & 7) | (insn->rex & 1) << 3;

    *bits = 0;
    if (insn->has_66 && opcode != 0x90)
        return false;
    switch (opcode) {
    case 0x50: case 0x51: case 0x52: case 0x53: case 0x54: case 0x55: case 0x56: case 0x57:
    case 0x68: case 0x6a: case 0xe8:
        if (opcode < 0x58 && low == RSP)
            return false;
        *bits = follow_stack(derive, number, true);
        return true;
    case 0x58: case 0x59: case 0x5a: case 0x5b: case 0x5c: case 0x5d: case 0x5e: case 0x5f:
        if (low == RSP)
            return false;
        *bits = follow_stack(derive, number, false);
        forget(derive, low);
        return true;
    case 0xc9:
        derive->registers[RSP] = derive->registers[RBP];
        *bits = follow_stack(derive, number, false);
        forget(derive, RBP);
        return true;
    case 0xc3:
        *bits = follow_stack(derive, number, false);
        return true;
    case 0x70: case 0x71: case 0x72: case 0x73: case 0x74: case 0x75: case 0x76: case 0x77:
    case 0x78: case 0x79: case 0x7a: case 0x7b: case 0x7c: case 0x7d: case 0x7e: case 0x7f:
    case 0xeb: case 0xe9: case 0xa8: case 0xa9: case 0x3c: case 0x3d: case 0x90:
        return !(opcode == 0x90 && (insn->rex & 1) != 0);
    case 0x04: case 0x05: case 0x0c: case 0x0d: case 0x14: case 0x15: case 0x1c: case 0x1d:
    case 0x24: case 0x25: case 0x2c: case 0x2d: case 0x34: case 0x35: case 0x98:
        forget(derive, RAX);
        return true;
    case 0x99:
        forget(derive, RDX);
        return true;
    case 0xb0: case 0xb1: case 0xb2: case 0xb3: case 0xb4: case 0xb5: case 0xb6: case 0xb7:
        if (insn->rex == 0 && (opcode & 7) >= 4) {
            forget(derive, opcode & 3);
            return true;
        }
        forget(derive, low);
        return true;
    case 0xb8: case 0xb9: case 0xba: case 0xbb: case 0xbc: case 0xbd: case 0xbe: case 0xbf:
        forget(derive, low);
        return true;
    default:
        return false;
    }
}

/* A register of 1, 2, 4 or 8 bytes is written: ah to bh are parts of the first four. */
static void write_register(struct derive *derive, const struct insn *insn, unsigned reg, unsigned size)
{
    forget(derive, size == 1 && insn->rex == 0 && reg >= 4 && reg < 8 ? reg & 3 : reg);
}

/* Indirect calls. Through memory, accesses are reported: the target is read before the return address is written. */
static uint64_t follow_call(struct derive *derive, unsigned number, const struct insn *insn)
{
    if (!insn->is_memory)
        return follow_stack(derive, number, true);
    derive->registers[RSP].offset -= 8;
    derive->access = access_of(CAPTURE_DERIVED_LOADS | CAPTURE_DERIVED_STORES, 8);
    return 0;
}

/* Registers that are written by other registers, numbers or addresses. */
static void write_registers(struct derive *derive, const struct insn *insn, enum what what, const uint8_t *bytes,
                            size_t count)
{
    const unsigned opcode = insn->opcode;
    const bool is_wide = insn->size == 8;

    if (what == WRITE_G) {
        forget(derive, insn->reg);
    } else if (what == WRITE_A_D) {
        forget(derive, RAX);
        forget(derive, RDX);
    } else if (what == ADDRESS) {
        if (is_wide && insn->base != NO_REGISTER && insn->index == NO_REGISTER) {
            const struct derive_value value = derive->registers[insn->base];

            derive->registers[insn->reg] = (struct derive_value){value.id, value.offset + insn->displacement};
        } else {
            forget(derive, insn->reg);
        }
    } else if (is_wide && !insn->is_memory && opcode == 0x89) {
        derive->registers[insn->rm] = derive->registers[insn->reg];
    } else if (is_wide && !insn->is_memory && opcode == 0x8b) {
        derive->registers[insn->reg] = derive->registers[insn->rm];
    } else if (is_wide && !insn->is_memory && opcode == 0xff && (insn->reg & 7) < 2) {
        derive->registers[insn->rm].offset += (insn->reg & 7) == 0 ? 1 : -1;
    } else if (is_wide && !insn->is_memory && (opcode == 0x83 || opcode == 0x81) &&
               ((insn->reg & 7) == 0 || (insn->reg & 7) == 5)) {
        const int64_t number = number_at(bytes, insn->at, count, opcode == 0x83 ? 1 : 4);

        derive->registers[insn->rm].offset += (insn->reg & 7) == 0 ? number : -number;
    } else if (what == LOAD_G) {
        write_register(derive, insn, insn->reg, insn->size);
    } else if (!insn->is_memory && (what == UPDATE || what == STORE) && (opcode < 0x100 || (opcode & 0xf0) == 0x90)) {
        write_register(derive, insn, insn->rm, insn->size);
    }
}

/* Of one with ModRM. Divisions trap, and floating-point arithmetic does if the program asked for that. */
static enum derive_makes makes_what(const struct insn *insn, enum what what)
{
    const bool may_trap = (insn->opcode >= 0x12a && insn->opcode <= 0x12f) ||
        (insn->opcode >= 0x151 && insn->opcode <= 0x15f) || (what == WRITE_A_D && (insn->reg & 7) >= 6);

    if (insn->is_memory && (what == LOAD || what == LOAD_G || what == STORE || what == UPDATE))
        return DERIVE_SOME;
    if (insn->is_memory)
        return what == ADDRESS || what == PREFETCH || insn->opcode == 0x11f ? DERIVE_NONE : DERIVE_UNKNOWN;
    return may_trap ? DERIVE_UNKNOWN : DERIVE_NONE;
}

/* QEMU 7.2 computes flags that are read, enters the state of MMX, and finds where an indirect jump leads, in C. */
static bool may_help(const struct insn *insn)
{
    const unsigned opcode = insn->opcode, way = insn->reg & 7;

    return (opcode >= 0x10 && opcode <= 0x1f) || ((opcode & 0x1fc) == 0x80 && (way == 2 || way == 3)) ||
        opcode == 0xc3 || opcode == 0xfe || opcode == 0xff || (opcode >= 0x140 && opcode <= 0x14f) ||
        (opcode >= 0x190 && opcode <= 0x19f) ||
        ((opcode == 0x16f || (opcode & 0x1fe) == 0x17e) && !insn->has_66 && !insn->has_f3);
}

uint64_t derive_next(struct derive *derive, unsigned number, const uint8_t *bytes, size_t count)
{
    struct insn insn;
    uint64_t bits = 0;
    unsigned place_bytes;
    enum what what;

    derive->makes = DERIVE_UNKNOWN;
    derive->access = 0;
    derive->is_hint = false;
    if (!read_insn(&insn, bytes, count)) {
        forget_all(derive);
        return 0;
    }
    derive->may_help = may_help(&insn);
    if (!insn.has_modrm) {
        if (insn.opcode >= 0x180 && insn.opcode <= 0x18f) {
            derive->makes = DERIVE_NONE;
            return 0;
        }
        if (!insn.has_f2 && !insn.has_f3 && other(derive, number, &insn, &bits)) {
            derive->makes = is_of_stack(insn.opcode) ? DERIVE_SOME : DERIVE_NONE;
            return bits;
        }
        forget_all(derive);
        return 0;
    }
    if (insn.opcode == 0xff && (insn.reg & 7) == 2 && !insn.has_66 && !insn.has_f2 && !insn.has_f3) {
        derive->makes = DERIVE_SOME;
        return follow_call(derive, number, &insn);
    }
    what = what_of(&insn, &place_bytes);
    if (what == UNKNOWN) {
        forget_all(derive);
        return 0;
    }
    derive->is_hint = what == PREFETCH;
    if (insn.is_memory && what >= LOAD && what != ADDRESS)
        bits = follow_operand(derive, number, &insn, what, place_bytes != 0 ? place_bytes : insn.size, count);
    write_registers(derive, &insn, what, bytes, count);
    derive->makes = makes_what(&insn, what);
    return bits;
}
