/* Lines and columns of the text files of GPU traces (gpu-traces 1 to 4): plain, xz or gzip by content, with LF or
 * CR LF, the last line with or without its end.
 *
 * Use: gpu_text_open; gpu_text_next until GPU_TEXT_END, columns of the line by a gpu_cursor; gpu_text_close. A line
 * is valid until the next call. Columns are divided by runs of blanks. Numbers that do not fit are refused.
 * Errors:
 * one line with file and line. Quoted text of the file has '?' for bytes that are not printable. */
#ifndef PROTO_GPU_TEXT_H
#define PROTO_GPU_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "proto/io/stream.h"

#define GPU_TEXT_LINE_MAX ((size_t)1 << 20)

struct gpu_cursor {
    const char *at, *end;
};

struct gpu_text {
    struct stream stream;
    uint64_t line;                   /* of the one given last, from 1 */
    struct gpu_cursor rest;          /* the line itself; kept for gpu_text_again */
    bool again;
};

enum gpu_text_step { GPU_TEXT_LINE, GPU_TEXT_END, GPU_TEXT_FAILED };

/* source->unpacks_xz is set here. On failure nothing remains open. */
struct fault gpu_text_open(struct gpu_text *text, const struct stream_source *source);
void gpu_text_close(struct gpu_text *text);
/* The next line without its end. */
enum gpu_text_step gpu_text_next(struct gpu_text *text, struct gpu_cursor *line, struct fault *error);
/* The next call gives the same line again. */
void gpu_text_again(struct gpu_text *text);
const char *gpu_text_name(const struct gpu_text *text);

/* Path of an existing trace file: folder/name, or with .xz or .gz appended, or without such an ending; NULL: not found,
 * or out of memory. The caller frees it. */
char *gpu_text_find(const char *folder, const char *name);

/* ---- columns */

static inline bool gpu_is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static inline void gpu_skip_blanks(struct gpu_cursor *cursor)
{
    while (cursor->at < cursor->end && gpu_is_blank(*cursor->at))
        cursor->at++;
}

/* At a column's end, or the line's. */
static inline bool gpu_is_column_end(const struct gpu_cursor *cursor)
{
    return cursor->at == cursor->end || gpu_is_blank(*cursor->at);
}

/* Value of a hexadecimal digit, or above 15. */
static inline unsigned gpu_hex_digit(char c)
{
    unsigned const number = (unsigned char)c - (unsigned)'0', letter = ((unsigned char)c | 0x20u) - (unsigned)'a';

    return number < 10 ? number : letter < 6 ? letter + 10 : 16;
}

/* Columns as numbers; false, and the cursor at the column's first byte, if the column is none or does not fit. Blanks
 * before it are skipped. gpu_take_hex takes it with or without 0x. */
bool gpu_take_hex(struct gpu_cursor *cursor, uint64_t *number);
bool gpu_take_unsigned(struct gpu_cursor *cursor, uint64_t highest, uint64_t *number);
bool gpu_take_signed(struct gpu_cursor *cursor, int64_t *number);

/* The text behind `word` if the line begins with it; blanks at its front and end are left out. */
bool gpu_take_word(struct gpu_cursor *cursor, const char *word);
/* "x,y,z" or "(x,y,z)" to the line's end. */
bool gpu_take_three(struct gpu_cursor cursor, uint32_t numbers[3]);
void gpu_trim(struct gpu_cursor *cursor);
bool gpu_equals(const struct gpu_cursor *cursor, const char *word);

/* A copy that can be printed: other bytes than printable ASCII are '?'; NULL without memory. */
char *gpu_copy_shown(const char *at, const char *end);
/* The same into an array, cut to fit. */
void gpu_show(char *to, size_t room, const char *at, const char *end);

/* The fault "file: line N: found "..." where WHAT was expected". */
struct fault gpu_text_unexpected(const char *file, uint64_t line, const struct gpu_cursor *cursor, const char *what);

/* ---- warnings: kept, ready to print */

struct gpu_warnings {
    char **items;
    size_t count;
};

#define GPU_WARNINGS_MAX 32          /* further ones are dropped */

/* "file: line N: text"; line 0: without. */
void gpu_warn(struct gpu_warnings *warnings, const char *file, uint64_t line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The text as it is. */
void gpu_warn_ready(struct gpu_warnings *warnings, const char *text);
void gpu_warnings_free(struct gpu_warnings *warnings);

#endif
