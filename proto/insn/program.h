/* The program of which a trace is: an ELF file of 64 bits, statically linked, for who wants to execute it.
 *
 * Use: insn_program_read, insn_program_free. Compressed files are read as all are (proto/io/bytes.h).
 * Ownership: segments point into the program. Errors: FAULT_INPUT with file, offset and field. */
#ifndef PROTO_INSN_PROGRAM_H
#define PROTO_INSN_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"

struct insn_segment {
    uint64_t address, byte_count;        /* in memory */
    const uint8_t *bytes;
    uint64_t file_count;                 /* of bytes; what follows is zero */
};

struct insn_program {
    char *path;
    char *name;                          /* its argv[0] */
    uint64_t entry;
    uint64_t headers_at;                 /* program headers: in memory; 0: they are not loaded */
    uint64_t header_bytes, header_count;
    struct insn_segment *segments;       /* those that are loaded */
    size_t segment_count;
    uint8_t *file;
};

/* machine: number that the ELF file must have. NULL: error. */
struct insn_program *insn_program_read(const char *path, const char *name, unsigned machine, struct fault *error);
void insn_program_free(struct insn_program *program);

#endif
