/* The layout that stores share, whatever they hold: head and meta (proto/store/format.h), parts between them.
 *
 * Use, reading: store_file_check, which finds meta, of a container; writing: store_file_write_at, store_file_end. */
#ifndef PROTO_STORE_FILE_H
#define PROTO_STORE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "proto/container/container.h"

/* What to do with a store that is damaged. */
#define STORE_MEND "make it again with `rubato trace pack`"

/* Checks the head, and that meta is where it says and has the right hash. */
struct fault store_file_check(const struct container *file, const struct container_kind *kind, const uint8_t **meta,
                              uint64_t *meta_bytes);

/* path: named in errors. */
struct fault store_file_write_at(const char *path, int file, const void *bytes, size_t count, uint64_t place);
/* Writes meta at `place`, the slack behind it, and then the head, which makes the file a store. */
struct fault store_file_end(const char *path, int file, const struct container_kind *kind, const void *meta,
                            size_t meta_bytes, uint64_t place);
/* The same for a trace store with learnt data at `learnt` (0: without). */
struct fault store_file_end_learnt(const char *path, int file, const struct container_kind *kind, const void *meta,
                                   size_t meta_bytes, uint64_t place, uint64_t learnt);

#endif
