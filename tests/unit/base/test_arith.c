/* base/arith.h at its limits, and what base/fault.h writes for lack of memory. */
#include "base/arith.h"
#include "base/fault.h"
#include "tests/support/unit.h"

/* "The exponent of the largest power of two <= value; 0 of 0", "... smallest power of two >= value; 0 of 0" */
static void logarithms_round_down_and_up(void **state)
{
    static const struct {
        uint64_t value;
        unsigned down, up;
    } cases[] = {{0, 0, 0}, {1, 0, 0}, {2, 1, 1}, {3, 1, 2}, {4, 2, 2}, {5, 2, 3}, {UINT64_C(1) << 63, 63, 63},
                 {UINT64_MAX, 63, 64}};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(log2_down(cases[i].value), cases[i].down);
        assert_int_equal(log2_up(cases[i].value), cases[i].up);
        assert_int_equal(is_power_of_two(cases[i].value), cases[i].value != 0 && cases[i].down == cases[i].up);
    }
}

/* "The checked forms answer whether the result fits" */
static void checked_forms_fail_beyond_64_bits(void **state)
{
    uint64_t number = UINT64_MAX / 10, result;

    assert_true(add_u64(UINT64_MAX - 1, 1, &result));
    assert_int_equal(result, UINT64_MAX);
    assert_false(add_u64(UINT64_MAX, 1, &result));
    assert_true(multiply_u64(UINT64_C(1) << 32, (UINT64_C(1) << 32) - 1, &result));
    assert_false(multiply_u64(UINT64_C(1) << 32, UINT64_C(1) << 32, &result));
    assert_int_equal(add_saturated(UINT64_MAX - 1, 5), UINT64_MAX);
    assert_int_equal(add_saturated(3, 4), 7);
    assert_true(append_digit(&number, 10, 5));
    assert_int_equal(number, UINT64_MAX);
    number = UINT64_MAX / 10;
    assert_false(append_digit(&number, 10, 6));
    assert_int_equal(round_up(65, 32), 96);
    assert_int_equal(round_up(64, 32), 64);
}

/* "file: out of memory", or "file: out of memory for WHAT" */
static void lack_of_memory_has_a_kind_of_its_own(void **state)
{
    struct fault fault;

    assert_false(WORKS(fault, fault_memory("a.trc", NULL)));
    assert_int_equal(fault.kind, FAULT_MEMORY);
    assert_string_equal(fault_text(fault), "a.trc: out of memory");
    fault = fault_memory("a.trc", "a block");
    assert_string_equal(fault_text(fault), "a.trc: out of memory for a block");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logarithms_round_down_and_up),
        cmocka_unit_test(checked_forms_fail_beyond_64_bits),
        cmocka_unit_test(lack_of_memory_has_a_kind_of_its_own),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
