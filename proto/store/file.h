/* What files of stores share, whatever they hold: mapping, the head (proto/store/format.h), files that take their name
 * when they are whole.
 *
 * Use, reading: store_file_map or store_file_borrow, store_file_check, which finds meta; store_file_close. */
#ifndef PROTO_STORE_FILE_H
#define PROTO_STORE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "base/input_file.h"

/* What to do with a store that is damaged. */
#define STORE_MEND "make it again with `rubato trace pack`"

/* A kind of store. */
struct store_kind {
    const char *magic;               /* STORE_MAGIC_BYTES */
    uint32_t version;
    const char *name;                /* "trace store" */
};

/* Is this a regular file that begins as such a store does? */
bool store_file_detect(const char *path, const struct store_kind *kind);

/* A file that is read. */
struct store_file {
    char *name;
    const uint8_t *bytes;
    size_t size;
    struct input_file *input;        /* NULL: the bytes are the caller's */
};

/* On failure nothing is to be closed. */
struct fault store_file_map(struct store_file *file, const char *path, const struct store_kind *kind);
/* Bytes that must outlive it; `name` stands in errors. */
struct fault store_file_borrow(struct store_file *file, const char *name, const void *bytes, size_t size);
void store_file_close(struct store_file *file);
/* Checks the head, and that meta is where it says and has the right hash. */
struct fault store_file_check(const struct store_file *file, const struct store_kind *kind, const uint8_t **meta,
                              uint64_t *meta_bytes);
/* Bytes between two places leave the process's resident memory, large pieces at once; they come back when they are
 * read. */
void store_file_forget(const struct store_file *file, uint64_t from, uint64_t to);

/* path: named in errors. */
struct fault store_file_write_at(const char *path, int file, const void *bytes, size_t count, uint64_t place);
/* Writes meta at `place`, the slack behind it, and then the head, which makes the file a store. */
struct fault store_file_end(const char *path, int file, const struct store_kind *kind, const void *meta,
                            size_t meta_bytes, uint64_t place);
/* The same of a trace store in which something learnt stands at `learnt` (0: nothing). */
struct fault store_file_end_learnt(const char *path, int file, const struct store_kind *kind, const void *meta,
                                   size_t meta_bytes, uint64_t place, uint64_t learnt);

#endif
