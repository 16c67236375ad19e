/* Writes a GPU store (proto/gpu/store_format.h), kernel after kernel: used to pack a list, and by captures, which have
 * no list.
 *
 * Use: gpu_store_writer_open; for each kernel gpu_store_writer_kernel, gpu_store_writer_block for its blocks, and
 * gpu_store_writer_kernel_end; gpu_store_writer_command for each command of the list, in its order and at any time
 * after its kernel has begun; gpu_store_writer_finish, or gpu_store_writer_abandon, which free it.
 * Memory: one chunk, and the tables of one kernel. No store appears under its name before gpu_store_writer_finish.
 * Errors: one line with the path. After one only gpu_store_writer_abandon helps, but for a full disk: what a kernel had
 * written until then may be ended by gpu_store_writer_kernel_end, if the disk takes that. */
#ifndef PROTO_GPU_STORE_WRITER_H
#define PROTO_GPU_STORE_WRITER_H

#include "proto/gpu/store.h"

struct gpu_store_writer;

struct gpu_store_writer *gpu_store_writer_open(const char *path, struct fault *error);
/* The next kernel, by the name of its file; its number. */
struct fault gpu_store_writer_kernel(struct gpu_store_writer *writer, const char *file, size_t *number);
struct fault gpu_store_writer_block(struct gpu_store_writer *writer, const struct gpu_block *block);
/* kernel: header, statics, opcodes, and warnings, of which warnings_at_opening are known before a block is read.
 * source: its path is owned by the writer afterwards, unless this fails; NULL: no source file, the hash is that of the
 * written content. */
struct fault gpu_store_writer_kernel_end(struct gpu_store_writer *writer, const struct gpu_kernel *kernel,
                                         size_t warnings_at_opening, const struct store_source *source,
                                         const struct gpu_streams *streams);
/* kernel: number of one; of copies 0. `command->file` is not looked at. */
struct fault gpu_store_writer_command(struct gpu_store_writer *writer, const struct gpu_command *command,
                                      size_t kernel);
/* Bytes of the file until now. */
uint64_t gpu_store_writer_bytes(const struct gpu_store_writer *writer);
/* source: of the list; hash 0: that of the written content is used. Frees the writer in any case. */
struct fault gpu_store_writer_finish(struct gpu_store_writer *writer, const struct store_source *source,
                                     char *const *warnings, size_t warning_count);
void gpu_store_writer_abandon(struct gpu_store_writer *writer);

#endif
