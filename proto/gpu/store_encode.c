/* What repeats is found by its bytes: a pool gives equal bytes the same number. */
#include "proto/gpu/store_encode.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/hash64.h"
#include "base/list.h"
#include "proto/gpu/store_format.h"

/* Whatever is reached first ends a chunk. */
#define FULL_INSTS 65536u
#define FULL_BYTES ((size_t)1 << 20)

enum { SLOTS_FIRST = 1024, LIST_BYTES_MAX = 2 + 8 * GPU_MAX_LANES, SHAPE_BYTES_MAX = 5 * WIRE_VARINT_MAX };

struct pool {
    struct text bytes;
    struct text ends;     /* u64 each: where the bytes of a number end */
    uint32_t count;
    uint32_t *slots;                 /* number + 1; 0: empty */
    size_t slot_count;               /* a power of two */
    bool failed;
};

struct gpu_chunk_encoder {
    struct pool shapes, paths, lists;
    struct text blocks, numbers, path, chunk;
    struct gpu_expected *expected;
    size_t expected_count;           /* all 0 from there on */
    uint32_t last_id[3];
    uint32_t lists_met;              /* behind the highest number so far */
    uint64_t first_block, block_count, insts;
    bool failed;
};

static size_t write_varint(uint8_t *at, uint64_t number)
{
    size_t used = 0;

    for (; number >= 0x80; number >>= 7)
        at[used++] = (uint8_t)(number | 0x80);
    at[used++] = (uint8_t)number;
    return used;
}

void gpu_store_put_varint(struct text *text, uint64_t number)
{
    uint8_t bytes[WIRE_VARINT_MAX];

    text_put_bytes(text, bytes, write_varint(bytes, number));
}

/* --- pools -------------------------------------------------------------------------------------------------------- */

static uint64_t end_of(const struct pool *pool, uint32_t number)
{
    return number == 0 ? 0 : bits_load64(pool->ends.at + 8 * (size_t)(number - 1));
}

/* A path may be empty. */
static uint64_t hash_of(const void *bytes, size_t count)
{
    return count > 0 ? hash64(bytes, count) : 0;
}

static void grow_slots(struct pool *pool)
{
    size_t const room = pool->slot_count == 0 ? SLOTS_FIRST : 2 * pool->slot_count;
    uint32_t *const slots = calloc(room, sizeof *slots);

    if (slots == NULL) {
        pool->failed = true;
        return;
    }
    for (uint32_t number = 0; number < pool->count; number++) {
        uint64_t const from = end_of(pool, number);
        uint64_t const count = end_of(pool, number + 1) - from;
        uint64_t slot = hash_of(pool->bytes.at + from, count);

        while (slots[slot & (room - 1)] != 0)
            slot++;
        slots[slot & (room - 1)] = number + 1;
    }
    free(pool->slots);
    pool->slots = slots;
    pool->slot_count = room;
}

static uint32_t pool_number(struct pool *pool, const void *bytes, size_t count)
{
    uint64_t slot = hash_of(bytes, count);

    if (2 * (size_t)pool->count >= pool->slot_count)
        grow_slots(pool);
    if (pool->failed || pool->bytes.failed || pool->ends.failed)
        return 0;
    for (;; slot++) {
        uint32_t const entry = pool->slots[slot & (pool->slot_count - 1)];
        uint64_t const from = entry == 0 ? 0 : end_of(pool, entry - 1);

        if (entry == 0)
            break;
        if (end_of(pool, entry) - from == count
            && (count == 0 || memcmp(pool->bytes.at + from, bytes, count) == 0))
            return entry - 1;
    }
    text_put_bytes(&pool->bytes, bytes, count);
    store_meta_put_word(&pool->ends, pool->bytes.length);
    if (pool->bytes.failed || pool->ends.failed)
        return 0;
    pool->slots[slot & (pool->slot_count - 1)] = ++pool->count;
    return pool->count - 1;
}

static void pool_clear(struct pool *pool)
{
    pool->bytes.length = pool->ends.length = 0;
    pool->count = 0;
    if (pool->slot_count > 0)
        memset(pool->slots, 0, pool->slot_count * sizeof *pool->slots);
}

static void pool_free(struct pool *pool)
{
    free(pool->bytes.at);
    free(pool->ends.at);
    free(pool->slots);
}

static bool pool_failed(const struct pool *pool)
{
    return pool->failed || pool->bytes.failed || pool->ends.failed;
}

/* --- blocks ------------------------------------------------------------------------------------------------------- */

struct gpu_chunk_encoder *gpu_chunk_encoder_new(void)
{
    return calloc(1, sizeof(struct gpu_chunk_encoder));
}

void gpu_chunk_encoder_free(struct gpu_chunk_encoder *encoder)
{
    if (encoder == NULL)
        return;
    pool_free(&encoder->shapes);
    pool_free(&encoder->paths);
    pool_free(&encoder->lists);
    free(encoder->blocks.at);
    free(encoder->numbers.at);
    free(encoder->path.at);
    free(encoder->chunk.at);
    free(encoder->expected);
    free(encoder);
}

static uint32_t shape_of(struct gpu_chunk_encoder *encoder, const struct gpu_inst *inst)
{
    uint8_t bytes[SHAPE_BYTES_MAX];
    size_t used = write_varint(bytes, inst->index);

    used += write_varint(bytes + used, inst->mode | (inst->base != 0 ? GPU_SHAPE_HAS_BASE : 0u));
    used += write_varint(bytes + used, inst->mask);
    used += write_varint(bytes + used, inst->value_count);
    if (inst->mode == GPU_ADDRESS_STRIDE)
        used += write_varint(bytes + used, bits_zigzag((uint64_t)inst->stride));
    return pool_number(&encoder->shapes, bytes, used);
}

static struct gpu_expected *expected_of(struct gpu_chunk_encoder *encoder, uint32_t index)
{
    if (!list_fit_zeroed(&encoder->expected, (size_t)index + 1, &encoder->expected_count, sizeof *encoder->expected)) {
        encoder->failed = true;
        return NULL;
    }
    return &encoder->expected[index];
}

static void put_base(struct gpu_chunk_encoder *encoder, const struct gpu_inst *inst)
{
    struct gpu_expected *const expected = expected_of(encoder, inst->index);

    if (expected == NULL)
        return;
    gpu_store_put_varint(&encoder->numbers, bits_zigzag(inst->base - gpu_expected_base(expected)));
    gpu_expected_met(expected, inst->base);
}

static void put_list(struct gpu_chunk_encoder *encoder, const struct gpu_inst *inst, const int64_t *values)
{
    unsigned const count = gpu_listed_values(inst);
    uint64_t codes[GPU_MAX_LANES], all = 0;
    uint8_t bytes[LIST_BYTES_MAX + 8];
    unsigned width;
    uint32_t number;

    for (unsigned i = 0; i < count; i++) {
        codes[i] = bits_zigzag(inst->mode == GPU_ADDRESS_LIST ? (uint64_t)values[i + 1] - (uint64_t)values[i]
                                                              : (uint64_t)values[i]);
        all |= codes[i];
    }
    width = all == 0 ? 1 : bits_bytes_of(all);
    bytes[0] = (uint8_t)count;
    bytes[1] = (uint8_t)width;
    for (unsigned i = 0; i < count; i++)
        bits_store64(bytes + 2 + i * width, codes[i]);
    number = pool_number(&encoder->lists, bytes, 2 + count * width);
    gpu_store_put_varint(&encoder->numbers, number == encoder->lists_met ? 0 : 1 + (uint64_t)number);
    encoder->lists_met += number == encoder->lists_met;
}

static void put_inst(struct gpu_chunk_encoder *encoder, const struct gpu_block *block, const struct gpu_inst *inst)
{
    uint8_t step[4];

    bits_store32(step, shape_of(encoder, inst));
    text_put_bytes(&encoder->path, step, sizeof step);
    if (inst->base != 0)
        put_base(encoder, inst);
    if (gpu_listed_values(inst) > 0)
        put_list(encoder, inst, block->values + inst->values_at);
}

void gpu_chunk_put(struct gpu_chunk_encoder *encoder, const struct gpu_block *block)
{
    for (int i = 0; i < 3; i++) {
        gpu_store_put_varint(&encoder->blocks, bits_zigzag((uint64_t)block->id[i] - encoder->last_id[i]));
        encoder->last_id[i] = block->id[i];
    }
    gpu_store_put_varint(&encoder->blocks, block->warp_count);
    for (uint32_t i = 0; i < block->warp_count; i++) {
        const struct gpu_warp_list *const warp = &block->warps[i];

        encoder->path.length = 0;
        for (uint32_t j = 0; j < warp->count; j++)
            put_inst(encoder, block, &warp->insts[j]);
        gpu_store_put_varint(&encoder->blocks, pool_number(&encoder->paths, encoder->path.at, encoder->path.length));
        encoder->insts += warp->count;
    }
    encoder->block_count++;
}

bool gpu_chunk_is_full(const struct gpu_chunk_encoder *encoder)
{
    return encoder->insts >= FULL_INSTS || encoder->lists.bytes.length >= FULL_BYTES
        || encoder->blocks.length >= FULL_BYTES || encoder->numbers.length >= FULL_BYTES;
}

/* --- the chunk's bytes -------------------------------------------------------------------------------------------- */

static void put_steps(struct gpu_chunk_encoder *encoder, size_t width)
{
    size_t const steps = encoder->paths.bytes.length / 4;

    for (size_t i = 0; i < steps; i++)
        text_put_bytes(&encoder->chunk, encoder->paths.bytes.at + 4 * i, width);
}

static void put_lengths(struct gpu_chunk_encoder *encoder)
{
    for (uint32_t i = 0; i < encoder->paths.count; i++)
        gpu_store_put_varint(&encoder->chunk, (end_of(&encoder->paths, i + 1) - end_of(&encoder->paths, i)) / 4);
}

/* Every column is shorter than 4 GiB. */
static bool fits(const struct gpu_chunk_encoder *encoder)
{
    return encoder->insts <= UINT32_MAX && encoder->shapes.bytes.length <= UINT32_MAX
        && encoder->paths.bytes.length <= UINT32_MAX && encoder->lists.bytes.length <= UINT32_MAX
        && encoder->blocks.length <= UINT32_MAX && encoder->numbers.length <= UINT32_MAX;
}

static void build(struct gpu_chunk_encoder *encoder, uint32_t kernel)
{
    uint8_t words[4 * GPU_CHUNK_WORDS];
    uint32_t const width = encoder->shapes.count > UINT16_MAX ? 4 : 2;
    struct text *const chunk = &encoder->chunk;
    size_t lengths_at;

    chunk->length = 0;
    memset(words, 0, sizeof words);
    text_put_bytes(chunk, words, sizeof words);
    text_put_bytes(chunk, encoder->shapes.bytes.at, encoder->shapes.bytes.length);
    lengths_at = chunk->length;
    put_lengths(encoder);
    bits_store32(words + 4 * GPU_CHUNK_LENGTH_BYTES, (uint32_t)(chunk->length - lengths_at));
    put_steps(encoder, width);
    text_put_bytes(chunk, encoder->lists.bytes.at, encoder->lists.bytes.length);
    text_put_bytes(chunk, encoder->blocks.at, encoder->blocks.length);
    text_put_bytes(chunk, encoder->numbers.at, encoder->numbers.length);
    bits_store32(words + 4 * GPU_CHUNK_KERNEL, kernel);
    bits_store32(words + 4 * GPU_CHUNK_FIRST_BLOCK_LOW, (uint32_t)encoder->first_block);
    bits_store32(words + 4 * GPU_CHUNK_FIRST_BLOCK_HIGH, (uint32_t)(encoder->first_block >> 32));
    bits_store32(words + 4 * GPU_CHUNK_BLOCKS, (uint32_t)encoder->block_count);
    bits_store32(words + 4 * GPU_CHUNK_INSTS, (uint32_t)encoder->insts);
    bits_store32(words + 4 * GPU_CHUNK_SHAPES, encoder->shapes.count);
    bits_store32(words + 4 * GPU_CHUNK_SHAPE_BYTES, (uint32_t)encoder->shapes.bytes.length);
    bits_store32(words + 4 * GPU_CHUNK_PATHS, encoder->paths.count);
    bits_store32(words + 4 * GPU_CHUNK_STEPS, (uint32_t)(encoder->paths.bytes.length / 4));
    bits_store32(words + 4 * GPU_CHUNK_STEP_WIDTH, width);
    bits_store32(words + 4 * GPU_CHUNK_LISTS, encoder->lists.count);
    bits_store32(words + 4 * GPU_CHUNK_LIST_BYTES, (uint32_t)encoder->lists.bytes.length);
    bits_store32(words + 4 * GPU_CHUNK_BLOCK_BYTES, (uint32_t)encoder->blocks.length);
    bits_store32(words + 4 * GPU_CHUNK_NUMBER_BYTES, (uint32_t)encoder->numbers.length);
    if (!chunk->failed)
        memcpy(chunk->at, words, sizeof words);
}

static bool has_failed(const struct gpu_chunk_encoder *encoder)
{
    return encoder->failed || pool_failed(&encoder->shapes) || pool_failed(&encoder->paths)
        || pool_failed(&encoder->lists) || encoder->blocks.failed || encoder->numbers.failed || encoder->path.failed
        || encoder->chunk.failed || !fits(encoder);
}

static void clear(struct gpu_chunk_encoder *encoder)
{
    pool_clear(&encoder->shapes);
    pool_clear(&encoder->paths);
    pool_clear(&encoder->lists);
    encoder->blocks.length = encoder->numbers.length = 0;
    if (encoder->expected_count > 0)
        memset(encoder->expected, 0, encoder->expected_count * sizeof *encoder->expected);
    memset(encoder->last_id, 0, sizeof encoder->last_id);
    encoder->lists_met = 0;
    encoder->first_block += encoder->block_count;
    encoder->block_count = encoder->insts = 0;
}

bool gpu_chunk_finish(struct gpu_chunk_encoder *encoder, uint32_t kernel, struct gpu_chunk *chunk)
{
    *chunk = (struct gpu_chunk){
        .first_block = encoder->first_block, .blocks = encoder->block_count, .insts = encoder->insts
    };
    if (encoder->block_count == 0)
        return !has_failed(encoder);
    if (has_failed(encoder))
        return false;
    build(encoder, kernel);
    chunk->bytes = (const uint8_t *)encoder->chunk.at;
    chunk->count = encoder->chunk.length;
    if (has_failed(encoder))
        return false;
    clear(encoder);
    return true;
}

void gpu_chunk_next_kernel(struct gpu_chunk_encoder *encoder)
{
    encoder->first_block = 0;
}
