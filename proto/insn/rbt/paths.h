/* Finds the run of rows that are put one by one: a tree whose paths from the root are the beginnings of runs.
 *
 * Use: begin with {0}; from RBT_ROOT rbt_paths_step for each row; where the run ends, `run` holds its number, or
 * rbt_paths_rows has the rows for a new one; rbt_paths_free. */
#ifndef PROTO_INSN_RBT_PATHS_H
#define PROTO_INSN_RBT_PATHS_H

#include "proto/insn/rbt/runs.h"

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

#endif
