/* An instruction trace of any format as an .rbt, all of it or a part.
 *
 * Use: rbt_copy with a trace that is open (raw is enough). Ranges count the instructions and accesses of each thread
 * from 0; a part with a beginning other than 0 has a marker (lost) with the number of missing instructions.
 * Errors: those of the trace, and of the file that is written, which is there whole or not at all. */
#ifndef PROTO_INSN_RBT_COPY_H
#define PROTO_INSN_RBT_COPY_H

#include "proto/insn/insn_trace.h"

/* A part of a thread: `insns` instructions from event `first` on. Parts that overlap are written once. */
struct rbt_copy_part {
    uint64_t first, insns;
    uint64_t placed;                     /* set: events of the copy before it */
};

struct rbt_copy_request {
    const char *path;                    /* of the .rbt */
    const char *source;                  /* source recorded in the file; NULL: the trace's format */
    const char *command;                 /* NULL: not known */
    uint64_t first, behind;              /* of each thread */
    struct rbt_copy_part *parts;         /* instead of these, of the only thread, in the order of `first`; NULL: none */
    size_t part_count;
    const uint64_t *threads;             /* ids to take; NULL: all */
    size_t thread_count;
    bool without_images, without_program;
    /* Called now and then with the number of instructions copied; may be NULL. */
    void (*progress)(void *context, uint64_t insns);
    void *context;
};

struct rbt_copy_result {
    uint64_t threads, insns, fetched, bytes;      /* insns: with repeats and accesses of their own */
    uint64_t image_bytes, program_bytes;          /* in the file */
    struct insn_counts counts;           /* of the part read */
    char warning[240];                   /* of the first thread that has one; "": none */
};

struct fault rbt_copy(const struct insn_trace *trace, const struct rbt_copy_request *request,
                      struct rbt_copy_result *result);

#endif
