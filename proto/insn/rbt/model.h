/* What the writer and the reader of a thread both predict, so that only what differs is stored.
 *
 * Runs: a table, by the run before and the last 5 or so, has what came last time; what it has of another run before
 * does not count. Without, a run is followed by the one that followed it last where that had not been foreseen, and one
 * that had none by the one behind it in number. Blocks of writers in a hurry have no table.
 * Addresses that are stored: of each access of a row, its last address and its stride, and how far the one stored
 * before it has moved, or 2, 4 or 8 times that (arrays with one index); which of them counts is learned from what was
 * guessed wrong. Then a table of links has how it went on from this address the last time that it was wrong.
 * Writers may have the rest of a block's addresses of an access written without a guess: it is wild.
 *
 * It is made for writers, which know what it was: what is foreseen takes a load from each table and no branch that is
 * hard to foresee for a processor.
 *
 * Use: rbt_model_fit when runs or rows were added; rbt_model_reset at the beginning of a thread and at restarts; for
 * each run rbt_entry and rbt_guess_run, or rbt_last_successor, and rbt_learn_surprise if that was wrong; for each
 * access rbt_guess_difference, rbt_link and rbt_learn_difference if that was wrong (or rbt_run_wild), and
 * rbt_learn_address; rbt_model_calm at a block's end. */
#ifndef PROTO_INSN_RBT_MODEL_H
#define PROTO_INSN_RBT_MODEL_H

#include <stdint.h>

#include "base/bits.h"
#include "proto/insn/rbt/runs.h"

enum { RBT_TABLE_BITS = 12, RBT_HISTORY_SHIFT = 13, RBT_LINK_BITS = 16, RBT_MOST_WILD = 1 << 12 };

struct rbt_successors { uint32_t next, other; };     /* last two that were not foreseen and differ; RBT_NO_RUN: none */
struct rbt_slot {
    uint64_t last, before;               /* its last address, and that of the access before it */
    uint64_t stride;                     /* seen twice in a row */
    uint32_t difference;                 /* the last one's low bits */
    uint8_t about;                       /* RBT_SLOT_...; 0: the stride counts */
    uint8_t wild;                        /* RBT_SLOT_WILD: bytes that are written of each */
    uint8_t misses;                      /* by the writer: wrong guesses in a row */
};

/* Of slot->about: it follows the access before it, and moves so many times as far (RBT_SLOT_SHIFT); to the end of the
 * block its addresses are not guessed. */
enum { RBT_SLOT_STEP = 1, RBT_SLOT_SHIFT = 1, RBT_SLOT_MOST_SHIFT = 3, RBT_SLOT_WILD = 8 };

struct rbt_model {
    struct rbt_successors *successors;   /* by run + 1 */
    struct rbt_slot *slots;
    uint64_t *table;                     /* run + 1 and the run behind it; of 1 << RBT_TABLE_BITS entries */
    int32_t *links;                      /* differences of addresses */
    uint32_t successor_room, slot_room;
    uint64_t history;
    uint64_t address;                    /* of the access before */
    uint32_t before;                     /* run + 1; 0: none */
    uint32_t *wild, wild_count;          /* slots that are */
    uint64_t marker_values[INSN_MARKER_COUNT];
};

bool rbt_model_fit(struct rbt_model *model, const struct rbt_runs *runs, const struct rbt_rows *rows);
void rbt_model_reset(struct rbt_model *model);
void rbt_model_free(struct rbt_model *model);

/* ---- runs */

/* Where the table has, or will have, what follows `before`. */
static inline uint64_t *rbt_entry(uint64_t *table, uint64_t history, uint32_t before)
{
    uint64_t const hash = (history ^ before * UINT64_C(0xd6e8feb86659fd93)) * UINT64_C(0x9e3779b97f4a7c15);

    return &table[hash >> (64 - RBT_TABLE_BITS)];
}

static inline uint64_t rbt_entry_of(uint32_t before, uint32_t run)
{
    return (uint64_t)before << 32 | run;
}

static inline uint64_t rbt_history_with(uint64_t history, uint32_t run)
{
    return (history << RBT_HISTORY_SHIFT) + ((run + UINT64_C(1)) * UINT64_C(0x9e3779b97f4a7c15) >> 40);
}

/* What is guessed without the table. */
static inline uint32_t rbt_last_successor(const struct rbt_model *model, uint32_t before)
{
    uint32_t const next = model->successors[before].next;

    return next != RBT_NO_RUN ? next : before;
}

static inline uint32_t rbt_guess_run(const struct rbt_model *model, uint32_t before, uint64_t entry)
{
    return entry >> 32 == before ? (uint32_t)entry : rbt_last_successor(model, before);
}

/* Of the two that followed, the first that was not guessed. */
static inline uint32_t rbt_first_pick(struct rbt_successors known, uint32_t guess)
{
    return known.next != guess ? known.next : known.other;
}

/* It was another one than was guessed. */
static inline void rbt_learn_surprise(struct rbt_model *model, uint32_t before, uint32_t run)
{
    struct rbt_successors *const known = &model->successors[before];

    if (known->next != run)
        *known = (struct rbt_successors){.next = run, .other = known->next};
}

/* ---- addresses */

/* How far an address is from the slot's last one; of one that is not wild. */
static inline uint64_t rbt_guess_difference(const struct rbt_slot *slot, uint64_t before)
{
    if (slot->about == 0)
        return slot->stride;
    return (before - slot->before) << (slot->about >> RBT_SLOT_SHIFT);
}

/* If that is wrong: where the difference stands, or will stand, with which a slot went on from its last address. */
static inline int32_t *rbt_link(int32_t *links, uint32_t slot_number, uint64_t last)
{
    uint64_t const hash = (last + slot_number * UINT64_C(0xd6e8feb86659fd93)) * UINT64_C(0x9e3779b97f4a7c15);

    return &links[hash >> (64 - RBT_LINK_BITS)];
}

/* It was another one than was guessed. */
static inline void rbt_learn_difference(struct rbt_slot *slot, uint64_t before, uint64_t difference)
{
    uint64_t const moved = before - slot->before;
    unsigned const more = bits_zeros_below(difference) - bits_zeros_below(moved);
    unsigned const shift = more <= RBT_SLOT_MOST_SHIFT ? more : 0;

    if (moved << shift == difference)
        slot->about = (uint8_t)(shift << RBT_SLOT_SHIFT | RBT_SLOT_STEP);
    else if (difference == slot->stride)
        slot->about = 0;
    if ((uint32_t)difference == slot->difference)
        slot->stride = difference;
}

static inline void rbt_learn_address(struct rbt_slot *slot, uint64_t before, uint64_t difference, uint64_t address)
{
    slot->difference = (uint32_t)difference;
    slot->last = address;
    slot->before = before;
}

/* ---- wild slots: their addresses are not guessed */

static inline bool rbt_slot_is_wild(const struct rbt_slot *slot)
{
    return slot->about >= RBT_SLOT_WILD;
}

/* To the end of the block. False: there are too many. */
static inline bool rbt_run_wild(struct rbt_model *model, uint32_t slot, unsigned bytes)
{
    if (model->wild_count == RBT_MOST_WILD)
        return false;
    model->wild[model->wild_count++] = slot;
    model->slots[slot].about |= RBT_SLOT_WILD;
    model->slots[slot].wild = (uint8_t)bytes;
    return true;
}

/* At the end of a block none is any more. */
void rbt_model_calm(struct rbt_model *model);

/* A difference of a wild slot takes so many bytes, as zigzag. If all bits of these are set (of less than 8 bytes), the
 * number of bytes of this and those that follow is next, and then it. */
static inline uint64_t rbt_wild_escape(unsigned bytes)
{
    return bits_low_bytes(UINT64_MAX, bytes);
}

#endif
