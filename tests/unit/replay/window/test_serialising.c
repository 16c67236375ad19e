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

/* 0x300 is 13 cycles behind all that is older, which is no latency of a class; 0x304, which is younger, does not wait
 * for it. Nor does the load at 0x308 if it is early. */
static void put_atomic_accesses(bool load_is_early)
{
    uint64_t last = 0;

    row_count = 0;
    for (unsigned i = 0; i < 12; i++) {
        uint64_t const first = put((struct row){.type = DEP_COMP, .pc = 0x2f8, .delay_cyc = 1, .producers = {last}});
        uint64_t const older = put((struct row){.type = DEP_COMP, .pc = 0x2fc, .delay_cyc = 30, .producers = {first}});

        last = put((struct row){.type = DEP_COMP, .pc = 0x300, .delay_cyc = 13, .order = older});
        put((struct row){.type = DEP_COMP, .pc = 0x304, .weight = 1, .delay_cyc = 1, .producers = {first}});
        put((struct row){.type = DEP_LOAD, .pc = 0x308, .delay_cyc = load_is_early ? 5 : 6, .order = last,
                         .address = 0x5000});
    }
    open_rows();
}

static void what_waits_for_all_older_ones_and_is_overtaken_is_executed_as_the_oldest(void **state)
{
    uint32_t const barriers = UOP_READ_BARRIER | UOP_WRITE_BARRIER;

    put_atomic_accesses(false);
    assert_int_equal(op(2)->pc, 0x300);
    assert_int_equal(op(2)->uops->flags & (UOP_NON_SPECULATIVE | UOP_SERIALISE_BEFORE), UOP_NON_SPECULATIVE);
    assert_int_equal(op(2)->uops->latency_cyc, 8);   /* 13 - 6 + 1 */
    assert_int_equal(op(3)->uops->flags & barriers, barriers);       /* the filtered fence behind it */
    assert_int_equal(op(4)->pc, 0x304);
    assert_int_equal(op(4)->uops->flags & (UOP_NON_SPECULATIVE | barriers), 0);
    end(NULL);
    put_atomic_accesses(true);
    assert_true(op(2)->uops->flags & UOP_NON_SPECULATIVE);
    assert_int_equal(op(3)->uops->flags & barriers, 0);
}

/* Behind 0x100 one was filtered. The load at 0x10c executes `wait_cyc` behind all that is older, 0x108 does at once,
 * unless it waits, too. 0xfc stores the first stored_bytes of what the load reads; 0: it is no store. */
static uint32_t flags_of_filtered(uint64_t wait_cyc, bool all_wait, unsigned turns, uint32_t stored_bytes)
{
    uint64_t last = 0;
    uint32_t flags;

    row_count = 0;
    for (unsigned i = 0; i < turns; i++) {
        uint64_t const first = put((struct row){.type = stored_bytes > 0 ? DEP_STORE : DEP_COMP, .pc = 0xfc,
                                                .delay_cyc = 1, .producers = {last}, .address = 0x5000,
                                                .size_bytes = stored_bytes});
        uint64_t const older = put((struct row){.type = DEP_COMP, .pc = 0x100, .delay_cyc = 2, .order = first});

        put((struct row){.type = DEP_COMP, .pc = 0x108, .weight = 1, .delay_cyc = all_wait ? wait_cyc : 1,
                         .order = older});
        put((struct row){.type = DEP_LOAD, .pc = 0x10c, .delay_cyc = wait_cyc, .order = older, .address = 0x5000});
        last = put((struct row){.type = DEP_COMP, .pc = 0x110, .delay_cyc = 1, .producers = {seq_now()}});
    }
    open_rows();
    assert_int_equal(op(2)->pc, 0x104);
    flags = op(2)->uops->flags;
    end(NULL);
    return flags & (UOP_READ_BARRIER | UOP_WRITE_BARRIER);
}

static void what_loads_wait_behind_is_a_fence(void **state)
{
    assert_int_equal(flags_of_filtered(6, false, 12, 0), UOP_READ_BARRIER | UOP_WRITE_BARRIER);
    assert_int_equal(flags_of_filtered(5, false, 12, 0), 0);
    assert_int_equal(flags_of_filtered(6, false, 7, 0), 0);
    assert_int_equal(flags_of_filtered(6, true, 12, 0), 0);  /* so do computations: it serialises */
    assert_int_equal(flags_of_filtered(6, false, 12, 8), UOP_READ_BARRIER | UOP_WRITE_BARRIER);      /* forwarded */
    assert_int_equal(flags_of_filtered(6, false, 12, 4), 0); /* repeated until the store is done */
}

/* 0x300 waits behind a filtered one in every second turn; in the others it takes a cycle. */
static void what_waits_only_behind_a_filtered_one_is_held_up_there(void **state)
{
    for (unsigned i = 0; i < 24; i++) {
        uint64_t const older = put_chain(0x100, 4, 1);
        bool const waits = i % 2 == 0;
        uint64_t const last = put((struct row){.type = DEP_COMP, .pc = 0x300, .weight = waits,
                                               .delay_cyc = waits ? 18 : 1, .producers = {older}});

        put((struct row){.type = DEP_COMP, .pc = 0x304, .delay_cyc = 1, .producers = {last}});
    }
    open_rows();
    assert_true(op(4)->uops->flags & UOP_SERIALISE_BEFORE);
    assert_int_equal(op(4)->uops->latency_cyc, 7);   /* 18 - 6 + 1 - 6 */
    assert_int_equal(op(5)->pc, 0x300);
    assert_true(op(5)->uops->flags & UOP_SERIALISE_BEFORE);
    assert_int_equal(op(11)->pc, 0x300);
    assert_false(op(11)->uops->flags & UOP_SERIALISE_BEFORE);
    assert_int_equal(op(11)->uops->latency_cyc, 0);
}

#define T(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(an_instruction_that_always_waits_for_all_older_ones_serialises),
        T(a_filtered_micro_op_holds_up_all_behind_it), T(what_waits_only_behind_a_filtered_one_is_held_up_there),
        T(what_waits_for_all_older_ones_and_is_overtaken_is_executed_as_the_oldest),
        T(what_loads_wait_behind_is_a_fence),
        T(short_waits_do_not_serialise), T(a_few_waits_do_not_serialise), T(waits_of_any_length_do_not_serialise),
        T(what_younger_ones_overtake_does_not_serialise), T(waits_for_the_l1i_do_not_serialise),
        T(what_took_a_cycle_once_does_not_serialise),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
