/* Bytes of an instruction trace, decompressed by content: gzip, xz and plain files by proto/io/stream.h, zip, lz4 and
 * bzip2 by proto/io/archive.h.
 *
 * Use: insn_bytes_open, insn_bytes_need(n), read [next, end) and move next forward, insn_bytes_close. The path must
 * outlive it. STREAM_SHORT: the text ends before that.
 * Ownership: the bytes hold until the next call. */
#ifndef PROTO_INSN_BYTES_H
#define PROTO_INSN_BYTES_H

#include "proto/io/archive.h"
#include "proto/io/stream.h"

struct insn_bytes {
    const uint8_t *next, *end;
    uint64_t end_offset;                 /* place of `end` in the decompressed text */
    const char *path;
    size_t most_line_bytes;
    struct stream stream;
    struct archive_file *archive;        /* NULL: the stream is read */
    uint8_t *buffer;
    size_t room;
};

struct fault insn_bytes_open(struct insn_bytes *bytes, const char *path);
void insn_bytes_close(struct insn_bytes *bytes);

enum stream_status insn_bytes_fill(struct insn_bytes *bytes, size_t count, struct fault *error);

static inline enum stream_status insn_bytes_need(struct insn_bytes *bytes, size_t count, struct fault *error)
{
    return (size_t)(bytes->end - bytes->next) >= count ? STREAM_OK : insn_bytes_fill(bytes, count, error);
}

/* Place of the next byte in the decompressed text. */
static inline uint64_t insn_bytes_offset(const struct insn_bytes *bytes)
{
    return bytes->end_offset - (uint64_t)(bytes->end - bytes->next);
}

/* The next line without its end, CR and trailing blanks; NULL: the text ends (error->kind is FAULT_NONE), or a failure.
 * Lines of INSN_LINE_BYTES, or most_line_bytes unless that is 0, are refused. *length: of the line. */
enum { INSN_LINE_BYTES = 4096 };
const char *insn_bytes_line(struct insn_bytes *bytes, size_t *length, struct fault *error);

#endif
