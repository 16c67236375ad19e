/* Stores that replay makes by itself and finds again: one file for each pair of trace files, in a folder.
 *
 * A store is found by the pair's absolute paths, and used if size and time of change of both files are still what they
 * were, and all its hashes are right; else it is made anew. Any number of processes may do so at once: each writes a
 * file of its own, which takes the name when it is whole. A replay that has one open keeps what it has.
 *
 * Use: store_cache_folder, then store_cache_get for each pair. */
#ifndef CLI_STORE_CACHE_H
#define CLI_STORE_CACHE_H

#include <stdbool.h>
#include <stddef.h>

#include "proto/store.h"

enum { STORE_CACHE_PATH_MAX = 4096 };

/* $XDG_CACHE_HOME/rubato or ~/.cache/rubato. False: neither variable is set, or the path is too long. */
bool store_cache_folder(char folder[STORE_CACHE_PATH_MAX]);

/* The pair's store. NULL: none can be had, then read the files; after a warning if the folder does not take it. A pair
 * that cannot be packed because it is wrong gives no warning, as reading will tell. `makes` false: only one that is
 * there. */
struct store *store_cache_get(const char *folder, const char *dep_path, const char *fetch_path, bool makes);

#endif
