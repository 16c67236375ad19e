/* Store of GPU traces: a list and all its kernels in one compact file that is mapped and read many times faster than
 * the text. Format: proto/gpu/store_format.h.
 *
 * Use: gpu_store_pack makes one. gpu_list_open takes its path, and gpu_kernel_open the names of its list: the store
 * acts as their folder. The results are the same as from the text, except that all static instructions and opcodes are
 * known when the kernel is opened.
 * Below that: gpu_store_open, gpu_store_about, gpu_store_check; gpu_store_list and gpu_store_kernel_open do what
 * gpu_list_open and gpu_kernel_open do. Each part's hash is compared before the part is read; a damaged file is an
 * error, never a wrong trace. A store is never changed, so threads may share it. */
#ifndef PROTO_GPU_STORE_H
#define PROTO_GPU_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "proto/gpu/trace.h"
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
    uint64_t place, bytes, hash;     /* of its tables in the store */
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

#endif
