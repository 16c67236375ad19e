/* Modelled: the reference's unit (branch-prediction 2 to 5): the list of branches in flight, the order in which
 * direction predictor, BTB, return stack and indirect predictor are asked, corrected and trained. Not modelled:
 * requiresBTBHit.
 *
 * The list is a ring of entries, and beside it one of the direction predictor's states; `begin` counts entries that
 * left it at its old end, `end` those that entered less those squashed. The arrays have room for the most that can be
 * in flight; the ring takes up their front, as long as that suffices, so that it stays in the host's caches.
 *
 * In the order of the trace predictors are asked, corrected and trained in one call of branch_unit_predict. A squash
 * then undoes nothing, and commit only counts. */
#include "replay/detailed/branch/branch_unit.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "memsys/sim/sim_statistics.h"
#include "replay/config/branch_params.h"
#include "replay/detailed/branch/branch_module.h"

enum { RING_BEGIN = 256 };

struct entry {
    uint64_t seq, pc, target, fall_through;
    uint8_t class, provider;
    bool is_call, is_return, is_direct;
    bool cond_pred, is_taken;            /* is_taken: as predicted, then as corrected */
    bool btb_hit, is_mispredicted;
    bool is_trained;                     /* in the order of the trace, at its prediction */
    struct ras_state ras;
    struct indirect_state indirect;
};

struct branch_unit {
    const struct direction_ops *direction_ops;
    void *direction;
    const struct btb_ops *btb_ops;
    void *btb;
    const struct ras_ops *ras_ops;
    void *ras;
    const struct indirect_ops *indirect_ops;
    void *indirect;
    bool has_ras, has_indirect, has_modules;     /* has_modules: BTB or indirect predictor is one */
    struct entry *entries;
    char *states;
    size_t state_bytes;
    uint64_t override_cyc;
    uint64_t begin, end;
    uint64_t mask, most;                 /* of the ring: its present size - 1, and the arrays' size */
    uint64_t warm_seq;                   /* of the last one of branch_unit_warm */
    /* In the order of the trace (TRAIN_TRACE_ORDER): instructions before `next_number` have been predicted and learnt
     * from. One that is fetched again behind a squash gets the answer that it had. */
    bool is_in_order;
    uint64_t next_number, told_mask;
    struct branch_answer *told;          /* by number */
    struct branch_stats stats;
};

#define DIRECTION_ROW(kind, name) [kind] = &direction_##name,
#define BTB_ROW(kind, name) [kind] = &btb_##name,
#define RAS_ROW(kind, name) [kind] = &ras_##name,
#define INDIRECT_ROW(kind, name) [kind] = &indirect_##name,
static const struct direction_ops *const directions[] = {BRANCH_PREDICTORS(DIRECTION_ROW)
                                                         [BRANCH_MODULE] = &direction_module};
static const struct btb_ops *const btbs[] = {BRANCH_BTBS(BTB_ROW) [BTB_MODULE] = &btb_module};
static const struct ras_ops *const stacks[] = {BRANCH_STACKS(RAS_ROW)};
static const struct indirect_ops *const indirects[] = {BRANCH_INDIRECTS(INDIRECT_ROW)
                                                       [INDIRECT_MODULE] = &indirect_module};

void branch_unit_free(struct branch_unit *unit)
{
    if (!unit)
        return;
    if (unit->direction)
        unit->direction_ops->free(unit->direction);
    if (unit->btb)
        unit->btb_ops->free(unit->btb);
    if (unit->ras)
        unit->ras_ops->free(unit->ras);
    if (unit->indirect)
        unit->indirect_ops->free(unit->indirect);
    free(unit->entries);
    free(unit->states);
    free(unit->told);
    free(unit);
}

struct branch_unit *branch_unit_new(const struct branch_params *params, size_t most_in_flight, struct fault *fault)
{
    struct branch_unit *const unit = calloc(1, sizeof *unit);
    size_t const size = (size_t)1 << log2_up(most_in_flight + 1);

    if (unit) {
        unit->most = size;
        unit->mask = min_u64(size, RING_BEGIN) - 1;
        unit->direction_ops = directions[params->type];
        unit->btb_ops = btbs[params->btb];
        unit->ras_ops = stacks[params->ras];
        unit->indirect_ops = indirects[params->indirect];
        unit->has_ras = params->ras != RAS_NONE;
        unit->has_indirect = params->indirect != INDIRECT_NONE;
        unit->has_modules = params->btb == BTB_MODULE || params->indirect == INDIRECT_MODULE;
        unit->override_cyc = params->override_cyc;
        unit->state_bytes = round_up(unit->direction_ops->state_bytes + branch_module_state_bytes(params), 8);
        unit->direction = unit->direction_ops->new(params, most_in_flight);
        unit->btb = unit->btb_ops->new(params);
        unit->ras = unit->ras_ops->new(params);
        unit->indirect = unit->indirect_ops->new(params, most_in_flight);
        unit->entries = calloc(size, sizeof *unit->entries);
        unit->states = calloc(size, unit->state_bytes ? unit->state_bytes : 1);
        unit->is_in_order = params->training == TRAIN_TRACE_ORDER;
        unit->told_mask = size - 1;
        unit->told = calloc(unit->is_in_order ? size : 1, sizeof *unit->told);
        if (unit->direction && unit->btb && unit->ras && unit->indirect && unit->entries && unit->states
            && unit->told)
            return unit;
    }
    branch_unit_free(unit);
    *fault = fault_make(FAULT_MEMORY, "out of memory for a branch prediction unit");
    return NULL;
}

static inline struct entry *entry_at(struct branch_unit *unit, uint64_t number)
{
    return &unit->entries[number & unit->mask];
}

static inline void *state_at(struct branch_unit *unit, uint64_t number)
{
    return unit->states + (number & unit->mask) * unit->state_bytes;
}

/* Twice the ring. Its entries are numbered through, so half of them move to the new part. */
static void widen(struct branch_unit *unit)
{
    uint64_t const size = unit->mask + 1;

    assert(size < unit->most);
    for (uint64_t number = unit->begin; number != unit->end; number++)
        if (number & size) {
            uint64_t const from = number & unit->mask, to = from + size;

            unit->entries[to] = unit->entries[from];
            memcpy(unit->states + to * unit->state_bytes, unit->states + from * unit->state_bytes, unit->state_bytes);
        }
    unit->mask = 2 * size - 1;
}

/* The module may say that the branch is always taken. */
static bool ask_btb_module(struct branch_unit *unit, struct entry *entry, const struct branch_query *query,
                           uint64_t *target)
{
    bool always_taken = false;
    bool const is_hit = unit->btb_ops->predict(unit->btb, query, target, &always_taken);

    entry->is_taken = entry->is_taken || (is_hit && always_taken);
    return is_hit;
}

static struct rubato_branch committed_branch(const struct entry *entry)
{
    return (struct rubato_branch){
        .pc = entry->pc, .sequence = entry->seq, .kind = entry->class, .is_taken = entry->is_taken,
        .fall_through = entry->fall_through, .target = entry->target,
        .is_conditional = entry->class == BRANCH_DIRECT_COND || entry->class == BRANCH_INDIRECT_COND};
}

/* branch-prediction 4, steps 3 to 6: whose target is taken. */
static void find_target(struct branch_unit *unit, struct entry *entry, const struct branch_query *query)
{
    struct branch_stats *const stats = &unit->stats;
    uint64_t btb_target = 0;

    entry->btb_hit = unit->btb_ops->predict ? ask_btb_module(unit, entry, query, &btb_target)
                                            : unit->btb_ops->lookup(unit->btb, query->pc, &btb_target);
    stats->btb_lookups++;
    stats->btb_hits += entry->btb_hit;
    stats->btb_class_misses[query->class] += !entry->btb_hit;
    if (entry->btb_hit && entry->is_taken) {
        entry->provider = BRANCH_BY_BTB;
        entry->target = btb_target;
    }
    if (query->is_call) {
        unit->ras_ops->push(unit->ras, &entry->ras, query->fall_through);
        stats->ras_pushes += unit->has_ras;
    } else if (query->is_return) {
        if (unit->ras_ops->pop(unit->ras, &entry->ras, &entry->target))
            entry->provider = BRANCH_BY_RAS;
        stats->ras_pops += unit->has_ras;
    }
    if (entry->is_taken && unit->has_indirect && branch_is_indirect(query)) {
        stats->indirect_lookups++;
        if (unit->indirect_ops->lookup(unit->indirect, query, &entry->target)) {
            stats->indirect_hits++;
            entry->provider = BRANCH_BY_INDIRECT;
        } else {
            stats->indirect_misses++;
        }
    }
    if (query->is_known && unit->direction_ops->knows_targets
        && (!query->is_conditional || entry->is_taken == query->is_taken)) {
        entry->provider = BRANCH_BY_KNOWN;
        entry->target = query->next_pc;
    }
}

/* Enters the list, with a prediction; no history knows of it yet. */
static struct entry *look_up(struct branch_unit *unit, const struct branch_query *query)
{
    struct branch_stats *const stats = &unit->stats;
    struct entry *entry;
    bool cond_pred;

    if (unit->end - unit->begin > unit->mask)
        widen(unit);
    entry = entry_at(unit, unit->end);
    stats->lookups[query->class]++;
    cond_pred = unit->direction_ops->lookup(unit->direction, state_at(unit, unit->end++), query);
    if (query->is_conditional) {
        stats->cond_predicted++;
        stats->cond_predicted_taken += cond_pred;
    }
    *entry = (struct entry){
        .seq = query->seq, .pc = query->pc, .fall_through = query->fall_through, .class = query->class,
        .is_call = query->is_call, .is_return = query->is_return, .is_direct = query->is_direct,
        .cond_pred = cond_pred, .is_taken = cond_pred
    };
    find_target(unit, entry, query);
    if (entry->provider == BRANCH_BY_NO_TARGET) {
        entry->target = query->fall_through;
        entry->is_taken = false;
    }
    stats->target_provider[entry->provider]++;
    return entry;
}

static struct branch_answer branch_unit_ask(struct branch_unit *unit, const struct branch_query *query)
{
    struct entry *const entry = look_up(unit, query);
    void *const state = state_at(unit, unit->end - 1);

    if (unit->direction_ops->shift)
        unit->direction_ops->shift(unit->direction, state, entry->is_taken, entry->target);
    if (unit->indirect_ops->shift)
        unit->indirect_ops->shift(unit->indirect, &entry->indirect, query, entry->is_taken, entry->target);
    return (struct branch_answer){
        .is_taken = entry->is_taken, .is_in_btb = entry->btb_hit, .next_pc = entry->target,
        .late_cyc = unit->override_cyc > 0 && unit->direction_ops->is_late && query->is_conditional
            && unit->direction_ops->is_late(state) ? unit->override_cyc : 0
    };
}

static void undo_ras(struct branch_unit *unit, const struct entry *entry)
{
    unit->ras_ops->undo(unit->ras, &entry->ras);
    unit->stats.ras_squashes++;
    unit->stats.ras_pops += entry->ras.did_push;
    unit->stats.ras_pushes += entry->ras.did_pop;
}

void branch_unit_squash(struct branch_unit *unit, uint64_t seq)
{
    while (unit->end != unit->begin) {
        const struct entry *const entry = entry_at(unit, unit->end - 1);

        if (entry->seq <= seq)
            return;
        unit->end--;
        unit->stats.squashes[entry->class]++;
        if (entry->is_trained)
            continue;
        if (entry->ras.did_push || entry->ras.did_pop)
            undo_ras(unit, entry);
        if (unit->indirect_ops->undo)
            unit->indirect_ops->undo(unit->indirect, &entry->indirect);
        if (unit->direction_ops->undo)
            unit->direction_ops->undo(unit->direction, state_at(unit, unit->end));
    }
}

/* branch-prediction 5.4, step 8: a call or return that did not work on the stack does so now, or the reverse. */
static void correct_ras(struct branch_unit *unit, struct entry *entry, uint64_t target, bool is_taken)
{
    bool const did_work = entry->ras.did_push || entry->ras.did_pop;
    uint64_t ignored;

    if (!unit->has_ras || did_work == is_taken)
        return;
    if (did_work) {
        undo_ras(unit, entry);
        entry->ras = (struct ras_state){0};
    } else if (entry->is_return) {
        unit->ras_ops->pop(unit->ras, &entry->ras, &ignored);
        unit->stats.ras_pops++;
    } else if (entry->is_call) {
        unit->ras_ops->push(unit->ras, &entry->ras, target + 4);
        unit->stats.ras_pushes++;
    }
}

/* Branches whose target no other part supplies. They include returns if there is no return stack; the reference does
 * not predict those. */
static inline bool uses_btb(const struct branch_unit *unit, const struct entry *entry)
{
    return entry->is_direct || (entry->is_return ? !unit->has_ras : !unit->has_indirect);
}

static void write_btb(struct branch_unit *unit, const struct entry *entry)
{
    struct branch_stats *const stats = &unit->stats;

    if (!entry->btb_hit) {
        stats->btb_mispredicted++;
        stats->pred_taken_btb_miss += entry->cond_pred;
    }
    stats->btb_updates++;
    stats->btb_class_updates[entry->class]++;
    if (unit->btb_ops->learn) {
        struct rubato_branch const branch = committed_branch(entry);

        unit->btb_ops->learn(unit->btb, &branch);
    } else {
        unit->btb_ops->update(unit->btb, entry->pc, entry->target);
    }
}

/* All parts but the direction predictor learn where the youngest entry's branch went. */
static void teach_entry(struct branch_unit *unit, struct entry *entry, uint64_t target, bool is_taken)
{
    entry->is_taken = is_taken;
    entry->target = target;
    if (unit->indirect_ops->correct)
        unit->indirect_ops->correct(unit->indirect, &entry->indirect, entry->pc, is_taken, target);
    correct_ras(unit, entry, target, is_taken);
    if (is_taken && uses_btb(unit, entry))
        write_btb(unit, entry);
}

/* The youngest entry, of which the direction predictor's history has been told. */
static void correct_entry(struct branch_unit *unit, struct entry *entry, uint64_t target, bool is_taken)
{
    struct branch_stats *const stats = &unit->stats;

    stats->corrected[entry->class]++;
    stats->target_wrong[entry->provider] += entry->target != target;
    if (is_taken)
        stats->not_taken_mispredicted++;
    else
        stats->taken_mispredicted++;
    entry->is_mispredicted = true;
    if (!entry->is_trained)
        teach_entry(unit, entry, target, is_taken);
}

void branch_unit_correct(struct branch_unit *unit, uint64_t seq, uint64_t target, bool is_taken)
{
    unit->stats.cond_incorrect++;
    branch_unit_squash(unit, seq);
    if (unit->end == unit->begin)
        return;
    if (unit->direction_ops->correct && !entry_at(unit, unit->end - 1)->is_trained)
        unit->direction_ops->correct(unit->direction, state_at(unit, unit->end - 1), is_taken, target);
    correct_entry(unit, entry_at(unit, unit->end - 1), target, is_taken);
}

static void train_modules(struct branch_unit *unit, const struct entry *entry)
{
    struct rubato_branch const branch = committed_branch(entry);

    if (unit->btb_ops->train)
        unit->btb_ops->train(unit->btb, &branch);
    if (unit->indirect_ops->train)
        unit->indirect_ops->train(unit->indirect, &branch);
}

static void train_entry(struct branch_unit *unit, uint64_t number)
{
    const struct entry *const entry = entry_at(unit, number);

    unit->direction_ops->train(unit->direction, state_at(unit, number), entry->is_taken, entry->target);
    if (unit->indirect_ops->commit)
        unit->indirect_ops->commit(unit->indirect);
    if (unit->has_modules)
        train_modules(unit, entry);
}

/* Predicts, and learns at once what is known of the trace; an answer that was given before is given again. */
static struct branch_answer ask_in_order(struct branch_unit *unit, const struct branch_query *query)
{
    struct branch_answer *const told = &unit->told[query->number & unit->told_mask];
    struct entry *entry;

    if (query->number < unit->next_number) {
        if (unit->end - unit->begin > unit->mask)
            widen(unit);
        unit->stats.lookups[query->class]++;
        *entry_at(unit, unit->end++) = (struct entry){.seq = query->seq, .pc = query->pc, .class = query->class,
                                                      .is_taken = told->is_taken, .target = told->next_pc,
                                                      .is_trained = true};
        return *told;
    }
    unit->next_number = query->number + 1;
    *told = branch_unit_ask(unit, query);
    entry = entry_at(unit, unit->end - 1);
    if (told->next_pc != query->next_pc) {
        if (unit->direction_ops->correct)
            unit->direction_ops->correct(unit->direction, state_at(unit, unit->end - 1), query->is_taken,
                                         query->next_pc);
        teach_entry(unit, entry, query->next_pc, query->is_taken);
    }
    train_entry(unit, unit->end - 1);
    entry->is_trained = true;
    entry->is_taken = told->is_taken;
    entry->target = told->next_pc;
    return *told;
}

struct branch_answer branch_unit_predict(struct branch_unit *unit, const struct branch_query *query)
{
    return unit->is_in_order && query->is_known ? ask_in_order(unit, query) : branch_unit_ask(unit, query);
}

void branch_unit_train(struct branch_unit *unit, uint64_t seq)
{
    struct branch_stats *const stats = &unit->stats;

    for (; unit->begin != unit->end; unit->begin++) {
        const struct entry *const entry = entry_at(unit, unit->begin);

        if (entry->seq > seq)
            return;
        stats->committed[entry->class]++;
        stats->mispredicted[entry->class] += entry->is_mispredicted;
        if (!entry->is_trained)
            train_entry(unit, unit->begin);
        if (entry->ras.did_pop) {
            stats->ras_used++;
            stats->ras_correct += !entry->is_mispredicted;
            stats->ras_incorrect += entry->is_mispredicted;
        }
    }
}

static enum branch_class branch_unit_class_of(const struct branch_query *query)
{
    if (query->is_return)
        return BRANCH_RETURN;
    if (query->is_call)
        return query->is_direct ? BRANCH_CALL_DIRECT : BRANCH_CALL_INDIRECT;
    if (query->is_direct)
        return query->is_conditional ? BRANCH_DIRECT_COND : BRANCH_DIRECT_UNCOND;
    return query->is_conditional ? BRANCH_INDIRECT_COND : BRANCH_INDIRECT_UNCOND;
}

/* The same as predicting and correcting, but histories are told the outcome only, and once. */
static void warm_known(struct branch_unit *unit, const struct branch_query *query)
{
    struct entry *entry;
    bool is_right;

    if (query->seq == 1)
        unit->direction_ops->warm_begin(unit->direction);
    entry = look_up(unit, query);
    is_right = entry->target == query->next_pc;
    if (unit->indirect_ops->shift)
        unit->indirect_ops->shift(unit->indirect, &entry->indirect, query, entry->is_taken, entry->target);
    if (!is_right)
        branch_unit_train(unit, query->seq - 1);
    unit->direction_ops->shift(unit->direction, state_at(unit, unit->end - 1), is_right ? entry->is_taken
                               : query->is_taken, query->next_pc);
    if (!is_right)
        correct_entry(unit, entry, query->next_pc, query->is_taken);
}

void branch_unit_warm(struct branch_unit *unit, const struct branch_query *query, size_t in_flight)
{
    struct branch_query known = *query;

    known.seq = ++unit->warm_seq;
    known.class = (uint8_t)branch_unit_class_of(query);
    if (unit->end - unit->begin >= in_flight)
        branch_unit_train(unit, known.seq - in_flight);
    if (unit->direction_ops->warm_begin) {
        warm_known(unit, &known);
        return;
    }
    if (branch_unit_ask(unit, &known).next_pc == query->next_pc)
        return;
    branch_unit_train(unit, known.seq - 1);
    branch_unit_correct(unit, known.seq, query->next_pc, query->is_taken);
}

void branch_unit_warm_end(struct branch_unit *unit)
{
    branch_unit_train(unit, unit->warm_seq);
    if (unit->direction_ops->warm_end)
        unit->direction_ops->warm_end(unit->direction);
}

/* Calls `visit` for each part that is a module, with the key that names it. */
static void visit_modules(const struct branch_unit *unit, void (*visit)(void *part, const char *key, void *context),
                          void *context)
{
    if (unit->direction_ops == &direction_module)
        visit(unit->direction, "type", context);
    if (unit->btb_ops == &btb_module)
        visit(unit->btb, "BTB", context);
    if (unit->indirect_ops == &indirect_module)
        visit(unit->indirect, "indirect", context);
}

struct module_visit {
    const char *group;
    struct stats *stats;
};

static void add_module(void *part, const char *key, void *context)
{
    const struct module_visit *const asked = context;

    stats_group(asked->stats, "system.%s.branchPred.%s", asked->group, key);
    branch_module_add_stats(part, asked->stats);
}

void branch_unit_add_modules(const struct branch_unit *unit, const char *core, struct stats *stats)
{
    struct module_visit asked = {core, stats};

    visit_modules(unit, add_module, &asked);
}

static void reset_module(void *part, const char *key, void *context)
{
    (void)key, (void)context;
    branch_module_reset(part);
}

void branch_unit_reset_modules(struct branch_unit *unit)
{
    visit_modules(unit, reset_module, NULL);
}

static void end_module(void *part, const char *key, void *context)
{
    (void)key, (void)context;
    branch_module_end(part);
}

void branch_unit_end_modules(struct branch_unit *unit)
{
    visit_modules(unit, end_module, NULL);
}

struct branch_stats *branch_unit_stats(struct branch_unit *unit)
{
    return &unit->stats;
}
