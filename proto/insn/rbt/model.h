/* The predictor shared by the writer and the reader of a thread: only mispredictions are stored.
 *
 * Runs: a table indexed by the previous run and the last 5 or so holds the latest successor; entries of another
 * previous run are ignored. Without an entry the prediction is the latest mispredicted successor of the run, or, if it
 * has none, the run with the next number. Blocks written in quick mode use no table.
 * Stored addresses: each access of a row is predicted from its last address and either its stride or the distance
 * moved by the stored access before it, times 1, 2, 4 or 8 (arrays with one index); mispredictions select between
 * these. After a misprediction a table of links predicts the latest difference from this address. Writers may store
 * the remaining addresses of an access in a block without prediction: the access is wild.
 *
 * It is optimised for writers, which know the outcome: a correct prediction takes one load from each table and no
 * branch that the processor often mispredicts.
 *
 * Use: rbt_model_fit when runs or rows were added; rbt_model_reset at the beginning of a thread and at restarts; for
 * each run rbt_entry and rbt_guess_run, or rbt_last_successor, and rbt_learn_surprise if that was wrong; for each
 * access rbt_guess_difference, rbt_link and rbt_learn_difference if that was wrong (or rbt_run_wild), and
 * rbt_learn_address; rbt_model_calm at a block's end. */
#ifndef PROTO_INSN_RBT_MODEL_H
#define PROTO_INSN_RBT_MODEL_H

#include <stdint.h>

#include "base/bits.h"
#include "proto/insn/rbt/rows.h"

enum { RBT_TABLE_BITS = 12, RBT_HISTORY_SHIFT = 13, RBT_LINK_BITS = 16, RBT_MOST_WILD = 1 << 12 };

struct rbt_successors { uint32_t next, other; };     /* last two that were not foreseen and differ; RBT_NO_RUN: none */
struct rbt_slot {
    uint64_t last, before;               /* its last address, and that of the access before it */
    uint64_t stride;                     /* seen twice in a row */
    uint32_t difference;                 /* the last one's low bits */
    uint8_t about;                       /* RBT_SLOT_...; 0: the stride counts */
    uint8_t wild;                        /* RBT_SLOT_WILD: bytes that are written of each */
    uint8_t misses;                      /* by the writer: consecutive mispredictions */
};

/* Of slot->about: it follows the access before it, and moves a multiple of its distance (RBT_SLOT_SHIFT); its
 * addresses are not predicted up to the end of the block. */
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

/* The table's entry for the successor of `before`. */
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

/* The prediction without the table. */
static inline uint32_t rbt_last_successor(const struct rbt_model *model, uint32_t before)
{
    uint32_t const next = model->successors[before].next;

    return next != RBT_NO_RUN ? next : before;
}

static inline uint32_t rbt_guess_run(const struct rbt_model *model, uint32_t before, uint64_t entry)
{
    return entry >> 32 == before ? (uint32_t)entry : rbt_last_successor(model, before);
}

/* The first of the two known successors that differs from the guess. */
static inline uint32_t rbt_first_pick(struct rbt_successors known, uint32_t guess)
{
    return known.next != guess ? known.next : known.other;
}

/* Learns from a misprediction. */
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

/* The entry of the table of links, used after mispredictions: the slot's latest difference from its last address. */
static inline int32_t *rbt_link(int32_t *links, uint32_t slot_number, uint64_t last)
{
    uint64_t const hash = (last + slot_number * UINT64_C(0xd6e8feb86659fd93)) * UINT64_C(0x9e3779b97f4a7c15);

    return &links[hash >> (64 - RBT_LINK_BITS)];
}

/* Learns from a misprediction. */
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

/* A wild slot's difference takes `bytes` bytes, as zigzag. With all bits set (below 8 bytes) it is an escape: the
 * number of bytes of this and the following differences is next, then the difference. */
static inline uint64_t rbt_wild_escape(unsigned bytes)
{
    return bits_low_bytes(UINT64_MAX, bytes);
}

#endif
