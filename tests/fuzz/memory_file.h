/* Bytes as a file that readers open by its name. Include behind _GNU_SOURCE. Errors end the target: they are the
 * host's. */
#ifndef TESTS_FUZZ_MEMORY_FILE_H
#define TESTS_FUZZ_MEMORY_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct memory_file {
    int descriptor;
    char path[64];
};

static inline struct memory_file memory_file_open(const uint8_t *data, size_t size)
{
    struct memory_file file = {.descriptor = memfd_create("fuzz", MFD_CLOEXEC)};

    if (file.descriptor < 0 || write(file.descriptor, data, size) != (ssize_t)size)
        abort();
    snprintf(file.path, sizeof file.path, "/proc/self/fd/%d", file.descriptor);
    return file;
}

static inline void memory_file_close(const struct memory_file *file)
{
    close(file->descriptor);
}

/* A fault has a text, which a terminal can print. */
static inline void expect_printable(const char *text)
{
    if (*text == '\0')
        abort();
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 127)
            abort();
}

#endif
