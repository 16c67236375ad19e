/* A mapped .rbt file: its source, its dictionary, and the places of each thread's blocks.
 *
 * Use: rbt_file_open, rbt_file_block for blocks, rbt_file_program, rbt_file_close. All chunks but blocks, images and
 * the program are checked and read when it opens, blocks by rbt_file_block.
 * Salvage: opens the intact part of a truncated or damaged file (threads end at their first missing block); `lost`
 * describes the rest.
 * Errors: one line with file, byte offset, value found and value expected. */
#ifndef PROTO_INSN_RBT_RBT_FILE_H
#define PROTO_INSN_RBT_RBT_FILE_H

#include "base/fault.h"
#include "proto/container/container.h"
#include "proto/insn/insn_source.h"
#include "proto/container/column.h"
#include "proto/insn/rbt/dictionary.h"
#include "proto/insn/rbt/rbt_format.h"

struct rbt_block_place {
    uint64_t offset;                     /* of the chunk */
    uint64_t first;                      /* of its instructions, in the thread */
    uint64_t fetched;                    /* instructions with those only counted */
    uint32_t insns;
    bool restarts;
};

struct rbt_thread {
    uint64_t id, first_stamp, insns, fetched;
    struct rbt_block_place *blocks;
    size_t block_count, block_room;
};

struct rbt_file {
    struct container in;
    char *isa_name, *source, *command;
    uint32_t lacks;
    struct insn_meaning meaning;
    struct rbt_dictionary dictionary;
    struct rbt_thread *threads;
    size_t thread_count, thread_room;
    uint64_t *images;                    /* offsets of chunks */
    size_t image_count, image_room;
    uint64_t *pages;
    size_t page_chunk_count, page_chunk_room;
    uint64_t program;                    /* offset of its chunk; 0: none */
    struct insn_note *notes;
    size_t note_count, note_room;
    uint64_t chunk_bytes[RBT_CHUNK_KINDS];   /* with heads, by kind */
    char lost[240];                      /* "": nothing; only of salvaged files */
};

struct rbt_file *rbt_file_open(const char *path, bool salvages, struct fault *error);
void rbt_file_close(struct rbt_file *file);

struct rbt_block_head {
    uint64_t thread, id, first_stamp, flags, first, insns, fetched;  /* flags: RBT_BLOCK_... */
    uint64_t rows, runs;                 /* the numbers required */
    struct column_bytes columns;
};

/* Checks the hash of a thread's block, and that it is the one that the index says. */
struct fault rbt_file_block(const struct rbt_file *file, size_t thread, size_t block, struct rbt_block_head *head);

/* Calls take for each image and page; stops when it returns false. */
struct rbt_file_sink {
    struct fault (*image)(void *context, uint64_t address, uint8_t *bytes, uint64_t count);
    struct fault (*page)(void *context, const struct insn_page *page);
    void *context;
};
/* kept: {0}; it stays so without a program. */
struct fault rbt_file_program(const struct rbt_file *file, struct insn_kept *kept);
struct fault rbt_file_read_rest(const struct rbt_file *file, const struct rbt_file_sink *sink);

#endif
