/* Fuzz target: any bytes as a store of GPU traces. The reader may refuse them, with a text, but not crash; its output
 * has the properties that consumers rely on: indices within the tables, masks of the warp's lanes, addresses in them.
 * Hashes hold damage off, so they are set right first: everything behind them is tried. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash64.h"
#include "proto/gpu/gpu_store_format.h"
#include "tests/support/chunks.h"

/* A few bytes may encode many thread blocks of one path; larger stores than this only cost time. */
#define INSTS_MAX 1000000u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_inst(const struct gpu_kernel *kernel, const struct gpu_block *block, const struct gpu_inst *inst)
{
    uint64_t addresses[GPU_MAX_LANES];
    const struct gpu_static *fixed;
    const struct gpu_opcode *opcode;

    if (inst->index >= kernel->static_count)
        abort();
    fixed = &kernel->statics[inst->index];
    if (fixed->opcode >= kernel->opcode_count || fixed->destination_count + fixed->source_count > GPU_MAX_REGISTERS
        || (kernel->header.warp_size == 32 && inst->mask >> 32 != 0)
        || (inst->mode == GPU_ADDRESS_NONE) != (fixed->width_bytes == 0))
        abort();
    opcode = &kernel->opcodes[fixed->opcode];
    if (gpu_inst_addresses(block, inst, opcode->space == GPU_SPACE_SCALAR, addresses) & ~(inst->mask | 1))
        abort();
}

static void check_block(const struct gpu_kernel *kernel, const struct gpu_block *block)
{
    for (uint32_t warp = 0; warp < block->warp_count; warp++)
        for (uint32_t i = 0; i < block->warps[warp].count; i++)
            check_inst(kernel, block, &block->warps[warp].insts[i]);
}

static void read_kernel(const struct gpu_store *store, size_t number)
{
    const struct gpu_store_kernel *const about = &gpu_store_about(store)->kernels[number];
    struct fault error = fault_none();
    struct gpu_kernel kernel;
    struct gpu_block *block;
    enum gpu_step step;
    uint64_t blocks = 0, insts = 0;

    if (about->insts > INSTS_MAX)
        return;
    if (FAILS(error, gpu_store_kernel_open(store, number, &kernel))) {
        if (fault_text(error)[0] == '\0')
            abort();
        return;
    }
    while ((step = gpu_kernel_next_block(&kernel, &block, &error)) == GPU_BLOCK) {
        check_block(&kernel, block);
        for (uint32_t warp = 0; warp < block->warp_count; warp++)
            insts += block->warps[warp].count;
        blocks++;
        gpu_block_free(block);
    }
    if ((step == GPU_FAILED) != (fault_text(error)[0] != '\0'))
        abort();
    if (step == GPU_NO_BLOCK && (blocks != about->blocks || insts != about->insts))
        abort();
    gpu_kernel_close(&kernel);
}

static void try(const uint8_t *bytes, size_t size)
{
    struct fault error = fault_none();
    struct gpu_store *const store = gpu_store_open_memory("fuzz", bytes, size, &error);
    struct gpu_list list;

    if (store == NULL) {
        if (fault_text(error)[0] == '\0')
            abort();
        return;
    }
    if (WORKS(error, gpu_store_list(store, &list)))
        gpu_list_close(&list);
    for (size_t i = 0; i < gpu_store_about(store)->kernel_count; i++)
        read_kernel(store, i);
    gpu_store_close(store);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *const bytes = malloc(size + 1);

    if (bytes == NULL)
        return 0;
    memcpy(bytes, data, size);
    try(bytes, size);
    if (size <= 65536) {
        chunks_hash_again(bytes, size, &gpu_store_kind);
        try(bytes, size);
    }
    free(bytes);
    return 0;
}
