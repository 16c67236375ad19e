/* Framing of both trace files. A message is handed out where it lies in the stream's buffer.
 *
 * The kind shows in the header (elastic-trace 1.3): field 4 is a number in a dependency trace, absent or a message in a
 * packet trace. The reference takes an end in the middle of a length for a clean one (elastic-trace 1.5); here it is an
 * error, unless the caller salvages. */
#include "proto/elastic/elastic_input.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC_BYTES 4
#define LENGTH_BYTES_MAX 5           /* of a varint below 2^32 */
#define USUAL_TICK_FREQ UINT64_C(1000000000000)

/* Files of other kinds recognised by their first bytes: bytes, kind, remedy */
#define FOREIGN_FILES(F)                                                                                              \
    F("version https://git-lfs", "a Git LFS pointer, not the trace itself", "fetch the trace with `git lfs pull`")    \
    F("# rubato", "the text form of a trace", "make a trace of it with `rubato trace build`")                         \
    F("\x28\xb5\x2f\xfd", "compressed by zstd", "decompress it, or use gzip")                                         \
    F("\xfd" "7zXZ", "compressed by xz", "decompress it, or use gzip")                                                \
    F("BZh", "compressed by bzip2", "decompress it, or use gzip")                                                     \
    F("PK\x03\x04", "a zip archive", "unpack it")

struct foreign_file {
    const char *bytes;
    size_t length;
    const char *what, *mend;
};

#define FOREIGN_ENTRY(bytes, what, mend) {bytes, sizeof bytes - 1, what, mend},
static const struct foreign_file foreign_files[] = { FOREIGN_FILES(FOREIGN_ENTRY) };

void input_warn(struct input *input, const char *format, ...)
{
    va_list arguments;

    if (input->warning_count == INPUT_WARNINGS_MAX)
        return;
    va_start(arguments, format);
    vsnprintf(input->warnings[input->warning_count], sizeof input->warnings[0], format, arguments);
    va_end(arguments);
    input->warning_count++;
}

void input_malformed(const struct input *input, const uint8_t *at, const char *problem, struct fault *error)
{
    *error = fault_at(stream_name(&input->stream), input->message_offset + (uint64_t)(at - input->message),
                      "record %" PRIu64 " holds %s; the file is damaged here, get it again", input->message_count - 1,
                      problem);
}

static struct fault reject_foreign(struct input *input)
{
    struct stream *const stream = &input->stream;
    size_t const count = sizeof foreign_files / sizeof foreign_files[0];
    size_t const have = (size_t)(stream->end - stream->next);

    for (size_t i = 0; i < count; i++)
        if (have >= foreign_files[i].length
            && memcmp(stream->next, foreign_files[i].bytes, foreign_files[i].length) == 0)
            return fault_at(stream_name(stream), FAULT_NO_OFFSET, "is %s; %s", foreign_files[i].what,
                            foreign_files[i].mend);
    return fault_none();
}

static const uint8_t magics[][MAGIC_BYTES] = {
    {'g', 'e', 'm', '5'}, {0xef, 0xbe, 0xad, 0xde}, {0xde, 0xad, 0xbe, 0xef}};  /* the usual one first */

static bool has_magic(const uint8_t *bytes)
{
    for (size_t i = 0; i < sizeof magics / sizeof magics[0]; i++)
        if (memcmp(bytes, magics[i], MAGIC_BYTES) == 0)
            return true;
    return false;
}

static struct fault read_magic(struct input *input)
{
    struct fault fault = fault_none();
    struct stream *const stream = &input->stream;

    if (stream_need(stream, 64, &fault) == STREAM_FAILED && stream->end - stream->next < MAGIC_BYTES)
        return fault;

    const uint8_t *const m = stream->next;
    size_t const have = (size_t)(stream->end - m);

    if (have == 0)
        return fault_at(stream_name(stream), FAULT_NO_OFFSET, "is empty%s; expected an elastic trace, which begins "
                        "with \"gem5\"", stream_is_gzip(stream) ? " when decompressed" : "");
    FORWARD(reject_foreign(input));
    if (have < MAGIC_BYTES)
        return fault_at(stream_name(stream), 0, "holds only %zu byte%s; expected an elastic trace, which begins with "
                        "\"gem5\"", have, have == 1 ? "" : "s");
    if (!has_magic(m))
        return fault_at(stream_name(stream), 0, "begins with the bytes %02x %02x %02x %02x; expected the magic number "
                        "67 65 6d 35 (\"gem5\"): this is not an elastic trace, or it is damaged", m[0], m[1], m[2],
                        m[3]);
    if (memcmp(m, magics[0], MAGIC_BYTES) != 0)
        input_warn(input, "%s: begins with the magic number 0xdeadbeef instead of \"gem5\"; gem5 will not read it",
                   stream_name(stream));
    stream->next += MAGIC_BYTES;
    return fault_none();
}

/* The file ends inside a length or a message, named by `missing`. */
static enum input_step breaks_off(struct input *input, const char *missing, struct fault *error)
{
    struct stream *const stream = &input->stream;

    if (input->salvage) {
        input->truncated = true;
        return INPUT_END;
    }
    *error = fault_at(stream_name(stream), stream->end_offset, "the file ends inside %s (truncated); get it again, or "
                      "keep what it holds with `rubato trace cut DIR --salvage -o OUT`", missing);
    return INPUT_ERROR;
}

enum input_step input_next(struct input *input, const uint8_t **message, size_t *length, struct fault *error)
{
    struct stream *const stream = &input->stream;
    uint64_t bytes = 0;

    if (stream_need(stream, LENGTH_BYTES_MAX, error) == STREAM_FAILED)
        return INPUT_ERROR;
    if (stream->next == stream->end) {
        input->truncated = input->truncated || stream_truncated(stream);
        return INPUT_END;
    }

    const uint8_t *const behind = wire_varint(stream->next, &bytes);
    uint64_t const offset = stream_offset(stream, stream->next);

    if (behind != NULL && behind > stream->end)
        return breaks_off(input, "the length of a message", error);
    if (behind == NULL || behind - stream->next > LENGTH_BYTES_MAX || bytes > WIRE_MESSAGE_MAX) {
        *error = fault_at(stream_name(stream), offset, "the length of the next message is impossible; expected at "
                          "most %u; the file is damaged here, get it again", WIRE_MESSAGE_MAX);
        return INPUT_ERROR;
    }
    stream->next = behind;
    switch (stream_need(stream, (size_t)bytes, error)) {
    case STREAM_OK: break;
    case STREAM_SHORT: return breaks_off(input, "a message", error);
    case STREAM_FAILED: return INPUT_ERROR;
    }
    *message = input->message = stream->next;
    *length = (size_t)bytes;
    input->message_offset = stream_offset(stream, stream->next);
    input->message_count++;
    stream->next += bytes;
    return INPUT_MESSAGE;
}

/* Field 4 distinguishes the kinds. A malformed header is classified by its readable part. */
static enum input_kind kind_of_header(const uint8_t *at, const uint8_t *end)
{
    struct wire_field field;
    const char *problem;

    while (at < end && (at = wire_field(at, end, &field, &problem)) != NULL)
        if (field.number == 4 && field.type == WIRE_VARINT)
            return INPUT_DEP_TRACE;
    return INPUT_PACKET_TRACE;
}

static struct fault keep_header(struct input *input)
{
    struct fault fault = fault_none();
    const uint8_t *message;
    size_t length;

    switch (input_next(input, &message, &length, &fault)) {
    case INPUT_ERROR: return fault;
    case INPUT_END:
        return fault_at(stream_name(&input->stream), input->stream.end_offset, "the file ends before its header "
                        "message; get it again");
    case INPUT_MESSAGE: break;
    }
    input->header = malloc(length + STREAM_SLACK);
    if (input->header == NULL)
        return fault_memory(stream_name(&input->stream), NULL);
    memcpy(input->header, message, length);
    memset(input->header + length, 0, STREAM_SLACK);
    input->header_length = length;
    input->header_offset = input->message_offset;
    input->message_count = 0;
    input->kind = kind_of_header(input->header, input->header + length);
    return fault_none();
}

struct fault input_open(struct input *input, const struct stream_source *source)
{
    struct fault fault = fault_none();

    *input = (struct input){.salvage = source->salvage};
    FORWARD(stream_open(&input->stream, source));
    if (WORKS(fault, read_magic(input)) && WORKS(fault, keep_header(input)))
        return fault_none();
    input_close(input);
    return fault;
}

void input_close(struct input *input)
{
    stream_close(&input->stream);
    free(input->header);
    input->header = NULL;
}

bool input_text(const struct wire_field *field, char *text, size_t room)
{
    size_t const whole = strnlen((const char *)field->bytes, field->length);
    size_t const kept = whole < room ? whole : room - 1;

    memcpy(text, field->bytes, kept);
    text[kept] = '\0';
    return kept == field->length;
}

static struct fault check_header(struct input *input, const struct dep_header *header, unsigned seen)
{
    const char *const name = stream_name(&input->stream);
    const char *missing = NULL;

    if (!(seen & 1u << 1))
        missing = "obj_id (1)";
    else if (!(seen & 1u << 3))
        missing = "tick_freq (3)";
    if (missing != NULL)
        return fault_at(name, input->header_offset, "the header lacks its required field %s; expected the header of a "
                        "%s; write the file again with all required fields", missing, input_kind_name(input->kind));
    if (header->tick_freq == 0)
        return fault_at(name, input->header_offset, "the header's tick_freq is 0; expected ticks a second, 10^12 in "
                        "gem5's traces");
    if (input->kind == INPUT_DEP_TRACE && header->window_size == 0)
        return fault_at(name, input->header_offset, "the header's window_size is 0; expected the number of records "
                        "that the capture kept, 576 for a reorder buffer of 192");
    if (header->tick_freq != USUAL_TICK_FREQ)
        input_warn(input, "%s: tick_freq is %" PRIu64 ", not gem5's usual 10^12; ticks are taken as picoseconds unless "
                   "they are scaled", name, header->tick_freq);
    return fault_none();
}

struct fault input_read_header(struct input *input, struct dep_header *header,
                               struct fault (*id_string)(void *owner, const struct wire_field *entry), void *owner)
{
    const uint8_t *at = input->header;
    const uint8_t *const end = at + input->header_length;
    const char *const name = stream_name(&input->stream);
    const char *problem = NULL;
    struct wire_field field;
    unsigned seen = 0;

    *header = (struct dep_header){0};
    while (at < end) {
        uint64_t const offset = input->header_offset + (uint64_t)(at - input->header);

        at = wire_field(at, end, &field, &problem);
        if (at == NULL)
            return fault_at(name, offset, "the header holds %s; the file is damaged here, get it again", problem);
        if (field.number == 1 && field.type == WIRE_LENGTH) {
            if (!input_text(&field, header->obj_id, sizeof header->obj_id))
                input_warn(input, "%s: obj_id is long or holds a zero byte; cut after %zu bytes", name,
                           strlen(header->obj_id));
        } else if (field.number == 2 && field.type == WIRE_VARINT) {
            header->ver = (uint32_t)field.value;
            header->has_ver = true;
        } else if (field.number == 3 && field.type == WIRE_VARINT) {
            header->tick_freq = field.value;
        } else if (field.number == 4 && field.type == WIRE_VARINT) {
            header->window_size = (uint32_t)field.value;
        } else if (field.number == 4 && field.type == WIRE_LENGTH && id_string != NULL) {
            FORWARD(id_string(owner, &field));
            continue;
        } else {
            continue;
        }
        seen |= 1u << field.number;
    }
    return check_header(input, header, seen);
}

bool input_is(struct trace_bytes *head, enum input_kind kind)
{
    uint8_t begin[MAGIC_BYTES + LENGTH_BYTES_MAX + STREAM_SLACK] = {0};
    size_t there = trace_bytes_look(head, MAGIC_BYTES + LENGTH_BYTES_MAX);
    const uint8_t *message;
    uint64_t length;
    size_t at;

    if (there <= MAGIC_BYTES || !has_magic(head->next))
        return false;
    memcpy(begin, head->next, there < sizeof begin - STREAM_SLACK ? there : sizeof begin - STREAM_SLACK);
    message = wire_varint(begin + MAGIC_BYTES, &length);
    at = message ? (size_t)(message - begin) : 0;
    if (!message || at > there || at - MAGIC_BYTES > LENGTH_BYTES_MAX || length > WIRE_MESSAGE_MAX)
        return false;
    there = trace_bytes_look(head, at + length);
    return there >= at + length && kind_of_header(head->next + at, head->next + at + length) == kind;
}

const char *input_kind_name(enum input_kind kind)
{
    return kind == INPUT_DEP_TRACE ? "dependency trace" : "packet trace";
}
