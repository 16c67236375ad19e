/* Decompressing xz by liblzma, in the manner of proto/io/inflate.h. Streams that follow each other, and padding between
 * them, are one text; check sums are verified.
 *
 * Use: unxz_new; unxz_run as long as there is input, and once it has ended with is_end until INFLATE_END. INFLATE_OK
 * with is_end and nothing made: the data breaks off. */
#ifndef PROTO_IO_UNXZ_H
#define PROTO_IO_UNXZ_H

#include <stdbool.h>

#include "proto/io/inflate.h"

#define UNXZ_MAGIC "\xfd" "7zXZ"     /* and a zero byte */
#define UNXZ_MAGIC_BYTES 6
#define UNXZ_MEMORY_MAX (UINT64_C(256) << 20)        /* xz -9 needs 65 MiB */

struct unxz;

/* NULL: out of memory. */
struct unxz *unxz_new(void);
void unxz_free(struct unxz *unxz);

/* Decompresses what fits; sets `made`. */
enum inflate_status unxz_run(struct unxz *unxz, struct inflate_job *job, bool is_end);

#endif
