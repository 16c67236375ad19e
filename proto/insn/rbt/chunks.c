#include "proto/insn/rbt/chunks.h"

#include "base/bits.h"
#include "base/hash64.h"

enum { KIND_AT = 4, LENGTH_AT = 8, HASH_AT = 16 };

static uint64_t hash_of(const uint8_t *head, const uint8_t *bytes, size_t count)
{
    struct hash64_pieces pieces;

    hash64_begin(&pieces);
    hash64_add(&pieces, head, HASH_AT);
    hash64_add(&pieces, bytes, count);
    return hash64_end(&pieces);
}

void rbt_chunk_begin(struct rbt_column *chunk)
{
    static const uint8_t head[RBT_CHUNK_HEAD_BYTES] = {0};

    chunk->length = 0;
    rbt_put_bytes(chunk, head, sizeof head);
}

void rbt_chunk_seal(struct rbt_column *chunk, enum rbt_chunk kind)
{
    size_t const length = chunk->length - RBT_CHUNK_HEAD_BYTES;

    while (chunk->length % RBT_ALIGNMENT != 0 && !chunk->failed)
        rbt_put_byte(chunk, 0);
    if (chunk->failed)
        return;
    bits_store32(chunk->at, RBT_CHUNK_MAGIC);
    bits_store32(chunk->at + KIND_AT, (uint32_t)kind);
    bits_store64(chunk->at + LENGTH_AT, length);
    bits_store64(chunk->at + HASH_AT, hash_of(chunk->at, chunk->at + RBT_CHUNK_HEAD_BYTES,
                                              chunk->length - RBT_CHUNK_HEAD_BYTES));
}

const char *rbt_chunk_look(const uint8_t *bytes, uint64_t size, uint64_t offset, bool hashes,
                           struct rbt_chunk_place *place)
{
    const uint8_t *head;
    uint64_t padded;

    if (offset % RBT_ALIGNMENT != 0 || offset > size || size - offset < RBT_CHUNK_HEAD_BYTES)
        return "the file ends; expected the head of a chunk";
    head = bytes + offset;
    if (bits_load32(head) != RBT_CHUNK_MAGIC)
        return "no chunk begins here; expected the magic number CHNK";
    place->offset = offset;
    place->kind = (enum rbt_chunk)bits_load32(head + KIND_AT);
    place->length = bits_load64(head + LENGTH_AT);
    if (place->kind == 0 || place->kind >= RBT_CHUNK_KINDS)
        return "a chunk of unknown kind";
    if (place->length > size - offset - RBT_CHUNK_HEAD_BYTES)
        return "a chunk that ends behind the file";
    padded = rbt_chunk_behind(place) - offset - RBT_CHUNK_HEAD_BYTES;
    if (padded > size - offset - RBT_CHUNK_HEAD_BYTES)
        return "a chunk that ends behind the file";
    if (hashes && bits_load64(head + HASH_AT) != hash_of(head, head + RBT_CHUNK_HEAD_BYTES, (size_t)padded))
        return "a chunk whose hash is another; its bytes have changed";
    return NULL;
}
