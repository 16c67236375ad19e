/* 64-bit hash of bytes, for checksums that cost next to nothing beside the data: XXH64 with seed 0, as its
 * published description defines it. A change within any one aligned word of 8 bytes always changes the hash.
 *
 * Use: hash64 for bytes in one piece; hash64_begin, hash64_add for each of several pieces, hash64_end; hash64_file
 * for a file. Not for untrusted input: collisions can be made. */
#ifndef BASE_HASH64_H
#define BASE_HASH64_H

#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"

uint64_t hash64(const void *bytes, size_t count);

/* Bytes hashed so far. */
struct hash64_pieces {
    uint64_t lanes[4], count;
    uint8_t rest[32];                /* the last count % 32 bytes */
};

void hash64_begin(struct hash64_pieces *pieces);
void hash64_add(struct hash64_pieces *pieces, const void *bytes, size_t count);
uint64_t hash64_end(const struct hash64_pieces *pieces);

/* Hash of a whole file, compressed or not, as it lies on disk. */
struct fault hash64_file(const char *path, uint64_t *hash);

#endif
