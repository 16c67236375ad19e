/* Lines are taken out of the stream's buffer, one after the other. */
#include "replay/traffic/traffic_trace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/list.h"
#include "proto/io/io_stream.h"

#define LINE_MAX_BYTES 1024

/* Bytes [text, end) of one line. */
struct line {
    const char *text, *end;
    const char *file;
    uint64_t number;
};

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static void skip_spaces(struct line *line)
{
    while (line->text < line->end && is_space(*line->text))
        line->text++;
}

static unsigned digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return (unsigned)(c - '0');
    if (c >= 'a' && c <= 'f')
        return (unsigned)(c - 'a') + 10;
    return c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10 : 99;
}

static struct fault traffic_trace_wrong(const struct line *line, const char *what)
{
    return fault_make(FAULT_INPUT, "%s:%" PRIu64 ": %s; expected an address and R or W, such as 0x1a40 R", line->file,
                      line->number, what);
}

static struct fault take_address(struct line *line, uint64_t *address)
{
    bool const is_hex = line->end - line->text > 2 && line->text[0] == '0' && (line->text[1] | 32) == 'x';
    unsigned const base = is_hex ? 16 : 10;
    const char *const first = line->text + (is_hex ? 2 : 0);

    *address = 0;
    for (line->text = first; line->text < line->end && !is_space(*line->text); line->text++) {
        unsigned const digit = digit_value(*line->text);

        if (digit >= base)
            return traffic_trace_wrong(line, "the address is not a number");
        if (!append_digit(address, base, digit))
            return traffic_trace_wrong(line, "the address has more than 64 bits");
    }
    return line->text == first ? traffic_trace_wrong(line, "the address is not a number") : fault_none();
}

static struct fault take_kind(struct line *line, bool *is_write)
{
    static const char *const words[] = {"r", "read", "w", "write"};
    char word[8] = {0};
    size_t length = 0;

    skip_spaces(line);
    for (; line->text < line->end && !is_space(*line->text); line->text++)
        if (length + 1 < sizeof word)
            word[length++] = (char)(*line->text | 32);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(word, words[i]) == 0) {
            *is_write = words[i][0] == 'w';
            return fault_none();
        }
    return traffic_trace_wrong(line, length ? "neither R nor W behind the address" : "nothing behind the address");
}

/* R or W in front of numbers, as no address begins. */
static bool begins_vector(const struct line *line)
{
    return line->end - line->text > 2 && strchr("rRwW", *line->text) && is_space(line->text[1]);
}

static struct fault take_vector(struct line *line, struct traffic_vector *vector)
{
    vector->count = 0;
    line->text++;
    skip_spaces(line);
    do {
        uint64_t entry = 0;
        const char *const first = line->text;

        for (; line->text < line->end && digit_value(*line->text) < 10; line->text++)
            if (!append_digit(&entry, 10, digit_value(*line->text)) || entry > INT32_MAX)
                return fault_make(FAULT_INPUT, "%s:%" PRIu64 ": level %u is beyond 2147483647", line->file,
                                  line->number, vector->count + 1);
        if (line->text == first || vector->count == TRAFFIC_MOST_LEVELS)
            break;
        vector->entries[vector->count++] = (int32_t)entry;
    } while (line->text < line->end && *line->text++ == ',');
    skip_spaces(line);
    return vector->count > 1 && line->text == line->end ? fault_none()
        : fault_make(FAULT_INPUT, "%s:%" PRIu64 ": expected R or W and the levels of an access, such as R 0,0,2,1,77,5",
                     line->file, line->number);
}

/* A third word means nothing here. But a number that is none of 64 bits was meant as a time, of which the rest of the
 * file would have said so. */
static struct fault check_third(struct line *line)
{
    uint64_t number = 0;

    skip_spaces(line);
    for (; line->text < line->end && digit_value(*line->text) < 10; line->text++)
        if (!append_digit(&number, 10, digit_value(*line->text)))
            return traffic_trace_wrong(line, "the third number has more than 64 bits");
    return fault_none();
}

static struct fault traffic_trace_append(struct traffic_trace *trace, uint64_t record)
{
    if (!list_fit(&trace->records, trace->count + 1, &trace->capacity, sizeof *trace->records))
        return fault_make(FAULT_MEMORY, "out of memory for a trace of more than %zu requests", trace->count);
    trace->records[trace->count++] = record;
    return fault_none();
}

static struct fault read_vector(struct traffic_trace *trace, struct line *line,
                                const struct traffic_address_check *check)
{
    bool const is_write = (*line->text | 32) == 'w';
    struct traffic_vector vector;
    uint64_t address = 0;
    char why[200];

    FORWARD(take_vector(line, &vector));
    if (trace->count > 0 && trace->access_bytes == 0)
        return traffic_trace_wrong(line, "levels of a device, behind addresses");
    if (!check->find(check->context, &vector, &address, &trace->access_bytes, why, sizeof why))
        return fault_make(FAULT_INPUT, "%s:%" PRIu64 ": %s", line->file, line->number, why);
    return traffic_trace_append(trace, address | is_write);
}

static struct fault traffic_trace_read_line(struct traffic_trace *trace, struct line *line, uint64_t line_bytes,
                                            const struct traffic_address_check *check)
{
    const char *const comment = memchr(line->text, '#', (size_t)(line->end - line->text));
    uint64_t address;
    bool is_write = false;
    char why[160];

    if (comment)
        line->end = comment;
    skip_spaces(line);
    if (line->text == line->end)
        return fault_none();
    if (check->find && begins_vector(line))
        return read_vector(trace, line, check);
    if (trace->access_bytes > 0)
        return traffic_trace_wrong(line, "an address, behind levels of a device");
    FORWARD(take_address(line, &address));
    FORWARD(take_kind(line, &is_write));
    FORWARD(check_third(line));
    if (!check->is_sound(check->context, address, why, sizeof why))
        return fault_make(FAULT_INPUT, "%s:%" PRIu64 ": address 0x%" PRIx64 " %s", line->file, line->number, address,
                          why);
    return traffic_trace_append(trace, (address & ~(line_bytes - 1)) | is_write);
}

static struct fault read_lines(struct traffic_trace *trace, struct stream *stream, const char *name,
                               uint64_t line_bytes, const struct traffic_address_check *check)
{
    struct fault error;

    for (uint64_t number = 1;; number++) {
        enum stream_status const status = stream_need(stream, LINE_MAX_BYTES, &error);
        size_t const available = (size_t)(stream->end - stream->next);
        const uint8_t *const newline = memchr(stream->next, '\n', available < LINE_MAX_BYTES ? available
                                                                                              : LINE_MAX_BYTES);
        struct line line = {.text = (const char *)stream->next, .file = name, .number = number};

        if (status == STREAM_FAILED)
            return error;
        if (available == 0)
            return fault_none();
        if (!newline && status == STREAM_OK)
            return traffic_trace_wrong(&line, "the line is longer than 1024 bytes");
        line.end = newline ? (const char *)newline : (const char *)stream->end;
        FORWARD(traffic_trace_read_line(trace, &line, line_bytes, check));
        stream->next = newline ? newline + 1 : stream->end;
    }
}

struct fault traffic_trace_read(struct traffic_trace *trace, const char *path, uint64_t line_bytes,
                                const struct traffic_address_check *check)
{
    bool const is_stdin = strcmp(path, "-") == 0;
    struct stream_source const source = {.path = is_stdin ? "/dev/stdin" : path};
    const char *const name = is_stdin ? "standard input" : path;
    struct fault error;
    struct stream stream;
    struct fault fault;

    *trace = (struct traffic_trace){0};
    if (FAILS(error, stream_open(&stream, &source)))
        return error;
    fault = read_lines(trace, &stream, name, line_bytes, check);
    stream_close(&stream);
    if (fault.kind == FAULT_NONE && trace->count == 0)
        fault = fault_make(FAULT_INPUT, "%s: holds no request; expected lines such as 0x1a40 R", name);
    if (fault.kind != FAULT_NONE)
        traffic_trace_free(trace);
    return fault;
}

void traffic_trace_free(struct traffic_trace *trace)
{
    free(trace->records);
    free(trace->times_ps);
    *trace = (struct traffic_trace){0};
}
