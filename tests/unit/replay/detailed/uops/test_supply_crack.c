/* replay/detailed/uops/crack.h: micro-ops of RV64GC as each line of docs/spec/riscv-decode.md 2 to 4 has them, by
 * encodings made of fields; of A64 and x86-64 by the rules of crack.c. */
#include "replay/config/detailed_params.h"
#include "replay/config/op_classes.h"
#include "replay/detailed/uops/crack.h"
#include "tests/support/unit.h"

enum { TEXT = 1024 };

/* ---- micro-ops as text: OP RESULTS<SOURCES MARKS, with the access behind "@" */

static const char *register_name(enum isa isa, unsigned number, char *room)
{
    if (number < ISA_REGISTERS)
        return isa_register_name(isa, number);
    snprintf(room, 8, "t%u", number - ISA_REGISTERS);
    return room;
}

static size_t put_registers(enum isa isa, const uint16_t *registers, unsigned count, char *text)
{
    size_t length = 0;
    char room[8];

    for (unsigned i = 0; i < count; i++)
        length += (size_t)sprintf(text + length, "%s%s", i > 0 ? "," : "", register_name(isa, registers[i], room));
    return length;
}

static size_t put_uop(enum isa isa, const struct uop *uop, char *text)
{
#define DETAILED_OP_NAME(suffix, key, unit, cycles, is_pipelined) #key,
    static const char *const ops[] = {DETAILED_OPS(DETAILED_OP_NAME)};
    static const struct { uint32_t flag; const char *name; } flags[] = {
        {UOP_LOAD, "L"}, {UOP_STORE, "S"}, {UOP_ATOMIC, "A"}, {UOP_LINKED, "linked"}, {UOP_READ_BARRIER, "RB"},
        {UOP_WRITE_BARRIER, "WB"}, {UOP_SERIALISE_AFTER, "SA"}, {UOP_SERIALISE_BEFORE, "SB"},
        {UOP_NON_SPECULATIVE, "NS"}, {UOP_SQUASH_AFTER, "SQ"}, {UOP_TRAP, "trap"}, {UOP_CONTROL, "C"},
        {UOP_CONDITIONAL, "c"}, {UOP_DIRECT, "D"}, {UOP_CALL, "call"}, {UOP_RETURN, "return"},
        {UOP_PREFETCH, "prefetch"}, {UOP_FLOAT_RESULT, "F"}};
    size_t length = (size_t)sprintf(text, "%s ", ops[uop->op]);

    length += put_registers(isa, uop->results, uop->result_count, text + length);
    text[length++] = '<';
    length += put_registers(isa, uop->sources, uop->source_count, text + length);
    for (size_t i = 0; i < COUNT(flags); i++)
        if ((uop->flags & flags[i].flag) != 0)
            length += (size_t)sprintf(text + length, " %s", flags[i].name);
    if (uop->access != UOP_NO_ACCESS)
        length += (size_t)sprintf(text + length, "@%u", uop->access);
    text[length] = '\0';
    return length;
}

static void put_all(enum isa isa, const struct crack_uops *uops, char text[TEXT])
{
    size_t length = 0;

    for (unsigned i = 0; i < uops->count; i++) {
        assert_int_equal((uops->list[i].flags & UOP_LAST) != 0, i + 1 == uops->count);
        if (i > 0)
            length += (size_t)sprintf(text + length, "; ");
        length += put_uop(isa, &uops->list[i], text + length);
    }
}

/* As its encoding has it; shape: NULL for the usual one. */
static void crack_bytes(struct isa_decoder *decoder, const uint8_t *bytes, size_t length,
                        const struct crack_shape *shape, char text[TEXT])
{
    struct isa_insn what;
    struct crack_insn insn = {.isa = isa_decoder_isa(decoder), .what = &what, .bytes = bytes};
    struct crack_uops uops;

    assert_true(isa_decode(decoder, 0x1000, bytes, length, &what));
    insn.kind = (enum isa_kind)what.kind;
    insn.length = what.size_bytes;
    crack(&insn, shape != NULL ? *shape : crack_usual(&what), &uops);
    put_all(insn.isa, &uops, text);
}

/* ---- RV64GC; x10 is rd, x11 rs1, x12 rs2, and so are f10 to f13 */

/* op: bits 6:2 */
#define R(op, f3, f7, d, n, m)                                                                                        \
    ((uint32_t)(f7) << 25 | (uint32_t)(m) << 20 | (uint32_t)(n) << 15 | (uint32_t)(f3) << 12 | (uint32_t)(d) << 7     \
     | (uint32_t)(op) << 2 | 3)
#define X(op, f3, f7) R(op, f3, f7, 10, 11, 12)
#define AMO(f5, order, f3) X(0x0b, f3, (f5) << 2 | (order))
/* Of 16 bits: quadrant, f3, and the other bits. p: three-bit fields of x10, x11, x12. */
#define C(quadrant, f3, rest) ((uint32_t)(f3) << 13 | (uint32_t)(rest) | (uint32_t)(quadrant))
#define AT_D(d) ((d) << 7)
#define AT_M(m) ((m) << 2)
enum { RL = 1, AQ = 2, P10 = 2, P11 = 3, P12 = 4 };

#define FENCE "No_OpClass < RB WB"

static const struct { uint32_t bits; const char *expected; } rv64[] = {
    /* 00, 01: loads */
    {X(0x00, 0, 0), "MemRead x10<x11 L@0"}, {X(0x00, 1, 0), "MemRead x10<x11 L@0"},
    {X(0x00, 2, 0), "MemRead x10<x11 L@0"}, {X(0x00, 3, 0), "MemRead x10<x11 L@0"},
    {X(0x00, 4, 0), "MemRead x10<x11 L@0"}, {X(0x00, 5, 0), "MemRead x10<x11 L@0"},
    {X(0x00, 6, 0), "MemRead x10<x11 L@0"},
    {R(0x00, 3, 0, 0, 11, 0), "MemRead <x11 L@0"},
    {X(0x01, 2, 0), "FloatMemRead f10<x11 L F@0"}, {X(0x01, 3, 0), "FloatMemRead f10<x11 L F@0"},
    {R(0x01, 3, 0, 0, 11, 0), "FloatMemRead f0<x11 L F@0"},
    /* 03: fences */
    {0x0ff0000f, FENCE}, {0x8330000f, FENCE}, {0x0100000f, FENCE}, {0x0000100f, "No_OpClass < SA NS SQ"},
    /* 04, 05, 06 */
    {X(0x04, 0, 0), "IntAlu x10<x11"}, {X(0x04, 2, 0), "IntAlu x10<x11"}, {X(0x04, 3, 0), "IntAlu x10<x11"},
    {X(0x04, 4, 0), "IntAlu x10<x11"}, {X(0x04, 6, 0), "IntAlu x10<x11"}, {X(0x04, 7, 0), "IntAlu x10<x11"},
    {X(0x04, 1, 0), "IntAlu x10<x11"}, {X(0x04, 5, 0), "IntAlu x10<x11"}, {X(0x04, 5, 0x20), "IntAlu x10<x11"},
    {X(0x04, 5, 0x21), "IntAlu x10<x11"}, {0x00000013, "IntAlu <"},
    {X(0x05, 0, 0), "IntAlu x10<"},
    {X(0x06, 0, 0), "IntAlu x10<x11"}, {X(0x06, 1, 0), "IntAlu x10<x11"}, {X(0x06, 5, 0), "IntAlu x10<x11"},
    {X(0x06, 5, 0x20), "IntAlu x10<x11"},
    /* 08, 09: stores */
    {X(0x08, 0, 0), "MemWrite <x11,x12 S@0"}, {X(0x08, 1, 0), "MemWrite <x11,x12 S@0"},
    {X(0x08, 2, 0), "MemWrite <x11,x12 S@0"}, {X(0x08, 3, 0), "MemWrite <x11,x12 S@0"},
    {R(0x08, 3, 0, 0, 11, 0), "MemWrite <x11 S@0"},
    {X(0x09, 2, 0), "FloatMemWrite <x11,f12 S@0"}, {X(0x09, 3, 0), "FloatMemWrite <x11,f12 S@0"},
    {R(0x09, 3, 0, 0, 11, 0), "FloatMemWrite <x11,f0 S@0"},
    /* 0b: section 4 */
    {R(0x0b, 2, 2 << 2, 10, 11, 0), "MemRead x10<x11 L linked@0"},
    {R(0x0b, 3, 2 << 2, 10, 11, 0), "MemRead x10<x11 L linked@0"},
    {R(0x0b, 2, 2 << 2 | AQ, 10, 11, 0), "MemRead x10<x11 L linked@0; " FENCE},
    {R(0x0b, 2, 2 << 2 | RL, 10, 11, 0), FENCE "; MemRead x10<x11 L linked@0"},
    {R(0x0b, 2, 2 << 2 | AQ | RL, 10, 11, 0), FENCE "; MemRead x10<x11 L linked@0; " FENCE},
    {AMO(3, 0, 2), "MemWrite x10<x11,x12 S linked@0"}, {AMO(3, 0, 3), "MemWrite x10<x11,x12 S linked@0"},
    {AMO(3, RL, 2), FENCE "; MemWrite x10<x11,x12 S linked@0"},
    {AMO(3, AQ, 2), "MemWrite x10<x11,x12 S linked@0; " FENCE},
    {AMO(0, 0, 2), "MemRead x10<x11,x12 A@0"}, {AMO(0, 0, 3), "MemRead x10<x11,x12 A@0"},
    {AMO(1, 0, 2), "MemRead x10<x11,x12 A@0"}, {AMO(4, 0, 2), "MemRead x10<x11,x12 A@0"},
    {AMO(8, 0, 2), "MemRead x10<x11,x12 A@0"}, {AMO(12, 0, 2), "MemRead x10<x11,x12 A@0"},
    {AMO(16, 0, 2), "MemRead x10<x11,x12 A@0"}, {AMO(20, 0, 2), "MemRead x10<x11,x12 A@0"},
    {AMO(24, 0, 3), "MemRead x10<x11,x12 A@0"}, {AMO(28, 0, 3), "MemRead x10<x11,x12 A@0"},
    {R(0x0b, 3, 1 << 2, 0, 11, 0), "MemRead <x11 A@0"},
    {AMO(0, AQ, 2), "MemRead x10<x11,x12 A@0; " FENCE}, {AMO(1, RL, 2), FENCE "; MemRead x10<x11,x12 A@0"},
    {AMO(1, AQ | RL, 3), FENCE "; MemRead x10<x11,x12 A@0; " FENCE},
    /* 0c, 0d, 0e */
    {X(0x0c, 0, 0), "IntAlu x10<x11,x12"}, {X(0x0c, 1, 0), "IntAlu x10<x11,x12"},
    {X(0x0c, 2, 0), "IntAlu x10<x11,x12"}, {X(0x0c, 3, 0), "IntAlu x10<x11,x12"},
    {X(0x0c, 4, 0), "IntAlu x10<x11,x12"}, {X(0x0c, 5, 0), "IntAlu x10<x11,x12"},
    {X(0x0c, 6, 0), "IntAlu x10<x11,x12"}, {X(0x0c, 7, 0), "IntAlu x10<x11,x12"},
    {X(0x0c, 0, 0x20), "IntAlu x10<x11,x12"}, {X(0x0c, 5, 0x20), "IntAlu x10<x11,x12"},
    {R(0x0c, 0, 0, 0, 0, 12), "IntAlu <x12"},
    {X(0x0c, 0, 1), "IntMult x10<x11,x12"}, {X(0x0c, 1, 1), "IntMult x10<x11,x12"},
    {X(0x0c, 2, 1), "IntMult x10<x11,x12"}, {X(0x0c, 3, 1), "IntMult x10<x11,x12"},
    {X(0x0c, 4, 1), "IntDiv x10<x11,x12"}, {X(0x0c, 5, 1), "IntDiv x10<x11,x12"},
    {X(0x0c, 6, 1), "IntDiv x10<x11,x12"}, {X(0x0c, 7, 1), "IntDiv x10<x11,x12"},
    {X(0x0d, 0, 0), "IntAlu x10<"},
    {X(0x0e, 0, 0), "IntAlu x10<x11,x12"}, {X(0x0e, 1, 0), "IntAlu x10<x11,x12"},
    {X(0x0e, 5, 0), "IntAlu x10<x11,x12"}, {X(0x0e, 0, 0x20), "IntAlu x10<x11,x12"},
    {X(0x0e, 5, 0x20), "IntAlu x10<x11,x12"}, {X(0x0e, 0, 1), "IntMult x10<x11,x12"},
    {X(0x0e, 4, 1), "IntDiv x10<x11,x12"}, {X(0x0e, 5, 1), "IntDiv x10<x11,x12"},
    {X(0x0e, 6, 1), "IntDiv x10<x11,x12"}, {X(0x0e, 7, 1), "IntDiv x10<x11,x12"},
    /* 10 to 13: fused, single and double; rs3 is bits 31:27 */
    {X(0x10, 7, 13 << 2), "FloatMultAcc f10<f11,f12,f13 F"}, {X(0x11, 7, 13 << 2), "FloatMultAcc f10<f11,f12,f13 F"},
    {X(0x12, 7, 13 << 2 | 1), "FloatMultAcc f10<f11,f12,f13 F"},
    {X(0x13, 7, 13 << 2 | 1), "FloatMultAcc f10<f11,f12,f13 F"},
    /* 14 */
    {X(0x14, 7, 0x00), "FloatAdd f10<f11,f12 F"}, {X(0x14, 7, 0x04 | 1), "FloatAdd f10<f11,f12 F"},
    {X(0x14, 7, 0x08), "FloatMult f10<f11,f12 F"}, {X(0x14, 7, 0x0c | 1), "FloatDiv f10<f11,f12 F"},
    {X(0x14, 0, 0x10), "FloatMisc f10<f11,f12 F"}, {X(0x14, 1, 0x10 | 1), "FloatMisc f10<f11,f12 F"},
    {X(0x14, 2, 0x10), "FloatMisc f10<f11,f12 F"},
    {X(0x14, 0, 0x14), "FloatCmp f10<f11,f12 F"}, {X(0x14, 1, 0x14 | 1), "FloatCmp f10<f11,f12 F"},
    {R(0x14, 7, 0x20, 10, 11, 1), "FloatCvt f10<f11 F"}, {R(0x14, 7, 0x20 | 1, 10, 11, 0), "FloatCvt f10<f11 F"},
    {R(0x14, 7, 0x2c | 1, 10, 11, 0), "FloatSqrt f10<f11 F"},
    {X(0x14, 0, 0x50), "FloatCmp x10<f11,f12"}, {X(0x14, 1, 0x50 | 1), "FloatCmp x10<f11,f12"},
    {X(0x14, 2, 0x50), "FloatCmp x10<f11,f12"},
    {R(0x14, 1, 0x60, 10, 11, 0), "FloatCvt x10<f11"}, {R(0x14, 1, 0x60 | 1, 10, 11, 3), "FloatCvt x10<f11"},
    {R(0x14, 7, 0x68, 10, 11, 1), "FloatCvt f10<x11 F"}, {R(0x14, 7, 0x68 | 1, 10, 11, 2), "FloatCvt f10<x11 F"},
    {R(0x14, 0, 0x70, 10, 11, 0), "FloatCvt x10<f11"}, {R(0x14, 0, 0x70 | 1, 10, 11, 0), "FloatCvt x10<f11"},
    {R(0x14, 1, 0x70, 10, 11, 0), "FloatMisc x10<f11"},
    {R(0x14, 0, 0x78, 10, 11, 0), "FloatCvt f10<x11 F"}, {R(0x14, 0, 0x78 | 1, 10, 11, 0), "FloatCvt f10<x11 F"},
    /* 18, 19, 1b: branches (branch-prediction 1) */
    {X(0x18, 0, 0), "IntAlu <x11,x12 C c D"}, {X(0x18, 1, 0), "IntAlu <x11,x12 C c D"},
    {X(0x18, 4, 0), "IntAlu <x11,x12 C c D"}, {X(0x18, 5, 0), "IntAlu <x11,x12 C c D"},
    {X(0x18, 6, 0), "IntAlu <x11,x12 C c D"}, {X(0x18, 7, 0), "IntAlu <x11,x12 C c D"},
    {R(0x19, 0, 0, 10, 11, 0), "IntAlu x10<x11 C"}, {R(0x19, 0, 0, 1, 11, 0), "IntAlu x1<x11 C call"},
    {R(0x19, 0, 0, 5, 11, 0), "IntAlu x5<x11 C call"}, {R(0x19, 0, 0, 0, 1, 0), "IntAlu <x1 C return"},
    {R(0x19, 0, 0, 10, 5, 0), "IntAlu x10<x5 C return"}, {R(0x19, 0, 0, 1, 5, 0), "IntAlu x1<x5 C call return"},
    {R(0x19, 0, 0, 5, 1, 0), "IntAlu x5<x1 C call return"}, {R(0x19, 0, 0, 1, 1, 0), "IntAlu x1<x1 C call"},
    {R(0x19, 0, 0, 5, 5, 0), "IntAlu x5<x5 C call"},
    {R(0x1b, 0, 0, 10, 0, 0), "IntAlu x10< C D"}, {R(0x1b, 0, 0, 1, 0, 0), "IntAlu x1< C D call"},
    {R(0x1b, 0, 0, 5, 0, 0), "IntAlu x5< C D call"}, {R(0x1b, 0, 0, 0, 0, 0), "IntAlu < C D"},
    /* 1c */
    {0x00000073, "No_OpClass < SA NS trap"}, {0x00100073, "No_OpClass < SA NS trap"},
    {X(0x1c, 1, 0), "No_OpClass x10<x11 SA NS"}, {X(0x1c, 2, 0), "No_OpClass x10<x11 SA NS"},
    {X(0x1c, 3, 0), "No_OpClass x10<x11 SA NS"}, {R(0x1c, 2, 0, 10, 0, 1), "No_OpClass x10< SA NS"},
    {X(0x1c, 5, 0), "No_OpClass x10< SA NS"}, {X(0x1c, 6, 0), "No_OpClass x10< SA NS"},
    {X(0x1c, 7, 0), "No_OpClass x10< SA NS"},
    /* section 3, quadrant 0 */
    {C(0, 0, 1 << 5 | AT_M(P10)), "IntAlu x10<x2"},
    {C(0, 1, AT_D(P11) | AT_M(P10)), "FloatMemRead f10<x11 L F@0"},
    {C(0, 5, AT_D(P11) | AT_M(P12)), "FloatMemWrite <x11,f12 S@0"},
    {C(0, 2, AT_D(P11) | AT_M(P10)), "MemRead x10<x11 L@0"}, {C(0, 6, AT_D(P11) | AT_M(P12)), "MemWrite <x11,x12 S@0"},
    {C(0, 3, AT_D(P11) | AT_M(P10)), "MemRead x10<x11 L@0"}, {C(0, 7, AT_D(P11) | AT_M(P12)), "MemWrite <x11,x12 S@0"},
    /* quadrant 1 */
    {C(1, 0, AT_D(10) | AT_M(1)), "IntAlu x10<x10"}, {C(1, 0, 0), "IntAlu <"},
    {C(1, 1, AT_D(10) | AT_M(1)), "IntAlu x10<x10"}, {C(1, 2, AT_D(10) | AT_M(1)), "IntAlu x10<"},
    {C(1, 3, AT_D(2) | AT_M(1)), "IntAlu x2<x2"}, {C(1, 3, AT_D(10) | AT_M(1)), "IntAlu x10<"},
    {C(1, 4, 0 << 10 | AT_D(P11) | AT_M(1)), "IntAlu x11<x11"},
    {C(1, 4, 1 << 10 | AT_D(P11) | AT_M(1)), "IntAlu x11<x11"},
    {C(1, 4, 2 << 10 | AT_D(P11) | AT_M(1)), "IntAlu x11<x11"},
    {C(1, 4, 3 << 10 | AT_D(P11) | 0 << 5 | AT_M(P12)), "IntAlu x11<x11,x12"},
    {C(1, 4, 3 << 10 | AT_D(P11) | 1 << 5 | AT_M(P12)), "IntAlu x11<x11,x12"},
    {C(1, 4, 3 << 10 | AT_D(P11) | 2 << 5 | AT_M(P12)), "IntAlu x11<x11,x12"},
    {C(1, 4, 3 << 10 | AT_D(P11) | 3 << 5 | AT_M(P12)), "IntAlu x11<x11,x12"},
    {C(1, 4, 1 << 12 | 3 << 10 | AT_D(P11) | 0 << 5 | AT_M(P12)), "IntAlu x11<x11,x12"},
    {C(1, 4, 1 << 12 | 3 << 10 | AT_D(P11) | 1 << 5 | AT_M(P12)), "IntAlu x11<x11,x12"},
    {C(1, 5, 0), "IntAlu < C D"}, {C(1, 6, AT_D(P11)), "IntAlu <x11 C c D"}, {C(1, 7, AT_D(P11)), "IntAlu <x11 C c D"},
    /* quadrant 2 */
    {C(2, 0, AT_D(10) | AT_M(1)), "IntAlu x10<x10"},
    {C(2, 1, AT_D(10)), "FloatMemRead f10<x2 L F@0"}, {C(2, 5, AT_M(12)), "FloatMemWrite <x2,f12 S@0"},
    {C(2, 2, AT_D(10)), "MemRead x10<x2 L@0"}, {C(2, 6, AT_M(12)), "MemWrite <x2,x12 S@0"},
    {C(2, 3, AT_D(10)), "MemRead x10<x2 L@0"}, {C(2, 7, AT_M(12)), "MemWrite <x2,x12 S@0"},
    {C(2, 4, AT_D(11)), "IntAlu <x11 C"}, {C(2, 4, AT_D(1)), "IntAlu <x1 C return"},
    {C(2, 4, AT_D(5)), "IntAlu <x5 C return"}, {C(2, 4, AT_D(10) | AT_M(12)), "IntAlu x10<x12"},
    {C(2, 4, 1 << 12 | AT_D(11)), "IntAlu x1<x11 C call"}, {C(2, 4, 1 << 12 | AT_D(5)), "IntAlu x1<x5 C call return"},
    {C(2, 4, 1 << 12 | AT_D(1)), "IntAlu x1<x1 C call"}, {C(2, 4, 1 << 12), "No_OpClass < SA NS trap"},
    {C(2, 4, 1 << 12 | AT_D(10) | AT_M(12)), "IntAlu x10<x10,x12"},
};

static void micro_ops_of_rv64gc_are_those_of_the_table(void **state)
{
    struct fault fault;
    struct isa_decoder *const decoder = isa_decoder_open(ISA_RV64, &fault);

    assert_non_null(decoder);
    for (size_t i = 0; i < COUNT(rv64); i++) {
        size_t const length = (rv64[i].bits & 3) == 3 ? 4 : 2;
        uint8_t bytes[4];
        char text[TEXT];

        for (size_t byte = 0; byte < 4; byte++)
            bytes[byte] = (uint8_t)(rv64[i].bits >> 8 * byte);
        crack_bytes(decoder, bytes, length, NULL, text);
        if (strcmp(text, rv64[i].expected) != 0)
            print_message("line %zu: %08x\n", i, rv64[i].bits);
        assert_string_equal(text, rv64[i].expected);
    }
    isa_decoder_close(decoder);
}

/* ---- others; loads, stores: as they were recorded, -1: the usual ones */

struct other { const char *written, *hex; int loads, stores; const char *expected; };

static void check_others(enum isa isa, const struct other *others, size_t count)
{
    struct fault fault;
    struct isa_decoder *const decoder = isa_decoder_open(isa, &fault);

    if (decoder == NULL)
        skip();
    for (size_t i = 0; i < count; i++) {
        size_t const length = strlen(others[i].hex) / 2;
        struct crack_shape const shape = {.loads = (uint8_t)others[i].loads, .stores = (uint8_t)others[i].stores,
                                          .is_last = true};
        uint8_t bytes[ISA_MAX_BYTES];
        char text[TEXT];

        for (size_t byte = 0; byte < length; byte++) {
            unsigned value;

            assert_int_equal(sscanf(others[i].hex + 2 * byte, "%2x", &value), 1);
            bytes[byte] = (uint8_t)value;
        }
        crack_bytes(decoder, bytes, length, others[i].loads >= 0 ? &shape : NULL, text);
        if (strcmp(text, others[i].expected) != 0)
            print_message("%s\n", others[i].written);
        assert_string_equal(text, others[i].expected);
    }
    isa_decoder_close(decoder);
}

static void micro_ops_of_a64(void **state)
{
    static const struct other others[] = {
        {"add x0, x1, #1", "20040091", -1, 0, "IntAlu x0<x1"},
        {"stp x29, x30, [sp, #-16]!", "fd7bbfa9", -1, 0, "MemWrite <sp,x29,x30 S@0; IntAlu sp<sp"},
        {"the same as two accesses", "fd7bbfa9", 0, 2, "MemWrite <sp,x29 S@0; MemWrite <sp,x30 S@1; IntAlu sp<sp"},
        {"ldp w0, w1, [x2]", "40044029", -1, 0, "MemRead x0,x1<x2 L@0"},
        {"the same as two accesses", "40044029", 2, 0, "MemRead x0<x2 L@0; MemRead x1<x2 L@1"},
        {"ldp q0, q1, [x2], #32", "4004c1ac", -1, 0, "FloatMemRead v0,v1<x2 L F@0; IntAlu x2<x2"},
        {"ldaxr x0, [x1]", "20fc5fc8", -1, 0, "MemRead x0<x1 L linked@0; " FENCE},
        {"stlxr w2, x0, [x1]", "20fc02c8", -1, 0, FENCE "; MemWrite x2<x1,x0 S linked@0"},
        {"stlxr that failed", "20fc02c8", 0, 0, FENCE "; No_OpClass x2<x0,x1"},
        {"ldadd w0, w1, [x2]", "410020b8", -1, 0, "MemRead x1<x2,x0 A@0"},
        {"casal x0, x1, [x2]", "41fce0c8", -1, 0, FENCE "; MemRead x0<x2,x0,x1 A@0; " FENCE},
        {"dmb ish", "bf3b03d5", -1, 0, FENCE}, {"dmb ishld", "bf3903d5", -1, 0, "No_OpClass < RB"},
        {"dmb ishst", "bf3a03d5", -1, 0, "No_OpClass < WB"}, {"isb", "df3f03d5", -1, 0, "No_OpClass < SA NS SQ"},
        {"svc #0", "010000d4", -1, 0, "No_OpClass < SA NS trap"},
        {"b .", "00000014", -1, 0, "IntAlu < C D"}, {"bl .+4", "01000094", -1, 0, "IntAlu x30< C D call"},
        {"b.ne .+8", "41000054", -1, 0, "IntAlu <flags C c D"}, {"br x16", "00021fd6", -1, 0, "IntAlu <x16 C"},
        {"blr x3", "60003fd6", -1, 0, "IntAlu x30<x3 C call"}, {"ret", "c0035fd6", -1, 0, "IntAlu <x30 C return"},
    };

    check_others(ISA_A64, others, COUNT(others));
}

static void micro_ops_of_x86(void **state)
{
    static const struct other others[] = {
        {"movss xmm0, [rax]", "f30f1000", -1, 0, "FloatMemRead xmm0<rax L F@0"},
        {"push rax", "50", -1, 0, "MemWrite <rsp,rax S@0"},
        {"push [rax]", "ff30", -1, 0, "MemRead t0<rax L@0; MemWrite <rsp,t0 S@1"},
        {"call +0", "e800000000", -1, 0, "MemWrite <rsp S@0; IntAlu < C D call"},
        {"call [rax]", "ff10", -1, 0, "MemRead t0<rax L@0; MemWrite <rsp S@1; IntAlu <t0 C call"},
        {"call rax", "ffd0", -1, 0, "MemWrite <rsp S@0; IntAlu <rax C call"},
        {"ret", "c3", -1, 0, "MemRead t0<rsp L@0; IntAlu <t0 C return"},
        {"add [rax], ecx", "0108", -1, 0, "MemRead t0<rax L@0; IntAlu flags,t7<rcx,t0; MemWrite <rax,t7 S@1"},
        {"add ecx, [rax]", "0308", -1, 0, "MemRead t0<rax L@0; IntAlu rcx,flags<rcx,t0"},
        {"lock add [rax], ecx", "f00108", -1, 0, FENCE "; MemRead flags<rax,rcx A@0; " FENCE},
        {"movsb", "a4", -1, 0, "MemRead t0<rsi L@0; MemWrite <rdi,t0 S@1; IntAlu rsi,rdi<rsi,rdi"},
        {"rep movsb, of no iteration", "f3a4", 0, 0, "IntAlu rsi,rdi,rcx<rsi,rcx,rdi"},
        {"syscall", "0f05", -1, 0, "No_OpClass < SA NS trap"},
        {"cpuid", "0fa2", -1, 0, "No_OpClass rax,rbx,rcx,rdx<rax,rcx SA NS"},
        {"prefetcht0 [rax]", "0f1808", -1, 0, "MemRead <rax L prefetch@0"},
        {"nop", "90", -1, 0, "No_OpClass <"}, {"mfence", "0faef0", -1, 0, FENCE},
        {"lfence", "0faee8", -1, 0, "No_OpClass < RB SA NS"}, {"sfence", "0faef8", -1, 0, "No_OpClass < WB"},
        {"jne +0", "7500", -1, 0, "IntAlu <flags C c D"},
        {"jmp [rax]", "ff20", -1, 0, "MemRead t0<rax L@0; IntAlu <t0 C"},
        {"mulsd xmm0, [rax]", "f20f5900", -1, 0, "FloatMemRead t0<rax L F@0; FloatMult xmm0<xmm0,t0 F"},
        {"vpgatherdd of four loads", "c4e271901480", 4, 0,
         "FloatMemRead t0<rax,xmm0 L F@0; FloatMemRead t1<rax,xmm0 L F@1; FloatMemRead t2<rax,xmm0 L F@2; "
         "FloatMemRead t3<rax,xmm0 L F@3; SimdMisc xmm2,xmm1<xmm2,xmm1,t0,t1,t2,t3 F"},
    };

    check_others(ISA_X86_64, others, COUNT(others));
}

/* "of an instruction that was not decoded": accesses that wait for no register */
static void unknown_instructions_only_access(void **state)
{
    struct crack_insn insn = {.isa = ISA_X86_64, .kind = ISA_CONDITIONAL};
    struct crack_uops uops;
    char text[TEXT];

    crack(&insn, (struct crack_shape){.loads = 1, .stores = 1, .is_last = true}, &uops);
    put_all(insn.isa, &uops, text);
    assert_string_equal(text, "MemRead < L@0; MemWrite < S@1; IntAlu < C c D");
    insn.kind = ISA_OTHER;
    crack(&insn, (struct crack_shape){.is_last = true}, &uops);
    put_all(insn.isa, &uops, text);
    assert_string_equal(text, "IntAlu <");
    insn.kind = ISA_SYSTEM;
    crack(&insn, (struct crack_shape){.is_last = true}, &uops);
    put_all(insn.isa, &uops, text);
    assert_string_equal(text, "No_OpClass < SA NS trap");
}

/* More registers than a micro-op has room for are lost by none. */
static void many_registers_take_further_micro_ops(void **state)
{
    struct isa_insn what = {.class = ISA_CLASS_INT_ALU, .read_count = 12, .write_count = 8, .data_reads = 0xfff};
    struct crack_insn const insn = {.isa = ISA_REGDEPS, .what = &what, .kind = ISA_OTHER};
    struct crack_uops uops;
    bool is_read[UOP_REGISTERS] = {false}, is_written[UOP_REGISTERS] = {false};

    for (unsigned i = 0; i < 12; i++)
        what.reads[i] = (uint8_t)(100 + i);
    for (unsigned i = 0; i < 8; i++)
        what.writes[i] = (uint8_t)(200 + i);
    crack(&insn, (struct crack_shape){.is_last = true}, &uops);
    for (unsigned i = 0; i < uops.count; i++) {
        for (unsigned j = 0; j < uops.list[i].source_count; j++)
            is_read[uops.list[i].sources[j]] = true;
        for (unsigned j = 0; j < uops.list[i].result_count; j++)
            is_written[uops.list[i].results[j]] = true;
    }
    for (unsigned i = 0; i < 12; i++)
        assert_true(is_read[100 + i]);
    for (unsigned i = 0; i < 8; i++)
        assert_true(is_written[200 + i]);
    assert_int_equal(uops.count, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(micro_ops_of_rv64gc_are_those_of_the_table), cmocka_unit_test(micro_ops_of_a64),
        cmocka_unit_test(micro_ops_of_x86), cmocka_unit_test(unknown_instructions_only_access),
        cmocka_unit_test(many_registers_take_further_micro_ops),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
