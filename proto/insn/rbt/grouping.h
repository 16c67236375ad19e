/* The runs of a thread that is written, whose instructions come one by one, or as what was put before.
 *
 * Runs end behind branches and what has more than accesses, behind further forms of a static instruction (else there
 * were a run for each way in which the forms of several meet), behind RBT_RUN_INSNS rows, and before what does not
 * follow in memory. So they depend on the rows alone: items only save looking at each row.
 *
 * Use: begin with {0} for the file and for each thread, rbt_grouping_begin before anything is put, rbt_grouping_add for
 * each row, rbt_grouping_end at the end of a block; runs[0 .. run_count) are the block's, with RBT_ITEM_TARGETS of
 * each. Items: rbt_grouping_item of rows that were added last, rbt_grouping_join of items that often follow each other;
 * written behind these runs, rbt_grouping_take makes runs of them.
 * Errors: false: out of memory. */
#ifndef PROTO_INSN_RBT_GROUPING_H
#define PROTO_INSN_RBT_GROUPING_H

#include "proto/insn/rbt/paths.h"

#define RBT_NO_ITEM UINT32_MAX
/* Above RBT_RUN_BITS: of `loose`, not of `runs`; how many of its rows have a target. */
#define RBT_ITEM_LOOSE (UINT32_C(1) << 31)
enum { RBT_ITEM_TARGETS_SHIFT = RBT_RUN_BITS, RBT_ITEM_TARGETS = 7 };

/* What an item became that was added row by row the last time: runs, behind a path, and the path behind them. */
struct rbt_taken {
    uint32_t from, to;                   /* from: RBT_NO_ITEM: it never was */
    uint64_t next_pc;                    /* behind `to` */
    uint32_t runs, run_count, run_room;  /* place of the first */
};

/* By number of an item. */
struct rbt_taken_list {
    struct rbt_taken *items;
    uint32_t count;
};

/* Of a file. */
struct rbt_groups {
    struct rbt_runs runs;
    struct rbt_runs loose;               /* what is parts of runs, or several */
    struct rbt_paths paths;
    struct rbt_taken_list taken_runs, taken_loose;
    uint32_t *became;                    /* the runs of all of these */
    size_t became_count, became_room;
};

/* Of a thread. */
struct rbt_grouping {
    uint32_t *runs;                      /* room for RBT_BLOCK_INSNS, and RBT_JOIN_RUNS that stand for nothing */
    uint32_t run_count;
    uint32_t path;                       /* of the rows of the run that is not complete */
    uint64_t next_pc;                    /* behind them */
    uint32_t *recent;                    /* rows added one by one last */
    uint32_t recent_count;               /* since an item */
    uint32_t *items;                     /* a copy of those that are taken */
    size_t item_room;
};

bool rbt_grouping_begin(struct rbt_grouping *grouping);
bool rbt_grouping_add(struct rbt_groups *groups, const struct rbt_rows *rows, struct rbt_grouping *grouping,
                      uint32_t row);
bool rbt_grouping_end(struct rbt_groups *groups, const struct rbt_rows *rows, struct rbt_grouping *grouping);

/* Does it end a run, though it is the only form of its static instruction? */
bool rbt_ends_run(const struct rbt_row *row);

/* Of the `count` rows added last. RBT_NO_ITEM: they are none, since one that is not the last has a target, or one has
 * what an item does not (gaps, irregular accesses, not executed, a repeat that is not the only one), or there is no
 * memory. */
uint32_t rbt_grouping_item(struct rbt_groups *groups, const struct rbt_rows *rows, const struct rbt_grouping *grouping,
                           unsigned count);
/* These, one behind the other, as one run. RBT_NO_ITEM: one is loose, they have too many rows or targets, or there is
 * no memory. */
uint32_t rbt_grouping_join(struct rbt_groups *groups, const struct rbt_rows *rows, const uint32_t *items,
                           unsigned count);
/* any: bits of all items. */
bool rbt_grouping_take(struct rbt_groups *groups, const struct rbt_rows *rows, struct rbt_grouping *grouping,
                       uint32_t count, uint32_t any);

static inline uint32_t rbt_item_targets(uint32_t item)
{
    return item >> RBT_ITEM_TARGETS_SHIFT & RBT_ITEM_TARGETS;
}

static inline const struct rbt_run *rbt_item_run(const struct rbt_groups *groups, uint32_t item)
{
    const struct rbt_runs *const runs = item & RBT_ITEM_LOOSE ? &groups->loose : &groups->runs;

    return &runs->runs[rbt_run_number(item)];
}

void rbt_grouping_free(struct rbt_grouping *grouping);
void rbt_groups_free(struct rbt_groups *groups);

#endif
