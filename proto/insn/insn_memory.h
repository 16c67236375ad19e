/* Memory of a program that its instructions do not explain: what it had where the recording begins, with its registers,
 * and what each system call wrote from there on.
 *
 * Use: begin with {0}; insn_memory_add in the order of calls; insn_memory_free. Pieces that follow each other become
 * one. Units: bytes. Ownership: pieces and bytes are its own. */
#ifndef PROTO_INSN_INSN_MEMORY_H
#define PROTO_INSN_INSN_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum insn_piece_kind {
    INSN_PIECE_ZEROS,
    INSN_PIECE_IMAGE,                    /* as the code images have it */
    INSN_PIECE_BYTES,
    INSN_PIECE_KINDS
};

enum { INSN_START_REGISTERS = 64, INSN_LEAD_MOST = 512, INSN_THREAD_SHIFT = 40 };
#define INSN_MEMORY_MOST (UINT64_C(1) << 26)     /* bytes of pieces of INSN_PIECE_BYTES, all together */
#define INSN_IMAGES_MOST (UINT64_C(1) << 28)     /* of INSN_PIECE_IMAGE */
#define INSN_PIECE_MOST (UINT64_C(1) << 34)      /* of zeros */

struct insn_piece {
    uint64_t call;                       /* insn_write_call of the system call that wrote it; 0: there at first */
    uint64_t address, byte_count;
    uint64_t at;                         /* of its first byte in `bytes` */
    enum insn_piece_kind kind;
};

/* The system call of a thread, both from 1 on: threads by their ids, calls since the recording began. */
static inline uint64_t insn_write_call(uint64_t thread, uint64_t call)
{
    return (thread - 1) << INSN_THREAD_SHIFT | call;
}

/* Where the recording begins, if that is not the program's start as its ELF file says. */
struct insn_start {
    uint64_t pc;
    uint64_t lead;                       /* instructions from pc on before the first recorded one, in a row; at most
                                          * INSN_LEAD_MOST */
    uint64_t registers[INSN_START_REGISTERS];        /* x0 to x31, f0 to f31 */
};

struct insn_memory {
    bool has_start;
    struct insn_start start;
    struct insn_piece *pieces;           /* in the order of calls */
    size_t piece_count, piece_room;
    uint8_t *bytes;
    size_t byte_count, byte_room;
    uint64_t image_bytes, zero_bytes;    /* of pieces without bytes */
};

/* bytes: of INSN_PIECE_BYTES. False: out of memory, or more of its kind than there may be. */
bool insn_memory_add(struct insn_memory *memory, uint64_t call, uint64_t address, enum insn_piece_kind kind,
                     const uint8_t *bytes, uint64_t byte_count);
static inline bool insn_memory_has_any(const struct insn_memory *memory)
{
    return memory->has_start || memory->piece_count > 0;
}
void insn_memory_free(struct insn_memory *memory);

#endif
