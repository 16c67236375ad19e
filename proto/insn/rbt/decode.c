/* encode.c the other way round. The row of the next instruction is decoded first, for its pc is the target of most
 * branches. Whatever the bytes are, each step takes from its columns only, and indices are checked before use. */
#include "proto/insn/rbt/decode.h"

#include <stdlib.h>

#include "base/bits.h"

#define COLUMN_MOST ((size_t)1 << 23)
#define COLUMN_NAME(suffix, name) name,

static const char *const column_names[] = {RBT_BLOCK_COLUMNS(COLUMN_NAME)};

static bool fail(struct rbt_decoder *decoder, unsigned column)
{
    decoder->wrong = column_names[column];
    return false;
}

static bool take(struct rbt_decoder *decoder, unsigned column, uint64_t *number)
{
    *number = rbt_take_number(&decoder->columns[column]);
    return !decoder->columns[column].failed || fail(decoder, column);
}

/* ---- rows */

static bool take_row(struct rbt_decoder *decoder, uint32_t *row)
{
    uint64_t code;

    if (!take(decoder, RBT_ROWS, &code))
        return false;
    code = decoder->explicit + bits_unzigzag(code);
    if (code >= decoder->rows->count)
        return fail(decoder, RBT_ROWS);
    *row = (uint32_t)code;
    decoder->explicit = code + 1;
    return true;
}

static bool take_surprise(struct rbt_decoder *decoder, uint32_t at, uint32_t *row)
{
    uint64_t distance;

    if (!take_row(decoder, row) || !take(decoder, RBT_SURPRISES, &distance))
        return false;
    if (distance == 0 && at + 1 < decoder->insn_count)
        return fail(decoder, RBT_SURPRISES);
    decoder->surprise = at + distance;
    return true;
}

static bool take_pick(struct rbt_decoder *decoder, struct rbt_successors known, uint32_t guess, uint32_t *row)
{
    unsigned const pick = rbt_take_byte(&decoder->columns[RBT_PICKS]);

    if (decoder->columns[RBT_PICKS].failed || pick > 2)
        return fail(decoder, RBT_PICKS);
    if (pick == 2) {
        if (!take_row(decoder, row))
            return false;
    } else {
        *row = pick == 0 && known.next != guess ? known.next : known.other;
    }
    return take(decoder, RBT_RUNS, &decoder->run);
}

/* The row of instruction `at`, into decoder->ahead. */
static bool decode_row(struct rbt_decoder *decoder, uint32_t at)
{
    struct rbt_model *const model = &decoder->model;
    struct rbt_row_guess guess = {.is_branchy = false};
    uint32_t row;

    if (model->row != RBT_NO_ROW)
        rbt_guess_row(model, &guess);
    if (at == decoder->surprise) {
        if (guess.is_branchy)
            return fail(decoder, RBT_SURPRISES);
        if (!take_surprise(decoder, at, &row))
            return false;
    } else if (model->row == RBT_NO_ROW) {
        return fail(decoder, RBT_SURPRISES);
    } else if (!guess.is_branchy) {
        row = guess.row;
    } else if (decoder->run > 0) {
        decoder->run--;
        row = guess.row;
    } else if (!take_pick(decoder, model->successors[model->row], guess.row, &row)) {
        return false;
    }
    if (row >= decoder->rows->count)
        return fail(decoder, RBT_ROWS);
    rbt_learn_row(model, &guess, row);
    decoder->ahead = row;
    return true;
}

/* ---- addresses */

static bool take_address(struct rbt_decoder *decoder, const struct rbt_slot *slot, uint64_t *address)
{
    const struct rbt_model *const model = &decoder->model;
    unsigned const kind = rbt_take_byte(&decoder->columns[RBT_ADDRESS_KINDS]);
    uint64_t code = 0;

    if (decoder->columns[RBT_ADDRESS_KINDS].failed || kind > 10)
        return fail(decoder, RBT_ADDRESS_KINDS);
    if (kind >= 9) {
        *address = kind == 9 ? rbt_guess_stride(slot) : rbt_guess_step(model, slot);
        return true;
    }
    for (unsigned i = 0; i < kind; i++) {
        code |= (uint64_t)rbt_take_byte(&decoder->columns[RBT_ADDRESS_0 + i]) << 8 * i;
        if (decoder->columns[RBT_ADDRESS_0 + i].failed)
            return fail(decoder, RBT_ADDRESS_0 + i);
    }
    *address = rbt_base(model, slot) + bits_unzigzag(code);
    return true;
}

static inline bool decode_address(struct rbt_decoder *decoder, uint32_t slot_number, uint64_t *address)
{
    struct rbt_slot *const slot = &decoder->model.slots[slot_number];

    if (slot->wrong < RBT_WILD && decoder->address_run > 0) {
        decoder->address_run--;
        *address = slot->preference < 0 ? rbt_guess_stride(slot) : rbt_guess_step(&decoder->model, slot);
    } else {
        bool const is_wild = slot->wrong >= RBT_WILD;

        if (!take_address(decoder, slot, address)
            || (!is_wild && !take(decoder, RBT_ADDRESS_RUNS, &decoder->address_run)))
            return false;
    }
    rbt_learn_address(&decoder->model, slot, *address);
    return true;
}

static bool decode_irregular(struct rbt_decoder *decoder, const struct rbt_row *row, struct insn *insn)
{
    uint64_t count, shape, run;

    if (!take(decoder, RBT_SHAPES, &count))
        return false;
    if (count > RBT_MOST_ACCESSES)
        return fail(decoder, RBT_SHAPES);
    if (!decoder->irregular)
        decoder->irregular = malloc(RBT_MOST_ACCESSES * sizeof *decoder->irregular);
    if (!decoder->irregular) {
        decoder->wrong = NULL;
        return false;
    }
    for (size_t i = 0; i < count;) {
        if (!take(decoder, RBT_SHAPES, &shape) || !take(decoder, RBT_SHAPES, &run))
            return false;
        if (run == 0 || run > count - i || shape >> 33 != 0)
            return fail(decoder, RBT_SHAPES);
        for (; run > 0; run--, i++)
            decoder->irregular[i] = (struct insn_access){.size_bytes = (uint32_t)(shape >> 1), .is_write = shape & 1};
    }
    for (size_t i = 0; i < count; i++)
        if (!decode_address(decoder, row->first_slot, &decoder->irregular[i].address))
            return false;
    insn->accesses = decoder->irregular;
    insn->access_count = (size_t)count;
    return true;
}

static inline bool decode_accesses(struct rbt_decoder *decoder, const struct rbt_row *row, struct insn *insn)
{
    if (row->flags & RBT_IRREGULAR)
        return decode_irregular(decoder, row, insn);
    for (unsigned i = 0; i < row->access_count; i++) {
        decoder->regular[i] = decoder->rows->accesses[row->first_slot + i];
        if (!decode_address(decoder, row->first_slot + i, &decoder->regular[i].address))
            return false;
    }
    insn->accesses = decoder->regular;
    insn->access_count = row->access_count;
    return true;
}

/* ---- the rest */

/* decoder->ahead is the next instruction's row, if there is one. */
static bool decode_target(struct rbt_decoder *decoder, const struct rbt_row *row, bool has_next, struct insn *insn)
{
    uint64_t code;

    if (decoder->target_run > 0 && has_next) {
        decoder->target_run--;
        insn->target = decoder->rows->rows[decoder->ahead].pc;
        return true;
    }
    if (decoder->target_run > 0)
        return fail(decoder, RBT_TARGETS);
    if (!take(decoder, RBT_TARGETS, &code) || !take(decoder, RBT_TARGETS, &decoder->target_run))
        return false;
    insn->target = row->pc + bits_unzigzag(code);
    return true;
}

static bool look_for_marker(struct rbt_decoder *decoder, uint64_t from)
{
    const struct rbt_bytes *const column = &decoder->columns[RBT_MARKERS];
    uint64_t distance;

    decoder->marker_before = UINT64_MAX;
    if (column->at == column->end)
        return true;
    if (!take(decoder, RBT_MARKERS, &distance))
        return false;
    if (distance > decoder->insn_count - from)
        return fail(decoder, RBT_MARKERS);
    decoder->marker_before = from + distance;
    return true;
}

static bool decode_marker(struct rbt_decoder *decoder, struct insn_marker *marker)
{
    struct rbt_bytes *const column = &decoder->columns[RBT_MARKERS];
    unsigned const about = rbt_take_byte(column);
    unsigned const kind = about & 31, arg_count = about >> 5;

    if (column->failed || kind >= INSN_MARKER_COUNT || arg_count > INSN_MARKER_ARGS)
        return fail(decoder, RBT_MARKERS);
    marker->kind = (enum insn_marker_kind)kind;
    marker->arg_count = arg_count;
    decoder->model.marker_values[kind] += bits_unzigzag(rbt_take_number(column));
    marker->value = decoder->model.marker_values[kind];
    for (unsigned i = 0; i < arg_count; i++)
        marker->args[i] = rbt_take_number(column);
    return (!column->failed || fail(decoder, RBT_MARKERS)) && look_for_marker(decoder, decoder->marker_before);
}

bool rbt_decoder_begin(struct rbt_decoder *decoder, const struct rbt_rows *rows, struct rbt_bytes columns,
                       uint32_t insn_count, bool restarts)
{
    size_t column = 0;

    decoder->wrong = NULL;
    decoder->rows = rows;
    if (!rbt_model_fit(&decoder->model, rows))
        return false;
    if (restarts)
        rbt_model_reset(&decoder->model);
    if (!rbt_unpack_columns(&decoder->unpacked, &columns, COLUMN_MOST, RBT_BLOCK_COLUMN_COUNT, decoder->columns,
                            &column)) {
        decoder->wrong = column < RBT_BLOCK_COLUMN_COUNT ? column_names[column] : NULL;
        return false;
    }
    decoder->insn_count = insn_count;
    decoder->at = 0;
    decoder->explicit = 0;
    return take(decoder, RBT_SURPRISES, &decoder->surprise) && take(decoder, RBT_RUNS, &decoder->run)
        && take(decoder, RBT_ADDRESS_RUNS, &decoder->address_run) && take(decoder, RBT_TARGETS, &decoder->target_run)
        && look_for_marker(decoder, 0) && (insn_count == 0 || decode_row(decoder, 0));
}

enum rbt_step rbt_decoder_next(struct rbt_decoder *decoder, struct insn *insn, const struct rbt_row **row,
                               struct insn_marker *marker)
{
    uint32_t const at = decoder->at;
    bool const has_next = at + 1 < decoder->insn_count;
    const struct rbt_row *this;

    if (decoder->marker_before == at)
        return decode_marker(decoder, marker) ? RBT_STEP_MARKER : RBT_STEP_FAILED;
    if (at == decoder->insn_count)
        return RBT_STEP_END;
    this = &decoder->rows->rows[decoder->ahead];
    if (has_next && !decode_row(decoder, at + 1))
        return RBT_STEP_FAILED;
    insn->pc = this->pc;
    insn->size_bytes = this->size_bytes;
    insn->form = (enum insn_form)this->form;
    insn->kind = (enum isa_kind)this->kind;
    insn->branch = (enum insn_branch)this->branch;
    insn->has_target = (this->flags & RBT_HAS_TARGET) != 0;
    insn->target = 0;
    insn->gap = 0;
    if (this->flags & RBT_HAS_GAP && !take(decoder, RBT_GAPS, &insn->gap))
        return RBT_STEP_FAILED;
    if (!decode_accesses(decoder, this, insn) || (insn->has_target && !decode_target(decoder, this, has_next, insn)))
        return RBT_STEP_FAILED;
    *row = this;
    decoder->at++;
    return RBT_STEP_INSN;
}

void rbt_decoder_free(struct rbt_decoder *decoder)
{
    rbt_model_free(&decoder->model);
    rbt_unpacked_free(&decoder->unpacked);
    free(decoder->irregular);
    decoder->irregular = NULL;
}
