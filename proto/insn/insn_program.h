/* The program of a trace: a statically linked 64-bit ELF file, to be executed.
 *
 * Use: insn_program_read of a file beside the trace, or insn_program_of_kept of what the trace itself has;
 * insn_program_free. Compressed files are read as all are (proto/io/bytes.h).
 * Ownership: segments point into the program. Errors: FAULT_INPUT with file, offset and field. */
#ifndef PROTO_INSN_INSN_PROGRAM_H
#define PROTO_INSN_INSN_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "proto/insn/insn.h"
#include "proto/insn/insn_kept.h"

/* Bytes of code that may be fetched, whether they were executed or not. */
struct insn_image {
    uint64_t address, byte_count;
    const uint8_t *bytes;
};

struct insn_segment {
    uint64_t address, byte_count;        /* in memory */
    const uint8_t *bytes;
    uint64_t file_count;                 /* of bytes; the rest is zero */
};

/* What a system call wrote: memory that has its bytes once it is done. */
struct insn_write {
    uint64_t call;                       /* insn_write_call */
    uint64_t address, byte_count;
    const uint8_t *bytes;
};

struct insn_program {
    char *path;                          /* of a file beside the trace; NULL: the trace keeps it */
    char *name;                          /* its argv[0] */
    uint64_t entry;
    uint64_t headers_at;                 /* program headers: in memory; 0: they are not loaded */
    uint64_t header_bytes, header_count;
    struct insn_segment *segments;       /* those that are loaded */
    size_t segment_count;
    uint64_t sp;                         /* its stack at first, as in struct insn_kept */
    uint64_t *stack;
    uint64_t stack_words;
    const struct insn_start *start;      /* NULL: it begins at its entry, with the stack above */
    struct insn_write *writes;           /* in the order of calls */
    size_t write_count;
    uint8_t *file;
    uint64_t file_bytes;
};

/* machine: number that the ELF file must have. NULL: error. */
struct insn_program *insn_program_read(const char *path, const char *name, unsigned machine, struct fault *error);
/* `path`: of the trace, for errors. The ELF file is copied; memory stays that of `kept` and of the images, which
 * outlive the program. */
struct insn_program *insn_program_of_kept(const struct insn_kept *kept, const struct insn_image *images,
                                          size_t image_count, const char *path, unsigned machine,
                                          struct fault *error);
void insn_program_free(struct insn_program *program);

/* Static instructions: numbers for pcs with their bytes, from 0 in the order in which they are met.
 *
 * Use: begin with {0}; insn_statics_find for each instruction; insn_statics_free. A pc whose bytes change has a number
 * for each of them.
 * Ownership: insns is valid until the next find. */

#define INSN_NO_STATIC UINT32_MAX

struct insn_static {
    uint64_t pc;
    uint32_t before;                     /* of the same pc, met earlier; INSN_NO_STATIC: none */
    uint8_t length;                      /* 0: no bytes are known */
    bool is_last;                        /* the latest instruction seen at its pc */
    uint8_t bytes[INSN_ENCODING_BYTES];
};

struct insn_statics {
    struct insn_static *insns;
    uint32_t count, room;
    uint32_t *slots;                     /* of a pc: number + 1 of the one met last; 0 is empty */
    uint32_t slot_count;                 /* a power of two, or 0 */
};

/* length 0: as when this pc was last met. INSN_NO_STATIC: out of memory. */
uint32_t insn_statics_find(struct insn_statics *statics, uint64_t pc, const uint8_t *bytes, size_t length);
void insn_statics_free(struct insn_statics *statics);

#endif
