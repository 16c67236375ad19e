/* Fuzz target: any bytes as the header of a GPU kernel file. It may be refused, with a text that can be printed, but
 * not crash; an accepted header keeps to the limits that its readers rely on. */
#include <stdint.h>
#include <stdlib.h>

#include "proto/gpu/gpu_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect_printable(const char *text)
{
    for (; *text != '\0'; text++)
        if (*text < ' ' || *text > '~')
            abort();
}

static void check(const struct gpu_header *header)
{
    if (header->tracer_major > GPU_VERSION_MAX || (header->warp_size != 32 && header->warp_size != 64)
        || gpu_header_threads(header) > GPU_THREADS_MAX || gpu_header_warps(header) > GPU_THREADS_MAX / 32)
        abort();
    expect_printable(header->name);
    expect_printable(header->tracer_version);
    expect_printable(header->nvbit_version);
    for (size_t i = 0; i < header->other_count; i++) {
        expect_printable(header->others[i].key);
        expect_printable(header->others[i].value);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct stream_source const source = {.path = "fuzz", .data = data, .size = size};
    struct gpu_warnings warnings = {0};
    struct fault error = fault_none();
    struct gpu_header header;
    struct gpu_text text;

    if (FAILS(error, gpu_text_open(&text, &source))) {
        expect_printable(fault_text(error));
        return 0;
    }
    if (WORKS(error, gpu_header_read(&text, &header, &warnings)))
        check(&header);
    else if (fault_text(error)[0] == '\0')
        abort();
    expect_printable(fault_text(error));
    for (size_t i = 0; i < warnings.count; i++)
        expect_printable(warnings.items[i]);
    gpu_header_free(&header);
    gpu_warnings_free(&warnings);
    gpu_text_close(&text);
    return 0;
}
