/* A block's columns, as a thread's instructions and markers again, one by one.
 *
 * Use: begin with {0} and rbt_decoder_reset; rbt_decoder_begin for each block in the thread's order; rbt_decoder_next
 * until it returns RBT_STEP_END; rbt_decoder_free.
 * Ownership: an instruction's accesses are valid until the next call, the payload until the block's end.
 * Errors: `wrong` names the column that is damaged; NULL: out of memory. */
#ifndef PROTO_INSN_RBT_RBT_DECODE_H
#define PROTO_INSN_RBT_RBT_DECODE_H

#include "proto/container/column.h"
#include "proto/insn/rbt/rbt_format.h"
#include "proto/insn/rbt/model.h"

struct rbt_use;
struct rbt_run_uses;

enum rbt_step { RBT_STEP_INSN, RBT_STEP_MARKER, RBT_STEP_END, RBT_STEP_FAILED };

struct rbt_decoder {
    const struct rbt_rows *rows;
    const struct rbt_runs *runs;
    bool is_by_successors;               /* the block */
    bool has_begun;                      /* with a block, so the model is not as at the beginning */
    struct rbt_model model;
    struct columns_unpacked unpacked;
    struct column_bytes columns[RBT_BLOCK_COLUMN_COUNT];
    const char *wrong;
    uint32_t insn_count, at;             /* at: of the instruction to be given next */
    uint32_t ahead;                      /* its row, which is decoded one instruction early */
    const uint32_t *next_row, *behind_run;       /* of the run: rows that are not decoded yet */
    uint64_t explicit;                   /* behind the run that was written last */
    uint64_t right, address_right;       /* right guesses before a wrong one; UINT64_MAX: up to the end */
    unsigned pick, address_kind;         /* of that */
    uint64_t target_run;
    uint64_t marker_before;              /* instruction; UINT64_MAX: no marker is left */
    uint64_t recent[1u << 8];            /* addresses of the last accesses of the block, by their number */
    uint64_t given;                      /* accesses of the block so far */
    struct insn_access regular[RBT_REGULAR_ACCESSES];
    struct insn_access *irregular;
    /* ---- of rbt_decoder_next_accesses */
    struct rbt_run_uses *run_uses;       /* by run */
    struct rbt_use *uses;                /* of runs that were met */
    size_t run_room, use_count, use_room;
    uint64_t *addresses;
};

/* A run with its accesses. */
struct rbt_run_accesses {
    uint32_t run;
    uint32_t count, irregular_count;
    const uint64_t *addresses;           /* of the accesses of its regular rows, in their order */
    const struct insn_access *irregular; /* of its last row, if that is irregular */
};

/* At the beginning of a thread. */
void rbt_decoder_reset(struct rbt_decoder *decoder);
/* columns: as written by columns_pack; flags: RBT_BLOCK_... */
bool rbt_decoder_begin(struct rbt_decoder *decoder, const struct rbt_rows *rows, const struct rbt_runs *runs,
                       struct column_bytes columns, uint32_t insn_count, unsigned flags);
/* Fills all of an instruction but thread, encoding, reads and writes, and *row; or the marker. */
enum rbt_step rbt_decoder_next(struct rbt_decoder *decoder, struct insn *insn, const struct rbt_row **row,
                               struct insn_marker *marker);
/* Instead of that, for a whole block: its runs one by one, without markers and accesses, which are not decoded.
 * RBT_STEP_INSN: *run is the number of one. */
enum rbt_step rbt_decoder_next_run(struct rbt_decoder *decoder, uint32_t *run);
/* The same with accesses, and also behind rbt_decoder_pass. Of traces whose irregular rows are the last ones of their
 * runs. Valid until the next call. */
enum rbt_step rbt_decoder_next_accesses(struct rbt_decoder *decoder, struct rbt_run_accesses *run);
/* Behind rbt_decoder_begin: passes over whole runs that end before instruction `before` of the block, and the markers
 * between them. What follows is decoded as if all had been. False: damaged, or no memory. */
bool rbt_decoder_pass(struct rbt_decoder *decoder, uint32_t before);
void rbt_decoder_free(struct rbt_decoder *decoder);

#endif
