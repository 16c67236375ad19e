/* Tables learnt from a trace, kept in its store.
 *
 * Use: window_kept_find for the setup of a window; if it finds none, learn from the trace and store the result by
 * window_kept_add. window_kept_learn does both for a store alone, window_kept_pack while one is being made.
 * Ownership: bytes are the store's. */
#ifndef REPLAY_WINDOW_KEPT_H
#define REPLAY_WINDOW_KEPT_H

#include <stdbool.h>

#include "base/fault.h"
#include "base/text.h"
#include "proto/store/store.h"

struct window_setup;

/* Sets learnt and learnt_bytes if the store has tables learnt by these rules. A fault: they are damaged. */
struct fault window_kept_find(const struct store *store, struct window_setup *setup);
/* Writes them to a store file, in place of its old ones. */
struct fault window_kept_add(const char *path, const struct text *learnt);
/* Learns from the records of a store file, and adds the tables to it. */
struct fault window_kept_learn(const char *path);
/* As store_pack (proto/store/pack.h), with the learnt tables in the store. A trace that the model does not support is
 * a fault only if `must`; else its store has no tables. */
struct fault window_kept_pack(const char *dep_path, const char *fetch_path, const char *store_path, bool must);

#endif
