/* Block-wise reading and inflating. Not done: seeking, other compressions (proto/input.c names those that it
 * recognises).
 *
 * One buffer holds decompressed bytes. A refill moves the unread rest to its front and fills it up, so a caller sees
 * any `count` bytes in one piece. zlib checks sum and length of each gzip member itself. */
#define _POSIX_C_SOURCE 200809L
#include "proto/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/* Memory is decompressed into a small block: it is the tests' way in, and lets them meet the block's edges. */
enum { RAW_BLOCK = 128 * 1024, BLOCK = 256 * 1024, MEMORY_BLOCK = 512 };

struct stream_input {
    char *name;
    int file;                        /* -1: memory */
    uint64_t file_size;              /* 0: unknown */
    uint64_t raw_taken;              /* bytes handed to raw_next so far */
    const uint8_t *raw_next;
    size_t raw_left;
    uint8_t *raw_block;              /* RAW_BLOCK bytes; NULL for memory */
    bool raw_ended;

    bool gzip, salvage, truncated;
    bool member_open;                /* inside a gzip member */
    bool ended;                      /* nothing more will be decompressed */
    bool failed;
    struct proto_error error;        /* if failed */
    z_stream inflater;

    uint8_t *block;                  /* capacity + STREAM_SLACK bytes */
    size_t capacity;
};

/* Makes raw bytes available unless the file has ended. */
static bool raw_refill(struct stream_input *input, struct proto_error *error)
{
    while (input->raw_left == 0 && !input->raw_ended) {
        if (input->file < 0) {
            input->raw_ended = true;
            break;
        }

        ssize_t const got = read(input->file, input->raw_block, RAW_BLOCK);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return proto_fail(error, input->name, PROTO_NO_OFFSET, "cannot be read: %s", strerror(errno));
        input->raw_next = input->raw_block;
        input->raw_left = (size_t)got;
        input->raw_taken += (uint64_t)got;
        input->raw_ended = got == 0;
    }
    return true;
}

static void raw_consume(struct stream_input *input, size_t count)
{
    input->raw_next += count;
    input->raw_left -= count;
}

/* The two bytes that decide. A file of one byte is plain. */
static bool detect_gzip(struct stream_input *input, struct proto_error *error)
{
    if (!raw_refill(input, error))
        return false;
    /* a pipe may give single bytes */
    while (input->file >= 0 && input->raw_left == 1 && !input->raw_ended) {
        ssize_t const got = read(input->file, input->raw_block + 1, RAW_BLOCK - 1);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return proto_fail(error, input->name, PROTO_NO_OFFSET, "cannot be read: %s", strerror(errno));
        input->raw_left += (size_t)got;
        input->raw_taken += (uint64_t)got;
        if (got == 0)
            break;
    }
    input->gzip = input->raw_left >= 2 && input->raw_next[0] == 0x1f && input->raw_next[1] == 0x8b;
    if (input->gzip && inflateInit2(&input->inflater, 15 + 16) != Z_OK) {
        input->gzip = false;
        return proto_fail(error, input->name, PROTO_NO_OFFSET, "out of memory for decompression");
    }
    input->member_open = input->gzip;
    return true;
}

static bool open_file(struct stream_input *input, struct proto_error *error)
{
    struct stat about;

    input->file = open(input->name, O_RDONLY | O_CLOEXEC);
    if (input->file < 0)
        return proto_fail(error, input->name, PROTO_NO_OFFSET, "cannot be opened: %s", strerror(errno));
    if (fstat(input->file, &about) != 0)
        return proto_fail(error, input->name, PROTO_NO_OFFSET, "cannot be examined: %s", strerror(errno));
    if (S_ISDIR(about.st_mode))
        return proto_fail(error, input->name, PROTO_NO_OFFSET, "is a folder; name a file in it");
    if (S_ISREG(about.st_mode))
        input->file_size = (uint64_t)about.st_size;
    input->raw_block = malloc(RAW_BLOCK);
    return input->raw_block != NULL || proto_fail(error, input->name, PROTO_NO_OFFSET, "out of memory");
}

static bool open_input(struct stream_input *input, const struct stream_source *source, struct proto_error *error)
{
    input->file = -1;
    input->salvage = source->salvage;
    input->name = strdup(source->path);
    input->capacity = source->data != NULL ? MEMORY_BLOCK : BLOCK;
    input->block = malloc(input->capacity + STREAM_SLACK);
    if (input->name == NULL || input->block == NULL)
        return proto_fail(error, source->path, PROTO_NO_OFFSET, "out of memory");
    memset(input->block, 0, STREAM_SLACK);
    if (source->data != NULL) {
        input->raw_next = source->data;
        input->raw_left = source->size;
        input->raw_taken = input->file_size = source->size;
    } else if (!open_file(input, error)) {
        return false;
    }
    return detect_gzip(input, error);
}

bool stream_open(struct stream *stream, const struct stream_source *source, struct proto_error *error)
{
    struct stream_input *const input = calloc(1, sizeof *input);

    *stream = (struct stream){.input = input};
    if (input == NULL)
        return proto_fail(error, source->path, PROTO_NO_OFFSET, "out of memory");
    if (!open_input(input, source, error)) {
        stream_close(stream);
        return false;
    }
    stream->next = stream->end = input->block;
    return true;
}

void stream_close(struct stream *stream)
{
    struct stream_input *const input = stream->input;

    if (input == NULL)
        return;
    if (input->gzip)
        inflateEnd(&input->inflater);
    if (input->file >= 0)
        close(input->file);
    free(input->raw_block);
    free(input->block);
    free(input->name);
    free(input);
    *stream = (struct stream){0};
}

/* Between gzip members: another one, or the end. */
static bool next_member(struct stream_input *input, uint64_t offset, struct proto_error *error)
{
    if (!raw_refill(input, error))
        return false;
    if (input->raw_left == 0) {
        input->ended = true;
        return true;
    }
    if (input->raw_next[0] != 0x1f)
        return proto_fail(error, input->name, offset,
                          "the gzip data ends here, but other bytes follow it in the file; expected the end or more "
                          "gzip data; fetch the file again or cut them off");
    inflateReset(&input->inflater);
    input->member_open = true;
    return true;
}

static bool breaks_off(struct stream_input *input, uint64_t offset, struct proto_error *error)
{
    if (!input->salvage)
        return proto_fail(error, input->name, offset,
                          "the gzip data breaks off (a truncated file, as a killed capture or a broken download leaves "
                          "it); get it again, or keep what it holds with `rubato trace cut DIR --salvage -o OUT`");
    input->truncated = true;
    input->ended = true;
    return true;
}

/* Decompresses up to `room` bytes to `to`; *made tells how many. */
static bool inflate_some(struct stream_input *input, uint8_t *to, size_t room, uint64_t offset, size_t *made,
                         struct proto_error *error)
{
    *made = 0;
    if (!input->member_open)
        return next_member(input, offset, error);
    if (!raw_refill(input, error))
        return false;
    if (input->raw_left == 0)
        return breaks_off(input, offset, error);

    z_stream *const z = &input->inflater;
    uInt const given = (uInt)(input->raw_left < UINT32_C(1) << 30 ? input->raw_left : UINT32_C(1) << 30);

    z->next_in = (Bytef *)(uintptr_t)input->raw_next;     /* zlib only reads there */
    z->avail_in = given;
    z->next_out = to;
    z->avail_out = (uInt)room;

    int const code = inflate(z, Z_NO_FLUSH);

    raw_consume(input, given - z->avail_in);
    *made = room - z->avail_out;
    switch (code) {
    case Z_OK:
    case Z_BUF_ERROR: return true;
    case Z_STREAM_END: input->member_open = false; return true;
    case Z_MEM_ERROR: return proto_fail(error, input->name, PROTO_NO_OFFSET, "out of memory for decompression");
    default:
        return proto_fail(error, input->name, offset + *made, "the gzip data is damaged (%s); get the file again",
                          z->msg != NULL ? z->msg : "a preset dictionary");
    }
}

static bool copy_some(struct stream_input *input, uint8_t *to, size_t room, size_t *made, struct proto_error *error)
{
    *made = 0;
    if (!raw_refill(input, error))
        return false;
    if (input->raw_left == 0) {
        input->ended = true;
        return true;
    }
    *made = input->raw_left < room ? input->raw_left : room;
    memcpy(to, input->raw_next, *made);
    raw_consume(input, *made);
    return true;
}

static bool make_room(struct stream_input *input, size_t count, struct proto_error *error)
{
    uint8_t *block;

    if (count <= input->capacity)
        return true;
    block = realloc(input->block, count + STREAM_SLACK);
    if (block == NULL)
        return proto_fail(error, input->name, PROTO_NO_OFFSET, "out of memory for a message of %zu bytes", count);
    input->block = block;
    input->capacity = count;
    return true;
}

enum stream_status stream_fill(struct stream *stream, size_t count, struct proto_error *error)
{
    struct stream_input *const input = stream->input;
    size_t have = (size_t)(stream->end - stream->next);

    if (!input->ended && !input->failed) {
        memmove(input->block, stream->next, have);
        input->failed = !make_room(input, count, &input->error);
        while (have < input->capacity && !input->ended && !input->failed) {
            size_t made;
            uint8_t *const to = input->block + have;
            size_t const room = input->capacity - have;

            input->failed = input->gzip
                ? !inflate_some(input, to, room, stream->end_offset, &made, &input->error)
                : !copy_some(input, to, room, &made, &input->error);
            have += made;
            stream->end_offset += made;
        }
        memset(input->block + have, 0, STREAM_SLACK);
        stream->next = input->block;
        stream->end = input->block + have;
    }
    if (have >= count)
        return STREAM_OK;
    if (!input->failed)
        return STREAM_SHORT;
    *error = input->error;
    return STREAM_FAILED;
}

const char *stream_name(const struct stream *stream)
{
    return stream->input->name;
}

bool stream_is_gzip(const struct stream *stream)
{
    return stream->input->gzip;
}

bool stream_truncated(const struct stream *stream)
{
    return stream->input->truncated;
}

double stream_position(const struct stream *stream)
{
    struct stream_input const *const input = stream->input;

    if (input->file_size == 0)
        return 0;

    double const part = (double)(input->raw_taken - input->raw_left) / (double)input->file_size;

    return part < 1 ? part : 1;
}
