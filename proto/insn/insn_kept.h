/* What a trace keeps of the program that it is of: the part of the ELF file that is loaded, or only what identifies it.
 *
 * The stack has the number of arguments, pointers and the auxiliary vector, not the strings. Where the recording does
 * not begin at the entry of the ELF file (--from, shared libraries), all memory at that place takes its place.
 *
 * Use: begin with {0}; insn_kept_take for the file of a program; insn_kept_is_same for a file beside a trace;
 * insn_kept_free. Ownership: name, bytes and stack are its own. Source: System V ABI, "Program Header"; build-ids as
 * `ld --build-id` makes them (a note of type 3 by "GNU"). */
#ifndef PROTO_INSN_INSN_KEPT_H
#define PROTO_INSN_INSN_KEPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "proto/insn/insn_memory.h"

enum { INSN_BUILD_ID_BYTES = 32, INSN_KEPT_NAME_BYTES = 255, INSN_ID_TEXT_ROOM = 2 * INSN_BUILD_ID_BYTES + 24 };
#define INSN_STACK_WORDS 4096                    /* at most, up to the end of the auxiliary vector */
#define INSN_KEPT_MOST (UINT64_C(1) << 26)       /* bytes of a program that a trace keeps */
#define INSN_PROGRAM_MOST (UINT64_C(1) << 30)    /* that can be executed */

struct insn_kept {
    char *name;                          /* its argv[0] without folders; NULL: nothing is known of a program */
    uint8_t build_id[INSN_BUILD_ID_BYTES];
    uint8_t build_id_bytes;              /* 0: it has none, and its hash identifies it */
    uint64_t base;                       /* by how much it was moved from the addresses of its file */
    uint64_t hash;                       /* XXH64 of the loaded part */
    uint64_t byte_count;                 /* of the loaded part, also where the bytes are left out */
    uint8_t *bytes;                      /* NULL: left out */
    bool is_beside;                      /* they are of a file beside the trace */
    uint64_t sp;                         /* its stack at first: address, and words from there on; */
    uint64_t *stack;                     /* without words it is not known */
    uint64_t stack_words;
    struct insn_memory memory;           /* of a recording from elsewhere than the file's entry; and of system calls */
    uint64_t packed_bytes, offset;       /* of its chunk in the trace's file; 0: not there */
};

/* The file from its beginning to the end of what is loaded, without its table of sections: as `strip` leaves it, and
 * the same before and after. file: an ELF file of 64 bits, little-endian. False: it is none, or out of memory. */
bool insn_kept_take(struct insn_kept *kept, const uint8_t *file, uint64_t size, const char *name, uint64_t base);
/* A whole file, which may be compressed. NULL: error. The caller frees it. */
uint8_t *insn_kept_read_file(const char *path, uint64_t *size, struct fault *error);
/* The same of a file, which may be compressed. FAULT_INPUT: it cannot be read, or is no such file. */
struct fault insn_kept_read(struct insn_kept *kept, const char *path, const char *name);
/* Whether both are of one program: by build-ids, or by hashes if neither has one. */
bool insn_kept_is_same(const struct insn_kept *kept, const struct insn_kept *other);
/* "build-id 0123...", or "hash 0123..." */
void insn_kept_id_text(const struct insn_kept *kept, char text[INSN_ID_TEXT_ROOM]);
/* Without bytes and memory. */
void insn_kept_leave_out(struct insn_kept *kept);
/* Can the program be executed with what is there? */
static inline bool insn_kept_can_run(const struct insn_kept *kept)
{
    return kept->bytes || kept->memory.has_start;
}
void insn_kept_free(struct insn_kept *kept);

#endif
