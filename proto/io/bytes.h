/* Bytes of a trace, decompressed by content: gzip, xz, zstd and plain files by proto/io/io_stream.h, zip, lz4 and
 * bzip2 by proto/io/archive.h.
 *
 * Use: trace_bytes_open, trace_bytes_need(n), read [next, end) and move next forward, trace_bytes_close. The path must
 * outlive it. STREAM_SHORT: the text ends before that.
 * Ownership: the bytes are valid until the next call. */
#ifndef PROTO_IO_BYTES_H
#define PROTO_IO_BYTES_H

#include "proto/io/archive.h"
#include "proto/io/io_stream.h"

/* How a file holds its bytes; a bit each, for readers of several. */
enum trace_packing { PACKING_NONE = 1, PACKING_GZIP = 2, PACKING_XZ = 4, PACKING_ARCHIVE = 8, PACKING_ZSTD = 16 };

struct trace_bytes {
    const uint8_t *next, *end;
    uint64_t end_offset;                 /* place of `end` in the decompressed text */
    const char *path;
    size_t most_line_bytes;
    struct stream stream;
    struct archive_file *archive;        /* NULL: the stream is read */
    struct fault failure;                /* of the archive: reading ends here */
    uint8_t *buffer;
    size_t room;
};

struct fault trace_bytes_open(struct trace_bytes *bytes, const char *path);
void trace_bytes_close(struct trace_bytes *bytes);

/* Puts `count` bytes, or all that can be read, between next and end; the answer is how many there are. A failure of
 * reading is the stream's, whose reader meets it after the bytes before it. */
size_t trace_bytes_look(struct trace_bytes *bytes, size_t count);

enum trace_packing trace_bytes_packing(const struct trace_bytes *bytes);

enum stream_status trace_bytes_fill(struct trace_bytes *bytes, size_t count, struct fault *error);

static inline enum stream_status trace_bytes_need(struct trace_bytes *bytes, size_t count, struct fault *error)
{
    return (size_t)(bytes->end - bytes->next) >= count ? STREAM_OK : trace_bytes_fill(bytes, count, error);
}

/* Place of the next byte in the decompressed text. */
static inline uint64_t trace_bytes_offset(const struct trace_bytes *bytes)
{
    return bytes->end_offset - (uint64_t)(bytes->end - bytes->next);
}

/* The next line without its end, CR and trailing blanks; NULL: the text ends (error->kind is FAULT_NONE), or a failure.
 * Lines of TRACE_LINE_BYTES, or most_line_bytes unless that is 0, are refused. *length: of the line. */
enum { TRACE_LINE_BYTES = 4096 };
const char *trace_bytes_line(struct trace_bytes *bytes, size_t *length, struct fault *error);

#endif
