/* Fuzz target: any bytes as a packet trace; as fuzz_dep_trace.c. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/support/protobuf_reference.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fault error = fault_none();
    struct packet_reader *reader = packet_reader_open_memory("fuzz", data, size, &error);
    struct packet_record record;
    enum packet_result result;
    const char *difference;
    uint64_t count, last = 0;

    if (reader == NULL) {
        if (fault_text(error)[0] == '\0')
            abort();
        return 0;
    }
    while ((result = packet_reader_next(reader, &record, &error)) == PACKET_RECORD) {
        if (record.tick < last)
            abort();
        last = record.tick;
    }
    if (result == PACKET_ERROR && fault_text(error)[0] == '\0')
        abort();
    packet_reader_close(reader);
    if (size >= 2 && data[0] == 0x1f && data[1] == 0x8b)
        return 0;
    reader = packet_reader_open_memory("fuzz", data, size, &error);
    if (reader == NULL)
        abort();
    difference = compare_packet_records(data, size, reader, &count);
    if (difference != NULL) {
        fprintf(stderr, "record %" PRIu64 ": %s\n", count, difference);
        abort();
    }
    packet_reader_close(reader);
    return 0;
}
