/* Fuzz target: any bytes as a MacSim stream. The first byte chooses a layout, or its detection from the bytes; the
 * second an opcode table. Nothing may crash; records keep to the limits that readers of them rely on, and no byte is
 * lost. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "proto/macsim/detect.h"
#include "proto/macsim/macsim_stream.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool holds)
{
    if (!holds)
        abort();
}

static void expect_printable(const char *text)
{
    for (; *text != '\0'; text++)
        expect(*text >= ' ' && *text <= '~');
}

static void check_cpu(const struct macsim_format *format, const struct macsim_cpu_record *record)
{
    char name[24];

    expect(record->source_count <= MACSIM_MAX_SOURCES && record->destination_count <= MACSIM_MAX_DESTINATIONS);
    for (unsigned i = 0; i < record->source_count; i++)
        macsim_register_name(format->registers, record->sources[i], name, sizeof name);
    for (unsigned tile = 0; tile < 3; tile++)
        macsim_tile_row(record, tile, 15);
    macsim_opcode_name(format->opcodes, record->opcode);
}

static void check_gpu(const struct macsim_format *format, const struct macsim_gpu_record *record)
{
    struct macsim_gpu_op const op = macsim_gpu_op(format->opcodes, record->opcode);

    expect(record->source_count <= MACSIM_MAX_SOURCES && record->destination_count <= MACSIM_MAX_DESTINATIONS);
    expect(record->child_count <= MACSIM_MAX_CHILDREN && !(record->has_lanes && record->child_count > 0));
    expect(op.role <= MACSIM_FENCE_SYS && op.space <= MACSIM_GLOBAL_TO_SHARED);
}

static enum macsim_step next(struct macsim_stream *stream, struct fault *error)
{
    struct macsim_cpu_record cpu;
    struct macsim_gpu_record gpu;
    enum macsim_step step;

    if (stream->format.is_gpu) {
        step = macsim_stream_next_gpu(stream, &gpu, error);
        if (step == MACSIM_RECORD)
            check_gpu(&stream->format, &gpu);
    } else {
        step = macsim_stream_next_cpu(stream, &cpu, error);
        if (step == MACSIM_RECORD)
            check_cpu(&stream->format, &cpu);
    }
    return step;
}

static void read_all(const struct macsim_source *source, const struct macsim_format *format)
{
    struct fault error = fault_none();
    struct macsim_stream stream;
    enum macsim_step step;
    unsigned told = 0;
    char text[400];

    if (FAILS(error, macsim_stream_open(&stream, source, format))) {
        expect_printable(fault_text(error));
        return;
    }
    while ((step = next(&stream, &error)) == MACSIM_RECORD)
        continue;
    if (step == MACSIM_FAILED)
        expect_printable(fault_text(error));
    else if (!stream_is_gzip(&stream.bytes))
        expect(stream.records * stream.record_bytes + stream.tail_bytes == source->size);
    while (macsim_stream_warning(&stream, &told, text, sizeof text))
        expect_printable(text);
    macsim_stream_close(&stream);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct macsim_source const source = {.path = "fuzz", .data = size > 2 ? data + 2 : data,
                                         .size = size > 2 ? size - 2 : 0};
    struct macsim_header header = {.kind = MACSIM_KIND_UNKNOWN};
    struct macsim_override override = {0};
    struct macsim_detection detection;
    struct fault error = fault_none();

    if (size <= 2)
        return 0;
    override.has_layout = data[0] < MACSIM_LAYOUT_COUNT;
    override.layout = (enum macsim_layout)(override.has_layout ? data[0] : 0);
    override.has_dialect = !override.has_layout && data[1] < MACSIM_DIALECT_COUNT;
    override.dialect = (enum macsim_dialect)(override.has_dialect ? data[1] : 0);
    header.kind = (enum macsim_kind)(data[0] / 16 % MACSIM_KIND_COUNT);
    if (FAILS(error, macsim_detect(&detection, &source, 1, data[1] % 2 == 0 ? NULL : &header, &override))) {
        expect_printable(fault_text(error));
        expect(fault_text(error)[0] != '\0');
        return 0;
    }
    expect_printable(detection.reason);
    expect_printable(detection.warning);
    read_all(&source, &detection.format);
    return 0;
}
