/* A block of a thread's runs, addresses, targets, gaps, shapes and markers, as columns.
 *
 * Use: fill an rbt_block_input in the thread's order, rbt_encode; the model is the thread's, fitted to all rows. */
#ifndef PROTO_INSN_RBT_ENCODE_H
#define PROTO_INSN_RBT_ENCODE_H

#include "proto/insn/rbt/column.h"
#include "proto/insn/rbt/format.h"
#include "proto/insn/rbt/joins.h"
#include "proto/insn/rbt/model.h"
#include "proto/insn/rbt/runs.h"

struct rbt_block_marker { uint32_t before; struct insn_marker marker; };      /* before which instruction */

/* Targets are the next instruction's pc mostly. The column has those that are not, with the number of those before that
 * are; so each is looked at when what follows it is put. */
struct rbt_targets {
    struct rbt_column column;
    uint64_t right;                      /* since the last one in the column */
    uint64_t pc, target;                 /* of the instruction put last, if is_open */
    bool is_open;
};

struct rbt_block_input {
    bool is_quick;                       /* RBT_BLOCK_BY_SUCCESSORS; addresses as rbt_addresses has it */
    uint32_t insn_count, run_count, access_count, shape_count, marker_count;
    uint32_t *runs;                      /* together of insn_count instructions; and room for RBT_JOIN_RUNS more. Bits
                                          * from RBT_RUN_BITS on: anything, but of a run always the same */
    uint32_t accesses_before;            /* with those that follow from others; rbt_encode does not ask */
    uint64_t *addresses;                 /* of access_count accesses; rbt_encode writes over them */
    struct rbt_targets targets;
    struct rbt_column gaps;              /* of instructions that have one */
    uint64_t *shapes;                    /* of irregular ones: count, then size and direction of each access */
    struct rbt_block_marker *markers;
};

/* Shapes: size of an access, and whether it is a store. */
static inline uint64_t rbt_shape(uint32_t size_bytes, bool is_write)
{
    return (uint64_t)size_bytes << 1 | is_write;
}

void rbt_targets_wrong(struct rbt_targets *targets);

/* An instruction at this pc is put next. */
static inline void rbt_targets_next(struct rbt_targets *targets, uint64_t pc)
{
    if (targets->is_open && targets->target != pc)
        rbt_targets_wrong(targets);
    targets->right += targets->is_open;
    targets->is_open = false;
}

/* The instruction put last, at `pc`, has a target. */
static inline void rbt_targets_open(struct rbt_targets *targets, uint64_t pc, uint64_t target)
{
    targets->pc = pc;
    targets->target = target;
    targets->is_open = true;
}

/* Scratch buffers for encoding: RBT_BLOCK_ACCESSES and RBT_SLOTS_SPARE of slots, RBT_BLOCK_INSNS of misses. */
struct rbt_scratch { uint32_t *slots, *misses; };

/* Appends to columns of RBT_BLOCK_COLUMN_COUNT. A column that runs out of memory records it itself. */
void rbt_encode(struct rbt_block_input *input, const struct rbt_rows *rows, struct rbt_runs *runs,
                struct rbt_joins *joins, struct rbt_model *model, struct rbt_scratch scratch,
                struct rbt_column *columns);

#endif
