/* Inside of the reader of packet traces: for callers that can predict the next fetch, and take it from the stream's
 * bytes.
 *
 * Use: packet_reader_seen returns the next message's tick, and the bytes behind it; if these are the bytes of a
 * message that packet_reader_next read in the usual way (was_usual), it is that message's record, except the tick:
 * tell packet_reader_took. Else packet_reader_next reads it. */
#ifndef PROTO_ELASTIC_PACKET_READER_H
#define PROTO_ELASTIC_PACKET_READER_H

#include "proto/elastic/elastic_input.h"
#include "proto/elastic/packet_trace.h"
#include "proto/io/usual.h"

enum { PACKET_TICK = 1 };            /* number of the first field */

struct packet_reader {
    struct input input;
    struct packet_header header;
    struct packet_id_string *id_strings;
    uint64_t last_tick;
    bool was_usual;                  /* the record read last: each field once, in the order of their numbers */
};

/* A message whose first field is a tick of up to 8 bytes, not before the previous message's tick. */
struct packet_seen {
    const uint8_t *rest;             /* behind the tick; as many bytes as a usual message may have are readable */
    unsigned length;                 /* of the rest */
    uint64_t tick;
};

static inline bool packet_reader_seen(const struct packet_reader *reader, struct packet_seen *seen)
{
    const uint8_t *message;
    unsigned length, width;
    uint64_t raw, ends;

    if (!input_has_usual(&reader->input, &message, &length) || message[0] != WIRE_TAG(PACKET_TICK, WIRE_VARINT))
        return false;
    raw = bits_load64(message + 1);
    ends = ~raw & UINT64_C(0x8080808080808080);
    if (ends == 0)
        return false;
    width = (unsigned)__builtin_ctzll(ends) / 8 + 1;
    if (length < 1 + width)
        return false;
    seen->rest = message + 1 + width;
    seen->length = length - 1 - width;
    seen->tick = wire_varint_squeeze(raw & UINT64_MAX >> (64 - 8 * width));
    return seen->tick >= reader->last_tick;
}

static inline void packet_reader_took(struct packet_reader *reader, const struct packet_seen *seen)
{
    reader->last_tick = seen->tick;
    input_took_usual(&reader->input, seen->rest, seen->length);
}

#endif
