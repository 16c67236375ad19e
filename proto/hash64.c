/* Four lanes take 8 bytes each in turn; a file is read in blocks of whole stripes. */
#define _POSIX_C_SOURCE 200809L
#include "proto/hash64.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/bits.h"

enum { STRIPE = 32, BLOCK = 256 * 1024 };

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

struct lanes {
    uint64_t a, b, c, d;
};

static const struct lanes first_lanes = {PRIME_1 + PRIME_2, PRIME_2, 0, UINT64_C(0) - PRIME_1};

/* Takes the whole 32 bytes of a piece. */
static void take_stripes(struct lanes *lanes, const uint8_t *at, size_t count)
{
    uint64_t a = lanes->a, b = lanes->b, c = lanes->c, d = lanes->d;

    for (; count >= STRIPE; at += STRIPE, count -= STRIPE) {
        a = take(a, bits_load64(at));
        b = take(b, bits_load64(at + 8));
        c = take(c, bits_load64(at + 16));
        d = take(d, bits_load64(at + 24));
    }
    *lanes = (struct lanes){a, b, c, d};
}

/* The hash of `count` bytes, of which lanes has taken the whole stripes; `at` has the rest. */
static uint64_t finish(const struct lanes *lanes, const uint8_t *at, uint64_t count)
{
    size_t left = count % STRIPE;
    uint64_t hash = PRIME_5;

    if (count >= STRIPE) {
        hash = rotate(lanes->a, 1) + rotate(lanes->b, 7) + rotate(lanes->c, 12) + rotate(lanes->d, 18);
        hash = merge(merge(merge(merge(hash, lanes->a), lanes->b), lanes->c), lanes->d);
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

uint64_t hash64(const void *bytes, size_t count)
{
    struct lanes lanes = first_lanes;
    const uint8_t *const at = bytes;

    take_stripes(&lanes, at, count);
    return finish(&lanes, at + count / STRIPE * STRIPE, count);
}

/* Fills the buffer as far as the file goes. */
static ssize_t read_block(int file, uint8_t *block)
{
    size_t have = 0;

    while (have < BLOCK) {
        ssize_t const got = read(file, block + have, BLOCK - have);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        have += (size_t)got;
    }
    return (ssize_t)have;
}

bool hash64_file(const char *path, uint64_t *hash, struct proto_error *error)
{
    int const file = open(path, O_RDONLY | O_CLOEXEC);
    uint8_t *const block = malloc(BLOCK);
    struct lanes lanes = first_lanes;
    uint64_t count = 0;
    ssize_t got = 0;
    bool good = false;

    if (file < 0 || block == NULL) {
        proto_fail(error, path, PROTO_NO_OFFSET, "cannot be opened: %s", file < 0 ? strerror(errno) : "out of memory");
    } else {
        while ((got = read_block(file, block)) == BLOCK) {
            take_stripes(&lanes, block, BLOCK);
            count += BLOCK;
        }
        good = got >= 0;
        if (good) {
            take_stripes(&lanes, block, (size_t)got);
            *hash = finish(&lanes, block + (size_t)got / STRIPE * STRIPE, count + (uint64_t)got);
        } else {
            proto_fail(error, path, PROTO_NO_OFFSET, "cannot be read: %s", strerror(errno));
        }
    }
    if (file >= 0)
        close(file);
    free(block);
    return good;
}
