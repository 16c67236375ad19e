/* replay/detailed/ on random programs, cores and L1s: the invariants of o3-core 13 between any two cycles
 * (tests/support/detailed_check.c), every instruction committed once and in order, nothing lost at the end. */
#include "tests/support/detailed_random.h"
#include "tests/support/unit.h"

enum { SEEDS = 120, INSNS = 500, SEEDS_AGAIN = 40, INSNS_AGAIN = 120, PARTS = 3 };

static bool has_mechanisms;

/* What an order of stages cannot break. */
static void check_stamps(const struct detailed_retired *what)
{
    if (what->is_squashed)
        return;
    assert_true(what->fetch_cyc < what->decode_cyc && what->decode_cyc < what->rename_cyc);
    if (has_mechanisms)
        return;                          /* rename did it, or it was executed with another one */
    assert_true(what->rename_cyc < what->dispatch_cyc && what->dispatch_cyc <= what->issue_cyc);
    assert_true(what->issue_cyc < what->execute_cyc && what->execute_cyc <= what->to_commit_cyc);
    assert_true(what->to_commit_cyc + 2 <= what->retire_cyc);
}

/* How many instructions that were. */
static uint64_t expect_all_committed(void)
{
    uint64_t number = 0, seq = 0, instructions = 0;

    for (size_t i = 0; i < detailed.retired_count; i++) {
        const struct bench_retired *const retired = &detailed.retired[i];
        const struct bench_insn *const insn = &detailed.insns[number];

        check_stamps(&retired->what);
        assert_true(retired->what.seq > seq);
        seq = retired->what.seq;
        if (insn->uops[0].flags & UOP_TRAP && retired->number == number && retired->what.has_fault) {
            number++;                    /* a system call is squashed, and done */
            continue;
        }
        if (retired->what.is_squashed)
            continue;
        assert_int_equal(retired->number, number);
        assert_int_equal(retired->pc, insn->pc);
        if (retired->what.micro_pc + 1 == insn->uop_count) {
            number++;
            instructions++;
        }
    }
    if (number + 1 == detailed.insn_count && detailed.insns[number].uops[0].flags & UOP_TRAP)
        number++;                        /* the exit, which ends the run in the ROB */
    assert_int_equal(number, detailed.insn_count);
    return instructions;
}

static void check_sums(void)
{
    const struct detailed_stats *const stats = detailed_cpu_stats(detailed.cpu);
    uint64_t slots = 0;

    for (unsigned i = 0; i < DETAILED_SLOT_COUNT; i++)
        slots += stats->slots[i];
    assert_int_equal(slots, stats->cycles * detailed.params.commit_width);
    assert_int_equal(stats->cycles, detailed.end_ps / BENCH_PERIOD_PS + 1);
}

static void draw(uint64_t seed, size_t insns)
{
    if (has_mechanisms)
        detailed_random_mechanisms(seed, insns);
    else
        detailed_random(seed, insns);
}

static void check_runs(void)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        print_message("seed %llu\n", (unsigned long long)seed);
        detailed_prepare();
        draw(seed, INSNS);
        detailed_run();
        assert_int_equal(detailed_cpu_stats(detailed.cpu)->instructions, expect_all_committed());
        check_sums();
        detailed_tear_down(NULL);
    }
}

static void invariants_hold_after_each_cycle(void **state)
{
    has_mechanisms = false;
    check_runs();
}

static void invariants_hold_with_mechanisms(void **state)
{
    has_mechanisms = true;
    check_runs();
}

/* One thread's part after the other on a core, while answers to the one before are under way. */
static void check_parts(void)
{
    for (uint64_t seed = 1; seed <= SEEDS_AGAIN; seed++) {
        uint64_t instructions;

        detailed_prepare();
        draw(seed, INSNS_AGAIN);
        detailed.is_left_open = true;
        detailed_run();
        for (uint64_t part = 1; part <= PARTS; part++) {
            instructions = detailed_cpu_instructions(detailed.cpu);
            detailed_random_program(1000 * part + seed, INSNS_AGAIN);
            detailed.is_left_open = part < PARTS;
            detailed_run_again();
            assert_int_equal(detailed_cpu_instructions(detailed.cpu) - instructions, expect_all_committed());
        }
        detailed_tear_down(NULL);
    }
}

static void other_instructions_follow(void **state)
{
    has_mechanisms = false;
    check_parts();
}

static void other_instructions_follow_with_mechanisms(void **state)
{
    has_mechanisms = true;
    check_parts();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(invariants_hold_after_each_cycle, detailed_tear_down),
        cmocka_unit_test_teardown(other_instructions_follow, detailed_tear_down),
        cmocka_unit_test_teardown(invariants_hold_with_mechanisms, detailed_tear_down),
        cmocka_unit_test_teardown(other_instructions_follow_with_mechanisms, detailed_tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
