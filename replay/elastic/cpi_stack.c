/* Set-up, end and names of the CPI stack. */
#include "replay/elastic/cpi_stack.h"

#define CPI_PART_NAME(part, name, help) [CPI_##part] = #name,
const char *const cpi_part_names[CPI_PART_COUNT] = {CPI_PARTS(CPI_PART_NAME)};

/* Cycles from the first that is not charged to the current one. */
static uint64_t open_cycles(const struct cpi_stack *stack)
{
    return domain_quotient(stack->clock, stack->current_ps - stack->charged_ps);
}

void cpi_stack_start(struct cpi_stack *stack, struct clock_domain clock, uint64_t cycle_ps, enum cpi_part cause)
{
    *stack = (struct cpi_stack){.clock = clock, .current_ps = cycle_ps, .charged_ps = cycle_ps,
                                .worked_ps = UINT64_MAX, .cause = cause};
}

void cpi_stack_charge(struct cpi_stack *stack)
{
    uint64_t const working_now = stack->worked_ps == stack->current_ps;
    uint64_t const working = stack->worked - working_now;

    stack->cycles[CPI_WORKING] += working;
    stack->cycles[stack->cause] += open_cycles(stack) - working;
    stack->charged_ps = stack->current_ps;
    stack->worked = working_now;
}

void cpi_stack_reset(struct cpi_stack *stack)
{
    cpi_stack_charge(stack);
    for (int part = 0; part < CPI_PART_COUNT; part++)
        stack->cycles[part] = 0;
}

void cpi_stack_close(struct cpi_stack *stack, uint64_t cycle_ps)
{
    if (stack->closed)
        return;
    cpi_stack_advance(stack, cycle_ps);
    cpi_stack_charge(stack);
    stack->closed = true;
}

void cpi_stack_resume(struct cpi_stack *stack, enum cpi_part cause)
{
    stack->charged_ps = stack->current_ps;
    stack->worked_ps = UINT64_MAX;
    stack->worked = 0;
    stack->closed = false;
    stack->cause = cause;
}

uint64_t cpi_stack_total(const struct cpi_stack *stack)
{
    uint64_t total = open_cycles(stack);

    for (int part = 0; part < CPI_PART_COUNT; part++)
        total += stack->cycles[part];
    return total;
}
