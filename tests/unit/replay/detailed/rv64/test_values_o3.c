/* replay/detailed/uops/values.h by way of supply.h on the programs of $SHARED/traces/o3: the machine computes what the
 * traces have, also when it follows the right path without seeing it, and is as before when it comes back. */
#include "replay/detailed/uops/thread.h"
#include "tests/support/random_numbers.h"
#include "tests/support/trace_files.h"

enum { WIDTH = 400, WINDOW = 300, LONGEST = 150, WRONG_EACH = 701 };

static const char *const programs[] = {"gups", "qsort", "lz", "interp", "recurse", "forward", "atomics", "matmul",
                                       "triad", "hashjoin", "spmv", "chase", "nbody", "memops"};

static struct insn_trace *trace;
static struct supply_thread *thread;
static struct supply *supply;

static void open_program(const char *program)
{
    char path[WIDTH];
    struct fault fault;

    snprintf(path, sizeof path, "%s/traces/o3/%s.trace.xz", reference_folder(), program);
    if (access(path, R_OK) != 0)
        skip();
    trace = insn_trace_open(path, &fault);
    if (trace == NULL)
        fail_msg("%s", fault_text(fault));
    thread = supply_thread_open(trace, 0, &(struct supply_thread_options){.wrong_path_values = true}, &fault);
    if (thread == NULL)
        fail_msg("%s", fault_text(fault));
    supply = supply_of_thread(thread);
    assert_true(supply->has_values);
}

static void close_program(void)
{
    supply_thread_close(thread);
    insn_trace_close(trace);
}

static const struct supply_insn *right(uint64_t number)
{
    const struct supply_insn *insn;
    struct fault fault;

    switch (supply_right(supply, number, &insn, &fault)) {
    case SUPPLY_INSN: return insn;
    case SUPPLY_END: return NULL;
    default: fail_msg("%s", fault_text(fault));
    }
    return NULL;
}

static void assert_never_corrected(void)
{
    const struct machine_figures *const figures = supply_thread_values(thread);

    assert_int_equal(figures->addresses, 0);
    assert_int_equal(figures->targets, 0);
    assert_int_equal(figures->branches, 0);
    assert_int_equal(figures->unknown_calls, 0);
}

/* These are not executed before they are at the head of the ROB. */
static bool waits_for_the_head(const struct supply_insn *insn)
{
    for (unsigned i = 0; i < insn->uop_count; i++)
        if (insn->uops[i].flags & (UOP_NON_SPECULATIVE | UOP_ATOMIC | UOP_TRAP)
            || (insn->uops[i].flags & (UOP_STORE | UOP_LINKED)) == (UOP_STORE | UOP_LINKED))
            return true;
    return false;
}

/* The right path from `number` on, as a wrong one. Answers how far. */
static uint64_t follow(uint64_t number)
{
    uint64_t state = number, followed = 0;

    for (const struct supply_insn *insn; followed < LONGEST && (insn = right(number + followed)) != NULL; followed++) {
        const struct supply_insn *wrong;

        if (waits_for_the_head(insn))
            break;
        wrong = supply_wrong(supply, insn->pc, state);
        assert_non_null(wrong);
        assert_true(wrong->has_values);
        assert_int_equal(wrong->number, SUPPLY_WRONG);
        assert_int_equal(wrong->before, state);
        assert_int_equal(wrong->next_pc, insn->next_pc);
        assert_int_equal(wrong->is_taken, insn->is_taken);
        assert_int_equal(wrong->access_count, insn->access_count);
        if (insn->access_count > 0 && !wrong->accesses[0].faults) {
            assert_int_equal(wrong->accesses[0].address, insn->accesses[0].address);
            assert_int_equal(wrong->accesses[0].size_bytes, insn->accesses[0].size_bytes);
        }
        if (insn->access_count > 0 && wrong->accesses[0].faults)
            break;
        state = wrong->state;
    }
    return followed;
}

/* Any path: each branch goes where chance says, and now and then it begins anew at a state before. */
static void stray(uint64_t number)
{
    uint64_t states[LONGEST + 1], pcs[LONGEST + 1];
    unsigned count = 0;
    const struct supply_insn *insn = right(number);

    states[0] = number + 1;
    pcs[0] = insn->target && random_below(2) ? insn->target : insn->pc + insn->size_bytes;
    for (unsigned i = 0; i < 2 * LONGEST && count < LONGEST; i++) {
        insn = supply_wrong(supply, pcs[count], states[count]);
        if (insn == NULL)
            return;
        count++;
        states[count] = insn->state;
        pcs[count] = insn->target && random_below(2) ? insn->target : insn->next_pc;
        if (random_below(20) == 0)
            count = (unsigned)random_below(count + 1);
    }
}

static void computes_every_address(void **state)
{
    for (size_t i = 0; i < COUNT(programs); i++) {
        uint64_t followed = 0, number = 0;

        open_program(programs[i]);
        random_state = 1 + i;
        for (uint64_t least = 0; right(number) != NULL; number++) {
            if (number % WRONG_EACH == 0)
                followed += follow(number);
            if (number % WRONG_EACH == WRONG_EACH / 3)
                stray(number);
            if (number % WRONG_EACH == WRONG_EACH / 2)               /* departs from further back than before */
                stray(least + random_below(number - least + 1));
            if (number >= least + WINDOW) {
                least = number - random_below(WINDOW);
                supply_release(supply, least);
            }
        }
        supply_release(supply, number);
        assert_never_corrected();
        assert_true(supply_thread_values(thread)->steps >= number);
        if (followed < number / WRONG_EACH * 5)
            fail_msg("%s: %lu steps on the right path of %lu instructions", programs[i], (unsigned long)followed,
                     (unsigned long)number);
        close_program();
    }
}

/* supply.h: "as long as it is held, or until the next supply_wrong" */
static void keeps_held_instructions(void **state)
{
    const struct supply_insn *held, *other;
    struct supply_insn before;

    open_program("qsort");
    held = supply_wrong(supply, right(10)->pc, 10);
    assert_true(held->has_values);
    before = *held;
    supply_hold(supply, held);
    for (unsigned i = 0; i < 1000; i++)
        supply_wrong(supply, right(20 + i % 7)->pc, 20 + i % 7);
    assert_memory_equal(held, &before, sizeof before);
    supply_drop(supply, held);
    other = supply_wrong(supply, right(30)->pc, 30);
    assert_ptr_equal(other, supply_wrong(supply, right(30)->pc, 30));
    assert_false(supply_wrong(supply, right(31)->pc, before.state)->has_values);     /* it is no more */
    close_program();
}

/* thread.h: "Of a trace with its program ... its pages always fault" */
static void touches_pages_first_once(void **state)
{
    uint64_t touches = 0;

    open_program("qsort");
    for (uint64_t number = 0; right(number) != NULL; number++) {
        const struct supply_insn *const insn = right(number);

        touches += insn->access_count > 0 && insn->accesses[0].is_first_touch;
        if (number > 0)
            supply_release(supply, number - 1);
    }
    assert_int_equal(touches, 3);
    assert_never_corrected();
    close_program();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(computes_every_address), cmocka_unit_test(keeps_held_instructions),
        cmocka_unit_test(touches_pages_first_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
