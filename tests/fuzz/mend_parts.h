/* Hashes hold damage off, so a fuzz target sets them right: what is behind them is tried too. */
#ifndef TESTS_FUZZ_MEND_PARTS_H
#define TESTS_FUZZ_MEND_PARTS_H

#include <stdint.h>

#include "base/hash64.h"
#include "proto/store/format.h"

/* A store names its parts by place, bytes, hash, and behind them. Sets the hash wherever two words of [from, to) look
 * like a part of what lies between head and `behind`, and a third like a hash: small numbers are never one, so intact
 * stores stay as they are. */
static inline void mend_parts(uint8_t *bytes, uint64_t from, uint64_t to, uint64_t behind)
{
    for (uint64_t at = from; at + 24 <= to; at++) {
        uint64_t const place = bits_load64(bytes + at), count = bits_load64(bytes + at + 8);
        bool const is_hash = bits_load64(bytes + at + 16) >> 48 != 0;

        if (is_hash && place >= STORE_HEAD_BYTES && place < behind && count >= 40 && count <= behind - place
            && place + count <= at)
            bits_store64(bytes + at + 16, hash64(bytes + place, count));
    }
}

#endif
