/* replay/detailed/: mechanisms that the reference has not, by their keys, against the same program without them. Cycles
 * count from the fetch of the first instruction. */
#include "tests/support/detailed_bench.h"
#include "tests/support/unit.h"

static int set_up(void **state)
{
    detailed_prepare();
    return 0;
}

/* ---- idioms.c */
/* "register moves, whose destination becomes another name of the source's register" */
static void a_move_takes_no_time(void **state)
{
    detailed.params.move_elimination = 1;
    add_alu(1, 0);
    add_alu(2, 1)->uops[0].traits = UOP_MOVES;
    add_alu(3, 2)->uops[0].traits = UOP_MOVES;
    add_alu(4, 3);
    detailed_run();
    assert_int_equal(at(3)->issue_cyc, at(0)->issue_cyc + 1);
    assert_int_equal(detailed_cpu_stats(detailed.cpu)->instructions, 4);
}

static void without_the_key_it_does(void **state)
{
    add_alu(1, 0);
    add_alu(2, 1)->uops[0].traits = UOP_MOVES;
    add_alu(3, 2)->uops[0].traits = UOP_MOVES;
    add_alu(4, 3);
    detailed_run();
    assert_int_equal(at(3)->issue_cyc, at(0)->issue_cyc + 3);
}

/* "xor of a register with itself and its like, whose results are a register that is always 0" */
static void a_zero_idiom_waits_for_nothing(void **state)
{
    detailed.params.zero_idioms = 1;
    add_op(DETAILED_OP_INT_DIV, 1, 1);
    add_alu(1, 0)->uops[0].traits = UOP_ZEROES;
    add_alu(2, 1);
    detailed_run();
    assert_int_equal(at(2)->issue_cyc, at(0)->issue_cyc);
    assert_int_equal(detailed_cpu_stats(detailed.cpu)->issued_class[DETAILED_OP_INT_ALU], 1);
}

/* A name of a register outlives the one that it was given by. */
static void a_shared_register_is_free_when_its_last_name_is(void **state)
{
    detailed.params.move_elimination = 1;
    detailed.params.int_registers = 40;
    for (unsigned i = 0; i < 60; i++) {
        add_alu(1, 2);
        add_alu(2, 1)->uops[0].traits = UOP_MOVES;
        add_alu(1, 0);
    }
    detailed_run();
    assert_int_equal(detailed_cpu_stats(detailed.cpu)->instructions, 180);
}

/* ---- rename_registers.c */
/* "flags have registers of their own" */
static void flags_take_no_integer_register(void **state)
{
    uint64_t full;

    for (unsigned has_own = 0; has_own < 2; has_own++) {
        detailed_tear_down(NULL);
        detailed_prepare();
        detailed.params.int_registers = 40;
        detailed.params.flag_registers = has_own ? 100 : 0;
        add_op(DETAILED_OP_INT_DIV, 1, 1);
        for (unsigned i = 0; i < 20; i++)
            add_alu(2, 1)->uops[0].flag_results = 1;
        detailed_run();
        full = detailed_cpu_stats(detailed.cpu)->registers_full;
        assert_int_equal(full > 0, !has_own);
    }
}

/* ---- fusion.c */
/* "A branch that is renamed in the cycle of the operation is executed with it" */
static void a_fused_branch_is_executed_with_its_comparison(void **state)
{
    detailed.params.macro_fusion = MACRO_FUSION_COMPARE;
    detailed.params.units[DETAILED_UNIT_INT_ALU] = 1;
    add_alu(1, 0)->uops[0].traits = UOP_FUSES_COMPARE;
    add_branch(1, BENCH_CODE + 64);
    detailed_run();
    assert_int_equal(at(1)->execute_cyc, at(0)->execute_cyc);
    assert_int_equal(detailed_cpu_stats(detailed.cpu)->issued_class[DETAILED_OP_INT_ALU], 1);
    assert_int_equal(detailed_cpu_stats(detailed.cpu)->branches, 1);
}

/* key macroFusion: "arithmetic: add, sub, inc, dec, and, too" */
static void what_is_not_named_is_not_fused(void **state)
{
    detailed.params.macro_fusion = MACRO_FUSION_ARITHMETIC;
    add_alu(1, 0)->uops[0].traits = UOP_FUSES_LOGIC;
    add_branch(1, BENCH_CODE + 64);
    detailed_run();
    assert_int_equal(at(1)->execute_cyc, at(0)->execute_cyc + 1);
}

/* "it takes no slot of fetch, decode, rename, dispatch and commit, and no ROB entry" */
static void a_joined_computation_takes_no_slot(void **state)
{
    detailed.params.micro_fusion = 1;
    detailed.params.fetch_width = detailed.params.decode_width = detailed.params.rename_width = 2;
    detailed.params.commit_width = 2;
    for (unsigned i = 0; i < 2; i++) {
        struct bench_insn *const insn = add_load(1, 0x1000, 8);

        insn->uop_count = 2;
        insn->uops[1] = (struct bench_uop){.op = DETAILED_OP_INT_ALU, .sources = {1}, .result = 2, .traits = UOP_JOINS};
    }
    detailed_run();
    assert_int_equal(at_uop(1, 1)->fetch_cyc, at(0)->fetch_cyc);
    assert_int_equal(at_uop(1, 1)->dispatch_cyc, at(0)->dispatch_cyc);
    assert_int_equal(at_uop(1, 1)->retire_cyc, at_uop(0, 1)->retire_cyc);
}

/* ---- detailed_issue.c */
/* Four comparisons, each one with its branch, and four additions, all ready at once: cycles from the first issued to
 * the last. */
static uint64_t branches_and_additions(uint64_t branch_units, uint64_t most_branches)
{
    uint64_t first = UINT64_MAX, last = 0;

    detailed_tear_down(NULL);
    detailed_prepare();
    detailed.params.macro_fusion = MACRO_FUSION_COMPARE;
    detailed.params.units[DETAILED_UNIT_INT_ALU] = 2;
    detailed.params.branch_units = branch_units;
    detailed.params.most_branches = most_branches;
    add_op(DETAILED_OP_INT_DIV, 1, 1);
    for (unsigned i = 0; i < 4; i++) {
        add_alu(3, 1)->uops[0].traits = UOP_FUSES_COMPARE;
        add_branch(3, BENCH_CODE + 12 * i + 12);
        add_alu(4, 1);
    }
    detailed_run();
    for (unsigned i = 1; i <= 12; i++) {
        first = min_u64(first, at(i)->issue_cyc);
        last = max_u64(last, at(i)->issue_cyc);
    }
    return last - first + 1;
}

/* "branches, and comparisons that are one with a branch, have units of their own, and take integer ones when these are
 * busy" */
static void branches_have_units_of_their_own(void **state)
{
    assert_int_equal(branches_and_additions(0, 0), 4);       /* eight on two units */
    assert_int_equal(branches_and_additions(2, 0), 2);       /* on two and two */
    assert_int_equal(branches_and_additions(1, 0), 3);       /* on three */
    assert_int_equal(branches_and_additions(2, 1), 4);       /* branchMost: one branch a cycle */
}

/* "an operation whose result is a register needs an integer unit even with its branch" */
static void an_addition_needs_its_unit_even_with_a_branch(void **state)
{
    detailed.params.macro_fusion = MACRO_FUSION_ARITHMETIC;
    detailed.params.units[DETAILED_UNIT_INT_ALU] = 1;
    detailed.params.branch_units = 1;
    add_op(DETAILED_OP_INT_DIV, 1, 1);
    add_alu(2, 1);
    add_alu(3, 1)->uops[0].traits = UOP_FUSES_ARITHMETIC;
    add_branch(3, BENCH_CODE + 64);
    detailed_run();
    assert_int_equal(at(2)->issue_cyc, at(1)->issue_cyc + 1);
}

/* ---- memory_renaming.c */
/* A store to [5] and a load from it, `wait` cycles of latency by memory. */
static void add_pair(uint16_t data, uint16_t result)
{
    struct bench_insn *const store = add_store(0, 0x1000, 8);
    struct bench_insn *load;

    store->uops[0].sources[0] = 5;
    store->uops[0].sources[1] = data;
    store->uops[0].address_sources = 1;
    load = add_load(result, 0x1000, 8);
    load->uops[0].sources[0] = 5;
    load->uops[0].address_sources = 1;
}

/* "has its result memoryRenamingLatency cycles behind that store's data" */
static void a_load_has_the_data_of_the_store_before_it(void **state)
{
    detailed.params.renamed_stores = 4;
    add_op(DETAILED_OP_INT_DIV, 1, 0);
    add_pair(1, 2);
    add_alu(3, 2);
    detailed_run();
    assert_int_equal(at(3)->issue_cyc, at(0)->execute_cyc + 1);
}

/* "if both make their address of the same registers" */
static void other_address_registers_are_not_renamed(void **state)
{
    detailed.params.renamed_stores = 4;
    add_op(DETAILED_OP_INT_DIV, 1, 0);
    add_pair(1, 2);
    detailed.insns[2].uops[0].sources[0] = 6;
    add_alu(3, 2);
    detailed_run();
    assert_true(at(3)->issue_cyc > at(0)->execute_cyc + 1);
}

/* ---- delays.c */
static uint64_t cycles_of_failed_forward(uint64_t delay_cyc)
{
    detailed_tear_down(NULL);
    detailed_prepare();
    detailed.params.failed_forward_cyc = delay_cyc;
    add_store(0, 0x1000, 4);
    add_load(1, 0x1000, 8);
    detailed_run();
    return at(1)->retire_cyc;
}

static void a_failed_forward_costs_its_delay(void **state)
{
    uint64_t const at_once = cycles_of_failed_forward(0);

    assert_int_equal(cycles_of_failed_forward(9), at_once + 9);
}

/* ---- issue_limits.c */
/* "least distance of two of a class" */
static void two_of_a_class_keep_their_distance(void **state)
{
    detailed.params.interval_cyc[DETAILED_OP_FLOAT_MULT] = 5;
    add_op(DETAILED_OP_FLOAT_MULT, 1, 0);
    add_op(DETAILED_OP_FLOAT_MULT, 2, 0);
    detailed_run();
    assert_int_equal(at(1)->issue_cyc, at(0)->issue_cyc + 5);
}

/* "vectors wider than a path, which take the paths of their class for as many cycles as pieces" */
static void a_wide_vector_takes_its_path_for_longer(void **state)
{
    detailed.params.vector_bytes = 16;
    detailed.params.most_issued[DETAILED_OP_FLOAT_MEM_READ] = 1;
    for (unsigned i = 0; i < 2; i++)
        add_load((uint16_t)(1 + i), 0x1000, 64)->uops[0].op = DETAILED_OP_FLOAT_MEM_READ;
    detailed_run();
    assert_int_equal(at(1)->issue_cyc, at(0)->issue_cyc + 4);
}

/* ---- fetch_ahead.c */
/* "latencies of the L1I overlap with each other and with decode" */
static void blocks_overlap(void **state)
{
    detailed.params.ideal_fetch = 0;
    detailed.params.fetch_ahead = 4;
    detailed.params.fetch_queue = 128;
    detailed.l1i.latency_ps = 20 * BENCH_PERIOD_PS;
    add_alus(48);                        /* three blocks */
    detailed_run();
    assert_int_equal(sent_at(&detailed.l1i, BENCH_CODE + 128, 0), sent_at(&detailed.l1i, BENCH_CODE, 0) + 4);
    assert_int_equal(at(47)->decode_cyc, at(0)->decode_cyc + 5);
}

/* "A block whose micro-ops are in their cache is there at once, and is no request of the L1I" */
static void kept_blocks_are_not_asked_for(void **state)
{
    detailed.params.ideal_fetch = 0;
    detailed.params.fetch_ahead = 1;
    detailed.params.uop_cache = 8;
    for (unsigned i = 0; i < 40; i++) {
        add_alus(1);
        add_jump(i % 4 == 3 ? BENCH_CODE : BENCH_CODE + 64 * (i % 4 + 1));
    }
    detailed_run();
    assert_int_equal(detailed_cpu_stats(detailed.cpu)->cache_lines, 4);
}

/* Cycles that fetch takes for a turn of a loop of two instructions that begins at `begin`. */
static uint64_t fetch_of_turns(uint64_t begin)
{
    detailed.params.ideal_fetch = 0;
    detailed.params.fetch_ahead = 4;
    detailed.params.uop_cache = 8;
    add_jump(begin);
    for (unsigned i = 0; i < 40; i++) {
        add_alus(1);
        add_jump(begin);
    }
    detailed_run();
    return (at(79)->fetch_cyc - at(39)->fetch_cyc) / 20;
}

/* key fetchBlocks */
static void a_loop_in_two_blocks_takes_two_predictions(void **state)
{
    detailed.params.predicted_blocks = 1;
    assert_int_equal(fetch_of_turns(BENCH_CODE + 60), 2);
}

static void without_the_key_it_takes_none(void **state)
{
    assert_int_equal(fetch_of_turns(BENCH_CODE + 60), 1);
}

static void a_loop_in_one_block_takes_one_prediction(void **state)
{
    detailed.params.predicted_blocks = 1;
    assert_int_equal(fetch_of_turns(BENCH_CODE + 64), 1);
}

/* key fetchBlockBranches: a branch that was taken before, and now is not, ends its block where that is 1 */
static uint64_t fetch_behind_a_known_branch(uint64_t most)
{
    detailed.branch.type = BRANCH_LOCAL;
    detailed.params.predicted_blocks = 1;
    detailed.params.block_branches = most;
    detailed.params.ideal_fetch = 0;
    detailed.params.fetch_ahead = 4;
    detailed.params.uop_cache = 8;
    for (unsigned i = 0; i < 60; i++) {
        struct bench_insn *const branch = add_jump(BENCH_CODE + 8);

        branch->uops[0].flags |= UOP_CONDITIONAL;
        branch->is_taken = i < 20;
        branch->next_pc = i < 20 ? BENCH_CODE + 8 : BENCH_CODE + 4;
        if (i >= 20)
            add_alus(1);
        add_jump(BENCH_CODE);
    }
    detailed_run();
    return (at(157)->fetch_cyc - at(97)->fetch_cyc) / 20;
}

static void a_known_branch_ends_its_block(void **state)
{
    assert_int_equal(fetch_behind_a_known_branch(1), 2);
}

static void without_the_key_only_a_taken_one_does(void **state)
{
    assert_int_equal(fetch_behind_a_known_branch(0), 1);
}

/* key fetchCallDelay */
static void fetch_pauses_behind_a_call(void **state)
{
    detailed.params.call_cyc = 3;
    add_jump(BENCH_CODE + 64)->uops[0].flags |= UOP_CALL;
    add_jump(BENCH_CODE + 128);
    add_alus(1);
    detailed_run();
    assert_int_equal(at(1)->fetch_cyc, at(0)->fetch_cyc + 4);
    assert_int_equal(at(2)->fetch_cyc, at(1)->fetch_cyc + 1);
}

/* key stringDelay */
static void fetch_pauses_behind_the_begin_of_a_string(void **state)
{
    detailed.params.string_cyc = 20;
    add_load(0, 64, 8)->is_string = true;
    add_load(0, 72, 8);
    add_alus(1);
    detailed_run();
    assert_int_equal(at(1)->fetch_cyc, at(0)->fetch_cyc + 21);
    assert_int_equal(at(2)->fetch_cyc, at(1)->fetch_cyc);
}

/* ---- write_combining.c */
static unsigned sent_of(unsigned size_bytes)
{
    unsigned count = 0;

    for (size_t i = 0; i < detailed.l1d.sent_count; i++)
        count += detailed.l1d.sent[i].size_bytes == size_bytes;
    return count;
}

static void add_streams(uint64_t address, unsigned bytes)
{
    for (unsigned offset = 0; offset < bytes; offset += 8)
        add_store(0, address + offset, 8)->uops[0].flags |= UOP_STREAMING;
}

/* "A line leaves when it is full": as one request */
static void streaming_stores_leave_as_a_line(void **state)
{
    detailed.params.combined_lines = 2;
    add_streams(0x1000, 64);
    add_alus(200);
    detailed_run();
    assert_int_equal(detailed.l1d.sent_count, 1);
    assert_int_equal(detailed.l1d.sent[0].size_bytes, 64);
    assert_int_equal(detailed.l1d.sent[0].address, 0x1000);
    assert_int_equal(detailed.l1d.sent[0].command, CMD_WriteReq);
}

static void without_write_combining_each_is_sent(void **state)
{
    add_streams(0x1000, 64);
    add_alus(200);
    detailed_run();
    assert_int_equal(detailed.l1d.sent_count, 8);
    assert_int_equal(sent_of(8), 8);
}

/* "when a store of another line needs its buffer: then that written least recently", from the first byte to the last */
static void the_oldest_line_makes_room(void **state)
{
    detailed.params.combined_lines = 2;
    add_streams(0x1010, 16);
    add_streams(0x1080, 8);
    add_streams(0x1100, 8);
    add_alus(200);
    detailed_run();
    assert_int_equal(detailed.l1d.sent_count, 1);
    assert_int_equal(detailed.l1d.sent[0].address, 0x1010);
    assert_int_equal(detailed.l1d.sent[0].size_bytes, 16);
}

/* A full line that the L1D refuses is sent again once it may. */
static void a_refused_line_is_sent_later(void **state)
{
    detailed.params.combined_lines = 2;
    detailed.l1d.refuses_first = 3;
    add_streams(0x1000, 256);
    add_alus(400);
    detailed_run();
    assert_int_equal(sent_of(64), 4);
}

/* ---- lsq_send.c, releaseSentStores */
/* Ten stores through a queue of two, whose L1D answers after a long time: with the key none waits for an answer. */
static uint64_t cycles_of_stores(uint64_t release)
{
    detailed_tear_down(NULL);
    detailed_prepare();
    detailed.params.sq_entries = 2;
    detailed.params.release_sent = release;
    detailed.l1d.latency_ps = 100 * detailed.l1d.latency_ps;
    for (unsigned i = 0; i < 10; i++)
        add_store(0, 0x1000 + 64 * i, 8);
    add_alus(4);
    detailed_run();
    assert_int_equal(detailed.l1d.sent_count, 10);
    return at(13)->retire_cyc;
}

static void sent_stores_give_their_entries_back(void **state)
{
    uint64_t const answered = cycles_of_stores(0), sent = cycles_of_stores(1);

    assert_in_range(sent, 1, answered / 4);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, detailed_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_move_takes_no_time), TEST(without_the_key_it_does), TEST(a_zero_idiom_waits_for_nothing),
        TEST(a_shared_register_is_free_when_its_last_name_is), TEST(flags_take_no_integer_register),
        TEST(a_fused_branch_is_executed_with_its_comparison), TEST(what_is_not_named_is_not_fused),
        TEST(a_joined_computation_takes_no_slot), TEST(branches_have_units_of_their_own),
        TEST(an_addition_needs_its_unit_even_with_a_branch), TEST(a_load_has_the_data_of_the_store_before_it),
        TEST(other_address_registers_are_not_renamed), TEST(a_failed_forward_costs_its_delay),
        TEST(two_of_a_class_keep_their_distance), TEST(a_wide_vector_takes_its_path_for_longer), TEST(blocks_overlap),
        TEST(kept_blocks_are_not_asked_for), TEST(a_loop_in_two_blocks_takes_two_predictions),
        TEST(without_the_key_it_takes_none), TEST(a_loop_in_one_block_takes_one_prediction),
        TEST(a_known_branch_ends_its_block), TEST(without_the_key_only_a_taken_one_does),
        TEST(fetch_pauses_behind_a_call),
        TEST(fetch_pauses_behind_the_begin_of_a_string),
        TEST(streaming_stores_leave_as_a_line), TEST(without_write_combining_each_is_sent),
        TEST(the_oldest_line_makes_room), TEST(a_refused_line_is_sent_later),
        TEST(sent_stores_give_their_entries_back),
    };
#undef TEST

    return cmocka_run_group_tests(tests, NULL, NULL);
}
