/* Hand-made GPU kernels: what a test says each warp executes, given to a run as if it had been read.
 *
 * Use: gpu_kernels_init; gpu_kernels_add for each kernel; gpu_kernels_static for each instruction, and
 * gpu_kernels_execute for each execution by a warp (or gpu_kernels_all for all warps); gpu_kernels_source; after the
 * run gpu_kernels_free. Pcs are 16 bytes apart. Blocks that were given and not given back are counted. */
#ifndef TESTS_SUPPORT_GPU_KERNELS_H
#define TESTS_SUPPORT_GPU_KERNELS_H

#include "replay/gpu/gpu_run.h"

enum { GPU_TEST_KERNELS = 4, GPU_TEST_COMMANDS = 8, GPU_TEST_STATICS = 64 };

struct gpu_test_warp {
    struct gpu_inst *insts;
    uint32_t count, room;
};

struct gpu_test_kernel {
    struct gpu_header header;
    struct gpu_static statics[GPU_TEST_STATICS];
    struct gpu_opcode opcodes[GPU_TEST_STATICS];
    unsigned static_count;
    uint32_t blocks, warps;              /* warps of a block */
    uint32_t given;
    struct gpu_test_warp *lists;         /* block by block */
};

struct gpu_kernels {
    struct gpu_test_kernel kernels[GPU_TEST_KERNELS];
    struct gpu_command commands[GPU_TEST_COMMANDS];
    unsigned kernel_count, command_count;
    int blocks_held, kernels_open;
};

void gpu_kernels_init(struct gpu_kernels *kernels);
void gpu_kernels_free(struct gpu_kernels *kernels);

/* Adds a kernel and its command. threads: of a block. Header fields may be changed afterwards. */
struct gpu_test_kernel *gpu_kernels_add(struct gpu_kernels *kernels, enum gpu_isa isa, uint32_t blocks,
                                        uint32_t threads);

/* registers: "R1 R2 > R3": sources, then destinations behind the sign; S registers as S0. The answer is the index. */
uint32_t gpu_kernels_static(struct gpu_test_kernel *kernel, const char *opcode, const char *registers,
                            uint16_t width_bytes);

void gpu_kernels_execute(struct gpu_test_kernel *kernel, uint32_t block, uint32_t warp, uint32_t inst, uint64_t mask,
                         uint64_t base, int64_t stride);
/* Every warp of every block, with all lanes and, where the instruction has addresses, base and stride. */
void gpu_kernels_all(struct gpu_test_kernel *kernel, uint32_t inst, uint64_t base, int64_t stride);

struct gpu_source gpu_kernels_source(struct gpu_kernels *kernels);

#endif
