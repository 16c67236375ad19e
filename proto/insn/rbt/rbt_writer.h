/* Writes an instruction trace (.rbt) while it is made: threads may be fed in any order, block by block.
 *
 * Use: rbt_writer_create; rbt_writer_thread for each thread when it appears; rbt_writer_put and rbt_writer_mark in the
 * thread's order; rbt_writer_image, rbt_writer_page at any time; rbt_writer_finish, after which the file is there
 * under its name, or rbt_writer_abandon. After a failure, rbt_writer_finish keeps the part written before it intact
 * and readable. Memory is bounded by a block for each thread and the static instructions.
 * Threads of the program: one at a time. Ownership: all arguments are copied. */
#ifndef PROTO_INSN_RBT_RBT_WRITER_H
#define PROTO_INSN_RBT_RBT_WRITER_H

#include "proto/insn/insn_trace.h"

struct rbt_writer;

struct rbt_description {
    enum isa isa;
    uint32_t lacks;                      /* bits of enum insn_lack, of where it comes from, and ... */
    struct insn_meaning meaning;         /* ... the meaning of its addresses and times */
    const char *source;                  /* where it comes from: "capture, qemu 7.2", "drmemtrace version 7" ... */
    bool is_quick;                       /* packed in less time, and up to 100 % larger */
    const char *command;                 /* of a captured program; "" if not known */
};

struct rbt_writer *rbt_writer_create(const char *path, const struct rbt_description *description, struct fault *error);

/* The answer is the thread's number for the other functions; UINT32_MAX on failure. */
uint32_t rbt_writer_thread(struct rbt_writer *writer, uint64_t id, struct fault *error);
/* insn->encoding need be filled in only if bytes at this pc are new or changed, as readers give them. what: NULL if the
 * format has no registers in place of bytes; bytes are decoded when the trace is read. */
struct fault rbt_writer_put(struct rbt_writer *writer, uint32_t thread, const struct insn *insn,
                            const struct isa_insn *what);
/* Runs: sequences of instructions that recur with nothing different but their addresses and the last one's target are
 * put faster as a run; the file is the same as if each had been put.
 * Makes a run of the last `count` instructions put, with `accesses` accesses that do not follow from others, and
 * returns its name; RBT_WRITER_NO_RUN: they can never be one. A repeat is a run by itself. */
#define RBT_WRITER_NO_RUN UINT32_MAX
uint32_t rbt_writer_run(struct rbt_writer *writer, uint32_t thread, unsigned count, unsigned accesses);
/* Joins runs (no repeats) that often follow each other into one, with the sum of their accesses; RBT_WRITER_NO_RUN:
 * they cannot be one. Joined runs take less time and space. */
uint32_t rbt_writer_join(struct rbt_writer *writer, const uint32_t *runs, unsigned count);
/* Where the thread's next runs and the addresses of their accesses (but of those that follow from others) are to be
 * written, consecutively, and the remaining room in instructions and accesses; valid until the next put. If a run does
 * not fit, put its instructions: the block is full. False: out of memory, or the writer has failed. */
struct rbt_writer_room { uint32_t *runs; uint64_t *addresses; uint32_t insns, accesses; };
bool rbt_writer_room(struct rbt_writer *writer, uint32_t thread, struct rbt_writer_room *room);
/* Puts `count` runs, at least one, that were written there; the other numbers are their instructions, accesses written
 * there, and accesses that follow from others. Each run continues at the beginning of the next one, the last at
 * `target`; the machine code at these pcs is unchanged. All of them are repeats, or none. */
void rbt_writer_put_runs(struct rbt_writer *writer, uint32_t thread, uint32_t count, uint32_t insns, uint32_t accesses,
                         uint32_t followed, uint64_t target);
struct fault rbt_writer_mark(struct rbt_writer *writer, uint32_t thread, const struct insn_marker *marker);
struct fault rbt_writer_image(struct rbt_writer *writer, uint64_t address, const uint8_t *bytes, size_t count);
/* The program, once: its bytes, or only what identifies it. */
struct fault rbt_writer_program(struct rbt_writer *writer, const struct insn_kept *kept);
struct fault rbt_writer_page(struct rbt_writer *writer, const struct insn_page *page);
/* A table of named counts that ends up in the file and is shown by `trace info`: events that a capture missed. */
struct fault rbt_writer_note(struct rbt_writer *writer, const char *name, uint64_t count);

/* Adds to the missing fields those found only while the source was read. */
void rbt_writer_lacks(struct rbt_writer *writer, uint32_t lacks);

uint64_t rbt_writer_bytes(const struct rbt_writer *writer);        /* written so far */
/* Frees the writer in any case. */
struct fault rbt_writer_finish(struct rbt_writer *writer);
void rbt_writer_abandon(struct rbt_writer *writer);

#endif
