/* Header of a GPU kernel file (gpu-traces 2): the lines `-key = value` before the first one that begins with '#'.
 *
 * Use: gpu_header_read on a newly opened text, which is then positioned after the header. Keys may come in any order.
 * gpu_header_free in any case. */
#ifndef PROTO_GPU_HEADER_H
#define PROTO_GPU_HEADER_H

#include "proto/gpu/text.h"
#include "proto/gpu/trace.h"

#define GPU_THREADS_MAX 65536u       /* of a block; hardware has 1024 */
#define GPU_VERSION_MAX 5u           /* of the tracer */

struct fault gpu_header_read(struct gpu_text *text, struct gpu_header *header, struct gpu_warnings *warnings);
void gpu_header_free(struct gpu_header *header);

/* Warps of a block by its size; at least 1. */
static inline uint32_t gpu_header_warps(const struct gpu_header *header)
{
    uint64_t const threads = gpu_header_threads(header);

    return threads == 0 ? 1 : (uint32_t)((threads + header->warp_size - 1) / header->warp_size);
}

#endif
