/* GPU warp traces: the contents of a kernel file in memory (gpu-traces 1 to 6).
 *
 * A list names copies and kernels in program order; a kernel is a header and thread blocks; a block is one instruction
 * list per warp. The constant fields of an instruction (pc, opcode, registers, width, immediate, source line) are in
 * the kernel's table of static instructions; a warp's list holds index, mask, addresses.
 *
 * Use: gpu_list_open; for each kernel command gpu_list_kernel, gpu_kernel_next_block until GPU_NO_BLOCK, gpu_block_free
 * for each block when its last warp has finished, gpu_kernel_close. Only blocks that were returned and not yet freed
 * are in memory. Blocks are in the order of the file. A raw file (`.trace`) is grouped through a temporary file first.
 * Errors: one line with file, line and how to mend it (base/fault.h). Sizes are bytes. */
#ifndef PROTO_GPU_GPU_TRACE_H
#define PROTO_GPU_GPU_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "proto/gpu/opcode.h"
#include "proto/io/bytes.h"

#define GPU_MAX_LANES 64
#define GPU_MAX_REGISTERS 32             /* of one instruction; more are dropped with a warning */
#define GPU_MAX_WIDTH 64                 /* bytes of one lane */
#define GPU_SCALAR_REGISTER 256          /* number of S0; vector registers R0.. are 0..; VCC, EXEC, M0: as operands */
#define GPU_ZERO_REGISTER 255            /* SASS only */

/* ---- lists (1) */

/* COPY_TO_HOST: kept, and of no effect. Stores hold these numbers. */
enum gpu_command_kind { GPU_COPY_TO_DEVICE, GPU_KERNEL, GPU_COPY_TO_HOST };

struct gpu_command {
    enum gpu_command_kind kind;
    uint64_t line;                       /* of the list, from 1 */
    uint64_t address, bytes;             /* of a copy */
    char *file;                          /* of a kernel, as the list names it; NULL for a copy */
};

struct gpu_format;

struct gpu_list {
    char *path;                          /* of the list itself */
    char *folder;                        /* its folder with '/', "" for the working folder */
    struct gpu_command *commands;
    size_t count;
    char **warnings;                     /* one line each, ready to print */
    size_t warning_count;
    const struct gpu_format *format;     /* NULL: kernels are files in the folder, or in a store */
    void *source;                        /* the format's own */
};

/* path: a list, a folder that holds one (the first whose kernels exist of kernelslist.g, kernelslist,
 * kernelslist_ctx_*.g, kernelslist_ctx_*), a kernel's file, which is taken for a list of itself, or a store of lists
 * and kernels (proto/gpu/gpu_store.h); files also without or with .xz or .gz. Checks that all kernels exist, as NAME,
 * NAME.xz, NAME.gz, or NAME without such an ending. On failure nothing remains open. proto/trace_formats.h opens
 * more. */
struct fault gpu_list_open(struct gpu_list *list, const char *path);
/* The same for a list in memory; path names it and gives its folder. */
struct fault gpu_list_open_memory(struct gpu_list *list, const char *path, const void *data, size_t size);
void gpu_list_close(struct gpu_list *list);

/* Could a file that begins so be a list or a kernel's file? By its content or its name; no verdict on the whole. */
bool gpu_list_is(struct trace_bytes *head);
/* Does the folder have a list? */
bool gpu_list_is_in(const char *folder);

/* ---- kernels (2) */

struct gpu_header_key {
    char *key, *value;                   /* a key that no field below holds */
};

struct gpu_header {
    char *name;
    uint64_t id, stream;
    uint32_t grid[3], block[3];          /* as printed: x, y, z */
    uint64_t shmem_bytes;                /* of a block */
    uint32_t nregs;                      /* of a thread */
    uint32_t binary_version;
    uint64_t shmem_base, local_base;     /* 0: not known (8.1) */
    char nvbit_version[32];
    char tracer_version[16];             /* as printed, "" if missing */
    uint32_t tracer_major;
    bool has_line_info;
    uint32_t warp_size;                  /* 32 or 64 */
    enum gpu_isa isa;
    uint32_t max_blocks;                 /* on an SM at once; 0: not said (MacSim) */
    struct gpu_header_key *others;
    size_t other_count;
};

/* Threads of a block. */
static inline uint64_t gpu_header_threads(const struct gpu_header *header)
{
    return (uint64_t)header->block[0] * header->block[1] * header->block[2];
}

/* ---- instructions (3) */

struct gpu_static {
    uint64_t pc;
    int64_t immediate;                   /* 0 if the version has none */
    uint32_t line;                       /* of the source, 0 if not known */
    uint16_t opcode;                     /* index of the kernel's opcodes */
    uint16_t width_bytes;                /* of one lane, by 3.3; 0: no addresses */
    uint16_t traced_width;               /* mem_width as printed */
    uint8_t destination_count, source_count;
    bool commits_group;                  /* of a matrix product of a warpgroup (version 6): the last of its group */
    uint16_t registers[GPU_MAX_REGISTERS];       /* destinations, then sources; S registers from 256 on */
};

enum gpu_address_mode { GPU_ADDRESS_LIST, GPU_ADDRESS_STRIDE, GPU_ADDRESS_DELTAS, GPU_ADDRESS_NONE };

/* One execution by a warp. */
struct gpu_inst {
    uint64_t mask;                       /* bit i: lane i is active */
    uint64_t base;                       /* first address; mode LIST: as values[0] */
    int64_t stride;                      /* mode STRIDE */
    uint32_t index;                      /* of the kernel's static instructions */
    uint32_t values_at;                  /* modes LIST, DELTAS: of the block's values */
    uint8_t value_count;                 /* the same: addresses, or deltas after the base */
    uint8_t mode;                        /* enum gpu_address_mode, as in the file */
};

struct gpu_warp_list {
    const struct gpu_inst *insts;
    uint32_t count;                      /* 0: the warp exits at once */
};

/* Blocks that run at the same time on SMs that are neighbours (version 6). */
#define GPU_CLUSTER_MAX 16u              /* blocks of a cluster, on any GPU */

struct gpu_cluster {
    uint32_t id[3];                      /* of the cluster in the grid */
    uint32_t block[3], rank;             /* of the block in the cluster */
};

struct gpu_block {
    uint32_t id[3];                      /* x, y, z */
    struct gpu_cluster cluster;          /* all 0: the trace has none */
    uint32_t warp_count;                 /* by the kernel's block size and warp size, or more if the file has more */
    struct gpu_warp_list *warps;
    const int64_t *values;               /* addresses and deltas */
    void *memory;                        /* reader's own */
};

/* Addresses of an execution: lane i's in addresses[i]; the answer is the mask of lanes that have one (3.4). A scalar
 * access has one, in lane 0. */
uint64_t gpu_inst_addresses(const struct gpu_block *block, const struct gpu_inst *inst, bool is_scalar,
                            uint64_t addresses[GPU_MAX_LANES]);

struct gpu_kernel {
    struct gpu_header header;
    char *file;                          /* as opened */
    /* Tables grow while blocks are read; entries never change. Pointers into them hold until the next block is read. */
    struct gpu_static *statics;
    size_t static_count;
    struct gpu_opcode *opcodes;          /* one for each text */
    size_t opcode_count;
    uint64_t blocks_read;
    char **warnings;                     /* one line each, ready to print; grows while blocks are read */
    size_t warning_count;
    const struct gpu_format *format;     /* reads it */
    void *reader;                        /* the format's own */
};

enum gpu_step { GPU_BLOCK, GPU_NO_BLOCK, GPU_FAILED };

struct gpu_streams;

/* How kernels of one format are read: text (proto/gpu/gpu_kernel.c), stores (proto/gpu/gpu_stored.c), MacSim sets
 * (proto/macsim/macsim_kernel.c). */
struct gpu_format {
    /* As gpu_kernel_next_block; close frees the reader. */
    enum gpu_step (*next_block)(struct gpu_kernel *kernel, struct gpu_block **block, struct fault *error);
    void (*close)(struct gpu_kernel *kernel);
    /* The files that the kernel's file names; NULL: it names none. */
    struct fault (*look_at_streams)(const struct gpu_kernel *kernel, struct gpu_streams *streams);
    /* Of lists that have a format: as gpu_list_kernel; close_list frees the source. */
    struct fault (*open)(struct gpu_kernel *kernel, const struct gpu_list *list, const char *file);
    void (*close_list)(struct gpu_list *list);
};

/* file: as a command of the list names it. The list must stay open. Reads the header. On failure nothing remains
 * open. */
struct fault gpu_list_kernel(struct gpu_kernel *kernel, const struct gpu_list *list, const char *file);
/* The same without a list; not for lists that have a format. folder: as of the list. */
struct fault gpu_kernel_open(struct gpu_kernel *kernel, const char *folder, const char *file);
/* The same for a grouped file in memory, which must outlive the kernel. */
struct fault gpu_kernel_open_memory(struct gpu_kernel *kernel, const char *name, const void *data, size_t size);
/* Blocks still held stay valid until they are freed. */
void gpu_kernel_close(struct gpu_kernel *kernel);
/* The block is the caller's. After GPU_NO_BLOCK or GPU_FAILED the answer stays the same. */
enum gpu_step gpu_kernel_next_block(struct gpu_kernel *kernel, struct gpu_block **block, struct fault *error);
void gpu_block_free(struct gpu_block *block);

/* For readers: a block in one piece of memory, with room for its warps' lists (not filled in), instructions and values.
 * NULL: out of memory. */
struct gpu_block *gpu_block_new(const uint32_t id[3], uint32_t warp_count, uint64_t inst_count, uint64_t value_count);
static inline struct gpu_inst *gpu_block_insts(struct gpu_block *block)
{
    return (struct gpu_inst *)(void *)(block + 1);
}
/* The same with copies of these. */
struct gpu_block *gpu_block_copy(const uint32_t id[3], uint32_t warp_count, const struct gpu_inst *insts,
                                 size_t inst_count, const int64_t *values, size_t value_count);

#endif
