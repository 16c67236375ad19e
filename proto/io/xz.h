/* xz: see each part. */
#ifndef PROTO_IO_XZ_H
#define PROTO_IO_XZ_H

#include <stdbool.h>
#include <stddef.h>

#include "proto/io/inflate.h"

/* Decompressing xz by liblzma, in the manner of proto/io/inflate.h. Streams that follow each other, and padding between
 * them, are one text; check sums are verified.
 *
 * Use: unxz_new; unxz_run as long as there is input, and once it has ended with is_end until INFLATE_END. INFLATE_OK
 * with is_end and nothing made: the data breaks off. */

#define UNXZ_MAGIC "\xfd" "7zXZ"     /* and a zero byte */
#define UNXZ_MAGIC_BYTES 6
#define UNXZ_MEMORY_MAX (UINT64_C(256) << 20)        /* xz -9 needs 65 MiB */

struct unxz;

/* NULL: out of memory. */
struct unxz *unxz_new(void);
void unxz_free(struct unxz *unxz);

/* Decompresses as much as fits; sets `made`. */
enum inflate_status unxz_run(struct unxz *unxz, struct inflate_job *job, bool is_end);

/* A file being written as xz, for proto/io/sink: level 1, check sum CRC64.
 *
 * Failures are texts, NULL if all is well. The descriptor is closed by sink_xz_close. */

struct sink_xz;

/* NULL: out of memory; the descriptor stays open. */
struct sink_xz *sink_xz_open(int descriptor);
const char *sink_xz_write(struct sink_xz *xz, const void *bytes, size_t count);
/* Frees it in any case; without `finish` the file is left as it is. */
const char *sink_xz_close(struct sink_xz *xz, bool finish);

#endif
