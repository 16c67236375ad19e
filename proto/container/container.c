#define _DEFAULT_SOURCE             /* madvise */
#define _POSIX_C_SOURCE 200809L
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

void container_fill_head(uint8_t head[CONTAINER_HEAD_BYTES], const struct container_kind *kind)
{
    memcpy(head, kind->magic, CONTAINER_MAGIC_BYTES);
    bits_store64(head + CONTAINER_MAGIC_BYTES, CONTAINER_VERSION);
}

void container_forget(const struct container *container, uint64_t from, uint64_t to)
{
    uint64_t const begin = from / FORGOTTEN_BYTES * FORGOTTEN_BYTES, end = to / FORGOTTEN_BYTES * FORGOTTEN_BYTES;

    if (input_file_is_mapped(container->input) && end > begin)
        madvise((void *)(uintptr_t)(container->bytes + begin), end - begin, MADV_DONTNEED);
}
