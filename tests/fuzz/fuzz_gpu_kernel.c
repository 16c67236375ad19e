/* Fuzz target: any bytes as a grouped kernel file. It may be refused, with a text that can be printed, but not crash;
 * blocks that are given keep to what the header of the reader promises, also after the kernel is closed. */
#include <stdint.h>
#include <stdlib.h>

#include "proto/gpu/gpu_trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { KEPT = 4 };

static uint64_t sum_block(const struct gpu_kernel *kernel, const struct gpu_block *block)
{
    uint64_t addresses[GPU_MAX_LANES], sum = 0;

    for (uint32_t w = 0; w < block->warp_count; w++)
        for (uint32_t i = 0; i < block->warps[w].count; i++) {
            const struct gpu_inst *const inst = &block->warps[w].insts[i];
            bool is_scalar = false;

            if (kernel != NULL) {
                if (inst->index >= kernel->static_count
                    || kernel->statics[inst->index].opcode >= kernel->opcode_count)
                    abort();
                is_scalar = kernel->opcodes[kernel->statics[inst->index].opcode].space == GPU_SPACE_SCALAR;
            }
            sum += (uint64_t)__builtin_popcountll(gpu_inst_addresses(block, inst, is_scalar, addresses));
        }
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct gpu_block *kept[KEPT] = {0}, *block;
    struct fault error = fault_none();
    struct gpu_kernel kernel;
    enum gpu_step step;
    uint64_t given = 0;

    if (FAILS(error, gpu_kernel_open_memory(&kernel, "fuzz", data, size))) {
        if (fault_text(error)[0] == '\0')
            abort();
        return 0;
    }
    while ((step = gpu_kernel_next_block(&kernel, &block, &error)) == GPU_BLOCK) {
        sum_block(&kernel, block);
        gpu_block_free(kept[given % KEPT]);
        kept[given++ % KEPT] = block;
    }
    if (given != kernel.blocks_read || (step == GPU_FAILED && fault_text(error)[0] == '\0')
        || gpu_kernel_next_block(&kernel, &block, &error) != step)
        abort();
    gpu_kernel_close(&kernel);
    for (int i = 0; i < KEPT; i++) {
        if (kept[i] != NULL)
            sum_block(NULL, kept[i]);
        gpu_block_free(kept[i]);
    }
    return 0;
}
