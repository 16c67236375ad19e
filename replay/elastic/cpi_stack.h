/* CPI stack: each core cycle is charged to exactly one part; the parts add up to all cycles.
 *
 * Cycle c lasts from tick c * period to just before (c + 1) * period. A cycle in which a record executed is working;
 * any other goes to the cause that held when it ended. A run that ends at tick T has ceil(T / period) cycles, the
 * reference's numCycles: a record that executes exactly at the edge at which the run ends needs no further cycle.
 *
 * Use: cpi_stack_start; then at each moment at which something happens cpi_stack_advance first, then cpi_stack_worked
 * and cpi_stack_set_cause as needed; cpi_stack_close at the end. Cycles are charged when the cause changes:
 * cpi_stack_charge before `cycles` are read of a stack that is not closed. Units: cycles; picoseconds, multiples of
 * the period, where a cycle is named by the tick at which it begins, so that only charging divides. No allocation. */
#ifndef REPLAY_ELASTIC_CPI_STACK_H
#define REPLAY_ELASTIC_CPI_STACK_H

#include <stdbool.h>
#include <stdint.h>

#include "memsys/sim/clock.h"

/* part, name, help. When several hold, the first one in this order is charged. */
#define CPI_PARTS(P)                                                                                                  \
    P(WORKING, working, "a record executed")                                                                          \
    P(BLOCKED_CACHE, blocked_cache, "the L1D refuses a request")                                                      \
    P(ROB, rob, "a record without open dependences finds no room in the reorder buffer")                              \
    P(LOAD_BUFFER, load_buffer, "a load without open dependences finds no room in the load buffer")                   \
    P(STORE_BUFFER, store_buffer, "a store without open dependences finds no room in the store buffer")               \
    P(DEPENDENCES, dependences, "every record waits for results: of memory or of a computation")

#define CPI_PART_ENUM(part, name, help) CPI_##part,
enum cpi_part { CPI_PARTS(CPI_PART_ENUM) CPI_PART_COUNT };
#undef CPI_PART_ENUM

struct cpi_stack {
    uint64_t cycles[CPI_PART_COUNT];
    struct clock_domain clock;
    uint64_t current_ps;             /* the current cycle, which is not over */
    uint64_t charged_ps;             /* first cycle that is not charged yet; no cause but the present one held since */
    uint64_t worked_ps;              /* the last one in which a record executed; UINT64_MAX: none yet */
    uint64_t worked;                 /* how many of those not charged are working, the current one included */
    bool closed;
    enum cpi_part cause;
};

extern const char *const cpi_part_names[CPI_PART_COUNT];

void cpi_stack_start(struct cpi_stack *stack, struct clock_domain clock, uint64_t cycle_ps, enum cpi_part cause);
/* Discards all charges; the current cycle will be charged as if nothing had happened. */
void cpi_stack_reset(struct cpi_stack *stack);
/* The run ends before this cycle. Nothing is charged afterwards. */
void cpi_stack_close(struct cpi_stack *stack, uint64_t cycle_ps);
/* Reopens a closed stack at the current cycle, which is not before its end; the cycles between are not charged. */
void cpi_stack_resume(struct cpi_stack *stack, enum cpi_part cause);
/* Charges all cycles before the current one. */
void cpi_stack_charge(struct cpi_stack *stack);
uint64_t cpi_stack_total(const struct cpi_stack *stack);

/* The present is in this cycle, which is not before the current one. Not to be called for a closed stack. */
static inline void cpi_stack_advance(struct cpi_stack *stack, uint64_t cycle_ps)
{
    stack->current_ps = cycle_ps;
}

static inline void cpi_stack_worked(struct cpi_stack *stack)
{
    if (stack->worked_ps == stack->current_ps)
        return;
    stack->worked_ps = stack->current_ps;
    stack->worked++;
}

static inline void cpi_stack_set_cause(struct cpi_stack *stack, enum cpi_part cause)
{
    if (cause == stack->cause)
        return;
    cpi_stack_charge(stack);
    stack->cause = cause;
}

#endif
