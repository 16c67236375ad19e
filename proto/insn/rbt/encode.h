/* A block of a thread's rows, addresses, targets, gaps, shapes and markers, as columns.
 *
 * Use: fill an rbt_block_input in the thread's order, rbt_encode; the model is the thread's, fitted to all rows. */
#ifndef PROTO_INSN_RBT_ENCODE_H
#define PROTO_INSN_RBT_ENCODE_H

#include "proto/insn/rbt/column.h"
#include "proto/insn/rbt/format.h"
#include "proto/insn/rbt/model.h"
#include "proto/insn/rbt/runs.h"

struct rbt_block_marker { uint32_t before; struct insn_marker marker; };      /* before which instruction */

struct rbt_block_input {
    uint32_t insn_count, item_count, access_count, target_count, gap_count, shape_count, marker_count;
    uint32_t *items;                     /* rows and runs, together of insn_count instructions */
    uint64_t *addresses;                 /* of all accesses */
    uint64_t *targets;                   /* of instructions that have one */
    uint64_t *gaps;                      /* likewise */
    uint64_t *shapes;                    /* of irregular ones: count, then size and direction of each access */
    struct rbt_block_marker *markers;
};

/* Shapes: size of an access, and whether it is a store. */
static inline uint64_t rbt_shape(uint32_t size_bytes, bool is_write)
{
    return (uint64_t)size_bytes << 1 | is_write;
}

/* Appends to columns of RBT_BLOCK_COLUMN_COUNT. A column without memory says so itself. */
void rbt_encode(const struct rbt_block_input *input, const struct rbt_rows *rows, struct rbt_runs *runs,
                struct rbt_model *model, struct rbt_column *columns);

#endif
