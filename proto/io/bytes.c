/* The text of an archive passes through a buffer that grows to twice the largest count requested. */
#include "proto/io/bytes.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"

#define BUFFER_BYTES ((size_t)1 << 17)

struct fault trace_bytes_open(struct trace_bytes *bytes, const char *path)
{
    struct fault fault = fault_none();

    *bytes = (struct trace_bytes){.path = path};
    if (!archive_detect(path)) {
        FORWARD(stream_open(&bytes->stream, &(struct stream_source){.path = path, .unpacks_all = true}));
        bytes->next = bytes->stream.next;
        bytes->end = bytes->stream.end;
        bytes->end_offset = bytes->stream.end_offset;
        return fault_none();
    }
    bytes->archive = archive_open(path, &fault);
    if (!bytes->archive)
        return fault;
    bytes->room = BUFFER_BYTES;
    bytes->buffer = malloc(bytes->room);
    if (!bytes->buffer) {
        archive_close(bytes->archive);
        return fault_memory(path, NULL);
    }
    bytes->next = bytes->end = bytes->buffer;
    return fault_none();
}

void trace_bytes_close(struct trace_bytes *bytes)
{
    if (bytes->archive)
        archive_close(bytes->archive);
    else
        stream_close(&bytes->stream);
    free(bytes->buffer);
}

static enum stream_status fill_from_stream(struct trace_bytes *bytes, size_t count, struct fault *error)
{
    enum stream_status status;

    bytes->stream.next = bytes->next;
    status = stream_fill(&bytes->stream, count, error);
    bytes->next = bytes->stream.next;
    bytes->end = bytes->stream.end;
    bytes->end_offset = bytes->stream.end_offset;
    return status;
}

enum stream_status trace_bytes_fill(struct trace_bytes *bytes, size_t count, struct fault *error)
{
    size_t left = (size_t)(bytes->end - bytes->next);

    if (!bytes->archive)
        return fill_from_stream(bytes, count, error);
    if (left > 0)
        memmove(bytes->buffer, bytes->next, left);
    if (!list_fit(&bytes->buffer, count + STREAM_SLACK, &bytes->room, 1))
        bytes->failure = fault_memory(bytes->path, NULL);
    while (left < count && bytes->failure.kind == FAULT_NONE) {
        bool member_ended;
        int64_t const got = archive_read(bytes->archive, bytes->buffer + left, bytes->room - STREAM_SLACK - left,
                                         &member_ended, &bytes->failure);

        if (got < 0)
            break;
        left += (size_t)got;
        bytes->end_offset += (uint64_t)got;
        if (got == 0)
            break;
    }
    memset(bytes->buffer + left, 0, STREAM_SLACK);
    bytes->next = bytes->buffer;
    bytes->end = bytes->buffer + left;
    *error = bytes->failure;
    return left >= count ? STREAM_OK : error->kind != FAULT_NONE ? STREAM_FAILED : STREAM_SHORT;
}

enum trace_packing trace_bytes_packing(const struct trace_bytes *bytes)
{
    if (bytes->archive)
        return PACKING_ARCHIVE;
    return stream_is_gzip(&bytes->stream) ? PACKING_GZIP : stream_is_xz(&bytes->stream) ? PACKING_XZ
        : stream_is_zstd(&bytes->stream) ? PACKING_ZSTD : PACKING_NONE;
}

size_t trace_bytes_look(struct trace_bytes *bytes, size_t count)
{
    struct fault ignored;

    (void)trace_bytes_need(bytes, count, &ignored);
    return (size_t)(bytes->end - bytes->next);
}

const char *trace_bytes_line(struct trace_bytes *bytes, size_t *length, struct fault *error)
{
    size_t const most = bytes->most_line_bytes ? bytes->most_line_bytes : TRACE_LINE_BYTES;
    const uint8_t *newline;
    const char *line;
    size_t there, count;

    error->kind = FAULT_NONE;
    for (size_t wanted = 1;; wanted = there + 1) {
        enum stream_status const status = trace_bytes_need(bytes, wanted, error);

        if (status == STREAM_FAILED)
            return NULL;
        there = (size_t)(bytes->end - bytes->next);
        if (there == 0)
            return NULL;
        newline = memchr(bytes->next, '\n', there);
        if (newline || status == STREAM_SHORT || there >= most)
            break;
    }
    line = (const char *)bytes->next;
    count = newline ? (size_t)(newline - bytes->next) : (size_t)(bytes->end - bytes->next);
    if (count >= most) {
        *error = fault_at(bytes->path, trace_bytes_offset(bytes), "a line of more than %zu bytes; expected a text "
                          "trace", most - 1);
        return NULL;
    }
    bytes->next += count + (newline != NULL);
    while (count > 0 && (line[count - 1] == '\r' || line[count - 1] == ' ' || line[count - 1] == '\t'))
        count--;
    *length = count;
    return line;
}
