/* Turns the words of a lane into a thread's instructions and markers: determines which instructions of a block were
 * executed, which pieces form one access, where each branch went, and when a signal arrived.
 *
 * Use: assemble_begin; assemble_read with the words of each lane as they arrive, in any order of lanes; assemble_close
 * of each lane once the program has ended; assemble_end. The region, if any, is set before the first word.
 * A lane belongs to a virtual CPU, whose threads run one after the other. Instructions go to a struct assemble_sink.
 * Ownership: code and sink are the caller's. Errors: those of the sink; invalid words in a lane. */
#ifndef PROTO_CAPTURE_ASSEMBLE_H
#define PROTO_CAPTURE_ASSEMBLE_H

#include "proto/capture/capture_code.h"
#include "proto/capture/ring.h"
#include "proto/insn/rbt/rbt_writer.h"
#include "proto/insn/insn_trace.h"

/* Counters of a capture: field, name in the file and in tables, description. The counters from unseen_loads on are of
 * events that are missing from the trace or uncertain. */
#define CAPTURE_COUNTS(C)                                                                                             \
    C(instructions, "instructions", "instructions recorded")                                                          \
    C(repeats, "repeats", "further iterations of string instructions")                                                \
    C(loads, "loads", "loads") C(stores, "stores", "stores")                                                          \
    C(skipped, "instructions outside", "instructions executed outside of the region")                                 \
    C(syscalls, "system calls", "system calls; the kernel's accesses are not seen")                                   \
    C(kernel_bytes, "bytes by system calls", "bytes that read and write calls moved, whose accesses are not seen")    \
    C(prefetches_known, "prefetches with addresses", "prefetch instructions that are loads, reported or inferred")    \
    C(prefetches, "prefetches", "prefetch instructions, whose addresses are not seen")                                \
    C(zeroed, "cache zeroing inferred", "dc zva, whose addresses are those of accesses before")                       \
    C(zeroings, "cache zeroing", "dc zva, whose stores are not seen")                                                 \
    C(undecoded, "undecoded instructions", "executed instructions that the decoder does not know")                    \
    C(unseen_loads, "loads not reported", "loads that an instruction must have made and that were not reported")      \
    C(unseen_stores, "stores not reported", "stores that an instruction must have made and that were not reported")   \
    C(signals, "signals", "signals delivered to handlers; the kernel's frames on the stack are not seen")             \
    C(frames, "signal frames' accesses", "accesses of signal frames that QEMU reported, left out")                  \
    C(cuts, "instructions that trapped", "instructions ended by a fault before they were done; they are left out")    \
    C(jumps, "unexplained jumps", "places where control went where the code does not lead, other than signals")       \
    C(execs, "programs replaced", "calls of exec, after which nothing is seen")                                       \
    C(successors, "programs followed", "calls of exec, after which it is recorded on")                                \
    C(unknown_blocks, "unknown blocks", "executed blocks whose code is unknown")                                      \
    C(dropped, "accesses dropped", "accesses of one instruction beyond 1024")

#define CAPTURE_COUNT_FIELD(field, name, what) uint64_t field;
struct capture_counts {
    CAPTURE_COUNTS(CAPTURE_COUNT_FIELD)
};

struct assemble_sink {
    void *of;
    uint32_t (*thread)(void *of, uint64_t id, struct fault *error);    /* UINT32_MAX on failure */
    struct fault (*put)(void *of, uint32_t thread, const struct insn *insn);
    struct fault (*mark)(void *of, uint32_t thread, const struct insn_marker *marker);
    /* NULL, or these four are rbt_writer_run and its companions: repeated blocks are then put as runs. */
    uint32_t (*run)(void *of, uint32_t thread, unsigned count, unsigned accesses);
    uint32_t (*join)(void *of, const uint32_t *runs, unsigned count);     /* NULL: runs are put one by one */
    bool (*room)(void *of, uint32_t thread, struct rbt_writer_room *room);
    void (*put_runs)(void *of, uint32_t thread, uint32_t count, uint32_t insns, uint32_t accesses, uint32_t followed,
                     uint64_t target);
};

/* The recorded region. Counts are summed over all threads since the program's start; UINT64_MAX: no such limit. */
struct assemble_region {
    bool from_pc, to_pc;                 /* begins, ends where the code says so (code_insn.is_from, is_to) */
    uint64_t from_count, to_count;
    uint64_t at_most;                    /* instructions recorded */
};

struct assembler;

struct assembler *assemble_begin(struct code *code, const struct assemble_sink *sink,
                                 const struct assemble_region *region, struct fault *error);
void assemble_end(struct assembler *assembler);

/* Reads words `at` to `at + words - 1` of the lane's ring, as far as they make whole events; answers how many. */
uint64_t assemble_read(struct assembler *assembler, unsigned lane, const uint64_t *ring, uint64_t at, uint64_t words,
                       struct fault *error);
/* The program has ended: puts the executed part of the lane's last block. */
struct fault assemble_close(struct assembler *assembler, unsigned lane);

/* The region has ended; nothing more is recorded. */
bool assemble_is_done(const struct assembler *assembler);
/* Instructions that were executed before it began; 0: it has not. */
uint64_t assemble_before(const struct assembler *assembler);
const struct capture_counts *assemble_counts(const struct assembler *assembler);
/* Instructions from the block on before which the host reported the program's memory, up to the first recorded one;
 * UINT64_MAX: the recording did not begin in that block. */
uint64_t assemble_start_lead(const struct assembler *assembler);
/* The lane's current instruction, or its last one once the program has ended; NULL: none. */
const struct code_insn *assemble_last(const struct assembler *assembler, unsigned lane);

#endif
