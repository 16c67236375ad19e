/* replay/window/: window.h, window_feed.h, window_stream.h, and learn.c to sources.c. Rules of elastic-truth parts 3
 * and 5, and of docs/window.md, on records made by hand. */
#include "tests/unit/replay/window/window_rows.h"

/* ---- records */
static void records_become_micro_ops(void **state)
{
    uint64_t const first = put((struct row){.type = DEP_COMP, .pc = 0x100, .delay_cyc = 9});
    uint64_t const load = put((struct row){.type = DEP_LOAD, .pc = 0x104, .delay_cyc = 1, .producers = {first},
                                           .address = 0x5000});

    put((struct row){.type = DEP_STORE, .pc = 0x106, .delay_cyc = 1, .producers = {first, load}, .address = 0x6000});
    open_rows();
    assert_int_equal(op(0)->uops->op, DETAILED_OP_INT_ALU);
    assert_int_equal(op(1)->uops->flags & UOP_MEMORY, UOP_LOAD);
    assert_int_equal(op(1)->accesses->place, 0x5000);
    assert_int_equal(op(1)->size_bytes, 2);
    assert_int_equal(source(1, 0), 1);
    assert_int_equal(op(2)->uops->flags & UOP_MEMORY, UOP_STORE);
    assert_int_equal(op(2)->uops->result_count, 0);
    assert_int_equal(source(2, 0), 2);
    assert_int_equal(source(2, 1), 1);
}

static void the_trace_ends_after_its_last_record(void **state)
{
    const struct supply_insn *insn;
    struct fault fault;

    put_chain(0x100, 3, 1);
    open_rows();
    assert_int_equal(supply_right(window_supply(window), 3, &insn, &fault), SUPPLY_END);
    assert_int_equal(op(2)->pc, 0x108);
}

static void released_records_make_room(void **state)
{
    put_chain(0x1000, 3000, 1);
    open_rows();
    for (uint64_t i = 0; i < 3000; i++) {
        assert_int_equal(op(i)->number, i);
        assert_int_equal(op(i > 200 ? i - 200 : 0)->pc, 0x1000 + 4 * (i > 200 ? i - 200 : 0));
        if (i > 400)
            supply_release(window_supply(window), i - 400);
    }
}

/* ---- 3.2 */
/* All in one line of code, as the first in a line waits for the L1I. */
static unsigned class_of_delays(uint64_t least_cyc, unsigned at_least, uint64_t other_cyc, unsigned others)
{
    unsigned found;

    row_count = 0;
    put((struct row){.type = DEP_COMP, .pc = 0x200, .delay_cyc = 1});
    for (unsigned i = 0; i < at_least + others; i++)
        put((struct row){.type = DEP_COMP, .pc = 0x204, .delay_cyc = i < at_least ? least_cyc : other_cyc,
                         .producers = {1}});
    open_rows();
    found = op(1)->uops->op;
    end(NULL);
    return found;
}

static void the_least_delay_is_the_latency(void **state)
{
    assert_int_equal(class_of_delays(1, 8, 1, 0), DETAILED_OP_INT_ALU);
    assert_int_equal(class_of_delays(2, 8, 9, 8), DETAILED_OP_FLOAT_ADD);
    assert_int_equal(class_of_delays(3, 8, 9, 8), DETAILED_OP_INT_MULT);
    assert_int_equal(class_of_delays(5, 8, 9, 8), DETAILED_OP_FLOAT_MULT_ACC);
    assert_int_equal(class_of_delays(24, 8, 90, 20), DETAILED_OP_FLOAT_SQRT);
}

static void few_records_give_no_latency(void **state)
{
    assert_int_equal(class_of_delays(3, 7, 3, 0), DETAILED_OP_INT_ALU);
    assert_int_equal(class_of_delays(3, 1, 9, 20), DETAILED_OP_INT_ALU);
    assert_int_equal(class_of_delays(6, 20, 9, 0), DETAILED_OP_INT_ALU);
}

/* o3-core 1.3 (c) */
static void a_result_that_woke_the_core_is_a_cycle_short(void **state)
{
    assert_int_equal(class_of_delays(19, 1, 20, 20), DETAILED_OP_INT_DIV);
    assert_int_equal(class_of_delays(11, 1, 12, 20), DETAILED_OP_FLOAT_DIV);
    assert_int_equal(class_of_delays(1, 1, 2, 20), DETAILED_OP_INT_ALU);
}

/* A counter: each record's producer is the one before. */
static void what_waits_for_a_loop_has_no_long_latency(void **state)
{
    for (unsigned i = 0; i < 40; i++)
        put((struct row){.type = DEP_COMP, .pc = 0x200, .delay_cyc = i % 20 == 19 ? 24 : 40, .producers = {seq_now()}});
    open_rows();
    assert_int_equal(op(1)->uops->op, DETAILED_OP_INT_ALU);
}

/* Operations whose only source was there at the beginning, each done so long behind the one before. */
static unsigned class_of_results(uint64_t apart_cyc, uint64_t count)
{
    unsigned found;

    row_count = 0;
    put((struct row){.type = DEP_COMP, .pc = 0x100, .delay_cyc = 1});
    for (uint64_t i = 1; i <= count; i++)
        put((struct row){.type = DEP_COMP, .pc = 0x200, .delay_cyc = 13 + apart_cyc * i, .producers = {1}});
    open_rows();
    found = op(1)->uops->op;
    end(NULL);
    return found;
}

static void operations_that_wait_for_their_unit_have_the_latency_between_results(void **state)
{
    assert_int_equal(class_of_results(20, 16), DETAILED_OP_INT_DIV);
    assert_int_equal(class_of_results(24, 16), DETAILED_OP_FLOAT_SQRT);
    assert_int_not_equal(class_of_results(21, 16), DETAILED_OP_INT_DIV);
    assert_int_not_equal(class_of_results(20, 7), DETAILED_OP_INT_DIV);
}

static void latencies_are_those_of_the_captured_core(void **state)
{
    struct detailed_params params;
    struct captured_core core;

    detailed_params_defaults(&params);
    params.latency_cyc[DETAILED_OP_FLOAT_MULT] = 6;
    params.latency_cyc[DETAILED_OP_INT_DIV] = 10;
    core = captured_core_of(&params);
    captured = &core;
    assert_int_equal(class_of_delays(6, 8, 9, 8), DETAILED_OP_FLOAT_MULT);
    assert_int_equal(class_of_delays(10, 8, 90, 40), DETAILED_OP_INT_DIV);       /* it holds its unit */
    assert_int_equal(class_of_results(10, 16), DETAILED_OP_INT_DIV);
    assert_int_equal(class_of_delays(20, 8, 90, 20), DETAILED_OP_INT_ALU);
    assert_int_not_equal(window_rules(&core), window_rules(NULL));
}

/* 0x280 holds the unit that 0x290 waits for; once something else was done as long before. */
static void a_coincidence_does_not_hide_which_unit_was_waited_for(void **state)
{
    uint64_t first = put((struct row){.type = DEP_COMP, .pc = 0x100, .delay_cyc = 1});

    for (unsigned i = 0; i < 16; i++) {
        uint64_t const other = put((struct row){.type = DEP_COMP, .pc = i == 0 ? 0x270 : 0x280, .delay_cyc = 20,
                                                .producers = {first}});

        put((struct row){.type = DEP_COMP, .pc = 0x290, .delay_cyc = 40, .producers = {first}});
        first = put((struct row){.type = DEP_COMP, .pc = 0x100, .delay_cyc = 30, .producers = {other}});
    }
    open_rows();
    assert_int_equal(op(1 + 3 * 8)->pc, 0x280);
    assert_int_equal(op(1 + 3 * 8)->uops->op, DETAILED_OP_INT_DIV);
    assert_int_equal(op(2 + 3 * 8)->uops->op, DETAILED_OP_INT_DIV);
}

/* 0x200 is done 3 cycles behind its source. So is `pc` later, which takes a cycle: `late_cyc` in all turns but one. */
static unsigned class_before(uint64_t pc, uint64_t late_cyc, unsigned turns)
{
    unsigned found;

    row_count = 0;
    for (unsigned i = 0; i <= turns; i++) {
        uint64_t const first = put((struct row){.type = DEP_COMP, .pc = 0x100, .delay_cyc = 10,
                                                .producers = {i > 0 ? seq_now() - 2 : 0}});

        put((struct row){.type = DEP_COMP, .pc = 0x200, .delay_cyc = 3, .producers = {first}});
        put((struct row){.type = DEP_COMP, .pc = pc, .delay_cyc = i == 0 ? 1 : late_cyc, .producers = {first}});
    }
    open_rows();
    found = op(1)->uops->op;
    end(NULL);
    return found;
}

static void a_delay_of_what_was_dispatched_late_is_no_latency(void **state)
{
    assert_int_equal(class_before(0x204, 3, 16), DETAILED_OP_INT_ALU);
    assert_int_equal(class_before(0x204, 4, 16), DETAILED_OP_INT_ALU);
    assert_int_equal(class_before(0x204, 2, 16), DETAILED_OP_INT_MULT);          /* that was dispatched in time */
    assert_int_equal(class_before(0x204, 1, 16), DETAILED_OP_INT_MULT);
    assert_int_equal(class_before(0x204, 4, 7), DETAILED_OP_INT_MULT);           /* too few tell */
    assert_int_equal(class_before(0x300, 4, 16), DETAILED_OP_INT_MULT);          /* a jump lies between */
}

/* The class learnt for 0x280, done 2 cycles behind a source that `others` operations of a cycle read before it. */
static unsigned class_behind(unsigned others)
{
    unsigned found;

    row_count = 0;
    for (unsigned turn = 0; turn < 16; turn++) {
        uint64_t const first = put((struct row){.type = DEP_COMP, .pc = 0x100, .delay_cyc = 10,
                                                .producers = {seq_now()}});

        for (unsigned i = 0; i < others; i++)
            put((struct row){.type = DEP_COMP, .pc = 0x200 + 4 * i, .delay_cyc = 1, .producers = {first}});
        put((struct row){.type = DEP_COMP, .pc = 0x280, .delay_cyc = 2, .producers = {first}});
    }
    open_rows();
    found = op(1 + others)->uops->op;
    end(NULL);
    return found;
}

static void a_wait_for_a_unit_is_no_latency(void **state)
{
    struct detailed_params params;
    struct captured_core core;

    assert_int_equal(class_behind(5), DETAILED_OP_FLOAT_ADD);
    assert_int_equal(class_behind(6), DETAILED_OP_INT_ALU);
    detailed_params_defaults(&params);
    params.units[DETAILED_UNIT_INT_ALU] = 5;
    core = captured_core_of(&params);
    captured = &core;
    assert_int_equal(class_behind(5), DETAILED_OP_INT_ALU);
    assert_int_equal(class_behind(4), DETAILED_OP_FLOAT_ADD);
}

/* o3-core 1.1: what the reference's delays between stages add up to, and those of a deeper, narrower core. */
static void the_refill_follows_from_the_stages(void **state)
{
    struct detailed_params params;
    struct captured_core core = captured_core_reference();

#define SAME(field, value, help) assert_int_equal(core.field, value);
    CAPTURED_CORE_FIELDS(SAME)
    detailed_params_defaults(&params);
    params.fetch_to_decode_cyc = 5;
    params.fetch_width = params.decode_width = params.rename_width = params.squash_width = 4;
    core = captured_core_of(&params);
    assert_int_equal(core.resolve_cyc, 13);
    assert_int_equal(core.serial_cyc, 6);
    assert_int_equal(core.squash_width, 4);
    assert_int_equal(core.front_ops, 32 + 4 * 8);
    assert_int_equal(core.gap_decode, 32);
}

/* ---- 3.4 */
static void distances_give_the_sizes_of_hidden_branches(void **state)
{
    put((struct row){.type = DEP_COMP, .pc = 0x100});
    put((struct row){.type = DEP_COMP, .pc = 0x106, .weight = 2});
    put((struct row){.type = DEP_COMP, .pc = 0x112, .weight = 2});
    open_rows();
    assert_int_equal(op(1)->pc, 0x102);
    assert_int_equal(op(2)->pc, 0x104);
    assert_int_equal(op(4)->pc, 0x10a);
    assert_int_equal(op(5)->pc, 0x10e);
    assert_int_equal(op(4)->uops->result_count, 0);
    assert_false(op(5)->is_taken);
}

/* Most branches have 4 bytes, and what is before one 2, unless it takes more than a cycle. */
static void instructions_of_unknown_sizes_have_likely_ones(void **state)
{
    uint64_t const first = put((struct row){.type = DEP_COMP, .pc = 0x100, .delay_cyc = 1});

    put((struct row){.type = DEP_COMP, .pc = 0x106, .weight = 1});
    put((struct row){.type = DEP_COMP, .pc = 0x200, .delay_cyc = 4, .producers = {first}});
    put((struct row){.type = DEP_COMP, .pc = 0x206, .weight = 1});
    open_rows();
    assert_int_equal(op(1)->pc, 0x102);
    assert_int_equal(op(4)->pc, 0x204);
}

/* A branch was filtered at 0x200 before. The path jumps from 0x304 to it, or from the branch itself. */
static void filtered_ones_behind_a_jump_lie_before_the_record(void **state)
{
    put((struct row){.type = DEP_COMP, .pc = 0x1fe});
    put((struct row){.type = DEP_COMP, .pc = 0x202, .weight = 1});
    put((struct row){.type = DEP_COMP, .pc = 0x300});
    put((struct row){.type = DEP_COMP, .pc = 0x304});
    put((struct row){.type = DEP_COMP, .pc = 0x304});
    put((struct row){.type = DEP_COMP, .pc = 0x202, .weight = 2});
    put((struct row){.type = DEP_COMP, .pc = 0x1fe});
    put((struct row){.type = DEP_COMP, .pc = 0x400, .weight = 1});
    open_rows();
    assert_int_equal(op(1)->pc, 0x200);
    assert_int_equal(op(6)->pc, 0x308);
    assert_true(op(6)->is_taken);
    assert_int_equal(op(7)->pc, 0x200);
    assert_false(op(7)->is_taken);
    assert_int_equal(op(10)->pc, 0x200);
    assert_true(op(10)->is_taken);
}

static void odd_pcs_mean_instructions_of_any_length(void **state)
{
    put((struct row){.type = DEP_COMP, .pc = 0x101});
    put((struct row){.type = DEP_COMP, .pc = 0x108});
    put((struct row){.type = DEP_COMP, .pc = 0x108, .weight = 1});
    put((struct row){.type = DEP_COMP, .pc = 0x400});
    open_rows();
    assert_false(op(0)->is_taken);
    assert_int_equal(op(0)->size_bytes, 7);
    assert_int_equal(op(2)->pc, 0x108);  /* of one instruction with those beside it */
    assert_false(op(2)->is_taken);
    assert_true(op(3)->is_taken);
}

static void filtered_ones_of_any_length_lie_before_the_record(void **state)
{
    put((struct row){.type = DEP_COMP, .pc = 0x101});
    put((struct row){.type = DEP_COMP, .pc = 0x106, .weight = 1});
    put((struct row){.type = DEP_COMP, .pc = 0x109, .weight = 1});
    put((struct row){.type = DEP_COMP, .pc = 0x10b, .weight = 1});
    put((struct row){.type = DEP_COMP, .pc = 0x400});
    open_rows();
    assert_int_equal(op(1)->pc, 0x104);  /* a short branch of 2 bytes */
    assert_int_equal(op(3)->pc, 0x107);
    assert_int_equal(op(5)->pc, 0x10a);
    for (uint64_t i = 0; i < 6; i++)
        assert_false(op(i)->is_taken);
}

/* 0x13d has two micro-ops and crosses a block of 64 bytes: fetch must not go back for the second one. */
static void bytes_are_those_of_the_last_micro_op(void **state)
{
    put((struct row){.type = DEP_COMP, .pc = 0x13d});
    put((struct row){.type = DEP_COMP, .pc = 0x13d});
    put((struct row){.type = DEP_COMP, .pc = 0x144});
    open_rows();
    assert_int_equal(op(0)->size_bytes, 0);
    assert_int_equal(op(1)->size_bytes, 7);
}

static void instructions_of_4_bytes_may_have_several_micro_ops(void **state)
{
    put((struct row){.type = DEP_COMP, .pc = 0x100});
    put((struct row){.type = DEP_COMP, .pc = 0x104, .weight = 1});
    put((struct row){.type = DEP_COMP, .pc = 0x10c, .weight = 2});
    put((struct row){.type = DEP_COMP, .pc = 0x118, .weight = 2});
    open_rows();
    assert_int_equal(op(1)->pc, 0x100);
    assert_int_equal(op(3)->pc, 0x104);
    assert_int_equal(op(4)->pc, 0x108);
    assert_int_equal(op(6)->pc, 0x110);
    assert_int_equal(op(7)->pc, 0x114);
    for (uint64_t i = 0; i < 8; i++) {
        assert_int_equal(op(i)->size_bytes, i == 0 || i == 2 ? 0 : 4);
        assert_false(op(i)->is_taken);
    }
}

/* 0x104 loads a pair, and goes to itself and on: that is no branch. */
static void further_micro_ops_of_an_instruction_are_no_branches(void **state)
{
    for (unsigned i = 0; i < 12; i++) {
        put((struct row){.type = DEP_COMP, .pc = 0x100});
        put((struct row){.type = DEP_LOAD, .pc = 0x104, .weight = 1, .address = 0x5000});
        put((struct row){.type = DEP_COMP, .pc = i % 3 == 0 ? 0x10c : 0x200, .weight = 1, .producers = {seq_now()}});
        put((struct row){.type = DEP_COMP, .pc = 0x300, .weight = 1});
    }
    put((struct row){.type = DEP_COMP, .pc = 0x100});
    put((struct row){.type = DEP_LOAD, .pc = 0x104, .weight = 1, .address = 0x5000});
    put((struct row){.seq = seq_now() + 21 + 2, .type = DEP_COMP, .pc = 0x10c, .weight = 1, .producers = {seq_now()}});
    open_rows();
    assert_int_equal(op(12 * 7 + 1)->pc, 0x100);         /* filtered, of 0x100 or of 0x104 */
    assert_int_equal(op(12 * 7 + 1)->outcome, SUPPLY_AS_PREDICTED);
    assert_int_equal(op(12 * 7 + 3)->pc, 0x108);
    assert_int_equal(op(12 * 7 + 3)->outcome, SUPPLY_MISPREDICTED);
}

static void a_jump_is_where_the_path_continues_elsewhere(void **state)
{
    put((struct row){.type = DEP_COMP, .pc = 0x100});
    put((struct row){.type = DEP_COMP, .pc = 0x400, .weight = 1});
    open_rows();
    assert_false(op(0)->is_taken);
    assert_true(op(1)->is_taken);
    assert_int_equal(op(1)->next_pc, 0x400);
}

/* ---- 3.5: a loop whose branch at 0x104 goes to 0x200 or on to 0x108, and each time back by a jump at 0x204, 0x10c */
static void put_turn(bool is_taken, uint32_t gap)
{
    put((struct row){.type = DEP_COMP, .pc = 0x100, .weight = seq_now() ? 1 : 0, .producers = {seq_now()}});
    put((struct row){.seq = seq_now() + 2 + gap, .type = DEP_COMP, .pc = is_taken ? 0x200 : 0x108, .weight = 1});
}

static const struct supply_insn *branch_of_last_turn(unsigned turns, uint32_t gap)
{
    for (unsigned i = 0; i < turns; i++)
        put_turn(i % 3 == 0, 0);
    put_turn(true, gap);
    put((struct row){.type = DEP_COMP, .pc = 0x100, .weight = 1});
    open_rows();
    return op(4 * (uint64_t)turns + 1);
}

static void missing_numbers_mean_a_misprediction(void **state)
{
    const struct supply_insn *const branch = branch_of_last_turn(12, 20);

    assert_int_equal(branch->pc, 0x104);
    assert_int_equal(branch->outcome, SUPPLY_MISPREDICTED);
    assert_true(branch->uops->flags & UOP_CONTROL);
    /* it was taken, so the wrong path is the code behind it */
    assert_int_equal(branch->wrong_pc, 0x108);
}

static void few_missing_numbers_mean_a_redirect(void **state)
{
    assert_int_equal(branch_of_last_turn(12, 7)->outcome, SUPPLY_REDIRECTED);
}

static void too_few_missing_numbers_mean_no_misprediction(void **state)
{
    assert_int_equal(branch_of_last_turn(12, 2)->outcome, SUPPLY_AS_PREDICTED);
}

static void a_jump_to_one_place_is_corrected_by_decode(void **state)
{
    for (unsigned i = 0; i < 30; i++)
        put_turn(i % 3 == 0, 0);
    put_turn(true, 0);
    put((struct row){.seq = seq_now() + 2 + 20, .type = DEP_COMP, .pc = 0x100, .weight = 1,
                     .producers = {seq_now()}});
    open_rows();
    assert_int_equal(op(123)->pc, 0x204);
    assert_int_equal(op(123)->outcome, SUPPLY_REDIRECTED);
}

/* Two hidden ones side by side: the one that always falls through, and the one that changes. */
static void the_branch_that_changes_most_was_mispredicted(void **state)
{
    for (unsigned i = 0; i <= 20; i++) {
        uint32_t const gap = i == 20 ? 30 : 0;

        put((struct row){.type = DEP_COMP, .pc = 0x100, .weight = seq_now() ? 1 : 0});
        put((struct row){.seq = seq_now() + 3 + gap, .type = DEP_COMP, .pc = i % 2 ? 0x300 : 0x10c, .weight = 2});
    }
    open_rows();
    assert_int_equal(op(101)->pc, 0x104);
    assert_int_equal(op(101)->outcome, SUPPLY_AS_PREDICTED);
    assert_int_equal(op(102)->pc, 0x108);
    assert_int_equal(op(102)->outcome, SUPPLY_MISPREDICTED);
}

/* Branches at 0x104 (to 0x400) and 0x108 (to 0x300) that change; the first one's wrong paths have 20 micro-ops where
 * nothing else is near. Outcomes of both in a last turn with that gap. */
static void assert_outcomes(uint32_t gap, enum supply_outcome first, enum supply_outcome second)
{
    for (unsigned i = 0; i <= 30; i++) {
        bool const is_first = i < 30 && i % 3 == 0;
        uint32_t const missing = i == 30 ? gap : is_first ? 20 : 0;

        put((struct row){.type = DEP_COMP, .pc = 0x100, .weight = seq_now() ? 1 : 0});
        put((struct row){.seq = seq_now() + (is_first ? 2 : 3) + missing, .type = DEP_COMP,
                         .pc = is_first ? 0x400 : i % 3 == 1 ? 0x10c : 0x300, .weight = is_first ? 1 : 2});
    }
    open_rows();
    assert_int_equal(op(141)->pc, 0x104);
    assert_int_equal(op(141)->outcome, first);
    assert_int_equal(op(142)->pc, 0x108);
    assert_int_equal(op(142)->outcome, second);
}

static void a_long_gap_is_of_two_branches(void **state)
{
    assert_outcomes(44, SUPPLY_MISPREDICTED, SUPPLY_MISPREDICTED);
}

static void a_gap_as_usual_is_of_one(void **state)
{
    assert_outcomes(28, SUPPLY_AS_PREDICTED, SUPPLY_MISPREDICTED);
}

/* 0x104 calls 0x300, and reads no register: decode corrects it, whatever is missing behind it, and though three times
 * are too few to know that it goes to one place. */
static void a_call_is_corrected_by_decode(void **state)
{
    for (unsigned i = 0; i < 3; i++) {
        put((struct row){.type = DEP_COMP, .pc = 0x100, .producers = {seq_now()}});
        put((struct row){.type = DEP_COMP, .pc = 0x104});
        put((struct row){.seq = seq_now() + 31, .type = DEP_COMP, .pc = 0x300, .delay_cyc = 40,
                         .producers = {seq_now() - 1}});
    }
    open_rows();
    assert_int_equal(op(4)->pc, 0x104);
    assert_int_equal(op(4)->outcome, SUPPLY_REDIRECTED);
}

/* A system call behind 0x104 has no record. */
static void an_instruction_without_sources_that_goes_on_is_not_mispredicted(void **state)
{
    put((struct row){.type = DEP_COMP, .pc = 0x100});
    put((struct row){.type = DEP_COMP, .pc = 0x104});
    put((struct row){.seq = seq_now() + 31, .type = DEP_COMP, .pc = 0x108, .delay_cyc = 40, .producers = {1}});
    open_rows();
    assert_int_equal(op(1)->outcome, SUPPLY_AS_PREDICTED);
}

/* 0x108 loads a byte, so it has 4 of the 10 bytes up to 0x112: no compressed instruction does that. */
static void loads_of_a_byte_have_4_bytes(void **state)
{
    for (unsigned size = 1; size <= 8; size *= 8) {
        row_count = 0;
        put((struct row){.type = DEP_COMP, .pc = 0x102});
        put((struct row){.type = DEP_COMP, .pc = 0x104, .producers = {seq_now()}});
        put((struct row){.type = DEP_LOAD, .pc = 0x108, .producers = {seq_now()}, .address = 0x5000,
                         .size_bytes = size});
        put((struct row){.type = DEP_COMP, .pc = 0x112, .weight = 2, .producers = {seq_now()}});
        open_rows();
        assert_int_equal(op(3)->pc, size == 1 ? 0x10c : 0x10a);
        end(NULL);
    }
}

static void no_misprediction_is_placed_after_a_load(void **state)
{
    put((struct row){.type = DEP_COMP, .pc = 0x100});
    put((struct row){.type = DEP_LOAD, .pc = 0x104, .producers = {seq_now()}, .address = 0x5000});
    put((struct row){.seq = seq_now() + 20, .type = DEP_COMP, .pc = 0x108});
    open_rows();
    assert_int_equal(op(1)->outcome, SUPPLY_AS_PREDICTED);
    op(2);
    assert_int_equal(window_counts(window).unplaced, 1);
}

/* ---- 5, 5: 0x200 always runs behind wrong paths, mostly later than 3 cycles after its source */
static void delays_behind_wrong_paths_are_no_latencies(void **state)
{
    for (unsigned i = 0; i < 40; i++) {
        put((struct row){.type = DEP_COMP, .pc = 0x100, .weight = seq_now() ? 1 : 0, .delay_cyc = 1,
                         .producers = {seq_now()}});
        put((struct row){.seq = seq_now() + 2 + 20, .type = DEP_COMP, .pc = 0x200, .weight = 1,
                         .delay_cyc = i % 3 ? 7 : 3, .producers = {seq_now()}});
    }
    open_rows();
    assert_int_equal(op(2)->pc, 0x200);
    assert_int_equal(op(2)->uops->op, DETAILED_OP_INT_ALU);
}

/* ---- 5, 8 */
static void a_step_over_a_compressed_instruction_is_taken(void **state)
{
    put((struct row){.type = DEP_COMP, .pc = 0x100});
    put((struct row){.type = DEP_COMP, .pc = 0x102});
    put((struct row){.type = DEP_COMP, .pc = 0x100, .weight = 1});
    put((struct row){.type = DEP_COMP, .pc = 0x104});
    open_rows();
    assert_false(op(0)->is_taken);
    assert_int_equal(op(3)->pc, 0x100);
    assert_int_equal(op(3)->size_bytes, 2);
    assert_true(op(3)->is_taken);
}

/* ---- 5, 7: 0x108 gives what no record reads; the branch behind it at 0x10c is the reader */
static void an_unread_result_is_the_source_of_a_mispredicted_branch(void **state)
{
    for (unsigned i = 0; i <= 12; i++) {
        uint32_t const gap = i == 12 ? 40 : 0;

        put((struct row){.type = DEP_COMP, .pc = 0x100, .weight = seq_now() ? 1 : 0, .delay_cyc = 1,
                         .producers = {seq_now()}});
        put((struct row){.type = DEP_COMP, .pc = 0x104, .delay_cyc = 1, .producers = {seq_now()}});
        put((struct row){.type = DEP_COMP, .pc = 0x108, .delay_cyc = 1, .producers = {seq_now()}});
        put((struct row){.seq = seq_now() + 2 + gap, .type = DEP_COMP, .pc = i % 2 ? 0x200 : 0x110, .weight = 1,
                         .delay_cyc = 12, .producers = {seq_now() - 1}});
    }
    put((struct row){.type = DEP_COMP, .pc = 0x100, .weight = 1, .delay_cyc = 1, .producers = {seq_now()}});
    open_rows();
    assert_int_equal(op(75)->pc, 0x10c);
    assert_int_equal(op(75)->outcome, SUPPLY_MISPREDICTED);
    assert_int_equal(source(75, 0), 1);
    assert_true(window_counts(window).unread_sources > 0);
}

/* ---- 3.7: sources of a hidden branch at 0x10c */
static void sources_of_a_recorded_instance_are_learnt(void **state)
{
    /* the branch at 0x108 is recorded once, as what a load followed in order */
    uint64_t const first = put((struct row){.type = DEP_COMP, .pc = 0x100});
    uint64_t const second = put((struct row){.type = DEP_COMP, .pc = 0x104, .producers = {first}});
    uint64_t const branch = put((struct row){.type = DEP_COMP, .pc = 0x108, .producers = {first}});

    put((struct row){.type = DEP_LOAD, .pc = 0x10c, .order = branch, .producers = {second}, .address = 0x5000});
    put((struct row){.type = DEP_COMP, .pc = 0x100, .weight = 1, .producers = {seq_now()}});
    put((struct row){.type = DEP_COMP, .pc = 0x104, .producers = {seq_now()}});
    put((struct row){.type = DEP_LOAD, .pc = 0x10c, .weight = 1, .producers = {seq_now(), seq_now() - 1},
                     .address = 0x5000});
    put((struct row){.type = DEP_COMP, .pc = 0x110, .producers = {seq_now()}});
    open_rows();
    assert_int_equal(op(7)->pc, 0x108);
    assert_int_equal(source(7, 0), 2);   /* 0x100, not the nearer 0x104 */
    assert_int_equal(source(7, 1), 0);
    op(9);
    assert_true(window_counts(window).learnt_sources > 0);
}

static void a_mispredicted_branch_has_guessed_sources(void **state)
{
    put_chain(0x100, 3, 1);
    put((struct row){.seq = seq_now() + 22, .type = DEP_COMP, .pc = 0x110, .weight = 1, .delay_cyc = 9,
                     .producers = {3, 2}});
    open_rows();
    assert_int_equal(op(3)->outcome, SUPPLY_MISPREDICTED);
    assert_int_equal(source(3, 0), 1);
    assert_int_equal(source(3, 1), 2);
    op(4);
    assert_int_equal(window_counts(window).guessed_sources, 1);
}

/* The right path goes on 8 cycles behind the second result, and 9 behind the first; the refill takes 9. */
static void results_that_came_too_late_are_not_guessed(void **state)
{
    put_chain(0x100, 3, 1);
    put((struct row){.seq = seq_now() + 22, .type = DEP_COMP, .pc = 0x110, .weight = 1, .delay_cyc = 8,
                     .producers = {3, 2}});
    open_rows();
    assert_int_equal(op(3)->outcome, SUPPLY_MISPREDICTED);
    assert_int_equal(source(3, 0), 2);
    assert_int_equal(op(3)->uops->source_count, 1);
}

/* Each turn 0x100, 0x104, 0x108 are done one after the other; the branch at 0x10c is mispredicted, and 0x200 has its
 * result `lag_cyc` after that of 0x104. */
static void put_mispredictions(uint64_t lag_cyc)
{
    for (unsigned i = 0; i < 8; i++) {
        uint64_t const first = put((struct row){.type = DEP_COMP, .pc = 0x100, .weight = seq_now() ? 1 : 0,
                                                .delay_cyc = 20, .producers = {seq_now()}});
        uint64_t const second = put((struct row){.type = DEP_COMP, .pc = 0x104, .delay_cyc = 1, .producers = {first}});
        uint64_t const third = put((struct row){.type = DEP_COMP, .pc = 0x108, .delay_cyc = 3, .producers = {second}});

        put((struct row){.seq = third + 2 + 20, .type = DEP_COMP, .pc = 0x200, .weight = 1, .delay_cyc = lag_cyc,
                         .producers = {second}});
        put((struct row){.type = DEP_COMP, .pc = 0x204, .delay_cyc = 9, .producers = {third, seq_now()}});
    }
    open_rows();
}

static void the_capture_names_the_resolver_of_a_branch(void **state)
{
    put_mispredictions(10);
    /* 0x108 was not done 9 cycles before, 0x104 was */
    assert_int_equal(op(3)->pc, 0x10c);
    assert_int_equal(source(3, 0), 2);
    assert_int_equal(source(3, 1), 0);
    while (window_counts(window).resolved_sources == 0)
        op(window_counts(window).records + window_counts(window).hidden);
}

static void later_results_are_taken_if_there_was_time(void **state)
{
    put_mispredictions(13);
    assert_int_equal(source(3, 0), 1);   /* 0x108, done 10 cycles before */
}

static void a_longer_refill_of_the_captured_core_leaves_less_time(void **state)
{
    struct captured_core core = captured_core_reference();

    core.resolve_cyc = 12;
    captured = &core;
    put_mispredictions(13);
    assert_int_equal(source(3, 0), 2);   /* 0x108 was done 10 cycles before, too late */
}

/* The same, with the branch at 0x10c recorded in other turns, each time with 0x108 as its producer. */
static void a_producer_of_all_records_is_preferred(void **state)
{
    for (unsigned i = 0; i < 6; i++) {
        uint64_t const first = put((struct row){.type = DEP_COMP, .pc = 0x108, .delay_cyc = 20,
                                                .producers = {seq_now()}});
        uint64_t const branch = put((struct row){.type = DEP_COMP, .pc = 0x10c, .delay_cyc = 1, .producers = {first}});

        put((struct row){.type = DEP_COMP, .pc = 0x200, .delay_cyc = 9, .order = branch});
    }
    put_mispredictions(10);
    assert_int_equal(op(18 + 4)->pc, 0x10c);
    assert_int_equal(source(18 + 4, 0), 1);  /* 0x108, which the capture's times speak against */
}

/* ---- 3.8 */
static void code_is_at_the_given_offset(void **state)
{
    uint64_t place;

    put_chain(0x20100, 3, 1);
    open_rows();
    assert_true(supply_place(window_supply(window), 0x20100, &place));
    assert_int_equal(place, 0x10100);
    assert_false(supply_place(window_supply(window), 0x90000, &place));
}

static void wrong_paths_go_where_the_right_one_mostly_went(void **state)
{
    const struct supply_insn *insn;

    for (unsigned i = 0; i < 12; i++)
        put_turn(i % 3 == 0, 0);
    put_turn(true, 20);
    put((struct row){.type = DEP_COMP, .pc = 0x100, .weight = 1});
    open_rows();
    op(49);
    insn = supply_wrong(window_supply(window), 0x104, SUPPLY_NO_STATE);
    assert_non_null(insn);
    assert_int_equal(insn->next_pc, 0x108);
    insn = supply_wrong(window_supply(window), 0x10c, SUPPLY_NO_STATE);
    assert_int_equal(insn->next_pc, 0x100);
    assert_null(supply_wrong(window_supply(window), 0x700, SUPPLY_NO_STATE));
}

static void all_can_be_counted_without_a_core(void **state)
{
    static struct rows learnt, given;
    struct window_counts counts;

    put_chain(0x100, 3, 1);
    put((struct row){.seq = seq_now() + 22, .type = DEP_COMP, .pc = 0x110, .weight = 1, .producers = {3, 2}});
    struct window_setup const setup = {.learnt_from = source_of(&learnt), .records = source_of(&given)};

    assert_fine(window_count(&setup, &counts));
    assert_int_equal(counts.records, 4);
    assert_int_equal(counts.hidden, 1);
    assert_int_equal(counts.mispredicted, 1);
}

#define T(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(records_become_micro_ops), T(the_trace_ends_after_its_last_record), T(released_records_make_room),
        T(the_least_delay_is_the_latency), T(few_records_give_no_latency),
        T(operations_that_wait_for_their_unit_have_the_latency_between_results),
        T(a_result_that_woke_the_core_is_a_cycle_short), T(distances_give_the_sizes_of_hidden_branches),
        T(what_waits_for_a_loop_has_no_long_latency), T(a_coincidence_does_not_hide_which_unit_was_waited_for),
        T(a_delay_of_what_was_dispatched_late_is_no_latency), T(a_wait_for_a_unit_is_no_latency),
        T(latencies_are_those_of_the_captured_core), T(the_refill_follows_from_the_stages),
        T(instructions_of_unknown_sizes_have_likely_ones), T(filtered_ones_behind_a_jump_lie_before_the_record),
        T(filtered_ones_of_any_length_lie_before_the_record), T(bytes_are_those_of_the_last_micro_op),
        T(instructions_of_4_bytes_may_have_several_micro_ops),
        T(further_micro_ops_of_an_instruction_are_no_branches),
        T(odd_pcs_mean_instructions_of_any_length), T(a_jump_is_where_the_path_continues_elsewhere),
        T(missing_numbers_mean_a_misprediction),
        T(few_missing_numbers_mean_a_redirect), T(too_few_missing_numbers_mean_no_misprediction),
        T(a_jump_to_one_place_is_corrected_by_decode), T(the_branch_that_changes_most_was_mispredicted),
        T(a_call_is_corrected_by_decode), T(loads_of_a_byte_have_4_bytes),
        T(an_instruction_without_sources_that_goes_on_is_not_mispredicted),
        T(no_misprediction_is_placed_after_a_load), T(a_long_gap_is_of_two_branches), T(a_gap_as_usual_is_of_one),
        T(delays_behind_wrong_paths_are_no_latencies),
        T(a_step_over_a_compressed_instruction_is_taken),
        T(an_unread_result_is_the_source_of_a_mispredicted_branch),
        T(sources_of_a_recorded_instance_are_learnt),
        T(a_mispredicted_branch_has_guessed_sources), T(results_that_came_too_late_are_not_guessed),
        T(the_capture_names_the_resolver_of_a_branch),
        T(later_results_are_taken_if_there_was_time), T(a_longer_refill_of_the_captured_core_leaves_less_time),
        T(a_producer_of_all_records_is_preferred), T(code_is_at_the_given_offset),
        T(wrong_paths_go_where_the_right_one_mostly_went), T(all_can_be_counted_without_a_core),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
