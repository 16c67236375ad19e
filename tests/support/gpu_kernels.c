#include "tests/support/gpu_kernels.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void gpu_kernels_init(struct gpu_kernels *kernels)
{
    *kernels = (struct gpu_kernels){0};
}

void gpu_kernels_free(struct gpu_kernels *kernels)
{
    for (unsigned i = 0; i < kernels->kernel_count; i++) {
        struct gpu_test_kernel *const kernel = &kernels->kernels[i];

        for (uint32_t j = 0; j < kernel->blocks * kernel->warps; j++)
            free(kernel->lists[j].insts);
        free(kernel->lists);
    }
}

struct gpu_test_kernel *gpu_kernels_add(struct gpu_kernels *kernels, enum gpu_isa isa, uint32_t blocks,
                                        uint32_t threads)
{
    static char files[GPU_TEST_KERNELS][10] = {"kernel-1", "kernel-2", "kernel-3", "kernel-4"};
    struct gpu_test_kernel *const kernel = &kernels->kernels[kernels->kernel_count];
    uint32_t const warp_size = isa == GPU_ISA_GCN3 ? 64 : 32;

    assert(kernels->kernel_count < GPU_TEST_KERNELS && kernels->command_count < GPU_TEST_COMMANDS);
    *kernel = (struct gpu_test_kernel){.blocks = blocks, .warps = (threads + warp_size - 1) / warp_size};
    kernel->header = (struct gpu_header){
        .name = "made_by_hand", .id = kernels->kernel_count + 1, .grid = {blocks, 1, 1}, .block = {threads, 1, 1},
        .nregs = 16, .binary_version = 70, .warp_size = warp_size, .isa = isa,
    };
    kernel->lists = calloc((size_t)blocks * kernel->warps, sizeof *kernel->lists);
    assert(kernel->lists);
    kernels->commands[kernels->command_count++] = (struct gpu_command){
        .kind = GPU_KERNEL, .line = kernels->command_count, .file = files[kernels->kernel_count++],
    };
    return kernel;
}

uint32_t gpu_kernels_static(struct gpu_test_kernel *kernel, const char *opcode, const char *registers,
                            uint16_t width_bytes)
{
    unsigned const index = kernel->static_count++;
    struct gpu_static *const made = &kernel->statics[index];
    uint16_t sources[GPU_MAX_REGISTERS], source_count = 0;
    bool is_destination = false;

    assert(index < GPU_TEST_STATICS);
    gpu_opcode_classify(&kernel->opcodes[index], opcode, kernel->header.isa, kernel->header.binary_version,
                        width_bytes != 0);
    *made = (struct gpu_static){
        .pc = 16 * index, .opcode = (uint16_t)index, .width_bytes = width_bytes, .traced_width = width_bytes,
    };
    for (const char *at = registers; *at; at++) {
        unsigned const number = (unsigned)strtoul(*at == 'R' || *at == 'S' ? at + 1 : "0", NULL, 10);

        if (*at == '>')
            is_destination = true;
        else if ((*at == 'R' || *at == 'S') && is_destination)
            made->registers[made->destination_count++] = (uint16_t)(number + (*at == 'S' ? GPU_SCALAR_REGISTER : 0));
        else if (*at == 'R' || *at == 'S')
            sources[source_count++] = (uint16_t)(number + (*at == 'S' ? GPU_SCALAR_REGISTER : 0));
    }
    made->source_count = (uint8_t)source_count;
    memcpy(made->registers + made->destination_count, sources, source_count * sizeof *sources);
    return index;
}

void gpu_kernels_execute(struct gpu_test_kernel *kernel, uint32_t block, uint32_t warp, uint32_t inst, uint64_t mask,
                         uint64_t base, int64_t stride)
{
    struct gpu_test_warp *const list = &kernel->lists[block * kernel->warps + warp];

    if (list->count == list->room) {
        list->room = list->room ? 2 * list->room : 16;
        list->insts = realloc(list->insts, list->room * sizeof *list->insts);
        assert(list->insts);
    }
    list->insts[list->count++] = (struct gpu_inst){
        .mask = mask, .base = base, .stride = stride, .index = inst,
        .mode = kernel->statics[inst].width_bytes ? GPU_ADDRESS_STRIDE : GPU_ADDRESS_NONE,
    };
}

void gpu_kernels_all(struct gpu_test_kernel *kernel, uint32_t inst, uint64_t base, int64_t stride)
{
    uint64_t const mask = kernel->header.warp_size == 64 ? UINT64_MAX : UINT32_MAX;

    for (uint32_t block = 0; block < kernel->blocks; block++)
        for (uint32_t warp = 0; warp < kernel->warps; warp++)
            gpu_kernels_execute(kernel, block, warp, inst, mask, base, stride);
}

/* ---- the source */

static struct fault open_kernel(void *self, const struct gpu_command *command, struct gpu_kernel *kernel)
{
    struct gpu_kernels *const kernels = self;
    struct gpu_test_kernel *const of = &kernels->kernels[command->file[strlen("kernel-")] - '1'];

    *kernel = (struct gpu_kernel){
        .header = of->header, .file = command->file, .statics = of->statics, .opcodes = of->opcodes,
        .static_count = of->static_count, .opcode_count = of->static_count, .reader = (struct gpu_reader *)of,
    };
    of->given = 0;
    kernels->kernels_open++;
    return fault_none();
}

static enum gpu_step next_block(void *self, struct gpu_kernel *kernel, struct gpu_block **block,
                                struct fault *error)
{
    struct gpu_kernels *const kernels = self;
    struct gpu_test_kernel *const of = (struct gpu_test_kernel *)kernel->reader;
    struct gpu_block *made;

    (void)error;
    if (of->given == of->blocks)
        return GPU_NO_BLOCK;
    made = calloc(1, sizeof *made);
    assert(made);
    *made = (struct gpu_block){.id = {of->given, 0, 0}, .warp_count = of->warps};
    made->warps = calloc(of->warps, sizeof *made->warps);
    assert(made->warps);
    for (uint32_t i = 0; i < of->warps; i++) {
        const struct gpu_test_warp *const list = &of->lists[of->given * of->warps + i];

        made->warps[i] = (struct gpu_warp_list){.insts = list->insts, .count = list->count};
    }
    of->given++;
    kernels->blocks_held++;
    *block = made;
    return GPU_BLOCK;
}

static void free_block(void *self, struct gpu_block *block)
{
    struct gpu_kernels *const kernels = self;

    kernels->blocks_held--;
    free(block->warps);
    free(block);
}

static void close_kernel(void *self, struct gpu_kernel *kernel)
{
    struct gpu_kernels *const kernels = self;

    (void)kernel;
    kernels->kernels_open--;
}

struct gpu_source gpu_kernels_source(struct gpu_kernels *kernels)
{
    return (struct gpu_source){
        .commands = kernels->commands, .command_count = kernels->command_count, .open = open_kernel,
        .next_block = next_block, .free_block = free_block, .close = close_kernel, .self = kernels,
    };
}
