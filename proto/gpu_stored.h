/* A kernel out of a GPU store, as gpu_kernel_open and its neighbours give it; for them. */
#ifndef PROTO_GPU_STORED_H
#define PROTO_GPU_STORED_H

#include "proto/gpu_store.h"

/* Kernel `file` of the store that `folder` names, with '/' at its end. False, with or without an error: see is_store,
 * which tells whether there is such a store at all. */
bool gpu_stored_open(struct gpu_kernel *kernel, const char *folder, const char *file, bool *is_store,
                     struct proto_error *error);
void gpu_stored_close(struct gpu_kernel *kernel);
enum gpu_step gpu_stored_next_block(struct gpu_kernel *kernel, struct gpu_block **block, struct proto_error *error);

#endif
