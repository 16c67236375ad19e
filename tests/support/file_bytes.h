/* A file's bytes, for tests that damage them. */
#ifndef TESTS_FILE_BYTES_H
#define TESTS_FILE_BYTES_H

#include "tests/support/unit.h"

/* The caller's to free. */
static inline uint8_t *read_file_bytes(const char *path, size_t *size)
{
    FILE *const file = fopen(path, "rb");
    uint8_t *bytes;

    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *size = (size_t)ftell(file);
    rewind(file);
    bytes = malloc(*size);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

#endif
