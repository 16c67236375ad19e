/* Accesses of an instruction that takes several pieces: string instructions, and accesses longer than a line.
 *
 * Use: pieces_absorb for each further iteration of a string instruction; pieces_cut for an instruction with an access
 * longer than a line. Accesses of size 0 count as `usual_bytes`. */
#ifndef REPLAY_DETAILED_UOPS_PIECES_H
#define REPLAY_DETAILED_UOPS_PIECES_H

#include "proto/insn/insn.h"

/* If the iteration's accesses adjoin those of the piece, in the same lines, merges them into the piece and returns
 * true. */
bool pieces_absorb(struct insn_access *piece, const struct insn_access *iteration, size_t count, uint32_t line_bytes,
                   uint32_t usual_bytes);

struct pieces {
    struct insn_access *list;            /* from malloc */
    size_t count, room;
};

/* The same accesses, cut where lines end if they are longer than one. False: out of memory. */
bool pieces_cut(struct pieces *pieces, const struct insn_access *accesses, size_t count, uint32_t line_bytes);

/* Iterations of a string instruction whose accesses have no size: they are as long as the step from the first one to
 * the next, at most usual_bytes. *bytes: 0 at the second iteration, which finds it and sizes the first; then as it was.
 * sized: `next` with its size. */
void pieces_size(struct insn_access *first, const struct insn_access *next, size_t count, uint32_t usual_bytes,
                 uint32_t *bytes, struct insn_access *sized);

#endif
