/* Records one by one out of proto/io/stream, and the records that belong to a GPU's instruction (macsim-traces 2.2,
 * 2.3). Not done: address records of 4 bytes a lane, of which no file is known; PC order, which is no rule (2.4).
 *
 * Children of N64: copies behind a memory record with the same opcode, that either have the fp flag (tracer of 2026) or
 * are at the same PC with the same mask (2024), where a second execution without a branch between cannot be. */
#include "proto/macsim/macsim_stream.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bits.h"
#include "base/hash64.h"
#include "proto/macsim/set.h"

enum { ADDRESS_RECORDS = 4 };

struct fault macsim_stream_open(struct macsim_stream *stream, const struct macsim_source *source,
                                const struct macsim_format *format)
{
    /* salvage: a file that breaks off is refused here, with its own words */
    struct stream_source const from = {.path = source->path, .data = source->data, .size = source->size,
                                       .salvage = true, .parks = source->parks};

    *stream = (struct macsim_stream){.format = *format, .record_bytes = macsim_layout_bytes(format->layout)};
    return stream_open(&stream->bytes, &from);
}

void macsim_stream_close(struct macsim_stream *stream)
{
    stream_close(&stream->bytes);
}

/* RECORD: `count` bytes are there. */
static enum macsim_step need(struct macsim_stream *stream, size_t count, struct fault *error)
{
    struct stream *const bytes = &stream->bytes;

    switch (stream_need(bytes, count, error)) {
    case STREAM_OK: return MACSIM_RECORD;
    case STREAM_FAILED: return MACSIM_FAILED;
    case STREAM_SHORT: break;
    }
    if (stream_truncated(bytes)) {
        *error = fault_at(stream_name(bytes), bytes->end_offset, "the gzip data breaks off (a truncated file, as a "
                          "killed capture or a broken download leaves it); get it again, or keep what it holds with "
                          "`gzip -dc`");
        return MACSIM_FAILED;
    }
    stream->tail_bytes = (uint64_t)(bytes->end - bytes->next);
    return MACSIM_END;
}

static const uint8_t *macsim_stream_take(struct macsim_stream *stream)
{
    const uint8_t *const at = stream->bytes.next;

    stream->bytes.next += stream->record_bytes;
    stream->records++;
    return at;
}

static const uint8_t *take_first(struct macsim_stream *stream)
{
    stream->offset = stream_offset(&stream->bytes, stream->bytes.next);
    stream->instructions++;
    return macsim_stream_take(stream);
}

static void note_fault(struct macsim_stream *stream, const uint8_t *bytes)
{
    char text[sizeof stream->fault];

    if (!macsim_record_fault(&stream->format, bytes, text, sizeof text))
        return;
    if (stream->faulty++ > 0)
        return;
    stream->faulty_offset = stream->offset;
    memcpy(stream->fault, text, sizeof text);
}

enum macsim_step macsim_stream_next_bytes(struct macsim_stream *stream, const uint8_t **bytes,
                                          struct fault *error)
{
    enum macsim_step const step = need(stream, stream->record_bytes, error);

    if (step == MACSIM_RECORD)
        *bytes = take_first(stream);
    return step;
}

enum macsim_step macsim_stream_next_cpu(struct macsim_stream *stream, struct macsim_cpu_record *record,
                                        struct fault *error)
{
    const uint8_t *bytes;
    enum macsim_step const step = macsim_stream_next_bytes(stream, &bytes, error);

    if (step != MACSIM_RECORD)
        return step;
    note_fault(stream, bytes);
    macsim_decode_cpu(stream->format.layout, bytes, record);
    return MACSIM_RECORD;
}

/* G64, G72: the following records hold lanes 1 to 31. */
static void take_lanes(struct macsim_stream *stream, struct macsim_gpu_record *record)
{
    size_t const in_record = stream->record_bytes / 8;
    unsigned lane = 1;

    record->has_lanes = true;
    record->lanes[0] = record->address;
    for (unsigned i = 0; i < ADDRESS_RECORDS; i++) {
        const uint8_t *const bytes = macsim_stream_take(stream);

        for (size_t slot = 0; slot < in_record && lane < MACSIM_LANES; slot++)
            record->lanes[lane++] = bits_load64(bytes + 8 * slot);
    }
}

static enum macsim_step next_with_lanes(struct macsim_stream *stream, struct macsim_gpu_record *record,
                                        struct fault *error)
{
    enum macsim_step step = need(stream, stream->record_bytes, error);

    if (step != MACSIM_RECORD)
        return step;
    macsim_decode_gpu(&stream->format, stream->bytes.next, record);
    if (record->accesses_memory) {
        step = need(stream, (1 + ADDRESS_RECORDS) * stream->record_bytes, error);
        if (step != MACSIM_RECORD)
            return step;
    }
    note_fault(stream, take_first(stream));
    if (record->accesses_memory)
        take_lanes(stream, record);
    return MACSIM_RECORD;
}

static bool is_child(const struct macsim_gpu_record *parent, const struct macsim_gpu_record *next)
{
    return parent->opcode == next->opcode
        && (next->is_fp ? !parent->is_fp || parent->pc == next->pc
                        : parent->pc == next->pc && parent->active_mask == next->active_mask);
}

static enum macsim_step next_with_children(struct macsim_stream *stream, struct macsim_gpu_record *record,
                                           struct fault *error)
{
    enum macsim_step const step = need(stream, stream->record_bytes, error);
    struct macsim_gpu_record next;
    struct fault later;            /* met again by the next call */
    const uint8_t *bytes;

    if (step != MACSIM_RECORD)
        return step;
    bytes = take_first(stream);
    note_fault(stream, bytes);
    macsim_decode_gpu(&stream->format, bytes, record);
    while (record->accesses_memory && record->child_count < MACSIM_MAX_CHILDREN
           && need(stream, stream->record_bytes, &later) == MACSIM_RECORD) {
        macsim_decode_gpu(&stream->format, stream->bytes.next, &next);
        if (!is_child(record, &next))
            break;
        macsim_stream_take(stream);
        record->children[record->child_count] = next.address;
        record->child_bytes[record->child_count++] = next.access_bytes;
    }
    return MACSIM_RECORD;
}

/* Lowest lane of the mask at or above `from`; MACSIM_LANES: none. */
static unsigned next_lane(uint32_t mask, unsigned from)
{
    uint32_t const left = from < MACSIM_LANES ? mask >> from : 0;

    return left != 0 ? from + (unsigned)__builtin_ctz(left) : MACSIM_LANES;
}

/* PTX in CPU records: one record an active lane, in their order; the fields of the first are the instruction's. The
 * mask has their number; a record of another PC ends it early. */
static enum macsim_step next_of_lanes(struct macsim_stream *stream, struct macsim_gpu_record *record,
                                      struct fault *error)
{
    enum macsim_step const step = need(stream, stream->record_bytes, error);
    struct macsim_gpu_record next;
    struct fault later;
    const uint8_t *bytes;
    unsigned lane;

    if (step != MACSIM_RECORD)
        return step;
    bytes = take_first(stream);
    note_fault(stream, bytes);
    macsim_decode_gpu(&stream->format, bytes, record);
    if (!record->accesses_memory)
        return MACSIM_RECORD;
    memset(record->lanes, 0, sizeof record->lanes);
    record->has_lanes = true;
    lane = next_lane(record->active_mask, 0);
    if (lane < MACSIM_LANES)
        record->lanes[lane] = record->address;
    record->address = record->lanes[0];
    while ((lane = next_lane(record->active_mask, lane + 1)) < MACSIM_LANES
           && need(stream, stream->record_bytes, &later) == MACSIM_RECORD) {
        macsim_decode_gpu(&stream->format, stream->bytes.next, &next);
        if (next.pc != record->pc || next.opcode != record->opcode)
            break;
        macsim_stream_take(stream);
        record->lanes[lane] = next.address;
    }
    return MACSIM_RECORD;
}

enum macsim_step macsim_stream_next_gpu(struct macsim_stream *stream, struct macsim_gpu_record *record,
                                        struct fault *error)
{
    switch (stream->format.layout) {
    case MACSIM_G64: case MACSIM_G72: return next_with_lanes(stream, record, error);
    case MACSIM_N64: return next_with_children(stream, record, error);
    case MACSIM_C52: case MACSIM_C80: case MACSIM_C88: case MACSIM_A80: case MACSIM_C464: case MACSIM_LAYOUT_COUNT:
        break;
    }
    return next_of_lanes(stream, record, error);
}

bool macsim_stream_warning(const struct macsim_stream *stream, unsigned *told, char *text, size_t room)
{
    const char *const name = stream_name(&stream->bytes);

    if (*told == 0) {
        *told = 1;
        if (stream->tail_bytes > 0) {
            snprintf(text, room, "%s: byte %" PRIu64 ": the last %" PRIu64 " bytes are no whole instruction of "
                     "%zu-byte records (%s); left out", name, stream->bytes.end_offset - stream->tail_bytes,
                     stream->tail_bytes, stream->record_bytes, macsim_layout_name(stream->format.layout));
            return true;
        }
    }
    if (*told == 1) {
        *told = 2;
        if (stream->faulty > 0) {
            snprintf(text, room, "%s: byte %" PRIu64 ": %s (%s); %" PRIu64 " such records of %" PRIu64 ", read as they "
                     "stand; --format sets another layout", name, stream->faulty_offset, stream->fault,
                     macsim_layout_name(stream->format.layout), stream->faulty, stream->records);
            return true;
        }
    }
    return false;
}

/* Hashes are of the files on disk, compressed or not. */

static struct fault streams_add(const char *path, struct gpu_streams *streams, struct hash64_pieces *pieces)
{
    uint8_t bytes[8];
    uint64_t hash;
    struct stat file;

    FORWARD(hash64_file(path, &hash));
    if (stat(path, &file) == 0)
        streams->bytes += (uint64_t)file.st_size;
    bits_store64(bytes, hash);
    hash64_add(pieces, bytes, sizeof bytes);
    streams->count++;
    return fault_none();
}

struct fault macsim_streams_look(const char *path, struct gpu_streams *streams)
{
    struct fault fault = fault_none();
    struct macsim_header header;
    struct hash64_pieces pieces;
    bool good = true;

    *streams = (struct gpu_streams){0};
    FORWARD(macsim_header_read(&header, path));
    hash64_begin(&pieces);
    for (size_t i = 0; good && i < header.thread_count; i++) {
        char stream[MACSIM_PATH_MAX];

        good = macsim_header_stream_path(&header, i, stream, sizeof stream)
                   ? WORKS(fault, streams_add(stream, streams, &pieces))
                   : WORKS(fault, fault_at(path, FAULT_NO_OFFSET,
                                           "the path of its stream %zu is too "
                                           "long",
                                           i));
    }
    streams->hash = hash64_end(&pieces);
    macsim_header_free(&header);
    return good ? fault_none() : fault;
}
