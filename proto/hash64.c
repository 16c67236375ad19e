/* Four lanes take 8 bytes each in turn; a file is mapped, and hashed as one piece. */
#define _POSIX_C_SOURCE 200809L
#include "proto/hash64.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/bits.h"

#define PRIME_1 UINT64_C(0x9e3779b185ebca87)
#define PRIME_2 UINT64_C(0xc2b2ae3d27d4eb4f)
#define PRIME_3 UINT64_C(0x165667b19e3779f9)
#define PRIME_4 UINT64_C(0x85ebca77c2b2ae63)
#define PRIME_5 UINT64_C(0x27d4eb2f165667c5)

static uint64_t rotate(uint64_t value, unsigned bits)
{
    return value << bits | value >> (64 - bits);
}

static uint64_t take(uint64_t lane, uint64_t word)
{
    return rotate(lane + word * PRIME_2, 31) * PRIME_1;
}

static uint64_t merge(uint64_t hash, uint64_t lane)
{
    return (hash ^ take(0, lane)) * PRIME_1 + PRIME_4;
}

uint64_t hash64(const void *bytes, size_t count)
{
    const uint8_t *at = bytes;
    size_t left = count;
    uint64_t hash = PRIME_5;

    if (left >= 32) {
        uint64_t a = PRIME_1 + PRIME_2, b = PRIME_2, c = 0, d = UINT64_C(0) - PRIME_1;

        for (; left >= 32; at += 32, left -= 32) {
            a = take(a, bits_load64(at));
            b = take(b, bits_load64(at + 8));
            c = take(c, bits_load64(at + 16));
            d = take(d, bits_load64(at + 24));
        }
        hash = rotate(a, 1) + rotate(b, 7) + rotate(c, 12) + rotate(d, 18);
        hash = merge(merge(merge(merge(hash, a), b), c), d);
    }
    hash += count;
    for (; left >= 8; at += 8, left -= 8)
        hash = rotate(hash ^ take(0, bits_load64(at)), 27) * PRIME_1 + PRIME_4;
    if (left >= 4) {
        hash = rotate(hash ^ bits_load32(at) * PRIME_1, 23) * PRIME_2 + PRIME_3;
        at += 4;
        left -= 4;
    }
    for (; left > 0; at++, left--)
        hash = rotate(hash ^ *at * PRIME_5, 11) * PRIME_1;
    hash = (hash ^ hash >> 33) * PRIME_2;
    hash = (hash ^ hash >> 29) * PRIME_3;
    return hash ^ hash >> 32;
}

bool hash64_file(const char *path, uint64_t *hash, struct proto_error *error)
{
    int const file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat about;
    void *bytes = NULL;
    size_t size;

    if (file < 0)
        return proto_fail(error, path, PROTO_NO_OFFSET, "cannot be opened: %s", strerror(errno));
    if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode)) {
        close(file);
        return proto_fail(error, path, PROTO_NO_OFFSET, "is no regular file");
    }
    size = (size_t)about.st_size;
    if (size > 0)
        bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    if (bytes == MAP_FAILED)
        return proto_fail(error, path, PROTO_NO_OFFSET, "cannot be mapped: %s", strerror(errno));
    *hash = hash64(bytes, size);
    if (bytes != NULL)
        munmap(bytes, size);
    return true;
}
