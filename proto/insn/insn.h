/* An instruction of a trace of any format, and the counts of a reader.
 *
 * An instruction is one that a thread executed, with its accesses; a repeat is a further iteration of a string
 * instruction, which has accesses but no fetch. Formats that have accesses only give each as an access without
 * instruction (INSN_ACCESS_ONLY). Addresses are those of insn_trace_meaning. */
#ifndef PROTO_INSN_INSN_H
#define PROTO_INSN_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/isa/isa.h"

enum insn_form { INSN_EXECUTED, INSN_REPEAT, INSN_ACCESS_ONLY };
enum insn_branch { INSN_BRANCH_UNKNOWN, INSN_TAKEN, INSN_NOT_TAKEN };

/* An access may say from what its address follows, each time that this instruction is executed: from that of an access
 * shortly before it, or from its own pc. So .rbt stores it once. */
struct insn_access {
    uint64_t address;
    uint32_t size_bytes;                 /* 0: the format does not say */
    bool is_write;
    bool is_of_pc;                       /* it is pc + by */
    uint8_t back;                        /* it is the address `back` accesses before, + by; 0: it is not */
    uint64_t by;
};

static inline bool insn_access_follows(const struct insn_access *access)
{
    return access->is_of_pc || access->back != 0;
}

enum { INSN_ENCODING_BYTES = 16, INSN_REGISTERS = 4 };

struct insn {
    uint64_t thread;
    uint64_t pc;                         /* of INSN_ACCESS_ONLY: 0 if the format has none */
    uint64_t target;                     /* of a taken branch, if has_target */
    uint64_t gap;                        /* instructions before it that the format only counts */
    uint64_t gap_time;                   /* since the access before it, of formats that have times (insn_meaning) */
    uint32_t size_bytes;                 /* 0: the format does not say */
    enum insn_form form;
    enum isa_kind kind;
    enum insn_branch branch;
    bool has_target;
    uint8_t encoding_bytes;              /* 0: as when this pc was last met, or the format has none */
    uint8_t encoding[INSN_ENCODING_BYTES];
    uint8_t reads[INSN_REGISTERS], writes[INSN_REGISTERS];      /* names; 0: none (ChampSim only) */
    const struct insn_access *accesses;  /* valid until the next instruction */
    size_t access_count;
};

/* Markers between two instructions of a thread. Columns: suffix, name, meaning of value and args. Files store their
 * numbers: append new ones. */
#define INSN_MARKERS(M)                                                                                               \
    M(THREAD_START, "thread_start", "value: the thread that created it, 0 if unknown")                               \
    M(THREAD_END, "thread_end", "the thread ends")                                                                   \
    M(SYSCALL, "syscall", "value: number; args: its arguments, as far as known")                                     \
    M(SYSCALL_END, "syscall_end", "value: result")                                                                   \
    M(STAMP, "stamp", "value: order among all threads of the trace; grows by time")                                  \
    M(TIMESTAMP, "timestamp", "value: microseconds")                                                                 \
    M(REGION_BEGIN, "region_begin", "value: number of the region")                                                   \
    M(REGION_END, "region_end", "value: number of the region")                                                       \
    M(SIGNAL, "signal", "control goes elsewhere; value: pc that was interrupted")                                    \
    M(CREATE, "create", "value: the thread that this one has just created")                                          \
    M(LOST, "lost", "value: instructions that were not recorded here, 0 if unknown")                                 \
    M(SIGNAL_RETURN, "signal_return", "control goes back; value: pc behind the system call that does it")

#define INSN_MARKER_ENUM(suffix, name, help) INSN_MARKER_##suffix,
enum insn_marker_kind { INSN_MARKERS(INSN_MARKER_ENUM) INSN_MARKER_COUNT };

enum { INSN_MARKER_ARGS = 6 };

struct insn_marker {
    enum insn_marker_kind kind;
    uint64_t value;
    unsigned arg_count;
    uint64_t args[INSN_MARKER_ARGS];
};

/* A page of virtual addresses and where it lay. */
struct insn_page {
    uint64_t virtual_address, physical_address, byte_count;
};

/* field, description of the count */
#define INSN_COUNTERS(C)                                                                                              \
    C(records, "records of the file")                                                                                 \
    C(instructions, "instructions that were fetched, with those only counted")                                        \
    C(repeats, "iterations of string instructions without a fetch")                                                   \
    C(loads, "loads") C(stores, "stores") C(prefetches, "software prefetches") C(flushes, "cache flushes")            \
    C(encodings, "records with bytes of instructions") C(markers, "markers")                                          \
    C(orphans, "accesses before any instruction")                                                                     \
    C(zeros, "records of zeros, left out")                                                                            \
    C(foreign, "lines that are no records of the format, left out")                                                   \
    C(superblocks, "lines that say where a superblock begins, left out")                                              \
    C(messages, "lines of messages of the tracer, left out")                                                          \
    C(without_data, "requests that move no data, left out")                                                           \
    C(unsized, "accesses whose size the format has but the record lacks")                                             \
    C(high, "data addresses of 4 GiB or more") C(high_pcs, "pcs of 4 GiB or more")                                    \
    C(branches_taken, "conditional branches taken") C(branches_untaken, "conditional branches not taken")

#define INSN_COUNTER_FIELD(name, what) uint64_t name;
struct insn_counts {
    INSN_COUNTERS(INSN_COUNTER_FIELD)
    uint64_t kinds[ISA_KIND_COUNT];
};

#endif
