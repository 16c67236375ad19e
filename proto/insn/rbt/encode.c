/* The columns of docs/spec/rbt.md 5. What the model guesses right is not written, or as the length of a run. */
#include "proto/insn/rbt/encode.h"

#include "base/bits.h"

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

static inline void encode_row(struct row_encoder *encoder, struct rbt_model *model, uint32_t at, uint32_t row)
{
    struct rbt_row_guess guess;
    struct rbt_successors *known;

    if (model->row == RBT_NO_ROW) {
        encode_surprise(encoder, model, at, row);
        return;
    }
    known = &model->successors[model->row];
    if (known->other == RBT_NO_ROW && known->next == row) {
        model->row = row;
        return;
    }
    rbt_guess_row(model, &guess);
    if (!guess.is_branchy && guess.row != row) {
        encode_surprise(encoder, model, at, row);
        return;
    }
    if (guess.row != row)
        put_pick(encoder, *known, guess.row, row);
    else
        encoder->run += guess.is_branchy;
    rbt_learn_row(model, &guess, row);
}

/* Of a straight run only the first row tells anything. */
static void encode_run(struct row_encoder *encoder, struct rbt_model *model, uint32_t at, struct rbt_run *run)
{
    const uint32_t *const rows = &encoder->runs->rows[run->rows];
    bool is_straight = true;

    encode_row(encoder, model, at, rows[0]);
    if (run->checked == model->epoch) {
        model->row = run->last_row;
        return;
    }
    for (uint32_t i = 1; i < run->insn_count; i++) {
        encode_row(encoder, model, at + i, rows[i]);
        is_straight &= model->successors[rows[i - 1]].other == RBT_NO_ROW;
    }
    if (is_straight)
        run->checked = model->epoch;
}

static void encode_rows(const struct rbt_block_input *input, const struct rbt_rows *rows, struct rbt_runs *runs,
                        struct rbt_model *model, struct rbt_column *columns)
{
    struct row_encoder encoder = {.columns = columns, .rows = rows->rows, .runs = runs};
    uint32_t at = 0;

    for (uint32_t i = 0; i < input->item_count; i++) {
        uint32_t const item = input->items[i];

        if (item & RBT_ITEM_RUN) {
            struct rbt_run *const run = &runs->runs[item & ~RBT_ITEM_RUN];

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

/* Number of bytes in `kinds`, each byte in the column of its weight. */
static void put_address(struct rbt_column *columns, uint64_t difference)
{
    uint64_t code = bits_zigzag(difference);
    unsigned const count = bits_bytes_of(code);

    rbt_put_byte(&columns[RBT_ADDRESS_KINDS], count);
    for (unsigned i = 0; i < count; i++, code >>= 8)
        rbt_put_byte(&columns[RBT_ADDRESS_0 + i], code & 0xff);
}

static void encode_address(struct rbt_model *model, struct rbt_slot *slot, uint64_t address, uint64_t *run,
                           struct rbt_column *columns)
{
    uint64_t const by_stride = rbt_guess_stride(slot), by_step = rbt_guess_step(model, slot);
    bool const prefers_stride = slot->preference < 0;
    bool const is_wild = slot->wrong >= RBT_WILD;

    if (!is_wild && address == (prefers_stride ? by_stride : by_step)) {
        ++*run;
    } else {
        if (!is_wild) {
            rbt_put_number(&columns[RBT_ADDRESS_RUNS], *run);
            *run = 0;
        }
        if (address == by_stride)
            rbt_put_byte(&columns[RBT_ADDRESS_KINDS], 9);
        else if (address == by_step)
            rbt_put_byte(&columns[RBT_ADDRESS_KINDS], 10);
        else
            put_address(columns, address - rbt_base(model, slot));
    }
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

static void encode_addresses(const struct rbt_block_input *input, const struct rbt_rows *rows,
                             const struct rbt_runs *runs, struct rbt_model *model, struct rbt_column *columns)
{
    const uint64_t *address = input->addresses, *shape = input->shapes;
    uint64_t right = 0;

    for (uint32_t i = 0; i < input->item_count; i++) {
        uint32_t const item = input->items[i];

        if (item & RBT_ITEM_RUN) {
            const struct rbt_run *const run = &runs->runs[item & ~RBT_ITEM_RUN];
            const uint32_t *const slots = &runs->slots[run->slots];

            for (uint32_t k = 0; k < run->slot_count; k++)
                encode_address(model, &model->slots[slots[k]], *address++, &right, columns);
            continue;
        }

        const struct rbt_row *const row = &rows->rows[item];
        bool const is_irregular = (row->flags & RBT_IRREGULAR) != 0;
        uint32_t count = row->access_count;

        if (is_irregular) {
            count = encode_shape(shape, &columns[RBT_SHAPES]);
            shape += 1 + count;
        }
        for (uint32_t k = 0; k < count; k++)
            encode_address(model, &model->slots[row->first_slot + (is_irregular ? 0 : k)], *address++, &right, columns);
    }
    rbt_put_number(&columns[RBT_ADDRESS_RUNS], right);
}

/* ---- the rest */

static uint64_t pc_of(uint32_t item, const struct rbt_rows *rows, const struct rbt_runs *runs)
{
    return item & RBT_ITEM_RUN ? runs->runs[item & ~RBT_ITEM_RUN].pc : rows->rows[item].pc;
}

/* Targets are the next instruction's pc mostly; those that are not, with the number of those before that are. */
static void encode_targets(const struct rbt_block_input *input, const struct rbt_rows *rows,
                           const struct rbt_runs *runs, struct rbt_column *columns)
{
    const uint64_t *target = input->targets, *gap = input->gaps;
    uint64_t right = 0;

    for (uint32_t i = 0; i < input->item_count; i++) {
        uint32_t const item = input->items[i];
        const struct rbt_row *row;

        if (item & RBT_ITEM_RUN) {
            const struct rbt_run *const run = &runs->runs[item & ~RBT_ITEM_RUN];

            if (!run->has_target)
                continue;
            row = &rows->rows[run->last_row];
        } else {
            row = &rows->rows[item];
            if (row->flags & RBT_HAS_GAP)
                rbt_put_number(&columns[RBT_GAPS], *gap++);
            if (row->flags & RBT_HAS_CYCLES)
                rbt_put_number(&columns[RBT_GAPS], *gap++);
            if (!(row->flags & RBT_HAS_TARGET))
                continue;
        }
        if (i + 1 < input->item_count && pc_of(input->items[i + 1], rows, runs) == *target) {
            right++;
        } else {
            rbt_put_number(&columns[RBT_TARGETS], right);
            rbt_put_number(&columns[RBT_TARGETS], bits_zigzag(*target - row->pc));
            right = 0;
        }
        target++;
    }
    rbt_put_number(&columns[RBT_TARGETS], right);
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

void rbt_encode(const struct rbt_block_input *input, const struct rbt_rows *rows, struct rbt_runs *runs,
                struct rbt_model *model, struct rbt_column *columns)
{
    encode_rows(input, rows, runs, model, columns);
    encode_addresses(input, rows, runs, model, columns);
    encode_targets(input, rows, runs, columns);
    encode_markers(input, model, &columns[RBT_MARKERS]);
}
