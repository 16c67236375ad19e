/* Writer of packet traces; use and rules as in proto/dep_writer.h. Ticks must not fall. */
#ifndef PROTO_PACKET_WRITER_H
#define PROTO_PACKET_WRITER_H

#include "proto/error.h"
#include "proto/packet_trace.h"

struct packet_writer;

struct packet_writer *packet_writer_open(const char *path, const struct packet_header *header,
                                         struct proto_error *error);
bool packet_writer_put(struct packet_writer *writer, const struct packet_record *record, struct proto_error *error);
bool packet_writer_close(struct packet_writer *writer, struct proto_error *error);
void packet_writer_discard(struct packet_writer *writer);

#endif
