/* Modelled: the reference's LocalBP (branch-prediction 11): counters indexed by the pc, without history. Its size
 * counts bits: 2048 of 2 a counter are 1024 counters. Unconditional micro-ops train them, too. */
#include <stdlib.h>

#include "replay/config/branch_params.h"
#include "replay/detailed/branch/counter.h"
#include "replay/detailed/branch/parts.h"

struct local {
    uint32_t mask, inst_shift;
    uint8_t highest;
    uint8_t counters[];
};

struct local_state {
    uint32_t index;
};

static void *local_new(const struct branch_params *params, size_t most_in_flight)
{
    uint64_t const count = params->local_counters / params->local_bits;
    struct local *const local = calloc(1, sizeof *local + count);

    (void)most_in_flight;
    if (local) {
        local->mask = (uint32_t)count - 1;
        local->inst_shift = (uint32_t)params->inst_shift;
        local->highest = counter_highest(params->local_bits);
    }
    return local;
}

static bool local_lookup(void *own, void *own_state, const struct branch_query *query)
{
    const struct local *const local = own;
    struct local_state *const state = own_state;

    state->index = (uint32_t)(query->pc >> local->inst_shift) & local->mask;
    return !query->is_conditional || counter_is_yes(local->counters[state->index], local->highest);
}

static void local_train(void *own, const void *own_state, bool is_taken, uint64_t target)
{
    struct local *const local = own;
    const struct local_state *const state = own_state;

    (void)target;
    counter_step(&local->counters[state->index], local->highest, is_taken);
}

const struct direction_ops direction_local = {
    .name = "local", .state_bytes = sizeof(struct local_state), .new = local_new, .free = free, .lookup = local_lookup,
    .train = local_train
};
