/* Records go through the code that protobuf-c made from inst_dep_record.proto and packet.proto; the readers' own
 * decoders are thus tested against an independent encoder. */
#include "proto/elastic/trace_writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "proto/elastic/inst_dep_record.pb-c.h"
#include "proto/elastic/packet.pb-c.h"
#include "proto/io/sink.h"

struct trace_writer {
    struct sink *sink;
    uint64_t count, last;            /* records so far; seq_num or tick of the latest */
};

/* A writer without its header; NULL on failure. */
static struct trace_writer *trace_writer_open_file(const char *path, struct fault *error)
{
    struct trace_writer *const writer = calloc(1, sizeof *writer);

    if (writer == NULL) {
        *error = fault_memory(path, NULL);
        return NULL;
    }
    writer->sink = sink_open(path, error);
    if (writer->sink != NULL)
        return writer;
    free(writer);
    return NULL;
}

static struct fault put_message(struct sink *sink, const ProtobufCMessage *message)
{
    struct fault fault = fault_none();
    void *const scratch = sink_scratch(sink, protobuf_c_message_get_packed_size(message), &fault);

    return scratch ? sink_message(sink, scratch, protobuf_c_message_pack(message, scratch)) : fault;
}

static struct fault put_dep_header(struct sink *sink, const struct dep_header *header)
{
    InstDepRecordHeader message = INST_DEP_RECORD_HEADER__INIT;

    message.obj_id = (char *)(uintptr_t)header->obj_id;     /* only read */
    message.has_ver = header->has_ver;
    message.ver = header->ver;
    message.tick_freq = header->tick_freq;
    message.window_size = header->window_size;
    return put_message(sink, &message.base);
}

struct trace_writer *dep_writer_open(const char *path, const struct dep_header *header, struct fault *error)
{
    struct trace_writer *const writer = trace_writer_open_file(path, error);

    if (writer == NULL || WORKS(*error, put_dep_header(writer->sink, header)))
        return writer;
    trace_writer_discard(writer);
    return NULL;
}

struct fault dep_writer_put(struct trace_writer *writer, const struct dep_record *record)
{
    InstDepRecord message = INST_DEP_RECORD__INIT;
    char problem[300];

    if (!dep_record_check(record, writer->count == 0, writer->last, problem, sizeof problem))
        return fault_at(sink_name(writer->sink), FAULT_NO_OFFSET, "record %" PRIu64 ": %s", writer->count, problem);
    message.seq_num = record->seq_num;
    message.type = (InstDepRecord__RecordType)record->type;
    message.comp_delay = record->comp_delay;
    message.has_p_addr = (record->present & DEP_HAS_P_ADDR) != 0;
    message.p_addr = record->p_addr;
    message.has_size = (record->present & DEP_HAS_SIZE) != 0;
    message.size = record->size_bytes;
    message.has_flags = (record->present & DEP_HAS_FLAGS) != 0;
    message.flags = record->flags;
    message.has_weight = (record->present & DEP_HAS_WEIGHT) != 0;
    message.weight = record->weight;
    message.has_pc = (record->present & DEP_HAS_PC) != 0;
    message.pc = record->pc;
    message.has_v_addr = (record->present & DEP_HAS_V_ADDR) != 0;
    message.v_addr = record->v_addr;
    message.has_asid = (record->present & DEP_HAS_ASID) != 0;
    message.asid = record->asid;
    message.n_rob_dep = record->rob_dep_count;
    message.rob_dep = (uint64_t *)(uintptr_t)record->rob_dep;     /* only read */
    message.n_reg_dep = record->reg_dep_count;
    message.reg_dep = (uint64_t *)(uintptr_t)record->reg_dep;
    FORWARD(put_message(writer->sink, &message.base));
    writer->count++;
    writer->last = record->seq_num;
    return fault_none();
}

static struct fault put_packet_header(struct sink *sink, const struct packet_header *header)
{
    struct fault fault;
    PacketHeader message = PACKET_HEADER__INIT;
    size_t const count = header->id_string_count;
    PacketHeader__IdStringEntry *const entries = calloc(count + 1, sizeof *entries);
    PacketHeader__IdStringEntry **const list = calloc(count + 1, sizeof *list);
    bool const good = entries != NULL && list != NULL;

    for (size_t i = 0; good && i < count; i++) {
        const struct packet_id_string *const string = &header->id_strings[i];

        packet_header__id_string_entry__init(&entries[i]);
        entries[i].has_key = string->has_key;
        entries[i].key = string->key;
        entries[i].value = string->has_value ? (char *)(uintptr_t)string->value : NULL;     /* only read */
        list[i] = &entries[i];
    }
    message.obj_id = (char *)(uintptr_t)header->obj_id;
    message.has_ver = header->has_ver;
    message.ver = header->ver;
    message.tick_freq = header->tick_freq;
    message.n_id_strings = count;
    message.id_strings = list;
    fault = good ? put_message(sink, &message.base) : fault_memory(sink_name(sink), NULL);
    free(list);
    free(entries);
    return fault;
}

struct trace_writer *packet_writer_open(const char *path, const struct packet_header *header, struct fault *error)
{
    struct trace_writer *const writer = trace_writer_open_file(path, error);

    if (writer == NULL || WORKS(*error, put_packet_header(writer->sink, header)))
        return writer;
    trace_writer_discard(writer);
    return NULL;
}

struct fault packet_writer_put(struct trace_writer *writer, const struct packet_record *record)
{
    Packet message = PACKET__INIT;

    if (record->tick < writer->last)
        return fault_at(sink_name(writer->sink), FAULT_NO_OFFSET, "record %" PRIu64 ": tick %" PRIu64
                        " follows %" PRIu64 "; expected ticks that never fall; sort the records by tick",
                        writer->count, record->tick, writer->last);
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
    FORWARD(put_message(writer->sink, &message.base));
    writer->count++;
    writer->last = record->tick;
    return fault_none();
}

struct fault trace_writer_close(struct trace_writer *writer)
{
    struct fault const fault = sink_close(writer->sink);

    free(writer);
    return fault;
}

void trace_writer_discard(struct trace_writer *writer)
{
    if (writer == NULL)
        return;
    sink_discard(writer->sink);
    free(writer);
}

struct fault trace_writer_close_pair(struct trace_writer *dep, struct trace_writer *fetch, const char *dep_path,
                                     struct fault so_far)
{
    if (so_far.kind == FAULT_NONE)
        so_far = trace_writer_close(dep);
    else
        trace_writer_discard(dep);
    if (so_far.kind != FAULT_NONE) {
        trace_writer_discard(fetch);
        return so_far;
    }
    so_far = trace_writer_close(fetch);
    if (so_far.kind != FAULT_NONE)
        remove(dep_path);
    return so_far;
}
