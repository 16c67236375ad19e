/* Files of our own formats. All have one layout, little-endian; each format has a magic number and kinds of chunks.
 *
 * file      head, chunks, the last of them the index, trailer
 * head      magic (8 bytes), version (u64)
 * chunk     begins at a multiple of 8: "CHNK", kind (u32), length of the payload (u64), XXH64 of these 16 bytes, the
 *           payload and the padding (u64); payload; zeros up to a multiple of 8
 * trailer   place of the index (u64), XXH64 of these 8 bytes (u64), "rbt end\n"
 *
 * A file without trailer was cut or is being written; its whole chunks can be found and checked by themselves. At least
 * CONTAINER_TRAILER_BYTES are readable behind any chunk.
 *
 * Use, reading: container_detect; container_map or container_borrow; container_index, or container_check_head and
 * container_look from chunk to chunk; container_chunk_at; container_close. Writing: container_begin; for each chunk
 * container_chunk_begin, bytes into the column, container_put; container_end with the index.
 * Ownership: the container owns its name, and the bytes unless they are borrowed. Errors: one line with the file, place
 * and remedy; after a failed write the file ends with the last whole chunk. */
#ifndef PROTO_CONTAINER_CONTAINER_H
#define PROTO_CONTAINER_CONTAINER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "base/input_file.h"
#include "proto/container/column.h"

enum {
    CONTAINER_MAGIC_BYTES = 8, CONTAINER_HEAD_BYTES = 16, CONTAINER_CHUNK_HEAD_BYTES = 24, CONTAINER_TRAILER_BYTES = 24,
    CONTAINER_ALIGNMENT = 8
};

/* Of all formats. */
#define CONTAINER_VERSION UINT64_C(1)

struct container_kind {
    const char *magic;               /* CONTAINER_MAGIC_BYTES */
    const char *name;                /* "a trace store" */
    const char *mend;                /* the remedy for an unreadable file: "make it again with ..." */
    const char *rescue;              /* the same for one that is cut or damaged; NULL: mend */
    uint32_t index;                  /* kind of the index */
    uint32_t last;                   /* the last of kinds from 1 on; 0: the index */
};

struct container {
    char *name;                      /* the path */
    const uint8_t *bytes;
    size_t size;
    struct input_file *input;        /* NULL: the bytes are the caller's */
};

struct container_chunk {
    uint64_t offset;                 /* of its head in the file */
    uint64_t length;                 /* of the payload */
    uint32_t kind;
    uint64_t hash;                   /* as its head says */
    const uint8_t *bytes;            /* the payload */
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
/* Checks the head and the trailer, and finds the index. */
struct fault container_index(const struct container *container, const struct container_kind *kind,
                             struct container_chunk *index);

/* The chunk at `offset` of `size` bytes; its hash is checked on request. NULL if it is intact, else the defect, as
 * found and expected values. */
const char *container_look(const uint8_t *bytes, uint64_t size, uint64_t offset, const struct container_kind *kind,
                           bool hashes, struct container_chunk *chunk);
/* The same of a whole file, whose trailer holds no chunk. */
struct fault container_chunk_at(const struct container *container, const struct container_kind *kind, uint64_t offset,
                                bool hashes, struct container_chunk *chunk);

/* Where the next chunk begins. */
static inline uint64_t container_chunk_end(const struct container_chunk *chunk)
{
    return chunk->offset + CONTAINER_CHUNK_HEAD_BYTES
        + (chunk->length + CONTAINER_ALIGNMENT - 1) / CONTAINER_ALIGNMENT * CONTAINER_ALIGNMENT;
}

/* A hash of the hashes of all chunks of a file of any format of ours, which are read and not computed: any change of a
 * payload changes it. False: the file, of `size` bytes, is none of ours, or is cut. */
bool container_hash_chunks(int file, uint64_t size, uint64_t *hash);

/* Bytes between two places leave the process's resident memory, large pieces at once; they come back when they are
 * read. */
void container_forget(const struct container *container, uint64_t from, uint64_t to);

/* ---- writing */

struct container_writer {
    const char *path;
    int file;                        /* written front to back */
    uint64_t written;
};

/* Empties a column and leaves room for a chunk's head. */
void container_chunk_begin(struct column *chunk);
/* Fills in the head of a chunk that is gathered, and pads it. */
void container_chunk_seal(struct column *chunk, uint32_t kind);

struct fault container_write(struct container_writer *writer, const void *bytes, size_t count);
/* Cuts the file back. A pipe cannot be cut: its reader has to salvage whole chunks. */
void container_cut(struct container_writer *writer, uint64_t bytes);
struct fault container_begin(struct container_writer *writer, const struct container_kind *kind);
/* Seals and appends a chunk. */
struct fault container_put(struct container_writer *writer, struct column *chunk, uint32_t kind);
/* A chunk whose length is known at its end: its bytes follow by container_write. The file is read back. */
struct fault container_put_begin(struct container_writer *writer);
struct fault container_put_end(struct container_writer *writer, uint64_t offset, uint32_t kind);
/* Appends the index, which is not sealed yet, and the trailer. */
struct fault container_end(struct container_writer *writer, struct column *index, const struct container_kind *kind);

#endif
