/* replay/detailed/: loads, stores, atomics and fences of one core, cycle by cycle, as o3-core 5.9 and 6 have them. */
#include "tests/support/detailed_bench.h"
#include "tests/support/unit.h"

enum { A = 0x1000 };

static int set_up(void **state)
{
    detailed_prepare();
    detailed.wrong = bench_wrong_alu;
    return 0;
}

static const struct detailed_stats *stats(void)
{
    return detailed_cpu_stats(detailed.cpu);
}

/* ---- loads */
/* "consumer issue execute+2 for a 2-cycle L1D hit" */
static void a_load_gives_its_result_with_the_answer(void **state)
{
    add_load(1, A, 8);
    add_alu(2, 1);
    detailed_run();
    assert_int_equal(at(0)->execute_cyc, 5);
    assert_int_equal(sent_at(&detailed.l1d, A, 0), 5);
    assert_int_equal(at(0)->to_commit_cyc, 7);
    assert_int_equal(at(1)->issue_cyc, 7);
    assert_int_equal(at(0)->retire_cyc, 9);
}

/* An answer between two edges goes to the coming cycle. */
static void an_answer_between_edges_is_used_at_the_next(void **state)
{
    detailed.l1d.latency_ps = 2 * BENCH_PERIOD_PS + 1;
    add_load(1, A, 8);
    detailed_run();
    assert_int_equal(at(0)->to_commit_cyc, 8);
}

/* "loads and stores share the 4" */
static void four_accesses_issue_a_cycle(void **state)
{
    for (unsigned i = 0; i < 4; i++) {
        add_load(1, A + 64 * (uint64_t)i, 8);
        add_store(0, A + 0x800 + 64 * (uint64_t)i, 8);
    }
    detailed_run();
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(at(i)->issue_cyc, 4 + i / 4);
}

/* "split only at 64-byte block borders"; "all sent in the same tick" */
static void a_load_across_lines_is_two_packets(void **state)
{
    add_load(1, A + 60, 8);
    add_load(2, A + 31, 8);
    detailed_run();
    assert_int_equal(sent_at(&detailed.l1d, A + 60, 0), 5);
    assert_int_equal(sent_at(&detailed.l1d, A + 64, 0), 5);
    assert_int_equal(sent_at(&detailed.l1d, A + 31, 0), 5);
    assert_int_equal(detailed.l1d.sent_count, 3);
    assert_int_equal(detailed.l1d.sent[0].size_bytes, 4);
    assert_int_equal(detailed.l1d.sent[1].size_bytes, 4);
    assert_int_equal(at(0)->to_commit_cyc, 7);
}

/* ---- refusals (6.3) */
/* "blocked list -> retry list (issue step of the next tick ...): >= 1 cycle later" */
static void a_refused_load_is_executed_again(void **state)
{
    detailed.l1d.refuses_first = 1;
    add_load(1, A, 8);
    detailed_run();
    assert_int_equal(at(0)->issue_cyc, 8);       /* refused in 5, called before tick 8 */
    assert_int_equal(at(0)->execute_cyc, 9);
    assert_int_equal(sent_at(&detailed.l1d, A, 0), 9);
    assert_int_equal(at(0)->to_commit_cyc, 11);
    assert_int_equal(stats()->blocked_by_cache, 1);
    assert_int_equal(stats()->issued_class[DETAILED_OP_MEM_READ], 2);
}

/* "While cacheBlocked, nothing is offered (no count)." */
static void while_one_is_refused_no_other_is_offered(void **state)
{
    detailed.l1d.refuses_first = 1;
    detailed.l1d.retry_ps = 20 * BENCH_PERIOD_PS;
    add_load(1, A, 8);
    add_alu(2, 0);
    add_load(3, A + 64, 8)->uops[0].sources[0] = 2;
    detailed_run();
    assert_int_equal(stats()->blocked_by_cache, 1);
    assert_int_equal(sent_at(&detailed.l1d, A, 0), 26);
    assert_int_equal(sent_at(&detailed.l1d, A + 64, 0), 26);
}

/* "keeps ... its sent packets (split: only the rest is sent later)" */
static void only_the_refused_part_is_sent_again(void **state)
{
    detailed.l1d.takes_first = 1;
    detailed.l1d.refuses_first = 1;
    add_load(1, A + 60, 8);
    detailed_run();
    assert_int_equal(sent_at(&detailed.l1d, A + 60, 0), 5);
    assert_int_equal(sent_at(&detailed.l1d, A + 60, 1), UINT64_MAX);
    assert_int_equal(sent_at(&detailed.l1d, A + 64, 0), 9);
    assert_int_equal(at(0)->to_commit_cyc, 11);
}

/* "then a blocked store is resent immediately, in the event"; those behind it follow in the write-back step. */
static void a_refused_store_is_sent_when_the_cache_calls(void **state)
{
    detailed.l1d.refuses_first = 1;
    detailed.l1d.retry_ps = 5 * BENCH_PERIOD_PS / 2;
    add_store(0, A, 8);
    add_store(0, A + 64, 8);
    detailed_run();
    assert_int_equal(at(0)->retire_cyc, 7);
    assert_int_equal(sent_at(&detailed.l1d, A, 0), 11);            /* refused in 9; at 11.5 */
    assert_int_equal(sent_at(&detailed.l1d, A + 64, 0), 12);
    assert_int_equal(stats()->blocked_by_cache, 1);
}

/* ---- stores (6.4) */
/* "committed @C -> offered to the L1D in step 10 @C+2"; "Any number per cycle." (S14) */
static void stores_are_sent_two_cycles_after_commit(void **state)
{
    for (unsigned i = 0; i < 6; i++)
        add_store(0, A + 64 * (uint64_t)i, 8);
    detailed_run();
    for (unsigned i = 0; i < 6; i++)
        assert_int_equal(sent_at(&detailed.l1d, A + 64 * (uint64_t)i, 0), at(i)->retire_cyc + 2);
    assert_int_equal(at(0)->retire_cyc, at(3)->retire_cyc);
}

/* A store of the wrong path never reaches the cache (8.4). */
static const struct supply_insn *wrong_stores(uint64_t pc)
{
    struct bench_insn const insn = {.pc = pc, .next_pc = pc + 4, .size_bytes = 4, .uop_count = 1,
                                    .uops = {{.op = DETAILED_OP_MEM_WRITE, .flags = UOP_STORE, .address = A + pc,
                                              .size_bytes = 8}}};

    return bench_make(&insn, SUPPLY_WRONG);
}

static void stores_of_wrong_paths_are_not_sent(void **state)
{
    detailed.branch.type = BRANCH_TOURNAMENT;
    detailed.wrong = wrong_stores;
    add_op(DETAILED_OP_INT_DIV, 1, 0);
    add_branch(1, BENCH_CODE + 0x400);
    add_op(DETAILED_OP_INT_DIV, 1, 0);
    detailed_run();
    assert_int_equal(detailed.l1d.sent_count, 0);
    assert_true(stats()->squashed_stores > 0);
}

/* ---- forwarding (6.2) */
/* "executed @E, writeback @E+1, dependents execute @E+2" */
static void a_load_within_a_store_is_forwarded(void **state)
{
    add_store(0, A, 8);
    add_load(1, A + 4, 4);
    add_alu(2, 1);
    detailed_run();
    assert_int_equal(at(1)->execute_cyc, 5);
    assert_int_equal(at(1)->to_commit_cyc, 6);
    assert_int_equal(at(2)->execute_cyc, 7);
    assert_int_equal(stats()->forwarded_loads, 1);
    assert_int_equal(sent_at(&detailed.l1d, A + 4, 0), UINT64_MAX);
}

/* "when the remembered store is sent to the cache, all loads in the replay list enter the ready lists": commit C, sent
 * C+2, issue C+3, execute C+4. */
static void expect_replay(void)
{
    uint64_t commit;

    detailed_run();
    commit = at(0)->retire_cyc;
    assert_int_equal(sent_at(&detailed.l1d, A, 0), commit + 2);
    assert_int_equal(at(1)->issue_cyc, commit + 3);
    assert_int_equal(at(1)->execute_cyc, commit + 4);
    assert_int_equal(at(1)->to_commit_cyc, commit + 6);
    assert_int_equal(stats()->rescheduled_loads, 1);
    assert_int_equal(stats()->forwarded_loads, 0);
}

static void a_load_beyond_a_store_waits_until_it_is_sent(void **state)
{
    add_store(0, A, 4);
    add_load(1, A, 8);
    expect_replay();
    assert_int_equal(sent_at(&detailed.l1d, A, 1), at(1)->execute_cyc);
}

/* "No forwarding to it: any overlapping store in the SQ makes it wait" */
static void no_store_is_forwarded_to_a_linked_load(void **state)
{
    add_store(0, A, 8);
    add_linked(1, A);
    expect_replay();
}

/* "The first store (youngest) with an overlap decides." */
static void the_youngest_store_decides(void **state)
{
    add_store(0, A, 4);
    add_store(0, A, 8);
    add_load(1, A, 8);
    add_store(0, A + 64, 8);
    add_store(0, A + 64, 4);
    add_load(1, A + 64, 8);
    detailed_run();
    assert_int_equal(stats()->forwarded_loads, 1);
    assert_int_equal(stats()->rescheduled_loads, 1);
    assert_int_equal(at(2)->to_commit_cyc, at(2)->execute_cyc + 1);
}

/* S13: "Stores that were sent are not searched for forwarding" */
static void a_store_that_was_sent_is_not_seen(void **state)
{
    detailed.l1d.latency_ps = 100 * BENCH_PERIOD_PS;
    add_store(0, A, 4);
    add_op(DETAILED_OP_INT_DIV, 1, 0);
    add_load(2, A, 8)->uops[0].sources[0] = 1;
    detailed_run();
    assert_true(at(2)->execute_cyc > sent_at(&detailed.l1d, A, 0));
    assert_int_equal(sent_at(&detailed.l1d, A, 1), at(2)->execute_cyc);
    assert_int_equal(stats()->rescheduled_loads + stats()->forwarded_loads, 0);
}

/* ---- fences, atomics (5.9): head T, request T, issue T+2, execute T+3 */
static void a_fence_holds_accesses_back(void **state)
{
    uint64_t head;

    add_alus(1);
    add_fence();
    add_load(1, A, 8);
    add_store(0, A + 64, 8);
    add_alu(2, 0);
    detailed_run();
    head = at(0)->retire_cyc + 1;
    assert_int_equal(at(1)->issue_cyc, head + 2);
    assert_int_equal(at(1)->execute_cyc, head + 3);
    assert_int_equal(at(1)->retire_cyc, head + 5);
    assert_int_equal(at(2)->issue_cyc, head + 3);
    assert_int_equal(at(3)->issue_cyc, head + 3);
    assert_int_equal(at(4)->issue_cyc, 4);       /* S18: "fence does not serialise rename" */
    assert_int_equal(stats()->conflicting_loads, 1);
    assert_int_equal(stats()->conflicting_stores, 1);
}

/* Behind two fences: both. */
static void accesses_wait_for_all_fences(void **state)
{
    add_alus(1);
    add_fence();
    add_fence();
    add_load(1, A, 8);
    detailed_run();
    assert_int_equal(at(2)->execute_cyc, at(1)->retire_cyc + 1 + 3);
    assert_int_equal(at(3)->issue_cyc, at(2)->execute_cyc);
}

/* "AMO: packet to the L1D @T+3, response -> commit >= 2 cycles after the response's tick" */
static void an_atomic_is_sent_at_the_head(void **state)
{
    uint64_t head;

    add_alus(1);
    add_atomic(1, A);
    add_alu(2, 1);
    add_load(3, A + 64, 8);
    detailed_run();
    head = at(0)->retire_cyc + 1;
    assert_int_equal(at(1)->execute_cyc, head + 3);
    assert_int_equal(sent_at(&detailed.l1d, A, 0), head + 3);
    assert_int_equal(at(1)->to_commit_cyc, head + 5);
    assert_int_equal(at(1)->retire_cyc, head + 7);
    assert_int_equal(at(2)->issue_cyc, head + 5);
    assert_int_equal(at(3)->issue_cyc, 4);       /* S19 */
    assert_int_equal(detailed.l1d.sent[1].command, CMD_SwapReq);
}

/* S19: "loads pass relaxed AMOs, and are squashed by 6.5 if they overlap" */
static void a_load_ahead_of_an_atomic_is_squashed(void **state)
{
    add_alus(1);
    add_atomic(1, A);
    add_load(2, A + 8, 8);
    detailed_run();
    assert_int_equal(stats()->detected_violations, 1);
    assert_int_equal(at(2)->fetch_cyc, at(1)->execute_cyc + 3);
}

static void a_conditional_store_with_its_reservation_is_sent(void **state)
{
    uint64_t head;

    add_linked(1, A);
    add_conditional(2, A + 8);
    add_alu(3, 2);
    detailed_run();
    head = at(0)->retire_cyc + 1;
    assert_int_equal(detailed.l1d.sent[0].command, CMD_LoadLockedReq);
    assert_int_equal(sent_at(&detailed.l1d, A + 8, 0), head + 3);
    assert_int_equal(detailed.l1d.sent[1].command, CMD_StoreCondReq);
    assert_int_equal(at(1)->retire_cyc, head + 7);
    /* As serialise-after; a store that commits makes the ROB empty a cycle later (7.7). */
    assert_int_equal(at(2)->dispatch_cyc, at(1)->retire_cyc + 4);
}

/* "else completed without memory access: its result is in the slot of T+4" */
static void expect_failure(uint64_t address)
{
    uint64_t head;

    add_alus(1);
    add_conditional(2, address);
    add_alu(3, 2);
    detailed_run();
    head = at(0)->retire_cyc + 1;
    assert_int_equal(at(1)->execute_cyc, head + 3);
    assert_int_equal(at(1)->to_commit_cyc, head + 4);
    assert_int_equal(at(1)->retire_cyc, head + 6);
    assert_int_equal(at(2)->issue_cyc, at(1)->retire_cyc + 4);
    assert_int_equal(detailed.l1d.sent_count, 0);
    assert_int_equal(stats()->instructions, 3);
}

static void a_conditional_store_without_reservation_fails(void **state)
{
    expect_failure(A);
}

/* The trace says that it failed: it has no access. */
static void a_conditional_store_without_access_fails(void **state)
{
    expect_failure(0);
}

/* "any SC clears it" */
static void the_second_conditional_store_fails(void **state)
{
    add_linked(1, A);
    add_conditional(2, A);
    add_conditional(2, A + 64);
    add_conditional(2, A);
    add_alus(1);
    detailed_run();
    assert_int_equal(detailed.l1d.sent_count, 2);
}

/* ---- queues */
/* A load queue of 8 and loads that miss: rename stops at the ninth, and LQFullEvents says so. */
static void a_full_load_queue_stops_rename(void **state)
{
    detailed.params.lq_entries = 8;
    detailed.l1d.latency_ps = 100 * BENCH_PERIOD_PS;
    for (unsigned i = 0; i < 24; i++)
        add_load(1, A + 64 * (uint64_t)i, 8);
    detailed_run();
    assert_int_equal(at(7)->dispatch_cyc, 4);
    assert_true(at(8)->dispatch_cyc > at(0)->retire_cyc);
    assert_true(stats()->lq_full > 0);
}

/* S9: memory operations keep their entry of the instruction queue until they are written back. */
static void loads_that_wait_hold_the_instruction_queue(void **state)
{
    detailed.params.iq_entries = 8;
    detailed.l1d.latency_ps = 100 * BENCH_PERIOD_PS;
    for (unsigned i = 0; i < 8; i++)
        add_load(1, A + 64 * (uint64_t)i, 8);
    add_alus(8);
    detailed_run();
    assert_true(at(8)->dispatch_cyc >= at(0)->to_commit_cyc);
    detailed_tear_down(NULL);
    set_up(NULL);
    detailed.params.iq_entries = 8;
    add_op(DETAILED_OP_INT_DIV, 1, 0);
    add_alus(16);                        /* these leave it when they issue */
    detailed_run();
    assert_true(at(16)->dispatch_cyc < at(0)->to_commit_cyc);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, detailed_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_load_gives_its_result_with_the_answer),
        TEST(an_answer_between_edges_is_used_at_the_next),
        TEST(four_accesses_issue_a_cycle),
        TEST(a_load_across_lines_is_two_packets),
        TEST(a_refused_load_is_executed_again),
        TEST(while_one_is_refused_no_other_is_offered),
        TEST(only_the_refused_part_is_sent_again),
        TEST(a_refused_store_is_sent_when_the_cache_calls),
        TEST(stores_are_sent_two_cycles_after_commit),
        TEST(stores_of_wrong_paths_are_not_sent),
        TEST(a_load_within_a_store_is_forwarded),
        TEST(a_load_beyond_a_store_waits_until_it_is_sent),
        TEST(no_store_is_forwarded_to_a_linked_load),
        TEST(the_youngest_store_decides),
        TEST(a_store_that_was_sent_is_not_seen),
        TEST(a_fence_holds_accesses_back),
        TEST(accesses_wait_for_all_fences),
        TEST(an_atomic_is_sent_at_the_head),
        TEST(a_load_ahead_of_an_atomic_is_squashed),
        TEST(a_conditional_store_with_its_reservation_is_sent),
        TEST(a_conditional_store_without_reservation_fails),
        TEST(a_conditional_store_without_access_fails),
        TEST(the_second_conditional_store_fails),
        TEST(a_full_load_queue_stops_rename),
        TEST(loads_that_wait_hold_the_instruction_queue),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
