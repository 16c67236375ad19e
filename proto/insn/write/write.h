/* An instruction trace in another tool's format.
 *
 * Use: insn_write. The result is a folder with a file for each thread, or a file if the name of the output ends as one
 * does: in .gz, .xz, .txt, .trace or .champsimtrace; then several threads are an error. Files are whole or not there;
 * names that end in .gz or .xz are compressed. Data that the format cannot hold is counted in `losses`.
 * ChampSim gets registers if the trace was opened decoded.
 * Errors: a format that is not known, for ChampSim a trace without pcs, several threads for one file. */
#ifndef PROTO_INSN_WRITE_WRITE_H
#define PROTO_INSN_WRITE_WRITE_H

#include "proto/insn/insn_trace.h"

/* suffix, text */
#define INSN_LOSSES(L)                                                                                                \
    L(MARKERS, "markers that the format lacks")                                                                       \
    L(GAPS, "instructions that were only counted, not written")                                                      \
    L(ORPHANS, "accesses without instruction, written as instructions of their own")                                  \
    L(UNOWNED, "accesses without instruction or pc, not written")                                                     \
    L(OWNERS, "accesses without instruction, which the format gives to the one before")                               \
    L(TIMES, "times of accesses that the format lacks")                                                               \
    L(PHYSICAL, "accesses with physical addresses, which the format takes for virtual ones")                          \
    L(REPEATS, "iterations of string instructions, written as instructions")                                         \
    L(ACCESSES, "accesses beyond those that a record holds")                                                         \
    L(SIZES, "sizes of accesses that the format lacks")                                                              \
    L(NO_SIZES, "accesses of unknown size, written as 8 bytes")                                                       \
    L(REGISTERS, "registers beyond those that a record holds")                                                       \
    L(UNDECODED, "instructions whose registers are not known")                                                       \
    L(ENCODINGS, "instructions whose bytes or registers the format lacks")                                           \
    L(INSN_SIZES, "instructions of unknown size, written by the next pc or as 1 byte")                               \
    L(KINDS, "branches whose kind the format lacks")

#define INSN_LOSS_ENUM(suffix, text) INSN_LOSS_##suffix,
enum insn_loss { INSN_LOSSES(INSN_LOSS_ENUM) INSN_LOSS_COUNT };

struct insn_write_result {
    size_t threads;
    uint64_t insns;
    uint64_t bytes;                      /* of the files */
    bool is_folder;
    uint64_t losses[INSN_LOSS_COUNT];
    char warning[240];                   /* of the first thread that has one; "": none */
};

const char *insn_loss_text(enum insn_loss loss);

struct fault insn_write(const struct insn_trace *trace, const char *format, const char *output,
                        struct insn_write_result *result);

#endif
