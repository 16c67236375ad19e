/* Makes a store of a pair of trace files; a replay can read the records meanwhile.
 *
 * Use: store_pack; or store_packing_begin, read store_packing_store through one cursor a part, which waits where
 * necessary, and store_packing_end. A second thread makes blocks, a few ahead of the cursors, so memory is bounded;
 * the caller's helps where it would wait. A defect of a trace stops the cursor that reaches it, with the message of
 * the trace's reader, and no store is written. If only writing the file fails, the cursors continue.
 * A source that changes meanwhile is a fault. store_source_look finds a file's identity without its hash;
 * store_source_is_same compares all but the hash. */
#ifndef PROTO_STORE_STORE_PACK_H
#define PROTO_STORE_STORE_PACK_H

#include "proto/store/store.h"
#include "proto/store/store_columns.h"
#include "proto/store/store_file.h"

/* On failure no store remains, and one that stood there stays. */
struct fault store_pack(const char *dep_path, const char *fetch_path, const char *store_path);

struct store_packing;
struct store_learnt;

/* NULL on failure: a file that cannot be opened or written, a wrong header, no memory. */
struct store_packing *store_packing_begin(const char *dep_path, const char *fetch_path, const char *store_path,
                                          struct fault *error);
/* The same, and store_packing_keep may be called before the end. */
struct store_packing *store_packing_begin_keeping(const char *dep_path, const char *fetch_path, const char *store_path,
                                                  struct fault *error);
/* Adds data learnt from the records to the store (proto/store/store_file.h). Its bytes are borrowed until the end. */
void store_packing_keep(struct store_packing *packing, const struct store_learnt *learnt);
/* Lives as long as the packing. */
struct store *store_packing_store(struct store_packing *packing);

enum store_packed { STORE_PACKED, STORE_TRACE_BAD, STORE_NOT_WRITTEN };

/* Waits until all is done. Cursors must not be read any more, but still have to be closed. */
enum store_packed store_packing_end(struct store_packing *packing, struct fault *error);
/* Stops the packing if it is running, which leaves no store; frees it. Close the cursors before. */
void store_packing_free(struct store_packing *packing);

/* Path (the caller's to free), size, time of change and print: all that shows a change without reading the file. */
struct fault store_source_look(const char *path, struct store_source *source);
bool store_source_is_same(const struct store_source *one, const struct store_source *other);

/* A store being written. Blocks go to a temporary file beside the final one, which is renamed at store_writer_close;
 * so a store of the final name is always complete, and any number of processes may write the same one.
 *
 * Use: store_writer_open; all records by store_writer_record or store_writer_records, all fetches by
 * store_writer_fetch or store_writer_fetches, in any order, or one thread at a time for each of the two kinds;
 * store_writer_close with headers and sources, or store_writer_discard, which leaves nothing. Records must keep the
 * readers' rules.
 * With store_writer_hand_on a taker gets each block, too. From then on a failure to write the file does not end the
 * writing: the taker still gets blocks, and store_writer_close reports the failure. */

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
/* Does in advance the work of store_writer_close that precedes the naming of the file. Call after all records;
 * store_writer_close reports errors. */
void store_writer_finish(struct store_writer *writer, const struct store_about *about);
/* A fault of the file: no store was made. Of `about`, counts, blocks and file_bytes are not read. Frees the writer in
 * any case. */
struct fault store_writer_close(struct store_writer *writer, const struct store_about *about);
void store_writer_discard(struct store_writer *writer);

#endif
