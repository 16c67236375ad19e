/* replay/elastic/cpi_stack.h: which part a cycle goes to, and that no cycle is lost or counted twice. */
#include "replay/elastic/cpi_stack.h"
#include "tests/support/unit.h"

enum { PERIOD = 333 };

static struct cpi_stack stack;

/* "A cycle in which a record executed is working; any other goes to the cause that held when it ended." */
static void work_outweighs_any_cause(void **state)
{
    cpi_stack_start(&stack, clock_domain(PERIOD), 0, CPI_DEPENDENCES);
    cpi_stack_advance(&stack, 2 * PERIOD);
    cpi_stack_worked(&stack);
    cpi_stack_set_cause(&stack, CPI_ROB);
    cpi_stack_advance(&stack, 2 * PERIOD);
    cpi_stack_set_cause(&stack, CPI_LOAD_BUFFER);
    cpi_stack_advance(&stack, 6 * PERIOD);
    cpi_stack_set_cause(&stack, CPI_STORE_BUFFER);
    cpi_stack_close(&stack, 7 * PERIOD);
    assert_int_equal(stack.cycles[CPI_DEPENDENCES], 2);
    assert_int_equal(stack.cycles[CPI_WORKING], 1);
    assert_int_equal(stack.cycles[CPI_ROB], 0);
    assert_int_equal(stack.cycles[CPI_LOAD_BUFFER], 3);
    assert_int_equal(stack.cycles[CPI_STORE_BUFFER], 1);
    assert_int_equal(cpi_stack_total(&stack), 7);
}

/* "Nothing is charged afterwards." */
static void a_closed_stack_stays(void **state)
{
    cpi_stack_start(&stack, clock_domain(PERIOD), 0, CPI_DEPENDENCES);
    cpi_stack_close(&stack, 5 * PERIOD);
    cpi_stack_close(&stack, 60 * PERIOD);
    assert_int_equal(cpi_stack_total(&stack), 5);
}

/* "the current cycle will be charged as if nothing had happened" */
static void a_reset_keeps_the_current_cycle(void **state)
{
    cpi_stack_start(&stack, clock_domain(PERIOD), 0, CPI_DEPENDENCES);
    cpi_stack_advance(&stack, 10 * PERIOD);
    cpi_stack_worked(&stack);
    cpi_stack_reset(&stack);
    cpi_stack_close(&stack, 12 * PERIOD);
    assert_int_equal(stack.cycles[CPI_WORKING], 1);
    assert_int_equal(cpi_stack_total(&stack), 2);
}

static void parts_add_up_to_all_cycles(void **state)
{
    uint64_t cycle = 0;

    srand(3);
    cpi_stack_start(&stack, clock_domain(PERIOD), 0, CPI_DEPENDENCES);
    for (int i = 0; i < 10000; i++) {
        cycle += (uint64_t)rand() % 4;
        cpi_stack_advance(&stack, cycle * PERIOD);
        if (rand() % 2)
            cpi_stack_worked(&stack);
        cpi_stack_set_cause(&stack, (enum cpi_part)(1 + rand() % (CPI_PART_COUNT - 1)));
        assert_int_equal(cpi_stack_total(&stack), cycle);
    }
}

static void parts_have_names(void **state)
{
    assert_string_equal(cpi_part_names[CPI_WORKING], "working");
    assert_string_equal(cpi_part_names[CPI_BLOCKED_CACHE], "blocked_cache");
    for (int part = 0; part < CPI_PART_COUNT; part++)
        assert_non_null(cpi_part_names[part]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_outweighs_any_cause),
        cmocka_unit_test(a_closed_stack_stays),
        cmocka_unit_test(a_reset_keeps_the_current_cycle),
        cmocka_unit_test(parts_add_up_to_all_cycles),
        cmocka_unit_test(parts_have_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
