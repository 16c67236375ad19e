/* Fuzz target: any bytes as the text of a trace. The reader may refuse them, with a line that names the place, but not
 * crash; accepted text, written in the full form and read again, is written the same. */
#define _GNU_SOURCE
#include <string.h>

#include "proto/elastic/ascii.h"
#include "tests/fuzz/memory_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Writes the input in its full form; false: it was refused. */
static bool read_text(const uint8_t *data, size_t size, struct text *full)
{
    struct memory_file const file = memory_file_open(data, size);
    struct fault error = fault_none();
    struct ascii_reader *const reader = ascii_reader_open(file.path, &error);
    struct packet_record packet;
    struct dep_record dep;
    enum ascii_step step = ASCII_ERROR;

    if (reader && ascii_reader_kind(reader) == INPUT_DEP_TRACE) {
        ascii_dep_header(full, ascii_reader_dep_header(reader), ASCII_FULL);
        while ((step = ascii_next_dep(reader, &dep, &error)) == ASCII_RECORD)
            ascii_dep_record(full, &dep, ASCII_FULL);
    } else if (reader) {
        ascii_packet_header(full, ascii_reader_packet_header(reader), ASCII_FULL);
        while ((step = ascii_next_packet(reader, &packet, &error)) == ASCII_RECORD)
            ascii_packet_record(full, &packet, ASCII_FULL);
    }
    if (step == ASCII_ERROR)
        expect_printable(fault_text(error));
    ascii_reader_close(reader);
    memory_file_close(&file);
    return step == ASCII_END;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct text once = {0}, again = {0};

    if (read_text(data, size, &once)
        && (!read_text((const uint8_t *)once.at, once.length, &again) || once.length != again.length
            || memcmp(once.at, again.at, once.length) != 0))
        abort();
    free(once.at);
    free(again.at);
    return 0;
}
