/* Where pages lie, as DynamoRIO's tracer says: v2p.textproto (drmemtrace 9). Plain, gzip or xz.
 *
 * Use: v2p_read, v2p_free, also after a fault. Addresses are multiples of page_bytes, a power of two from 4 KiB to
 * 1 GiB. The order is that of the file. */
#ifndef PROTO_INSN_V2P_H
#define PROTO_INSN_V2P_H

#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "proto/insn/insn_trace.h"

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

/* Page maps: v2p.textproto of drmemtrace's tracer and of Google's traces (drmemtrace 9).
 *
 * Text: # begins a comment; page_size: N; blocks address_mapping { virtual_address: N physical_address: N }, on one
 * line or several, in a group or not; N decimal or behind 0x; a missing one is 0. Other fields and blocks are skipped.
 * Gzip and xz are unpacked. Errors: with the line. */

/* Adds the map's pages to *count pages at *pages, which are NULL and 0, or the result of an earlier call; to be
 * freed. */
struct fault insn_page_map_read(const char *path, struct insn_page **pages, size_t *count);

#endif
