/* Repeats are found by their bytes: a pool gives equal bytes the same number. */
#include "proto/gpu/gpu_store_format.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/hash64.h"
#include "base/hash_index.h"
#include "base/list.h"

/* The limit reached first ends a chunk. */
#define FULL_INSTS 65536u
#define FULL_BYTES ((size_t)1 << 20)

enum { LIST_BYTES_MAX = 2 + 8 * GPU_MAX_LANES, SHAPE_BYTES_MAX = 5 * BITS_VARINT_MAX };

struct pool {
    struct column bytes;
    struct column ends;     /* u64 each: where the bytes of a number end */
    uint32_t count;
    struct hash_index index;
    bool failed;
};

struct gpu_chunk_encoder {
    struct pool shapes, paths, lists;
    struct column blocks, numbers, path, chunk;
    struct gpu_expected *expected;
    size_t expected_count;           /* all 0 from there on */
    uint32_t last_id[3];
    uint32_t lists_met;              /* behind the highest number so far */
    uint64_t first_block, block_count, insts;
    bool failed;
};

/* --- pools -------------------------------------------------------------------------------------------------------- */

static uint64_t end_of(const struct pool *pool, uint32_t number)
{
    return number == 0 ? 0 : bits_load64(pool->ends.at + 8 * (size_t)(number - 1));
}

/* A path may be empty. */
static uint64_t gpu_store_encode_hash_of(const void *bytes, size_t count)
{
    return count > 0 ? hash64(bytes, count) : 0;
}

static uint64_t hash_of_number(const void *of, uint32_t number)
{
    const struct pool *const pool = of;
    uint64_t const from = end_of(pool, number);

    return gpu_store_encode_hash_of(pool->bytes.at + from, end_of(pool, number + 1) - from);
}

static uint32_t pool_number(struct pool *pool, const void *bytes, size_t count)
{
    uint64_t at = gpu_store_encode_hash_of(bytes, count);

    pool->failed = pool->failed || pool->bytes.failed || pool->ends.failed
        || !hash_index_fit(&pool->index, hash_of_number, pool);
    if (pool->failed)
        return 0;
    for (uint32_t number; (number = hash_index_at(&pool->index, at)) != HASH_INDEX_NONE; at++) {
        uint64_t const from = end_of(pool, number);

        if (end_of(pool, number + 1) - from == count
            && (count == 0 || memcmp(pool->bytes.at + from, bytes, count) == 0))
            return number;
    }
    column_put_bytes(&pool->bytes, bytes, count);
    column_put_word(&pool->ends, pool->bytes.length);
    if (pool->bytes.failed || pool->ends.failed)
        return 0;
    hash_index_put(&pool->index, at, pool->count);
    return pool->count++;
}

static void pool_clear(struct pool *pool)
{
    pool->bytes.length = pool->ends.length = 0;
    pool->count = 0;
    hash_index_clear(&pool->index);
}

static void pool_free(struct pool *pool)
{
    free(pool->bytes.at);
    free(pool->ends.at);
    hash_index_free(&pool->index);
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
    uint8_t *end = bits_put_varint(bytes, inst->index);

    end = bits_put_varint(end, inst->mode | (inst->base != 0 ? GPU_SHAPE_HAS_BASE : 0u));
    end = bits_put_varint(end, inst->mask);
    end = bits_put_varint(end, inst->value_count);
    if (inst->mode == GPU_ADDRESS_STRIDE)
        end = bits_put_varint(end, bits_zigzag((uint64_t)inst->stride));
    return pool_number(&encoder->shapes, bytes, (size_t)(end - bytes));
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
    column_put_number(&encoder->numbers, bits_zigzag(inst->base - gpu_expected_base(expected)));
    gpu_expected_met(expected, inst->base);
}

static void gpu_store_encode_put_list(struct gpu_chunk_encoder *encoder, const struct gpu_inst *inst,
                                      const int64_t *values)
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
    column_put_number(&encoder->numbers, number == encoder->lists_met ? 0 : 1 + (uint64_t)number);
    encoder->lists_met += number == encoder->lists_met;
}

static void gpu_store_encode_put_inst(struct gpu_chunk_encoder *encoder, const struct gpu_block *block,
                                      const struct gpu_inst *inst)
{
    uint8_t step[4];

    bits_store32(step, shape_of(encoder, inst));
    column_put_bytes(&encoder->path, step, sizeof step);
    if (inst->base != 0)
        put_base(encoder, inst);
    if (gpu_listed_values(inst) > 0)
        gpu_store_encode_put_list(encoder, inst, block->values + inst->values_at);
}

/* The number of warps, and the block's cluster, if it has one. */
static void put_warp_count(struct gpu_chunk_encoder *encoder, const struct gpu_block *block)
{
    static const struct gpu_cluster none;
    const struct gpu_cluster *const cluster = &block->cluster;
    bool const has_cluster = memcmp(cluster, &none, sizeof none) != 0;

    column_put_number(&encoder->blocks, block->warp_count + (has_cluster ? GPU_STORE_HAS_CLUSTER : 0));
    for (int i = 0; has_cluster && i < 3; i++)
        column_put_number(&encoder->blocks, cluster->id[i]);
    for (int i = 0; has_cluster && i < 3; i++)
        column_put_number(&encoder->blocks, cluster->block[i]);
    if (has_cluster)
        column_put_number(&encoder->blocks, cluster->rank);
}

void gpu_chunk_put(struct gpu_chunk_encoder *encoder, const struct gpu_block *block)
{
    for (int i = 0; i < 3; i++) {
        column_put_number(&encoder->blocks, bits_zigzag((uint64_t)block->id[i] - encoder->last_id[i]));
        encoder->last_id[i] = block->id[i];
    }
    put_warp_count(encoder, block);
    for (uint32_t i = 0; i < block->warp_count; i++) {
        const struct gpu_warp_list *const warp = &block->warps[i];

        encoder->path.length = 0;
        for (uint32_t j = 0; j < warp->count; j++)
            gpu_store_encode_put_inst(encoder, block, &warp->insts[j]);
        column_put_number(&encoder->blocks, pool_number(&encoder->paths, encoder->path.at, encoder->path.length));
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
        column_put_bytes(&encoder->chunk, encoder->paths.bytes.at + 4 * i, width);
}

static void put_lengths(struct gpu_chunk_encoder *encoder)
{
    for (uint32_t i = 0; i < encoder->paths.count; i++)
        column_put_number(&encoder->chunk, (end_of(&encoder->paths, i + 1) - end_of(&encoder->paths, i)) / 4);
}

/* Every column is shorter than 4 GiB. */
static bool gpu_store_encode_fits(const struct gpu_chunk_encoder *encoder)
{
    return encoder->insts <= UINT32_MAX && encoder->shapes.bytes.length <= UINT32_MAX
        && encoder->paths.bytes.length <= UINT32_MAX && encoder->lists.bytes.length <= UINT32_MAX
        && encoder->blocks.length <= UINT32_MAX && encoder->numbers.length <= UINT32_MAX;
}

static void gpu_store_encode_build(struct gpu_chunk_encoder *encoder, uint32_t kernel)
{
    uint8_t words[4 * GPU_CHUNK_WORDS];
    uint32_t const width = encoder->shapes.count > UINT16_MAX ? 4 : 2;
    struct column *const chunk = &encoder->chunk;
    size_t lengths_at;

    container_chunk_begin(chunk);
    memset(words, 0, sizeof words);
    column_put_bytes(chunk, words, sizeof words);
    column_put_bytes(chunk, encoder->shapes.bytes.at, encoder->shapes.bytes.length);
    lengths_at = chunk->length;
    put_lengths(encoder);
    bits_store32(words + 4 * GPU_CHUNK_LENGTH_BYTES, (uint32_t)(chunk->length - lengths_at));
    put_steps(encoder, width);
    column_put_bytes(chunk, encoder->lists.bytes.at, encoder->lists.bytes.length);
    column_put_bytes(chunk, encoder->blocks.at, encoder->blocks.length);
    column_put_bytes(chunk, encoder->numbers.at, encoder->numbers.length);
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
        memcpy(chunk->at + CONTAINER_CHUNK_HEAD_BYTES, words, sizeof words);
}

static bool has_failed(const struct gpu_chunk_encoder *encoder)
{
    return encoder->failed || pool_failed(&encoder->shapes) || pool_failed(&encoder->paths)
        || pool_failed(&encoder->lists) || encoder->blocks.failed || encoder->numbers.failed || encoder->path.failed
        || encoder->chunk.failed || !gpu_store_encode_fits(encoder);
}

static void gpu_store_encode_clear(struct gpu_chunk_encoder *encoder)
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
    gpu_store_encode_build(encoder, kernel);
    chunk->bytes = &encoder->chunk;
    if (has_failed(encoder))
        return false;
    gpu_store_encode_clear(encoder);
    return true;
}

void gpu_chunk_next_kernel(struct gpu_chunk_encoder *encoder)
{
    encoder->first_block = 0;
}
