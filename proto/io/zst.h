/* zstd: see each part. */
#ifndef PROTO_IO_ZST_H
#define PROTO_IO_ZST_H

#include <stdbool.h>
#include <stddef.h>

#include "proto/io/inflate.h"

/* Decompressing zstd by libzstd, in the manner of proto/io/inflate.h. Frames that follow each other are one text; check
 * sums are verified where frames have them. A window is at most 128 MiB, as zstd's own command has it.
 *
 * Use: unzst_new; unzst_run as long as there is input, and once it has ended with is_end until INFLATE_END. INFLATE_OK
 * with is_end and nothing made: the data breaks off. */

#define UNZST_MAGIC "\x28\xb5\x2f\xfd"
#define UNZST_MAGIC_BYTES 4

struct unzst;

/* NULL: out of memory. */
struct unzst *unzst_new(void);
void unzst_free(struct unzst *unzst);

/* Decompresses as much as fits; sets `made`. */
enum inflate_status unzst_run(struct unzst *unzst, struct inflate_job *job, bool is_end);

/* A file being written as zstd, for proto/io/sink: level 1, with check sums.
 *
 * Failures are texts, NULL if all is well. The descriptor is closed by sink_zst_close. */

struct sink_zst;

/* NULL: out of memory; the descriptor stays open. */
struct sink_zst *sink_zst_open(int descriptor);
const char *sink_zst_write(struct sink_zst *zst, const void *bytes, size_t count);
/* Frees it in any case; without `finish` the file is left as it is. */
const char *sink_zst_close(struct sink_zst *zst, bool finish);

#endif
