/* Sequences of runs that recur, joined into one longer run: the successor is predicted once for all of them.
 *
 * A join is found by its first run. It is the common beginning of the two latest sequences after that run, and ends
 * before that run recurs; so loops are joined by whole iterations. A join that matches too seldom is rebuilt, a
 * limited number of times. Joins depend on the runs alone.
 *
 * Use: begin with {0} for the file; rbt_joins_begin for each block; for each of its runs rbt_join_of, and if
 * rbt_join_is that, its runs are `joined`; else rbt_joins_learn, and the run stays single; rbt_joins_free.
 * Errors: false: out of memory. */
#ifndef PROTO_INSN_RBT_JOINS_H
#define PROTO_INSN_RBT_JOINS_H

#include "proto/insn/rbt/runs.h"

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

#endif
