/* Padding, unused registers and stale slots are 0. */
#define _POSIX_C_SOURCE 200809L
#include "tests/support/macsim_writer.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"

#define GPU_VERSION_NOW 14

enum { C80_BYTES = 80, G72_BYTES = 72, G72_LANES = 9, G72_MAX = 360 };

int macsim_opcode_find(enum macsim_dialect dialect, const char *name)
{
    const char *known;

    for (unsigned opcode = 0; (known = macsim_opcode_name(dialect, opcode)) != NULL; opcode++)
        if (strcmp(known, name) == 0)
            return (int)opcode;
    return -1;
}

void macsim_encode_c80(const struct macsim_cpu_record *record, uint8_t *bytes)
{
    memset(bytes, 0, C80_BYTES);
    bytes[0] = record->source_count;
    bytes[1] = record->destination_count;
    for (unsigned i = 0; i < record->source_count && i < MACSIM_MAX_SOURCES; i++)
        bytes[2 + i] = (uint8_t)record->sources[i];
    for (unsigned i = 0; i < record->destination_count && i < MACSIM_MAX_DESTINATIONS; i++)
        bytes[11 + i] = (uint8_t)record->destinations[i];
    bytes[17] = record->cf;
    bytes[18] = record->has_immediate;
    bytes[19] = (uint8_t)record->opcode;
    bytes[20] = record->has_store;
    bytes[21] = record->is_fp;
    bytes[22] = record->writes_flags;
    bytes[23] = record->load_count;
    bytes[24] = record->size;
    bits_store64(bytes + 32, record->load[0]);
    bits_store64(bytes + 40, record->load[1]);
    bits_store64(bytes + 48, record->store);
    bits_store64(bytes + 56, record->pc);
    bits_store64(bytes + 64, record->target);
    bytes[72] = record->bytes_read;
    bytes[73] = record->bytes_written;
    bytes[74] = record->repeat_direction;
    bytes[75] = record->taken;
}

/* The record and, with has_lanes, its four address records. */
static size_t encode_g72(const struct macsim_gpu_record *record, uint8_t *bytes)
{
    size_t const length = record->has_lanes ? G72_MAX : G72_BYTES;

    memset(bytes, 0, length);
    bytes[0] = record->opcode;
    bytes[1] = record->is_fp;
    bytes[2] = record->is_load;
    bytes[3] = record->cf;
    bytes[4] = record->source_count;
    bytes[5] = record->destination_count;
    for (unsigned i = 0; i < record->source_count && i < 5; i++)
        bits_store16(bytes + 6 + 2 * i, record->sources[i]);
    for (unsigned i = 0; i < record->destination_count && i < 4; i++)
        bits_store16(bytes + 16 + 2 * i, record->destinations[i]);
    bytes[24] = record->size;
    bits_store32(bytes + 28, record->active_mask);
    bits_store32(bytes + 32, record->taken_mask);
    bits_store64(bytes + 40, record->pc);
    bits_store64(bytes + 48, record->target);
    bits_store64(bytes + 56, record->has_lanes ? record->lanes[0] : record->reconvergence);
    bytes[64] = record->access_bytes;
    bits_store16(bytes + 66, record->barrier_threads);
    bytes[68] = record->space;
    bytes[69] = record->cache_level;
    bytes[70] = record->cache_operator;
    for (size_t lane = 1; record->has_lanes && lane < MACSIM_LANES; lane++)
        bits_store64(bytes + G72_BYTES * (1 + (lane - 1) / G72_LANES) + 8 * ((lane - 1) % G72_LANES),
                     record->lanes[lane]);
    return length;
}

bool macsim_write_cpu(struct sink *sink, const struct macsim_cpu_record *record, struct fault *error)
{
    uint8_t bytes[C80_BYTES];

    macsim_encode_c80(record, bytes);
    return WORKS(*error, sink_write(sink, bytes, sizeof bytes));
}

bool macsim_write_gpu(struct sink *sink, const struct macsim_gpu_record *record, struct fault *error)
{
    uint8_t bytes[G72_MAX];

    return WORKS(*error, sink_write(sink, bytes, encode_g72(record, bytes)));
}

static bool put(struct sink *sink, struct fault *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool put(struct sink *sink, struct fault *error, const char *format, ...)
{
    char line[4200];
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= sizeof line)
        return WORKS(*error, fault_at(sink_name(sink), FAULT_NO_OFFSET, "cannot be written: a path is too long"));
    return WORKS(*error, sink_write(sink, line, (size_t)length));
}

static bool put_header(struct sink *sink, const struct macsim_header *header, struct fault *error)
{
    bool const is_gpu = macsim_kind_is_gpu(header->kind);
    bool good = is_gpu ? put(sink, error, "%s\n%d\n", macsim_kind_name(header->kind), GPU_VERSION_NOW)
                       : put(sink, error, "%s 1.3\n", macsim_kind_name(header->kind));

    if (header->form == MACSIM_KERNEL_LIST) {
        good = good && put(sink, error, "-1\n");
        for (size_t i = 0; good && i < header->path_count; i++)
            good = put(sink, error, "%s\n", header->paths[i]);
        return good;
    }
    if (is_gpu)
        good = good && put(sink, error, "%" PRIu64 "\n", header->max_blocks);
    good = good && put(sink, error, "%zu\n", header->thread_count);
    for (size_t i = 0; good && i < header->thread_count; i++)
        good = put(sink, error, "%" PRIu64 " %" PRIu64 "\n", header->threads[i].id, header->threads[i].start);
    return good;
}

bool macsim_header_write(const struct macsim_header *header, const char *path, struct fault *error)
{
    struct sink *sink;

    if (header->kind != MACSIM_KIND_X86 && header->kind != MACSIM_KIND_NEWPTX)
        return WORKS(*error, fault_at(path, FAULT_NO_OFFSET, "headers of %s cannot be written; expected x86 or newptx",
                                      macsim_kind_name(header->kind)));
    sink = sink_open_text(path, error);
    if (sink == NULL)
        return false;
    if (put_header(sink, header, error))
        return WORKS(*error, sink_close(sink));
    sink_discard(sink);
    return false;
}
