/* REGDEPS (docs/spec/drmemtrace.md 8), names of ChampSim's registers, and what opening refuses. */
#include "tests/support/isa_cases.h"

static struct isa_decoder *open_isa(enum isa isa)
{
    struct fault error;
    struct isa_decoder *const decoder = isa_decoder_open(isa, &error);

    assert_non_null(decoder);
    return decoder;
}

static void encodings(void **state)
{
    static const struct isa_case cases[] = {
        {"the example of the specification", "2109040006050709", "IntAlu|other|r7:ad r9:ad|r5 flags|load8(r7,r9)|-|-"},
        {"no operands, nothing", "00000000", "IntAlu|other|-|-|-|-|-"},
        {"a branch that reads flags: 8 << 10 | 1 << 9", "00220000", "IntAlu|other_branch|flags:d|-|-|-|-"},
        {"a store of 4 bytes: 4 << 10 | 2 << 4", "2010000004030600",
         "No_OpClass|other|r3:ad r6:ad|-|store4(r3,r6)|-|-"},
        {"a vector load of an unknown size: 0x12 << 10 | 1 << 4 | 1", "114800000b0102ff",
         "No_OpClass|other|r2:ad|r1|load0(r2)|-|-"},
        {"arithmetic of floats: 0x101 << 10 | 2 << 4 | 1", "2104040006010102", "FloatAdd|other|r1:d r2:d|r1|-|-|-"},
        {"state: 0x20 << 10", "00800000", "No_OpClass|other|-|-|-|-|-"},
        {"register 0, and the last ones", "2100040006fffefd", "IntAlu|other|r253:d|r253|-|-|-"},
        {"register 0", "110004000600007f", "IntAlu|other|r0:d|r0|-|-|-"},
    };
    struct isa_decoder *const decoder = open_isa(ISA_REGDEPS);

    CHECK_CASES(decoder, cases);
    isa_decoder_close(decoder);
}

static void damaged(void **state)
{
    static const char *const hex[] = {"", "000000", "9900000001020304", "ff00000001", "2109040006"};
    struct isa_decoder *const decoder = open_isa(ISA_REGDEPS);
    char text[ISA_TEXT_BYTES];

    for (size_t i = 0; i < COUNT(hex); i++) {
        isa_text(decoder, hex[i], 0, text);
        assert_text(text, "unknown");
    }
    isa_decoder_close(decoder);
}

static void names(void **state)
{
    assert_string_equal(isa_register_name(ISA_REGDEPS, 1), "r0");
    assert_string_equal(isa_register_name(ISA_REGDEPS, 254), "r253");
    assert_string_equal(isa_register_name(ISA_REGDEPS, 255), "flags");
    assert_string_equal(isa_register_name(ISA_CHAMPSIM, 6), "rsp");
    assert_string_equal(isa_register_name(ISA_CHAMPSIM, 25), "flags");
    assert_string_equal(isa_register_name(ISA_CHAMPSIM, 26), "rip");
    assert_string_equal(isa_register_name(ISA_CHAMPSIM, 18), "r15");
    assert_string_equal(isa_register_name(ISA_CHAMPSIM, 255), "r255");
    assert_null(isa_register_name(ISA_CHAMPSIM, 0));
    assert_null(isa_register_name(ISA_A32, 1));
}

/* "FAULT_INPUT, with what to install ... or none is known (then `isa` is named)" */
static void refusals(void **state)
{
    static const enum isa none[] = {ISA_UNKNOWN, ISA_CHAMPSIM, ISA_A32};
    struct fault error;

    for (size_t i = 0; i < COUNT(none); i++) {
        assert_null(isa_decoder_open(none[i], &error));
        assert_int_equal(error.kind, FAULT_INPUT);
        assert_text(fault_text(error), isa_name(none[i]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(encodings), cmocka_unit_test(damaged), cmocka_unit_test(names), cmocka_unit_test(refusals)};

    return cmocka_run_group_tests_name("decoder of REGDEPS", tests, NULL, NULL);
}
