/* Where pages lie, as DynamoRIO's tracer says: v2p.textproto (drmemtrace 9). Plain, gzip or xz.
 *
 * Use: v2p_read, v2p_free, also after a fault. Addresses are multiples of page_bytes, a power of two from 4 KiB to
 * 1 GiB. The order is that of the file. */
#ifndef PROTO_INSN_V2P_H
#define PROTO_INSN_V2P_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"

struct v2p_page {
    uint64_t address, physical;
    uint64_t line;                   /* in the file, where it ends */
};

struct v2p_map {
    uint64_t page_bytes;
    struct v2p_page *pages;
    size_t count, room;
};

struct fault v2p_read(const char *path, struct v2p_map *map);
void v2p_free(struct v2p_map *map);

#endif
