/* Fuzz target: any bytes as a dependency trace. The reader may refuse them, with a text, but not crash; its content of
 * an accepted plain file must equal protobuf-c's. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/support/protobuf_reference.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fault error = fault_none();
    struct dep_reader *reader = dep_reader_open_memory("fuzz", data, size, &error);
    struct dep_record record;
    enum dep_result result;
    const char *difference;
    uint64_t count;

    if (reader == NULL) {
        if (fault_text(error)[0] == '\0')
            abort();
        return 0;
    }
    while ((result = dep_reader_next(reader, &record, &error)) == DEP_RECORD)
        for (uint32_t i = 0; i < record.rob_dep_count; i++)
            if (record.rob_dep[i] >= record.seq_num)
                abort();
    if (result == DEP_ERROR && fault_text(error)[0] == '\0')
        abort();
    dep_reader_close(reader);
    if (size >= 2 && data[0] == 0x1f && data[1] == 0x8b)
        return 0;
    reader = dep_reader_open_memory("fuzz", data, size, &error);
    if (reader == NULL)
        abort();
    difference = compare_dep_records(data, size, reader, &count);
    if (difference != NULL) {
        fprintf(stderr, "record %" PRIu64 ": %s\n", count, difference);
        abort();
    }
    dep_reader_close(reader);
    return 0;
}
