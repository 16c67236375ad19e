/* Which micro-ops wait for all older ones (elastic-truth 3.6; 5, 6; docs/window.md). */
#include "tests/unit/replay/window/window_rows.h"

/* ---- 3.6: 0x300 begins `wait_cyc` behind all that is older, 0x400 and others at once */
static const struct supply_insn *op_after_wait(uint64_t wait_cyc, unsigned turns)
{
    for (unsigned i = 0; i < turns; i++) {
        uint64_t const older = put_chain(0x100, 4, 1);

        put((struct row){.type = DEP_COMP, .pc = 0x300, .delay_cyc = wait_cyc, .order = older});
        put((struct row){.type = DEP_COMP, .pc = 0x400, .delay_cyc = 1, .producers = {seq_now()}});
    }
    open_rows();
    return op(4);
}

static void an_instruction_that_always_waits_for_all_older_ones_serialises(void **state)
{
    const struct supply_insn *const insn = op_after_wait(9, 12);

    assert_int_equal(insn->pc, 0x300);
    assert_true(insn->uops->flags & UOP_SERIALISE_BEFORE);
    assert_int_equal(insn->uops->op, DETAILED_OP_NO_OP);
    assert_int_equal(insn->uops->latency_cyc, 4);    /* 9 - 6 + 1 */
    assert_false(op(5)->uops->flags & UOP_SERIALISE_BEFORE);
}

/* 0x300 begins 18 cycles behind all that is older, and one op before it was filtered. Behind it is 0x400, which waits
 * for it, or for nothing. */
static void filtered_before_a_wait(bool follower_waits)
{
    row_count = 0;
    for (unsigned i = 0; i < 12; i++) {
        uint64_t const older = put_chain(0x100, 4, 1);
        uint64_t const waits = put((struct row){.type = DEP_COMP, .pc = 0x300, .weight = 1, .delay_cyc = 18,
                                                .order = older});

        put((struct row){.type = DEP_COMP, .pc = 0x400, .delay_cyc = 1, .producers = {follower_waits ? waits : older}});
    }
    open_rows();
}

static void a_filtered_micro_op_holds_up_all_behind_it(void **state)
{
    filtered_before_a_wait(true);
    assert_true(op(4)->uops->flags & UOP_SERIALISE_BEFORE);
    assert_int_equal(op(4)->uops->latency_cyc, 7);   /* 18 - 6 + 1 - 6 */
    assert_int_equal(op(5)->pc, 0x300);
    assert_true(op(5)->uops->flags & UOP_SERIALISE_BEFORE);
    assert_int_equal(op(5)->uops->op, DETAILED_OP_INT_ALU);
    end(NULL);
    filtered_before_a_wait(false);
    assert_false(op(4)->uops->flags & UOP_SERIALISE_BEFORE);
}

static void short_waits_do_not_serialise(void **state)
{
    assert_false(op_after_wait(4, 12)->uops->flags & UOP_SERIALISE_BEFORE);
}

static void a_few_waits_do_not_serialise(void **state)
{
    assert_false(op_after_wait(9, 7)->uops->flags & UOP_SERIALISE_BEFORE);
}

/* 5, 6: as often short as long, and always late */
static void waits_of_any_length_do_not_serialise(void **state)
{
    for (unsigned i = 0; i < 24; i++) {
        uint64_t const older = put_chain(0x100, 4, 1);

        put((struct row){.type = DEP_COMP, .pc = 0x300, .delay_cyc = 6 + 5 * (i % 8), .order = older});
        put((struct row){.type = DEP_COMP, .pc = 0x400, .delay_cyc = 1, .producers = {seq_now()}});
    }
    open_rows();
    assert_false(op(4)->uops->flags & UOP_SERIALISE_BEFORE);
}

/* 0x300 begins 9 cycles behind 0x2fc, as if it waited for it, but 0x304 behind both was done before 0x2fc. */
static void what_younger_ones_overtake_does_not_serialise(void **state)
{
    uint64_t last = 0;

    for (unsigned i = 0; i < 12; i++) {
        uint64_t const first = put((struct row){.type = DEP_COMP, .pc = 0x2f8, .delay_cyc = 1, .producers = {last}});
        uint64_t const older = put((struct row){.type = DEP_COMP, .pc = 0x2fc, .delay_cyc = 30, .producers = {first}});

        last = put((struct row){.type = DEP_COMP, .pc = 0x300, .delay_cyc = 9, .order = older});
        put((struct row){.type = DEP_COMP, .pc = 0x304, .delay_cyc = 1, .producers = {first}});
    }
    open_rows();
    assert_int_equal(op(2)->pc, 0x300);
    assert_false(op(2)->uops->flags & UOP_SERIALISE_BEFORE);
}

/* Three lines 32 KiB apart share a set of the capture's L1I, which has two ways: each is missed each time. */
static void waits_for_the_l1i_do_not_serialise(void **state)
{
    for (unsigned i = 0; i < 36; i++) {
        uint64_t const pc = 0x10000 + 0x8000 * (uint64_t)(i % 3);
        uint64_t const older = put((struct row){.type = DEP_COMP, .pc = pc + 0x40, .delay_cyc = 1,
                                                .producers = {seq_now()}});

        put((struct row){.type = DEP_COMP, .pc = pc, .delay_cyc = 17, .order = older});
    }
    open_rows();
    assert_int_equal(op(1)->pc, 0x10000);
    assert_false(op(1)->uops->flags & UOP_SERIALISE_BEFORE);
}

/* Conversions of traces without times pace them with records of one pc: the first one has no wait, though its line is
 * not there yet. */
static void what_took_a_cycle_once_does_not_serialise(void **state)
{
    for (unsigned i = 0; i < 12; i++) {
        put((struct row){.type = DEP_COMP, .pc = 0x300, .delay_cyc = i == 0 ? 1 : 16, .order = seq_now()});
        put_chain(0x304, 4, 1);
    }
    open_rows();
    assert_int_equal(op(5)->pc, 0x300);
    assert_false(op(5)->uops->flags & UOP_SERIALISE_BEFORE);
}

#define T(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(an_instruction_that_always_waits_for_all_older_ones_serialises),
        T(a_filtered_micro_op_holds_up_all_behind_it),
        T(short_waits_do_not_serialise), T(a_few_waits_do_not_serialise), T(waits_of_any_length_do_not_serialise),
        T(what_younger_ones_overtake_does_not_serialise), T(waits_for_the_l1i_do_not_serialise),
        T(what_took_a_cycle_once_does_not_serialise),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
