/* Fuzz target: any bytes as a warp's records; the first byte chooses layout, opcodes and the reference's way. Whatever
 * the records say, the warp instructions are what the consumers of GPU traces rely on (proto/gpu/gpu_trace.h). */
#include <stdint.h>
#include <stdlib.h>

#include "proto/macsim/macsim_stream.h"
#include "proto/macsim/warp.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct macsim_format const formats[] = {
    {MACSIM_G72, MACSIM_PTX_V14, MACSIM_REG_PTX_1551, true}, {MACSIM_G72, MACSIM_PTX_V131, MACSIM_REG_PTX_900, true},
    {MACSIM_G64, MACSIM_PTX_V131, MACSIM_REG_PTX_200, true}, {MACSIM_N64, MACSIM_NVBIT, MACSIM_REG_SASS, true},
    {MACSIM_C80, MACSIM_PTX_2013A, MACSIM_REG_NONE, true}, {MACSIM_C52, MACSIM_X86_2012B, MACSIM_REG_NONE, true}
};

static void check_inst(const struct macsim_warps *warps, const struct gpu_block *block, const struct gpu_inst *inst)
{
    uint64_t addresses[GPU_MAX_LANES];
    const struct gpu_static *fixed;

    if (inst->index >= warps->statics.count || inst->mask >> 32 != 0)
        abort();
    fixed = &warps->statics.items[inst->index];
    if (fixed->opcode >= warps->opcode_count || fixed->width_bytes > GPU_MAX_WIDTH
        || fixed->destination_count + fixed->source_count > GPU_MAX_REGISTERS
        || (inst->mode == GPU_ADDRESS_NONE) != (fixed->width_bytes == 0)
        || inst->value_count > __builtin_popcountll(inst->mask)
        || (gpu_inst_addresses(block, inst, false, addresses) & ~inst->mask) != 0)
        abort();
    for (int i = 0; i < fixed->destination_count + fixed->source_count; i++)
        if (fixed->registers[i] >= 384)
            abort();
}

static void check_block(const struct macsim_warps *warps, struct gpu_block *block)
{
    for (uint32_t i = 0; i < block->warps[0].count; i++)
        check_inst(warps, block, &block->warps[0].insts[i]);
    gpu_block_free(block);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct macsim_source const source = {.path = "fuzz", .data = data + 1, .size = size - 1};
    struct macsim_gpu_record record;
    struct macsim_stream stream;
    struct macsim_warps warps;
    struct fault error;
    enum macsim_step step;

    if (size == 0)
        return 0;
    if (!macsim_warps_init(&warps, &formats[data[0] % 6], data[0] >= 128)
        || FAILS(error, macsim_stream_open(&stream, &source, &formats[data[0] % 6]))) {
        macsim_warps_free(&warps);
        return 0;
    }
    macsim_warps_begin_block(&warps);
    while ((step = macsim_stream_next_gpu(&stream, &record, &error)) == MACSIM_RECORD)
        if (!macsim_warps_add(&warps, &record))
            abort();
    macsim_stream_close(&stream);
    if (step == MACSIM_END) {
        struct gpu_block *const block = macsim_warps_end_warp(&warps) ? macsim_warps_block(&warps, 0) : NULL;

        if (block == NULL)
            abort();
        check_block(&warps, block);
    }
    macsim_warps_free(&warps);
    return 0;
}
