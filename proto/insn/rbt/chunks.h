/* Chunks, of which an .rbt consists behind its head: magic, kind, length, hash of these and of the bytes, bytes, zeros
 * up to a multiple of 8. Each can be found and checked independently.
 *
 * Writing: rbt_chunk_seal. Reading: rbt_chunk_look. */
#ifndef PROTO_INSN_RBT_CHUNKS_H
#define PROTO_INSN_RBT_CHUNKS_H

#include "proto/insn/rbt/column.h"
#include "proto/insn/rbt/format.h"

/* Begins a chunk in an empty column: room for its head. */
void rbt_chunk_begin(struct rbt_column *chunk);
/* Fills in the head of a chunk that is gathered, and pads it. */
void rbt_chunk_seal(struct rbt_column *chunk, enum rbt_chunk kind);

struct rbt_chunk_place {
    uint64_t offset;                     /* of the head in the file */
    uint64_t length;                     /* of the bytes, without head and padding */
    enum rbt_chunk kind;
};

/* Reads the chunk at `offset` of the file; verifies its hash on request. Returns NULL if it is intact, else the
 * defect, as found and expected values. */
const char *rbt_chunk_look(const uint8_t *bytes, uint64_t size, uint64_t offset, bool hashes,
                           struct rbt_chunk_place *place);

static inline uint64_t rbt_chunk_behind(const struct rbt_chunk_place *place)
{
    return place->offset + RBT_CHUNK_HEAD_BYTES + (place->length + RBT_ALIGNMENT - 1) / RBT_ALIGNMENT * RBT_ALIGNMENT;
}

#endif
