/* Calls that have not returned yet, of a trace without sizes of instructions: a return to an address some bytes after
 * a call gives the size of that call.
 *
 * Use: a struct of zeros; call_stack_push for each call of unknown size, call_stack_pop for each return. Returns that
 * fit no call (of a call from before the trace, a jump that is written as a return) change nothing; calls left
 * without a return (longjmp) are removed when an outer one returns. Of more than CALL_STACK_ROOM nested calls the
 * innermost are kept. Plain values, nothing to free. */
#ifndef REPLAY_DETAILED_UOPS_CALL_STACK_H
#define REPLAY_DETAILED_UOPS_CALL_STACK_H

#include <stdint.h>

enum { CALL_STACK_ROOM = 256 };

struct call_stack {
    struct pending_call { uint64_t pc; uint32_t number; } calls[CALL_STACK_ROOM];    /* a ring */
    uint64_t begin, end;                 /* places in it, modulo CALL_STACK_ROOM */
};

/* number: of the static instruction. */
static inline void call_stack_push(struct call_stack *stack, uint64_t pc, uint32_t number)
{
    stack->calls[stack->end++ % CALL_STACK_ROOM] = (struct pending_call){pc, number};
    if (stack->end - stack->begin > CALL_STACK_ROOM)
        stack->begin++;
}

/* The call that a return to `next` belongs to: the innermost that ends there with at most most_bytes. NULL: none. Valid
 * until the next push. */
static inline const struct pending_call *call_stack_pop(struct call_stack *stack, uint64_t next, uint64_t most_bytes)
{
    for (uint64_t at = stack->end; at > stack->begin; at--) {
        const struct pending_call *const call = &stack->calls[(at - 1) % CALL_STACK_ROOM];

        if (next - call->pc - 1 >= most_bytes)
            continue;
        stack->end = at - 1;
        return call;
    }
    return NULL;
}

#endif
