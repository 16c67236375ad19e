/* Stores that replays make by themselves and find again: one file for each pair of trace files, in a folder.
 *
 * A store is found by the pair's absolute paths, and used if size, times, inode and samples of both files are
 * unchanged, and all its hashes are right; else it is made anew. `verifies`: if the files' whole contents are. Any
 * number of processes may do so at once: each writes a file of its own, which takes the name when it is whole. A
 * replay with an open store keeps using the old file.
 *
 * Use: for each pair store_cache_find, and if there is no store store_cache_make or, to replay
 * meanwhile, store_cache_begin and store_cache_end. */
#ifndef REPLAY_SOURCE_STORE_CACHE_H
#define REPLAY_SOURCE_STORE_CACHE_H

#include <stdbool.h>

#include "proto/store/store_pack.h"
#include "proto/store/store.h"
#include "replay/source/warn_sink.h"

enum { STORE_CACHE_PATH_MAX = 4096 };

/* The pair's store; NULL: none that matches. */
struct store *store_cache_find(const char *folder, const char *dep_path, const char *fetch_path, bool verifies);

/* Makes it. NULL: none can be had, then read the files; after a warning if the folder does not take it. A pair that
 * cannot be packed because it is wrong gives no warning, as reading will tell. */
struct store *store_cache_make(const char *folder, const char *dep_path, const char *fetch_path,
                               const struct warn_sink *sink);

/* Begins to make it: proto/store/store_pack.h. NULL as with store_cache_make. */
struct store_packing *store_cache_begin(const char *folder, const char *dep_path, const char *fetch_path,
                                        const struct warn_sink *sink);
/* After the replay; warns if the folder did not take the store. */
void store_cache_end(struct store_packing *packing, const struct warn_sink *sink);

/* The same of a list of GPU kernels: makes the store if none matches. False: no store can be made; then read the list
 * itself. */
bool store_cache_gpu(const char *folder, const char *list, bool verifies, char path[STORE_CACHE_PATH_MAX],
                     const struct warn_sink *sink);

#endif
