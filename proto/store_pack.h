/* Makes a store of a pair of trace files.
 *
 * Use: store_pack. A source that changes meanwhile is a fault. store_source_look tells a file's identity without its
 * hash; store_source_is_same compares all but the hash. */
#ifndef PROTO_STORE_PACK_H
#define PROTO_STORE_PACK_H

#include "proto/store.h"

/* On failure no store remains, and one that stood there stays. */
bool store_pack(const char *dep_path, const char *fetch_path, const char *store_path, struct proto_error *error);

/* Path (the caller's to free), size and time of change. */
bool store_source_look(const char *path, struct store_source *source, struct proto_error *error);
bool store_source_is_same(const struct store_source *one, const struct store_source *other);

#endif
