/* Page maps: v2p.textproto of drmemtrace's tracer and of Google's traces (drmemtrace 9).
 *
 * Text: # begins a comment; page_size: N; blocks address_mapping { virtual_address: N physical_address: N }, on one
 * line or several, in a group or not; N decimal or behind 0x; a missing one is 0. Other fields and blocks are skipped.
 * Gzip and xz are unpacked. Errors: with the line. */
#ifndef PROTO_INSN_PAGE_MAP_H
#define PROTO_INSN_PAGE_MAP_H

#include "proto/insn/trace.h"

/* Adds the map's pages to *count pages at *pages, which are NULL and 0, or what this made before; to be freed. */
struct fault insn_page_map_read(const char *path, struct insn_page **pages, size_t *count);

#endif
