/* RV64GC: each line of docs/spec/riscv-decode.md 2 and 3, derived by hand from the RISC-V unprivileged specification.
 * Bytes are in the order of memory. */
#include "tests/support/isa_cases.h"

static struct isa_decoder *decoder;

static int open_decoder(void **state)
{
    struct fault error;

    decoder = isa_decoder_open(ISA_RV64, &error);
    assert_non_null(decoder);
    return 0;
}

static int close_decoder(void **state)
{
    isa_decoder_close(decoder);
    return 0;
}

static void loads_and_stores(void **state)
{
    static const struct isa_case cases[] = {
        {"lb x10, 0(x11)", "03850500", "No_OpClass|other|x11:a|x10|load1(x11)|-|-"},
        {"lhu x10, 0(x11)", "03d50500", "No_OpClass|other|x11:a|x10|load2(x11)|-|-"},
        {"lw x10, 0(x11)", "03a50500", "No_OpClass|other|x11:a|x10|load4(x11)|-|-"},
        {"ld x0, 0(x0): no registers", "03300000", "No_OpClass|other|-|-|load8()|-|-"},
        {"fld f10, 0(x11)", "07b50500", "No_OpClass|other|x11:a|f10|load8(x11)|-|-"},
        {"sd x10, 0(x11)", "23b0a500", "No_OpClass|other|x10:d x11:a|-|store8(x11)|-|-"},
        {"sb x11, 0(x11)", "2380b500", "No_OpClass|other|x11:ad|-|store1(x11)|-|-"},
        {"fsw f0, 0(x11)", "27a00500", "No_OpClass|other|f0:d x11:a|-|store4(x11)|-|-"},
        {"c.ldsp x1, 8(x2)", "a260", "No_OpClass|other|x2:a|x1|load8(x2)|-|-"},
        {"c.sdsp x1, 8(x2)", "06e4", "No_OpClass|other|x1:d x2:a|-|store8(x2)|-|-"},
        {"c.lw x8, 0(x15)", "8043", "No_OpClass|other|x15:a|x8|load4(x15)|-|-"},
        {"c.fsd f8, 0(x15)", "80a3", "No_OpClass|other|f8:d x15:a|-|store8(x15)|-|-"},
    };

    CHECK_CASES(decoder, cases);
}

static void integers(void **state)
{
    static const struct isa_case cases[] = {
        {"addi x10, x11, 1", "13851500", "IntAlu|other|x11:d|x10|-|-|-"},
        {"nop is not flagged", "13000000", "IntAlu|other|-|-|-|-|-"},
        {"srai x10, x11, 63", "13d5f543", "IntAlu|other|x11:d|x10|-|-|-"},
        {"auipc x10, 0", "17050000", "IntAlu|other|-|x10|-|-|-"},
        {"lui x10, 1", "37150000", "IntAlu|other|-|x10|-|-|-"},
        {"add x10, x11, x12", "3385c500", "IntAlu|other|x11:d x12:d|x10|-|-|-"},
        {"xor x10, x11, x11: no idiom", "33c5b500", "IntAlu|other|x11:d|x10|-|-|-"},
        {"subw x10, x11, x12", "3b85c540", "IntAlu|other|x11:d x12:d|x10|-|-|-"},
        {"mulhu x10, x11, x12", "33b5c502", "IntMult|other|x11:d x12:d|x10|-|-|-"},
        {"remw x10, x11, x12", "3be5c502", "IntDiv|other|x11:d x12:d|x10|-|-|-"},
        {"c.nop", "0100", "IntAlu|other|-|-|-|-|-"},
        {"c.addi x10, 1", "0505", "IntAlu|other|x10:d|x10|-|-|-"},
        {"c.li x10, 1", "0545", "IntAlu|other|-|x10|-|-|-"},
        {"c.lui x10, 1", "0565", "IntAlu|other|-|x10|-|-|-"},
        {"c.addi16sp -16", "7d71", "IntAlu|other|x2:d|x2|-|-|-"},
        {"c.addi4spn x8, 16", "0008", "IntAlu|other|x2:d|x8|-|-|-"},
        {"c.mv x10, x11", "2e85", "IntAlu|other|x11:d|x10|-|-|-"},
        {"c.add x10, x11", "2e95", "IntAlu|other|x10:d x11:d|x10|-|-|-"},
        {"c.subw x8, x9", "059c", "IntAlu|other|x8:d x9:d|x8|-|-|-"},
        {"c.andi x8, 1", "0588", "IntAlu|other|x8:d|x8|-|-|-"},
    };

    CHECK_CASES(decoder, cases);
}

/* Calls and returns: docs/spec/branch-prediction.md 1 */
static void branches(void **state)
{
    static const struct isa_case cases[] = {
        {"beq x10, x11, .+8", "6304b500", "IntAlu|conditional|x10:d x11:d|-|-|-|1008"},
        {"bgeu x10, x0, .-4", "e37e05fe", "IntAlu|conditional|x10:d|-|-|-|ffc"},
        {"jal x1, .+16", "ef000001", "IntAlu|direct_call|-|x1|-|-|1010"},
        {"jal x5, .", "ef020000", "IntAlu|direct_call|-|x5|-|-|1000"},
        {"jal x0, .-2", "6ff0ffff", "IntAlu|direct_jump|-|-|-|-|ffe"},
        {"jalr x1, 0(x10)", "e7000500", "IntAlu|indirect_call|x10:d|x1|-|-|-"},
        {"jalr x0, 0(x1)", "67800000", "IntAlu|return|x1:d|-|-|-|-"},
        {"jalr x0, 0(x10)", "67000500", "IntAlu|indirect_jump|x10:d|-|-|-|-"},
        {"jalr x1, 0(x1)", "e7800000", "IntAlu|indirect_call|x1:d|x1|-|-|-"},
        {"jalr x1, 0(x5): call and return", "e7800200", "IntAlu|return|x5:d|x1|-|-|-"},
        {"c.j .-2", "fdbf", "IntAlu|direct_jump|-|-|-|-|ffe"},
        {"c.beqz x8, .+4", "11c0", "IntAlu|conditional|x8:d|-|-|-|1004"},
        {"c.jr x1", "8280", "IntAlu|return|x1:d|-|-|-|-"},
        {"c.jr x10", "0285", "IntAlu|indirect_jump|x10:d|-|-|-|-"},
        {"c.jalr x10", "0295", "IntAlu|indirect_call|x10:d|x1|-|-|-"},
    };

    CHECK_CASES(decoder, cases);
}

static void floats(void **state)
{
    static const struct isa_case cases[] = {
        {"fmadd.d f10, f11, f12, f13", "43f5c56a", "FloatMultAcc|other|f11:d f12:d f13:d|f10|-|-|-"},
        {"fadd.d f10, f11, f12", "53f5c502", "FloatAdd|other|f11:d f12:d|f10|-|-|-"},
        {"fmul.s f10, f11, f12", "53f5c510", "FloatMult|other|f11:d f12:d|f10|-|-|-"},
        {"fdiv.d f10, f11, f12", "53f5c51a", "FloatDiv|other|f11:d f12:d|f10|-|-|-"},
        {"fsqrt.d f10, f11", "53f5055a", "FloatSqrt|other|f11:d|f10|-|-|-"},
        {"fsgnj.d f10, f11, f11", "5385b522", "FloatMisc|other|f11:d|f10|-|-|-"},
        {"fmin.d f10, f11, f12", "5385c52a", "FloatCmp|other|f11:d f12:d|f10|-|-|-"},
        {"flt.d x10, f11, f12", "5395c5a2", "FloatCmp|other|f11:d f12:d|x10|-|-|-"},
        {"fcvt.w.d x10, f11", "539505c2", "FloatCvt|other|f11:d|x10|-|-|-"},
        {"fcvt.d.l f10, x11", "53f525d2", "FloatCvt|other|x11:d|f10|-|-|-"},
        {"fcvt.s.d f10, f11", "53f51540", "FloatCvt|other|f11:d|f10|-|-|-"},
        {"fmv.x.d x10, f11", "538505e2", "FloatCvt|other|f11:d|x10|-|-|-"},
        {"fmv.d.x f10, x11", "538505f2", "FloatCvt|other|x11:d|f10|-|-|-"},
        {"fclass.d x10, f11", "539505e2", "FloatMisc|other|f11:d|x10|-|-|-"},
    };

    CHECK_CASES(decoder, cases);
}

/* "LR/SC: its read and write are one"; "nothing passes it: CSR" */
static void order(void **state)
{
    static const struct isa_case cases[] = {
        {"lr.d x10, (x11)", "2fb50510", "No_OpClass|other|x11:a|x10|load8(x11)|atomic|-"},
        {"lr.w.aq x10, (x11)", "2fa50514", "No_OpClass|other|x11:a|x10|load4(x11)|atomic fence-acquire|-"},
        {"sc.d.rl x10, x12, (x11)", "2fb5c51a", "No_OpClass|other|x12:d x11:a|x10|store8(x11)|atomic fence-release|-"},
        {"amoadd.w x10, x12, (x11)", "2fa5c500", "No_OpClass|other|x12:d x11:a|x10|loadstore4(x11)|atomic|-"},
        {"amomaxu.d.aqrl x0, x12, (x11)", "2fb0c5e6",
         "No_OpClass|other|x12:d x11:a|-|loadstore8(x11)|atomic fence-full|-"},
        {"fence rw, rw", "0f003003", "No_OpClass|other|-|-|-|fence-full|-"},
        {"fence.i", "0f100000", "No_OpClass|other|-|-|-|serialising|-"},
        {"ecall", "73000000", "No_OpClass|sysenter|-|-|-|serialising|-"},
        {"ebreak", "73001000", "No_OpClass|other|-|-|-|serialising|-"},
        {"c.ebreak", "0290", "No_OpClass|other|-|-|-|serialising|-"},
        {"csrrs x10, time, x0", "732510c0", "No_OpClass|other|-|x10|-|serialising|-"},
        {"csrrw x0, fcsr, x11", "73903500", "No_OpClass|other|x11:d|-|-|serialising|-"},
        {"csrrsi x0, fflags, 1", "73e01000", "No_OpClass|other|-|-|-|serialising|-"},
    };

    CHECK_CASES(decoder, cases);
}

/* "False: the bytes are no instruction that is known; then *insn has its size" */
static void unknown_bytes(void **state)
{
    static const struct { const char *hex, *text; } cases[] = {
        {"0000", "2\tunknown"}, {"ffffffff", "0\tunknown"}, {"57000000", "4\tunknown"}, {"03000000", "4\t"},
        {"1f0000000000", "6\tunknown"}, {"3f00000000000000", "8\tunknown"}, {"0305", "4\tunknown"},
        {"01", "0\tunknown"}};
    char text[ISA_TEXT_BYTES];

    for (size_t i = 0; i < COUNT(cases); i++) {
        isa_text(decoder, cases[i].hex, 0, text);
        assert_text(text, cases[i].text);
    }
}

static void names(void **state)
{
    assert_string_equal(isa_register_name(ISA_RV64, 1), "x1");
    assert_string_equal(isa_register_name(ISA_RV64, 31), "x31");
    assert_string_equal(isa_register_name(ISA_RV64, 32), "f0");
    assert_string_equal(isa_register_name(ISA_RV64, 63), "f31");
    assert_null(isa_register_name(ISA_RV64, 0));
    assert_null(isa_register_name(ISA_RV64, 64));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_and_stores), cmocka_unit_test(integers), cmocka_unit_test(branches),
        cmocka_unit_test(floats), cmocka_unit_test(order), cmocka_unit_test(unknown_bytes), cmocka_unit_test(names)};

    return cmocka_run_group_tests_name("decoder of RV64GC", tests, open_decoder, close_decoder);
}
