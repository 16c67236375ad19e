/* Modelled: the reference's predictor of indirect jumps (branch-prediction 8): sets of ways of targets, chosen by the
 * pc, the directions of all control micro-ops and the last targets of indirect jumps. Targets are written when a
 * misprediction is corrected, into a random way.
 *
 * The path is a ring. In the reference it is a queue whose oldest elements are removed at commit; missing elements
 * add nothing to an index, so the ring counts its elements. */
#include <stdlib.h>

#include "base/arith.h"
#include "replay/config/branch_params.h"
#include "replay/detailed/branch/counter.h"
#include "replay/detailed/branch/parts.h"

struct target_way {
    uint64_t target;
    uint32_t tag;
    bool is_written;
};

struct path_predictor {
    struct target_way *ways;
    uint64_t *path;                      /* ring of path_mask + 1 */
    uint64_t path_mask, path_end;        /* path_end: elements ever appended less those dropped from there */
    uint64_t path_count, most_kept;
    uint64_t set_mask, tag_mask;
    uint32_t way_count, inst_shift, path_length, path_step;
    uint32_t history, history_mask;
    struct additive_random random;
};

static void path_free(void *own)
{
    struct path_predictor *const predictor = own;

    if (!predictor)
        return;
    free(predictor->ways);
    free(predictor->path);
    free(predictor);
}

static void *path_new(const struct branch_params *params, size_t most_in_flight)
{
    struct path_predictor *const predictor = calloc(1, sizeof *predictor);
    uint64_t const most_kept = params->indirect_path + params->indirect_spare;
    uint64_t const path_size = UINT64_C(1) << log2_up(most_kept + most_in_flight + 1);

    if (!predictor)
        return NULL;
    predictor->ways = calloc(params->indirect_sets * params->indirect_ways, sizeof *predictor->ways);
    predictor->path = calloc(path_size, sizeof *predictor->path);
    if (!predictor->ways || !predictor->path) {
        path_free(predictor);
        return NULL;
    }
    predictor->path_mask = path_size - 1;
    predictor->most_kept = most_kept;
    predictor->set_mask = params->indirect_sets - 1;
    predictor->tag_mask = (UINT64_C(1) << params->indirect_tag_bits) - 1;
    predictor->way_count = (uint32_t)params->indirect_ways;
    predictor->inst_shift = (uint32_t)params->inst_shift;
    predictor->path_length = (uint32_t)params->indirect_path;
    predictor->path_step = predictor->path_length ? log2_down(params->indirect_sets) / predictor->path_length : 0;
    predictor->history_mask = (1u << params->indirect_history_bits) - 1;
    additive_random_init(&predictor->random);
    return predictor;
}

static uint32_t indirect_path_set_of(const struct path_predictor *predictor, uint64_t pc)
{
    uint64_t const length = min_u64(predictor->path_length, predictor->path_count);
    uint64_t hash = pc >> predictor->inst_shift ^ predictor->history;
    uint32_t shift = predictor->inst_shift;

    for (uint64_t i = 1; i <= length; i++) {
        hash ^= predictor->path[(predictor->path_end - i) & predictor->path_mask] >> shift;
        shift += predictor->path_step;
    }
    return (uint32_t)(hash & predictor->set_mask);
}

static inline struct target_way *ways_of(const struct path_predictor *predictor, uint32_t set)
{
    return predictor->ways + (uint64_t)set * predictor->way_count;
}

static inline uint32_t tag_of(const struct path_predictor *predictor, uint64_t pc)
{
    return (uint32_t)(pc >> predictor->inst_shift & predictor->tag_mask);
}

static inline void indirect_path_append(struct path_predictor *predictor, uint64_t target)
{
    predictor->path[predictor->path_end++ & predictor->path_mask] = target;
    predictor->path_count++;
}

static inline void drop_newest(struct path_predictor *predictor)
{
    if (predictor->path_count > 0) {
        predictor->path_end--;
        predictor->path_count--;
    }
}

static inline void shift_history(struct path_predictor *predictor, bool is_taken)
{
    predictor->history = (predictor->history << 1 | is_taken) & predictor->history_mask;
}

static bool path_lookup(void *own, const struct branch_query *query, uint64_t *target)
{
    struct path_predictor *const predictor = own;
    const struct target_way *const set = ways_of(predictor, indirect_path_set_of(predictor, query->pc));
    uint32_t const tag = tag_of(predictor, query->pc);

    for (uint32_t i = 0; i < predictor->way_count; i++)
        if (set[i].is_written && set[i].tag == tag) {
            *target = set[i].target;
            return true;
        }
    return false;
}

static void path_shift(void *own, struct indirect_state *state, const struct branch_query *query, bool is_taken,
                       uint64_t target)
{
    struct path_predictor *const predictor = own;

    state->history = predictor->history;
    state->was_indirect = branch_is_indirect(query);
    if (state->was_indirect)
        indirect_path_append(predictor, target);
    shift_history(predictor, is_taken);
}

static void path_undo(void *own, const struct indirect_state *state)
{
    struct path_predictor *const predictor = own;

    predictor->history = state->history;
    if (state->was_indirect)
        drop_newest(predictor);
}

static void record(struct path_predictor *predictor, uint32_t set_index, uint32_t tag, uint64_t target)
{
    struct target_way *const set = ways_of(predictor, set_index);
    uint32_t way = 0;

    while (way < predictor->way_count && set[way].tag != tag)
        way++;
    if (way == predictor->way_count)
        way = additive_random_next(&predictor->random) % predictor->way_count;
    set[way] = (struct target_way){.target = target, .tag = tag, .is_written = true};
}

static void path_correct(void *own, struct indirect_state *state, uint64_t pc, bool is_taken, uint64_t target)
{
    struct path_predictor *const predictor = own;

    path_undo(own, state);
    if (state->was_indirect) {
        uint32_t const set = indirect_path_set_of(predictor, pc);

        indirect_path_append(predictor, target);
        if (is_taken)
            record(predictor, set, tag_of(predictor, pc), target);
    }
    shift_history(predictor, is_taken);
}

static void path_commit(void *own)
{
    struct path_predictor *const predictor = own;

    if (predictor->path_count >= predictor->most_kept && predictor->most_kept > 0)
        predictor->path_count = predictor->most_kept - 1;
}

const struct indirect_ops indirect_path = {
    .name = "path", .new = path_new, .free = path_free, .lookup = path_lookup, .shift = path_shift, .undo = path_undo,
    .correct = path_correct, .commit = path_commit
};
