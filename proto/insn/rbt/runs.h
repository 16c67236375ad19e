/* Runs: rows that followed each other at one time, put again as one. What is stored does not change by them; they only
 * save looking at each row.
 *
 * The first rows of a run are straight for a model as long as each of them but the last has had one successor, the next
 * of the run: then the model guesses right and learns nothing. `checked` says at which epoch of a model it was found how
 * many are; epochs are numbers that no two models share, and a model takes a new one when a row within runs gets another
 * successor. A row of two successors is mostly the last but one, before a branch.
 *
 * Use: begin with {0}; rbt_runs_add; rbt_runs_free. Items of a block are rows, or runs as rbt_run_item has them. */
#ifndef PROTO_INSN_RBT_RUNS_H
#define PROTO_INSN_RBT_RUNS_H

#include "proto/insn/rbt/rows.h"

#define RBT_ITEM_RUN (UINT32_C(1) << 31)
#define RBT_ITEM_TARGET (UINT32_C(1) << 30)      /* of a run: its last row has a target */
#define RBT_NO_RUN UINT32_MAX
enum { RBT_SLOTS_SPARE = 4 };            /* so many that are behind the last one of `slots` may be read */

struct rbt_run {
    uint64_t checked;
    uint64_t pc;                         /* of its first instruction */
    uint32_t rows, slots;                /* places of the first */
    uint32_t first_row, last_row;
    uint16_t insn_count, slot_count;     /* slots: one for each access */
    uint16_t straight;                   /* rows, see above; of `checked` */
    bool has_target;                     /* its last row */
};

struct rbt_runs {
    struct rbt_run *runs;
    uint32_t count, row_count, slot_count;
    size_t room, row_room, slot_room;
    uint32_t *rows, *slots;
    uint64_t epochs;                     /* given */
};

/* Of `count` rows, which are marked as being within a run. RBT_NO_RUN: they are no run, since one that is not the last
 * has a target, or one has what a run does not (gaps, irregular accesses, not executed), or there is no memory. */
uint32_t rbt_runs_add(struct rbt_runs *runs, struct rbt_rows *all, const uint32_t *rows, unsigned count);
static inline uint32_t rbt_run_item(const struct rbt_runs *runs, uint32_t run)
{
    return RBT_ITEM_RUN | (runs->runs[run].has_target ? RBT_ITEM_TARGET : 0) | run;
}

static inline uint32_t rbt_item_run(uint32_t item)
{
    return item & ~(RBT_ITEM_RUN | RBT_ITEM_TARGET);
}

void rbt_runs_free(struct rbt_runs *runs);

#endif
