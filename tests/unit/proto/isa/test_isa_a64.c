/* A64: instructions for each group of encodings and each rule of isa.h, derived by hand from the Arm ARM. Bytes are
 * in the order of memory. */
#include "tests/support/isa_cases.h"

static struct isa_decoder *decoder;

static int open_decoder(void **state)
{
    struct fault error;

    decoder = isa_decoder_open(ISA_A64, &error);
    assert_non_null(decoder);
    return 0;
}

static int close_decoder(void **state)
{
    isa_decoder_close(decoder);
    return 0;
}

/* "What always reads as a constant is no register: xzr"; "a write that keeps a part of its register reads it" */
static void integers(void **state)
{
    static const struct isa_case cases[] = {
        {"add x0, x1, #1", "20040091", "IntAlu|other|x1:d|x0|-|-|-"},
        {"add sp, sp, #16", "ff430091", "IntAlu|other|sp:d|sp|-|-|-"},
        {"cmp x0, x1: subs xzr", "1f0001eb", "IntAlu|other|x0:d x1:d|flags|-|-|-"},
        {"mov x0, x1: orr x0, xzr, x1", "e00301aa", "IntAlu|other|x1:d|x0|-|-|-"},
        {"mov w0, #1", "20008052", "IntAlu|other|-|x0|-|-|-"},
        {"movk x0, #1, lsl 16", "2000a0f2", "IntAlu|other|x0:d|x0|-|-|-"},
        {"bfi w2, w0, #6, #26", "02641a33", "IntAlu|other|x2:d x0:d|x2|-|-|-"},
        {"ubfx w0, w0, #8, #1", "00200853", "IntAlu|other|x0:d|x0|-|-|-"},
        {"adrp x0, .", "00000090", "IntAlu|other|-|x0|-|-|-"},
        {"eor x1, x1, x1: no idiom", "210001ca", "IntAlu|other|x1:d|x1|-|-|-"},
        {"adcs x0, x1, x2", "200002ba", "IntAlu|other|x1:d x2:d flags:d|x0 flags|-|-|-"},
        {"ccmp x1, #1, #4, ls", "249841fa", "IntAlu|other|x1:d flags:d|flags|-|-|-"},
        {"csel w1, w1, w0, eq", "2100801a", "IntAlu|other|x1:d x0:d flags:d|x1|-|-|-"},
        {"madd x0, x1, x2, x3", "200c029b", "IntMult|other|x1:d x2:d x3:d|x0|-|-|-"},
        {"mul x0, x1, x2: madd with xzr", "207c029b", "IntMult|other|x1:d x2:d|x0|-|-|-"},
        {"umulh x0, x1, x2", "207cc29b", "IntMult|other|x1:d x2:d|x0|-|-|-"},
        {"sdiv w3, w2, w1", "430cc11a", "IntDiv|other|x2:d x1:d|x3|-|-|-"},
        {"crc32x w0, w1, x2", "204cc29a", "IntAlu|other|x1:d x2:d|x0|-|-|-"},
    };

    CHECK_CASES(decoder, cases);
}

static void branches(void **state)
{
    static const struct isa_case cases[] = {
        {"b .", "00000014", "IntAlu|direct_jump|-|-|-|-|1000"},
        {"b .-4", "ffffff17", "IntAlu|direct_jump|-|-|-|-|ffc"},
        {"bl .+4", "01000094", "IntAlu|direct_call|-|x30|-|-|1004"},
        {"b.ne .+8", "41000054", "IntAlu|conditional|flags:d|-|-|-|1008"},
        {"cbz x1, .+8", "410000b4", "IntAlu|conditional|x1:d|-|-|-|1008"},
        {"tbnz w1, #0, .-8", "c1ff0737", "IntAlu|conditional|x1:d|-|-|-|ff8"},
        {"br x16", "00021fd6", "IntAlu|indirect_jump|x16:d|-|-|-|-"},
        {"blr x3", "60003fd6", "IntAlu|indirect_call|x3:d|x30|-|-|-"},
        {"ret", "c0035fd6", "IntAlu|return|x30:d|-|-|-|-"},
        {"retaa", "ff0b5fd6", "IntAlu|return|x30:d sp:d|-|-|-|-"},
        {"svc #0", "010000d4", "No_OpClass|sysenter|-|-|-|serialising|-"},
        {"brk #1", "200020d4", "No_OpClass|other|-|-|-|serialising|-"},
    };

    CHECK_CASES(decoder, cases);
}

/* "writes[i] comes of the address alone (write-back of a base)" */
static void loads_and_stores(void **state)
{
    static const struct isa_case cases[] = {
        {"ldr x0, [x1, #8]", "200440f9", "No_OpClass|other|x1:a|x0|load8(x1)|-|-"},
        {"ldrb w0, [x1]", "20004039", "No_OpClass|other|x1:a|x0|load1(x1)|-|-"},
        {"ldrsw x0, [x1]", "200080b9", "No_OpClass|other|x1:a|x0|load4(x1)|-|-"},
        {"str xzr, [sp]", "ff0300f9", "No_OpClass|other|sp:a|-|store8(sp)|-|-"},
        {"strh w3, [x0, x25]", "03683978", "No_OpClass|other|x3:d x0:a x25:a|-|store2(x0,x25)|-|-"},
        {"ldr x0, [x1], #8", "208440f8", "No_OpClass|other|x1:a|x0 x1!|load8(x1)|-|-"},
        {"str x0, [x1, #8]!", "208c00f8", "No_OpClass|other|x0:d x1:a|x1!|store8(x1)|-|-"},
        {"stp x29, x30, [sp, #-16]!", "fd7bbfa9", "No_OpClass|other|x29:d x30:d sp:a|sp!|store16(sp)|-|-"},
        {"ldp w0, w1, [x2]", "40044029", "No_OpClass|other|x2:a|x0 x1|load8(x2)|-|-"},
        {"ldpsw x0, x1, [x2]", "40044069", "No_OpClass|other|x2:a|x0 x1|load8(x2)|-|-"},
        {"ldp q0, q1, [x2], #32", "4004c1ac", "No_OpClass|other|x2:a|v0 v1 x2!|load32(x2)|-|-"},
        {"ldr x0, .+8", "40000058", "No_OpClass|other|-|x0|load8()|-|-"},
        {"ldr q0, [x4]", "8000c03d", "No_OpClass|other|x4:a|v0|load16(x4)|-|-"},
        {"str b1, [x0]", "0100003d", "No_OpClass|other|v1:d x0:a|-|store1(x0)|-|-"},
        {"prfm pldl1keep, [x0]", "000080f9", "No_OpClass|other|x0:a|-|load0(x0)|prefetch|-"},
        {"dc zva, x0", "20740bd5", "No_OpClass|other|x0:a|-|store0(x0)|-|-"},
        {"dc cvau, x0: no access", "207b0bd5", "No_OpClass|other|x0:d|-|-|-|-"},
        {"ld1 {v0.16b-v3.16b}, [x0], #64", "0020df4c", "No_OpClass|other|x0:a|v0 v1 v2 v3 x0!|load64(x0)|-|-"},
        {"st2 {v31.4s, v0.4s}, [x0], x1", "1f88814c",
         "No_OpClass|other|v31:d v0:d x0:a x1:a|x0!|store32(x0,x1)|-|-"},
        {"ld1 {v0.s}[1], [x0]: keeps lanes", "0090400d", "No_OpClass|other|v0:d x0:a|v0|load4(x0)|-|-"},
        {"ld1r {v2.2d}, [x0]", "02cc404d", "No_OpClass|other|x0:a|v2|load8(x0)|-|-"},
        {"ldraa x0, [x1]", "200420f8", "No_OpClass|other|x1:a|x0|load8(x1)|-|-"},
        {"stz2g x0, [x0]", "0008e0d9", "No_OpClass|other|x0:ad|-|store32(x0)|-|-"},
    };

    CHECK_CASES(decoder, cases);
}

/* "LR/SC, exclusive: its read and write are one"; ordered accesses */
static void order(void **state)
{
    static const struct isa_case cases[] = {
        {"ldxr w0, [x1]", "207c5f88", "No_OpClass|other|x1:a|x0|load4(x1)|atomic|-"},
        {"ldaxr x0, [x1]", "20fc5fc8", "No_OpClass|other|x1:a|x0|load8(x1)|atomic fence-acquire|-"},
        {"stlxr w2, x0, [x1]", "20fc02c8", "No_OpClass|other|x0:d x1:a|x2|store8(x1)|atomic fence-release|-"},
        {"ldxp x0, x1, [x2]", "40047fc8", "No_OpClass|other|x2:a|x0 x1|load16(x2)|atomic|-"},
        {"casal x0, x1, [x2]", "41fce0c8", "No_OpClass|other|x0:d x1:d x2:a|x0|loadstore8(x2)|atomic fence-full|-"},
        {"casp x0, x1, x2, x3, [x4]", "827c2048",
         "No_OpClass|other|x0:d x1:d x2:d x3:d x4:a|x0 x1|loadstore16(x4)|atomic|-"},
        {"ldadd w0, w1, [x2]", "410020b8", "No_OpClass|other|x0:d x2:a|x1|loadstore4(x2)|atomic|-"},
        {"ldadda w0, w1, [x2]", "4100a0b8", "No_OpClass|other|x0:d x2:a|x1|loadstore4(x2)|atomic fence-acquire|-"},
        {"stadd x0, [x2]", "5f0020f8", "No_OpClass|other|x0:d x2:a|-|loadstore8(x2)|atomic|-"},
        {"swpl x0, x1, [x2]", "418060f8", "No_OpClass|other|x0:d x2:a|x1|loadstore8(x2)|atomic fence-release|-"},
        {"ldar w2, [x19]", "62fedf88", "No_OpClass|other|x19:a|x2|load4(x19)|fence-acquire|-"},
        {"stlr wzr, [x22]", "dffe9f88", "No_OpClass|other|x22:a|-|store4(x22)|fence-release|-"},
        {"ldapr x0, [x1]", "20c0bff8", "No_OpClass|other|x1:a|x0|load8(x1)|fence-acquire|-"},
        {"dmb ish", "bf3b03d5", "No_OpClass|other|-|-|-|fence-full|-"},
        {"dmb ishld", "bf3903d5", "No_OpClass|other|-|-|-|fence-load|-"},
        {"dmb ishst", "bf3a03d5", "No_OpClass|other|-|-|-|fence-store|-"},
        {"dsb sy", "9f3f03d5", "No_OpClass|other|-|-|-|serialising fence-full|-"},
        {"isb", "df3f03d5", "No_OpClass|other|-|-|-|serialising|-"},
        {"clrex", "5f3f03d5", "No_OpClass|other|-|-|-|-|-"},
        {"nop", "1f2003d5", "No_OpClass|other|-|-|-|nop|-"},
        {"bti c", "5f2403d5", "No_OpClass|other|-|-|-|nop|-"},
        {"paciasp", "3f2303d5", "IntAlu|other|x30:d sp:d|x30|-|-|-"},
        {"mrs x0, tpidr_el0", "40d03bd5", "No_OpClass|other|-|x0|-|-|-"},
        {"msr tpidr_el0, x0", "40d01bd5", "No_OpClass|other|x0:d|-|-|-|-"},
        {"mrs x0, nzcv", "00423bd5", "IntAlu|other|flags:d|x0|-|-|-"},
        {"msr nzcv, x0", "00421bd5", "IntAlu|other|x0:d|flags|-|-|-"},
        {"msr fpcr, x0", "00441bd5", "No_OpClass|other|x0:d|-|-|serialising|-"},
    };

    CHECK_CASES(decoder, cases);
}

static void floats_and_vectors(void **state)
{
    static const struct isa_case cases[] = {
        {"fadd d0, d1, d2", "2028621e", "FloatAdd|other|v1:d v2:d|v0|-|-|-"},
        {"fmul s0, s1, s2", "2008221e", "FloatMult|other|v1:d v2:d|v0|-|-|-"},
        {"fdiv d0, d0, d1", "0018611e", "FloatDiv|other|v0:d v1:d|v0|-|-|-"},
        {"fsqrt d0, d1", "20c0611e", "FloatSqrt|other|v1:d|v0|-|-|-"},
        {"fmadd d0, d1, d2, d3", "200c421f", "FloatMultAcc|other|v1:d v2:d v3:d|v0|-|-|-"},
        {"fcmp d2, d8", "4020681e", "FloatCmp|other|v2:d v8:d|flags|-|-|-"},
        {"fcmpe d0, #0.0", "1820601e", "FloatCmp|other|v0:d|flags|-|-|-"},
        {"fcsel d0, d1, d0, eq", "200c601e", "FloatMisc|other|v1:d v0:d flags:d|v0|-|-|-"},
        {"scvtf d1, w25", "2103621e", "FloatCvt|other|x25:d|v1|-|-|-"},
        {"fcvtzs w0, d1", "2000781e", "FloatCvt|other|v1:d|x0|-|-|-"},
        {"fmov x1, d0", "0100669e", "FloatMisc|other|v0:d|x1|-|-|-"},
        {"fmov v0.d[1], x3", "6000af9e", "FloatMisc|other|v0:d x3:d|v0|-|-|-"},
        {"fmov d0, #1.0", "00106e1e", "FloatMisc|other|-|v0|-|-|-"},
        {"add v0.4s, v1.4s, v2.4s", "2084a24e", "SimdAlu|other|v1:d v2:d|v0|-|-|-"},
        {"mla v0.4s, v1.4s, v2.4s", "2094a24e", "SimdMult|other|v0:d v1:d v2:d|v0|-|-|-"},
        {"fmla v0.2d, v1.2d, v2.2d", "20cc624e", "SimdFloatMultAcc|other|v0:d v1:d v2:d|v0|-|-|-"},
        {"fmul v0.4s, v1.4s, v2.s[0]", "2090824f", "SimdFloatMult|other|v1:d v2:d|v0|-|-|-"},
        {"mul v0.8h, v1.8h, v2.h[7]", "2088724f", "SimdMult|other|v1:d v2:d|v0|-|-|-"},
        {"bit v0.8b, v1.8b, v2.8b", "201ca22e", "SimdAlu|other|v0:d v1:d v2:d|v0|-|-|-"},
        {"xtn v0.2s, v1.2d", "2028a10e", "SimdMisc|other|v1:d|v0|-|-|-"},
        {"xtn2 v0.4s, v1.2d: keeps the half", "2028a14e", "SimdMisc|other|v0:d v1:d|v0|-|-|-"},
        {"shrn2 v0.16b, v1.8h, #4", "20840c4f", "SimdAlu|other|v0:d v1:d|v0|-|-|-"},
        {"movi v0.4s, #0", "0004004f", "SimdMisc|other|-|v0|-|-|-"},
        {"orr v0.4s, #1", "2014004f", "SimdAlu|other|v0:d|v0|-|-|-"},
        {"dup v0.4s, w1", "200c044e", "SimdMisc|other|x1:d|v0|-|-|-"},
        {"ins v0.s[0], w1", "201c044e", "SimdMisc|other|v0:d x1:d|v0|-|-|-"},
        {"umov w0, v1.s[0]", "203c040e", "SimdMisc|other|v1:d|x0|-|-|-"},
        {"tbl v0.16b, {v31.16b, v0.16b}, v1.16b", "e023014e", "SimdMisc|other|v31:d v0:d v1:d|v0|-|-|-"},
        {"addv s0, v1.4s", "20b8b14e", "SimdAlu|other|v1:d|v0|-|-|-"},
        {"fsqrt v0.2d, v1.2d", "20f8e16e", "SimdFloatSqrt|other|v1:d|v0|-|-|-"},
        {"fdiv v0.4s, v1.4s, v2.4s", "20fc226e", "SimdFloatDiv|other|v1:d v2:d|v0|-|-|-"},
        {"aese v0.16b, v1.16b", "2048284e", "SimdAes|other|v0:d v1:d|v0|-|-|-"},
        {"aesmc v0.16b, v1.16b", "2068284e", "SimdAes|other|v1:d|v0|-|-|-"},
        {"sha256h q0, q1, v2.4s", "2040025e", "SimdAes|other|v0:d v1:d v2:d|v0|-|-|-"},
        {"pmull v0.1q, v1.1d, v2.1d", "20e0e20e", "SimdAes|other|v1:d v2:d|v0|-|-|-"},
        {"sdot v0.4s, v1.16b, v2.16b", "2094824e", "SimdMult|other|v0:d v1:d v2:d|v0|-|-|-"},
        {"eor3 v0.16b, v1.16b, v2.16b, v3.16b", "200c02ce", "SimdAlu|other|v1:d v2:d v3:d|v0|-|-|-"},
    };

    CHECK_CASES(decoder, cases);
}

/* "then *insn has its size, if that is known, and nothing else" */
static void unknown_words(void **state)
{
    static const struct isa_case cases[] = {
        {"ptrue p0.b: SVE", "e0e31825", "unknown"},
        {"movz w0 with hw 2", "0000c052", "unknown"},
        {"not allocated", "ffffffff", "unknown"},
    };
    char text[ISA_TEXT_BYTES];

    CHECK_CASES(decoder, cases);
    isa_text(decoder, "1f2003", 0, text);
    assert_string_equal(text, "0\tunknown");
}

static void names(void **state)
{
    assert_string_equal(isa_register_name(ISA_A64, 1), "x0");
    assert_string_equal(isa_register_name(ISA_A64, 31), "x30");
    assert_string_equal(isa_register_name(ISA_A64, 32), "sp");
    assert_string_equal(isa_register_name(ISA_A64, 33), "flags");
    assert_string_equal(isa_register_name(ISA_A64, 65), "v31");
    assert_null(isa_register_name(ISA_A64, 0));
    assert_null(isa_register_name(ISA_A64, 66));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers), cmocka_unit_test(branches), cmocka_unit_test(loads_and_stores),
        cmocka_unit_test(order), cmocka_unit_test(floats_and_vectors), cmocka_unit_test(unknown_words),
        cmocka_unit_test(names)};

    return cmocka_run_group_tests_name("decoder of A64", tests, open_decoder, close_decoder);
}
