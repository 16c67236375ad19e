/* Groups the instructions of a thread being written into runs. They arrive one by one, or as items: sequences put
 * earlier.
 *
 * Runs end after branches and after rows with more than accesses, after further forms of a static instruction (else
 * each combination of the forms of several instructions would need a run), after RBT_RUN_INSNS rows, and before a row
 * that is not adjacent in memory. So they depend on the rows alone: items only save looking at each row.
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

/* The result of the latest addition of an item row by row: the path before it, its runs, and the path after them. */
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
    struct rbt_runs loose;               /* items that are parts of runs, or several runs */
    struct rbt_paths paths;
    struct rbt_taken_list taken_runs, taken_loose;
    uint32_t *became;                    /* the runs of all of these */
    size_t became_count, became_room;
};

/* Of a thread. */
struct rbt_grouping {
    uint32_t *runs;                      /* room for RBT_BLOCK_INSNS, and RBT_JOIN_RUNS of padding */
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

/* Whether it ends a run even as the only form of its static instruction. */
bool rbt_ends_run(const struct rbt_row *row);

/* Of the `count` rows added last. RBT_NO_ITEM: they cannot be an item (a row before the last has a target, or a row
 * has a gap, irregular accesses, is not executed, or is a repeat among others), or memory is out. */
uint32_t rbt_grouping_item(struct rbt_groups *groups, const struct rbt_rows *rows, const struct rbt_grouping *grouping,
                           unsigned count);
/* Joins these items, in sequence, into one run. RBT_NO_ITEM: one is loose, they have too many rows or targets, or
 * memory is out. */
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
