/* replay/window/window_stream.c: which of several filtered micro-ops was mispredicted, and where they lie
 * (elastic-truth 3.4, 3.5; docs/window.md). */
#include "tests/unit/replay/window/window_rows.h"

/* ---- sources that came too late */
/* Branches at 0x104 and 0x108 behind 0x100, whose result the first one tests: that was recorded once. The first one
 * goes to 0x300 in every second turn, the second one to 0x200 in every sixth. In the last turn numbers are missing
 * behind both, and the right path has its next result `lag_cyc` behind that of 0x100. */
static uint64_t mispredicted_of_two(uint64_t lag_cyc)
{
    enum { TURNS = 24 };
    uint64_t number = 4, first, found;

    row_count = 0;
    first = put((struct row){.type = DEP_COMP, .pc = 0x100, .delay_cyc = 1});
    first = put((struct row){.type = DEP_COMP, .pc = 0x104, .delay_cyc = 1, .producers = {first}});
    put((struct row){.type = DEP_COMP, .pc = 0x108, .delay_cyc = 20});
    put((struct row){.type = DEP_LOAD, .pc = 0x10c, .order = first, .address = 0x5000});
    for (unsigned i = 0; i <= TURNS; i++) {
        bool const is_last = i == TURNS, goes = !is_last && i % 2 == 0, turns = !is_last && i % 6 == 1;

        first = put((struct row){.type = DEP_COMP, .pc = 0x100, .delay_cyc = 20, .producers = {seq_now()}});
        put((struct row){.seq = first + (goes ? 2 : 3) + (is_last ? 30 : 0), .type = DEP_COMP,
                         .pc = goes ? 0x300 : turns ? 0x200 : 0x10c, .weight = goes ? 1 : 2,
                         .delay_cyc = is_last ? lag_cyc : 20, .producers = {first}});
        number += is_last ? 1 : goes ? 3 : 4;
    }
    open_rows();
    assert_int_equal(op(number)->pc, 0x104);
    assert_int_equal(op(number + 1)->pc, 0x108);
    found = op(number)->outcome != SUPPLY_AS_PREDICTED ? 0x104
          : op(number + 1)->outcome != SUPPLY_AS_PREDICTED ? 0x108 : 0;
    end(NULL);
    return found;
}

static void a_branch_whose_sources_came_too_late_is_not_blamed(void **state)
{
    assert_int_equal(mispredicted_of_two(12), 0x104);
    assert_int_equal(mispredicted_of_two(9), 0x104);
    assert_int_equal(mispredicted_of_two(8), 0x108);
}

/* ---- places that jumps leave open */
/* A branch at 0x104 goes to 0x300 in every second turn, else on to a jump at 0x108 to 0x400, or to a filtered one
 * before `record`. In the last turn, in which it goes on, numbers are missing behind it, and the right path has its
 * next result soon. */
static enum supply_outcome outcome_before(uint64_t record, uint32_t gap)
{
    enum { TURNS = 24 };
    uint64_t number = 0;
    enum supply_outcome found;

    row_count = 0;
    for (unsigned i = 0; i <= TURNS; i++) {
        bool const goes = i % 2 == 1;
        uint64_t const first = put((struct row){.type = DEP_COMP, .pc = 0x100, .delay_cyc = 20, .order = seq_now()});

        put((struct row){.seq = first + (goes ? 2 : 3) + (i == TURNS ? gap : 0), .type = DEP_COMP,
                         .pc = goes ? 0x300 : record, .weight = goes ? 1 : 2, .delay_cyc = i == TURNS ? 3 : 20,
                         .order = first});
        number += i == TURNS ? 1 : goes ? 3 : 4;
    }
    open_rows();
    assert_int_equal(op(number)->pc, 0x104);
    assert_int_equal(op(number)->next_pc, 0x108);
    found = (enum supply_outcome)op(number)->outcome;
    end(NULL);
    return found;
}

static void time_tells_what_a_place_that_is_open_does_not(void **state)
{
    assert_int_equal(outcome_before(0x10c, 20), SUPPLY_MISPREDICTED);    /* no jump: it fell through */
    assert_int_equal(outcome_before(0x400, 20), SUPPLY_REDIRECTED);
    assert_int_equal(outcome_before(0x400, 33), SUPPLY_MISPREDICTED);    /* decode corrects sooner */
}

/* ---- short branches */
/* A branch at 0x104 that always falls through, of `size` bytes, and one of 4 behind it that goes elsewhere in one of
 * 300 turns. Which one is mispredicted in the last turn? */
static uint64_t mispredicted_behind_short(uint64_t size)
{
    enum { TURNS = 300 };
    uint64_t number = 3, found;
    uint64_t const second = 0x104 + size, record = second + 4;

    row_count = 0;
    put((struct row){.type = DEP_COMP, .pc = 0x100});
    put((struct row){.type = DEP_COMP, .pc = 0x104});
    put((struct row){.type = DEP_COMP, .pc = second});
    for (unsigned i = 0; i <= TURNS; i++) {
        put((struct row){.type = DEP_COMP, .pc = i % 2 ? record : record + 2, .producers = {seq_now()}});
        put((struct row){.type = DEP_COMP, .pc = 0x100, .producers = {seq_now()}});
        put((struct row){.seq = seq_now() + 3 + (i == TURNS ? 40 : 0), .type = DEP_COMP,
                         .pc = i == 7 ? 0x300 : record, .weight = 2, .delay_cyc = 20, .producers = {seq_now()}});
        number += i == TURNS ? 2 : 5;
    }
    open_rows();
    assert_int_equal(op(number)->pc, 0x104);
    assert_int_equal(op(number + 1)->pc, second);
    found = op(number)->outcome != SUPPLY_AS_PREDICTED ? 0x104
          : op(number + 1)->outcome != SUPPLY_AS_PREDICTED ? second : 0;
    end(NULL);
    return found;
}

static void a_short_branch_that_falls_through_is_mispredicted_again(void **state)
{
    assert_int_equal(mispredicted_behind_short(4), 0x108);
    assert_int_equal(mispredicted_behind_short(2), 0x104);
}

/* ---- sizes */
/* `hidden` of 2 bytes behind 0x100, which has 2; where is the one behind 0x100 before a jump? */
static uint64_t place_before_a_jump(uint32_t hidden)
{
    uint64_t found;

    row_count = 0;
    put((struct row){.type = DEP_COMP, .pc = 0x20a});
    put((struct row){.type = DEP_COMP, .pc = 0x100});
    put((struct row){.type = DEP_COMP, .pc = 0x100 + 2 * (hidden + (uint64_t)1), .weight = hidden});
    put((struct row){.type = DEP_COMP, .pc = 0x100});
    put((struct row){.type = DEP_COMP, .pc = 0x300, .weight = 1});
    open_rows();
    found = op(4 + hidden)->pc;
    end(NULL);
    return found;
}

static void a_distance_tells_sizes_over_few_filtered_ones(void **state)
{
    assert_int_equal(place_before_a_jump(3), 0x102);
    assert_int_equal(place_before_a_jump(4), 0x104);
}

/* ---- a dead result before the head of a loop */
/* Turns of a loop of 0x108 and 0x10c, which ends with two filtered ones. It is entered over 0x104, which is filtered;
 * or has a record in the end, where `reads`, as another one reads its result. Where is the second one? */
static uint64_t second_before_head(bool reads)
{
    uint64_t found, dead;

    row_count = 0;
    for (unsigned i = 0; i < 12; i++) {
        put((struct row){.type = DEP_COMP, .pc = 0x100});
        put((struct row){.type = DEP_COMP, .pc = 0x108, .weight = 1});
        put((struct row){.type = DEP_COMP, .pc = 0x10c});
        put((struct row){.type = DEP_COMP, .pc = 0x108, .weight = 2});
        put((struct row){.type = DEP_COMP, .pc = 0x10c});
    }
    dead = put((struct row){.type = DEP_COMP, .pc = 0x104});
    put((struct row){.type = DEP_COMP, .pc = 0x200, .producers = {reads ? dead : 0}});
    open_rows();
    assert_int_equal(op(8 * 10 + 4)->pc, 0x110);
    found = op(8 * 10 + 5)->pc;
    assert_int_equal(op(8 * 10 + 6)->pc, 0x108);
    end(NULL);
    return found;
}

static void no_jump_leads_to_a_dead_result(void **state)
{
    assert_int_equal(second_before_head(false), 0x104);
    assert_int_equal(second_before_head(true), 0x114);
}

/* ---- system calls */
/* 0x104, of `size` bytes, and numbers missing behind it; the next record lies `rest` bytes behind its end. */
static void open_gap_behind(uint64_t size, uint64_t rest, uint32_t gap)
{
    row_count = 0;
    put((struct row){.type = DEP_COMP, .pc = 0x100});
    put((struct row){.type = DEP_COMP, .pc = 0x102});
    put((struct row){.type = DEP_COMP, .pc = 0x104});
    put((struct row){.seq = seq_now() + 1 + gap, .type = DEP_COMP, .pc = 0x104 + size + rest, .delay_cyc = 40,
                     .producers = {1}});
    open_rows();
    assert_int_equal(op(2)->pc, 0x104);
    assert_int_equal(op(2)->outcome, rest == 4 || gap == 0 ? SUPPLY_AS_PREDICTED : SUPPLY_REDIRECTED);
}

static void bytes_and_numbers_are_missing_for_a_system_call(void **state)
{
    for (uint64_t size = 2; size <= 4; size += 2) {
        open_gap_behind(size, 4, 31);
        assert_int_equal(op(2)->next_pc, 0x104 + size);
        assert_int_equal(op(2)->size_bytes, size);
        assert_false(op(2)->is_taken);
        assert_int_equal(op(3)->pc, 0x104 + size);
        assert_int_equal(op(3)->next_pc, 0x108 + size);
        assert_true(op(3)->uops->flags & UOP_TRAP);
        assert_int_equal(op(4)->pc, 0x108 + size);
        assert_int_equal(op(4)->uops->source_count, 1);
        assert_int_equal(window_counts(window).system_calls, 1);
        end(NULL);
    }
}

static void a_jump_over_an_instruction_is_no_system_call(void **state)
{
    open_gap_behind(4, 4, 0);            /* no number is missing */
    assert_int_equal(op(3)->pc, 0x10c);
    end(NULL);
    open_gap_behind(4, 8, 31);           /* two instructions */
    assert_int_equal(op(3)->pc, 0x110);
    assert_int_equal(window_counts(window).system_calls, 0);
}

/* ---- loops through a line that no record names */
/* Turns of three records from `first` on and two filtered ones behind them, `turn_cyc` cycles apart. All wait for one
 * that has its result `done_cyc` before the head begins, and one more is done only `older_cyc` behind that. */
static uint64_t place_of_second(uint64_t first, uint64_t turn_cyc, uint64_t done_cyc, uint64_t older_cyc)
{
    enum { TURNS = 24 };
    uint64_t head = 0, found;

    row_count = 0;
    put((struct row){.type = DEP_COMP, .pc = 0x300, .delay_cyc = 1});        /* a cycle is no longer */
    for (unsigned i = 0; i < TURNS; i++) {
        uint64_t const clock = put((struct row){.type = DEP_COMP, .pc = first + 4, .delay_cyc = turn_cyc - done_cyc,
                                                .producers = {head}, .weight = 0});

        put((struct row){.type = DEP_COMP, .pc = first + 8, .delay_cyc = done_cyc + older_cyc, .producers = {clock}});
        head = put((struct row){.type = DEP_COMP, .pc = first, .weight = 2, .delay_cyc = done_cyc,
                                .producers = {clock}});
    }
    open_rows();
    assert_int_equal(op(5 * 20 + 3)->pc, first + 12);
    found = op(5 * 20 + 4)->pc;
    assert_int_equal(op(5 * 20 + 5)->pc, first);
    end(NULL);
    return found;
}

static void turns_that_fetch_makes_late_go_through_another_line(void **state)
{
    assert_int_equal(place_of_second(0x100, 2, 2, 0), 0x17c);
    assert_int_equal(place_of_second(0x100, 2, 1, 0), 0x110);        /* no later than its sources */
    assert_int_equal(place_of_second(0x100, 2, 2, 30), 0x110);       /* the ROB may be full */
    assert_int_equal(place_of_second(0x138, 2, 2, 0), 0x148);        /* it goes on into the next line itself */
}

#define T(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(a_branch_whose_sources_came_too_late_is_not_blamed), T(time_tells_what_a_place_that_is_open_does_not),
        T(a_short_branch_that_falls_through_is_mispredicted_again), T(a_distance_tells_sizes_over_few_filtered_ones),
        T(bytes_and_numbers_are_missing_for_a_system_call), T(a_jump_over_an_instruction_is_no_system_call),
        T(turns_that_fetch_makes_late_go_through_another_line), T(no_jump_leads_to_a_dead_result)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
