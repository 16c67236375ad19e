/* Kernels out of a GPU store, for proto/gpu/kernel.c. */
#ifndef PROTO_GPU_STORED_H
#define PROTO_GPU_STORED_H

#include "proto/gpu/store.h"

/* Kernel `file` of the store that `folder` names, with '/' at its end. *is_store: whether there is such a store; if
 * not, nothing is opened. */
struct fault gpu_stored_open(struct gpu_kernel *kernel, const char *folder, const char *file, bool *is_store);

#endif
