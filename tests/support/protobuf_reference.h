/* The readers against protobuf-c: walks over the messages of a plain (not gzip) trace, unpacks each with the generated
 * code, and says where the hand-written decoder disagrees. Used by unit tests and fuzz targets, so all of it is in
 * this header.
 *
 * Allowed differences, by the readers' headers and elastic-trace 1.1, 1.2: the readers also refuse unknown enum values,
 * sequence numbers that do not rise, dependences on later records and falling ticks; protobuf-c refuses a known field
 * with another wire type, which the readers skip, and accepts field number 0 and those above 2^29-1, which no one may
 * use. */
#ifndef TESTS_PROTOBUF_REFERENCE_H
#define TESTS_PROTOBUF_REFERENCE_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/elastic/dep_trace.h"
#include "proto/elastic/inst_dep_record.pb-c.h"
#include "proto/elastic/packet.pb-c.h"
#include "proto/elastic/packet_trace.h"
#include "proto/io/wire.h"

struct message_walk {
    const uint8_t *at, *end;
};

/* The next message, or false at the end or at a broken length. Bounded: needs no slack. */
static inline bool walk_message(struct message_walk *walk, const uint8_t **message, size_t *length)
{
    uint64_t bytes = 0;
    unsigned shift = 0;

    do {
        if (walk->at == walk->end || shift > 28)
            return false;
        bytes |= (uint64_t)(*walk->at & 0x7f) << shift;
        shift += 7;
    } while (*walk->at++ >= 0x80);
    if (bytes > (uint64_t)(walk->end - walk->at))
        return false;
    *message = walk->at;
    *length = (size_t)bytes;
    walk->at += bytes;
    return true;
}

/* Behind the magic number and the header. */
static inline bool walk_start(struct message_walk *walk, const uint8_t *data, size_t size)
{
    const uint8_t *header;
    size_t length;

    *walk = (struct message_walk){data, data + size};
    if (size < 4)
        return false;
    walk->at += 4;
    return walk_message(walk, &header, &length);
}

static inline bool reserved_fields(const ProtobufCMessage *message)
{
    for (unsigned i = 0; i < message->n_unknown_fields; i++)
        if (message->unknown_fields[i].tag == 0 || message->unknown_fields[i].tag >= 1u << 29)
            return true;
    return false;
}

/* Bits of `lists` may also come packed; those of `known` must be numbers. The copy gives wire_field its slack. */
static inline bool other_wire_types(const uint8_t *message, size_t length, uint32_t known, uint32_t lists)
{
    uint8_t *const copy = calloc(1, length + 32);
    const uint8_t *at = copy;
    const char *problem;
    struct wire_field field;
    bool found = copy == NULL;

    if (copy != NULL && length > 0)
        memcpy(copy, message, length);
    while (!found && at != NULL && at < copy + length) {
        at = wire_field(at, copy + length, &field, &problem);
        if (at != NULL && field.number < 32 && (known >> field.number & 1))
            found = field.type != WIRE_VARINT && !(field.type == WIRE_LENGTH && (lists >> field.number & 1));
    }
    free(copy);
    return found;
}

static inline bool same_list(const uint64_t *ours, uint32_t our_count, const uint64_t *theirs, size_t their_count)
{
    return our_count == their_count && (our_count == 0 || memcmp(ours, theirs, our_count * sizeof *ours) == 0);
}

static inline bool same_dep(const struct dep_record *r, const InstDepRecord *m)
{
    uint32_t const present = (m->has_p_addr ? DEP_HAS_P_ADDR : 0u) | (m->has_size ? DEP_HAS_SIZE : 0u)
        | (m->has_flags ? DEP_HAS_FLAGS : 0u) | (m->has_weight ? DEP_HAS_WEIGHT : 0u) | (m->has_pc ? DEP_HAS_PC : 0u)
        | (m->has_v_addr ? DEP_HAS_V_ADDR : 0u) | (m->has_asid ? DEP_HAS_ASID : 0u);

    return r->present == present && r->seq_num == m->seq_num && r->type == (uint32_t)m->type && r->p_addr == m->p_addr
        && r->size_bytes == m->size && r->flags == m->flags && r->comp_delay == m->comp_delay && r->weight == m->weight
        && r->pc == m->pc && r->v_addr == m->v_addr && r->asid == m->asid
        && same_list(r->rob_dep, r->rob_dep_count, m->rob_dep, m->n_rob_dep)
        && same_list(r->reg_dep, r->reg_dep_count, m->reg_dep, m->n_reg_dep);
}

/* Refused by the readers' own rules? `last`: sequence number of the record before, if it is not the first. */
static inline bool dep_rules_refuse(const InstDepRecord *m, bool first, uint64_t last)
{
    struct dep_record const record = {
        .seq_num = m->seq_num, .rob_dep = m->rob_dep, .rob_dep_count = (uint32_t)m->n_rob_dep, .reg_dep = m->reg_dep,
        .reg_dep_count = (uint32_t)m->n_reg_dep
    };
    char problem[300];

    return (uint32_t)m->type > DEP_COMP || reserved_fields(&m->base)
        || !dep_record_check(&record, first, last, problem, sizeof problem);
}

/* NULL: the reader and protobuf-c agree on every record up to the end or the first refused one; *count is how many were
 * equal. Otherwise what differs. */
static inline const char *compare_dep_records(const uint8_t *data, size_t size, struct dep_reader *reader,
                                              uint64_t *count)
{
    struct message_walk walk;
    const uint8_t *message;
    size_t length;
    uint64_t last = 0;

    *count = 0;
    if (!walk_start(&walk, data, size))
        return "the reader opened a trace without a header message";
    while (walk_message(&walk, &message, &length)) {
        struct dep_record record;
        struct fault error;
        enum dep_result const result = dep_reader_next(reader, &record, &error);
        InstDepRecord *const theirs = inst_dep_record__unpack(NULL, length, message);
        const char *difference = NULL;

        if (result == DEP_END)
            difference = "the reader ended before the last message";
        else if (result == DEP_RECORD && theirs == NULL && !other_wire_types(message, length, 0x1ffe,
                                                                             1u << 6 | 1u << 8))
            difference = "the reader accepts a record that protobuf-c refuses";
        else if (result == DEP_RECORD && theirs != NULL && !same_dep(&record, theirs))
            difference = "a record differs";
        else if (result == DEP_ERROR && theirs != NULL && !dep_rules_refuse(theirs, *count == 0, last))
            difference = length > 1u << 20 ? NULL : "the reader refuses a record that protobuf-c accepts";
        if (theirs != NULL)
            inst_dep_record__free_unpacked(theirs, NULL);
        if (difference != NULL || result == DEP_ERROR)
            return difference;
        last = record.seq_num;
        ++*count;
    }
    return NULL;
}

static inline bool same_packet(const struct packet_record *r, const Packet *m)
{
    uint32_t const present = (m->has_flags ? PACKET_HAS_FLAGS : 0u) | (m->has_pkt_id ? PACKET_HAS_PKT_ID : 0u)
        | (m->has_pc ? PACKET_HAS_PC : 0u);

    return r->present == present && r->tick == m->tick && r->cmd == m->cmd && r->addr == m->addr
        && r->size_bytes == m->size
        && r->flags == m->flags && r->pkt_id == m->pkt_id && r->pc == m->pc;
}

static inline const char *compare_packet_records(const uint8_t *data, size_t size, struct packet_reader *reader,
                                                 uint64_t *count)
{
    struct message_walk walk;
    const uint8_t *message;
    size_t length;
    uint64_t last = 0;

    *count = 0;
    if (!walk_start(&walk, data, size))
        return "the reader opened a trace without a header message";
    while (walk_message(&walk, &message, &length)) {
        struct packet_record record;
        struct fault error;
        enum packet_result const result = packet_reader_next(reader, &record, &error);
        Packet *const theirs = packet__unpack(NULL, length, message);
        const char *difference = NULL;

        if (result == PACKET_END)
            difference = "the reader ended before the last message";
        else if (result == PACKET_RECORD && theirs == NULL && !other_wire_types(message, length, 0xfe, 0))
            difference = "the reader accepts a record that protobuf-c refuses";
        else if (result == PACKET_RECORD && theirs != NULL && !same_packet(&record, theirs))
            difference = "a record differs";
        else if (result == PACKET_ERROR && theirs != NULL && theirs->tick >= last && !reserved_fields(&theirs->base))
            difference = length > 1u << 20 ? NULL : "the reader refuses a record that protobuf-c accepts";
        if (theirs != NULL)
            packet__free_unpacked(theirs, NULL);
        if (difference != NULL || result == PACKET_ERROR)
            return difference;
        last = record.tick;
        ++*count;
    }
    return NULL;
}

#endif
