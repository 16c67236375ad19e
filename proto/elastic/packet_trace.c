/* Reader of packet traces. Decodes as proto/elastic/dep_trace.c does; the id strings of the header are kept in an
 * array. */
#include "proto/elastic/packet_trace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "proto/elastic/packet_reader.h"

enum field_number { TICK = PACKET_TICK, CMD = 2, ADDR = 3, SIZE = 4, FLAGS = 5, PKT_ID = 6, PC = 7 };

#define SEEN(number) (UINT32_C(1) << (number))
#define REQUIRED (SEEN(TICK) | SEEN(CMD) | SEEN(ADDR) | SEEN(SIZE))

_Static_assert(PACKET_HAS_FLAGS == SEEN(FLAGS) >> 5 && PACKET_HAS_PKT_ID == SEEN(PKT_ID) >> 5
               && PACKET_HAS_PC == SEEN(PC) >> 5,
               "presence bits are the seen bits, moved");

static struct fault read_id_string(void *owner, const struct wire_field *entry)
{
    struct packet_reader *const reader = owner;
    struct packet_header *const header = &reader->header;
    const char *const name = stream_name(&reader->input.stream);
    const uint8_t *at = entry->bytes;
    const uint8_t *const end = at + entry->length;

    if (!list_fit_next(&reader->id_strings, header->id_string_count, sizeof *reader->id_strings))
        return fault_memory(name, NULL);
    header->id_strings = reader->id_strings;

    struct packet_id_string *const string = &reader->id_strings[header->id_string_count++];

    *string = (struct packet_id_string){0};
    while (at < end) {
        struct wire_field field;
        const char *problem;

        at = wire_field(at, end, &field, &problem);
        if (at == NULL)
            return fault_at(name, reader->input.header_offset, "the header's id_strings hold %s; the file is damaged "
                            "here, get it again", problem);
        if (field.number == 1 && field.type == WIRE_VARINT) {
            string->key = (uint32_t)field.value;
            string->has_key = true;
        } else if (field.number == 2 && field.type == WIRE_LENGTH) {
            string->has_value = true;
            if (!input_text(&field, string->value, sizeof string->value))
                input_warn(&reader->input, "%s: an id string is long or holds a zero byte; cut after %zu bytes", name,
                           strlen(string->value));
        }
    }
    return fault_none();
}

struct packet_reader *packet_reader_open_source(const struct stream_source *source, struct fault *error)
{
    struct packet_reader *const reader = calloc(1, sizeof *reader);
    struct dep_header header;

    if (reader == NULL) {
        *error = fault_memory(source->path, NULL);
        return NULL;
    }
    if (FAILS(*error, input_open(&reader->input, source)))
        goto failed;
    if (reader->input.kind != INPUT_PACKET_TRACE) {
        *error = fault_at(source->path, reader->input.header_offset, "is a dependency trace: its header has a "
                          "window_size; expected a packet trace (such as a fetch trace); are the two files swapped?");
        goto failed;
    }
    if (FAILS(*error, input_read_header(&reader->input, &header, read_id_string, reader)))
        goto failed;
    reader->header.ver = header.ver;
    reader->header.has_ver = header.has_ver;
    reader->header.tick_freq = header.tick_freq;
    memcpy(reader->header.obj_id, header.obj_id, sizeof header.obj_id);
    return reader;
failed:
    packet_reader_close(reader);
    return NULL;
}

struct packet_reader *packet_reader_open(const char *path, struct fault *error)
{
    return packet_reader_open_source(&(struct stream_source){.path = path}, error);
}

struct packet_reader *packet_reader_open_memory(const char *name, const void *data, size_t size,
                                                struct fault *error)
{
    struct stream_source const source = {.path = name, .data = size > 0 ? data : "", .size = size};

    return packet_reader_open_source(&source, error);
}

void packet_reader_close(struct packet_reader *reader)
{
    if (reader == NULL)
        return;
    input_close(&reader->input);
    free(reader->id_strings);
    free(reader);
}

const struct packet_header *packet_reader_header(const struct packet_reader *reader)
{
    return &reader->header;
}

struct input *packet_reader_input(struct packet_reader *reader)
{
    return &reader->input;
}

static enum packet_result malformed(const struct packet_reader *reader, const uint8_t *at, const char *problem,
                                    struct fault *error)
{
    input_malformed(&reader->input, at, problem, error);
    return PACKET_ERROR;
}

static enum packet_result unsound(const struct packet_reader *reader, const struct packet_record *record, uint32_t seen,
                                  struct fault *error)
{
    static const char *const names[] = {
        [TICK] = "tick (1)", [CMD] = "cmd (2)", [ADDR] = "addr (3)", [SIZE] = "size (4)"
    };
    const char *const name = stream_name(&reader->input.stream);
    uint64_t const offset = reader->input.message_offset, number = reader->input.message_count - 1;
    unsigned field = TICK;

    while (field <= SIZE && (seen & SEEN(field)))
        field++;
    if (field <= SIZE)
        *error = fault_at(name, offset, "record %" PRIu64 " lacks its required field %s; expected tick, cmd, addr and "
                          "size in every record; write the file again with them", number, names[field]);
    else
        *error = fault_at(name, offset, "record %" PRIu64 ": tick %" PRIu64 " follows %" PRIu64
                          "; expected ticks that never fall; sort the records by tick", number, record->tick,
                          reader->last_tick);
    return PACKET_ERROR;
}

/* As in proto/elastic/dep_trace.c. */
USUAL_INLINE bool take_usual(struct packet_reader *reader, struct usual usual, enum usual_width width,
                             struct packet_record *record)
{
    *record = (struct packet_record){0};

    if (!usual_is_at(&usual, TICK))
        return false;
    record->tick = usual_number(&usual, width);
    if (!usual_is_at(&usual, CMD))
        return false;
    record->cmd = (uint32_t)usual_number(&usual, width);
    if (!usual_is_at(&usual, ADDR))
        return false;
    record->addr = usual_number(&usual, width);
    if (!usual_is_at(&usual, SIZE) || !usual_is_in(&usual))
        return false;
    record->size_bytes = (uint32_t)usual_number(&usual, width);
#define TAKE_IF(number, target, c_type, presence)                                                                     \
    if (usual_is_at(&usual, number)) {                                                                                \
        target = (c_type)usual_number(&usual, width);                                                                 \
        record->present |= (presence);                                                                                \
    }
    TAKE_IF(FLAGS, record->flags, uint32_t, PACKET_HAS_FLAGS)
    TAKE_IF(PKT_ID, record->pkt_id, uint64_t, PACKET_HAS_PKT_ID)
    TAKE_IF(PC, record->pc, uint64_t, PACKET_HAS_PC)
#undef TAKE_IF
    if (!usual_is_whole(&usual) || record->tick < reader->last_tick)
        return false;
    reader->last_tick = record->tick;
    return true;
}

static enum packet_result next_of_any_kind(struct packet_reader *reader, struct packet_record *record,
                                           struct fault *error);

enum packet_result packet_reader_next(struct packet_reader *reader, struct packet_record *record,
                                      struct fault *error)
{
    const uint8_t *message;
    unsigned length;
    struct usual usual;
    bool good = false;

    if (!input_has_usual(&reader->input, &message, &length))
        return next_of_any_kind(reader, record, error);
    switch (usual_begin(&usual, message, length)) {
    case USUAL_NARROW: good = take_usual(reader, usual, USUAL_NARROW, record); break;
    case USUAL_WIDE: good = take_usual(reader, usual, USUAL_WIDE, record); break;
    case USUAL_TOO_WIDE: break;
    }
    if (!good)
        return next_of_any_kind(reader, record, error);
    input_took_usual(&reader->input, message, length);
    reader->was_usual = true;
    return PACKET_RECORD;
}

static __attribute__((noinline)) enum packet_result next_of_any_kind(struct packet_reader *reader,
                                                                     struct packet_record *record,
                                                                     struct fault *error)
{
    const uint8_t *at;
    size_t length;

    switch (input_next(&reader->input, &at, &length, error)) {
    case INPUT_MESSAGE: break;
    case INPUT_END: return PACKET_END;
    case INPUT_ERROR: return PACKET_ERROR;
    }

    const uint8_t *const end = at + length;
    uint32_t seen = 0;
    uint64_t tag, value = 0;

    reader->was_usual = false;
    *record = (struct packet_record){0};
    while (at < end) {
        const uint8_t *const field_at = at;

        at = wire_tag(at, &tag);
        if (at == NULL || at > end)
            return malformed(reader, field_at, "a field number that does not end where it should", error);
        switch (tag) {
#define NUMBER(number, target, c_type)                                                                                \
    case WIRE_TAG(number, WIRE_VARINT):                                                                               \
        at = wire_varint(at, &value);                                                                                 \
        target = (c_type)value;                                                                                       \
        seen |= SEEN(number);                                                                                         \
        break;
        NUMBER(TICK, record->tick, uint64_t)
        NUMBER(CMD, record->cmd, uint32_t)
        NUMBER(ADDR, record->addr, uint64_t)
        NUMBER(SIZE, record->size_bytes, uint32_t)
        NUMBER(FLAGS, record->flags, uint32_t)
        NUMBER(PKT_ID, record->pkt_id, uint64_t)
        NUMBER(PC, record->pc, uint64_t)
#undef NUMBER
        default: {
            struct wire_field skipped;
            const char *problem;

            at = wire_value(at, end, tag, &skipped, &problem);
            if (at == NULL)
                return malformed(reader, field_at, problem, error);
        }
        }
        if (at == NULL || at > end)
            return malformed(reader, field_at, at == NULL ? "a number of more than 10 bytes"
                                                          : "a number that runs past the end of its message", error);
    }
    record->present = seen >> 5;
    if ((seen & REQUIRED) != REQUIRED || record->tick < reader->last_tick)
        return unsound(reader, record, seen, error);
    reader->last_tick = record->tick;
    return PACKET_RECORD;
}
