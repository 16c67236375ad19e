/* Turns raw GPU kernel files into grouped ones (gpu-traces 4): the lines of a raw file are in the order of the device's
 * delivery; those of a grouped one are sorted by block and warp.
 *
 * Use: gpu_group_file into a text sink (proto/io/sink.h), or gpu_group_temporary where the result is only read. Memory
 * is bounded for any size of file: lines are sorted in runs of at most memory_bytes, which are written to a temporary
 * file and merged from there. It lies in $TMPDIR, else in /tmp, and has no name, so that it vanishes with the process.
 * The same input gives the same bytes for any memory_bytes.
 *
 * Header and blank lines are copied. The ids, and the columns of cores if the tracer wrote them, are left out of the
 * lines, except for tracers before version 3, whose grouped lines keep their ids (5). Of two records of one LDGSTS the
 * first is left out. A warp of the block that has no line is written with `insts = 0`; a block without any is left
 * out, with a warning. Errors name file and line. */
#ifndef PROTO_GPU_GPU_GROUP_H
#define PROTO_GPU_GPU_GROUP_H

#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "proto/gpu/gpu_text.h"
#include "proto/io/sink.h"

#define GPU_GROUP_MEMORY_BYTES ((size_t)4 << 20)     /* default, for memory_bytes 0 */

struct gpu_group_report {
    uint64_t blocks, warps, insts;   /* written; warps and blocks with at least one instruction */
    uint64_t left_out;               /* first records of LDGSTS pairs */
};

/* path: plain, gzip or xz, by its content. The sink stays the caller's, to close or to discard. `report` is filled on
 * success. Warnings are added to those that are there. */
struct fault gpu_group_file(const char *path, struct sink *to, size_t memory_bytes, struct gpu_group_report *report,
                            struct gpu_warnings *warnings);

/* The same into a temporary file without a name. The answer is its descriptor, at the first byte, the caller's to
 * close; -1 on failure. */
int gpu_group_temporary(const char *path, size_t memory_bytes, struct gpu_group_report *report,
                        struct gpu_warnings *warnings, struct fault *error);

#endif
