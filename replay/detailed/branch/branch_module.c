/* An instance begins with its host, which the module gets. The state of a direction predictor is the branch, then the
 * module's own bytes. */
#include "replay/detailed/branch/branch_module.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "memsys/sim/sim_statistics.h"

static_assert(RUBATO_RETURN == (int)BRANCH_RETURN && RUBATO_CALL_DIRECT == (int)BRANCH_CALL_DIRECT
              && RUBATO_CALL_INDIRECT == (int)BRANCH_CALL_INDIRECT && RUBATO_DIRECT_COND == (int)BRANCH_DIRECT_COND
              && RUBATO_DIRECT_UNCOND == (int)BRANCH_DIRECT_UNCOND
              && RUBATO_INDIRECT_COND == (int)BRANCH_INDIRECT_COND
              && RUBATO_INDIRECT_UNCOND == (int)BRANCH_INDIRECT_UNCOND, "kinds of branches are classes");

struct part {
    struct rubato_host host;             /* the first member */
    const struct rubato_module *module;
    void *self;
    uint64_t random;
    uint64_t counters[RUBATO_MOST_STATISTICS];
};

/* ---- host */
static bool no_prefetch(const struct rubato_host *host, uint64_t address, uint32_t levels_below, uint32_t metadata)
{
    (void)host, (void)address, (void)levels_below, (void)metadata;
    return false;
}

static uint64_t no_cycle(const struct rubato_host *host)
{
    (void)host;
    return 0;
}

static uint64_t none_retired(const struct rubato_host *host, uint32_t core)
{
    (void)host, (void)core;
    return 0;
}

static bool not_warm(const struct rubato_host *host)
{
    (void)host;
    return false;
}

static uint32_t no_bandwidth(const struct rubato_host *host)
{
    (void)host;
    return 0;
}

static uint32_t no_queue(const struct rubato_host *host, enum rubato_queue queue)
{
    (void)host, (void)queue;
    return 0;
}

static void no_line(const struct rubato_host *host, uint32_t set, uint32_t way, struct rubato_line *line)
{
    (void)host, (void)set, (void)way;
    *line = (struct rubato_line){.is_valid = false};
}

static uint32_t no_set(const struct rubato_host *host, uint64_t address)
{
    (void)host, (void)address;
    return 0;
}

static uint32_t no_way(const struct rubato_host *host, uint64_t address)
{
    (void)host, (void)address;
    return RUBATO_NO_WAY;
}

static uint64_t random_of(const struct rubato_host *host)
{
    return module_random(&((struct part *)(uintptr_t)host)->random);
}

static const struct rubato_host functions = {
    .prefetch = no_prefetch, .cycle = no_cycle, .retired = none_retired, .is_warm = not_warm,
    .memory_bandwidth = no_bandwidth, .occupancy = no_queue, .capacity = no_queue, .line = no_line, .set_of = no_set,
    .way_of = no_way, .random = random_of
};

/* ---- instances */

static void *make_part(const struct branch_params *params, unsigned index, enum rubato_slot slot)
{
    const struct module_use *const use = &params->modules[index];
    const struct module_where *const where = &params->where;
    struct rubato_place const place = {
        .slot = (uint32_t)slot, .core = where->core, .cores = where->cores > 0 ? where->cores : 1,
        .name = "branchPred", .kind = "branchPred", .system = (uint64_t)(uintptr_t)where->system};
    struct part *const part = calloc(1, sizeof *part);

    if (!part)
        return NULL;
    part->host = functions;
    part->module = use->module;
    part->self = use->module->create(&part->host, &place, use->values, part->counters);
    if (part->self)
        return part;
    free(part);
    return NULL;
}

static void free_part(void *made)
{
    struct part *const part = made;

    if (part->module->destroy)
        part->module->destroy(part->self);
    free(part);
}

void branch_module_add_stats(const void *made, struct stats *stats)
{
    const struct part *const part = made;

    module_add_stats(part->module, part->counters, stats);
}

void branch_module_reset(void *made)
{
    struct part *const part = made;

    memset(part->counters, 0, sizeof part->counters);
    if (part->module->warmup_end)
        part->module->warmup_end(part->self);
}

void branch_module_end(void *made)
{
    struct part *const part = made;

    if (part->module->run_end)
        part->module->run_end(part->self);
}

/* ---- direction */

struct direction_state {
    struct rubato_branch branch;
    uint64_t own[];                      /* aligned to 8 */
};

size_t branch_module_state_bytes(const struct branch_params *params)
{
    return params->type == BRANCH_MODULE
        ? sizeof(struct direction_state) + params->modules[0].module->direction->state_bytes : 0;
}

static struct rubato_branch branch_of(const struct branch_query *query)
{
    return (struct rubato_branch){.pc = query->pc, .fall_through = query->fall_through, .sequence = query->seq,
                                  .kind = query->class, .is_conditional = query->is_conditional};
}

static void *direction_new(const struct branch_params *params, size_t most_in_flight)
{
    (void)most_in_flight;
    return make_part(params, 0, RUBATO_IS_DIRECTION);
}

static bool direction_predict(void *made, void *own_state, const struct branch_query *query)
{
    struct part *const part = made;
    struct direction_state *const state = own_state;
    bool is_taken;

    state->branch = branch_of(query);
    memset(state->own, 0, part->module->direction->state_bytes);
    is_taken = part->module->direction->predict(part->self, state->own, &state->branch);
    return !query->is_conditional || is_taken;
}

/* The state of a branch that is undone or trained stays as it is. */
static struct rubato_branch outcome_of(const struct direction_state *state, bool is_taken, uint64_t target)
{
    struct rubato_branch branch = state->branch;

    branch.is_taken = is_taken;
    branch.target = target;
    return branch;
}

static void direction_shift(void *made, void *own_state, bool is_taken, uint64_t target)
{
    struct part *const part = made;
    struct direction_state *const state = own_state;

    state->branch.is_taken = is_taken;
    state->branch.target = target;
    if (part->module->direction->shift)
        part->module->direction->shift(part->self, state->own, &state->branch);
}

static void direction_undo(void *made, const void *own_state)
{
    struct part *const part = made;
    struct direction_state *const state = (struct direction_state *)(uintptr_t)own_state;

    if (part->module->direction->undo)
        part->module->direction->undo(part->self, state->own, &state->branch);
}

static void direction_correct(void *made, void *own_state, bool is_taken, uint64_t target)
{
    struct part *const part = made;
    struct direction_state *const state = own_state;

    state->branch.is_taken = is_taken;
    state->branch.target = target;
    if (part->module->direction->correct)
        part->module->direction->correct(part->self, state->own, &state->branch);
}

static void direction_train(void *made, const void *own_state, bool is_taken, uint64_t target)
{
    struct part *const part = made;
    struct direction_state *const state = (struct direction_state *)(uintptr_t)own_state;
    struct rubato_branch const branch = outcome_of(state, is_taken, target);

    part->module->direction->train(part->self, state->own, &branch);
}

const struct direction_ops direction_module = {
    .name = "module", .new = direction_new, .free = free_part, .lookup = direction_predict, .shift = direction_shift,
    .undo = direction_undo, .correct = direction_correct, .train = direction_train
};

/* ---- branch target buffer */

static void *btb_new(const struct branch_params *params)
{
    return make_part(params, 1, RUBATO_IS_BTB);
}

static bool btb_predict(void *made, const struct branch_query *query, uint64_t *target, bool *always_taken)
{
    struct part *const part = made;
    struct rubato_branch const branch = branch_of(query);

    return part->module->btb->predict(part->self, &branch, target, always_taken);
}

static void btb_learn(void *made, const struct rubato_branch *branch)
{
    struct part *const part = made;

    if (part->module->btb->update)
        part->module->btb->update(part->self, branch);
}

static void btb_train(void *made, const struct rubato_branch *branch)
{
    struct part *const part = made;

    if (part->module->btb->train)
        part->module->btb->train(part->self, branch);
}

const struct btb_ops btb_module = {
    .name = "module", .new = btb_new, .free = free_part, .predict = btb_predict, .learn = btb_learn,
    .train = btb_train
};

/* ---- indirect jumps */

static void *indirect_new(const struct branch_params *params, size_t most_in_flight)
{
    (void)most_in_flight;
    return make_part(params, 2, RUBATO_IS_INDIRECT);
}

static bool indirect_predict(void *made, const struct branch_query *query, uint64_t *target)
{
    struct part *const part = made;
    struct rubato_branch const branch = branch_of(query);

    return part->module->indirect->predict(part->self, &branch, target);
}

static void indirect_train(void *made, const struct rubato_branch *branch)
{
    struct part *const part = made;

    if (part->module->indirect->train)
        part->module->indirect->train(part->self, branch);
}

const struct indirect_ops indirect_module = {
    .name = "module", .new = indirect_new, .free = free_part, .lookup = indirect_predict, .train = indirect_train
};
