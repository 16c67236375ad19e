/* GPU applications of a MacSim set as a list of kernels (macsim-traces 1, 4.2, 4.3, 5); for proto/gpu/trace.h, which
 * says how to use them.
 *
 * Blocks and warps are those of the ids. A warp's number in its block is its place among them, since the ids of older
 * N64 sets are hardware warps and have gaps. Blocks come in the order in which the header names them first. Files are
 * open one at a time, while they are read. */
#ifndef PROTO_MACSIM_KERNEL_H
#define PROTO_MACSIM_KERNEL_H

#include "proto/gpu/trace.h"
#include "proto/macsim/set.h"

/* Is there a GPU application in the set? One that cannot be opened has none. */
bool macsim_list_detect(const char *path);
/* An empty list is an error, too. override: of the format, NULL without. compat: with the reference's documented
 * defects (proto/macsim/warp.c). To be closed by gpu_list_close. */
struct fault macsim_list_open(struct gpu_list *list, const char *path, const struct macsim_override *override,
                              bool compat);
/* Is it a list of a MacSim set? Has that CPU applications as well? */
bool macsim_list_is(const struct gpu_list *list);
bool macsim_list_has_threads(const struct gpu_list *list);

#endif
