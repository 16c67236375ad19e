/* What the writer and the reader of a thread both predict, so that only what differs is stored.
 *
 * Rows: a row that has had one successor is followed by it, one that had none by the row behind it in number. One that
 * has had several is branchy: four tables, by the row and the last 0, 3, 8 and 32 branchy successors, guess; the one of
 * the longest history that knows the case counts.
 * Addresses: of each access of a row, its last address and its stride, and its distance from the access before it;
 * which of the two is right more often counts. Where neither is, it is wild: its address is stored without asking.
 *
 * Use: rbt_model_fit when rows were added; rbt_model_reset at the beginning of a thread and at restarts; for each
 * instruction rbt_guess_row and rbt_learn_row, for each access rbt_guess_address and rbt_learn_address. */
#ifndef PROTO_INSN_RBT_MODEL_H
#define PROTO_INSN_RBT_MODEL_H

#include <stdint.h>

#include "proto/insn/rbt/rows.h"

enum { RBT_TABLES = 4, RBT_TABLE_BITS = 13, RBT_WILD = 4 };

struct rbt_successors { uint32_t next, other; };     /* the last one, and the last that differed; RBT_NO_ROW: none */
struct rbt_entry { uint32_t row; uint16_t tag; uint8_t confidence, is_used; };
struct rbt_slot {
    uint64_t last, stride, last_stride, step;        /* step: from the access before it */
    int8_t preference;                               /* below 0: the stride, else the step */
    uint8_t wrong, is_used;
};

struct rbt_model {
    struct rbt_successors *successors;   /* by row */
    struct rbt_slot *slots;
    struct rbt_entry *tables;            /* RBT_TABLES of 1 << RBT_TABLE_BITS */
    uint32_t row_room, slot_room;
    uint64_t short_history, long_history;
    uint64_t address;                    /* of the access before */
    uint32_t row;                        /* before; RBT_NO_ROW: none */
    uint64_t marker_values[INSN_MARKER_COUNT];
    uint64_t epoch;                      /* writer: see runs.h */
};

bool rbt_model_fit(struct rbt_model *model, const struct rbt_rows *rows);
void rbt_model_reset(struct rbt_model *model);
void rbt_model_free(struct rbt_model *model);

/* ---- rows */

struct rbt_row_guess {
    uint32_t row;                        /* the guess */
    bool is_branchy;
    int provider;                        /* a table; -1: none knew */
    struct rbt_entry *entries[RBT_TABLES];
    uint16_t tags[RBT_TABLES];
};

static inline uint64_t rbt_mix(uint64_t value)
{
    value *= UINT64_C(0x9e3779b97f4a7c15);
    return value ^ value >> 29;
}

/* From the longest history on: where one knows, which is so mostly for it or the next, the shorter ones are not asked, nor
 * are they when it is learned what it was. */
static inline void rbt_guess_branchy(struct rbt_model *model, struct rbt_row_guess *guess)
{
    uint64_t const histories[RBT_TABLES] = {0, model->short_history & 0xffffff, model->short_history,
                                            model->long_history};
    uint64_t const row_hash = rbt_mix(model->row + 1);

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC unroll 4
#endif
    for (int i = RBT_TABLES - 1; i >= 0; i--) {
        uint64_t const hash = rbt_mix(histories[i] ^ row_hash);
        struct rbt_entry *const entry = &model->tables[((size_t)i << RBT_TABLE_BITS)
                                                       + (hash >> 32 & ((1u << RBT_TABLE_BITS) - 1))];

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
static inline void rbt_guess_row(struct rbt_model *model, struct rbt_row_guess *guess)
{
    struct rbt_successors const known = model->successors[model->row];

    guess->row = known.next == RBT_NO_ROW ? model->row + 1 : known.next;
    guess->is_branchy = known.other != RBT_NO_ROW;
    guess->provider = -1;
    if (guess->is_branchy)
        rbt_guess_branchy(model, guess);
}

static inline void rbt_learn_branchy(struct rbt_model *model, const struct rbt_row_guess *guess, uint32_t row)
{
    if (guess->provider >= 0) {
        struct rbt_entry *const entry = guess->entries[guess->provider];

        if (entry->row == row)
            entry->confidence = (uint8_t)(entry->confidence + (entry->confidence < 7));
        else if (entry->confidence > 0)
            entry->confidence--;
        else
            entry->row = row;
    }
    if (guess->row != row || guess->provider < 0)
        for (int i = guess->provider + 1, made = 0; i < RBT_TABLES && made < 2; i++) {
            struct rbt_entry *const entry = guess->entries[i];

            if (entry->is_used && entry->confidence > 0) {
                entry->confidence--;
                continue;
            }
            *entry = (struct rbt_entry){.row = row, .tag = guess->tags[i], .is_used = 1};
            made++;
        }
    model->short_history = model->short_history << 8 ^ (rbt_mix(row) & 0xff);
    model->long_history = model->long_history << 2 ^ (rbt_mix(row) >> 60);
}

/* What it was. model->row may be RBT_NO_ROW, of which nothing is learned. */
static inline void rbt_learn_row(struct rbt_model *model, const struct rbt_row_guess *guess, uint32_t row)
{
    struct rbt_successors *known;

    if (model->row != RBT_NO_ROW) {
        known = &model->successors[model->row];
        if (guess->is_branchy)
            rbt_learn_branchy(model, guess, row);
        if (known->next != row) {
            known->other = known->next;
            known->next = row;
        }
    }
    model->row = row;
}

/* ---- addresses */

static inline uint64_t rbt_guess_stride(const struct rbt_slot *slot)
{
    return slot->last + slot->stride;
}

static inline uint64_t rbt_guess_step(const struct rbt_model *model, const struct rbt_slot *slot)
{
    return model->address + slot->step;
}

/* What addresses that are stored are relative to. */
static inline uint64_t rbt_base(const struct rbt_model *model, const struct rbt_slot *slot)
{
    return slot->is_used ? slot->last : model->address;
}

static inline void rbt_learn_address(struct rbt_model *model, struct rbt_slot *slot, uint64_t address)
{
    unsigned const by_stride = rbt_guess_stride(slot) == address, by_step = rbt_guess_step(model, slot) == address;
    uint64_t const stride = address - slot->last;
    int const preference = slot->preference;

    slot->preference = (int8_t)(preference + (int)(by_step & (by_stride ^ 1) & (preference < 3))
                                - (int)(by_stride & (by_step ^ 1) & (preference > -4)));
    slot->wrong = (uint8_t)((slot->wrong + (slot->wrong < RBT_WILD)) * !(by_stride | by_step));
    slot->stride = stride == slot->last_stride ? stride : slot->stride;
    slot->last_stride = stride;
    slot->step = address - model->address;
    slot->last = address;
    slot->is_used = 1;
    model->address = address;
}

#endif
