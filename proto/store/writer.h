/* A store being written. Blocks go to a temporary file beside the final one, which is renamed at store_writer_close;
 * so a store of the final name is always complete, and any number of processes may write the same one.
 *
 * Use: store_writer_open; all records by store_writer_record or store_writer_records, all fetches by
 * store_writer_fetch or store_writer_fetches, in any order, or one thread at a time for each of the two kinds;
 * store_writer_close with headers and sources, or store_writer_discard, which leaves nothing. Records must keep the
 * readers' rules.
 * With store_writer_hand_on a taker gets each block, too. From then on a failure to write the file does not end the
 * writing: the taker still gets blocks, and store_writer_close reports the failure. */
#ifndef PROTO_STORE_WRITER_H
#define PROTO_STORE_WRITER_H

#include "proto/store/columns.h"
#include "proto/store/learnt.h"

struct store_writer;

/* Takes a finished block: columns->block, which it may exchange for another buffer. False: give up. */
struct store_block_taker {
    bool (*take)(void *owner, enum store_part part, struct store_columns *columns, const struct store_index *index);
    void *owner;
};

/* NULL on failure. */
struct store_writer *store_writer_open(const char *path, struct fault *error);
void store_writer_hand_on(struct store_writer *writer, struct store_block_taker taker);
/* Faults: out of memory, the taker gave up, or, without a taker, the file cannot be written. */
struct fault store_writer_record(struct store_writer *writer, const struct dep_record *record);
/* The reader's next records, up to the end of a block, which gives DEP_RECORD: the same as dep_reader_next and
 * store_writer_record, but faster. */
enum dep_result store_writer_records(struct store_writer *writer, struct dep_reader *reader, struct fault *error);
struct fault store_writer_fetch(struct store_writer *writer, const struct packet_record *record);
/* The same of fetches. */
enum packet_result store_writer_fetches(struct store_writer *writer, struct packet_reader *reader,
                                        struct fault *error);
/* The last block of a part, if it is not full. */
struct fault store_writer_end_part(struct store_writer *writer, enum store_part part);
/* Keeps this in the store. Before store_writer_finish; its bytes are borrowed until then. */
void store_writer_keep(struct store_writer *writer, const struct store_learnt *learnt);
/* What store_writer_close would do before the file takes its name, and will not do again. After all records; what
 * goes wrong, store_writer_close reports it. */
void store_writer_finish(struct store_writer *writer, const struct store_about *about);
/* A fault of the file: no store was made. Of `about`, counts, blocks and file_bytes are not read. Frees the writer in
 * any case. */
struct fault store_writer_close(struct store_writer *writer, const struct store_about *about);
void store_writer_discard(struct store_writer *writer);

#endif
