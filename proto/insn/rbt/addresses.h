/* The stored addresses of a block, as columns: the model's mispredictions (docs/spec/rbt.md 5, 6). */
#ifndef PROTO_INSN_RBT_ADDRESSES_H
#define PROTO_INSN_RBT_ADDRESSES_H

#include "proto/container/column.h"
#include "proto/insn/rbt/model.h"

/* In the thread's order; both are written over. */
struct rbt_addresses {
    uint64_t *addresses;
    uint32_t *slots;                     /* of each, the model's */
    uint32_t count;
    bool is_quick;                       /* without links; slots may be wild */
};

/* Appends to RBT_ADDRESS_KINDS ... and RBT_WILD of the block's columns. A column that runs out of memory records it
 * itself. */
void rbt_encode_addresses(struct rbt_model *model, const struct rbt_addresses *input, struct column *columns);

#endif
