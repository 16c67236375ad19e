/* How version 2 predicted addresses (docs/spec/rbt.md 8); runs it predicted as version 3. Its reader does, no writer.
 *
 * Use: as model.h. */
#ifndef PROTO_INSN_RBT_MODEL_2_H
#define PROTO_INSN_RBT_MODEL_2_H

#include <stdint.h>

#include "proto/insn/rbt/rows.h"

struct rbt_slot_2 {
    uint64_t last, before;               /* its last address, and that of the access before it */
    uint64_t stride;                     /* seen twice in a row */
    uint64_t about;                      /* last difference * 2; bit 0: it follows the access before */
};

struct rbt_model_2 {
    struct rbt_slot_2 *slots;
    uint32_t slot_room;
};

bool rbt_model_fit_2(struct rbt_model_2 *model, const struct rbt_rows *rows);
void rbt_model_reset_2(struct rbt_model_2 *model);
void rbt_model_free_2(struct rbt_model_2 *model);

/* How far an address is from the slot's last one. */
static inline uint64_t rbt_guess_difference_2(const struct rbt_slot_2 *slot, uint64_t before)
{
    return slot->about & 1 ? before - slot->before : slot->stride;
}

/* It was another one than was guessed. */
static inline void rbt_learn_difference_2(struct rbt_slot_2 *slot, uint64_t before, uint64_t difference)
{
    uint64_t const about = slot->about, twice = difference << 1;
    bool const other_was_right = difference == (about & 1 ? slot->stride : before - slot->before);

    slot->about = about ^ other_was_right;
    slot->stride = (about ^ twice) < 2 ? difference : slot->stride;
}

static inline void rbt_learn_address_2(struct rbt_slot_2 *slot, uint64_t before, uint64_t address)
{
    slot->about = (address - slot->last) << 1 | (slot->about & 1);
    slot->last = address;
    slot->before = before;
}

#endif
