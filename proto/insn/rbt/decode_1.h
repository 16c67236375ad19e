/* What was another in version 1 (docs/spec/rbt.md, appendix): a thread is a sequence of rows, each of which is guessed.
 *
 * Use: of decode.c, where decoder->version is 1. */
#ifndef PROTO_INSN_RBT_DECODE_1_H
#define PROTO_INSN_RBT_DECODE_1_H

#include "base/bits.h"
#include "proto/insn/rbt/decode.h"

/* ---- rows */

static inline bool rbt_1_fail_surprises(struct rbt_decoder *decoder)
{
    decoder->wrong = RBT_1_SURPRISES;
    return false;
}

static inline bool rbt_1_take_distance(struct rbt_decoder *decoder, uint64_t *distance)
{
    *distance = rbt_take_number(&decoder->old.surprises);
    return !decoder->old.surprises.failed || rbt_1_fail_surprises(decoder);
}

static inline bool rbt_1_take_row(struct rbt_decoder *decoder, uint32_t *row)
{
    uint64_t code;

    if (!rbt_decoder_take(decoder, RBT_1_ROWS, &code))
        return false;
    code = decoder->explicit + bits_unzigzag(code);
    if (code >= decoder->rows->count)
        return rbt_decoder_fail(decoder, RBT_1_ROWS);
    *row = (uint32_t)code;
    decoder->explicit = code + 1;
    return true;
}

static inline bool rbt_1_take_surprise(struct rbt_decoder *decoder, uint32_t at, uint32_t *row)
{
    struct rbt_decoder_1 *const old = &decoder->old;
    uint64_t distance;

    if (!rbt_1_take_row(decoder, row) || !rbt_1_take_distance(decoder, &distance))
        return false;
    if (distance == 0 && at + 1 < decoder->insn_count)
        return rbt_1_fail_surprises(decoder);
    old->surprise = at + distance;
    return true;
}

static inline bool rbt_1_take_pick(struct rbt_decoder *decoder, struct rbt_successors_1 known, uint32_t guess,
                                   uint32_t *row)
{
    unsigned const pick = rbt_take_byte(&decoder->columns[RBT_1_PICKS]);

    if (decoder->columns[RBT_1_PICKS].failed || pick > 2)
        return rbt_decoder_fail(decoder, RBT_1_PICKS);
    if (pick == 2) {
        if (!rbt_1_take_row(decoder, row))
            return false;
    } else {
        *row = pick == 0 && known.next != guess ? known.next : known.other;
    }
    return rbt_decoder_take(decoder, RBT_1_RUNS, &decoder->old.run);
}

/* The row of instruction `at`, into decoder->ahead. */
static inline bool rbt_1_decode_row(struct rbt_decoder *decoder, uint32_t at)
{
    struct rbt_decoder_1 *const old = &decoder->old;
    struct rbt_model_1 *const model = &old->model;
    struct rbt_row_guess_1 guess = {.is_branchy = false};
    uint32_t row;

    if (model->row != RBT_NO_ROW)
        rbt_guess_row_1(model, &guess);
    if (at == old->surprise) {
        if (guess.is_branchy)
            return rbt_1_fail_surprises(decoder);
        if (!rbt_1_take_surprise(decoder, at, &row))
            return false;
    } else if (model->row == RBT_NO_ROW) {
        return rbt_1_fail_surprises(decoder);
    } else if (!guess.is_branchy) {
        row = guess.row;
    } else if (old->run > 0) {
        old->run--;
        row = guess.row;
    } else if (!rbt_1_take_pick(decoder, model->successors[model->row], guess.row, &row)) {
        return false;
    }
    if (row >= decoder->rows->count)
        return rbt_decoder_fail(decoder, RBT_1_ROWS);
    rbt_learn_row_1(model, &guess, row);
    decoder->ahead = row;
    return true;
}

/* ---- addresses */

static inline bool rbt_1_take_address(struct rbt_decoder *decoder, const struct rbt_slot_1 *slot, uint64_t *address)
{
    const struct rbt_model_1 *const model = &decoder->old.model;
    unsigned const kind = rbt_take_byte(&decoder->columns[RBT_ADDRESS_KINDS]);
    uint64_t code = 0;

    if (decoder->columns[RBT_ADDRESS_KINDS].failed || kind > 10)
        return rbt_decoder_fail(decoder, RBT_ADDRESS_KINDS);
    if (kind >= 9) {
        *address = kind == 9 ? rbt_guess_stride_1(slot) : rbt_guess_step_1(model, slot);
        return true;
    }
    for (unsigned i = 0; i < kind; i++) {
        code |= (uint64_t)rbt_take_byte(&decoder->columns[RBT_ADDRESS_0 + i]) << 8 * i;
        if (decoder->columns[RBT_ADDRESS_0 + i].failed)
            return rbt_decoder_fail(decoder, RBT_ADDRESS_0 + i);
    }
    *address = rbt_base_1(model, slot) + bits_unzigzag(code);
    return true;
}

static inline bool rbt_1_decode_address(struct rbt_decoder *decoder, uint32_t slot_number, uint64_t *address)
{
    struct rbt_decoder_1 *const old = &decoder->old;
    struct rbt_slot_1 *const slot = &old->model.slots[slot_number];

    if (slot->wrong < RBT_1_WILD && old->address_run > 0) {
        old->address_run--;
        *address = slot->preference < 0 ? rbt_guess_stride_1(slot) : rbt_guess_step_1(&old->model, slot);
    } else {
        bool const is_wild = slot->wrong >= RBT_1_WILD;

        if (!rbt_1_take_address(decoder, slot, address)
            || (!is_wild && !rbt_decoder_take(decoder, RBT_1_ADDRESS_RUNS, &old->address_run)))
            return false;
    }
    rbt_learn_address_1(&old->model, slot, *address);
    return true;
}

/* The columns are there. */
static inline bool rbt_1_begin(struct rbt_decoder *decoder)
{
    struct rbt_decoder_1 *const old = &decoder->old;

    return rbt_1_take_distance(decoder, &old->surprise) && rbt_decoder_take(decoder, RBT_1_RUNS, &old->run)
        && rbt_decoder_take(decoder, RBT_1_ADDRESS_RUNS, &old->address_run);
}

#endif
