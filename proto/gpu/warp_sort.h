/* Lines of many warps, put in the order of the warps in bounded memory: an external merge sort. Within a warp they keep
 * the order in which they were added.
 *
 * Use: warp_sort_new; warp_sort_add for each line; then warp_sort_next for each warp, in the order of block z, y, x and
 * warp, and warp_sort_text, until it gives nothing, for the warp's lines, as often as wanted after warp_sort_rewind.
 * Bytes of a warp's text are valid until the next call.
 * Memory: memory_bytes (more for a line that does not fit), later 64 windows of the file, each 16 KiB or a line.
 * Disk: about the size of the lines, twice that from 64 runs on, in a file without a name. */
#ifndef PROTO_GPU_WARP_SORT_H
#define PROTO_GPU_WARP_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"

#define WARP_SORT_LINE_MAX (UINT32_C(64) << 10)

/* The block's position and the number of the warp in it. */
struct warp_key {
    uint32_t z, y, x, warp;
};

struct warp_lines {
    struct warp_key key;
    uint64_t lines, bytes;
    bool has_marked;                 /* some line was added with a mark */
};

/* A line in two pieces, without its newline; together at most WARP_SORT_LINE_MAX bytes. */
struct warp_line {
    struct warp_key key;
    const void *head, *rest;
    size_t head_bytes, rest_bytes;
    bool is_marked;
};

struct warp_sort;

/* folder: of the temporary file. `name`, that of the sorted file, is used in errors. NULL on failure. */
struct warp_sort *warp_sort_new(const char *name, const char *folder, size_t memory_bytes, struct fault *error);
void warp_sort_free(struct warp_sort *sort);

struct fault warp_sort_add(struct warp_sort *sort, const struct warp_line *line);

enum warp_step { WARP_GIVEN, WARP_NO_MORE, WARP_FAILED };

/* After the last line was added. */
enum warp_step warp_sort_next(struct warp_sort *sort, struct warp_lines *warp, struct fault *error);
/* Some of the warp's text: whole lines, each with a newline. WARP_NO_MORE: that was all. */
enum warp_step warp_sort_text(struct warp_sort *sort, const char **text, size_t *bytes, struct fault *error);
void warp_sort_rewind(struct warp_sort *sort);

/* A file without a name in a folder: its descriptor, or -1. It vanishes when it is closed. */
int warp_sort_temporary(const char *name, const char *folder, struct fault *error);

#endif
