#define _POSIX_C_SOURCE 200809L
#include "proto/store/file.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/hash64.h"
#include "proto/store/format.h"

struct fault store_file_check(const struct container *file, const struct container_kind *kind, const uint8_t **meta,
                              uint64_t *meta_bytes)
{
    const char *const name = file->name;
    const uint8_t *const bytes = file->bytes;
    size_t const size = file->size;
    uint64_t place;

    FORWARD(container_check_head(file, kind));
    if (size < STORE_HEAD_BYTES + STORE_SLACK)
        return fault_at(name, size, "the store breaks off in its head; " STORE_MEND);
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

struct fault store_file_end(const char *path, int file, const struct container_kind *kind, const void *meta,
                            size_t meta_bytes, uint64_t place)
{
    return store_file_end_learnt(path, file, kind, meta, meta_bytes, place, 0);
}

struct fault store_file_end_learnt(const char *path, int file, const struct container_kind *kind, const void *meta,
                                   size_t meta_bytes, uint64_t place, uint64_t learnt)
{
    static const uint8_t slack[STORE_SLACK];
    uint8_t head[STORE_HEAD_BYTES] = {0};

    container_fill_head(head, kind);
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
