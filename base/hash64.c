/* Four lanes take 8 bytes each in turn. */
#include "base/hash64.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/input_file.h"

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

static uint64_t hash64_take(uint64_t lane, uint64_t word)
{
    return rotate(lane + word * PRIME_2, 31) * PRIME_1;
}

static uint64_t merge(uint64_t hash, uint64_t lane)
{
    return (hash ^ hash64_take(0, lane)) * PRIME_1 + PRIME_4;
}

static const uint64_t first_lanes[4] = {PRIME_1 + PRIME_2, PRIME_2, 0, UINT64_C(0) - PRIME_1};

/* Takes the whole 32 bytes of a piece. */
static void take_stripes(uint64_t lanes[4], const uint8_t *at, size_t count)
{
    uint64_t a = lanes[0], b = lanes[1], c = lanes[2], d = lanes[3];

    for (; count >= STRIPE; at += STRIPE, count -= STRIPE) {
        a = hash64_take(a, bits_load64(at));
        b = hash64_take(b, bits_load64(at + 8));
        c = hash64_take(c, bits_load64(at + 16));
        d = hash64_take(d, bits_load64(at + 24));
    }
    lanes[0] = a;
    lanes[1] = b;
    lanes[2] = c;
    lanes[3] = d;
}

/* The hash of `count` bytes, of which lanes has taken the whole stripes; `at` has the rest. */
static uint64_t hash64_finish(const uint64_t lanes[4], const uint8_t *at, uint64_t count)
{
    size_t left = count % STRIPE;
    uint64_t hash = PRIME_5;

    if (count >= STRIPE) {
        hash = rotate(lanes[0], 1) + rotate(lanes[1], 7) + rotate(lanes[2], 12) + rotate(lanes[3], 18);
        hash = merge(merge(merge(merge(hash, lanes[0]), lanes[1]), lanes[2]), lanes[3]);
    }
    hash += count;
    for (; left >= 8; at += 8, left -= 8)
        hash = rotate(hash ^ hash64_take(0, bits_load64(at)), 27) * PRIME_1 + PRIME_4;
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
    uint64_t lanes[4];
    const uint8_t *const at = bytes;

    memcpy(lanes, first_lanes, sizeof lanes);
    take_stripes(lanes, at, count);
    return hash64_finish(lanes, at + count / STRIPE * STRIPE, count);
}

void hash64_begin(struct hash64_pieces *pieces)
{
    *pieces = (struct hash64_pieces){0};
    memcpy(pieces->lanes, first_lanes, sizeof pieces->lanes);
}

void hash64_add(struct hash64_pieces *pieces, const void *bytes, size_t count)
{
    size_t const have = pieces->count % STRIPE, missing = STRIPE - have;
    const uint8_t *at = bytes;

    pieces->count += count;
    if (have > 0 && count >= missing) {
        memcpy(pieces->rest + have, at, missing);
        take_stripes(pieces->lanes, pieces->rest, STRIPE);
        at += missing;
        count -= missing;
    } else if (have > 0) {
        memcpy(pieces->rest + have, at, count);
        return;
    }
    take_stripes(pieces->lanes, at, count);
    memcpy(pieces->rest, at + count / STRIPE * STRIPE, count % STRIPE);
}

uint64_t hash64_end(const struct hash64_pieces *pieces)
{
    return hash64_finish(pieces->lanes, pieces->rest, pieces->count);
}

struct fault hash64_file(const char *path, uint64_t *hash)
{
    struct fault fault = fault_none();
    int const file = open(path, O_RDONLY | O_CLOEXEC);
    struct input_file *const input = file < 0 ? NULL : input_file_begin(file, path);
    uint8_t *const block = malloc(BLOCK);
    struct hash64_pieces pieces;
    ssize_t got = 0;

    hash64_begin(&pieces);
    if (file < 0 || block == NULL) {
        if (file < 0)
            fault = fault_at(path, FAULT_NO_OFFSET, "cannot be opened: %s", strerror(errno));
        else
            fault = fault_memory(path, NULL);
        got = -1;
    } else {
        while ((got = read(file, block, BLOCK)) > 0 || (got < 0 && errno == EINTR))
            hash64_add(&pieces, block, got > 0 ? (size_t)got : 0);
        if (got < 0)
            fault = fault_at(path, FAULT_NO_OFFSET, "cannot be read: %s", strerror(errno));
    }
    *hash = hash64_end(&pieces);
    input_file_end(input);
    if (file >= 0)
        close(file);
    free(block);
    return fault;
}
