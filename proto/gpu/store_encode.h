/* Chunks of a GPU store while they are gathered (proto/gpu/store_format.h).
 *
 * Use: gpu_chunk_encoder_new; gpu_chunk_put for each thread block; gpu_chunk_finish once gpu_chunk_is_full, and behind
 * the last block. Out of memory is remembered and reported by gpu_chunk_finish. */
#ifndef PROTO_GPU_STORE_ENCODE_H
#define PROTO_GPU_STORE_ENCODE_H

#include "proto/gpu/trace.h"
#include "proto/store/meta.h"

struct gpu_chunk_encoder;

struct gpu_chunk {
    const uint8_t *bytes;            /* the encoder's, until the next gpu_chunk_put */
    size_t count;
    uint64_t first_block, blocks, insts;
};

struct gpu_chunk_encoder *gpu_chunk_encoder_new(void);
void gpu_chunk_encoder_free(struct gpu_chunk_encoder *encoder);

void gpu_chunk_put(struct gpu_chunk_encoder *encoder, const struct gpu_block *block);
bool gpu_chunk_is_full(const struct gpu_chunk_encoder *encoder);
/* kernel: its number. False: out of memory. No blocks: count is 0. The next chunk follows this one. */
bool gpu_chunk_finish(struct gpu_chunk_encoder *encoder, uint32_t kernel, struct gpu_chunk *chunk);
/* The next block is the first one of a kernel. */
void gpu_chunk_next_kernel(struct gpu_chunk_encoder *encoder);

void gpu_store_put_varint(struct text *text, uint64_t number);

#endif
