/* Parts that keep nothing: those that are left out, which never hit, and the perfect predictor of indirect
 * jumps. new answers an address, for NULL says that there is no memory. */
#include "replay/config/branch_params.h"
#include "replay/detailed/branch/parts.h"

static const char nothing;

static void *none_new(const struct branch_params *params)
{
    (void)params;
    return (void *)(uintptr_t)&nothing;
}

static void none_free(void *part)
{
    (void)part;
}

static bool btb_none_lookup(void *btb, uint64_t pc, uint64_t *target)
{
    (void)btb, (void)pc, (void)target;
    return false;
}

static void btb_none_update(void *btb, uint64_t pc, uint64_t target)
{
    (void)btb, (void)pc, (void)target;
}

const struct btb_ops btb_none = {
    .name = "none", .new = none_new, .free = none_free, .lookup = btb_none_lookup, .update = btb_none_update
};

static void ras_none_push(void *ras, struct ras_state *state, uint64_t address)
{
    (void)ras, (void)state, (void)address;
}

static bool ras_none_pop(void *ras, struct ras_state *state, uint64_t *address)
{
    (void)ras, (void)state, (void)address;
    return false;
}

static void ras_none_undo(void *ras, const struct ras_state *state)
{
    (void)ras, (void)state;
}

const struct ras_ops ras_none = {
    .name = "none", .new = none_new, .free = none_free, .push = ras_none_push, .pop = ras_none_pop,
    .undo = ras_none_undo
};

static void *indirect_none_new(const struct branch_params *params, size_t most_in_flight)
{
    (void)most_in_flight;
    return none_new(params);
}

static bool indirect_none_lookup(void *predictor, const struct branch_query *query, uint64_t *target)
{
    (void)predictor, (void)query, (void)target;
    return false;
}

const struct indirect_ops indirect_none = {
    .name = "none", .new = indirect_none_new, .free = none_free, .lookup = indirect_none_lookup
};

/* Modelled by indirect_perfect: the target that the trace has; on wrong paths a miss. It needs no state either. */
static bool indirect_perfect_lookup(void *predictor, const struct branch_query *query, uint64_t *target)
{
    (void)predictor;
    if (!query->is_known)
        return false;
    *target = query->next_pc;
    return true;
}

const struct indirect_ops indirect_perfect = {
    .name = "perfect", .new = indirect_none_new, .free = none_free, .lookup = indirect_perfect_lookup
};
