/* Files of our own formats: mapping, and the head that all of them begin with, a magic number and the version.
 *
 * Use: container_detect; container_map or container_borrow, container_check_head, container_close.
 * Ownership: the container owns its name, and the bytes unless they are borrowed. Errors: one line with the file. */
#ifndef PROTO_CONTAINER_CONTAINER_H
#define PROTO_CONTAINER_CONTAINER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "base/input_file.h"

enum { CONTAINER_MAGIC_BYTES = 8, CONTAINER_HEAD_BYTES = 16 };

/* Of all formats. */
#define CONTAINER_VERSION UINT64_C(1)

struct container_kind {
    const char *magic;               /* CONTAINER_MAGIC_BYTES */
    const char *name;                /* "a trace store" */
    const char *mend;                /* what to do with one that cannot be read: "make it again with ..." */
};

struct container {
    char *name;                      /* the path */
    const uint8_t *bytes;
    size_t size;
    struct input_file *input;        /* NULL: the bytes are the caller's */
};

/* Whether this is a regular file that begins with the magic number. */
bool container_detect(const char *path, const struct container_kind *kind);

/* On failure nothing is to be closed. */
struct fault container_map(struct container *container, const char *path, const struct container_kind *kind);
/* Bytes that must outlive it; `name` is used in errors. */
struct fault container_borrow(struct container *container, const char *name, const void *bytes, size_t size);
void container_close(struct container *container);

/* Fails unless the file has the kind's magic number and version 1. */
struct fault container_check_head(const struct container *container, const struct container_kind *kind);
/* Fills in the magic number and the version. */
void container_fill_head(uint8_t head[CONTAINER_HEAD_BYTES], const struct container_kind *kind);

/* Bytes between two places leave the process's resident memory, large pieces at once; they come back when they are
 * read. */
void container_forget(const struct container *container, uint64_t from, uint64_t to);

#endif
