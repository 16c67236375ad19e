/* One memchr finds a line's end; columns are read byte by byte. */
#include "proto/gpu/gpu_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/list.h"
#include "proto/gpu/tracez.h"

#define SHOWN 40                     /* bytes of the file in an error */

struct fault gpu_text_open(struct gpu_text *text, const struct stream_source *source)
{
    struct stream_source unpacked = *source;
    struct fault fault = fault_none();

    *text = (struct gpu_text){0};
    if (gpu_tracez_is(source->path) && !source->has_descriptor) {
        text->container = gpu_tracez_open(source, &fault);
        return text->container != NULL ? fault_none() : fault;
    }
    unpacked.unpacks_all = true;
    return stream_open(&text->stream, &unpacked);
}

void gpu_text_close(struct gpu_text *text)
{
    gpu_tracez_close(text->container);
    text->container = NULL;
    stream_close(&text->stream);
}

const char *gpu_text_name(const struct gpu_text *text)
{
    return text->container != NULL ? gpu_tracez_name(text->container) : stream_name(&text->stream);
}

/* Where the line ends that begins at stream.next; NULL at the end or on failure. */
static const uint8_t *find_line_end(struct gpu_text *text, enum gpu_text_step *step, struct fault *error)
{
    struct stream *const stream = &text->stream;

    for (size_t looked = 0; ; ) {
        size_t const have = (size_t)(stream->end - stream->next);
        const uint8_t *const found = have > looked ? memchr(stream->next + looked, '\n', have - looked) : NULL;
        enum stream_status status;

        if (found != NULL)
            return found;
        looked = have;
        *step = GPU_TEXT_FAILED;
        if (have > GPU_TEXT_LINE_MAX) {
            *error = fault_at_line(gpu_text_name(text), text->line + 1, "is longer than %zu bytes; expected the text "
                                   "of a GPU trace", GPU_TEXT_LINE_MAX);
            return NULL;
        }
        status = stream_need(stream, 2 * have + 1, error);
        if (status == STREAM_FAILED && (size_t)(stream->end - stream->next) == have)
            return NULL;
        if (status == STREAM_SHORT && (size_t)(stream->end - stream->next) == have) {
            *step = GPU_TEXT_END;
            return have == 0 ? NULL : stream->end;
        }
    }
}

enum gpu_text_step gpu_text_next(struct gpu_text *text, struct gpu_cursor *line, struct fault *error)
{
    struct stream *const stream = &text->stream;
    enum gpu_text_step step;
    const uint8_t *end;

    if (text->again) {
        text->again = false;
        *line = text->rest;
        return GPU_TEXT_LINE;
    }
    if (text->container != NULL && stream->next == stream->end) {
        step = gpu_tracez_next(text->container, &stream->next, &stream->end, error);
        if (step != GPU_TEXT_LINE)
            return step;
    }
    end = find_line_end(text, &step, error);
    if (end == NULL)
        return step;
    text->line++;
    line->at = (const char *)stream->next;
    line->end = (const char *)end;
    stream->next = end == stream->end ? end : end + 1;
    if (line->end > line->at && line->end[-1] == '\r')
        line->end--;
    text->rest = *line;
    return GPU_TEXT_LINE;
}

void gpu_text_again(struct gpu_text *text)
{
    text->again = true;
}

/* --- finding files ------------------------------------------------------------------------------------------------ */

static const char *const endings[] = {"", ".xz", ".gz", ".zst"};
enum { ENDINGS = sizeof endings / sizeof endings[0] };

static size_t ending_of(const char *name, size_t length)
{
    for (size_t i = 1; i < ENDINGS; i++) {
        size_t const size = strlen(endings[i]);

        if (length > size && memcmp(name + length - size, endings[i], size) == 0)
            return size;
    }
    return 0;
}

char *gpu_text_find(const char *folder, const char *name)
{
    size_t const whole = strlen(name), bare = whole - ending_of(name, whole), in = strlen(folder);
    char *const path = malloc(in + whole + sizeof ".zst");

    if (path == NULL)
        return NULL;
    memcpy(path, folder, in);
    memcpy(path + in, name, whole + 1);
    if (access(path, F_OK) == 0)
        return path;
    for (size_t i = 0; i < ENDINGS; i++) {
        memcpy(path + in + bare, endings[i], strlen(endings[i]) + 1);
        if (access(path, F_OK) == 0)
            return path;
    }
    free(path);
    return NULL;
}

/* --- columns ------------------------------------------------------------------------------------------------------ */

bool gpu_take_hex(struct gpu_cursor *cursor, uint64_t *number)
{
    uint64_t value = 0;
    const char *at, *first;

    gpu_skip_blanks(cursor);
    at = cursor->at;
    if (cursor->end - at > 2 && at[0] == '0' && (at[1] | 0x20) == 'x')
        at += 2;
    first = at;
    for (; at < cursor->end; at++) {
        unsigned const digit = gpu_hex_digit(*at);

        if (digit > 15)
            break;
        if (value >> 60 != 0)
            return false;
        value = value << 4 | digit;
    }
    if (at == first || (at < cursor->end && !gpu_is_blank(*at)))
        return false;
    cursor->at = at;
    *number = value;
    return true;
}

bool gpu_take_unsigned(struct gpu_cursor *cursor, uint64_t highest, uint64_t *number)
{
    uint64_t value = 0;
    const char *at;

    gpu_skip_blanks(cursor);
    for (at = cursor->at; at < cursor->end && *at >= '0' && *at <= '9'; at++)
        if (!append_digit(&value, 10, (unsigned)(*at - '0')))
            return false;
    if (at == cursor->at || (at < cursor->end && !gpu_is_blank(*at)) || value > highest)
        return false;
    cursor->at = at;
    *number = value;
    return true;
}

bool gpu_take_signed(struct gpu_cursor *cursor, int64_t *number)
{
    struct gpu_cursor digits;
    uint64_t value;
    bool is_negative;

    gpu_skip_blanks(cursor);
    digits = *cursor;
    is_negative = digits.at < digits.end && *digits.at == '-';
    digits.at += is_negative;
    if (gpu_is_column_end(&digits)
        || !gpu_take_unsigned(&digits, is_negative ? (uint64_t)INT64_MAX + 1 : (uint64_t)INT64_MAX, &value))
        return false;
    cursor->at = digits.at;
    *number = is_negative ? -(int64_t)(value - 1) - 1 : (int64_t)value;
    if (is_negative && value == 0)
        *number = 0;
    return true;
}

void gpu_trim(struct gpu_cursor *cursor)
{
    gpu_skip_blanks(cursor);
    while (cursor->end > cursor->at && gpu_is_blank(cursor->end[-1]))
        cursor->end--;
}

bool gpu_take_word(struct gpu_cursor *cursor, const char *word)
{
    size_t const length = strlen(word);

    if ((size_t)(cursor->end - cursor->at) < length || memcmp(cursor->at, word, length) != 0)
        return false;
    cursor->at += length;
    gpu_trim(cursor);
    return true;
}

bool gpu_equals(const struct gpu_cursor *cursor, const char *word)
{
    size_t const length = strlen(word);

    return (size_t)(cursor->end - cursor->at) == length && memcmp(cursor->at, word, length) == 0;
}

bool gpu_take_three(struct gpu_cursor cursor, uint32_t numbers[3])
{
    gpu_trim(&cursor);
    if (cursor.end - cursor.at >= 2 && cursor.at[0] == '(' && cursor.end[-1] == ')') {
        cursor.at++;
        cursor.end--;
    }
    for (int i = 0; i < 3; i++) {
        const char *const comma = i < 2 ? memchr(cursor.at, ',', (size_t)(cursor.end - cursor.at)) : cursor.end;
        struct gpu_cursor one = {cursor.at, comma};
        uint64_t value;

        if (comma == NULL)
            return false;
        gpu_trim(&one);
        if (!gpu_take_unsigned(&one, UINT32_MAX, &value) || one.at != one.end)
            return false;
        numbers[i] = (uint32_t)value;
        cursor.at = comma + (i < 2);
    }
    return true;
}

/* --- texts -------------------------------------------------------------------------------------------------------- */

void gpu_show(char *to, size_t room, const char *at, const char *end)
{
    size_t used = 0;

    for (; at < end && used + 1 < room; at++)
        to[used++] = *at >= ' ' && *at <= '~' ? *at : '?';
    to[used] = '\0';
}

char *gpu_copy_shown(const char *at, const char *end)
{
    size_t const room = (size_t)(end - at) + 1;
    char *const copy = malloc(room);

    if (copy != NULL)
        gpu_show(copy, room, at, end);
    return copy;
}

struct fault gpu_text_unexpected(const char *file, uint64_t line, const struct gpu_cursor *cursor, const char *what)
{
    struct gpu_cursor rest = *cursor;
    char found[SHOWN];

    gpu_trim(&rest);
    gpu_show(found, sizeof found, rest.at, rest.end);
    return found[0] == '\0' ? fault_at_line(file, line, "the line ends where %s was expected; trace the program again "
                                            "or mend the line", what) : fault_at_line(file, line, "found \"%s\" where "
                                                                                      "%s was expected; trace the "
                                                                                      "program again or mend the line",
                                                                                      found, what);
}

void gpu_warn_ready(struct gpu_warnings *warnings, const char *text)
{
    if (warnings->count == GPU_WARNINGS_MAX)
        return;
    if (!list_fit_next(&warnings->items, warnings->count, sizeof *warnings->items))
        return;
    warnings->items[warnings->count] = strdup(text);
    warnings->count += warnings->items[warnings->count] != NULL;
}

void gpu_warn(struct gpu_warnings *warnings, const char *file, uint64_t line, const char *format, ...)
{
    struct fault text;
    char message[400];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (line > 0)
        text = fault_at_line(file, line, "%s", message);
    else
        text = fault_at(file, FAULT_NO_OFFSET, "%s", message);
    gpu_warn_ready(warnings, fault_text(text));
}

void gpu_warnings_free(struct gpu_warnings *warnings)
{
    for (size_t i = 0; i < warnings->count; i++)
        free(warnings->items[i]);
    free(warnings->items);
    *warnings = (struct gpu_warnings){0};
}
