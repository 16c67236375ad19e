/* replay/detailed/: squashes of one core, cycle by cycle: the table of o3-core 8.1, the walk over the ROB (7.4), page
 * faults (7.6), what wrong paths do. */
#include "tests/support/detailed_bench.h"
#include "tests/support/unit.h"

enum { ELSEWHERE = BENCH_CODE + 0x400 };

/* The reference's branch predictor, which knows nothing yet, and wrong paths of ALU operations. */
static int set_up(void **state)
{
    detailed_prepare();
    detailed.branch.type = BRANCH_TOURNAMENT;
    detailed.wrong = bench_wrong_alu;
    return 0;
}

static const struct detailed_stats *stats(void)
{
    return detailed_cpu_stats(detailed.cpu);
}

/* A branch that waits for a division, so that what follows it on the wrong path is in the ROB. */
static void run_mispredicted(size_t wrong_limit)
{
    detailed.wrong_limit = wrong_limit;
    add_op(DETAILED_OP_INT_DIV, 1, 0);
    add_branch(1, ELSEWHERE);
    add_alus(2);
    detailed_run();
    assert_true(at(1)->is_mispredicted && !at(1)->is_predicted_taken);
    assert_int_equal(stats()->commit_mispredicts, 1);
    assert_int_equal(stats()->predicted_untaken_wrong, 1);
}

/* "branch executes wrong: E, commit E+1, seen E+2, fetch works again E+3" */
static void a_mispredicted_branch_fetches_anew(void **state)
{
    run_mispredicted(12);
    assert_int_equal(at(2)->fetch_cyc, at(1)->execute_cyc + 3);
    assert_int_equal(stats()->squashed_insts, 12);
}

/* The same with an L1I: the block is requested in E+3. */
static void its_block_is_requested_if_it_is_not_there(void **state)
{
    detailed.params.ideal_fetch = 0;
    run_mispredicted(12);
    assert_int_equal(sent_at(&detailed.l1i, ELSEWHERE, 0), at(1)->execute_cyc + 3);
    assert_int_equal(at(2)->fetch_cyc, at(1)->execute_cyc + 5);
}

/* S4: "The refetch may hit it with no request". */
static void the_buffer_outlives_a_squash(void **state)
{
    detailed.params.ideal_fetch = 0;
    detailed.wrong_limit = 4;
    add_op(DETAILED_OP_INT_DIV, 1, 0);
    add_branch(1, BENCH_CODE + 32);
    add_alus(2);
    detailed_run();
    assert_int_equal(at(2)->fetch_cyc, at(1)->execute_cyc + 3);
    assert_int_equal(detailed.l1i.sent_count, 1);
}

/* 7.4: "commit resumes @t+max(1, ceil(n/8))", t = E+1. */
static void the_walk_takes_eight_a_cycle(void **state)
{
    static const struct { size_t wrong; uint64_t cycles; } known[] = {{0, 1}, {1, 1}, {8, 1}, {9, 2}, {16, 2}, {17, 3},
                                                                      {60, 8}};

    for (size_t i = 0; i < COUNT(known); i++) {
        set_up(NULL);
        run_mispredicted(known[i].wrong);
        assert_int_equal(at(1)->retire_cyc, at(1)->execute_cyc + 1 + known[i].cycles);
        assert_int_equal(stats()->squashed_insts, known[i].wrong);
        detailed_tear_down(NULL);
    }
}

/* S16: "Squashed ROB entries drain without limit" */
static void squashed_entries_drain_at_once(void **state)
{
    uint64_t drained = 0;

    run_mispredicted(60);
    for (size_t i = 0; i < detailed.retired_count; i++)
        if (detailed.retired[i].what.is_squashed) {
            assert_true(drained == 0 || detailed.retired[i].what.retire_cyc == drained);
            drained = detailed.retired[i].what.retire_cyc;
        }
    assert_int_equal(drained, at(1)->retire_cyc);
}

/* "decode correction: D, fetch only: D+1, works again D+2" */
static void decode_corrects_a_direct_jump(void **state)
{
    add_jump(ELSEWHERE);
    add_alus(1);
    detailed_run();
    assert_int_equal(at(0)->decode_cyc, 1);
    assert_int_equal(at(1)->fetch_cyc, 3);
    assert_int_equal(stats()->decode_mispredicted, 1);
    assert_int_equal(stats()->commit_mispredicts, 0);
}

/* S23: "decode corrects only direct branches" */
static void decode_leaves_indirect_jumps_to_execution(void **state)
{
    struct bench_insn *const jump = add_jump(ELSEWHERE);

    jump->uops[0].flags &= ~(uint32_t)UOP_DIRECT;
    add_alus(1);
    detailed_run();
    assert_int_equal(at(1)->fetch_cyc, at(0)->execute_cyc + 3);
    assert_int_equal(stats()->decode_mispredicted, 0);
    assert_int_equal(stats()->commit_mispredicts, 1);
}

/* Where no code is known, fetch waits for the squash. */
static void without_code_fetch_stops_at_a_misprediction(void **state)
{
    detailed.wrong = NULL;
    run_mispredicted(0);
    assert_int_equal(at(2)->fetch_cyc, at(1)->execute_cyc + 3);
    assert_int_equal(stats()->squashed_insts, 0);
    assert_int_equal(stats()->wrong_insts, 0);
    assert_int_equal(stats()->wrong_unknown, 2);    /* the other is behind the end of the trace */
}

/* cpu.wrongPath: no. The same, with code. */
static void wrong_paths_can_be_left_out(void **state)
{
    detailed.params.wrong_path = 0;
    run_mispredicted(SIZE_MAX);
    assert_int_equal(stats()->wrong_insts, 0);
}

/* 8.2: the older of two mispredictions wins; the younger one is on its wrong path and does not know better here, so it
 * is executed once more. */
static void an_older_squash_comes_through_during_a_walk(void **state)
{
    add_op(DETAILED_OP_INT_MULT, 1, 0);
    add_branch(1, ELSEWHERE);
    add_alus(1);
    add_branch(0, ELSEWHERE + 0x400);
    add_alus(1);
    detailed_run();
    assert_int_equal(at(2)->fetch_cyc, at(1)->execute_cyc + 3);
    assert_int_equal(at(4)->fetch_cyc, at(3)->execute_cyc + 3);
    assert_int_equal(stats()->commit_mispredicts, 2);
}

/* ---- order violations */
/* A store that waits for a division, and a load that goes ahead of it. */
static void add_store_and_load(uint64_t store, uint64_t load)
{
    add_op(DETAILED_OP_INT_DIV, 1, 0);
    add_store(1, store, 8);
    add_load(2, load, 8);
    add_alu(3, 2);
}

/* "order violation (store executes): E, first refetched = the violating load in E+3" */
static void a_load_ahead_of_its_store_is_fetched_again(void **state)
{
    add_store_and_load(0x1000, 0x1000);
    detailed_run();
    assert_int_equal(at(2)->fetch_cyc, at(1)->execute_cyc + 3);
    assert_int_equal(at(3)->fetch_cyc, at(1)->execute_cyc + 3);
    assert_int_equal(stats()->detected_violations, 1);
    assert_int_equal(stats()->order_violations, 1);
    assert_int_equal(stats()->commit_mispredicts, 0);
}

/* S10: "Order violations on 16-byte granules" */
static void sixteen_bytes_collide(void **state)
{
    add_store_and_load(0x1000, 0x1008);
    detailed_run();
    assert_int_equal(stats()->detected_violations, 1);
    detailed_tear_down(NULL);
    set_up(NULL);
    add_store_and_load(0x1000, 0x1010);
    detailed_run();
    assert_int_equal(stats()->detected_violations, 0);
    assert_true(at(2)->execute_cyc < at(1)->execute_cyc);
    detailed_tear_down(NULL);
    set_up(NULL);
    detailed.params.dep_check_shift = 3;
    add_store_and_load(0x1000, 0x1008);
    detailed_run();
    assert_int_equal(stats()->detected_violations, 0);
}

/* The second time the load waits: it issues when the store has executed, and is forwarded to. */
static void expect_second_time(bool has_store_sets)
{
    set_up(NULL);
    detailed.branch.type = BRANCH_PERFECT;
    detailed.params.has_store_sets = has_store_sets;
    add_store_and_load(0x1000, 0x1000);
    add_serialising();
    add_jump(BENCH_CODE);
    add_store_and_load(0x2000, 0x2000);
    detailed_run();
    assert_int_equal(stats()->detected_violations, has_store_sets ? 1 : 2);
    assert_int_equal(stats()->conflicting_loads, has_store_sets ? 1 : 0);
    if (has_store_sets) {
        assert_int_equal(at(8)->issue_cyc, at(7)->execute_cyc);
        assert_int_equal(at(8)->to_commit_cyc, at(7)->execute_cyc + 2);
    }
    detailed_tear_down(NULL);
}

static void a_load_learns_to_wait_for_its_store(void **state)
{
    expect_second_time(true);
    expect_second_time(false);
}

/* ---- page faults (7.6) */
/* At the head in T: squash T+14, fetched again in T+16. Micro-ops renamed meanwhile enter no ROB, but are executed
 * (S22). */
static void a_first_touch_traps(void **state)
{
    uint64_t executed;

    add_load(1, 0x5000, 8)->uops[0].is_first_touch = true;
    add_alus(300);
    add_load(1, 0x5000, 8);
    detailed_run();
    assert_true(detailed.retired[0].what.is_squashed && detailed.retired[0].what.has_fault);
    executed = detailed.retired[0].what.execute_cyc;
    assert_int_equal(executed, 5);
    assert_int_equal(stats()->page_faults, 1);
    for (size_t i = 0; i < detailed.retired_count; i++)
        if (detailed.retired[i].number == 0 && !detailed.retired[i].what.is_squashed)
            assert_int_equal(detailed.retired[i].what.fetch_cyc, executed + 2 + 16);
    assert_int_equal(stats()->instructions, 302);
    assert_int_equal(detailed.l1d.sent_count, 2);
}

/* Stores fault likewise, and those behind it that were executed are squashed. */
static void a_store_may_touch_first(void **state)
{
    add_store(0, 0x5000, 8)->uops[0].is_first_touch = true;
    add_store(0, 0x5008, 8);
    add_load(1, 0x5000, 8);
    for (unsigned i = 0; i < 40; i++) {
        add_load(2, 0x6000 + 64 * (uint64_t)i, 8);
        add_alu(3, 2);
        add_fence();
    }
    detailed_run();
    assert_int_equal(stats()->page_faults, 1);
    assert_int_equal(stats()->stores, 2);
    assert_int_equal(stats()->loads, 41);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, detailed_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_mispredicted_branch_fetches_anew),
        TEST(its_block_is_requested_if_it_is_not_there),
        TEST(the_buffer_outlives_a_squash),
        cmocka_unit_test(the_walk_takes_eight_a_cycle),
        TEST(squashed_entries_drain_at_once),
        TEST(decode_corrects_a_direct_jump),
        TEST(decode_leaves_indirect_jumps_to_execution),
        TEST(without_code_fetch_stops_at_a_misprediction),
        TEST(wrong_paths_can_be_left_out),
        TEST(an_older_squash_comes_through_during_a_walk),
        TEST(a_load_ahead_of_its_store_is_fetched_again),
        TEST(sixteen_bytes_collide),
        cmocka_unit_test(a_load_learns_to_wait_for_its_store),
        TEST(a_first_touch_traps),
        TEST(a_store_may_touch_first),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
