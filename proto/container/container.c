#include "proto/container/container.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/hash64.h"

#define FORGOTTEN_BYTES (UINT64_C(1) << 21)  /* at once; a multiple of any page */

bool container_detect(const char *path, const struct container_kind *kind)
{
    int const file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    char magic[CONTAINER_MAGIC_BYTES];
    struct stat about;
    bool is_one;

    if (file < 0)
        return false;
    is_one = fstat(file, &about) == 0 && S_ISREG(about.st_mode)
        && pread(file, magic, sizeof magic, 0) == (ssize_t)sizeof magic
        && memcmp(magic, kind->magic, sizeof magic) == 0;
    close(file);
    return is_one;
}

static struct fault map(const char *path, const struct container_kind *kind, struct container *to)
{
    struct fault fault = fault_none();
    int const file = open(path, O_RDONLY | O_CLOEXEC);
    const void *bytes;
    struct stat about;

    if (file < 0 || fstat(file, &about) != 0) {
        fault = fault_at(path, FAULT_NO_OFFSET, "cannot be opened: %s", strerror(errno));
    } else if (!S_ISREG(about.st_mode)) {
        fault = fault_at(path, FAULT_NO_OFFSET, "is not a regular file; expected %s", kind->name);
    } else if (about.st_size == 0) {
        fault = fault_at(path, FAULT_NO_OFFSET, "is empty; expected %s; %s", kind->name, kind->mend);
    } else {
        to->input = input_file_map(file, path, &bytes, (size_t)about.st_size);
        if (to->input) {
            to->bytes = bytes;
            to->size = (size_t)about.st_size;
            return fault_none();
        }
        fault = fault_at(path, FAULT_NO_OFFSET, "cannot be mapped: %s", strerror(errno));
    }
    if (file >= 0)
        close(file);
    return fault;
}

struct fault container_borrow(struct container *container, const char *name, const void *bytes, size_t size)
{
    *container = (struct container){.name = strdup(name), .bytes = bytes, .size = size};
    return container->name != NULL ? fault_none() : fault_memory(name, NULL);
}

struct fault container_map(struct container *container, const char *path, const struct container_kind *kind)
{
    struct fault fault = fault_none();

    FORWARD(container_borrow(container, path, NULL, 0));
    if (WORKS(fault, map(path, kind, container)))
        return fault_none();
    container_close(container);
    return fault;
}

void container_close(struct container *container)
{
    input_file_unmap(container->input);
    free(container->name);
    *container = (struct container){0};
}

struct fault container_check_head(const struct container *container, const struct container_kind *kind)
{
    uint64_t version;

    if (container->size < CONTAINER_MAGIC_BYTES || memcmp(container->bytes, kind->magic, CONTAINER_MAGIC_BYTES) != 0)
        return fault_at(container->name, 0, "is not %s; `rubato trace pack` makes one", kind->name);
    if (container->size < CONTAINER_HEAD_BYTES)
        return fault_at(container->name, container->size, "%s that ends within its head; %s", kind->name, kind->mend);
    version = bits_load64(container->bytes + CONTAINER_MAGIC_BYTES);
    return version == CONTAINER_VERSION ? fault_none()
        : fault_at(container->name, CONTAINER_MAGIC_BYTES, "is %s of version %" PRIu64 "; expected version %" PRIu64
                   "; %s", kind->name, version, CONTAINER_VERSION, kind->mend);
}

void container_forget(const struct container *container, uint64_t from, uint64_t to)
{
    uint64_t const begin = from / FORGOTTEN_BYTES * FORGOTTEN_BYTES, end = to / FORGOTTEN_BYTES * FORGOTTEN_BYTES;

    if (input_file_is_mapped(container->input) && end > begin)
        madvise((void *)(uintptr_t)(container->bytes + begin), end - begin, MADV_DONTNEED);
}

/* ---- chunks */
#define CHUNK_MAGIC UINT32_C(0x4b4e4843)     /* "CHNK" */
#define END_MAGIC "rbt end\n"

enum { KIND_AT = 4, LENGTH_AT = 8, HASH_AT = 16, READ_BYTES = 1 << 16 };

static uint64_t container_hash_of(const uint8_t *head, const uint8_t *bytes, size_t count)
{
    struct hash64_pieces pieces;

    hash64_begin(&pieces);
    hash64_add(&pieces, head, HASH_AT);
    hash64_add(&pieces, bytes, count);
    return hash64_end(&pieces);
}

const char *container_look(const uint8_t *bytes, uint64_t size, uint64_t offset, const struct container_kind *kind,
                           bool hashes, struct container_chunk *chunk)
{
    const uint8_t *head;
    uint64_t padded;

    if (offset % CONTAINER_ALIGNMENT != 0 || offset > size || size - offset < CONTAINER_CHUNK_HEAD_BYTES)
        return "the file ends; expected the head of a chunk";
    head = bytes + offset;
    if (bits_load32(head) != CHUNK_MAGIC)
        return "no chunk begins here; expected the magic number CHNK";
    *chunk = (struct container_chunk){.offset = offset, .length = bits_load64(head + LENGTH_AT),
                                      .kind = bits_load32(head + KIND_AT), .hash = bits_load64(head + HASH_AT),
                                      .bytes = head + CONTAINER_CHUNK_HEAD_BYTES};
    if (chunk->kind == 0 || chunk->kind > (kind->last ? kind->last : kind->index))
        return "a chunk of unknown kind";
    if (chunk->length > size - offset - CONTAINER_CHUNK_HEAD_BYTES)
        return "a chunk that ends behind the file";
    padded = container_chunk_end(chunk) - offset - CONTAINER_CHUNK_HEAD_BYTES;
    if (padded > size - offset - CONTAINER_CHUNK_HEAD_BYTES)
        return "a chunk that ends behind the file";
    if (hashes && chunk->hash != container_hash_of(head, chunk->bytes, (size_t)padded))
        return "a chunk whose hash is another; its bytes have changed";
    return NULL;
}

static const char *rescue_of(const struct container_kind *kind)
{
    return kind->rescue ? kind->rescue : kind->mend;
}

struct fault container_chunk_at(const struct container *container, const struct container_kind *kind, uint64_t offset,
                                bool hashes, struct container_chunk *chunk)
{
    uint64_t const size = container->size > CONTAINER_TRAILER_BYTES ? container->size - CONTAINER_TRAILER_BYTES : 0;
    const char *const wrong = container_look(container->bytes, size, offset, kind, hashes, chunk);

    return !wrong ? fault_none() : fault_at(container->name, offset, "%s; the file is cut or damaged; %s", wrong,
                                            rescue_of(kind));
}

struct fault container_index(const struct container *container, const struct container_kind *kind,
                             struct container_chunk *index)
{
    const char *const name = container->name;
    uint64_t const size = container->size;
    const uint8_t *trailer;

    FORWARD(container_check_head(container, kind));
    trailer = container->bytes + size - CONTAINER_TRAILER_BYTES;
    if (size < CONTAINER_HEAD_BYTES + CONTAINER_TRAILER_BYTES || memcmp(trailer + 16, END_MAGIC, 8) != 0)
        return fault_at(name, size, "the file ends; expected a trailer (a broken copy?): it is cut, or still being "
                        "written; %s", rescue_of(kind));
    if (bits_load64(trailer + 8) != hash64(trailer, 8))
        return fault_at(name, size - CONTAINER_TRAILER_BYTES, "a trailer whose hash is another; its bytes have "
                        "changed; %s", rescue_of(kind));
    FORWARD(container_chunk_at(container, kind, bits_load64(trailer), true, index));
    return index->kind == kind->index && container_chunk_end(index) == size - CONTAINER_TRAILER_BYTES
        ? fault_none() : fault_at(name, index->offset, "no index; expected one that ends at the trailer; %s",
                                  rescue_of(kind));
}

bool container_hash_chunks(int file, uint64_t size, uint64_t *hash)
{
    uint8_t bytes[CONTAINER_TRAILER_BYTES];
    struct hash64_pieces pieces;
    uint64_t end, offset = CONTAINER_HEAD_BYTES;

    if (size < CONTAINER_HEAD_BYTES + CONTAINER_TRAILER_BYTES)
        return false;
    end = size - CONTAINER_TRAILER_BYTES;
    if (pread(file, bytes, sizeof bytes, (off_t)end) != (ssize_t)sizeof bytes || memcmp(bytes + 16, END_MAGIC, 8) != 0)
        return false;
    hash64_begin(&pieces);
    while (offset < end) {
        struct container_chunk chunk = {.offset = offset};

        if (pread(file, bytes, CONTAINER_CHUNK_HEAD_BYTES, (off_t)offset) != CONTAINER_CHUNK_HEAD_BYTES
            || bits_load32(bytes) != CHUNK_MAGIC)
            return false;
        hash64_add(&pieces, bytes, CONTAINER_CHUNK_HEAD_BYTES);
        chunk.length = bits_load64(bytes + LENGTH_AT);
        if (chunk.length > end - offset)
            return false;
        offset = container_chunk_end(&chunk);
    }
    *hash = hash64_end(&pieces);
    return offset == end;
}

/* ---- writing */
void container_chunk_begin(struct column *chunk)
{
    static const uint8_t head[CONTAINER_CHUNK_HEAD_BYTES] = {0};

    chunk->length = 0;
    column_put_bytes(chunk, head, sizeof head);
}

static void fill_chunk_head(uint8_t *head, uint32_t kind, uint64_t length)
{
    bits_store32(head, CHUNK_MAGIC);
    bits_store32(head + KIND_AT, kind);
    bits_store64(head + LENGTH_AT, length);
}

void container_chunk_seal(struct column *chunk, uint32_t kind)
{
    size_t const length = chunk->length - CONTAINER_CHUNK_HEAD_BYTES;

    while (chunk->length % CONTAINER_ALIGNMENT != 0 && !chunk->failed)
        column_put_byte(chunk, 0);
    if (chunk->failed)
        return;
    fill_chunk_head(chunk->at, kind, length);
    bits_store64(chunk->at + HASH_AT, container_hash_of(chunk->at, chunk->at + CONTAINER_CHUNK_HEAD_BYTES,
                                                        chunk->length - CONTAINER_CHUNK_HEAD_BYTES));
}

struct fault container_write(struct container_writer *writer, const void *bytes, size_t count)
{
    const uint8_t *at = bytes;

    for (size_t done = 0; done < count;) {
        ssize_t const step = write(writer->file, at + done, count - done);

        if (step < 0 && errno == EINTR)
            continue;
        if (step <= 0)
            return fault_at(writer->path, writer->written + done, "cannot be written: %s",
                            strerror(step < 0 ? errno : ENOSPC));
        done += (size_t)step;
    }
    writer->written += count;
    return fault_none();
}

void container_cut(struct container_writer *writer, uint64_t bytes)
{
    writer->written = bytes;
    if (ftruncate(writer->file, (off_t)bytes) == 0)
        lseek(writer->file, (off_t)bytes, SEEK_SET);
}

struct fault container_begin(struct container_writer *writer, const struct container_kind *kind)
{
    uint8_t head[CONTAINER_HEAD_BYTES];

    memcpy(head, kind->magic, CONTAINER_MAGIC_BYTES);
    bits_store64(head + CONTAINER_MAGIC_BYTES, CONTAINER_VERSION);
    return container_write(writer, head, sizeof head);
}

struct fault container_put(struct container_writer *writer, struct column *chunk, uint32_t kind)
{
    uint64_t const offset = writer->written;
    struct fault fault = fault_none();

    container_chunk_seal(chunk, kind);
    if (chunk->failed)
        return fault_memory(writer->path, NULL);
    if (FAILS(fault, container_write(writer, chunk->at, chunk->length)))
        container_cut(writer, offset);
    return fault;
}

struct fault container_put_begin(struct container_writer *writer)
{
    static const uint8_t head[CONTAINER_CHUNK_HEAD_BYTES] = {0};

    return container_write(writer, head, sizeof head);
}

static struct fault rehash(const struct container_writer *writer, uint64_t offset, struct hash64_pieces *pieces)
{
    uint8_t bytes[READ_BYTES];

    while (offset < writer->written) {
        ssize_t const got = pread(writer->file, bytes, sizeof bytes, (off_t)offset);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return fault_at(writer->path, offset, "cannot be read back: %s", got < 0 ? strerror(errno) : "it was cut");
        hash64_add(pieces, bytes, (size_t)got);
        offset += (uint64_t)got;
    }
    return fault_none();
}

struct fault container_put_end(struct container_writer *writer, uint64_t offset, uint32_t kind)
{
    static const uint8_t padding[CONTAINER_ALIGNMENT] = {0};
    uint64_t const begin = offset + CONTAINER_CHUNK_HEAD_BYTES, length = writer->written - begin;
    uint8_t head[CONTAINER_CHUNK_HEAD_BYTES];
    struct hash64_pieces pieces;

    FORWARD(container_write(writer, padding, -length % CONTAINER_ALIGNMENT));
    fill_chunk_head(head, kind, length);
    hash64_begin(&pieces);
    hash64_add(&pieces, head, HASH_AT);
    FORWARD(rehash(writer, begin, &pieces));
    bits_store64(head + HASH_AT, hash64_end(&pieces));
    return pwrite(writer->file, head, sizeof head, (off_t)offset) == sizeof head ? fault_none()
        : fault_at(writer->path, offset, "cannot be written: %s", strerror(errno));
}

struct fault container_end(struct container_writer *writer, struct column *index, const struct container_kind *kind)
{
    uint64_t const offset = writer->written;
    struct fault fault = fault_none();
    uint8_t trailer[CONTAINER_TRAILER_BYTES];

    bits_store64(trailer, offset);
    bits_store64(trailer + 8, hash64(trailer, 8));
    memcpy(trailer + 16, END_MAGIC, 8);
    FORWARD(container_put(writer, index, kind->index));
    if (FAILS(fault, container_write(writer, trailer, sizeof trailer)))
        container_cut(writer, offset);
    return fault;
}
