/* The columns of docs/spec/rbt.md 5. What the model guesses right is not written, or as the length of a run. */
#include "proto/insn/rbt/encode.h"

#include <string.h>

#include "base/bits.h"

enum { WEIGHTS = 8, MOSTLY = 4 };        /* bytes of an address; as many as most differences have */

/* ---- rows */

struct row_encoder {
    struct rbt_column *columns;
    const struct rbt_row *rows;
    struct rbt_runs *runs;
    uint64_t run, last_surprise, explicit;               /* run: of right guesses */
};

/* Rows are new mostly, and numbered as they are met. */
static void put_row(struct row_encoder *encoder, uint32_t row)
{
    rbt_put_number(&encoder->columns[RBT_ROWS], bits_zigzag(row - encoder->explicit));
    encoder->explicit = (uint64_t)row + 1;
}

static void put_surprise(struct row_encoder *encoder, uint32_t at, uint32_t row)
{
    rbt_put_number(&encoder->columns[RBT_SURPRISES], at - encoder->last_surprise);
    encoder->last_surprise = at;
    put_row(encoder, row);
}

/* 0, 1: the row's last successor, and the one before, of those that were not guessed; else it is written. */
static void put_pick(struct row_encoder *encoder, struct rbt_successors known, uint32_t guess, uint32_t row)
{
    uint32_t const first = known.next != guess ? known.next : known.other;

    rbt_put_number(&encoder->columns[RBT_RUNS], encoder->run);
    encoder->run = 0;
    if (row == first) {
        rbt_put_byte(&encoder->columns[RBT_PICKS], 0);
    } else if (row == known.other) {
        rbt_put_byte(&encoder->columns[RBT_PICKS], 1);
    } else {
        rbt_put_byte(&encoder->columns[RBT_PICKS], 2);
        put_row(encoder, row);
    }
}

/* Behind a row of one successor, which it is not; or behind none at all. */
static void encode_surprise(struct row_encoder *encoder, struct rbt_model *model, uint32_t at, uint32_t row)
{
    struct rbt_row_guess guess = {.is_branchy = false};

    put_surprise(encoder, at, row);
    /* A run that was straight is it no more. */
    if (model->row != RBT_NO_ROW && model->successors[model->row].next != RBT_NO_ROW
        && encoder->rows[model->row].is_within_run)
        model->epoch = ++encoder->runs->epochs;
    rbt_learn_row(model, &guess, row);
}

static __attribute__((noinline)) void encode_row_by_model(struct row_encoder *encoder, struct rbt_model *model,
                                                          uint32_t at, uint32_t row)
{
    struct rbt_row_guess guess;
    struct rbt_successors known;

    if (model->row == RBT_NO_ROW) {
        encode_surprise(encoder, model, at, row);
        return;
    }
    known = model->successors[model->row];
    rbt_guess_row(model, &guess);
    if (!guess.is_branchy && guess.row != row) {
        encode_surprise(encoder, model, at, row);
        return;
    }
    if (guess.row != row)
        put_pick(encoder, known, guess.row, row);
    else
        encoder->run += guess.is_branchy;
    rbt_learn_row(model, &guess, row);
}

static inline void encode_row(struct row_encoder *encoder, struct rbt_model *model, uint32_t at, uint32_t row)
{
    if (model->row != RBT_NO_ROW && model->successors[model->row].other == RBT_NO_ROW
        && model->successors[model->row].next == row)
        model->row = row;
    else
        encode_row_by_model(encoder, model, at, row);
}

/* Of a run that was just encoded. */
static __attribute__((noinline)) void find_straight(const struct rbt_model *model, const uint32_t *rows,
                                                    struct rbt_run *run)
{
    run->checked = model->epoch;
    run->straight = 1;
    while (run->straight < run->insn_count && model->successors[rows[run->straight - 1]].other == RBT_NO_ROW)
        run->straight++;
}

/* Of rows that are straight only the first tells anything. */
static void encode_run(struct row_encoder *encoder, struct rbt_model *model, uint32_t at, struct rbt_run *run)
{
    const uint32_t *rows;
    uint32_t begin = 1;

    encode_row(encoder, model, at, run->first_row);
    if (run->checked == model->epoch)
        begin = run->straight;
    if (begin == run->insn_count) {
        model->row = run->last_row;
        return;
    }
    rows = &encoder->runs->rows[run->rows];
    model->row = rows[begin - 1];
    for (uint32_t i = begin; i < run->insn_count; i++)
        encode_row(encoder, model, at + i, rows[i]);
    if (run->checked != model->epoch)
        find_straight(model, rows, run);
}

static void encode_rows(const struct rbt_block_input *input, const struct rbt_rows *rows, struct rbt_runs *runs,
                        struct rbt_model *model, struct rbt_column *columns)
{
    struct row_encoder encoder = {.columns = columns, .rows = rows->rows, .runs = runs};
    uint32_t at = 0;

    for (uint32_t i = 0; i < input->item_count; i++) {
        uint32_t const item = input->items[i];

        if (item & RBT_ITEM_RUN) {
            struct rbt_run *const run = &runs->runs[rbt_item_run(item)];

            encode_run(&encoder, model, at, run);
            at += run->insn_count;
        } else {
            encode_row(&encoder, model, at++, item);
        }
    }
    rbt_put_number(&columns[RBT_SURPRISES], input->insn_count - encoder.last_surprise);
    rbt_put_number(&columns[RBT_RUNS], encoder.run);
}

/* ---- addresses */

struct address_encoder {
    struct rbt_column *columns;
    uint64_t run;                        /* of right guesses */
};

/* What put_address and put_run write has room. False: out of memory, which the columns say. */
static bool has_room(struct rbt_column *columns, uint32_t accesses)
{
    bool good = rbt_column_fit(&columns[RBT_ADDRESS_KINDS], accesses);

    for (unsigned i = 0; i < WEIGHTS; i++)
        good &= rbt_column_fit(&columns[RBT_ADDRESS_0 + i], accesses + 1);
    return good;
}

/* Number of bytes in `kinds`, each byte in the column of its weight. The low ones are written in any case, and stay if
 * they count. */
static void put_address(struct rbt_column *columns, uint64_t difference)
{
    uint64_t const code = bits_zigzag(difference);
    struct rbt_column *const kinds = &columns[RBT_ADDRESS_KINDS], *const bytes = &columns[RBT_ADDRESS_0];
    unsigned const count = bits_bytes_of(code);

    kinds->at[kinds->length++] = (uint8_t)count;
    for (unsigned i = 0; i < MOSTLY; i++) {
        bytes[i].at[bytes[i].length] = (uint8_t)(code >> 8 * i);
        bytes[i].length += i < count;
    }
    for (unsigned i = MOSTLY; i < count; i++)
        bytes[i].at[bytes[i].length++] = (uint8_t)(code >> 8 * i);
}

/* The guess that counts was wrong, or is not asked. */
static __attribute__((noinline)) void encode_wrong_address(struct address_encoder *encoder,
                                                           const struct rbt_model *model, const struct rbt_slot *slot,
                                                           uint64_t address)
{
    struct rbt_column *const columns = encoder->columns, *const kinds = &columns[RBT_ADDRESS_KINDS];

    if (slot->wrong < RBT_WILD) {
        rbt_put_number(&columns[RBT_ADDRESS_RUNS], encoder->run);
        encoder->run = 0;
    }
    if (address == rbt_guess_stride(slot))
        kinds->at[kinds->length++] = 9;
    else if (address == rbt_guess_step(model, slot))
        kinds->at[kinds->length++] = 10;
    else
        put_address(columns, address - rbt_base(model, slot));
}

static inline void encode_address(struct address_encoder *encoder, struct rbt_model *model, struct rbt_slot *slot,
                                  uint64_t address)
{
    uint64_t const by_stride = rbt_guess_stride(slot), by_step = rbt_guess_step(model, slot);

    if (address == (slot->preference < 0 ? by_stride : by_step) && slot->wrong < RBT_WILD)
        encoder->run++;
    else
        encode_wrong_address(encoder, model, slot, address);
    rbt_learn_address(model, slot, address);
}

/* Of an irregular instruction: its number of accesses, then runs of equal shapes. Answers the number; the addresses
 * follow each other without gaps mostly. */
static uint32_t encode_shape(const uint64_t *shape, struct rbt_column *column)
{
    uint32_t const count = (uint32_t)shape[0];

    rbt_put_number(column, count);
    for (uint32_t i = 0, run; i < count; i += run) {
        for (run = 1; i + run < count && shape[1 + i + run] == shape[1 + i];)
            run++;
        rbt_put_number(column, shape[1 + i]);
        rbt_put_number(column, run);
    }
    return count;
}

/* The slot of each access; then addresses need not ask what they are of. */
static void find_slots(const struct rbt_block_input *input, const struct rbt_rows *rows, const struct rbt_runs *runs,
                       uint32_t *slots, struct rbt_column *shapes)
{
    const uint64_t *shape = input->shapes;

    for (uint32_t i = 0; i < input->item_count; i++) {
        uint32_t const item = input->items[i];

        if (item & RBT_ITEM_RUN) {
            const struct rbt_run *const run = &runs->runs[rbt_item_run(item)];
            const uint32_t *const from = &runs->slots[run->slots];

            /* Most runs have a few: how many exactly is not asked, since that is hard to foresee. */
            for (uint32_t k = 0; k < run->slot_count; k += RBT_SLOTS_SPARE)
                memcpy(slots + k, from + k, RBT_SLOTS_SPARE * sizeof *slots);
            slots += run->slot_count;
            continue;
        }

        const struct rbt_row *const row = &rows->rows[item];
        bool const is_irregular = (row->flags & RBT_IRREGULAR) != 0;
        uint32_t count = row->access_count;

        if (is_irregular) {
            count = encode_shape(shape, shapes);
            shape += 1 + count;
        }
        for (uint32_t k = 0; k < count; k++)
            *slots++ = row->first_slot + (is_irregular ? 0 : k);
    }
}

static void encode_addresses(const struct rbt_block_input *input, const uint32_t *slots, struct rbt_model *model,
                             struct rbt_column *columns)
{
    struct address_encoder encoder = {.columns = columns};

    if (!has_room(columns, input->access_count))
        return;
    for (uint32_t i = 0; i < input->access_count; i++)
        encode_address(&encoder, model, &model->slots[slots[i]], input->addresses[i]);
    rbt_put_number(&columns[RBT_ADDRESS_RUNS], encoder.run);
}

/* ---- the rest */

void rbt_targets_wrong(struct rbt_targets *targets)
{
    rbt_put_number(&targets->column, targets->right);
    rbt_put_number(&targets->column, bits_zigzag(targets->target - targets->pc));
    targets->right = 0;
    targets->is_open = false;
}

/* A target behind which nothing follows in the block is none that could be foreseen. */
static void encode_targets(struct rbt_targets *targets, struct rbt_column *column)
{
    if (targets->is_open)
        rbt_targets_wrong(targets);
    rbt_put_number(&targets->column, targets->right);
    targets->right = 0;
    rbt_put_bytes(column, targets->column.at, targets->column.length);
    column->failed |= targets->column.failed;
    targets->column.length = 0;
}

static void encode_gaps(const struct rbt_block_input *input, const struct rbt_rows *rows, struct rbt_column *column)
{
    const uint64_t *gap = input->gaps;

    for (uint32_t i = 0; i < input->item_count && gap < input->gaps + input->gap_count; i++) {
        uint32_t const item = input->items[i];

        if (item & RBT_ITEM_RUN)
            continue;
        if (rows->rows[item].flags & RBT_HAS_GAP)
            rbt_put_number(column, *gap++);
        if (rows->rows[item].flags & RBT_HAS_CYCLES)
            rbt_put_number(column, *gap++);
    }
}

static void encode_markers(const struct rbt_block_input *input, struct rbt_model *model, struct rbt_column *column)
{
    uint32_t before = 0;

    for (uint32_t i = 0; i < input->marker_count; i++) {
        const struct rbt_block_marker *const at = &input->markers[i];

        rbt_put_number(column, at->before - before);
        rbt_put_byte(column, (unsigned)at->marker.kind | at->marker.arg_count << 5);
        rbt_put_number(column, bits_zigzag(at->marker.value - model->marker_values[at->marker.kind]));
        for (unsigned k = 0; k < at->marker.arg_count; k++)
            rbt_put_number(column, at->marker.args[k]);
        model->marker_values[at->marker.kind] = at->marker.value;
        before = at->before;
    }
}

void rbt_encode(struct rbt_block_input *input, const struct rbt_rows *rows, struct rbt_runs *runs,
                struct rbt_model *model, uint32_t *slots, struct rbt_column *columns)
{
    encode_rows(input, rows, runs, model, columns);
    find_slots(input, rows, runs, slots, &columns[RBT_SHAPES]);
    encode_addresses(input, slots, model, columns);
    encode_targets(&input->targets, &columns[RBT_TARGETS]);
    encode_gaps(input, rows, &columns[RBT_GAPS]);
    encode_markers(input, model, &columns[RBT_MARKERS]);
}
