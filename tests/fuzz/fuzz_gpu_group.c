/* Fuzz target: any bytes as a raw kernel file, which is sorted by blocks and warps. It may be refused, with a text that
 * can be printed, but not crash; little memory and much give the same bytes, and the written file can be read. */
#define _GNU_SOURCE
#include <string.h>

#include "proto/gpu/gpu_group.h"
#include "proto/gpu/gpu_trace.h"
#include "tests/fuzz/memory_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LITTLE_BYTES = 4096, MOST_BYTES = 1 << 20 };

/* The grouped file's length; -1: refused. */
static ssize_t group(const char *path, size_t memory_bytes, char bytes[MOST_BYTES])
{
    struct gpu_group_report report;
    struct gpu_warnings warnings = {0};
    struct fault error = fault_none();
    int const made = gpu_group_temporary(path, memory_bytes, &report, &warnings, &error);
    ssize_t const length = made < 0 ? -1 : pread(made, bytes, MOST_BYTES, 0);

    if (made < 0)
        expect_printable(fault_text(error));
    else
        close(made);
    gpu_warnings_free(&warnings);
    return length;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char little[MOST_BYTES], usual[MOST_BYTES];
    struct memory_file const file = memory_file_open(data, size);
    ssize_t const length = group(file.path, 0, usual);

    if (group(file.path, LITTLE_BYTES, little) != length
        || (length > 0 && memcmp(little, usual, (size_t)length) != 0))
        abort();
    memory_file_close(&file);
    return 0;
}
