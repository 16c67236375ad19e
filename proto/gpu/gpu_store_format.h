/* The file format of GPU stores, version 1: chunks of proto/container/container.h, words and texts as in
 * proto/store/store_format.h. A varint is protobuf's.
 *
 * chunks    for each kernel its blocks, then its tables; the index
 * index     source of the list (path, bytes, mtime in s and ns, hash); warnings of the list; kernels, each: name,
 *           source, streams (number, bytes, hash), thread blocks, warp instructions, place of its tables; commands,
 *           each: kind, line, address, bytes, number of the kernel
 * tables    number of the kernel; fields of struct gpu_header in their order; other keys; number of the warnings that
 *           are known when it is opened, warnings; opcodes, each: text, 1 if it has addresses; number of static
 *           instructions, their bytes; chunks of blocks, each: place, first thread block, warp instructions
 * statics   varints, each: zigzag of the pc less the one before, zigzag of the immediate, line, opcode, width, traced
 *           width, destinations + 64 if it commits a group, sources, registers
 *
 * A chunk of blocks holds thread blocks, independent of other chunks. Repeated parts are stored once: a shape is an
 * execution without its base address and its values; a path is a warp's sequence of shapes; a value list holds the
 * values after a base address. So a warp is a path, base addresses, and numbers of value lists.
 *
 * blocks    u32 each: enum gpu_chunk_word; then the columns
 * shapes    varints, each: static instruction, mode + 4 if there is a base that is not 0, mask, number of values, and
 *           in mode STRIDE the zigzag of the stride
 * lengths   varints: shapes of each path
 * steps     numbers of the shapes of all paths, of 2 or 4 bytes
 * lists     each: count (1 byte), width (1 byte, 1 to 8), then the zigzags, `width` bytes each. In mode LIST they
 *           are the differences from the address before, from the second address on
 * blocks    varints, each block: zigzags of x, y, z less those of the block before; warps, + 4096 if the seven numbers
 *           of struct gpu_cluster follow; for each warp the path's number
 * numbers   varints, for each execution: if its shape has a base, the zigzag of it less the expected one; if it has
 *           values beyond a base, 0 for the value list whose number follows the highest so far, or 1 + a number
 * The expected base is the last base of the same static instruction in the chunk plus the last step between its
 * bases. */
#ifndef PROTO_GPU_GPU_STORE_FORMAT_H
#define PROTO_GPU_GPU_STORE_FORMAT_H

#include "proto/gpu/gpu_store.h"
#include "proto/gpu/gpu_trace.h"
#include "proto/store/store_file.h"
#include "proto/store/store_format.h"

#define GPU_STORE_MAGIC "\x89rubgpu\n"
enum gpu_store_chunk { GPU_STORE_BLOCKS = 1, GPU_STORE_TABLES, GPU_STORE_META };

static const struct container_kind gpu_store_kind = {
    .magic = GPU_STORE_MAGIC, .name = "a store of GPU traces", .mend = STORE_MEND, .index = GPU_STORE_META
};

enum gpu_chunk_word {                /* u32 each, in this order */
    GPU_CHUNK_KERNEL, GPU_CHUNK_FIRST_BLOCK_LOW, GPU_CHUNK_FIRST_BLOCK_HIGH, GPU_CHUNK_BLOCKS, GPU_CHUNK_INSTS,
    GPU_CHUNK_SHAPES, GPU_CHUNK_SHAPE_BYTES, GPU_CHUNK_PATHS, GPU_CHUNK_LENGTH_BYTES, GPU_CHUNK_STEPS,
    GPU_CHUNK_STEP_WIDTH, GPU_CHUNK_LISTS, GPU_CHUNK_LIST_BYTES, GPU_CHUNK_BLOCK_BYTES, GPU_CHUNK_NUMBER_BYTES,
    GPU_CHUNK_WORDS
};

enum { GPU_SHAPE_MODE = 3, GPU_SHAPE_HAS_BASE = 4 };         /* of a shape's flags */

#define GPU_STORE_WARPS_MAX 2048u    /* of a thread block */
#define GPU_STORE_HAS_CLUSTER 4096u  /* added to the number of warps */
#define GPU_STORE_COMMITS 64u        /* added to the number of destinations */
#define GPU_STORE_REGISTERS (2u * GPU_SCALAR_REGISTER)       /* their numbers are below this */

struct gpu_chunk_index {
    uint64_t place, first_block, insts;
};
#define GPU_CHUNK_INDEX_WORDS 3u

/* The base that is expected next of a static instruction. */
struct gpu_expected {
    uint64_t last, step;
};

static inline uint64_t gpu_expected_base(const struct gpu_expected *expected)
{
    return expected->last + expected->step;
}

static inline void gpu_expected_met(struct gpu_expected *expected, uint64_t base)
{
    expected->step = base - expected->last;
    expected->last = base;
}

/* Values of a list in the store: LIST has its first address as base. */
static inline unsigned gpu_listed_values(const struct gpu_inst *inst)
{
    return inst->mode == GPU_ADDRESS_LIST && inst->value_count > 0 ? inst->value_count - 1u : inst->value_count;
}

/* Checks that an intact chunk of this kind is at the place; the error names the damage. */
struct fault gpu_store_part(const struct gpu_store *store, uint64_t place, enum gpu_store_chunk kind,
                            struct container_chunk *chunk);
struct fault gpu_store_damaged(const struct gpu_store *store, uint64_t place, const char *what);
/* Now and then drops pages that were read from the process's resident memory; the next access maps them again. */
void gpu_store_forget(const struct gpu_store *store, uint64_t from, uint64_t to);

/* Chunks of a GPU store while they are gathered (proto/gpu/gpu_store_format.h).
 *
 * Use: gpu_chunk_encoder_new; gpu_chunk_put for each thread block; gpu_chunk_finish once gpu_chunk_is_full, and behind
 * the last block. Out of memory is remembered and reported by gpu_chunk_finish. */

struct gpu_chunk_encoder;

struct gpu_chunk {
    struct column *bytes;            /* of a chunk that is not sealed; the encoder's, until the next gpu_chunk_put */
    uint64_t first_block, blocks, insts;
};

struct gpu_chunk_encoder *gpu_chunk_encoder_new(void);
void gpu_chunk_encoder_free(struct gpu_chunk_encoder *encoder);

void gpu_chunk_put(struct gpu_chunk_encoder *encoder, const struct gpu_block *block);
bool gpu_chunk_is_full(const struct gpu_chunk_encoder *encoder);
/* kernel: its number. False: out of memory. No blocks: bytes is NULL. The next chunk follows this one. */
bool gpu_chunk_finish(struct gpu_chunk_encoder *encoder, uint32_t kernel, struct gpu_chunk *chunk);
/* The next block is the first one of a kernel. */
void gpu_chunk_next_kernel(struct gpu_chunk_encoder *encoder);

/* Kernels out of a GPU store, for proto/gpu/gpu_kernel.c. */

/* Kernel `file` of the store that `folder` names, with '/' at its end. *is_store: whether there is such a store; if
 * not, nothing is opened. */
struct fault gpu_stored_open(struct gpu_kernel *kernel, const char *folder, const char *file, bool *is_store);

#endif
