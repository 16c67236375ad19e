/* `.tracez`, the packed kernel files of Accel-Sim 2.0 (gpu-traces 4.4): a header, a dictionary, the lines of each warp
 * in frames of zstd, and an index at the end. All numbers are little-endian.
 *
 * Reading: gpu_tracez_open, gpu_tracez_next until GPU_TEXT_END, gpu_tracez_close. The file is given as the grouped text
 * that it stands for, byte for byte what Accel-Sim's tool writes with --text, so that lines in errors are counted in
 * that text. Memory: one frame and its text, and windows of the file; the index is read as it is needed, and checked
 * against the frames. A container is never changed.
 * Errors: one line with the file, the byte and what is wrong there. */
#ifndef PROTO_GPU_TRACEZ_H
#define PROTO_GPU_TRACEZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "proto/gpu/gpu_text.h"
#include "proto/io/io_stream.h"
#include "proto/io/sink.h"

#define GPU_TRACEZ_CHUNK_LINES 2048u     /* of a frame that is written */
#define GPU_TRACEZ_TEXT_MAX (UINT64_C(256) << 20)    /* bytes of a frame's text */

struct gpu_tracez;

bool gpu_tracez_is(const char *path);
/* A file, or memory, which must outlive it. NULL on failure. */
struct gpu_tracez *gpu_tracez_open(const struct stream_source *source, struct fault *error);
void gpu_tracez_close(struct gpu_tracez *container);
const char *gpu_tracez_name(const struct gpu_tracez *container);
/* The next whole lines, valid until the next call. */
enum gpu_text_step gpu_tracez_next(struct gpu_tracez *container, const uint8_t **from, const uint8_t **end,
                                   struct fault *error);

/* Writing: gpu_tracez_writer_new for a sink of bytes, which stays the caller's; the header's text; each block, its
 * warps from 0 on and their lines; gpu_tracez_writer_finish, which writes the index, and gpu_tracez_writer_free. The
 * lines of the first block, up to 64 KiB, are the dictionary. Memory: those, the lines of a frame, and the index. */

struct gpu_tracez_writer;

/* NULL: out of memory. */
struct gpu_tracez_writer *gpu_tracez_writer_new(struct sink *to);
void gpu_tracez_writer_free(struct gpu_tracez_writer *writer);
struct fault gpu_tracez_writer_header(struct gpu_tracez_writer *writer, const void *text, size_t bytes);
struct fault gpu_tracez_writer_block(struct gpu_tracez_writer *writer, const struct gpu_block *block);
struct fault gpu_tracez_writer_warp(struct gpu_tracez_writer *writer);
/* A line with its newline. */
struct fault gpu_tracez_writer_line(struct gpu_tracez_writer *writer, const char *line, size_t bytes);
struct fault gpu_tracez_writer_finish(struct gpu_tracez_writer *writer);

#endif
