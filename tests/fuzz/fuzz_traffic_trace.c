/* Fuzz target: any bytes as a plain memory trace. It may be refused, with a text that can be printed, but not crash;
 * addresses that are accepted are those that may be asked for, at the beginning of a line. */
#define _GNU_SOURCE
#include "replay/traffic/traffic_trace.h"
#include "tests/fuzz/memory_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LINE_BYTES = 64 };
#define MOST_ADDRESS ((uint64_t)1 << 40)

static bool is_sound(const void *context, uint64_t address, char *why, size_t size)
{
    (void)context;
    snprintf(why, size, "is beyond all memories");
    return address < MOST_ADDRESS;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct memory_file const file = memory_file_open(data, size);
    struct traffic_address_check const check = {.is_sound = is_sound};
    struct traffic_trace trace = {0};
    struct fault const fault = traffic_trace_read(&trace, file.path, LINE_BYTES, &check);

    if (fault.kind != FAULT_NONE)
        expect_printable(fault_text(fault));
    for (uint64_t i = 0; fault.kind == FAULT_NONE && i < trace.count; i++)
        if (traffic_trace_at(&trace, i).offset % LINE_BYTES != 0 || traffic_trace_at(&trace, i).offset >= MOST_ADDRESS)
            abort();
    traffic_trace_free(&trace);
    memory_file_close(&file);
    return 0;
}
