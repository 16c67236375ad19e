/* Records go through the code that protobuf-c made from inst_dep_record.proto; the reader's own decoder is thus tested
 * against an independent encoder. */
#include "proto/dep_writer.h"

#include <inttypes.h>
#include <stdlib.h>

#include "proto/inst_dep_record.pb-c.h"
#include "proto/sink.h"

struct dep_writer {
    struct sink *sink;
    uint64_t count, last_seq_num;
};

static bool put_header(struct sink *sink, const struct dep_header *header, struct proto_error *error)
{
    InstDepRecordHeader message = INST_DEP_RECORD_HEADER__INIT;
    void *scratch;

    message.obj_id = (char *)(uintptr_t)header->obj_id;     /* only read */
    message.has_ver = header->has_ver;
    message.ver = header->ver;
    message.tick_freq = header->tick_freq;
    message.window_size = header->window_size;
    scratch = sink_scratch(sink, inst_dep_record_header__get_packed_size(&message), error);
    return scratch != NULL && sink_message(sink, scratch, inst_dep_record_header__pack(&message, scratch), error);
}

struct dep_writer *dep_writer_open(const char *path, const struct dep_header *header, struct proto_error *error)
{
    struct dep_writer *const writer = calloc(1, sizeof *writer);

    if (writer == NULL) {
        proto_fail(error, path, PROTO_NO_OFFSET, "out of memory");
        return NULL;
    }
    writer->sink = sink_open(path, error);
    if (writer->sink != NULL && put_header(writer->sink, header, error))
        return writer;
    dep_writer_discard(writer);
    return NULL;
}

bool dep_writer_put(struct dep_writer *writer, const struct dep_record *record, struct proto_error *error)
{
    InstDepRecord message = INST_DEP_RECORD__INIT;
    char problem[300];
    void *scratch;

    if (!dep_record_check(record, writer->count == 0, writer->last_seq_num, problem, sizeof problem))
        return proto_fail(error, sink_name(writer->sink), PROTO_NO_OFFSET, "record %" PRIu64 ": %s", writer->count,
                          problem);
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
    scratch = sink_scratch(writer->sink, inst_dep_record__get_packed_size(&message), error);
    if (scratch == NULL || !sink_message(writer->sink, scratch, inst_dep_record__pack(&message, scratch), error))
        return false;
    writer->count++;
    writer->last_seq_num = record->seq_num;
    return true;
}

bool dep_writer_close(struct dep_writer *writer, struct proto_error *error)
{
    bool const good = sink_close(writer->sink, error);

    free(writer);
    return good;
}

void dep_writer_discard(struct dep_writer *writer)
{
    if (writer == NULL)
        return;
    sink_discard(writer->sink);
    free(writer);
}
