/* SPDX-License-Identifier: 0BSD
 *
 * The memory that a captured program's host (QEMU with the plugin of qemu/, Valgrind with the tool of valgrind/) shares
 * with the capturing process: its layout, and the writer of each field. This file alone is shared between the two; it
 * may be used, copied and changed without conditions.
 *
 * One area: struct capture_area, then the words of the statics lane, then those of each lane. A lane is a ring of
 * 64-bit words with one writer and one reader. The writer keeps its next position (`next`) as an address in its own
 * process and publishes it now and then; the reader counts the words it has read. The words between the published and
 * the read position are readable; they never fill the ring. Once the writer has ended, for any reason, all words
 * before `next` are valid. A lane belongs to a virtual CPU, whose threads follow each other in it, each beginning with
 * CAPTURE_THREAD_START. The statics lane holds the static code: blocks of instructions, pages of code. A block is
 * reported before its first execution. This lane has several writers, which exclude each other. */
#ifndef PROTO_CAPTURE_RING_H
#define PROTO_CAPTURE_RING_H

#include <stdbool.h>
#include <stdint.h>

/* In place of a path, before the identifier of a System V segment that is the area. */
#define CAPTURE_SEGMENT "segment:"

#define CAPTURE_MAGIC 0x3174706163746272ull      /* "rbtcapt1" */
enum { CAPTURE_LANES = 256, CAPTURE_CPUS = 1 << 16, CAPTURE_CACHE_LINE = 64, CAPTURE_REFUSAL_BYTES = 160 };
enum {
    CAPTURE_LANE_WORDS = 1 << 19,                /* 4 MiB, of which pages that were never written take nothing */
    CAPTURE_STATICS_WORDS = 1 << 20,
    CAPTURE_START_WORDS = 1 << 12, CAPTURE_REGISTERS = 64, CAPTURE_MEMORY_MOST = 1 << 26
};

/* Where all memory is reported: nowhere, as the program's file has all of it; before the first instruction, the first
 * one at an address, or the one with a number. */
enum capture_start { CAPTURE_START_NOWHERE, CAPTURE_START_FIRST, CAPTURE_START_PC, CAPTURE_START_COUNT };
enum capture_start_state { CAPTURE_START_NOT_YET, CAPTURE_START_TOLD, CAPTURE_START_LARGE, CAPTURE_START_UNKNOWN,
                           CAPTURE_START_AMONG_THREADS };

struct capture_lane {
    uint64_t next __attribute__((aligned(CAPTURE_CACHE_LINE)));      /* where the writer writes; base + ring: base */
    uint64_t told;                       /* `next` as published: readable up to it; by the writer, released */
    uint64_t base;                       /* address of the ring, as the writer counts; 0: never used */
    uint64_t pending;                    /* by the writer: number of a block that began without a word; 0: none */
    uint64_t limit;                      /* the writer's own: where it must look for room */
    uint64_t own[3];                     /* the writer's own */
    uint64_t read __attribute__((aligned(CAPTURE_CACHE_LINE)));      /* by the reader, released */
};

struct capture_statics {
    uint64_t written __attribute__((aligned(CAPTURE_CACHE_LINE)));   /* words since the beginning */
    uint64_t read __attribute__((aligned(CAPTURE_CACHE_LINE)));
};

struct capture_area {
    uint64_t magic;
    /* Written by the reader before the program starts. */
    uint64_t reader_pid;                         /* if no longer the writer's parent, there is no reader */
    uint64_t main_only;                          /* only the first thread is recorded */
    uint64_t all_told;                           /* derivable accesses are reported, too */
    uint64_t keeps_memory;                       /* of riscv64: what system calls write is reported, and memory at: */
    uint64_t start_place;                        /* enum capture_start */
    uint64_t start_at;                           /* that address, or number of instructions */
    uint64_t start_file_code;                    /* the page of the program's code in its file, if the address is of
                                                  * the file and moves with the code; UINT64_MAX: it is as loaded */
    /* Written by the writer. */
    uint64_t attached;                           /* 1: it runs and records; 2: refused, see below */
    char refusal[CAPTURE_REFUSAL_BYTES];
    uint64_t start_code, end_code, entry;        /* of the program as it was loaded; 0: unknown */
    uint64_t start_sp, start_count;              /* of riscv64: the stack at first, up to its auxiliary vector; count */
    uint64_t start_words[CAPTURE_START_WORDS];   /* 0: unknown */
    uint64_t start_state;                        /* enum capture_start_state */
    uint64_t start_pc, start_registers[CAPTURE_REGISTERS];
    uint64_t writes_dropped;                     /* memory that calls wrote beyond CAPTURE_MEMORY_MOST */
    uint64_t threads;                            /* that ever began */
    uint64_t threads_unrecorded;                 /* of those: more than CAPTURE_LANES at once, or not the first */
    uint64_t children;                           /* processes that it forked; they are not recorded */
    uint64_t stopped;                            /* written by the reader: further words are not needed */
    uint64_t blocks;                             /* the writer's own: blocks reported so far */
    uint64_t stamp __attribute__((aligned(CAPTURE_CACHE_LINE)));     /* the last one given, by all threads */
    struct capture_statics statics;
    struct capture_lane lanes[CAPTURE_CPUS];     /* those from CAPTURE_LANES on have no ring */
};

static inline uint64_t capture_area_bytes(void)
{
    return sizeof(struct capture_area) + 8ull * (CAPTURE_STATICS_WORDS + (uint64_t)CAPTURE_LANES * CAPTURE_LANE_WORDS);
}

static inline uint64_t *capture_statics_words(struct capture_area *area)
{
    return (uint64_t *)(void *)(area + 1);
}

static inline uint64_t *capture_lane_words(struct capture_area *area, unsigned lane)
{
    return capture_statics_words(area) + CAPTURE_STATICS_WORDS + (uint64_t)lane * CAPTURE_LANE_WORDS;
}

/* Words that can be read of a lane, of which its reader alone asks. */
static inline uint64_t capture_lane_filled(const struct capture_lane *lane, bool writer_has_ended)
{
    /* The writer sets the others before `base`. */
    const uint64_t base = __atomic_load_n(&lane->base, __ATOMIC_ACQUIRE);
    const uint64_t told = __atomic_load_n(&lane->told, __ATOMIC_ACQUIRE);
    const uint64_t next = __atomic_load_n(&lane->next, __ATOMIC_RELAXED);
    /* After losing its reader, the writer may have continued outside of the ring. */
    const bool is_next = writer_has_ended && next - base <= 8ull * CAPTURE_LANE_WORDS;

    return base == 0 ? 0 : (((is_next ? next : told) - base) / 8 - lane->read) & (CAPTURE_LANE_WORDS - 1);
}

/* Words of a lane. Bit 63 set (CAPTURE_FIRST): the beginning of a block and its first reported access. Else: kind in
 * bits 63:60, `field` in bits 59:48, value in bits 47:0; of kinds from CAPTURE_SELDOM on, bits 59:56 are bits 7:4 of
 * the kind, and `field` is in 55:48. */
enum capture_kind {
    CAPTURE_BLOCK = 1,       /* value: number of a block that begins; field: its instructions */
    CAPTURE_LOAD,            /* value: address; field: capture_access_field */
    CAPTURE_STORE,
    CAPTURE_BEGUN,           /* field: instruction of the block, which now begins */
    CAPTURE_STAMP,           /* value: order among all threads */
    CAPTURE_SELDOM = 7,
    CAPTURE_SYSCALL = 0x07,  /* value: number; six words of arguments follow */
    CAPTURE_SYSCALL_END = 0x17,      /* value: number; a word follows: result */
    CAPTURE_HANDLER = 0x27,  /* value: address where signals may go */
    CAPTURE_THREAD_START = 0x37,     /* value: number of the thread, from 1 on; a word follows: that of its creator,
                                      * or 0 */
    CAPTURE_THREAD_END = 0x47,
    CAPTURE_CREATE = 0x57,   /* value: number of the thread that this one is creating */
    CAPTURE_HIGH = 0x67,     /* value: bits 63:48 of the address of the load or store that follows */
    CAPTURE_FAULT = 0x77,    /* value: address at which an access of the block trapped; field: 1: a store. It may have
                              * been done all the same then: hosts protect pages with code */
    CAPTURE_START_IS = 0x97, /* all memory was reported (CAPTURE_STATIC_MEMORY); the block that is next begins then */
    CAPTURE_FIRST_IS = 0x87  /* value: number of a block, and above CAPTURE_FIRST_NUMBER_BITS of it bits 63:48 of the
                              * load or store that a CAPTURE_FIRST of this block implies from now on */
};

enum { CAPTURE_SYSCALL_ARGS = 6, CAPTURE_KIND_SHIFT = 60, CAPTURE_FIELD_SHIFT = 48 };
#define CAPTURE_VALUE_MASK 0xffffffffffffull

/* Number of the block in bits 62:47, address in bits 46:0. The access's other fields were set by CAPTURE_FIRST_IS. */
enum { CAPTURE_FIRST_NUMBER_BITS = 16, CAPTURE_FIRST_SHIFT = 47 };
#define CAPTURE_FIRST (1ull << 63)
#define CAPTURE_FIRST_NUMBER_MASK 0xffffull
#define CAPTURE_FIRST_ADDRESS_MASK 0x7fffffffffffull

/* Of an access: the instruction of its block in bits 8:0, logarithm of its size in bits 11:9. */
enum { CAPTURE_INDEX_MASK = 0x1ff, CAPTURE_SIZE_SHIFT = 9, CAPTURE_BLOCK_INSNS = 512 };

static inline uint64_t capture_word(enum capture_kind kind, uint64_t field, uint64_t value)
{
    return ((uint64_t)kind & 15) << CAPTURE_KIND_SHIFT | (uint64_t)kind >> 4 << 56 | field << CAPTURE_FIELD_SHIFT |
        value;
}

/* Of a word that is not CAPTURE_FIRST. */
static inline unsigned capture_kind_of(uint64_t word)
{
    const unsigned kind = (unsigned)(word >> CAPTURE_KIND_SHIFT);

    return kind != CAPTURE_SELDOM ? kind : ((unsigned)(word >> (56 - 4)) & 0xf0) | kind;
}

/* Records of the statics lane: kind in bits 63:60 of the first word. */
enum capture_static {
    CAPTURE_STATIC_BLOCK = 1,    /* instructions in the low bits; a word: its number; of each instruction four words */
    CAPTURE_STATIC_PAGE,         /* a word: address; then the bytes of 4 KiB */
    CAPTURE_STATIC_MEMORY,       /* bytes in the low bits, at most 4096; two words: address, and the capture_call that
                                  * wrote them, or 0: there at the start; then the bytes, in whole words */
    CAPTURE_STATIC_ZEROS         /* two words: address, bytes: there at the start */
};

/* A system call of a thread, both from 1 on; calls since the recording began. */
static inline uint64_t capture_call(uint64_t thread, uint64_t call)
{
    return (thread - 1) << 40 | call;
}

/* An instruction of a block: pc, size and flags (and how its accesses follow), 16 bytes of it. */
enum { CAPTURE_INSN_WORDS = 4, CAPTURE_PAGE_BYTES = 4096, CAPTURE_PAGE_WORDS = CAPTURE_PAGE_BYTES / 8 };
/* Flag beside the size: the instruction may have been cut off the block; it was executed only if CAPTURE_BEGUN says
 * so. */
#define CAPTURE_INSN_DOUBTFUL 0x100u

/* Derived accesses, which are not reported, since they follow from others: a flag next to the size, and the derivation
 * above it. If the instruction was executed, it made a load, a store, or a load and then a store, in a number of
 * adjacent pieces of equal size. The address of the first piece is a constant plus either the first access of an
 * earlier instruction of the block, which is reported, or the instruction's own pc. Used for x86-64 only. */
#define CAPTURE_DERIVED 0x200u
enum {
    CAPTURE_DERIVED_LOADS = 0x400, CAPTURE_DERIVED_STORES = 0x800,
    CAPTURE_DERIVED_PIECES_SHIFT = 12,           /* 2 bits: pieces - 1 */
    CAPTURE_DERIVED_SIZE_SHIFT = 14,             /* 3 bits: logarithm of a piece's bytes */
    CAPTURE_DERIVED_FROM_SHIFT = 20,             /* 9 bits: the instruction it follows from */
    CAPTURE_DERIVED_PC = 1 << 29,                /* it follows from its own pc */
    CAPTURE_DERIVED_BY_SHIFT = 32                /* 32 bits, signed: the constant added */
};

#endif
