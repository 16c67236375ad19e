/* A file being written as xz, for proto/io/sink: level 1, check sum CRC64.
 *
 * Failures are texts, NULL if all is well. The descriptor is closed by sink_xz_close. */
#ifndef PROTO_IO_SINK_XZ_H
#define PROTO_IO_SINK_XZ_H

#include <stdbool.h>
#include <stddef.h>

struct sink_xz;

/* NULL: out of memory; the descriptor stays open. */
struct sink_xz *sink_xz_open(int descriptor);
const char *sink_xz_write(struct sink_xz *xz, const void *bytes, size_t count);
/* Frees it in any case; without `finish` the file is left as it is. */
const char *sink_xz_close(struct sink_xz *xz, bool finish);

#endif
