/* Writes a kernel as Accel-Sim's grouped text (gpu-traces 2 to 4.2): what gpu_kernel_open reads back as the same.
 *
 * Use: gpu_text_write_kernel with an open kernel and a text sink (proto/io/sink.h), which stays the caller's. Blocks
 * are read from the kernel until its end.
 * Lines have the layout of the header's tracer version: ids before 3, a line number with line info, an immediate from
 * 5 on. Keys that Accel-Sim does not know are written as further keys, which it leaves out.
 * Errors: FAULT_INPUT for PTX, which has no such form; else those of the reader and of the sink. */
#ifndef PROTO_GPU_TEXT_WRITE_H
#define PROTO_GPU_TEXT_WRITE_H

#include <stdbool.h>

#include "base/fault.h"
#include "proto/gpu/trace.h"
#include "proto/io/sink.h"

struct gpu_text_written {
    uint64_t blocks, warps, insts;
    uint64_t empty_warps;                /* without instructions, which Accel-Sim's own reader does not accept */
};

/* Counts are added to those that are there. */
struct fault gpu_text_write_kernel(struct gpu_kernel *kernel, struct sink *to, struct gpu_text_written *written);

#endif
