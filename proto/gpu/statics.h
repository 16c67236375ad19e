/* Static instructions of a kernel (proto/gpu/trace.h), each once, indexed by their contents.
 *
 * Use: gpu_statics_init; gpu_statics_find for each execution; gpu_statics_free. Entries never change; `items` moves
 * when it grows. An index is below 2^31. */
#ifndef PROTO_GPU_STATICS_H
#define PROTO_GPU_STATICS_H

#include "proto/gpu/trace.h"

struct gpu_statics {
    struct gpu_static *items;
    size_t count, room;
    uint32_t *table;                 /* open hashing; 0: empty */
    size_t slots;                    /* a power of two */
};

/* False: out of memory. */
bool gpu_statics_init(struct gpu_statics *statics);
void gpu_statics_free(struct gpu_statics *statics);

/* Finds the index of the static instruction equal to `fixed`, which is added if missing. width_bytes follows from the
 * other fields and is not compared. False: out of memory, or too many. */
bool gpu_statics_find(struct gpu_statics *statics, const struct gpu_static *fixed, uint32_t *index);

#endif
