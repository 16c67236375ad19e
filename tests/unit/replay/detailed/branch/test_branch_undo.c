/* replay/detailed/branch/branch_unit.h: random predictions, squashes, corrections and trainings against a slow model
 * that, for each entry in flight, copies all speculative state before the prediction; undoing puts the copy back.
 * Tables are tiny, so that everything collides. The stack is the exception: undoing does not bring back what pushes
 * overwrote (branch-prediction 7), so the copy has its top alone, and pops put back the entry they read. */
#include "replay/config/branch_params.h"
#include "replay/detailed/branch/counter.h"
#include "tests/support/branch_bench.h"
#include "tests/support/random_numbers.h"

enum { IN_FLIGHT = 24, PATH = 4096, BTB = 8, TABLE = 16, LOCALS = 4, SLOTS = 4, SETS = 4, WAYS = 2 };

struct speculative {
    uint32_t history;                    /* of the direction predictor */
    uint32_t locals[LOCALS];
    uint32_t directions;                 /* of the indirect predictor */
    unsigned path_length;
    uint64_t path[PATH];
    unsigned top;
};

struct model_entry {
    struct branch_query query;
    struct speculative before;
    bool says_local, says_global, is_taken;
    uint64_t slot_value;                 /* of a pop; 0: never written */
};

struct model {
    enum branch_predictor type;
    struct speculative now;
    struct model_entry entries[IN_FLIGHT];
    unsigned count;
    struct { bool is_valid; uint64_t tag, target; } btb[BTB];
    uint64_t slots[SLOTS];
    struct { uint64_t tag, target; bool is_written; } ways[SETS][WAYS];
    unsigned local[TABLE], global[TABLE], choice[TABLE], taken[TABLE];     /* bimode: global is the not-taken array */
    struct additive_random random;
};

static struct model model;

static unsigned word(uint64_t pc)
{
    return (unsigned)(pc >> 2);
}

static void step(unsigned *counter, bool is_up)
{
    if (is_up && *counter < 3)
        ++*counter;
    if (!is_up && *counter > 0)
        --*counter;
}

static unsigned model_set(uint64_t pc)
{
    uint64_t hash = word(pc) ^ model.now.directions;

    /* The step is log2(4) / 3 = 0. */
    for (unsigned i = 0; i < 3 && i < model.now.path_length; i++)
        hash ^= model.now.path[model.now.path_length - 1 - i] >> 2;
    return (unsigned)hash & (SETS - 1);
}

static bool model_direction(struct model_entry *entry)
{
    uint64_t const pc = entry->query.pc;
    unsigned const history = model.now.history & (TABLE - 1), bimode = (word(pc) ^ model.now.history) & (TABLE - 1);

    entry->says_local = entry->says_global = true;
    if (!entry->query.is_conditional)
        return true;
    switch (model.type) {
    case BRANCH_TOURNAMENT:
        entry->says_local = model.local[model.now.locals[word(pc) & (LOCALS - 1)] & (TABLE - 1)] > 1;
        entry->says_global = model.global[history] > 1;
        return model.choice[history] > 1 ? entry->says_global : entry->says_local;
    case BRANCH_BIMODE:                  /* says_global: the choice; says_local: the final prediction */
        entry->says_global = model.choice[word(pc) & (TABLE - 1)] > 1;
        entry->says_local = (entry->says_global ? model.taken : model.global)[bimode] > 1;
        return entry->says_local;
    case BRANCH_LOCAL:
        return model.local[word(pc) & (TABLE / 2 - 1)] > 1;
    default:
        return model.global[bimode] > 1;
    }
}

static void model_shift(const struct model_entry *entry, bool is_taken)
{
    uint32_t *const local = &model.now.locals[word(entry->query.pc) & (LOCALS - 1)];

    if (model.type != BRANCH_GSHARE || entry->query.is_conditional)
        model.now.history = model.now.history << 1 | is_taken;
    if (entry->query.is_conditional)
        *local = *local << 1 | is_taken;
    model.now.directions = (model.now.directions << 1 | is_taken) & 0x1fff;
}

static bool is_indirect(const struct branch_query *query)
{
    return !query->is_direct && !query->is_return;
}

static struct branch_answer model_predict(const struct branch_query *query)
{
    struct model_entry *const entry = &model.entries[model.count++];
    struct branch_answer answer = {.is_taken = false};
    unsigned const at = word(query->pc) & (BTB - 1);
    bool has_target = false;

    entry->query = *query;
    entry->before = model.now;
    answer.is_taken = model_direction(entry);
    if (answer.is_taken && model.btb[at].is_valid && model.btb[at].tag == (query->pc >> 5 & 3)) {
        has_target = true;
        answer.next_pc = model.btb[at].target;
    }
    if (query->is_call) {
        model.now.top = (model.now.top + 1) % SLOTS;
        model.slots[model.now.top] = query->fall_through;
    } else if (query->is_return) {
        entry->slot_value = model.slots[model.now.top];
        model.now.top = (model.now.top + SLOTS - 1) % SLOTS;
        if (entry->slot_value) {
            has_target = true;
            answer.next_pc = entry->slot_value;
        }
    }
    if (answer.is_taken && is_indirect(query))
        for (unsigned way = WAYS; way-- > 0;)
            if (model.ways[model_set(query->pc)][way].is_written
                && model.ways[model_set(query->pc)][way].tag == (word(query->pc) & 0xffff)) {
                has_target = true;
                answer.next_pc = model.ways[model_set(query->pc)][way].target;
            }
    if (!has_target)
        answer = (struct branch_answer){.next_pc = query->fall_through};
    if (is_indirect(query))
        model.now.path[model.now.path_length++] = answer.next_pc;
    model_shift(entry, answer.is_taken);
    entry->is_taken = answer.is_taken;
    return answer;
}

static void model_squash(uint64_t seq)
{
    while (model.count > 0 && model.entries[model.count - 1].query.seq > seq) {
        const struct model_entry *const entry = &model.entries[--model.count];

        model.now = entry->before;
        if (entry->query.is_return && !entry->query.is_call)
            model.slots[model.now.top] = entry->slot_value;
    }
}

static void model_correct(uint64_t seq, uint64_t target, bool is_taken)
{
    struct model_entry *entry;
    const struct branch_query *query;
    unsigned top;

    model_squash(seq);
    if (model.count == 0)
        return;
    entry = &model.entries[model.count - 1];
    query = &entry->query;
    entry->is_taken = is_taken;
    top = model.now.top;
    model.now = entry->before;
    model.now.top = top;
    if (is_indirect(query)) {
        unsigned const set = model_set(query->pc);
        uint64_t const tag = word(query->pc) & 0xffff;
        unsigned way = 0;

        while (way < WAYS && model.ways[set][way].tag != tag)
            way++;
        if (way == WAYS)
            way = additive_random_next(&model.random) % WAYS;
        model.ways[set][way].tag = tag;
        model.ways[set][way].target = target;
        model.ways[set][way].is_written = true;
        model.now.path[model.now.path_length++] = target;
    }
    model_shift(entry, is_taken);
    if (is_taken && query->is_direct) {
        model.btb[word(query->pc) & (BTB - 1)].is_valid = true;
        model.btb[word(query->pc) & (BTB - 1)].tag = query->pc >> 5 & 3;
        model.btb[word(query->pc) & (BTB - 1)].target = target;
    }
}

static void model_train_one(const struct model_entry *entry)
{
    uint64_t const pc = entry->query.pc;
    unsigned const history = entry->before.history & (TABLE - 1), bimode = (word(pc) ^ history) & (TABLE - 1);
    bool const taken = entry->is_taken, is_conditional = entry->query.is_conditional;

    switch (model.type) {
    case BRANCH_TOURNAMENT:
        if (is_conditional && entry->says_local != entry->says_global)
            step(&model.choice[history], entry->says_global == taken);
        step(&model.global[history], taken);
        if (is_conditional)
            step(&model.local[entry->before.locals[word(pc) & (LOCALS - 1)] & (TABLE - 1)], taken);
        break;
    case BRANCH_BIMODE:
        step(&(entry->says_global ? model.taken : model.global)[bimode], taken);
        if (!(entry->says_local == taken && entry->says_local != entry->says_global))
            step(&model.choice[word(pc) & (TABLE - 1)], taken);
        break;
    case BRANCH_LOCAL:
        step(&model.local[word(pc) & (TABLE / 2 - 1)], taken);
        break;
    default:
        if (is_conditional)
            step(&model.global[bimode], taken);
    }
}

static void model_train(uint64_t seq)
{
    unsigned done = 0;

    while (done < model.count && model.entries[done].query.seq <= seq)
        model_train_one(&model.entries[done++]);
    model.count -= done;
    memmove(model.entries, model.entries + done, model.count * sizeof model.entries[0]);
}

/* --- both --------------------------------------------------------------------------------------------------------- */

static struct branch_query random_query(uint64_t seq)
{
    static const enum branch_class classes[] = {
        BRANCH_RETURN, BRANCH_CALL_DIRECT, BRANCH_CALL_INDIRECT, BRANCH_DIRECT_COND, BRANCH_DIRECT_COND,
        BRANCH_DIRECT_COND, BRANCH_DIRECT_UNCOND, BRANCH_INDIRECT_UNCOND
    };
    struct branch_query query = bench_query(classes[random_below(COUNT(classes))], 0x100 + 2 * random_below(100));

    query.seq = seq;
    query.fall_through -= 2 * random_below(2);
    query.is_call |= query.is_return && random_below(8) == 0;
    return query;
}

static void same_as_the_model(enum branch_predictor type)
{
    struct branch_params params = bench_params(type);
    struct branch_unit *unit;
    uint64_t seq = 1;

    params.btb_entries = BTB;
    params.btb_tag_bits = 2;
    params.ras_entries = SLOTS;
    params.indirect_sets = SETS;
    params.local_counters = params.global_counters = params.choice_counters = params.gshare_counters = TABLE;
    params.local_histories = LOCALS;
    params.gshare_history_bits = 4;
    unit = bench_unit(&params, IN_FLIGHT);
    memset(&model, 0, sizeof model);
    model.type = type;
    additive_random_init(&model.random);
    for (unsigned i = 0; i < 30000; i++) {
        uint64_t const choice = random_below(8);
        uint64_t const some = model.count ? model.entries[random_below(model.count)].query.seq : seq;

        if (model.now.path_length > PATH - IN_FLIGHT - 1) {
            /* Nothing in flight: the model may forget all but the newest of its path. */
            model_train(UINT64_MAX);
            branch_unit_train(unit, UINT64_MAX);
            memmove(model.now.path, model.now.path + model.now.path_length - 3, 3 * sizeof model.now.path[0]);
            model.now.path_length = 3;
        }
        if (choice < 5 && model.count < IN_FLIGHT) {
            struct branch_query const query = random_query(++seq);
            struct branch_answer const expected = model_predict(&query), got = branch_unit_predict(unit, &query);

            assert_int_equal(got.next_pc, expected.next_pc);
            assert_int_equal(got.is_taken, expected.is_taken);
        } else if (choice == 5) {
            branch_unit_squash(unit, some);
            model_squash(some);
        } else if (choice == 6 && model.count > 0) {
            uint64_t const target = 0x1000 + 4 * random_below(16);
            bool is_taken = true;

            for (unsigned j = 0; j < model.count; j++)
                if (model.entries[j].query.seq == some && model.entries[j].query.is_conditional)
                    is_taken = random_below(2);
            branch_unit_correct(unit, some, target, is_taken);
            model_correct(some, target, is_taken);
        } else {
            branch_unit_train(unit, some);
            model_train(some);
        }
    }
    branch_unit_free(unit);
}

static void tournament_is_undone_exactly(void **state)
{
    same_as_the_model(BRANCH_TOURNAMENT);
}

static void bimode_is_undone_exactly(void **state)
{
    same_as_the_model(BRANCH_BIMODE);
}

static void local_is_undone_exactly(void **state)
{
    same_as_the_model(BRANCH_LOCAL);
}

static void gshare_is_undone_exactly(void **state)
{
    same_as_the_model(BRANCH_GSHARE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tournament_is_undone_exactly),
        cmocka_unit_test(bimode_is_undone_exactly),
        cmocka_unit_test(local_is_undone_exactly),
        cmocka_unit_test(gshare_is_undone_exactly),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
