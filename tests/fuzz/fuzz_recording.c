/* Fuzz target: any bytes as a recording. The reader may refuse them, or stop with a fault, but not crash; commands that
 * it gives are of components of the layout. Checksums hold damage off, so those of blocks are set right first:
 * everything behind them is tried. */
#define _POSIX_C_SOURCE 200809L
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/bits.h"
#include "replay/record/recording.h"

enum { MAGIC_BYTES = 16, CRC_AT = 5, HEAD_BYTES = 9, MOST_SAMPLES = 200 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void set_checksums(uint8_t *data, size_t size)
{
    for (size_t at = MAGIC_BYTES; at + HEAD_BYTES <= size;) {
        uint32_t const payload = bits_load32(data + at + 1);
        uint32_t crc;

        if (payload > size - at - HEAD_BYTES)
            return;
        crc = (uint32_t)crc32(crc32(0, data + at, CRC_AT), data + at + HEAD_BYTES, payload);
        for (unsigned i = 0; i < 4; i++)
            data[at + CRC_AT + i] = (uint8_t)(crc >> 8 * i);
        at += HEAD_BYTES + payload;
    }
}

static void look_at(void *context, const struct recorded_command *command)
{
    const struct recording *const recording = context;

    if (command->component >= recording->text.layout.component_count
        || command->bank >= recording->banks[command->component])
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct recording recording = {0};
    uint8_t *const copy = malloc(size + 1);
    FILE *file;

    memcpy(copy, data, size);
    set_checksums(copy, size);
    file = size ? fmemopen(copy, size, "rb") : NULL;
    if (file && recording_open(&recording, file, "fuzz").kind == FAULT_NONE) {
        recording.on_command = look_at;
        recording.context = &recording;
        while (recording.samples < MOST_SAMPLES && recording_next(&recording)) {
        }
        if (recording.state == RECORDING_BROKEN && recording.fault.kind == FAULT_NONE)
            abort();
        recording_close(&recording);
    }
    if (file)
        fclose(file);
    free(copy);
    return 0;
}
