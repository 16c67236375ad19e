/* Numbers of the .rbt format (docs/spec/rbt.md), which its writer and its reader share. */
#ifndef PROTO_INSN_RBT_RBT_FORMAT_H
#define PROTO_INSN_RBT_RBT_FORMAT_H

#include <stdint.h>

#include "proto/container/container.h"

enum {
    RBT_RUN_INSNS = 256,                 /* of a run */
    RBT_BLOCK_INSNS = 1 << 20,           /* a block has no more instructions, */
    RBT_BLOCK_ENOUGH = RBT_BLOCK_INSNS - RBT_RUN_INSNS,    /* and ends with the first run that makes more than these */
    RBT_BLOCK_ACCESSES = 1 << 20,        /* or before it had more accesses than these */
    RBT_BLOCK_MARKERS = 1 << 16,
    RBT_DICTIONARY_ROWS = 1 << 20,       /* of one dictionary */
    RBT_MOST_ACCESSES = 1 << 16,         /* of an instruction */
    RBT_RESTART_BLOCKS = 4,              /* the prediction restarts every RBT_RESTART_BLOCKS blocks of a thread */
    RBT_REGULAR_ACCESSES = 8,            /* instructions with more are irregular: each stores its accesses */
    RBT_REGULAR_SHAPES = 16,             /* further forms of a static instruction are irregular, too */
    RBT_IMAGE_PIECE = 1 << 24            /* maximum bytes of a piece of a code image */
};

/* Of a block: it restarts; its runs are predicted by the last successors alone. */
enum { RBT_BLOCK_RESTARTS = 1, RBT_BLOCK_BY_SUCCESSORS = 2 };

enum rbt_chunk { RBT_DESCRIPTION = 1, RBT_DICTIONARY, RBT_BLOCK, RBT_IMAGE, RBT_PAGES, RBT_NOTES, RBT_INDEX,
                 RBT_PROGRAM, RBT_CHUNK_KINDS };

static const struct container_kind rbt_kind = {
    .magic = "\x89rubrbt\n", .name = "an .rbt file", .mend = "capture or convert the trace again with this rubato",
    .rescue = "`rubato trace info` says what is whole in it, `rubato trace cut --salvage` takes that",
    .index = RBT_INDEX, .last = RBT_PROGRAM
};

/* Columns of a dictionary. suffix, name */
#define RBT_DICTIONARY_COLUMNS(C)                                                                                     \
    C(STATIC_PC, "static_pc") C(STATIC_LENGTH, "static_length") C(STATIC_BYTES, "static_bytes")                      \
    C(ROW_STATIC, "row_static") C(ROW_ABOUT, "row_about") C(ROW_SIZE, "row_size") C(ROW_ACCESSES, "row_accesses")    \
    C(RUN_LENGTH, "run_length") C(RUN_ROWS, "run_rows")

/* Columns of a block. suffix, name */
#define RBT_BLOCK_COLUMNS(C)                                                                                          \
    C(GUESSES, "guesses") C(COUNTS, "counts") C(RUNS, "runs") C(ADDRESS_COUNTS, "address_counts")                     \
    C(ADDRESS_KINDS, "address_kinds") C(ADDRESS_0, "address_0") C(ADDRESS_1, "address_1")                             \
    C(ADDRESS_2, "address_2") C(ADDRESS_3, "address_3") C(ADDRESS_4, "address_4") C(ADDRESS_5, "address_5")           \
    C(ADDRESS_6, "address_6") C(ADDRESS_7, "address_7") C(TARGETS, "targets") C(GAPS, "gaps") C(SHAPES, "shapes")     \
    C(MARKERS, "markers") C(WILD, "wild")

#define RBT_DICTIONARY_ENUM(suffix, name) RBT_##suffix,
enum { RBT_DICTIONARY_COLUMNS(RBT_DICTIONARY_ENUM) RBT_DICTIONARY_COLUMN_COUNT };
#define RBT_BLOCK_ENUM(suffix, name) RBT_##suffix,
enum { RBT_BLOCK_COLUMNS(RBT_BLOCK_ENUM) RBT_BLOCK_COLUMN_COUNT };

/* Shares a byte with the number of right guesses before it; if that field is at its maximum, a number with the rest
 * follows. */
enum { RBT_PICK_BITS = 2, RBT_PICK_COUNT = 63, RBT_KIND_BITS = 4, RBT_KIND_COUNT = 15 };
/* Kinds of addresses behind those that are numbers of bytes. */
enum { RBT_LINKED_KIND = 9, RBT_WILD_KIND };
enum { RBT_PICK_FIRST, RBT_PICK_OTHER, RBT_PICK_WRITTEN };

/* In a row, how the address of an access is known, below its size and direction. */
enum { RBT_STORED, RBT_FOLLOWS_ACCESS, RBT_FOLLOWS_PC, RBT_SOURCE_BITS = 2 };

/* Flags of a row, above form (2 bits), branch (2), kind (4). */
enum { RBT_HAS_TARGET = 1, RBT_HAS_GAP = 2, RBT_IRREGULAR = 4, RBT_HAS_CYCLES = 8, RBT_FLAGS = 15 };
enum { RBT_FORM_SHIFT = 0, RBT_BRANCH_SHIFT = 2, RBT_KIND_SHIFT = 4, RBT_FLAGS_SHIFT = 8 };

#endif
