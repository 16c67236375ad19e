/* Rows: the forms in which static instructions are executed. A row is all of an executed instruction but its
 * addresses, its target and its gap: the static instruction, size, kind, whether it was taken, and number, direction
 * and sizes of its accesses, and the origins of derived addresses. A thread is a sequence of rows, in runs (runs.c).
 *
 * Rows and static instructions have numbers in the order in which they were met, over all threads of the file.
 * Accesses of row r are accesses[r.first_slot ...], with address 0; the same index names the model's slot. An irregular
 * row has a slot, and no accesses here. */
#ifndef PROTO_INSN_RBT_ROWS_H
#define PROTO_INSN_RBT_ROWS_H

#include "proto/insn/insn.h"

#define RBT_NO_ROW UINT32_MAX

struct rbt_row {
    uint64_t pc;
    uint32_t number;                     /* of the static instruction */
    uint32_t size_bytes;
    uint32_t first_slot;
    uint32_t next;                       /* writer: another row of the static instruction; RBT_NO_ROW: none */
    uint8_t form, kind, branch, flags, access_count;
    bool ends_run;                       /* writer: no row follows it in a run */
};

struct rbt_rows {
    struct rbt_row *rows;
    uint32_t count, room;
    struct insn_access *accesses;
    uint32_t slot_count, slot_room;
};

/* Appends a row, whose first_slot is set here, with its accesses (none if it is irregular). False: out of memory. */
bool rbt_rows_add(struct rbt_rows *rows, struct rbt_row row, const struct insn_access *accesses);

/* Writers: is it this row? Its form, kind, branch, flags, size and number of accesses are set. */
bool rbt_rows_is(const struct rbt_rows *rows, uint32_t number, const struct rbt_row *wanted,
                 const struct insn_access *accesses);
/* Does its static instruction, the rows of which are from `next` on, have one that differs in more than the origins of
 * derived addresses? */
bool rbt_rows_is_further(const struct rbt_rows *rows, const struct rbt_row *wanted,
                         const struct insn_access *accesses);
/* The instruction, given the number of accesses before it in its block. Accesses derived from one before the block
 * become independent; then the result is *copy. */
const struct insn *rbt_rows_within(uint64_t before, const struct insn *insn, struct insn_access *own,
                                   struct insn *copy);
void rbt_rows_free(struct rbt_rows *rows);

/* Runs: rows that follow each other, up to a branch mostly. A thread is a sequence of runs, and the successor of a run
 * is predicted once for all its rows.
 *
 * Runs have numbers in the order in which they were met, over all threads of the file. Rows of run r are
 * rows[r.rows ...], the model's slots of their accesses slots[r.slots ...]. Writers make irregular rows the last ones
 * of their runs; their slots are not among these.
 *
 * Use: begin with {0}; rbt_runs_add; rbt_runs_free. */

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
    bool has_odd;                        /* an irregular row that is not the last one of its run */
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
