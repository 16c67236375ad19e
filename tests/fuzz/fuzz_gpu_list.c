/* Fuzz target: any bytes as a list of GPU kernels, beside a bundled trace. It may be refused, with a text that can be
 * printed, but not crash; an accepted list names existing files, and its warnings can be printed. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "proto/gpu/gpu_text.h"
#include "proto/gpu/gpu_trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect_printable(const char *text)
{
    if (*text == '\0')
        abort();
    for (; *text != '\0'; text++)
        if (*text < ' ' || *text > '~')
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fault error = fault_none();
    struct gpu_list list;

    if (FAILS(error, gpu_list_open_memory(&list, "tests/traces/gpu/pascal-vectoradd-100/fuzz", data, size))) {
        expect_printable(fault_text(error));
        return 0;
    }
    for (size_t i = 0; i < list.warning_count; i++)
        expect_printable(list.warnings[i]);
    for (size_t i = 0; i < list.count; i++)
        if (list.commands[i].kind == GPU_KERNEL) {
            expect_printable(list.commands[i].file);
            /* a kernel's file is a list of itself */
            if (list.commands[i].line > 0) {
                char *const path = gpu_text_find(list.folder, list.commands[i].file);

                if (path == NULL)
                    abort();
                free(path);
            }
        } else if (list.commands[i].bytes > 0
                   && list.commands[i].address + (list.commands[i].bytes - 1) < list.commands[i].address) {
            abort();
        }
    gpu_list_close(&list);
    return 0;
}
