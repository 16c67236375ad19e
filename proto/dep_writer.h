/* Writer of dependency traces, in the form of the reference: fields by ascending number, lists unpacked (elastic-trace
 * 1.1).
 *
 * Use: dep_writer_open, dep_writer_put for each record, dep_writer_close, or dep_writer_discard to leave nothing.
 * Names, gzip and partial files: proto/sink.h. Fields are written if their bit in `present` is set. Records must keep
 * the rules that the reader checks (dep_record_check). */
#ifndef PROTO_DEP_WRITER_H
#define PROTO_DEP_WRITER_H

#include "proto/dep_trace.h"
#include "proto/error.h"

struct dep_writer;

/* NULL on failure. */
struct dep_writer *dep_writer_open(const char *path, const struct dep_header *header, struct proto_error *error);
bool dep_writer_put(struct dep_writer *writer, const struct dep_record *record, struct proto_error *error);
/* Frees the writer in any case. */
bool dep_writer_close(struct dep_writer *writer, struct proto_error *error);
void dep_writer_discard(struct dep_writer *writer);

#endif
