/* Chunks of a container in memory: hashes hold damage off, so tests set them right and try the code behind the
 * checks. */
#ifndef TESTS_SUPPORT_CHUNKS_H
#define TESTS_SUPPORT_CHUNKS_H

#include <stdint.h>

#include "base/bits.h"
#include "base/hash64.h"
#include "proto/container/container.h"

/* Of all that looks like a chunk, and of the trailer. */
static inline void chunks_hash_again(uint8_t *bytes, size_t size, const struct container_kind *kind)
{
    for (size_t at = 0; at + CONTAINER_CHUNK_HEAD_BYTES <= size; at += CONTAINER_ALIGNMENT) {
        struct container_chunk chunk;
        struct hash64_pieces pieces;

        if (container_look(bytes, size, at, kind, false, &chunk))
            continue;
        hash64_begin(&pieces);
        hash64_add(&pieces, bytes + at, 16);
        hash64_add(&pieces, chunk.bytes, container_chunk_end(&chunk) - at - CONTAINER_CHUNK_HEAD_BYTES);
        bits_store64(bytes + at + 16, hash64_end(&pieces));
    }
    if (size >= CONTAINER_TRAILER_BYTES)
        bits_store64(bytes + size - 16, hash64(bytes + size - CONTAINER_TRAILER_BYTES, 8));
}

/* Where the index begins, as the trailer says. */
static inline uint64_t chunks_index(const uint8_t *bytes, size_t size)
{
    return bits_load64(bytes + size - CONTAINER_TRAILER_BYTES);
}

#endif
