/* One raw stream of a MacSim trace: a thread's or a warp's records (macsim-traces 2).
 *
 * Use: macsim_stream_open with a format (macsim_detect, set.h, or given by the user), then
 * macsim_stream_next_cpu or macsim_stream_next_gpu until MACSIM_END, macsim_stream_close. Gzip, concatenated gzip
 * members and plain bytes. With `parks` a file is
 * open only while bytes are read from it, so that thousands of streams may be open at once; such a one takes some
 * 20 KiB, and 40 more while gzip data are left.
 *
 * GPU: an instruction comes with its accompanying records: address records (G64, G72), children (N64), the records of
 * the other lanes (PTX in C52 and C80). An incomplete last record is no error: it ends the stream, and tail_bytes says
 * so; nor are fields that cannot be, which are counted. Broken gzip data is. Errors: one line with file, byte offset
 * of the decompressed stream and how to mend it. */
#ifndef PROTO_MACSIM_MACSIM_STREAM_H
#define PROTO_MACSIM_MACSIM_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "proto/io/io_stream.h"
#include "proto/macsim/record.h"

struct macsim_source {
    const char *path;                    /* with data: only names it */
    const void *data;                    /* memory that outlives the stream, or NULL for a file */
    size_t size;
    bool parks;                          /* one of many: the file is closed between reads, buffers are small */
};

struct macsim_stream {
    struct macsim_format format;
    size_t record_bytes;
    uint64_t records;                    /* read so far: all, with address records and children */
    uint64_t instructions;               /* given so far */
    uint64_t offset;                     /* for macsim_stream_offset */
    uint64_t tail_bytes;                 /* known at the end: of an incomplete last record */
    uint64_t faulty;                     /* records with a field that cannot be */
    uint64_t faulty_offset;              /* of the first such record */
    char fault[120];                     /* its field, by macsim_record_fault */
    struct stream bytes;
};

enum macsim_step { MACSIM_RECORD, MACSIM_END, MACSIM_FAILED };

/* On failure nothing remains open. */
struct fault macsim_stream_open(struct macsim_stream *stream, const struct macsim_source *source,
                                const struct macsim_format *format);
void macsim_stream_close(struct macsim_stream *stream);

/* tile_rows of a record points to bytes that hold until the next call. */
enum macsim_step macsim_stream_next_cpu(struct macsim_stream *stream, struct macsim_cpu_record *record,
                                        struct fault *error);
enum macsim_step macsim_stream_next_gpu(struct macsim_stream *stream, struct macsim_gpu_record *record,
                                        struct fault *error);
/* The bytes of the next record, of any kind, valid until the next call. */
enum macsim_step macsim_stream_next_bytes(struct macsim_stream *stream, const uint8_t **bytes,
                                          struct fault *error);
/* Byte offset of the last record returned; if it came with accompanying records, of the first. */
static inline uint64_t macsim_stream_offset(const struct macsim_stream *stream)
{
    return stream->offset;
}

/* The next warning at the end of the stream, ready to print: an incomplete last record, impossible fields. False: no
 * more warnings. Begin with *told = 0. */
bool macsim_stream_warning(const struct macsim_stream *stream, unsigned *told, char *text, size_t room);

#endif
