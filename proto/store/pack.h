/* Makes a store of a pair of trace files; a replay can read the records meanwhile.
 *
 * Use: store_pack; or store_packing_begin, read store_packing_store through one cursor a part, which waits where
 * necessary, and store_packing_end. A second thread makes blocks, a few ahead of the cursors, so memory is bounded;
 * the caller's helps where it would wait. A defect of a trace stops the cursor that reaches it, with the message of
 * the trace's reader, and no store is written. If only writing the file fails, the cursors continue.
 * A source that changes meanwhile is a fault. store_source_look finds a file's identity without its hash;
 * store_source_is_same compares all but the hash. */
#ifndef PROTO_STORE_PACK_H
#define PROTO_STORE_PACK_H

#include "proto/store/store.h"

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
/* Adds data learnt from the records to the store (proto/store/learnt.h). Its bytes are borrowed until the end. */
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

#endif
