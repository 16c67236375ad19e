/* Static instructions: numbers for pcs with their bytes, from 0 in the order in which they are met.
 *
 * Use: begin with {0}; insn_statics_find for each instruction; insn_statics_free. A pc whose bytes change has a number
 * for each of them.
 * Ownership: insns is valid until the next find. */
#ifndef PROTO_INSN_STATICS_H
#define PROTO_INSN_STATICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/insn/insn.h"

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
