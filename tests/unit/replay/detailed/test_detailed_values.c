/* replay/detailed/ on wrong paths that have values (supply.h): branches mispredict, loads read, missing pages fault. */
#include "tests/support/detailed_bench.h"
#include "tests/support/unit.h"

enum { ELSEWHERE = BENCH_CODE + 0x400, BEYOND = BENCH_CODE + 0x800, WRONG = BENCH_CODE + 8, PLACE = 0x40000 };
enum { BRANCH_STATE = 1000, LOAD_STATE = 2000 };

static uint64_t first_state, beyond_state, beyond_cycle;
static bool load_faults;

static const struct supply_insn *with_values(const struct bench_insn *insn, uint64_t before, uint64_t state)
{
    struct supply_insn *const made = (struct supply_insn *)(uintptr_t)bench_make(insn, SUPPLY_WRONG);

    made->has_values = true;
    made->before = before;
    made->state = state;
    made->is_taken = insn->is_taken;
    return made;
}

/* Behind the mispredicted branch a branch that goes BEYOND, which is not predicted. */
static const struct supply_insn *branches(uint64_t pc)
{
    struct bench_insn const branch = {
        .pc = pc, .next_pc = BEYOND, .target = BEYOND, .size_bytes = 4, .is_taken = true, .uop_count = 1,
        .uops = {{.op = DETAILED_OP_INT_ALU, .flags = UOP_CONTROL | UOP_DIRECT | UOP_CONDITIONAL}}};

    if (pc == WRONG) {
        first_state = detailed.wrong_state;
        return with_values(&branch, first_state, BRANCH_STATE);
    }
    if (pc == BEYOND && beyond_cycle == 0) {
        beyond_state = detailed.wrong_state;
        beyond_cycle = detailed.cpu->cycle;
    }
    return bench_wrong_alu(pc);
}

/* A load, and what needs its result. */
static const struct supply_insn *loads(uint64_t pc)
{
    struct bench_insn const load = {
        .pc = pc, .next_pc = pc + 4, .size_bytes = 4, .uop_count = 1,
        .uops = {{.op = DETAILED_OP_MEM_READ, .flags = UOP_LOAD, .result = 5, .address = PLACE, .size_bytes = 8}}};
    struct bench_insn const user = {.pc = pc, .next_pc = pc + 4, .size_bytes = 4, .uop_count = 1,
                                    .uops = {{.op = DETAILED_OP_INT_ALU, .sources = {5}, .result = 6}}};
    const struct supply_insn *made;

    if (pc == WRONG + 4)
        return bench_make(&user, SUPPLY_WRONG);
    if (pc != WRONG)
        return bench_wrong_alu(pc);
    made = with_values(&load, detailed.wrong_state, LOAD_STATE);
    if (load_faults) {
        ((struct supply_access *)(uintptr_t)made->accesses)->has_place = false;
        ((struct supply_access *)(uintptr_t)made->accesses)->faults = true;
    }
    return made;
}

static void run(const struct supply_insn *(*wrong)(uint64_t pc))
{
    detailed_prepare();
    detailed.branch.type = BRANCH_TOURNAMENT;
    detailed.wrong = wrong;
    add_op(DETAILED_OP_INT_DIV, 1, 0);
    add_branch(1, ELSEWHERE);
    add_alus(2);
    detailed_run();
    assert_int_equal(at(2)->fetch_cyc, at(1)->execute_cyc + 3);
}

/* The squashed micro-op at that pc. */
static const struct detailed_retired *squashed_at(uint64_t pc)
{
    for (size_t i = 0; i < detailed.retired_count; i++)
        if (detailed.retired[i].what.is_squashed && detailed.retired[i].pc == pc)
            return &detailed.retired[i].what;
    fail_msg("no squashed micro-op at 0x%llx", (unsigned long long)pc);
    return NULL;
}

/* o3-core 8: "A mispredicted branch also squashes when it is itself on the wrong path." */
static void branches_of_wrong_paths_mispredict(void **state)
{
    beyond_cycle = 0;
    run(branches);
    assert_int_equal(detailed_cpu_stats(detailed.cpu)->commit_mispredicts, 2);
    assert_int_equal(beyond_cycle, squashed_at(WRONG)->execute_cyc + 3);
    assert_int_equal(beyond_state, BRANCH_STATE);
    assert_true(squashed_at(WRONG)->is_mispredicted);
}

/* o3-core 2.7: "executed and access both caches exactly as right-path ones" */
static void loads_of_wrong_paths_read(void **state)
{
    load_faults = false;
    run(loads);
    assert_int_equal(sent_at(&detailed.l1d, PLACE, 0), squashed_at(WRONG)->execute_cyc);
    assert_true(squashed_at(WRONG + 4)->execute_cyc > squashed_at(WRONG)->execute_cyc);
}

/* o3-core 6.2: "fault: marked executed, sent to commit with the fault (wakes nobody)" */
static void missing_pages_wake_no_dependents(void **state)
{
    load_faults = true;
    run(loads);
    assert_int_equal(sent_at(&detailed.l1d, PLACE, 0), UINT64_MAX);
    assert_true(squashed_at(WRONG)->execute_cyc != DETAILED_NEVER);
    assert_int_equal(squashed_at(WRONG + 4)->execute_cyc, DETAILED_NEVER);
}

/* The first wrong instruction is executed behind the branch that fetch leaves the right path at. */
static void a_wrong_path_begins_in_the_state_of_its_branch(void **state)
{
    beyond_cycle = 0;
    run(branches);
    assert_int_equal(first_state, 2);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_teardown(name, detailed_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(branches_of_wrong_paths_mispredict), TEST(loads_of_wrong_paths_read),
        TEST(missing_pages_wake_no_dependents),
        TEST(a_wrong_path_begins_in_the_state_of_its_branch),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
