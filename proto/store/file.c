#define _DEFAULT_SOURCE             /* madvise */
#define _POSIX_C_SOURCE 200809L
#include "proto/store/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash64.h"
#include "proto/store/format.h"

#define FORGOTTEN_BYTES (UINT64_C(1) << 21)  /* at once; a multiple of any page */

bool store_file_detect(const char *path, const struct store_kind *kind)
{
    int const file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    char magic[STORE_MAGIC_BYTES];
    struct stat about;
    bool is_store;

    if (file < 0)
        return false;
    is_store = fstat(file, &about) == 0 && S_ISREG(about.st_mode)
        && pread(file, magic, sizeof magic, 0) == (ssize_t)sizeof magic
        && memcmp(magic, kind->magic, sizeof magic) == 0;
    close(file);
    return is_store;
}

static struct fault map(const char *path, const struct store_kind *kind, struct store_file *to)
{
    struct fault fault = fault_none();
    int const file = open(path, O_RDONLY | O_CLOEXEC);
    const void *bytes;
    struct stat about;

    if (file < 0 || fstat(file, &about) != 0) {
        fault = fault_at(path, FAULT_NO_OFFSET, "cannot be opened: %s", strerror(errno));
    } else if (!S_ISREG(about.st_mode)) {
        fault = fault_at(path, FAULT_NO_OFFSET, "is not a regular file; expected a %s", kind->name);
    } else if (about.st_size == 0) {
        fault = fault_at(path, FAULT_NO_OFFSET, "is empty; expected a %s; " STORE_MEND, kind->name);
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

struct fault store_file_borrow(struct store_file *file, const char *name, const void *bytes, size_t size)
{
    *file = (struct store_file){.name = strdup(name), .bytes = bytes, .size = size};
    return file->name != NULL ? fault_none() : fault_memory(name, NULL);
}

struct fault store_file_map(struct store_file *file, const char *path, const struct store_kind *kind)
{
    struct fault fault = fault_none();

    FORWARD(store_file_borrow(file, path, NULL, 0));
    if (WORKS(fault, map(path, kind, file)))
        return fault_none();
    store_file_close(file);
    return fault;
}

void store_file_close(struct store_file *file)
{
    input_file_unmap(file->input);
    free(file->name);
}

void store_file_forget(const struct store_file *file, uint64_t from, uint64_t to)
{
    uint64_t const begin = from / FORGOTTEN_BYTES * FORGOTTEN_BYTES, end = to / FORGOTTEN_BYTES * FORGOTTEN_BYTES;

    if (input_file_is_mapped(file->input) && end > begin)
        madvise((void *)(uintptr_t)(file->bytes + begin), end - begin, MADV_DONTNEED);
}

struct fault store_file_check(const struct store_file *file, const struct store_kind *kind, const uint8_t **meta,
                              uint64_t *meta_bytes)
{
    const char *const name = file->name;
    const uint8_t *const bytes = file->bytes;
    size_t const size = file->size;
    uint32_t version;
    uint64_t place;

    if (size < STORE_MAGIC_BYTES || memcmp(bytes, kind->magic, STORE_MAGIC_BYTES) != 0)
        return fault_at(name, 0, "is not a %s; `rubato trace pack` makes one", kind->name);
    if (size < STORE_HEAD_BYTES + STORE_SLACK)
        return fault_at(name, size, "the store breaks off in its head; " STORE_MEND);
    version = bits_load32(bytes + STORE_HEAD_VERSION);
    if (version != kind->version)
        return fault_at(name, STORE_HEAD_VERSION, "is a store of version %" PRIu32 "; expected %" PRIu32
                        "; " STORE_MEND, version, kind->version);
    if (hash64(bytes, STORE_HEAD_HASH) != bits_load64(bytes + STORE_HEAD_HASH))
        return fault_at(name, 0, "the store's head is damaged; " STORE_MEND);
    if (bits_load64(bytes + STORE_HEAD_FILE_BYTES) != size)
        return fault_at(name, size, "the store has %zu bytes; expected %" PRIu64 " (a broken copy?); copy it again, "
                        "or " STORE_MEND, size, bits_load64(bytes + STORE_HEAD_FILE_BYTES));
    place = bits_load64(bytes + STORE_HEAD_META);
    *meta_bytes = bits_load64(bytes + STORE_HEAD_META_BYTES);
    if (place > size || *meta_bytes > size - place
        || hash64(bytes + place, *meta_bytes) != bits_load64(bytes + STORE_HEAD_META_HASH))
        return fault_at(name, place, "the store's index is damaged; " STORE_MEND);
    *meta = bytes + place;
    return fault_none();
}

struct fault store_file_write_at(const char *path, int file, const void *bytes, size_t count, uint64_t place)
{
    const uint8_t *at = bytes;

    while (count > 0) {
        ssize_t const written = pwrite(file, at, count, (off_t)place);

        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return fault_at(path, FAULT_NO_OFFSET, "cannot be written: %s", written < 0 ? strerror(errno)
                            : "the disk is full");
        at += written;
        place += (uint64_t)written;
        count -= (size_t)written;
    }
    return fault_none();
}

struct fault store_file_end(const char *path, int file, const struct store_kind *kind, const void *meta,
                            size_t meta_bytes, uint64_t place)
{
    return store_file_end_learnt(path, file, kind, meta, meta_bytes, place, 0);
}

struct fault store_file_end_learnt(const char *path, int file, const struct store_kind *kind, const void *meta,
                                   size_t meta_bytes, uint64_t place, uint64_t learnt)
{
    static const uint8_t slack[STORE_SLACK];
    uint8_t head[STORE_HEAD_BYTES] = {0};

    memcpy(head, kind->magic, STORE_MAGIC_BYTES);
    bits_store32(head + STORE_HEAD_VERSION, kind->version);
    bits_store64(head + STORE_HEAD_FILE_BYTES, place + meta_bytes + STORE_SLACK);
    bits_store64(head + STORE_HEAD_META, place);
    bits_store64(head + STORE_HEAD_META_BYTES, meta_bytes);
    bits_store64(head + STORE_HEAD_META_HASH, hash64(meta, meta_bytes));
    bits_store64(head + STORE_HEAD_LEARNT, learnt);
    bits_store64(head + STORE_HEAD_HASH, hash64(head, STORE_HEAD_HASH));
    FORWARD(store_file_write_at(path, file, meta, meta_bytes, place));
    FORWARD(store_file_write_at(path, file, slack, sizeof slack, place + meta_bytes));
    return store_file_write_at(path, file, head, sizeof head, 0);
}
