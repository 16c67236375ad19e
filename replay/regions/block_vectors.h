/* What a program does over time: a vector for each interval of its instructions, made of the basic blocks that it
 * executed there. Intervals that execute the same code have near vectors, and mostly the same CPI on any system.
 *
 * Use: block_vectors_read with an open trace of one thread; block_vectors_free, also after a fault. A vector is the
 * share of each block in the interval's instructions, projected to VECTOR_PARTS dimensions at random, but the same
 * for each host and run: a block's part follows from its pc alone.
 * Source: Sherwood et al., "Automatically characterizing large scale program behavior", ASPLOS 2002, 3 and 4.3.
 * Units: instructions are those that were fetched; events also count further iterations of string instructions, and
 * accesses without an instruction, as insn_cursor_skip does. Errors: those of the trace, and no memory. */
#ifndef REPLAY_REGIONS_BLOCK_VECTORS_H
#define REPLAY_REGIONS_BLOCK_VECTORS_H

#include "base/fault.h"
#include "proto/insn/insn_trace.h"

enum { VECTOR_PARTS = 15 };
#define INTERVAL_MOST (UINT64_C(1) << 40)

struct interval {
    uint64_t first_event;                /* events before it */
    uint64_t instructions;               /* the last one may have fewer than asked for */
    double vector[VECTOR_PARTS];
};

struct block_vectors {
    struct interval *intervals;
    size_t count, room;
    uint64_t instructions, events;       /* of the trace */
    uint64_t blocks;                     /* different ones */
};

/* interval: instructions of one, 1 to INTERVAL_MOST. progress: called now and then, may be NULL; true: stop, and return
 * what is there. */
struct fault block_vectors_read(struct block_vectors *vectors, const struct insn_trace *trace, uint64_t interval,
                                bool (*progress)(void *context, uint64_t instructions), void *context);
void block_vectors_free(struct block_vectors *vectors);

#endif
