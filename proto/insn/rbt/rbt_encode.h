/* A block of a thread's runs, addresses, targets, gaps, shapes and markers, as columns.
 *
 * Use: fill an rbt_block_input in the thread's order, rbt_encode; the model is the thread's, fitted to all rows. */
#ifndef PROTO_INSN_RBT_RBT_ENCODE_H
#define PROTO_INSN_RBT_RBT_ENCODE_H

#include "proto/container/column.h"
#include "proto/insn/rbt/model.h"
#include "proto/insn/rbt/rbt_format.h"
#include "proto/insn/rbt/rows.h"

/* Sequences of runs that recur, joined into one longer run: the successor is predicted once for all of them.
 *
 * A join is found by its first run. It is the common beginning of the two latest sequences after that run, and ends
 * before that run recurs; so loops are joined by whole iterations. A join that matches too seldom is rebuilt, a
 * limited number of times. Joins depend on the runs alone.
 *
 * Use: begin with {0} for the file; rbt_joins_begin for each block; for each of its runs rbt_join_of, and if
 * rbt_join_is that, its runs are `joined`; else rbt_joins_learn, and the run stays single; rbt_joins_free.
 * Errors: false: out of memory. */

enum { RBT_JOIN_RUNS = 8, RBT_JOIN_LESSONS = 16 };

struct rbt_join {
    uint32_t runs[RBT_JOIN_RUNS] __attribute__((aligned(64)));   /* as they are put */
    uint32_t count;                      /* 1: no join */
    uint32_t joined;                     /* number of the run that they make */
    uint32_t hits, misses;               /* since it was made */
    uint32_t seen;                       /* where its first run began last, + 1, in the block of this number */
    uint32_t block;
    uint32_t lessons;                    /* up to RBT_JOIN_LESSONS */
};

struct rbt_joins {
    struct rbt_join *joins;              /* by first run */
    uint32_t count;
    uint32_t block, made;                /* number of the block, joins that were made in it */
};

bool rbt_joins_begin(struct rbt_joins *joins, const struct rbt_runs *runs);

static inline struct rbt_join *rbt_join_of(const struct rbt_joins *joins, uint32_t run)
{
    return &joins->joins[rbt_run_number(run)];
}

/* By the length of a join: all ones in the lanes that it uses. */
extern const uint32_t rbt_join_masks[RBT_JOIN_RUNS + 1][RBT_JOIN_RUNS];

typedef uint32_t rbt_four_runs __attribute__((vector_size(16), aligned(4), may_alias));
typedef uint64_t rbt_two_words __attribute__((vector_size(16)));

static inline rbt_four_runs rbt_four_at(const uint32_t *at)
{
    return *(const rbt_four_runs *)(const void *)at;
}

/* Whether these are the join's runs. RBT_JOIN_RUNS of them are readable. */
static inline bool rbt_join_is(const struct rbt_join *join, const uint32_t *runs)
{
    const uint32_t *const mask = rbt_join_masks[join->count];
    rbt_four_runs const low = (rbt_four_at(runs) ^ rbt_four_at(join->runs)) & rbt_four_at(mask);
    rbt_four_runs const high = (rbt_four_at(runs + 4) ^ rbt_four_at(join->runs + 4)) & rbt_four_at(mask + 4);
    rbt_two_words const differing = (rbt_two_words)(low | high);

    return (differing[0] | differing[1]) == 0;
}

/* To be called if runs[at] has no join, or its join does not match; the block has `count` runs. May add runs to `all`,
 * at most RBT_RUNS_AT_ONCE a block. */
bool rbt_joins_learn(struct rbt_joins *joins, struct rbt_runs *all, const struct rbt_rows *rows, const uint32_t *runs,
                     uint32_t at, uint32_t count);
void rbt_joins_free(struct rbt_joins *joins);

struct rbt_block_marker { uint32_t before; struct insn_marker marker; };      /* before which instruction */

/* Targets are the next instruction's pc mostly. The column has only the exceptions, each with the number of regular
 * targets before it; so a target is checked when the next instruction is put. */
struct rbt_targets {
    struct column column;
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
    struct column gaps;              /* of instructions that have one */
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
                struct column *columns);

/* Finds the run of rows that are put one by one: a tree whose paths from the root are the beginnings of runs.
 *
 * Use: begin with {0}; from RBT_ROOT rbt_paths_step for each row; where the run ends, `run` holds its number, or
 * rbt_paths_rows has the rows for a new one; rbt_paths_free. */

enum { RBT_ROOT = 0, RBT_NO_PATH = 0 };

struct rbt_path {
    uint32_t row, parent;
    uint32_t child, sibling;             /* child: the one stepped to last */
    uint32_t run;                        /* that ends here; RBT_NO_RUN: none yet */
    uint32_t depth;                      /* rows up to here */
};

struct rbt_paths {
    struct rbt_path *paths;
    uint32_t count;
    size_t room;
    uint32_t *firsts;                    /* by row: the path of this one alone */
    uint32_t first_room;
};

/* Where this row leads. RBT_NO_PATH: out of memory. */
uint32_t rbt_paths_step(struct rbt_paths *paths, const struct rbt_rows *rows, uint32_t path, uint32_t row);
/* The rows up to here, as many as its depth. */
void rbt_paths_rows(const struct rbt_paths *paths, uint32_t path, uint32_t *rows);
void rbt_paths_free(struct rbt_paths *paths);

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
