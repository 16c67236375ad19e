/* Set-up, end and names of the CPI stack. */
#include "replay/cpi_stack.h"

#define CPI_PART_NAME(part, name, help) [CPI_##part] = #name,
#define CPI_PART_HELP(part, name, help) [CPI_##part] = help,
static const char *const part_names[CPI_PART_COUNT] = {CPI_PARTS(CPI_PART_NAME)};
static const char *const part_helps[CPI_PART_COUNT] = {CPI_PARTS(CPI_PART_HELP)};

const char *cpi_part_name(enum cpi_part part)
{
    return part_names[part];
}

const char *cpi_part_help(enum cpi_part part)
{
    return part_helps[part];
}

void cpi_stack_start(struct cpi_stack *stack, uint64_t cycle, enum cpi_part cause)
{
    *stack = (struct cpi_stack){.current_cyc = cycle, .charged_cyc = cycle, .worked_cyc = UINT64_MAX, .cause = cause};
}

void cpi_stack_charge(struct cpi_stack *stack)
{
    uint64_t const working_now = stack->worked_cyc == stack->current_cyc;
    uint64_t const working = stack->worked - working_now;

    stack->cycles[CPI_WORKING] += working;
    stack->cycles[stack->cause] += stack->current_cyc - stack->charged_cyc - working;
    stack->charged_cyc = stack->current_cyc;
    stack->worked = working_now;
}

void cpi_stack_reset(struct cpi_stack *stack)
{
    cpi_stack_charge(stack);
    for (int part = 0; part < CPI_PART_COUNT; part++)
        stack->cycles[part] = 0;
}

void cpi_stack_close(struct cpi_stack *stack, uint64_t cycle)
{
    if (stack->closed)
        return;
    cpi_stack_advance(stack, cycle);
    cpi_stack_charge(stack);
    stack->closed = true;
}

void cpi_stack_resume(struct cpi_stack *stack, enum cpi_part cause)
{
    stack->charged_cyc = stack->current_cyc;
    stack->worked_cyc = UINT64_MAX;
    stack->worked = 0;
    stack->closed = false;
    stack->cause = cause;
}

uint64_t cpi_stack_total(const struct cpi_stack *stack)
{
    uint64_t total = stack->current_cyc - stack->charged_cyc;

    for (int part = 0; part < CPI_PART_COUNT; part++)
        total += stack->cycles[part];
    return total;
}
