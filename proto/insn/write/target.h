/* The interface of a format's writer for write.c: a thread being written, event by event. */
#ifndef PROTO_INSN_WRITE_TARGET_H
#define PROTO_INSN_WRITE_TARGET_H

#include "proto/insn/write/write.h"
#include "proto/io/sink.h"

struct insn_output {
    const struct insn_trace *trace;
    const struct insn_cursor *cursor;
    uint64_t thread;
    struct sink *sink;
    struct insn_write_result *result;
    void *state;                         /* of the target, made by begin */
};

/* An instruction, and the pc of the next one. */
struct insn_at_hand {
    struct insn insn;
    const struct isa_insn *what;
    uint32_t number;
    bool has_next;
    uint64_t next_pc;
};

struct insn_target {
    const char *name, *ending;           /* of files in a folder */
    struct fault (*begin)(struct insn_output *output);
    struct fault (*insn)(struct insn_output *output, const struct insn_at_hand *at);
    /* An access without instruction; its pc, or 0. */
    struct fault (*orphan)(struct insn_output *output, uint64_t pc, const struct insn_access *access);
    struct fault (*marker)(struct insn_output *output, const struct insn_marker *marker);
    struct fault (*end)(struct insn_output *output);
    void (*free)(struct insn_output *output);
};

extern const struct insn_target insn_to_champsim, insn_to_drmemtrace, insn_to_lackey;

/* The size of the instruction; of one that the trace does not tell, which is counted, the distance to the next pc if
 * that can be a length (champsim-traces 4), else 1. */
static inline uint32_t insn_size_to_write(struct insn_output *output, const struct insn_at_hand *at)
{
    enum { LONGEST_INSN = 15 };
    uint64_t const distance = at->next_pc - at->insn.pc;

    if (at->insn.size_bytes > 0)
        return at->insn.size_bytes;
    output->result->losses[INSN_LOSS_INSN_SIZES]++;
    return at->has_next && distance > 0 && distance <= LONGEST_INSN ? (uint32_t)distance : 1;
}

/* Was the branch taken? If the trace does not say, the next pc decides. */
static inline bool insn_is_taken(const struct insn_at_hand *at)
{
    if (at->insn.branch != INSN_BRANCH_UNKNOWN)
        return at->insn.branch == INSN_TAKEN;
    return isa_kind_is_branch(at->insn.kind)
        && (at->insn.kind != ISA_CONDITIONAL || (at->has_next && at->next_pc != at->insn.pc + at->insn.size_bytes));
}

#endif
