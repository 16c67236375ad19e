/* Which delays tell a latency: integers, divisions that wait for their unit, results that find the core asleep
 * (elastic-truth 3.2; docs/window.md). */
#include "tests/unit/replay/window/window_rows.h"

/* 0x208 takes `delay_cyc` behind 0x204; a load reads its result through `between` additions of a cycle, if at all.
 * 0x204 is an integer if a load reads it, too. All lie in one line, as the first in a line waits for the L1I. */
struct read { bool is_address, reads_integer; unsigned between; uint64_t second_pc; };

static unsigned class_of_read(uint64_t delay_cyc, struct read read)
{
    unsigned found;

    row_count = 0;
    for (unsigned i = 0; i < 24; i++) {
        uint64_t const first = put((struct row){.type = DEP_COMP, .pc = 0x204, .delay_cyc = 1, .order = seq_now()});
        uint64_t last = put((struct row){.type = DEP_COMP, .pc = 0x208, .delay_cyc = delay_cyc, .producers = {first}});

        for (unsigned j = 0; j < read.between; j++)
            last = put((struct row){.type = DEP_COMP, .pc = read.second_pc + 4 * j, .delay_cyc = 1,
                                    .producers = {last}});
        put((struct row){.type = DEP_LOAD, .pc = 0x220, .delay_cyc = 1, .producers = {read.is_address ? last : first},
                         .address = 0x5000});
        if (read.is_address && read.reads_integer)
            put((struct row){.type = DEP_LOAD, .pc = 0x224, .delay_cyc = 1, .producers = {first}, .address = 0x5000});
    }
    open_rows();
    found = op(1)->uops->op;
    end(NULL);
    return found;
}

static void what_computes_an_address_has_the_latency_of_an_integer(void **state)
{
    assert_int_equal(class_of_read(2, (struct read){.second_pc = 0x20c}), DETAILED_OP_FLOAT_ADD);
    assert_int_equal(class_of_read(2, (struct read){.is_address = true, .reads_integer = true, .second_pc = 0x20c}),
                     DETAILED_OP_INT_ALU);
    assert_int_equal(class_of_read(24, (struct read){.is_address = true, .reads_integer = true, .second_pc = 0x20c}),
                     DETAILED_OP_INT_ALU);
    assert_int_equal(class_of_read(3, (struct read){.is_address = true, .reads_integer = true, .second_pc = 0x20c}),
                     DETAILED_OP_INT_MULT);
    assert_int_equal(class_of_read(20, (struct read){.is_address = true, .reads_integer = true, .second_pc = 0x20c}),
                     DETAILED_OP_INT_DIV);
}

/* Its source is none: it converts. */
static void a_conversion_to_an_address_keeps_its_latency(void **state)
{
    assert_int_equal(class_of_read(2, (struct read){.is_address = true, .second_pc = 0x20c}), DETAILED_OP_FLOAT_ADD);
}

static void what_an_address_is_computed_of_in_cycles_is_an_integer(void **state)
{
    assert_int_equal(class_of_read(2, (struct read){.is_address = true, .reads_integer = true, .between = 3,
                                                    .second_pc = 0x20c}), DETAILED_OP_INT_ALU);
}

/* In code with compressed instructions no floating-point operation takes a cycle: what does has integers as sources. */
static void compressed_code_computes_integers_in_a_cycle(void **state)
{
    for (unsigned i = 0; i < 24; i++) {
        uint64_t const first = put((struct row){.type = DEP_COMP, .pc = 0x200, .delay_cyc = 1, .order = seq_now()});
        uint64_t const second = put((struct row){.type = DEP_COMP, .pc = 0x204, .delay_cyc = 2, .producers = {first}});

        put((struct row){.type = DEP_COMP, .pc = 0x208, .delay_cyc = 1, .producers = {first}});
        put((struct row){.type = DEP_COMP, .pc = 0x20a, .delay_cyc = 1, .producers = {second}});
    }
    open_rows();
    assert_int_equal(op(1)->uops->op, DETAILED_OP_INT_ALU);
}

/* `at_least` records of `least_cyc`, the others a cycle longer, and 60 of 90 cycles. */
static unsigned class_of_long(uint64_t least_cyc, unsigned at_least, unsigned a_cycle_longer)
{
    unsigned found;

    row_count = 0;
    put((struct row){.type = DEP_COMP, .pc = 0x200, .delay_cyc = 1});
    for (unsigned i = 0; i < 60 + at_least + a_cycle_longer; i++)
        put((struct row){.type = DEP_COMP, .pc = 0x204, .producers = {1},
                         .delay_cyc = i < at_least ? least_cyc : i < at_least + a_cycle_longer ? least_cyc + 1 : 90});
    open_rows();
    found = op(1)->uops->op;
    end(NULL);
    return found;
}

static void a_division_of_integers_may_wait_for_its_unit(void **state)
{
    assert_int_equal(class_of_long(20, 9, 0), DETAILED_OP_INT_DIV);
    assert_int_equal(class_of_long(20, 7, 0), DETAILED_OP_INT_ALU);
    assert_int_equal(class_of_long(24, 9, 0), DETAILED_OP_INT_ALU);
    assert_int_equal(class_of_long(24, 16, 0), DETAILED_OP_FLOAT_SQRT);
}

static void the_core_is_not_asleep_each_time(void **state)
{
    assert_int_equal(class_of_long(19, 7, 1), DETAILED_OP_INT_DIV);
    assert_int_equal(class_of_long(19, 20, 10), DETAILED_OP_INT_DIV);
    assert_int_equal(class_of_long(19, 20, 9), DETAILED_OP_INT_ALU);
}

/* A counter of a loop: its own last result lies a turn back, which is no wait for a unit. */
static void a_turn_of_a_loop_is_no_wait_for_a_unit(void **state)
{
    put((struct row){.type = DEP_COMP, .pc = 0x200, .delay_cyc = 1});
    for (unsigned i = 0; i < 200; i++)
        put((struct row){.type = DEP_COMP, .pc = 0x204, .delay_cyc = i % 20 < 3 ? 20 : 40, .producers = {seq_now()}});
    open_rows();
    assert_int_equal(op(1)->uops->op, DETAILED_OP_INT_ALU);
}

/* 0x300 begins 9 cycles behind the last older result, but right behind a load that nothing reads. */
static void a_load_that_nothing_reads_was_under_way(void **state)
{
    for (unsigned i = 0; i < 12; i++) {
        uint64_t const older = put_chain(0x100, 4, 1);

        put((struct row){.type = DEP_LOAD, .pc = 0x2fc, .delay_cyc = 8, .producers = {older}, .address = 0x5000});
        put((struct row){.type = DEP_COMP, .pc = 0x300, .delay_cyc = 9, .producers = {older}});
    }
    open_rows();
    assert_int_equal(op(5)->pc, 0x300);
    assert_false(op(5)->uops->flags & UOP_SERIALISE_BEFORE);
}

#define T(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(what_computes_an_address_has_the_latency_of_an_integer), T(a_conversion_to_an_address_keeps_its_latency),
        T(what_an_address_is_computed_of_in_cycles_is_an_integer), T(compressed_code_computes_integers_in_a_cycle),
        T(a_division_of_integers_may_wait_for_its_unit), T(the_core_is_not_asleep_each_time),
        T(a_turn_of_a_loop_is_no_wait_for_a_unit), T(a_load_that_nothing_reads_was_under_way)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
