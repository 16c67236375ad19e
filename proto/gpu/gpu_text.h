/* Lines and columns of the text files of GPU traces (gpu-traces 1 to 4): plain, xz, gzip or zstd by content, with LF or
 * CR LF, the last line with or without its end; and those that a `.tracez` holds (proto/gpu/tracez.h).
 *
 * Use: gpu_text_open; gpu_text_next until GPU_TEXT_END, columns of the line by a gpu_cursor; gpu_text_close. A line
 * is valid until the next call. Columns are divided by runs of blanks. Numbers that do not fit are refused.
 * Errors:
 * one line with file and line. Quoted text of the file has '?' for bytes that are not printable. */
#ifndef PROTO_GPU_GPU_TEXT_H
#define PROTO_GPU_GPU_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "base/hash_index.h"
#include "proto/gpu/gpu_trace.h"
#include "proto/io/io_stream.h"
#include "proto/io/sink.h"

#define GPU_TEXT_LINE_MAX ((size_t)1 << 20)

struct gpu_cursor {
    const char *at, *end;
};

struct gpu_tracez;

struct gpu_text {
    struct stream stream;
    struct gpu_tracez *container;    /* NULL: the stream is read; else its `next` and `end` are within these lines */
    uint64_t line;                   /* of the one given last, from 1 */
    struct gpu_cursor rest;          /* the line itself; kept for gpu_text_again */
    bool again;
};

enum gpu_text_step { GPU_TEXT_LINE, GPU_TEXT_END, GPU_TEXT_FAILED };

/* source->unpacks_all is set here. On failure nothing remains open. */
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

/* Header of a GPU kernel file (gpu-traces 2): the lines `-key = value` before the first one that begins with '#'.
 *
 * Use: gpu_header_read on a newly opened text, which is then positioned after the header. Keys may come in any order.
 * gpu_header_free in any case. */

#define GPU_THREADS_MAX 65536u       /* of a block; hardware has 1024 */
#define GPU_VERSION_MAX 6u           /* of the tracer */

struct fault gpu_header_read(struct gpu_text *text, struct gpu_header *header, struct gpu_warnings *warnings);
void gpu_header_free(struct gpu_header *header);

/* Warps of a block by its size; at least 1. */
static inline uint32_t gpu_header_warps(const struct gpu_header *header)
{
    uint64_t const threads = gpu_header_threads(header);

    return threads == 0 ? 1 : (uint32_t)((threads + header->warp_size - 1) / header->warp_size);
}

/* Whether there can be such a cluster; the fault names file and line. */
struct fault gpu_cluster_check(const struct gpu_cluster *cluster, const char *file, uint64_t line);

/* Static instructions of a kernel (proto/gpu/gpu_trace.h), each once, indexed by their contents.
 *
 * Use: begin with {0}; gpu_statics_find for each execution; gpu_statics_free. Entries never change; `items` moves
 * when it grows. An index is below 2^31. */

struct gpu_statics {
    struct gpu_static *items;
    size_t count, room;
    struct hash_index index;
};

void gpu_statics_free(struct gpu_statics *statics);

/* A hash with one more value. */
uint64_t gpu_statics_mix(uint64_t hash, uint64_t value);

/* Finds the index of the static instruction equal to `fixed`, which is added if missing. width_bytes follows from the
 * other fields and is not compared. False: out of memory, or too many. */
bool gpu_statics_find(struct gpu_statics *statics, const struct gpu_static *fixed, uint32_t *index);

/* Writes a kernel as Accel-Sim's grouped text (gpu-traces 2 to 4.2): text that gpu_kernel_open reads back as the same
 * kernel.
 *
 * Use: gpu_text_write_kernel with an open kernel and a text sink (proto/io/sink.h), which stays the caller's. Blocks
 * are read from the kernel until its end.
 * Lines have the layout of the tracer's version: ids before 3, a line number with line info, an immediate from 5 on,
 * clusters and "NoVal" from 6 on, where copies of tiles have no bytes.
 * Keys that Accel-Sim does not know are written as further keys, which it leaves out.
 * Errors: FAULT_INPUT for PTX, which has no such form, and for GCN3 in version 6;
 * else those of the reader and of the sink. */

struct gpu_text_written {
    uint64_t blocks, warps, insts;
    uint64_t empty_warps;                /* without instructions, which Accel-Sim's own reader does not accept */
};

struct gpu_text_form {
    uint32_t version;                    /* of the tracer; 0: the kernel's own */
    bool is_container;                   /* `.tracez` (proto/gpu/tracez.h) instead of text, from version 6 on */
};

/* Counts are added to those that are there. */
struct fault gpu_text_write_kernel(struct gpu_kernel *kernel, struct sink *to, const struct gpu_text_form *form,
                                   struct gpu_text_written *written);

#endif
