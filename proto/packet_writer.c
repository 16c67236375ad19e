/* Records go through the code that protobuf-c made from packet.proto. */
#include "proto/packet_writer.h"

#include <inttypes.h>
#include <stdlib.h>

#include "proto/packet.pb-c.h"
#include "proto/sink.h"

struct packet_writer {
    struct sink *sink;
    uint64_t count, last_tick;
};

static bool put_header(struct sink *sink, const struct packet_header *header, struct proto_error *error)
{
    PacketHeader message = PACKET_HEADER__INIT;
    size_t const count = header->id_string_count;
    PacketHeader__IdStringEntry *const entries = calloc(count + 1, sizeof *entries);
    PacketHeader__IdStringEntry **const list = calloc(count + 1, sizeof *list);
    bool good = entries != NULL && list != NULL;

    if (!good)
        proto_fail(error, sink_name(sink), PROTO_NO_OFFSET, "out of memory");
    for (size_t i = 0; good && i < count; i++) {
        const struct packet_id_string *const string = &header->id_strings[i];

        packet_header__id_string_entry__init(&entries[i]);
        entries[i].has_key = string->has_key;
        entries[i].key = string->key;
        entries[i].value = string->has_value ? (char *)(uintptr_t)string->value : NULL;     /* only read */
        list[i] = &entries[i];
    }
    if (good) {
        message.obj_id = (char *)(uintptr_t)header->obj_id;
        message.has_ver = header->has_ver;
        message.ver = header->ver;
        message.tick_freq = header->tick_freq;
        message.n_id_strings = count;
        message.id_strings = list;

        void *const scratch = sink_scratch(sink, packet_header__get_packed_size(&message), error);

        good = scratch != NULL && sink_message(sink, scratch, packet_header__pack(&message, scratch), error);
    }
    free(list);
    free(entries);
    return good;
}

struct packet_writer *packet_writer_open(const char *path, const struct packet_header *header,
                                         struct proto_error *error)
{
    struct packet_writer *const writer = calloc(1, sizeof *writer);

    if (writer == NULL) {
        proto_fail(error, path, PROTO_NO_OFFSET, "out of memory");
        return NULL;
    }
    writer->sink = sink_open(path, error);
    if (writer->sink != NULL && put_header(writer->sink, header, error))
        return writer;
    packet_writer_discard(writer);
    return NULL;
}

bool packet_writer_put(struct packet_writer *writer, const struct packet_record *record, struct proto_error *error)
{
    Packet message = PACKET__INIT;
    void *scratch;

    if (record->tick < writer->last_tick)
        return proto_fail(error, sink_name(writer->sink), PROTO_NO_OFFSET, "record %" PRIu64 ": tick %" PRIu64
                          " follows %" PRIu64 "; expected ticks that never fall; sort the records by tick",
                          writer->count, record->tick, writer->last_tick);
    message.tick = record->tick;
    message.cmd = record->cmd;
    message.addr = record->addr;
    message.size = record->size_bytes;
    message.has_flags = (record->present & PACKET_HAS_FLAGS) != 0;
    message.flags = record->flags;
    message.has_pkt_id = (record->present & PACKET_HAS_PKT_ID) != 0;
    message.pkt_id = record->pkt_id;
    message.has_pc = (record->present & PACKET_HAS_PC) != 0;
    message.pc = record->pc;
    scratch = sink_scratch(writer->sink, packet__get_packed_size(&message), error);
    if (scratch == NULL || !sink_message(writer->sink, scratch, packet__pack(&message, scratch), error))
        return false;
    writer->count++;
    writer->last_tick = record->tick;
    return true;
}

bool packet_writer_close(struct packet_writer *writer, struct proto_error *error)
{
    bool const good = sink_close(writer->sink, error);

    free(writer);
    return good;
}

void packet_writer_discard(struct packet_writer *writer)
{
    if (writer == NULL)
        return;
    sink_discard(writer->sink);
    free(writer);
}
