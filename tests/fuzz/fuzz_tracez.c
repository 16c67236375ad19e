/* Fuzz target: any bytes as a .tracez. It may be refused, with a text that can be printed, but not crash; its text is
 * of whole lines, and read as a kernel it gives blocks as the index counts them. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "proto/gpu/tracez.h"
#include "tests/fuzz/memory_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Blocks that the text begins; -1: refused. */
static int64_t blocks_of_text(const struct stream_source *source)
{
    struct fault error = fault_none();
    struct gpu_tracez *const container = gpu_tracez_open(source, &error);
    const uint8_t *from, *end;
    enum gpu_text_step step = GPU_TEXT_FAILED;
    int64_t blocks = 0;

    while (container != NULL && (step = gpu_tracez_next(container, &from, &end, &error)) == GPU_TEXT_LINE) {
        if (from == end || end[-1] != '\n')
            abort();
        blocks += end - from > 20 && memcmp(from, "\n#BEGIN_TB\n\nthread", 18) == 0;
    }
    gpu_tracez_close(container);
    if (step == GPU_TEXT_FAILED)
        expect_printable(fault_text(error));
    return step == GPU_TEXT_FAILED ? -1 : blocks;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct stream_source const source = {.path = "fuzz.tracez", .data = data, .size = size};
    int64_t const blocks = blocks_of_text(&source);
    struct fault error = fault_none();
    struct gpu_kernel kernel;
    struct gpu_block *block;
    enum gpu_step step;

    if (FAILS(error, gpu_kernel_open_memory(&kernel, "fuzz.tracez", data, size))) {
        expect_printable(fault_text(error));
        return 0;
    }
    while ((step = gpu_kernel_next_block(&kernel, &block, &error)) == GPU_BLOCK)
        gpu_block_free(block);
    if (step == GPU_FAILED)
        expect_printable(fault_text(error));
    if (step == GPU_NO_BLOCK && blocks < 0)
        abort();
    gpu_kernel_close(&kernel);
    return 0;
}
