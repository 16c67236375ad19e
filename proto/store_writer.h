/* A store being written. Blocks go to a file of a name of its own beside the wanted one, which takes the wanted name at
 * store_writer_close; so a store of that name is always whole, and any number of processes may write the same one.
 *
 * Use: store_writer_open; all records by store_writer_record, all fetches by store_writer_fetch, in whatever turns;
 * store_writer_close with headers and sources, or store_writer_discard, which leaves nothing. Records must keep the
 * readers' rules. */
#ifndef PROTO_STORE_WRITER_H
#define PROTO_STORE_WRITER_H

#include "proto/store.h"

struct store_writer;

/* NULL on failure. */
struct store_writer *store_writer_open(const char *path, struct proto_error *error);
bool store_writer_record(struct store_writer *writer, const struct dep_record *record, struct proto_error *error);
bool store_writer_fetch(struct store_writer *writer, const struct packet_record *record, struct proto_error *error);
/* Of `about`, counts, blocks and file_bytes are not read. Frees the writer in any case. */
bool store_writer_close(struct store_writer *writer, const struct store_about *about, struct proto_error *error);
void store_writer_discard(struct store_writer *writer);

#endif
