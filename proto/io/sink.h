/* A trace file being written: magic, then messages with their lengths (elastic-trace 1.1), or plain text.
 *
 * Use: sink_open, sink_message for header and records, sink_close; on failure sink_discard. Gzip if the text behind the
 * last dot of the name is "gz". A file of that name is always whole (base/output_file.h).
 * Text: sink_open_text and sink_write, with xz and zstd, too, by the name; all compress at level 1. */
#ifndef PROTO_IO_SINK_H
#define PROTO_IO_SINK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/fault.h"

struct sink;

/* NULL on failure. */
struct sink *sink_open(const char *path, struct fault *error);
struct fault sink_message(struct sink *sink, const void *message, size_t length);
/* Frees the sink in any case. */
struct fault sink_close(struct sink *sink);
/* Frees the sink, leaves no file. NULL is fine. */
void sink_discard(struct sink *sink);
const char *sink_name(const struct sink *sink);

struct sink *sink_open_text(const char *path, struct fault *error);
/* For any bytes, compressed if `gzip`, independent of the name. */
struct sink *sink_open_bytes(const char *path, bool gzip, struct fault *error);
/* Text into a file that is open already, uncompressed; sink_close and sink_discard close the descriptor, and so does a
 * failure here. `name` is used in errors. */
struct sink *sink_open_descriptor(int descriptor, const char *name, struct fault *error);
struct fault sink_write(struct sink *sink, const void *bytes, size_t count);

/* Scratch of at least `size` bytes, the sink's own, valid until the next call. NULL: out of memory, error is filled. */
void *sink_scratch(struct sink *sink, size_t size, struct fault *error);

#endif
