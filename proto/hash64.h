/* 64-bit hash of bytes, for checksums that cost next to nothing beside what they guard: XXH64 with seed 0, as its
 * published description defines it. A change within any one aligned word of 8 bytes always changes the hash.
 *
 * Use: hash64 for bytes in one piece; hash64_file for a file. Not for untrusted input: collisions can be made. */
#ifndef PROTO_HASH64_H
#define PROTO_HASH64_H

#include <stddef.h>
#include <stdint.h>

#include "proto/error.h"

uint64_t hash64(const void *bytes, size_t count);

/* Hash of a whole file as it stands on disk. */
bool hash64_file(const char *path, uint64_t *hash, struct proto_error *error);

#endif
