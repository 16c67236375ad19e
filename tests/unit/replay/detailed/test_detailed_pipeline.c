/* replay/detailed/: the pipeline of one core, cycle by cycle, as o3-core has it: cycles of fetch, units of each class,
 * latency of results, serialisation. Cycles in the comments count from the fetch F of the first instruction. */
#include "tests/support/detailed_bench.h"
#include "tests/support/unit.h"

static int set_up(void **state)
{
    detailed_prepare();
    return 0;
}

#define ASSERT_CYCLES(number, fetch_, issue_, execute_, retire_)                                                      \
    do {                                                                                                              \
        assert_int_equal(at(number)->fetch_cyc, fetch_);                                                              \
        assert_int_equal(at(number)->issue_cyc, issue_);                                                              \
        assert_int_equal(at(number)->execute_cyc, execute_);                                                          \
        assert_int_equal(at(number)->retire_cyc, retire_);                                                            \
    } while (0)

/* ---- 1.1 */
/* "fetch F, decode F+1, rename F+2, in ROB F+3, dispatch F+4, issue F+4, execute F+5, ... commit F+7" */
static void an_instruction_takes_eight_cycles(void **state)
{
    const struct detailed_retired *alone;

    add_alus(1);
    detailed_run();
    alone = at(0);
    assert_int_equal(alone->fetch_cyc, 0);
    assert_int_equal(alone->decode_cyc, 1);
    assert_int_equal(alone->rename_cyc, 2);
    assert_int_equal(alone->dispatch_cyc, 4);
    assert_int_equal(alone->issue_cyc, 4);
    assert_int_equal(alone->execute_cyc, 5);
    assert_int_equal(alone->to_commit_cyc, 5);
    assert_int_equal(alone->retire_cyc, 7);
    assert_int_equal(detailed.end_ps, 8 * BENCH_PERIOD_PS);    /* it looks for stores behind the last commit */
    assert_int_equal(detailed_cpu_stats(detailed.cpu)->cycles, 9);
    assert_int_equal(detailed_cpu_stats(detailed.cpu)->instructions, 1);
}

/* "A dependent single-cycle op executes in the next cycle." */
static void dependents_execute_back_to_back(void **state)
{
    for (unsigned i = 0; i < 8; i++)
        add_alu(1, 1);
    detailed_run();
    for (unsigned i = 0; i < 8; i++)
        ASSERT_CYCLES(i, 0, 4 + i, 5 + i, 7 + i);
}

static void delays_of_wires_are_keys(void **state)
{
    detailed.params.fetch_to_decode_cyc = 2;
    detailed.params.decode_to_rename_cyc = 3;
    detailed.params.rename_to_iew_cyc = 4;
    detailed.params.issue_to_execute_cyc = 2;
    detailed.params.iew_to_commit_cyc = 3;
    add_alus(1);
    detailed_run();
    assert_int_equal(at(0)->decode_cyc, 2);
    assert_int_equal(at(0)->rename_cyc, 5);
    ASSERT_CYCLES(0, 0, 9, 11, 15);      /* committable at the end of 14 */
}

/* ---- 2: fetch with an L1I of two cycles */
/* "Request at the end of the tick that ran out ...: fetch, nothing, fetch" (S5) */
static void a_block_costs_a_bubble(void **state)
{
    uint64_t first;

    detailed.params.ideal_fetch = 0;
    add_alus(33);
    detailed_run();
    first = at(0)->fetch_cyc;
    assert_int_equal(sent_at(&detailed.l1i, BENCH_CODE, 0), 0);
    assert_int_equal(first, 3);          /* the first answer of all is used a cycle late */
    assert_int_equal(at(7)->fetch_cyc, first);
    assert_int_equal(at(8)->fetch_cyc, first + 1);
    assert_int_equal(at(15)->fetch_cyc, first + 1);
    assert_int_equal(sent_at(&detailed.l1i, BENCH_CODE + 64, 0), first + 1);
    assert_int_equal(at(16)->fetch_cyc, first + 3);
    assert_int_equal(at(24)->fetch_cyc, first + 4);
    assert_int_equal(at(32)->fetch_cyc, first + 6);
    assert_int_equal(detailed_cpu_stats(detailed.cpu)->cache_lines, 3);
}

/* "An instruction cut by a block border is built only when the second block is there" (S6) */
static void an_instruction_across_blocks_comes_with_the_second(void **state)
{
    detailed.params.ideal_fetch = 0;
    add_alus(1);
    detailed.insns[0].pc = BENCH_CODE + 60;
    detailed.insns[0].size_bytes = 2;
    detailed.insns[0].next_pc = BENCH_CODE + 62;
    add_alus(2);
    detailed_run();
    assert_int_equal(at(0)->fetch_cyc, 3);
    assert_int_equal(sent_at(&detailed.l1i, BENCH_CODE + 64, 0), 3);
    assert_int_equal(at(1)->fetch_cyc, 5);
    assert_int_equal(at(2)->fetch_cyc, 5);
}

/* "A predicted-taken branch is the last instruction fetched in its cycle", and leaves the block in that cycle. */
static void a_jump_ends_the_fetch_of_its_cycle(void **state)
{
    detailed.params.ideal_fetch = 0;
    add_alus(2);
    add_jump(BENCH_CODE + 128);
    add_alus(2);
    detailed_run();
    assert_int_equal(at(2)->fetch_cyc, 3);
    assert_int_equal(sent_at(&detailed.l1i, BENCH_CODE + 128, 0), 3);
    assert_int_equal(at(3)->fetch_cyc, 5);
}

/* 2.5: a refused request is kept, and sent when the L1I calls back. */
static void a_refused_fetch_is_sent_again(void **state)
{
    detailed.params.ideal_fetch = 0;
    detailed.l1i.refuses_first = 1;
    detailed.l1i.retry_ps = 7 * BENCH_PERIOD_PS;
    add_alus(1);
    detailed_run();
    assert_int_equal(sent_at(&detailed.l1i, BENCH_CODE, 0), 7);
    assert_int_equal(at(0)->fetch_cyc, 10);
    assert_int_equal(detailed_cpu_stats(detailed.cpu)->cache_lines, 1);
}

/* ---- 5.4: latencies and units */
/* "issue I, executes I+L"; a dependent executes in the cycle after. */
static void latencies_are_those_of_the_table(void **state)
{
    static const struct { enum detailed_op op; unsigned latency_cyc; } known[] = {
        {DETAILED_OP_NO_OP, 1}, {DETAILED_OP_INT_ALU, 1}, {DETAILED_OP_INT_MULT, 3}, {DETAILED_OP_INT_DIV, 20},
        {DETAILED_OP_FLOAT_ADD, 2}, {DETAILED_OP_FLOAT_CMP, 2}, {DETAILED_OP_FLOAT_CVT, 2}, {DETAILED_OP_FLOAT_MULT, 4},
        {DETAILED_OP_FLOAT_MULT_ACC, 5}, {DETAILED_OP_FLOAT_DIV, 12}, {DETAILED_OP_FLOAT_MISC, 3},
        {DETAILED_OP_FLOAT_SQRT, 24}};

    for (size_t i = 0; i < COUNT(known); i++) {
        unsigned const latency = known[i].latency_cyc;

        detailed_prepare();
        detailed.wrong = bench_wrong_alu;    /* fetch continues, so that the core does not sleep (1.3 c) */
        add_op(known[i].op, 1, 0);
        add_alu(2, 1);
        detailed_run();
        ASSERT_CYCLES(0, 0, 4, 4 + latency, 6 + latency);
        ASSERT_CYCLES(1, 0, 4 + latency, 5 + latency, 7 + latency);
        detailed_tear_down(NULL);
    }
}

/* "at most (number of units) issues per cycle per unit group": cycles of issue of eight of the same class. */
static void expect_issues(enum detailed_op op, unsigned a_cycle, unsigned busy)
{
    detailed_prepare();
    for (unsigned i = 0; i < 8; i++)
        add_op(op, 0, 0);
    detailed_run();
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(at(i)->issue_cyc, 4 + i / a_cycle);
    assert_int_equal(detailed_cpu_stats(detailed.cpu)->busy_class[op], busy);
    detailed_tear_down(NULL);
}

static void as_many_issue_as_there_are_units(void **state)
{
    expect_issues(DETAILED_OP_INT_ALU, 6, 1);
    expect_issues(DETAILED_OP_INT_MULT, 2, 3);
    expect_issues(DETAILED_OP_FLOAT_ADD, 4, 1);
    expect_issues(DETAILED_OP_FLOAT_MISC, 2, 3);
    expect_issues(DETAILED_OP_NO_OP, 8, 0);
}

/* "issued @I with latency L it can be reused @I+L"; multiplications use the same two units. */
static void a_division_holds_its_unit(void **state)
{
    detailed.wrong = bench_wrong_alu;
    for (unsigned i = 0; i < 3; i++)
        add_op(DETAILED_OP_INT_DIV, 0, 0);
    add_op(DETAILED_OP_INT_MULT, 0, 0);
    detailed_run();
    ASSERT_CYCLES(0, 0, 4, 24, 26);
    ASSERT_CYCLES(1, 0, 4, 24, 26);
    ASSERT_CYCLES(2, 0, 24, 44, 46);
    assert_int_equal(at(3)->issue_cyc, 24);
    assert_int_equal(at(3)->retire_cyc, 46);
}

/* One division leaves the other unit, which takes one multiplication a cycle. */
static void a_division_leaves_one_unit_to_others(void **state)
{
    add_op(DETAILED_OP_FLOAT_DIV, 0, 0);
    for (unsigned i = 0; i < 4; i++)
        add_op(DETAILED_OP_FLOAT_MULT, 0, 0);
    detailed_run();
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(at(1 + i)->issue_cyc, 4 + i);
}

/* "repeatedly take the oldest instruction among all op classes": two a cycle. */
static void the_oldest_issues_first(void **state)
{
    detailed.params.issue_width = 2;
    add_op(DETAILED_OP_FLOAT_ADD, 0, 0);
    add_alus(1);
    add_op(DETAILED_OP_INT_MULT, 0, 0);
    add_alus(1);
    add_op(DETAILED_OP_FLOAT_ADD, 0, 0);
    detailed_run();
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(at(i)->issue_cyc, 4 + i / 2);
}

/* "several completing together come in reverse order of their issue": one is written back a cycle, so it shows. */
static void results_of_one_cycle_come_in_reverse_order(void **state)
{
    detailed.params.writeback_width = 1;
    add_op(DETAILED_OP_INT_MULT, 0, 0);
    add_op(DETAILED_OP_INT_MULT, 0, 0);
    detailed_run();
    assert_int_equal(at(0)->execute_cyc, 7);
    assert_int_equal(at(1)->execute_cyc, 7);
    assert_int_equal(at(1)->to_commit_cyc, 7);
    assert_int_equal(at(0)->to_commit_cyc, 8);
}

/* "appended to the execution list behind the single-cycle ones" */
static void results_of_long_operations_follow_those_of_one_cycle(void **state)
{
    detailed.params.writeback_width = 1;
    add_op(DETAILED_OP_INT_MULT, 0, 0);
    add_alu(1, 0);
    add_alu(1, 1);
    add_alu(1, 1);                       /* executed in 7, as the multiplication */
    detailed_run();
    assert_int_equal(at(0)->execute_cyc, 7);
    assert_int_equal(at(3)->execute_cyc, 7);
    assert_int_equal(at(3)->to_commit_cyc, 7);
    assert_int_equal(at(0)->to_commit_cyc, 8);
}

/* ---- 5.6 */
/* "8 slots per cycle, then the next cycle": dependents wait, too. */
static void results_overflow_into_the_next_cycle(void **state)
{
    detailed.params.writeback_width = 2;
    for (unsigned i = 0; i < 5; i++)
        add_alu((uint16_t)(i + 1), 0);
    add_alu(6, 5);
    detailed_run();
    for (unsigned i = 0; i < 5; i++) {
        assert_int_equal(at(i)->execute_cyc, 5);
        assert_int_equal(at(i)->to_commit_cyc, 5 + i / 2);
    }
    assert_int_equal(at(5)->issue_cyc, 7);
}

/* S21: "results arriving before the next tick go to one cycle later than normal", though there is room: the load's
 * answer comes before tick 7, and in 6 three results found two slots. */
static void an_overflow_delays_the_answers_before_the_next_tick(void **state)
{
    for (unsigned is_overflow = 0; is_overflow < 2; is_overflow++) {
        detailed_prepare();
        detailed.params.writeback_width = 2;
        add_load(1, 0x1000, 8);
        add_alu(2, 0);
        add_alu(3, 2);
        add_alu(4, 2);
        if (is_overflow)
            add_alu(5, 2);
        detailed_run();
        assert_int_equal(at(3)->execute_cyc, 6);
        assert_int_equal(at(0)->execute_cyc, 5);
        assert_int_equal(at(0)->to_commit_cyc, is_overflow ? 8 : 7);
        detailed_tear_down(NULL);
    }
}

/* ---- 1.3 (c) */
/* A division that finds the core asleep, fetch waiting for the L1I, is executed a cycle earlier. */
static void a_division_wakes_a_sleeping_core(void **state)
{
    for (unsigned is_asleep = 0; is_asleep < 2; is_asleep++) {
        detailed_prepare();
        detailed.wrong = bench_wrong_alu;
        detailed.params.ideal_fetch = 0;
        detailed.l1i.latency_ps = (is_asleep ? 100 : 2) * BENCH_PERIOD_PS;
        for (unsigned i = 0; i < 7; i++)
            add_alus(1);
        add_op(DETAILED_OP_INT_DIV, 1, 0);
        detailed.insns[7].next_pc = BENCH_CODE + 256;    /* continues in a block that is not there */
        add_alus(1);
        detailed_run();
        assert_int_equal(at(7)->execute_cyc - at(7)->issue_cyc, is_asleep ? 19 : 20);
        detailed_tear_down(NULL);
    }
}

/* ---- 4.3, 7.5, 7.8: what serialises */
/* "instruction after a serialising one is dispatched exactly 3 cycles after that one's commit when no store is
 * pending" */
static void instructions_after_a_serialising_one_wait(void **state)
{
    add_alus(3);
    add_serialising();
    add_alus(3);
    detailed_run();
    assert_int_equal(at(3)->retire_cyc, at(2)->retire_cyc + 1 + 5);
    assert_int_equal(at(4)->dispatch_cyc, at(3)->retire_cyc + 3);
    assert_int_equal(at(6)->dispatch_cyc, at(3)->retire_cyc + 3);
    assert_int_equal(detailed_cpu_stats(detailed.cpu)->serializing, 1);
    assert_int_equal(detailed_cpu_stats(detailed.cpu)->temp_serializing, 1);
}

/* S17: "needs all stores answered by the L1D, non-speculative ones too" */
static void a_serialising_one_waits_for_stores(void **state)
{
    uint64_t answer;

    detailed.l1d.latency_ps = 50 * BENCH_PERIOD_PS;
    add_store(0, 0x1000, 8);
    add_serialising();
    add_alus(1);
    detailed_run();
    answer = sent_at(&detailed.l1d, 0x1000, 0) + 50;
    assert_int_equal(sent_at(&detailed.l1d, 0x1000, 0), at(0)->retire_cyc + 2);
    /* The store is answered before tick `answer`, whose commit asks; then request T, issue T+2, execute T+3, commit
     * T+5. */
    assert_int_equal(at(1)->issue_cyc, answer + 2);
    assert_int_equal(at(1)->execute_cyc, answer + 3);
    assert_int_equal(at(1)->retire_cyc, answer + 5);
    assert_int_equal(at(2)->dispatch_cyc, at(1)->retire_cyc + 3);
}

/* 7.5: "request T0, issue T0+2, execute T0+3, committable end of T0+4, trap T = T0+5, squash T0+19, next instruction
 * fetched T0+21"; "drained 17 after execution". */
static void a_system_call_traps(void **state)
{
    uint64_t head;

    add_alus(1);
    add_syscall();
    add_alus(1);
    detailed_run();
    head = at(0)->retire_cyc + 1;
    assert_int_equal(at(1)->issue_cyc, head + 2);
    assert_int_equal(at(1)->execute_cyc, head + 3);
    assert_true(at(1)->is_squashed && at(1)->has_fault);
    assert_int_equal(at(1)->retire_cyc, head + 3 + 17);
    assert_int_equal(at(2)->fetch_cyc, head + 21);
    assert_int_equal(detailed_cpu_stats(detailed.cpu)->instructions, 2);    /* S2 */
}

/* "Committed @C; next cycle C+1: squash all younger ...; fetch sees it @C+2", works again in C+3. */
static void a_squash_after_fetches_anew(void **state)
{
    add_alus(1);
    add_serialising()->uops[0].flags |= UOP_SQUASH_AFTER;
    add_alus(2);
    detailed_run();
    assert_int_equal(at(2)->fetch_cyc, at(1)->retire_cyc + 3);
}

/* The run ends with the exit: in the trap's cycle T. */
static void an_exit_ends_the_run(void **state)
{
    add_alus(1);
    add_syscall();
    detailed_run();
    assert_int_equal(detailed.end_ps / BENCH_PERIOD_PS, at(0)->retire_cyc + 1 + 5);
    assert_int_equal(detailed_cpu_stats(detailed.cpu)->cycles, detailed.end_ps / BENCH_PERIOD_PS + 1);
    assert_int_equal(detailed_cpu_stats(detailed.cpu)->instructions, 1);
}

/* Without one it ends when the stores of its instructions are answered. */
static void a_run_ends_with_its_stores(void **state)
{
    detailed.l1d.latency_ps = 30 * BENCH_PERIOD_PS;
    add_store(0, 0x1000, 8);
    add_alus(1);
    detailed_run();
    assert_int_equal(detailed.end_ps / BENCH_PERIOD_PS, at(0)->retire_cyc + 2 + 30);
}

/* ---- widths and queues */
static void no_stage_passes_more_than_its_width(void **state)
{
    detailed.params.commit_width = 3;
    add_alus(24);
    detailed_run();
    for (unsigned i = 0; i < 24; i++) {
        assert_int_equal(at(i)->fetch_cyc, i / 8);
        assert_int_equal(at(i)->dispatch_cyc, 4 + i / 8);
        assert_int_equal(at(i)->retire_cyc, 7 + i / 3);
    }
}

/* S7: a renamed micro-op counts twice until its dispatch is reported, so that with a ROB of 16 there are passes that
 * find too few; the first is that of the second cycle: 16 - 8 in progress = 8 are free, the third finds none. */
static void a_full_rob_stops_rename(void **state)
{
    detailed.params.rob_entries = 16;
    detailed.wrong = bench_wrong_alu;
    add_op(DETAILED_OP_INT_DIV, 1, 0);
    add_alus(40);
    detailed_run();
    assert_int_equal(at(7)->dispatch_cyc, 4);
    assert_int_equal(at(15)->dispatch_cyc, 5);
    assert_int_equal(at(0)->retire_cyc, 26);
    assert_true(at(16)->dispatch_cyc > at(0)->retire_cyc);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, detailed_tear_down)
/* Those prepare by themselves, and several times. */
#define TESTS(name) cmocka_unit_test(name)
    const struct CMUnitTest tests[] = {
        TEST(an_instruction_takes_eight_cycles),
        TEST(dependents_execute_back_to_back),
        TEST(delays_of_wires_are_keys),
        TEST(a_block_costs_a_bubble),
        TEST(an_instruction_across_blocks_comes_with_the_second),
        TEST(a_jump_ends_the_fetch_of_its_cycle),
        TEST(a_refused_fetch_is_sent_again),
        TESTS(latencies_are_those_of_the_table),
        TESTS(as_many_issue_as_there_are_units),
        TEST(a_division_holds_its_unit),
        TEST(a_division_leaves_one_unit_to_others),
        TEST(the_oldest_issues_first),
        TEST(results_of_one_cycle_come_in_reverse_order),
        TEST(results_of_long_operations_follow_those_of_one_cycle),
        TEST(results_overflow_into_the_next_cycle),
        TESTS(an_overflow_delays_the_answers_before_the_next_tick),
        TESTS(a_division_wakes_a_sleeping_core),
        TEST(instructions_after_a_serialising_one_wait),
        TEST(a_serialising_one_waits_for_stores),
        TEST(a_system_call_traps),
        TEST(a_squash_after_fetches_anew),
        TEST(an_exit_ends_the_run),
        TEST(a_run_ends_with_its_stores),
        TEST(no_stage_passes_more_than_its_width),
        TEST(a_full_rob_stops_rename),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
