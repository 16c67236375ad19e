/* What the writers of version 1 predicted, and its reader does (docs/spec/rbt.md, appendix).
 *
 * Rows: a row that has had one successor is followed by it, one that had none by the row behind it in number. One that
 * has had several is branchy: four tables, by the row and the last 0, 3, 8 and 32 branchy successors, guess; the one of
 * the longest history that knows the case counts.
 * Addresses: of each access of a row, its last address and its stride, and its distance from the access before it;
 * which of the two is right more often counts. Where neither is, it is wild: its address is stored without asking.
 *
 * Use: rbt_model_fit_1 when rows were added; rbt_model_reset_1 at the beginning of a thread and at restarts; for each
 * instruction rbt_guess_row_1 and rbt_learn_row_1, for each access rbt_guess_address and rbt_learn_address_1. */
#ifndef PROTO_INSN_RBT_MODEL_1_H
#define PROTO_INSN_RBT_MODEL_1_H

#include <stdint.h>

#include "proto/insn/rbt/rows.h"

enum { RBT_1_TABLES = 4, RBT_1_TABLE_BITS = 13, RBT_1_WILD = 4 };

struct rbt_successors_1 { uint32_t next, other; };     /* the last one, and the last that differed; RBT_NO_ROW: none */
struct rbt_entry_1 { uint32_t row; uint16_t tag; uint8_t confidence, is_used; };
struct rbt_slot_1 {
    uint64_t last, stride, last_stride, step;        /* step: from the access before it */
    int8_t preference;                               /* below 0: the stride, else the step */
    uint8_t wrong, is_used;
};

struct rbt_model_1 {
    struct rbt_successors_1 *successors;   /* by row */
    struct rbt_slot_1 *slots;
    struct rbt_entry_1 *tables;            /* RBT_1_TABLES of 1 << RBT_1_TABLE_BITS */
    uint32_t row_room, slot_room;
    uint64_t short_history, long_history;
    uint64_t address;                    /* of the access before */
    uint32_t row;                        /* before; RBT_NO_ROW: none */
    uint64_t marker_values[INSN_MARKER_COUNT];
};

bool rbt_model_fit_1(struct rbt_model_1 *model, const struct rbt_rows *rows);
void rbt_model_reset_1(struct rbt_model_1 *model);
void rbt_model_free_1(struct rbt_model_1 *model);

/* ---- rows */

struct rbt_row_guess_1 {
    uint32_t row;                        /* the guess */
    bool is_branchy;
    int provider;                        /* a table; -1: none knew */
    struct rbt_entry_1 *entries[RBT_1_TABLES];
    uint16_t tags[RBT_1_TABLES];
};

static inline uint64_t rbt_mix_1(uint64_t value)
{
    value *= UINT64_C(0x9e3779b97f4a7c15);
    return value ^ value >> 29;
}

/* From the longest history on: where it knows, as it does mostly, the shorter ones are not asked, nor are they when it
 * is learned what it was. */
static inline void rbt_guess_branchy_1(struct rbt_model_1 *model, struct rbt_row_guess_1 *guess)
{
    uint64_t const histories[RBT_1_TABLES] = {0, model->short_history & 0xffffff, model->short_history,
                                            model->long_history};
    uint64_t const row_hash = rbt_mix_1(model->row + 1);

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC unroll 4
#endif
    for (int i = RBT_1_TABLES - 1; i >= 0; i--) {
        uint64_t const hash = rbt_mix_1(histories[i] ^ row_hash);
        struct rbt_entry_1 *const entry = &model->tables[((size_t)i << RBT_1_TABLE_BITS)
                                                       + (hash >> 32 & ((1u << RBT_1_TABLE_BITS) - 1))];

        guess->entries[i] = entry;
        guess->tags[i] = (uint16_t)(hash >> 48);
        if (entry->is_used & (entry->tag == guess->tags[i])) {
            guess->provider = i;
            guess->row = entry->row;
            return;
        }
    }
    guess->provider = -1;
}

/* The guess for the row behind model->row, which is not RBT_NO_ROW. */
static inline void rbt_guess_row_1(struct rbt_model_1 *model, struct rbt_row_guess_1 *guess)
{
    struct rbt_successors_1 const known = model->successors[model->row];

    guess->row = known.next == RBT_NO_ROW ? model->row + 1 : known.next;
    guess->is_branchy = known.other != RBT_NO_ROW;
    guess->provider = -1;
    if (guess->is_branchy)
        rbt_guess_branchy_1(model, guess);
}

static inline void rbt_learn_branchy_1(struct rbt_model_1 *model, const struct rbt_row_guess_1 *guess, uint32_t row)
{
    if (guess->provider >= 0) {
        struct rbt_entry_1 *const entry = guess->entries[guess->provider];

        if (entry->row == row)
            entry->confidence = (uint8_t)(entry->confidence + (entry->confidence < 7));
        else if (entry->confidence > 0)
            entry->confidence--;
        else
            entry->row = row;
    }
    if (guess->row != row || guess->provider < 0)
        for (int i = guess->provider + 1, made = 0; i < RBT_1_TABLES && made < 2; i++) {
            struct rbt_entry_1 *const entry = guess->entries[i];

            if (entry->is_used && entry->confidence > 0) {
                entry->confidence--;
                continue;
            }
            *entry = (struct rbt_entry_1){.row = row, .tag = guess->tags[i], .is_used = 1};
            made++;
        }
    model->short_history = model->short_history << 8 ^ (rbt_mix_1(row) & 0xff);
    model->long_history = model->long_history << 2 ^ (rbt_mix_1(row) >> 60);
}

/* What it was. model->row may be RBT_NO_ROW, of which nothing is learned. */
static inline void rbt_learn_row_1(struct rbt_model_1 *model, const struct rbt_row_guess_1 *guess, uint32_t row)
{
    struct rbt_successors_1 *known;

    if (model->row != RBT_NO_ROW) {
        known = &model->successors[model->row];
        if (guess->is_branchy)
            rbt_learn_branchy_1(model, guess, row);
        if (known->next != row) {
            known->other = known->next;
            known->next = row;
        }
    }
    model->row = row;
}

/* ---- addresses */

static inline uint64_t rbt_guess_stride_1(const struct rbt_slot_1 *slot)
{
    return slot->last + slot->stride;
}

static inline uint64_t rbt_guess_step_1(const struct rbt_model_1 *model, const struct rbt_slot_1 *slot)
{
    return model->address + slot->step;
}

/* What addresses that are stored are relative to. */
static inline uint64_t rbt_base_1(const struct rbt_model_1 *model, const struct rbt_slot_1 *slot)
{
    return slot->is_used ? slot->last : model->address;
}

static inline void rbt_learn_address_1(struct rbt_model_1 *model, struct rbt_slot_1 *slot, uint64_t address)
{
    unsigned const by_stride = rbt_guess_stride_1(slot) == address, by_step = rbt_guess_step_1(model, slot) == address;
    uint64_t const stride = address - slot->last;
    int const preference = slot->preference;

    slot->preference = (int8_t)(preference + (int)(by_step & (by_stride ^ 1) & (preference < 3))
                                - (int)(by_stride & (by_step ^ 1) & (preference > -4)));
    slot->wrong = (uint8_t)((slot->wrong + (slot->wrong < RBT_1_WILD)) * !(by_stride | by_step));
    slot->stride = stride == slot->last_stride ? stride : slot->stride;
    slot->last_stride = stride;
    slot->step = address - model->address;
    slot->last = address;
    slot->is_used = 1;
    model->address = address;
}

#endif
