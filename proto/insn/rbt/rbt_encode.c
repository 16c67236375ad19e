/* The columns of docs/spec/rbt.md 5. Correct guesses of the model are written only as their number before a wrong one.
 * Runs go through twice: first all of them, of which those guessed wrong are noted; then these, as bytes. */
#include "proto/insn/rbt/rbt_encode.h"

#include <string.h>

#include "base/bits.h"
#include "proto/insn/rbt/addresses.h"

/* ---- runs */

/* misses: right guesses before each wrong one, and pick. */
struct run_encoder {
    struct rbt_model *model;
    struct column *runs;
    uint32_t *misses;
    uint32_t miss_count;
    uint64_t explicit;                   /* behind the run that was written last */
};

/* Runs are new mostly, and numbered as they are met. */
static void put_run(struct run_encoder *encoder, uint32_t run)
{
    column_put_number(encoder->runs, bits_zigzag(run - encoder->explicit));
    encoder->explicit = (uint64_t)run + 1;
}

/* Stores a misprediction after `right` correct ones. */
static inline void put_surprise(struct run_encoder *encoder, uint32_t guess, uint32_t before, uint32_t run,
                                uint32_t right)
{
    struct rbt_successors const known = encoder->model->successors[before];
    unsigned pick = RBT_PICK_WRITTEN;

    if (run == rbt_first_pick(known, guess))
        pick = RBT_PICK_FIRST;
    else if (run == known.other)
        pick = RBT_PICK_OTHER;
    else
        put_run(encoder, run);
    encoder->misses[encoder->miss_count++] = right << RBT_PICK_BITS | pick;
    rbt_learn_surprise(encoder->model, before, run);
}

/* The table did not have it. Returns the number of right guesses since the last wrong one. */
static __attribute__((noinline)) uint32_t put_unknown(struct run_encoder *encoder, uint64_t entry, uint32_t before,
                                                      uint32_t run, uint32_t right)
{
    uint32_t const guess = rbt_guess_run(encoder->model, before, entry);

    if (guess == run)
        return right + 1;
    put_surprise(encoder, guess, before, run, right);
    return 0;
}

/* Of an irregular instruction: its number of accesses, then runs of equal shapes. Returns the number. */
static uint32_t encode_shape(const uint64_t *shape, struct column *column)
{
    uint32_t const count = (uint32_t)shape[0];

    column_put_number(column, count);
    for (uint32_t i = 0, run; i < count; i += run) {
        for (run = 1; i + run < count && shape[1 + i + run] == shape[1 + i];)
            run++;
        column_put_number(column, shape[1 + i]);
        column_put_number(column, run);
    }
    return count;
}

/* Most runs have a few slots: no branch tests their exact number, since it would often be mispredicted. */
static inline uint32_t *put_slots(uint32_t *slots, const uint32_t *from, uint32_t count)
{
    memcpy(slots, from, RBT_SLOTS_SPARE * sizeof *slots);
    for (uint32_t k = RBT_SLOTS_SPARE; k < count; k += RBT_SLOTS_SPARE)
        memcpy(slots + k, from + k, RBT_SLOTS_SPARE * sizeof *slots);
    return slots + count;
}

static void put_guesses(const struct run_encoder *encoder, struct column *columns)
{
    struct column *const guesses = &columns[RBT_GUESSES];

    if (!column_fit(guesses, encoder->miss_count))
        return;
    for (uint32_t i = 0; i < encoder->miss_count; i++) {
        uint32_t const right = encoder->misses[i] >> RBT_PICK_BITS;
        uint32_t const pick = encoder->misses[i] & ((1u << RBT_PICK_BITS) - 1);

        if (right >= RBT_PICK_COUNT)
            column_put_number(&columns[RBT_COUNTS], right - RBT_PICK_COUNT);
        guesses->at[guesses->length++] = (uint8_t)((right < RBT_PICK_COUNT ? right : RBT_PICK_COUNT) << RBT_PICK_BITS
                                                   | pick);
    }
}

/* Of the next run, whose last row is irregular: `slots` is behind those of the others. */
static __attribute__((noinline)) uint32_t *put_irregular(uint32_t *slots, uint32_t slot, const uint64_t **shape,
                                                         struct column *column)
{
    uint32_t const count = encode_shape(*shape, column);

    *shape += 1 + count;
    for (uint32_t i = 0; i < count; i++)
        *slots++ = slot;
    return slots;
}

/* Predicts runs by their latest successors alone, in one pass, so that no run waits for a result of the previous one.
 * Also finds the slot of each access. */
static __attribute__((noinline)) void encode_runs_quickly(const struct rbt_block_input *input,
                                                          const struct rbt_rows *rows, const struct rbt_runs *runs,
                                                          struct rbt_model *model, struct rbt_scratch scratch,
                                                          struct column *columns)
{
    struct run_encoder encoder = {.model = model, .runs = &columns[RBT_RUNS], .misses = scratch.misses};
    const uint64_t *shape = input->shapes;
    uint32_t *slots = scratch.slots;
    uint32_t before = model->before, right = 0;

    for (uint32_t at = 0; at < input->run_count; at++) {
        uint32_t const number = rbt_run_number(input->runs[at]);
        uint32_t const guess = rbt_last_successor(model, before);
        const struct rbt_run *const run = &runs->runs[number];

        if (guess == number) {
            right++;
        } else {
            put_surprise(&encoder, guess, before, number, right);
            right = 0;
        }
        slots = put_slots(slots, runs->slots + run->slots, run->slot_count);
        if (run->is_irregular)
            slots = put_irregular(slots, rows->rows[run->last_row].first_slot, &shape, &columns[RBT_SHAPES]);
        before = number + 1;
    }
    model->before = before;
    put_guesses(&encoder, columns);
}

/* The same of joined runs, by the table. */
static __attribute__((noinline)) void encode_runs(const struct rbt_block_input *input, const struct rbt_rows *rows,
                                                  struct rbt_runs *runs, struct rbt_joins *joins,
                                                  struct rbt_model *model, struct rbt_scratch scratch,
                                                  struct column *columns)
{
    struct run_encoder encoder = {.model = model, .runs = &columns[RBT_RUNS], .misses = scratch.misses};
    struct rbt_join none = {.runs = {RBT_NO_RUN}, .count = 1}, *join = &none;
    const uint64_t *shape = input->shapes;
    uint32_t *slots = scratch.slots;
    uint64_t *const table = model->table;
    uint64_t history = model->history;
    uint32_t before = model->before, right = 0;
    bool good = rbt_joins_begin(joins, runs);

    for (uint32_t at = 0; good && at < input->run_count; at += join->count) {
        const uint32_t *const next = input->runs + at;

        /* Of a loop it is the same join again, which needs no search. */
        if (!rbt_join_is(join, next)) {
            join = rbt_join_of(joins, *next);
            if (join->count == 1 || !rbt_join_is(join, next)) {
                good = join->lessons == RBT_JOIN_LESSONS ||
                    rbt_joins_learn(joins, runs, rows, input->runs, at, input->run_count);
                join = &none;
                join->joined = rbt_run_number(*next);
            }
        }
        join->hits++;

        uint32_t const number = join->joined;
        const struct rbt_run *const run = &runs->runs[number];
        uint64_t *const entry = rbt_entry(table, history, before);
        uint64_t const found = *entry, wanted = rbt_entry_of(before, number);

        *entry = wanted;
        if (found == wanted)
            right++;
        else
            right = put_unknown(&encoder, found, before, number, right);
        slots = put_slots(slots, runs->slots + run->slots, run->slot_count);
        if (run->is_irregular)
            slots = put_irregular(slots, rows->rows[run->last_row].first_slot, &shape, &columns[RBT_SHAPES]);

        uint64_t const later = rbt_history_with(history, number);

        /* A loop that has filled the history: each further time the entry is the one that was written now. */
        if (later == history && before == number + 1 && join != &none && !run->is_irregular) {
            const uint32_t *again = next + join->count;
            uint32_t times = 0;

            for (; rbt_join_is(join, again); again += join->count, times++)
                slots = put_slots(slots, runs->slots + run->slots, run->slot_count);
            at += times * join->count;
            join->hits += times;
            right += times;
        }
        history = later;
        before = number + 1;
    }
    columns[RBT_RUNS].failed |= !good;
    model->history = history;
    model->before = before;
    put_guesses(&encoder, columns);
}

/* ---- the rest */

void rbt_targets_wrong(struct rbt_targets *targets)
{
    column_put_number(&targets->column, targets->right);
    column_put_number(&targets->column, bits_zigzag(targets->target - targets->pc));
    targets->right = 0;
    targets->is_open = false;
}

/* A target behind which nothing follows in the block is none that could be foreseen. */
static void encode_targets(struct rbt_targets *targets, struct column *column)
{
    if (targets->is_open)
        rbt_targets_wrong(targets);
    column_put_number(&targets->column, targets->right);
    targets->right = 0;
    column_put_bytes(column, targets->column.at, targets->column.length);
    column->failed |= targets->column.failed;
    targets->column.length = 0;
}

static void encode_markers(const struct rbt_block_input *input, struct rbt_model *model, struct column *column)
{
    uint32_t before = 0;

    for (uint32_t i = 0; i < input->marker_count; i++) {
        const struct rbt_block_marker *const at = &input->markers[i];

        column_put_number(column, at->before - before);
        column_put_byte(column, (unsigned)at->marker.kind | at->marker.arg_count << 5);
        column_put_number(column, bits_zigzag(at->marker.value - model->marker_values[at->marker.kind]));
        for (unsigned k = 0; k < at->marker.arg_count; k++)
            column_put_number(column, at->marker.args[k]);
        model->marker_values[at->marker.kind] = at->marker.value;
        before = at->before;
    }
}

static void encode_gaps(struct column *gaps, struct column *column)
{
    column_put_bytes(column, gaps->at, gaps->length);
    column->failed |= gaps->failed;
    gaps->length = 0;
}

void rbt_encode(struct rbt_block_input *input, const struct rbt_rows *rows, struct rbt_runs *runs,
                struct rbt_joins *joins, struct rbt_model *model, struct rbt_scratch scratch,
                struct column *columns)
{
    if (input->is_quick) {
        encode_runs_quickly(input, rows, runs, model, scratch, columns);
    } else if (input->run_count > 0) {
        /* No join's, so that none holds that reaches over the end. */
        for (uint32_t i = 0; i < RBT_JOIN_RUNS; i++)
            input->runs[input->run_count + i] = RBT_NO_RUN;
        encode_runs(input, rows, runs, joins, model, scratch, columns);
    }
    rbt_encode_addresses(model, &(struct rbt_addresses){
        .addresses = input->addresses, .slots = scratch.slots, .count = input->access_count, .is_quick = input->is_quick
    }, columns);
    encode_targets(&input->targets, &columns[RBT_TARGETS]);
    encode_gaps(&input->gaps, &columns[RBT_GAPS]);
    encode_markers(input, model, &columns[RBT_MARKERS]);
}
