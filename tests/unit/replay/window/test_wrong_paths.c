/* replay/window/: wrong paths (elastic-truth part 5): which loads were squashed, which branch was mispredicted, and the
 * micro-ops that are fetched behind it. */
#include "tests/unit/replay/window/window_rows.h"

/* ---- 5, 1 */
static void a_load_without_followers_was_squashed(void **state)
{
    put((struct row){.type = DEP_COMP, .pc = 0x100});
    put((struct row){.type = DEP_LOAD, .pc = 0x700, .weight = 2, .address = 0x5000});
    put((struct row){.seq = seq_now() + 6, .type = DEP_COMP, .pc = 0x200});
    open_rows();
    /* the load's weight stays; the load is one of the numbers of the wrong path */
    assert_int_equal(op(1)->pc, 0x104);
    assert_int_equal(op(2)->pc, 0x108);
    assert_int_equal(op(3)->pc, 0x200);
    /* the branch is the last one before it, and was found wrong by its execution, however short the gap */
    assert_int_equal(op(1)->outcome, SUPPLY_AS_PREDICTED);
    assert_int_equal(op(2)->outcome, SUPPLY_MISPREDICTED);
    assert_int_equal(window_counts(window).squashed_loads, 1);
}

static void loads_of_the_right_path_stay(void **state)
{
    uint64_t const used = put((struct row){.type = DEP_LOAD, .pc = 0x700, .address = 0x5000});

    put((struct row){.type = DEP_COMP, .pc = 0x100, .producers = {used}});
    put((struct row){.type = DEP_LOAD, .pc = 0x104, .address = 0x5008});
    put((struct row){.type = DEP_COMP, .pc = 0x106});
    open_rows();
    assert_int_equal(op(0)->pc, 0x700);
    assert_int_equal(op(2)->pc, 0x104);
    assert_int_equal(op(3)->pc, 0x106);
    assert_int_equal(window_counts(window).squashed_loads, 0);
}

/* A load of one wrong path, and one of the next whose branch is one of the two filtered ones before it. */
static void a_load_with_weight_begins_a_wrong_path(void **state)
{
    put_chain(0x100, 2, 1);
    put((struct row){.type = DEP_LOAD, .pc = 0x700, .weight = 1, .address = 0x5000});
    put((struct row){.seq = seq_now() + 6, .type = DEP_LOAD, .pc = 0x720, .weight = 2, .address = 0x6000});
    put((struct row){.seq = seq_now() + 9, .type = DEP_COMP, .pc = 0x200, .weight = 1});
    open_rows();
    assert_int_equal(op(1)->outcome, SUPPLY_AS_PREDICTED);
    assert_int_equal(op(2)->outcome, SUPPLY_MISPREDICTED);
    assert_int_equal(op(3)->outcome, SUPPLY_AS_PREDICTED);
    assert_int_equal(op(4)->outcome, SUPPLY_MISPREDICTED);
    assert_int_equal(op(5)->outcome, SUPPLY_AS_PREDICTED);
    assert_int_equal(op(6)->pc, 0x200);
    assert_int_equal(window_counts(window).squashed_loads, 2);
}

static void loads_without_missing_numbers_were_not_squashed(void **state)
{
    put_chain(0x100, 2, 1);
    put((struct row){.type = DEP_LOAD, .pc = 0x108, .address = 0x5000});
    put((struct row){.type = DEP_LOAD, .pc = 0x700, .address = 0x6000});
    put((struct row){.type = DEP_COMP, .pc = 0x200});
    open_rows();
    assert_int_equal(op(2)->pc, 0x108);
    assert_int_equal(op(3)->pc, 0x700);
    assert_int_equal(window_counts(window).squashed_loads, 0);
}

static void a_load_with_a_register_source_was_not_squashed(void **state)
{
    put_chain(0x100, 2, 1);
    put((struct row){.type = DEP_LOAD, .pc = 0x700, .address = 0x5000, .producers = {seq_now()}});
    put((struct row){.seq = seq_now() + 9, .type = DEP_COMP, .pc = 0x200});
    open_rows();
    assert_int_equal(op(2)->pc, 0x700);
    assert_int_equal(window_counts(window).squashed_loads, 0);
}

/* ---- 5, 2 and 3: a loop of 0x100 (computes), 0x104 (loads what it gave), 0x108 (a branch that goes to 0x200 or on);
 * 0x10c stores and 0x110 jumps back, 0x204 jumps back from 0x200. In the last turn the branch goes to 0x200 after a
 * wrong path of 0x10c and so on, in which 0x104 read 0x7000. */
static const struct supply_insn *mispredicted_loop(uint32_t gap)
{
    uint64_t load = 0;

    for (unsigned i = 0; i <= 20; i++) {
        bool const is_taken = i == 20;
        uint64_t const first = put((struct row){.type = DEP_COMP, .pc = 0x100, .weight = seq_now() ? 1 : 0,
                                                .delay_cyc = 1, .producers = {load}});

        load = put((struct row){.type = DEP_LOAD, .pc = 0x104, .delay_cyc = 1, .producers = {first},
                                .address = 0x5000 + 8 * i});
        if (is_taken) {
            put((struct row){.seq = seq_now() + 2 + 4, .type = DEP_LOAD, .pc = 0x104, .weight = 1,
                             .address = 0x7000});
            put((struct row){.seq = seq_now() + 1 + gap - 5, .type = DEP_COMP, .pc = 0x200, .producers = {load}});
        } else {
            put((struct row){.type = DEP_STORE, .pc = 0x10c, .weight = 1, .delay_cyc = 1, .producers = {first, load},
                             .address = 0x9000});
        }
    }
    put((struct row){.type = DEP_COMP, .pc = 0x100, .weight = 1, .producers = {seq_now()}});
    open_rows();
    return op(20 * 5 + 2);
}

/* A turn of a loop of 0x100, a branch of 2 bytes at 0x104 that falls through to 0x106 or goes to 0x200, and the jump
 * back, which the distance to the next record tells. `gap`: numbers missing behind the branch. */
static void put_short_turn(bool is_taken, uint32_t gap)
{
    put((struct row){.type = DEP_COMP, .pc = 0x100});
    put((struct row){.seq = seq_now() + 2 + gap, .type = DEP_COMP, .pc = is_taken ? 0x200 : 0x106, .weight = 1});
}

/* branch-prediction 3: the BTB holds the next instruction as its target. */
static void a_compressed_branch_that_fell_through_goes_wrong_twice(void **state)
{
    put_chain(0x100, 2, 1);              /* which has 4 bytes */
    for (unsigned i = 0; i < 10; i++)
        put_short_turn(i < 8, 0);
    put_short_turn(false, 40);
    put_short_turn(false, 40);
    put_short_turn(true, 20);
    put_short_turn(false, 40);
    put_chain(0x100, 2, 1);
    open_rows();
    assert_int_equal(op(33)->pc, 0x104);
    assert_int_equal(op(33)->size_bytes, 2);
    assert_int_equal(op(33)->outcome, SUPPLY_MISPREDICTED);
    assert_int_equal(op(33)->wrong_pc, 0x200);
    assert_true(op(33)->is_predicted_taken);
    /* decode corrects from the next instruction to the branch's target, execution from there */
    assert_int_equal(op(36)->outcome, SUPPLY_MISPREDICTED);
    assert_int_equal(op(36)->wrong_pc, 0x106);
    assert_int_equal(op(36)->target, 0x200);
    assert_int_equal(op(36)->uops->flags & (UOP_DIRECT | UOP_CONDITIONAL), UOP_DIRECT | UOP_CONDITIONAL);
    assert_true(op(36)->is_predicted_taken);
    /* it goes to its target: only decode has to correct it */
    assert_int_equal(op(39)->outcome, SUPPLY_REDIRECTED);
    assert_int_equal(op(39)->target, 0x200);
    assert_true(op(39)->is_predicted_taken);
    /* the BTB has its target again */
    assert_int_equal(op(42)->outcome, SUPPLY_MISPREDICTED);
    assert_int_equal(op(42)->wrong_pc, 0x200);
}

static const struct supply_insn *wrong(uint64_t pc)
{
    const struct supply_insn *const insn = supply_wrong(window_supply(window), pc, SUPPLY_NO_STATE);

    if (insn) {
        supply_hold(window_supply(window), insn);
        assert_int_equal(insn->number, SUPPLY_WRONG);
        assert_int_equal(insn->pc, pc);
    }
    return insn;
}

static void wrong_paths_are_built(void **state)
{
    const struct supply_insn *const branch = mispredicted_loop(9);
    uint16_t const right_results = (uint16_t)(window_supply(window)->register_count / 2);
    const struct supply_insn *insn;
    uint16_t first;

    assert_int_equal(branch->pc, 0x108);
    assert_int_equal(branch->outcome, SUPPLY_MISPREDICTED);
    assert_int_equal(branch->wrong_pc, 0x10c);
    insn = wrong(0x10c);
    assert_int_equal(insn->uops->flags & UOP_MEMORY, UOP_STORE);
    assert_int_equal(insn->uops->source_count, 2);
    assert_int_equal(insn->uops->sources[0], 100);           /* the right path's 0x100 and 0x104 */
    assert_int_equal(insn->uops->sources[1], 101);
    assert_false(insn->accesses->has_place);
    insn = wrong(insn->next_pc);
    assert_int_equal(insn->pc, 0x110);
    assert_true(insn->uops->flags & UOP_CONTROL);
    assert_int_equal(insn->next_pc, 0x100);
    insn = wrong(0x100);
    first = insn->uops->results[0];
    assert_true(first >= right_results);
    insn = wrong(0x104);
    assert_int_equal(insn->uops->flags & UOP_MEMORY, UOP_LOAD);
    assert_int_equal(insn->uops->sources[0], first);         /* that of this path */
    assert_true(insn->accesses->has_place);
    assert_int_equal(insn->accesses->place, 0x7000);
    assert_int_equal(wrong(0x108)->next_pc, 0x10c);
    wrong(0x10c);
    wrong(0x110);
    assert_int_equal(wrong(0x100)->uops->sources[0], window_supply(window)->register_count / 2 + 1);
    /* its second instance in this path has no recorded address */
    insn = wrong(0x104);
    assert_false(insn->accesses->has_place);
    assert_true(insn->accesses->never_ends);
}

/* Pcs that no record has, between those that some have: the capture fetched there, too. */
static void code_that_never_ran_is_fetched(void **state)
{
    const struct supply_insn *insn;

    mispredicted_loop(9);
    insn = wrong(0x150);
    assert_int_equal(insn->next_pc, 0x154);
    assert_int_equal(insn->uop_count, 1);
    assert_int_equal(insn->uops->source_count + insn->uops->result_count + insn->access_count, 0);
    assert_int_equal(wrong(0x1fe)->next_pc, 0x200);          /* where an instruction begins */
    assert_null(wrong(0xf0));
    assert_null(wrong(0x208));
}

/* A register that one of two instructions wrote, by the path that led to where it is read. */
static void a_wrong_path_reads_what_was_written_last(void **state)
{
    const struct supply_insn *insn;
    uint64_t last = 0;
    uint16_t first;

    for (unsigned i = 0; i < 12; i++) {
        uint64_t const written = put((struct row){.type = DEP_COMP, .pc = i % 2 ? 0x180 : 0x100, .delay_cyc = 1,
                                                  .producers = {last}});

        last = put((struct row){.type = DEP_COMP, .pc = 0x200, .delay_cyc = 1, .producers = {written}});
    }
    put((struct row){.seq = seq_now() + 2 + 9, .type = DEP_COMP, .pc = 0x300, .weight = 1});
    open_rows();
    assert_int_not_equal(op(24)->outcome, SUPPLY_AS_PREDICTED);
    assert_int_equal(wrong(0x200)->uops->sources[0], 22);    /* the right path's, at 0x180 */
    insn = wrong(0x100);
    first = insn->uops->results[0];
    assert_int_equal(wrong(0x200)->uops->sources[0], first);
}

/* Fetched on behind a compressed branch, until decode corrects that to its target. What was fetched first may end with
 * a branch to there, too: a path that is held goes on. */
static void a_wrong_path_reads_nothing_that_decode_squashed(void **state)
{
    const struct supply_insn *insn;
    uint64_t written;

    put_chain(0x100, 2, 1);
    written = put((struct row){.type = DEP_COMP, .pc = 0x106, .delay_cyc = 1});
    put((struct row){.type = DEP_COMP, .pc = 0x208, .delay_cyc = 1, .producers = {written}});
    for (unsigned i = 0; i < 10; i++)
        put_short_turn(i < 8, 0);
    put_short_turn(false, 40);
    put_short_turn(false, 40);
    put_chain(0x100, 2, 1);
    open_rows();
    assert_int_equal(op(38)->target, 0x200);
    assert_int_equal(op(38)->wrong_pc, 0x106);
    insn = wrong(0x106);
    assert_true(insn->uops->results[0] >= window_supply(window)->register_count / 2);
    wrong(0x200);
    assert_true(wrong(0x208)->uops->sources[0] >= window_supply(window)->register_count / 2);
    op(38);
    insn = wrong(0x106);
    supply_drop(window_supply(window), insn);
    wrong(0x200);
    assert_true(wrong(0x208)->uops->sources[0] < window_supply(window)->register_count / 2);
}

/* Turns of 0x100 (computes), 0x104 (loads) and a mispredicted branch back from 0x108, behind which the capture finished
 * the load of the next turn; not behind the last but two. The load's address is what 0x100 gave or, if it chases, what
 * the load before it did. */
static uint64_t turn_address(unsigned turn, bool steps)
{
    return 0x5000 + 64 * (steps ? 3 * turn : turn * turn);
}

/* Where the capture's squashed load of a turn read. */
static uint64_t stray_address(unsigned turn, bool steps, bool mirrors)
{
    uint64_t const next = turn_address(turn, steps);

    return mirrors ? 2 * turn_address(turn - 1, steps) - next : next;
}

static void put_turns(bool chases, bool steps, bool mirrors)
{
    enum { TURNS = 12 };
    uint64_t first = 0, load = 0;

    for (unsigned i = 0; i < TURNS; i++) {
        bool const is_known = i > 0 && i < TURNS - 2;

        if (is_known)
            put((struct row){.seq = seq_now() + 2 + 4, .type = DEP_LOAD, .pc = 0x104, .weight = 1,
                             .address = stray_address(i, steps, mirrors)});
        first = put((struct row){.seq = seq_now() + 1 + (is_known ? 4 : i == 0 ? 0 : 10), .type = DEP_COMP,
                                 .pc = 0x100, .weight = is_known || i == 0 ? 0 : 1, .delay_cyc = 60,
                                 .producers = {first}});
        load = put((struct row){.type = DEP_LOAD, .pc = 0x104, .delay_cyc = 1,
                                .producers = {first, chases ? load : 0},
                                .address = turn_address(i, steps)});
    }
    open_rows();
    assert_int_equal(op(3 * (TURNS - 3) + 2)->pc, 0x108);
}

static void loads_read_where_those_of_the_right_path_will(void **state)
{
    const struct supply_access *access;

    put_turns(false, false, false);
    access = wrong(0x104)->accesses;
    assert_int_equal(access->place, turn_address(10, false));
    assert_int_not_equal(access->address, access->place);    /* no store is there */
    assert_false(access->never_ends && !access->has_place);
    assert_int_equal(wrong(0x104)->accesses->place, turn_address(11, false));
    assert_false(wrong(0x104)->accesses->has_place);         /* the trace ends */
}

static void loads_read_a_step_on(void **state)
{
    put_turns(false, true, false);
    assert_int_equal(op(3 * 10 + 2)->pc, 0x108);             /* only one turn is left */
    assert_int_equal(wrong(0x104)->accesses->place, turn_address(11, true));
}

/* A bisection goes on in the other half, until the next search begins, which both paths come to. */
static void loads_read_to_the_other_side(void **state)
{
    put_turns(false, false, true);
    assert_int_equal(wrong(0x104)->accesses->place, 2 * turn_address(9, false) - turn_address(10, false));
    assert_int_equal(wrong(0x104)->accesses->place, turn_address(11, false));
}

/* The branch waits for the load before; what it reads is not what was predicted. */
static void addresses_that_the_branch_tests_are_not_known(void **state)
{
    put_turns(true, false, false);
    assert_false(wrong(0x104)->accesses->has_place);
}

static void a_wrong_path_is_as_long_as_the_gap(void **state)
{
    mispredicted_loop(6);
    assert_non_null(wrong(0x10c));
    assert_non_null(wrong(0x110));
    assert_non_null(wrong(0x100));
    assert_non_null(wrong(0x104));
    assert_non_null(wrong(0x108));
    assert_non_null(wrong(0x10c));
    assert_null(wrong(0x110));
    op(20 * 5 + 2);                      /* fetched again */
    assert_non_null(wrong(0x10c));
}

static void an_op_whose_bytes_are_missing_is_given_again(void **state)
{
    const struct supply_insn *insn;

    mispredicted_loop(9);
    insn = supply_wrong(window_supply(window), 0x10c, SUPPLY_NO_STATE);
    assert_ptr_equal(supply_wrong(window_supply(window), 0x10c, SUPPLY_NO_STATE), insn);
}

static void dropped_ops_are_used_again(void **state)
{
    mispredicted_loop(9);
    for (unsigned i = 0; i < 10000; i++) {
        const struct supply_insn *first, *second;

        op(20 * 5 + 2);
        first = wrong(0x10c);
        second = wrong(0x110);
        supply_drop(window_supply(window), first);
        supply_drop(window_supply(window), second);
    }
}

/* ---- 5, 4: the branch of branch_of_last_turn at 0x104 reads 0x100, and 0x200 has its result `lag_cyc` behind that */
static enum supply_outcome outcome_after(uint32_t gap, uint64_t lag_cyc)
{
    enum supply_outcome outcome;

    row_count = 0;
    put((struct row){.type = DEP_COMP, .pc = 0xf0, .delay_cyc = 1});
    /* the branch is recorded once, as what a load follows in order, so that its source is known */
    put((struct row){.type = DEP_COMP, .pc = 0x100, .delay_cyc = 1});
    put((struct row){.type = DEP_COMP, .pc = 0x104, .delay_cyc = 1, .producers = {2}});
    put((struct row){.type = DEP_LOAD, .pc = 0x200, .order = 3, .producers = {1}, .address = 0x5000});
    for (unsigned i = 0; i < 12; i++) {
        put((struct row){.type = DEP_COMP, .pc = 0x100, .weight = 1, .delay_cyc = 1, .producers = {seq_now()}});
        put((struct row){.type = DEP_COMP, .pc = i % 2 ? 0x200 : 0x108, .weight = 1, .delay_cyc = 1,
                         .producers = {seq_now()}});
    }
    put((struct row){.type = DEP_COMP, .pc = 0x100, .weight = 1, .delay_cyc = 1, .producers = {seq_now()}});
    put((struct row){.seq = seq_now() + 2 + gap, .type = DEP_COMP, .pc = 0x200, .weight = 1, .delay_cyc = lag_cyc,
                     .producers = {seq_now()}});
    put((struct row){.type = DEP_COMP, .pc = 0x100, .weight = 1, .delay_cyc = 50, .producers = {seq_now()}});
    open_rows();
    assert_int_equal(op(54)->pc, 0x104);
    outcome = op(54)->outcome;
    end(NULL);
    return outcome;
}

static void a_soon_result_means_that_decode_corrected(void **state)
{
    assert_int_equal(outcome_after(20, 8), SUPPLY_REDIRECTED);
    assert_int_equal(outcome_after(20, 9), SUPPLY_MISPREDICTED);
    /* where the source is known, however many numbers are missing */
    assert_int_equal(outcome_after(40, 8), SUPPLY_REDIRECTED);
    assert_int_equal(outcome_after(7, 9), SUPPLY_MISPREDICTED);
}

int main(void)
{
#define T(test) cmocka_unit_test_setup_teardown(test, begin, end)
    const struct CMUnitTest tests[] = {
        T(a_load_without_followers_was_squashed),
        T(loads_of_the_right_path_stay),
        T(a_load_with_weight_begins_a_wrong_path),
        T(loads_without_missing_numbers_were_not_squashed),
        T(a_load_with_a_register_source_was_not_squashed),
        T(a_compressed_branch_that_fell_through_goes_wrong_twice),
        T(wrong_paths_are_built),
        T(code_that_never_ran_is_fetched),
        T(a_wrong_path_reads_what_was_written_last),
        T(a_wrong_path_reads_nothing_that_decode_squashed),
        T(loads_read_where_those_of_the_right_path_will),
        T(loads_read_a_step_on), T(loads_read_to_the_other_side),
        T(addresses_that_the_branch_tests_are_not_known),
        T(a_wrong_path_is_as_long_as_the_gap),
        T(an_op_whose_bytes_are_missing_is_given_again),
        T(dropped_ops_are_used_again),
        T(a_soon_result_means_that_decode_corrected),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
