/* Bytes of a file, decompressed if the file is gzip; whether it is, its first two bytes decide (elastic-trace 1.1).
 * On demand xz and zstd are decompressed, too, by their first bytes (gpu-traces 1.2).
 *
 * Use: stream_open, then stream_need(n) and read [next, end), moving next forward; stream_close. Blocks are large,
 * memory is bounded by the block and the largest n requested. STREAM_SLACK bytes behind end may be read (their values
 * mean nothing), so that a decoder can look ahead without a check. Gzip members may follow each other; check sums and
 * lengths are verified when a member ends. All bytes before a fault are delivered before the fault is reported. A file
 * that parks must stay as it is until the stream is closed; pipes do not park.
 * Salvage: a truncated gzip file is not a fault; the stream ends there, and stream_truncated() returns true. */
#ifndef PROTO_IO_IO_STREAM_H
#define PROTO_IO_IO_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"

#define STREAM_SLACK 16

/* Where bytes come from: a file, memory if `data` is not NULL, or an open file if has_descriptor; for these `path` only
 * names it in errors. The memory must outlive the stream; the descriptor becomes the stream's, on failure too. */
struct stream_source {
    const char *path;
    const void *data;
    size_t size;
    bool salvage;
    bool threaded;                   /* decompress in a thread even if it is small, for tests */
    bool is_shared;                  /* instead of that thread, others of the caller's help: stream_unpack */
    bool hashes;                     /* for stream_hash */
    bool zlib_only;                  /* not the faster library, if there is one: for comparing the two */
    bool unpacks_all;                /* else xz and zstd files are returned compressed */
    bool parks;                      /* the file is open only while bytes are read from it, and buffers are small */
    bool has_descriptor;
    int descriptor;
};

struct stream {
    const uint8_t *next, *end;       /* unread bytes */
    uint64_t end_offset;             /* place of `end` in the decompressed stream */
    struct stream_input *input;
};

enum stream_status { STREAM_OK, STREAM_SHORT, STREAM_FAILED };

struct fault stream_open(struct stream *stream, const struct stream_source *source);
void stream_close(struct stream *stream);

/* Slow part of stream_need. */
enum stream_status stream_fill(struct stream *stream, size_t count, struct fault *error);

/* Puts at least `count` bytes between next and end. STREAM_SHORT: the stream ends before that, [next, end) is all. */
static inline enum stream_status stream_need(struct stream *stream, size_t count, struct fault *error)
{
    return (size_t)(stream->end - stream->next) >= count ? STREAM_OK : stream_fill(stream, count, error);
}

/* Place of a byte of [next, end] in the decompressed stream. */
static inline uint64_t stream_offset(const struct stream *stream, const uint8_t *byte)
{
    return stream->end_offset - (uint64_t)(stream->end - byte);
}

/* Decompresses a block ahead of a shared stream, in any thread, after the one that is being decompressed; any
 * number of threads may call this while one other reads. False: there is nothing to do, at the moment or, as with a
 * small file, at all. */
bool stream_unpack(struct stream *stream);

const char *stream_name(const struct stream *stream);
bool stream_is_gzip(const struct stream *stream);
bool stream_is_xz(const struct stream *stream);
bool stream_is_zstd(const struct stream *stream);
bool stream_truncated(const struct stream *stream);
/* hash64 of the file as stored on disk. Known at the end of the stream, if the source requested it. */
uint64_t stream_hash(const struct stream *stream);
/* Part of the file's own bytes consumed so far, 0 to 1; 0 if its size is unknown. */
double stream_position(const struct stream *stream);

#endif
