/* Turns the plugin's messages (ring.h) into a store of GPU traces.
 *
 * Use: ocl_recorder_open with zeroed memory; ocl_recorder_take for each message, in its order; ocl_recorder_finish,
 * after which the store is there under its name; ocl_recorder_free.
 * A work-group is written when its end is reported. Ownership: `told` outlives the recorder, which keeps it up to date.
 * Errors: FAULT_INPUT for inconsistent messages or if the output cannot be created; after one, ocl_recorder_finish
 * still writes all complete work-groups, as far as the disk permits. */
#ifndef OPENCL_RECORDER_H
#define OPENCL_RECORDER_H

#include "proto/capture/opencl/warps.h"
#include "proto/gpu/gpu_store.h"
#include "proto/gpu/gpu_text.h"

enum { OCL_KEYS_MAX = 70 };

struct ocl_told {
    uint64_t kernels, copies, copied_bytes, copies_back, copied_back_bytes;
    uint64_t instructions;               /* that work-items executed, as the plugin counted */
    uint64_t async_bytes;                /* of asynchronous copies, which are not in the trace */
    uint64_t groups_lost;                /* begun, and not ended */
    uint64_t troubles;                   /* errors that Oclgrind reported */
    char trouble[200];                   /* first line of the first */
};

struct ocl_recorder {
    struct ocl_told *told;
    struct ocl_code code;
    struct ocl_warps warps;
    struct gpu_store_writer *writer;
    struct gpu_kernel kernel;            /* header of the one that runs */
    struct gpu_header_key keys[OCL_KEYS_MAX];
    size_t kernel_number;
    bool in_kernel, is_ready, in_group;
};

/* warp_size: 32, SASS; 64, GCN3. */
struct fault ocl_recorder_open(struct ocl_recorder *recorder, const char *output, unsigned warp_size,
                               struct ocl_told *told);
struct fault ocl_recorder_take(struct ocl_recorder *recorder, unsigned type, const uint64_t *words, size_t count);
/* argv: of the program, which the store names as its source. writes: else nothing is left under the name. */
struct fault ocl_recorder_finish(struct ocl_recorder *recorder, char *const *argv, struct fault so_far,
                                 uint64_t *bytes);
void ocl_recorder_free(struct ocl_recorder *recorder);

struct fault ocl_makes_no_sense(void);

#endif
