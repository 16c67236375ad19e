/* Runs: rows that follow each other, up to a branch mostly. A thread is a sequence of runs, and the successor of a run
 * is predicted once for all its rows.
 *
 * Runs have numbers in the order in which they were met, over all threads of the file. Rows of run r are
 * rows[r.rows ...], the model's slots of their accesses slots[r.slots ...]. Writers make irregular rows the last ones
 * of their runs; their slots are not among these.
 *
 * Use: begin with {0}; rbt_runs_add; rbt_runs_free. */
#ifndef PROTO_INSN_RBT_RUNS_H
#define PROTO_INSN_RBT_RUNS_H

#include "proto/insn/rbt/rows.h"

#define RBT_NO_RUN UINT32_MAX
enum {
    RBT_SLOTS_SPARE = 4,                 /* readable elements after the last one of `slots` */
    RBT_RUN_BITS = 28,                   /* of a number */
    RBT_RUNS_AT_ONCE = 256               /* that may be added while a block is encoded */
};

struct rbt_run {
    uint64_t pc;                         /* of its first instruction */
    uint32_t rows, slots;                /* places of the first */
    uint32_t last_row;
    uint16_t insn_count, slot_count;     /* slots: one for each that does not follow */
    bool has_target, is_irregular;       /* its last row */
};

struct rbt_runs {
    struct rbt_run *runs;
    uint32_t count, row_count, slot_count;
    size_t room, row_room, slot_room;
    uint32_t *rows, *slots;
};

/* The bits above RBT_RUN_BITS belong to the owner. */
static inline uint32_t rbt_run_number(uint32_t run)
{
    return run & ((UINT32_C(1) << RBT_RUN_BITS) - 1);
}

/* Appends a run of `count` rows, at least one. False: out of memory. */
bool rbt_runs_add(struct rbt_runs *runs, const struct rbt_rows *all, const uint32_t *rows, unsigned count);
void rbt_runs_free(struct rbt_runs *runs);

#endif
