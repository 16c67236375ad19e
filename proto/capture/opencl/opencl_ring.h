/* SPDX-License-Identifier: 0BSD
 *
 * The memory that the plugin for Oclgrind shares with the process that captures. This file alone is shared between the
 * two; it may be used, copied and changed without conditions. It is read by C and by C++.
 *
 * The area: struct ocl_area in the first OCL_HEAD_BYTES, then a ring of OCL_RING_WORDS words of 64 bits with one writer
 * and one reader. `written` and `read` count words since the beginning, and the writer adds to `written` once a whole
 * message is there. All words remain readable, however the writer ends.
 *
 * A message is a word, its type and 256 times the number of words behind it, then these words. Texts are bytes in
 * words, filled with zeros, after a word with their length. */
#ifndef OPENCL_RING_H
#define OPENCL_RING_H

#include <stdint.h>

#define OCL_MAGIC UINT64_C(0x3167726c636f7562)       /* changes with anything here */
#define OCL_VARIABLE "RUBATO_OPENCL_AREA"            /* names the area's file to the plugin, or its segment: */
#define OCL_SEGMENT "segment:"                       /* and the identifier of a System V segment */
enum {
    OCL_HEAD_BYTES = 4096, OCL_RING_WORDS = 1 << 22, OCL_MESSAGE_WORDS = 1 << 14,       /* of one message, at most */
    OCL_PIECE_INSTRUCTIONS = 1024, OCL_NO_PIECE = 0x7fffffff
};

struct ocl_area {
    uint64_t magic, reader_pid;
    uint64_t attached;                   /* pid of the process whose plugin writes; 0: none yet */
    uint64_t ended;                      /* 1: it unloaded the plugin, and said all */
    uint64_t stopped;                    /* 1: the reader wants no more */
    uint64_t written __attribute__((aligned(128)));
    uint64_t read __attribute__((aligned(128)));
};

enum ocl_message {
    OCL_COPY = 1,        /* 0 to the device, 1 to the host; address, bytes */
    OCL_KERNEL,          /* blocks x y z, threads of a block x y z, bytes of local memory, words live at once; text:
                          * name */
    OCL_ARGUMENT,        /* enum ocl_space; value or address, bytes; text: "type name" */
    OCL_INSTRUCTION,     /* number, line, bits of its floating point or 0, enum ocl_access, enum ocl_space, bytes, 1
                          * if it has a destination, sources; registers, destination first; text: name */
    OCL_PIECE,           /* first instruction, instructions, piece where paths meet again, enum ocl_piece_end */
    OCL_READY,           /* the kernel's code is complete */
    OCL_GROUP,           /* position x y z, work-items */
    OCL_RUN,             /* work-item, then its events */
    OCL_GROUP_END,
    OCL_KERNEL_END,      /* instructions that work-items executed; their bytes of asynchronous copies */
    OCL_TROUBLE          /* text: an error that Oclgrind reports */
};

/* A piece is a basic block, or a part of one that ends with a call. It is executed from its begin to its end. */
enum ocl_piece_end { OCL_FALLS, OCL_CALLS, OCL_RETURNS };        /* CALLS: comes back to the next piece */

enum ocl_access { OCL_NO_ACCESS, OCL_LOAD, OCL_STORE, OCL_ATOMIC, OCL_CALL };    /* CALL: its events tell */
enum ocl_space { OCL_PRIVATE, OCL_GLOBAL, OCL_CONSTANT, OCL_LOCAL };             /* numbers as in SPIR */

/* Events: a word without OCL_EVENT_ACCESS is the number of the piece that begins. An access has its address, which
 * instruction of the piece makes it, and its kind; with OCL_EVENT_SIZED another word follows, bytes + space << 32, else
 * both are the instruction's. */
#define OCL_EVENT_ACCESS (UINT64_C(1) << 63)
#define OCL_EVENT_SIZED (UINT64_C(1) << 62)
enum { OCL_EVENT_KIND_SHIFT = 60, OCL_EVENT_PLACE_SHIFT = 48 };
#define OCL_EVENT_ADDRESS ((UINT64_C(1) << OCL_EVENT_PLACE_SHIFT) - 1)

#endif
