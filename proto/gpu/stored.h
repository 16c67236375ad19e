/* Kernels out of a GPU store, for proto/gpu/kernel.c. */
#ifndef PROTO_GPU_STORED_H
#define PROTO_GPU_STORED_H

#include "proto/gpu/store.h"

/* Kernel `file` of the store that `folder` names, with '/' at its end. False, with or without an error: see is_store,
 * which says whether there is such a store at all. */
bool gpu_stored_open(struct gpu_kernel *kernel, const char *folder, const char *file, bool *is_store,
                     struct fault *error);

#endif
