/* Modelled: the reference's return address stack (branch-prediction 7): a ring without a test for emptiness. Undoing a
 * push does not restore the overwritten entry. The number of slots in use is not kept, as it affects nothing. */
#include <stdlib.h>

#include "replay/config/branch_params.h"
#include "replay/detailed/branch/parts.h"

struct ras_slot {
    uint64_t address;
    bool is_written;
};

struct stack {
    uint32_t top, slot_count;
    struct ras_slot slots[];
};

static void *stack_new(const struct branch_params *params)
{
    struct stack *const stack = calloc(1, sizeof *stack + params->ras_entries * sizeof stack->slots[0]);

    if (stack)
        stack->slot_count = (uint32_t)params->ras_entries;
    return stack;
}

static inline uint32_t above(const struct stack *stack)
{
    return stack->top + 1 == stack->slot_count ? 0 : stack->top + 1;
}

static inline uint32_t below(const struct stack *stack)
{
    return stack->top == 0 ? stack->slot_count - 1 : stack->top - 1;
}

static void stack_push(void *own, struct ras_state *state, uint64_t address)
{
    struct stack *const stack = own;

    stack->top = above(stack);
    stack->slots[stack->top] = (struct ras_slot){.address = address, .is_written = true};
    state->did_push = true;
}

static bool stack_pop(void *own, struct ras_state *state, uint64_t *address)
{
    struct stack *const stack = own;
    const struct ras_slot *const slot = &stack->slots[stack->top];

    state->did_pop = true;
    state->top = stack->top;
    state->value = slot->address;
    state->was_written = slot->is_written;
    stack->top = below(stack);
    if (!state->was_written)
        return false;
    *address = state->value;
    return true;
}

static void stack_undo(void *own, const struct ras_state *state)
{
    struct stack *const stack = own;

    if (state->did_push)
        stack->top = below(stack);
    if (state->did_pop) {
        stack->top = state->top;
        stack->slots[stack->top] = (struct ras_slot){.address = state->value, .is_written = state->was_written};
    }
}

const struct ras_ops ras_stack = {
    .name = "stack", .new = stack_new, .free = free, .push = stack_push, .pop = stack_pop, .undo = stack_undo
};
