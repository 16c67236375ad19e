/* Store of GPU traces: a list and all its kernels in one compact file that is mapped and read many times faster than
 * the text. Format: proto/gpu/gpu_store_format.h.
 *
 * Use: gpu_store_pack makes one. gpu_list_open takes its path, and gpu_kernel_open the names of its list: the store
 * acts as their folder. The results are the same as from the text, except that all static instructions and opcodes are
 * known when the kernel is opened.
 * Below that: gpu_store_open, gpu_store_about, gpu_store_check; gpu_store_list and gpu_store_kernel_open correspond to
 * gpu_list_open and gpu_kernel_open. Each part's hash is compared before the part is read; a damaged file is an error,
 * never a wrong trace. A store is never changed, so threads may share it. */
#ifndef PROTO_GPU_GPU_STORE_H
#define PROTO_GPU_GPU_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "proto/gpu/gpu_trace.h"
#include "proto/store/store.h"

/* Files that a kernel's file names, as one: a store of thousands of them remembers one hash. */
struct gpu_streams {
    uint64_t count, bytes;               /* number of files, and their bytes on disk */
    uint64_t hash;                       /* of the files' hashes, in the order in which they are named */
};

/* A kernel's file. */
struct gpu_store_kernel {
    char *file;                      /* as the list names it */
    struct store_source source;      /* the file that was read */
    struct gpu_streams streams;      /* those that it names */
    uint64_t blocks, insts;          /* thread blocks, warp instructions */
    uint64_t place;                  /* of its tables in the store */
    uint64_t content;                /* while it is written: of the hashes of its blocks */
};

struct gpu_store_about {
    struct store_source list;
    struct gpu_store_kernel *kernels;        /* each file once */
    size_t kernel_count;
    uint64_t blocks, insts;          /* of all */
    uint64_t file_bytes;
};

struct gpu_store;

bool gpu_store_detect(const char *path);
/* NULL on failure. */
struct gpu_store *gpu_store_open(const char *path, struct fault *error);
/* From memory, which must outlive the store; `name` is used in errors. */
struct gpu_store *gpu_store_open_memory(const char *name, const void *data, size_t size, struct fault *error);
void gpu_store_close(struct gpu_store *store);
const struct gpu_store_about *gpu_store_about(const struct gpu_store *store);
const char *gpu_store_name(const struct gpu_store *store);
/* Reads everything. */
struct fault gpu_store_check(const struct gpu_store *store);

/* To be closed by gpu_list_close. */
struct fault gpu_store_list(const struct gpu_store *store, struct gpu_list *list);
/* number: of about's kernels. To be closed by gpu_kernel_close, before the store. */
struct fault gpu_store_kernel_open(const struct gpu_store *store, size_t number, struct gpu_kernel *kernel);

/* list: an open one; it stays open. On failure no store remains, and one that stood there stays. Warnings are those of
 * the readers; the store keeps them, too. */
struct fault gpu_store_pack(const struct gpu_list *list, const char *store_path);

/* Writes a GPU store (proto/gpu/gpu_store_format.h), kernel after kernel: used to pack a list, and by captures, which
 * have no list.
 *
 * Use: gpu_store_writer_open; for each kernel gpu_store_writer_kernel, gpu_store_writer_block for its blocks, and
 * gpu_store_writer_kernel_end; gpu_store_writer_command for each command of the list, in its order and at any time
 * after its kernel has begun; gpu_store_writer_finish, or gpu_store_writer_abandon, which free it.
 * Memory: one chunk, and the tables of one kernel. No store appears under its name before gpu_store_writer_finish.
 * Errors: one line with the path. After one only gpu_store_writer_abandon may be called, except after a full disk:
 * the part of a kernel written until then may be ended by gpu_store_writer_kernel_end, if the disk has room for
 * that. */

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
