/* GPU applications of a MacSim set as a list of kernels (macsim-traces 1, 4.2, 4.3, 5); for proto/gpu_trace.h, which
 * says how to use them.
 *
 * Blocks and warps are those of the ids. A warp's number in its block is its place among them, since the ids of older
 * N64 sets are hardware warps and have gaps. Blocks come in the order in which the header names them first. Files are
 * open one at a time, while they are read. */
#ifndef PROTO_MACSIM_KERNEL_H
#define PROTO_MACSIM_KERNEL_H

#include "proto/gpu_trace.h"
#include "proto/macsim_set.h"

/* Of a list; the list owns it. */
struct macsim_list {
    struct macsim_set set;
    bool compat;
};

/* Is there a GPU application in the set? One that cannot be opened has none. */
bool macsim_list_detect(const char *path);
/* Fails if there is none, too. *list is all empty before. */
bool macsim_list_open(struct gpu_list *list, const char *path, const struct gpu_list_options *options,
                      struct proto_error *error);
void macsim_list_close(struct macsim_list *macsim);
/* Has the set CPU applications as well? NULL: no. */
bool macsim_list_has_threads(const struct macsim_list *macsim);

/* file: as a command of the list names it. On failure nothing remains open. */
bool macsim_kernel_open(struct gpu_kernel *kernel, const struct gpu_list *list, const char *file,
                        struct proto_error *error);
void macsim_kernel_close(struct gpu_kernel *kernel);
enum gpu_step macsim_kernel_next_block(struct gpu_kernel *kernel, struct gpu_block **block, struct proto_error *error);

#endif
